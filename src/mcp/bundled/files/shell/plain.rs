//! Text without terminal control. Colours and cursor moves say nothing to a model; tabs do, so they
//! stay, unlike on a screen.

/// The text that was printed, decoded, without escape sequences and control characters.
pub fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\x1b' => skip_sequence(&mut chars),
            '\n' | '\t' => out.push(char),
            char if char.is_control() => {}
            char => out.push(char),
        }
    }
    out
}

/// Skips what follows an ESC: a CSI sequence, a string such as a title, or one character.
fn skip_sequence(chars: &mut std::str::Chars<'_>) {
    let mut ahead = chars.clone();
    match ahead.next() {
        Some('[') => while ahead.next().is_some_and(|char| matches!(char, ' '..='?')) {},
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(char) = ahead.next() {
                match char {
                    '\x07' => break,
                    // An unfinished string must not swallow the rest of the output.
                    '\n' => return,
                    '\x1b' => {
                        ahead.next();
                        break;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='/') => {
            ahead.next();
        }
        _ => {}
    }
    *chars = ahead;
}
