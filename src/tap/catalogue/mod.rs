//! The catalogue: everything that taps and folders offer, as one immutable value.
//!
//! Owns: reading it from disk ([`build`]), which of two parts of the same name is used, asking it,
//! what a front end lists of it ([`view`]), and keeping it up to date while a session runs ([`Live`]).
//!
//! Does not own: which taps are connected (`registry`), what a skill or a plugin is.
//!
//! Invariant: a catalogue never changes; a change on disk makes a new one, and when that fails the
//! last good one stays, with the reason.

mod build;
mod jobs;
mod live;
mod lookup;
mod parts;
mod settle;
mod view;
mod watch;

pub use build::{Places, build};
pub use live::{Change, Live, Shelf};
pub use view::view;

#[cfg(test)]
mod tests;
