//! Text cut to a budget, with what was cut named.

use serde_json::{Value, json};

use crate::text::tokens::estimate;

/// Beginning and end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excerpt<'a> {
    pub head: &'a str,
    /// Lines between the two, begun ones included; 0 = the head is the whole text.
    pub left_out: usize,
    pub tail: &'a str,
}

/// `text` within `budget` tokens: whole, or two fifths of the budget from its beginning and the rest
/// from its end.
pub fn excerpt(text: &str, budget: u64) -> Excerpt<'_> {
    if text.len() as u64 <= budget || estimate(text) <= budget {
        return Excerpt { head: text, left_out: 0, tail: "" };
    }
    let head = &text[..front(text, budget * 2 / 5)];
    let rest = &text[head.len()..];
    let tail = &rest[rest.len() - back(rest, budget - budget * 2 / 5)..];
    let middle = &rest[..rest.len() - tail.len()];
    Excerpt { head, left_out: middle.lines().count().max(1), tail }
}

impl Excerpt<'_> {
    pub fn json(&self) -> Value {
        match self.left_out {
            0 => json!(self.head),
            lines => json!({ "head": self.head, "left_out_lines": lines, "tail": self.tail }),
        }
    }

    /// The parts apart from each other, so that no quote can reach over the cut.
    pub fn parts(&self) -> String {
        match self.left_out {
            0 => self.head.to_owned(),
            _ => format!("{}\n\u{0}\n{}", self.head, self.tail),
        }
    }
}

/// Bytes of whole lines from the beginning, or of a part of the first where that alone is too much.
fn front(text: &str, budget: u64) -> usize {
    let mut left = budget;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let cost = estimate(line);
        if cost > left {
            break;
        }
        left -= cost;
        end += line.len();
    }
    if end > 0 {
        return end;
    }
    let mut end = text.floor_char_boundary((budget * 4) as usize);
    while estimate(&text[..end]) > budget {
        end = text.floor_char_boundary(end * 3 / 4);
    }
    end
}

/// Bytes of whole lines from the end, or of a part of the last.
fn back(text: &str, budget: u64) -> usize {
    let mut left = budget;
    let mut taken = 0;
    for line in text.split_inclusive('\n').rev() {
        let cost = estimate(line);
        if cost > left {
            break;
        }
        left -= cost;
        taken += line.len();
    }
    if taken > 0 {
        return taken;
    }
    let mut start = text.ceil_char_boundary(text.len().saturating_sub((budget * 4) as usize));
    while estimate(&text[start..]) > budget {
        start = text.ceil_char_boundary(start + (text.len() - start).div_ceil(4));
    }
    text.len() - start
}

#[cfg(test)]
mod tests;
