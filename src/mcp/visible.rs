//! Characters that a person cannot see but a model reads.

use std::borrow::Cow;

use crate::text::is_hidden;

/// Whether a character changes what a model reads and shows nothing to a person.
fn invisible(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{e0100}'..='\u{e01ef}')
        || (c != '\n' && c != '\t' && (c.is_control() || is_hidden(c)))
}

/// One of them chooses how the character before it looks; a row of them is a hidden text.
fn selects(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

/// The text without invisible characters, and how many there were. `\r\n` counts as a line end.
pub fn strip(text: &str) -> (Cow<'_, str>, usize) {
    if !text.chars().any(|c| invisible(c) || selects(c)) {
        return (Cow::Borrowed(text), 0);
    }
    let text = text.replace("\r\n", "\n");
    let (mut clean, mut count, mut bare) = (String::with_capacity(text.len()), 0, true);
    for c in text.chars() {
        if invisible(c) || (bare && selects(c)) {
            count += 1;
            continue;
        }
        bare = selects(c) || c.is_whitespace();
        clean.push(c);
    }
    (Cow::Owned(clean), count)
}

/// One line, without invisible characters, at most `limit` characters.
pub fn line(text: &str, limit: usize) -> String {
    let (text, _) = strip(text);
    let text = text.replace(['\n', '\t'], " ");
    let text = text.trim();
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_zero_width_and_direction_marks_go() {
        let hidden: String = "send".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        let text = format!("Reads\u{200b} a\u{202e} file{hidden}.\r\nSecond \tline é 🙂");
        let (clean, count) = strip(&text);
        assert_eq!(clean, "Reads a file.\nSecond \tline é 🙂");
        assert_eq!(count, 6);
        assert_eq!(strip("plain\n").1, 0);
        // A heart in colour keeps its selector; bytes that are spelt in selectors go.
        assert_eq!(strip("love \u{2764}\u{fe0f} it"), (Cow::Borrowed("love \u{2764}\u{fe0f} it"), 0));
        let spelt: String = (0..16).filter_map(|n| char::from_u32(0xfe00 + n)).collect();
        assert_eq!(strip(&format!("a{spelt}b \u{fe0f}c")), (Cow::Borrowed("a\u{fe00}b c"), 16));
        // Whatever the screen hides the model does not read either.
        for c in (0..=0x0010_ffff).filter_map(char::from_u32).filter(|c| !matches!(c, '\n' | '\t')) {
            assert!(!is_hidden(c) || invisible(c), "{c:?}");
        }
    }

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line(" a\nb\x1b[2J ", 40), "a b[2J");
        assert_eq!(line("abcdef", 4), "abc…");
    }
}
