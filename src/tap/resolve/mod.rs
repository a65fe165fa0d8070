//! From what a person typed to a role that can be started. Pure: everything read from disk is passed in.
//!
//! Owns: the grammar of tags ([`Tag::parse`]), which role or agent a name means ([`resolve`]), which
//! capability and provider a reference means ([`choose`]), and what an agent comes to when its
//! capabilities are laid into it ([`expand`]).
//!
//! Does not own: reading manifests (`manifest`), `{{INPUT:KEY}}` and `{{ENV:KEY}}` (`fill`), running
//! deps (`deps`), resolving the finished role against the configuration (`config::resolve_role`).
//!
//! Invariant: every outcome says which rules were tried and what each found; nothing is left out of a
//! role without a finding that names it.

mod choose;
mod expand;
mod merge;
mod name;
mod sentence;
mod tag;

pub use choose::{BASELINE, CapabilityError, Choice, choose};
pub use expand::{Dep, Expanded, ExpandedCapability, ExpandedServer, expand};
pub(crate) use merge::RESERVED;
pub use name::{ASSISTANT, CHIEF, Reason, ResolveError, Resolved, Target, resolve};
pub use sentence::SPECIALIST_SENTENCE;
pub use tag::TagError;

#[cfg(test)]
mod tests;
