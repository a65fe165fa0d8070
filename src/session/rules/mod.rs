//! What a session decides, each as a function of values.
//!
//! Owns: retry schedule, queue, cutting of results, coalescing of deltas, masking, repetition, lost
//! calls, near misses of names, spending limits, lists of skills.
//!
//! Does not own: any channel, file or clock; times and chance are passed in.
//!
//! Invariant: total. Whatever comes in, an answer goes out.

mod believable;
mod calibration;
mod coalesce;
mod cut;
mod egress;
pub mod filling;
mod lost_call;
pub mod mask;
mod nearest;
mod queue;
mod repetition;
mod retry;
mod room;
mod rounds;
pub mod skill_list;
mod spending;
mod welcome;

pub use believable::believable;
pub use calibration::Calibration;
pub use coalesce::{Coalescer, INTERVAL};
pub use cut::{Cut, cut};
pub use egress::Egress;
pub use lost_call::lost_call;
pub use nearest::{near_command, nearest};
pub use queue::{Queue, Waiting};
pub use repetition::Repetition;
pub use retry::{Tried, Verdict, verdict};
pub use room::{Full, Room};
pub use rounds::{Repeat, Rounds, timeless};
pub use spending::{Allowed, Limits, Spent};
pub use welcome::welcome;

#[cfg(test)]
mod tests;
