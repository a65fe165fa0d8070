//! What the supervisor needs of the disk.
//!
//! Owns: whether a command changed the working tree ([`tree`]), the bodies of model calls ([`wire`]),
//! whether what a plan assumes is so ([`assume`]).
//!
//! Does not own: what follows from it.
//!
//! Invariant: nothing here runs on the session's task, and nothing takes longer than it says.

pub mod assume;
pub mod tree;
pub mod wire;
