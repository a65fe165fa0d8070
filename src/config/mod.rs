//! Configuration: the typed schema, its strict reading, and where each value came from.
//!
//! Owns: [`schema`], the embedded template, layering (template < user files < project < command
//! line < session), problems with place and hint, `.env` files, the places on disk ([`Paths`]).
//!
//! Does not own: what a setting does. Knows no pane, no provider, no server.
//!
//! Invariant: bad input never panics and never stops at the first fault; every problem names file,
//! line and column, and what to write instead.

mod assign;
mod check;
mod dotenv;
mod env;
pub mod expand;
mod keys;
mod layer;
mod load;
mod paths;
mod problem;
mod project;
pub mod prompt;
mod references;
mod require;
mod roles;
mod scalar;
pub mod schema;
mod source;
pub mod state;
mod tree;
mod write;

pub use check::join as join_path;
pub use env::{Env, EnvOrigin, looks_secret};
pub use layer::{Origin, Origins};
pub use load::{Loaded, Sources, TEMPLATE, VERSION, load, open};
pub use paths::Paths;
pub use problem::{Notice, Place, Problem, Weight};
pub use references::references;
pub use roles::{ResolvedRole, ServerChoice, UnknownRole, allows, default_role, resolve_role};
pub use schema::Config;
pub use source::{Source, SourceKind};
pub use write::{WriteError, make_private_folder, replace, set_in_file, write_template};
