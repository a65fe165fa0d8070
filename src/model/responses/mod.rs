//! OpenAI's responses protocol, ours from body to delta.
//!
//! genai 0.7 speaks it too, but takes a reply for cut off when its closing event lacks a field it
//! does not need (`usage`, `created_at`), loses a call whose pieces carry no `output_index`, and
//! cannot show the body for the Wire view.

mod body;
mod decode;
#[cfg(test)]
mod tests;

pub(super) use body::{Summaries, body};
pub(super) use decode::Decoder;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What `ReasoningBlock::redacted` holds here: the item as it must go back, and its place.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    item: Value,
    /// Calls of the same reply that stood before it.
    after: usize,
}
