//! What a person wrote, without what they pasted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// A message with fewer characters that are not white space has no intent to match.
/// Source: `MIN_INTENT_NON_WS_CHARS`, decisions, Tool surface.
pub const MIN_INTENT_NON_WS_CHARS: usize = 8;

/// The text without `<tag>…</tag>` blocks, nested ones and attributes included, and without comments. A tag that is never
/// closed is ordinary text. Where a block stood between two words, a space is left.
pub fn strip_blocks(text: &str) -> Cow<'_, str> {
    let blocks = blocks(text);
    if blocks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for block in blocks {
        kept.push_str(&text[from..block.start]);
        let after = text[block.end..].chars().next();
        let joins = |letter: char| !letter.is_whitespace();
        if kept.chars().next_back().is_some_and(joins) && after.is_some_and(joins) {
            kept.push(' ');
        }
        from = block.end;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Whether enough is left to match anything against.
pub fn has_intent(text: &str) -> bool {
    text.chars().filter(|letter| !letter.is_whitespace()).take(MIN_INTENT_NON_WS_CHARS).count()
        == MIN_INTENT_NON_WS_CHARS
}

/// Outermost blocks, in order, apart from each other.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    // How often each name is open, so that a stray end costs no search.
    let mut count: HashMap<&str, usize> = HashMap::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        let start = at + next;
        if let Some(end) = unseen(text, start) {
            found.push(start..end);
            at = end;
            continue;
        }
        let Some(tag) = tag(text, start) else {
            at = start + 1;
            continue;
        };
        at = tag.end;
        match tag.kind {
            TagKind::Alone => {}
            TagKind::Start => {
                open.push((tag.name, start));
                *count.entry(tag.name).or_default() += 1;
            }
            TagKind::End if count.get(tag.name).copied().unwrap_or_default() == 0 => {}
            TagKind::End => {
                while let Some((name, begin)) = open.pop() {
                    *count.entry(name).or_default() -= 1;
                    if name == tag.name {
                        while found.last().is_some_and(|inner| inner.start >= begin) {
                            found.pop();
                        }
                        found.push(begin..tag.end);
                        break;
                    }
                }
            }
        }
    }
    found
}

/// Where a comment, a piece of raw text or an instruction to a program that begins here ends; one that is
/// never closed is ordinary text.
fn unseen(text: &str, start: usize) -> Option<usize> {
    let kinds = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    let (open, close) = kinds.into_iter().find(|(open, _)| text[start..].starts_with(open))?;
    let from = start + open.len();
    text[from..].find(close).map(|at| from + at + close.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Start,
    End,
    /// `<tag/>`.
    Alone,
}

struct Tag<'a> {
    name: &'a str,
    kind: TagKind,
    /// Byte after `>`.
    end: usize,
}

/// A tag has at most this many bytes; what is longer is a comparison in prose.
const MAX_TAG: usize = 1024;

fn tag(text: &str, start: usize) -> Option<Tag<'_>> {
    let rest = &text[start + 1..];
    let (ends, rest_at) = if rest.starts_with('/') { (true, start + 2) } else { (false, start + 1) };
    let rest = &text[rest_at..];
    if !rest.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
        return None;
    }
    let length = rest
        .find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':')))
        .unwrap_or(rest.len());
    let name = &rest[..length];
    let mut quote = None;
    for (at, letter) in rest[length..].char_indices().take_while(|(at, _)| *at < MAX_TAG) {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '<') => return None,
            (None, '>') => {
                let alone = rest[..length + at].ends_with('/');
                let kind = match (ends, alone) {
                    (true, _) => TagKind::End,
                    (false, true) => TagKind::Alone,
                    (false, false) => TagKind::Start,
                };
                return Some(Tag { name, kind, end: rest_at + length + at + 1 });
            }
            (None, letter) if at == 0 && !(letter.is_whitespace() || letter == '/') => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
