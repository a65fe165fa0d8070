//! How good routing is on labelled messages.
//!
//! Owns: reading the rows of a file ([`parse`]), judging each through the gate of the runtime
//! ([`judge`]), the figures ([`Report`]) and what they must not fall below ([`Floors`]).
//!
//! Does not own: turning sentences into vectors, where the candidates come from, printing.
//!
//! Invariant: pure, and no rule of its own: a row is decided by [`super::gate`] and nothing else.

mod curve;
mod floors;
mod judge;
mod report;
mod rows;

pub use curve::Point;
pub use floors::{BadFloors, Floors, Missed};
pub use judge::{Judged, Outcome, judge, message_of};
pub use report::{Confusion, Counts, Kind, Rates, Report, RuleShown, Spread};
pub use rows::{BadRow, Expected, Row, Rows, UnknownLabel, parse, set_unknown_aside};

/// Four decimals: what a report shows of a cosine or a rate, so that files compare.
fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}
