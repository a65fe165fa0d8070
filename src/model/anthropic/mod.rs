//! The Anthropic messages protocol, ours from body to delta.
//!
//! genai 0.7 speaks it too, but keeps one block at a time: a delta for another block index is filed
//! under the wrong one, a text delta without its start is an error, a call whose input comes whole
//! with its start loses it, and a reply cut before `message_stop` gives neither calls nor usage. Its
//! cache marks are per message, so they cannot be kept to four.

mod body;
mod decode;
#[cfg(test)]
mod tests;

pub(super) use body::{Abilities, body};
pub(super) use decode::Decoder;
