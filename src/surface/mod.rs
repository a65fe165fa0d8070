//! The tool surface: which capabilities are there, why, and which server runs for whom.
//!
//! Owns: the static layer (what the role names) beside the dynamic one (what was activated, at most
//! [`MAX_DYNAMIC_CAPABILITIES`], and what skills hold), the stages before the gate, the choice by it, who
//! has to go, who refers to a server and with which filter; why anything is there or not ([`explain`]).
//!
//! Does not own: the gate's numbers (`embed::gate`), vectors, what a catalogue makes of a name
//! (`tap::resolve`), starting and stopping (the session does what [`Effect`]s say).
//!
//! Invariant: pure. A server that the role owns is never stopped; one that nobody refers to is; each change
//! comes with the decisions it rests on. The domain gate holds for every cause.

pub mod built_in;
mod enable;
pub mod explain;
pub mod intent;
mod leave;
mod offer;
mod resume;
mod role;
mod route;
mod servers;
mod stages;
mod state;

pub use offer::{Change, Effect, Offer, OfferedServer, RoleSurface};
pub use route::{Attempt, Compared, RouteInput, skip};
pub use stages::in_domain;
pub use state::Surface;

/// What stands before the colon of a role's name; empty when there is none.
pub fn domain_of(role: &str) -> &str {
    role.split_once(':').map_or("", |(domain, _)| domain)
}

/// Capabilities that may be on at a time beside the role's own (seeds: runtime, LRU eviction).
pub const MAX_DYNAMIC_CAPABILITIES: usize = 4;

#[cfg(test)]
pub(crate) mod tests;
