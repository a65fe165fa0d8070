//! Characters that a person cannot see but a model reads.

use std::borrow::Cow;

/// Whether a character changes what a model reads and shows nothing to a person.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
        || (c.is_control() && c != '\n' && c != '\t')
}

/// The text without invisible characters, and how many there were. `\r\n` counts as a line end.
pub fn strip(text: &str) -> (Cow<'_, str>, usize) {
    if !text.chars().any(invisible) {
        return (Cow::Borrowed(text), 0);
    }
    let text = text.replace("\r\n", "\n");
    let count = text.chars().filter(|c| invisible(*c)).count();
    (Cow::Owned(text.chars().filter(|c| !invisible(*c)).collect()), count)
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
    }

    #[test]
    fn a_line_is_one_line_and_short() {
        assert_eq!(line(" a\nb\x1b[2J ", 40), "a b[2J");
        assert_eq!(line("abcdef", 4), "abc…");
    }
}
