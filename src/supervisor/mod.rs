//! What stands beside the agent's loop: it watches, reminds, verifies, plans and narrows.
//!
//! Owns: the status that the agent gives and how it is taken out of the text ([`report`]), what a tool
//! call leaves behind ([`receipt`]), the detectors ([`detect`]), what the person forbade
//! ([`prohibit`]), what is said again near the end of a request ([`recite`]), and the questions to the
//! supervisor's model with the reading of its answers ([`gate`], [`plan`], [`condense`],
//! [`authorize`]), and what can be switched ([`switch`]).
//!
//! Does not own: any channel, file, clock or model call (the session does those), nor what is on the
//! screen.
//!
//! Invariant: pure. What a tool or a model wrote is a claim or data, never an instruction, a permission
//! or a verdict: it stands in a prompt only as JSON, [`quoted`] where tags mean something. Only the
//! person's own messages forbid and permit.

mod answer;
mod ask;
pub mod authorize;
pub mod condense;
pub mod detect;
mod document;
pub mod evidence;
mod excerpt;
pub mod gate;
pub mod plan;
pub mod prohibit;
mod quote;
pub mod quoted;
pub mod receipt;
pub mod recite;
pub mod report;
pub mod switch;

pub use ask::Ask;
