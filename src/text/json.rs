//! JSON that a terminal may show.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::is_hidden;

/// The same JSON with every character spelt as `\u…` that a terminal would act on or that hides from a
/// reader: programs read the same values, and nothing of them steers a screen. Line ends between values
/// stay.
#[must_use]
pub fn in_json(json: &str) -> Cow<'_, str> {
    if json.is_ascii() && !json.contains('\u{7f}') {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && (character.is_control() || is_hidden(character) || is_line_end(character)) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Of Unicode's own; JSON leaves them as they are.
fn is_line_end(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_json_gets_the_same_and_a_terminal_nothing() {
        let text = "a\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{200b}\u{e0041}\u{7f}\u{2028}é🙂\n\"\\";
        for json in [serde_json::json!({ text: [text] }).to_string(), format!("{:#}", serde_json::json!([text, text]))]
        {
            let safe = in_json(&json);
            assert!(safe.chars().all(|c| c == '\n' || !(c.is_control() || is_hidden(c) || is_line_end(c))), "{safe:?}");
            let value: serde_json::Value = serde_json::from_str(&safe).unwrap();
            assert_eq!(value, serde_json::from_str::<serde_json::Value>(&json).unwrap());
        }
        assert!(matches!(in_json("{\"a\": 1}\n"), Cow::Borrowed(_)));
    }
}
