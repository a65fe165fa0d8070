//! What of a message is compared.

use sha2::{Digest, Sha256};

use crate::text::{sanitize, sanitize_line, strip_blocks, truncate};

/// Columns of an excerpt.
pub const EXCERPT: usize = 120;
/// Hex digits of a hash.
const HASH: usize = 16;

/// The message as it is seen on the screen, without XML blocks, so that what was pasted in and what
/// nobody sees drive nothing.
pub fn clean(message: &str) -> String {
    sanitize(&strip_blocks(message)).trim().to_owned()
}

/// Characters that are not white space.
pub fn characters(intent: &str) -> usize {
    intent.chars().filter(|character| !character.is_whitespace()).count()
}

/// Names the text in a record without holding it.
pub fn hash(intent: &str) -> String {
    let mut hex: String = Sha256::digest(intent.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(HASH);
    hex
}

/// The beginning of a text whose secrets are masked already, on one line.
pub fn excerpt(masked: &str) -> String {
    let line = sanitize_line(masked);
    let words: Vec<&str> = line.split_whitespace().collect();
    truncate(&words.join(" "), EXCERPT).into_owned()
}
