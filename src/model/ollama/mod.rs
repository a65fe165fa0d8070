//! Ollama's own protocol, ours from body to delta.
//!
//! It is spoken instead of Ollama's chat-compatible one because only here can the context be set: a
//! server left to its default cuts system prompt and tools without a word. genai 0.7 speaks it too,
//! but ignores extra fields of the body (so no `num_ctx`), passes over an error line inside the
//! stream (`error200`), and takes a stream that breaks off for a whole one.

mod body;
mod decode;
#[cfg(test)]
mod tests;

pub(super) use body::body;
pub(super) use decode::Decoder;

/// Tokens of context to ask for: enough for the prompt and the reply, in steps that double so that a
/// growing session reloads the model only a few times.
///
/// `prompt_bytes` over three is a careful estimate of tokens; `window` is the most the model takes.
pub fn ollama_context(prompt_bytes: u64, max_tokens: u32, window: Option<u64>) -> u64 {
    const SMALLEST: u64 = 8_192;
    const LARGEST_UNASKED: u64 = 131_072;
    let needed = prompt_bytes / 3 + u64::from(max_tokens).min(8_192);
    let largest = window.unwrap_or(LARGEST_UNASKED);
    needed.next_power_of_two().max(SMALLEST).min(largest)
}

/// Whether a server seems to have cut the prompt: it counted far fewer tokens than were sent.
/// Estimates are off by less than this, and short prompts say too little.
pub fn prompt_was_cut(estimated: u64, reported: u64) -> bool {
    const SAMPLE: u64 = 2_000;
    estimated >= SAMPLE && reported > 0 && reported * 2 < estimated
}
