//! Taps: what agents, capabilities, skills and plugins there are, and how a tag becomes an agent.
//!
//! Owns: connecting and fetching taps (`registry`, `git`), reading them into one immutable
//! [`Catalogue`] (`catalogue`, `manifest`, `skill`, `plugin`), resolving a tag and expanding its
//! capabilities (`resolve`), `{{INPUT:KEY}}` and `{{ENV:KEY}}` (`fill`), `[deps]` scripts (`deps`),
//! the embedded starter tap (`starter`), linting (`check`).
//!
//! Does not own: running servers (`mcp`), when a capability is active (`surface`), sentence vectors
//! (`embed`), when any of it happens (`session`).
//!
//! Invariant: a part that cannot be used is named with file, place and reason in
//! [`Catalogue::findings`], and costs no other part.

mod bounded;
pub mod capability;
pub mod catalogue;
pub mod check;
mod confine;
pub mod deps;
mod document;
pub mod fill;
#[cfg(test)]
pub(crate) mod fixture;
pub mod git;
mod header;
pub mod manifest;
pub mod plugin;
pub mod registry;
pub mod resolve;
pub mod skill;
pub mod starter;
mod types;

pub use types::{
    Agent, Broken, Capability, Catalogue, Finding, Part, PartKind, Plugin, Provider, Severity, Skill, SkillSource, Tag,
    Tap, TapKind, Uses,
};
