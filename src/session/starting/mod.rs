//! From a tag to a role that can be worked in: tap, manifest, capabilities, values, scripts, servers.
//!
//! Owns: the order of these steps, what is told of each, and what is left out when one of them fails.
//!
//! Does not own: what a tag means or what a manifest says (`tap`), running servers (`mcp`), the cell
//! that the steps are shown in and the questions (`actor`).
//!
//! Invariant: a part that cannot be had costs only what needs it, and is named. Nothing waits for an
//! answer when nobody is there to give one.

mod capability;
mod offers;
mod pipeline;
mod role;
mod scripts;
mod telling;
mod values;
mod whereabouts;

pub use offers::Offers;
pub(super) use pipeline::{Parts, check, prepare};
pub(super) use role::local_role;
pub(super) use telling::Told;
pub use telling::{Refused, RefusedBy, Step, Telling};

#[cfg(test)]
mod tests;
