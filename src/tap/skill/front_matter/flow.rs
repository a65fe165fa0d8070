//! Values that carry their own ends: quoted texts and `[a, b]`.

use std::ops::Range;

use super::super::rules::{self, balance};
use super::Piece;

/// A quoted text, and the byte after its closing quote.
pub struct Quoted {
    pub piece: Piece,
    pub end: usize,
}

/// The quoted text that starts at `range.start`, where a `"` or `'` stands; it may go on over lines,
/// up to the end of the range. `None` if it does not end.
pub fn quoted(text: &str, range: Range<usize>) -> Option<Quoted> {
    let body = text.get(range.clone())?;
    let quote = body.chars().next()?;
    let mut value = String::new();
    let mut exact = true;
    let mut letters = body.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => {
                if quote == '\'' && letters.next_if(|(_, next)| *next == '\'').is_some() {
                    value.push('\'');
                    exact = false;
                    continue;
                }
                let span = range.start + 1..range.start + at;
                return Some(Quoted { piece: Piece { text: value, span, exact }, end: range.start + at + 1 });
            }
            '\\' if quote == '"' => {
                let rest = &body[at + 1..];
                let taken = escape(rest, &mut value);
                if taken > 0 {
                    exact = false;
                    while letters.next_if(|(next, _)| *next < at + 1 + taken).is_some() {}
                }
            }
            '\n' => {
                exact = false;
                break_line(&body[at + 1..], &mut value);
                let rest = &body[at + 1..];
                let taken = rest.len() - rest.trim_start().len();
                while letters.next_if(|(next, _)| *next < at + 1 + taken).is_some() {}
            }
            _ => value.push(letter),
        }
    }
    None
}

/// A line break inside quotes is a space, and each blank line after it a line break.
fn break_line(rest: &str, value: &mut String) {
    value.truncate(value.trim_end_matches([' ', '\t', '\r']).len());
    let white = &rest[..rest.len() - rest.trim_start().len()];
    match white.matches('\n').count() {
        0 => value.push(' '),
        blank => value.push_str(&"\n".repeat(blank)),
    }
}

/// What follows a backslash in double quotes: the bytes it takes. An escape we do not know stays as
/// it is, so that `"\bword\b"` is the regular expression its author means.
fn escape(rest: &str, value: &mut String) -> usize {
    let code = |digits: usize| {
        let number = rest.get(1..1 + digits).filter(|text| text.chars().all(|digit| digit.is_ascii_hexdigit()))?;
        u32::from_str_radix(number, 16).ok().and_then(char::from_u32)
    };
    let (letter, taken) = match rest.chars().next() {
        Some('"') => (Some('"'), 1),
        Some('\\') => (Some('\\'), 1),
        Some('/') => (Some('/'), 1),
        Some('n') => (Some('\n'), 1),
        Some('t') => (Some('\t'), 1),
        Some('x') => (code(2), 3),
        Some('u') => (code(4), 5),
        Some('U') => (code(8), 9),
        Some('\n') => return 1 + (rest.len() - 1 - rest[1..].trim_start_matches([' ', '\t']).len()),
        _ => (None, 0),
    };
    match letter {
        Some(letter) => {
            value.push(letter);
            taken
        }
        None => {
            value.push('\\');
            0
        }
    }
}

/// Parentheses that are not closed are looked for at most so often, and so far: what a list costs to
/// read must not grow with the square of its length.
const MOST_UNCLOSED: usize = 16;

/// As much of a text as one item may have.
fn near(text: &str) -> &str {
    &text[..text.floor_char_boundary(rules::LONGEST)]
}

/// The items of the list that starts at `range.start`, where a `[` stands. `None` if it does not end. A comma in
/// quotes, brackets or the parentheses of a check separates nothing.
pub fn list(text: &str, range: Range<usize>) -> Option<Vec<Piece>> {
    let mut items = Vec::new();
    let mut at = range.start + 1;
    let mut start = at;
    let mut depth = 0usize;
    // Nothing but white space since the item began.
    let mut fresh = true;
    let mut unclosed = 0usize;
    while at < range.end {
        let rest = text.get(at..range.end)?;
        let letter = rest.chars().next()?;
        match letter {
            '"' | '\'' if fresh => {
                if let Some(quoted) = quoted(text, at..range.end) {
                    at = quoted.end;
                    fresh = false;
                    let closed = text.get(at..range.end)?.trim_start().starts_with([',', ']']);
                    if closed {
                        items.push(quoted.piece);
                        at += text.get(at..range.end)?.find([',', ']'])?;
                        start = at;
                        fresh = true;
                        if text[at..].starts_with(',') {
                            at += 1;
                            start = at;
                        }
                    }
                    continue;
                }
            }
            '(' if unclosed < MOST_UNCLOSED => match balance::closing(near(rest), 0, balance::Inside::Pattern) {
                Some(close) => at += close,
                None => unclosed += 1,
            },
            '[' | '{' => depth += 1,
            ']' | '}' if depth > 0 => depth -= 1,
            ']' | ',' if depth == 0 => {
                push(text, start..at, &mut items);
                if letter == ']' {
                    return Some(items);
                }
                start = at + 1;
            }
            _ => {}
        }
        fresh = start == at + 1 || (fresh && letter.is_whitespace());
        at += text.get(at..)?.chars().next()?.len_utf8();
    }
    None
}

/// The items of what should have been a list, separated by commas.
pub fn open_list(text: &str, range: Range<usize>) -> Vec<Piece> {
    let mut items = Vec::new();
    let mut start = range.start;
    for part in text.get(range).unwrap_or_default().split(',') {
        push(text, start..start + part.len(), &mut items);
        start += part.len() + 1;
    }
    items
}

fn push(text: &str, range: Range<usize>, items: &mut Vec<Piece>) {
    let raw = text.get(range.clone()).unwrap_or_default();
    let start = range.start + raw.len() - raw.trim_start().len();
    let item = raw.trim();
    if !item.is_empty() {
        items.push(Piece { text: item.to_owned(), span: start..start + item.len(), exact: true });
    }
}
