//! A run without a person: one message in, the answer out, an honest exit code.
//!
//! Owns: following a port to the end of the turn, the two outputs ([`json`], [`plain`]), signals.
//! Does not own: what a session does, nor any question: with nobody there nothing is ever asked.
//!
//! Invariant: it always ends. A turn that is over, a session that goes away, a closed output, a
//! signal, a question that slipped through: each has its way out and its exit code.

mod follow;
mod gate;
mod json;
mod output;
mod plain;
mod sink;
mod verdict;

pub use follow::{Signals, follow};
pub use output::{Ending, Output, Printer};
pub use sink::Sink;
