//! Configuration: the typed schema, its strict reading, and where each value came from.
//!
//! Owns: [`schema`], the embedded template, layering (template < user files < project < command
//! line < session), problems with place and hint, `.env` files, what is masked ([`Mask`]), the places on
//! disk ([`Paths`]), ignore files ([`walk`()]).
//!
//! Does not own: what a setting does. Knows no pane, no provider, no server.
//!
//! Invariant: bad input never panics and never stops at the first fault; every problem names file,
//! line and column, and what to write instead.

mod assign;
pub(crate) mod check;
mod dotenv;
mod env;
pub mod expand;
pub(crate) mod keys;
mod layer;
mod load;
mod mask;
mod paths;
mod problem;
mod project;
pub mod prompt;
mod references;
mod require;
mod roles;
mod save;
mod scalar;
pub mod schema;
mod source;
pub mod state;
pub(crate) mod tree;
mod walk;
mod write;

pub use check::join as join_path;
pub use dotenv::is_name;
pub use env::{Env, EnvOrigin, looks_secret};
pub use keys::nearest as nearest_name;
pub use layer::{Origin, Origins};
pub use load::{Loaded, Sources, TEMPLATE, VERSION, load, open};
pub use mask::{Mask, is_private};
pub use paths::Paths;
pub use problem::{Notice, Place, Problem, Weight};
pub use references::references;
pub use roles::{ResolvedRole, ServerChoice, UnknownRole, allows, default_role, resolve_role};
pub use save::{Saved, save};
pub use schema::Config;
pub use source::{Source, SourceKind, read_ordinary};
pub use walk::{goes_with_commits, walk};
pub use write::{WriteError, lock_within, make_private_folder, private, replace, set_in_file, write_template};
