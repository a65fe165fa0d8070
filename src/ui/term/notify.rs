use super::probe::Surroundings;

/// Bytes that call for the person: a bell, and words where the terminal shows them.
///
/// The text may hold folder, session or tool names, so it is sanitised here once more: nothing of it
/// can end the sequence or begin another.
pub fn call(text: &str, around: Surroundings) -> Vec<u8> {
    let text = plain(text);
    let mut bytes = Vec::new();
    if around.osc9 {
        bytes.extend(passed(&format!("\x1b]9;{text}\x07"), around).into_bytes());
    }
    // Inside tmux the bell is what marks the window.
    bytes.push(0x07);
    bytes
}

/// One short line without a single character that a terminal acts on.
fn plain(text: &str) -> String {
    let line = crate::text::sanitize_line(text);
    line.chars().filter(|letter| !letter.is_control()).take(120).collect()
}

/// Wrapped so that tmux hands it to the terminal around it.
pub(super) fn passed(sequence: &str, around: Surroundings) -> String {
    if around.tmux { format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")) } else { sequence.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_speak_to_the_terminal() {
        let name = "a\x07\x1b]52;c;UA==\x07b\u{202e}\n\x1b\\";
        let around = Surroundings { osc9: true, ..Surroundings::default() };
        let bytes = String::from_utf8(call(name, around)).unwrap();
        assert!(bytes.starts_with("\x1b]9;"), "{bytes:?}");
        let inside = bytes.strip_prefix("\x1b]9;").unwrap().strip_suffix("\x07\x07").unwrap();
        assert!(!inside.chars().any(char::is_control) && !inside.contains("52;c"), "{inside:?}");
        assert_eq!(call(name, Surroundings { tmux: true, ..Surroundings::default() }), b"\x07", "a bell at least");
    }

    #[test]
    fn tmux_hands_sequences_on() {
        let around = Surroundings { tmux: true, ..Surroundings::default() };
        assert_eq!(passed("\x1b]52;c;eA==\x07", around), "\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\");
    }
}
