/// Share of the room that the beginning gets; the rest is the end's.
const HEAD_SHARE: f64 = 0.6;

/// Tokens set aside for the note between the two parts.
const NOTE_TOKENS: u64 = 60;

/// A text cut to its two ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub text: String,
    /// Estimated tokens of the whole.
    pub tokens: u64,
    pub kept_head: u64,
    pub kept_tail: u64,
}

/// Cuts a text of more than `limit` tokens to head and tail, at line ends where there are any in
/// reach. `spill` names the file that holds the whole. `None` when it fits; 0 is no limit.
pub fn cut(text: &str, limit: u64, spill: &str, estimate: impl Fn(&str) -> u64) -> Option<Cut> {
    // A token is at least one byte, so a short text needs no count.
    if limit == 0 || text.len() as u64 <= limit {
        return None;
    }
    let tokens = estimate(text);
    if tokens <= limit {
        return None;
    }
    let room = limit.saturating_sub(NOTE_TOKENS);
    let head_room = (room as f64 * HEAD_SHARE) as u64;
    let per_token = text.len() as f64 / tokens as f64;
    let head = fit(head_room, per_token, |bytes| head(text, bytes), &estimate);
    let rest = &text[head.len()..];
    let tail = fit(room - head_room, per_token, |bytes| tail(rest, bytes), &estimate);
    let (kept_head, kept_tail) = (estimate(head), estimate(tail));
    let left_out = tokens.saturating_sub(kept_head + kept_tail);
    let lines = rest[..rest.len() - tail.len()].lines().count();
    let gap = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    let text = format!(
        "{head}{gap}[… {lines} lines, about {left_out} tokens, left out here; the whole is in {spill} …]\n{tail}"
    );
    Some(Cut { text, tokens, kept_head, kept_tail })
}

/// The largest part within `room` tokens; the estimate by bytes is corrected until it holds.
fn fit<'text>(
    room: u64,
    per_token: f64,
    part: impl Fn(usize) -> &'text str,
    estimate: impl Fn(&str) -> u64,
) -> &'text str {
    let mut bytes = (room as f64 * per_token) as usize;
    for _ in 0..8 {
        let candidate = part(bytes);
        let tokens = estimate(candidate);
        if tokens <= room {
            return candidate;
        }
        bytes = (bytes as f64 * room as f64 / tokens as f64 * 0.95) as usize;
    }
    ""
}

/// A line end is looked for in the last quarter; a part of one giant line is cut within it.
fn head(text: &str, bytes: usize) -> &str {
    let part = &text[..text.floor_char_boundary(bytes)];
    match part.rfind('\n') {
        Some(end) if end + 1 >= part.len() / 4 * 3 => &part[..=end],
        _ => part,
    }
}

fn tail(text: &str, bytes: usize) -> &str {
    let part = &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..];
    match part.find('\n') {
        Some(end) if end < part.len() / 4 => &part[end + 1..],
        _ => part,
    }
}
