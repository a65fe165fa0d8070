//! Whether a text has a phrase, whole words, whatever the case.

/// Lower case, white space as one space.
pub fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    let mut plain = words.next().unwrap_or_default().to_owned();
    for word in words {
        plain.push(' ');
        plain.push_str(word);
    }
    plain
}

/// Both as [`plain`] gives them.
pub fn has(text: &str, phrase: &str) -> bool {
    if phrase.is_empty() {
        return false;
    }
    text.match_indices(phrase).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !joined(before, found.chars().next()) && !joined(found.chars().next_back(), after)
    })
}

/// Whether two neighbours are parts of one word.
fn joined(left: Option<char>, right: Option<char>) -> bool {
    let inside = |letter: char| (letter.is_alphanumeric() || letter == '_') && !unspaced(letter);
    left.is_some_and(inside) && right.is_some_and(inside)
}

/// Scripts that put no space between words: Thai, Lao, Khmer, kana, Han.
fn unspaced(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}
