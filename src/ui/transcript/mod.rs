//! The transcript: typed cells, each rendering itself at a width, and the cache that keeps them.
//!
//! Owns: how an entry looks ([`cell`]), markdown, code highlighting, row counts, scrolling, search.
//!
//! Does not own: what an entry says (the snapshot) nor colours: rows carry roles, and the theme is
//! asked when they are drawn, so that changing it renders nothing anew.
//!
//! Invariant: no row is wider than the width it was made for; nothing walks the whole transcript
//! for a frame; text reaches a row only through `text::sanitize`.

mod cache;
pub mod cell;
pub mod diff;
mod flow;
mod heights;
mod highlight;
mod link;
pub mod markdown;
mod row;
pub mod scores;
mod scroll;
mod search;
mod stream;
#[cfg(test)]
mod tests;

pub use cache::{Cache, Scene};
pub use flow::{Break, fit};
pub use heights::Heights;
pub use highlight::Highlighter;
pub use link::{Link, Target, find as find_links};
pub use row::{Join, Mark, Row, Styled, Tone};
pub use scroll::{Asked, Place, Visible, Window};
pub use search::occurrences;
