//! Skills: reading `SKILL.md`, finding them, judging their rules.
//!
//! Owns: tolerant front matter, the rule grammar as a typed tree ([`rules`]), discovery and its
//! order, judging rules against a message, the text an activation adds.
//!
//! Does not own: when a skill is active (`session`), sentence vectors (`embed`, behind a trait here).
//!
//! Invariant: parsing never panics; every error has a position inside the file; an unknown check is
//! false and reported.

mod activate;
mod confine;
mod discover;
pub(crate) mod document;
pub(crate) mod front_matter;
pub mod judge;
mod listing;
pub(crate) mod remark;
pub mod rules;
mod settle;

pub(in crate::tap) use confine::{Refusal, Roots};
pub(in crate::tap) use remark::Remark;

pub use activate::{activation_text, body};
pub use discover::read;
pub use listing::{Listing, listing};
pub use settle::{Settled, settle};

#[cfg(test)]
mod tests;
