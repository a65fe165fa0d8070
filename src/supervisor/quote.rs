//! Looking a quote up, and quoting foreign text where an agent reads it.

use super::quoted;
use crate::text;

/// A shorter quote proves nothing, unless it is a whole line.
const SHORTEST: usize = 3;

/// Whether `quote` stands in `text`, whatever the white space between its words.
pub fn occurs(text: &str, quote: &str) -> bool {
    span(text, quote).is_some()
}

/// The part of `text` that `quote` means, in the bytes of `text`.
pub fn span<'a>(text: &'a str, quote: &str) -> Option<&'a str> {
    let wanted: String = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    if wanted.is_empty() {
        return None;
    }
    if wanted.chars().count() < SHORTEST {
        return text.lines().map(str::trim).find(|line| *line == wanted);
    }
    let (spaced, offsets) = single_spaced(text);
    let start = spaced.find(&wanted)?;
    let last = spaced[start..start + wanted.len()].chars().next_back()?;
    let from = offsets[start];
    let to = offsets[start + wanted.len() - last.len_utf8()] + last.len_utf8();
    text.get(from..to)
}

/// `text` with each run of white space as one space, and for each byte of it where it came from.
fn single_spaced(text: &str) -> (String, Vec<usize>) {
    let mut spaced = String::with_capacity(text.len());
    let mut offsets = Vec::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        if !letter.is_whitespace() {
            spaced.push(letter);
            offsets.extend((0..letter.len_utf8()).map(|byte| at + byte));
        } else if !spaced.is_empty() && !spaced.ends_with(' ') {
            spaced.push(' ');
            offsets.push(at);
        }
    }
    (spaced, offsets)
}

/// `text` on one line with at most `most` characters.
pub fn short(text: &str, most: usize) -> String {
    let line = text::sanitize_line(text);
    let mut letters = line.char_indices();
    match letters.nth(most) {
        None => line.into_owned(),
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

/// `text` as a JSON string of one line that can close no tag of the runtime's.
pub fn encoded(text: &str, most: usize) -> String {
    quoted::json(&short(text, most))
}

#[cfg(test)]
mod tests;
