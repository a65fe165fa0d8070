//! `[deps] require`: scripts that put a capability's programs in place.
//!
//! Owns: finding a script inside its tap, running it to its end with its output line by line, ending
//! it and all it started.
//!
//! Does not own: which scripts a role needs (`resolve`), when they run and who is told (`session`).
//!
//! Invariant: a script outside the folder of its tap is refused. Nothing of a script is left running
//! when [`run`] returns or is dropped, but for what one that succeeded put into a group of its own,
//! and that is named.

mod find;
mod left;
mod output;
mod run;

pub use find::{FindError, Script, find};
pub use left::Left;
pub use run::{Done, LIMIT, Running, ScriptError, run};

#[cfg(test)]
mod tests;
