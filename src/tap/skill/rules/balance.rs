//! Where an argument ends.

/// What is between the parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// A backslash takes the next character, and `[…]` is one piece.
    Pattern,
    Words,
}

/// The byte of the `)` that closes the `(` at `open`.
pub fn closing(text: &str, open: usize, inside: Inside) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = open;
    while let Some(letter) = text.get(at..)?.chars().next() {
        match letter {
            '\\' if inside == Inside::Pattern => {
                at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            '[' if inside == Inside::Pattern => {
                if let Some(end) = class_end(text, at) {
                    at = end;
                    continue;
                }
            }
            '(' => depth += 1,
            ')' if depth <= 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        at += letter.len_utf8();
    }
    None
}

/// The byte after the `]` of the character class that starts at `open`.
fn class_end(text: &str, open: usize) -> Option<usize> {
    let body = &text[open + 1..];
    let body_at = open + 1 + usize::from(body.starts_with('^'));
    let mut at = body_at;
    let mut depth = 1usize;
    while let Some(letter) = text.get(at..)?.chars().next() {
        match letter {
            '\\' => at += text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '[' => depth += 1,
            // The first one is a character of the class.
            ']' if at == body_at => {}
            ']' if depth == 1 => return Some(at + 1),
            ']' => depth -= 1,
            _ => {}
        }
        at += letter.len_utf8();
    }
    None
}

/// The last comma outside parentheses, brackets and braces.
pub fn last_comma(text: &str, inside: Inside) -> Option<usize> {
    let mut depth = 0usize;
    let mut last = None;
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        match letter {
            '\\' if inside == Inside::Pattern => at += text[at + 1..].chars().next().map_or(0, char::len_utf8),
            '[' if inside == Inside::Pattern && depth == 0 => {
                if let Some(end) = class_end(text, at) {
                    at = end;
                    continue;
                }
            }
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => last = Some(at),
            _ => {}
        }
        at += letter.len_utf8();
    }
    last
}
