//! Configuration: the typed schema, its strict reading, and where each value came from.
//!
//! Owns: [`schema`], the embedded template, layering (template < user files < project < command
//! line < session), problems with place and hint, `.env` files, the places on disk ([`Paths`]).
//!
//! Does not own: what a setting does. Knows no pane, no provider, no server.
//!
//! Invariant: bad input never panics and never stops at the first fault; every problem names file,
//! line and column, and what to write instead.

pub mod schema;

pub use schema::Config;
