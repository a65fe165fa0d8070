//! Text as terminals and models see it: display width, wrapping, sanitising, token estimates.
//!
//! Owns: pure functions over strings. Does not own styles, layout, or any provider's tokenizer
//! details beyond an estimate.
//!
//! Invariant: nothing that came from a model, a tool or a file reaches a terminal cell except
//! through [`sanitize`], [`sanitize_line`] or [`reveal`].

mod blocks;
pub mod human;
mod json;
pub mod picture;
mod sanitize;
mod tags;
pub mod tokens;
mod width;
mod wrap;

pub use blocks::{MIN_INTENT_NON_WS_CHARS, has_intent, strip_blocks};
pub use json::in_json;
pub use sanitize::{clean_prefix, is_hidden, reveal, sanitize, sanitize_line};
pub use tags::disarmed;
pub use width::{truncate, width};
pub use wrap::wrap;
