/// Bytes at the end of a text that are looked at.
const WINDOW: usize = 4096;

/// New bytes between two looks.
const STRIDE: usize = 512;

/// How often the unit must stand in the window.
const TIMES: usize = 8;

/// Letters a unit must have, each different: rulers, blank lines and number tables repeat too.
const LETTERS: usize = 4;

/// Watches a streaming text for a sentence said over and over.
#[derive(Debug, Default)]
pub struct Repetition {
    looked_at: usize,
}

impl Repetition {
    /// The length to keep, once with the repeated unit, when the text has fallen into a loop.
    pub fn check(&mut self, text: &str) -> Option<usize> {
        if text.len() < WINDOW || text.len() - self.looked_at < STRIDE {
            return None;
        }
        self.looked_at = text.len();
        let bytes = text.as_bytes();
        let window = &bytes[bytes.len() - WINDOW..];
        let period = period(window);
        if period * TIMES > WINDOW || !telling(&window[..period]) {
            return None;
        }
        let before = bytes.len() - WINDOW;
        let equal = (0..before).rev().take_while(|at| bytes[*at] == bytes[at + period]).count();
        Some(text.ceil_char_boundary(before - equal + period))
    }
}

/// The smallest p such that every byte equals the one p later (by the prefix function).
fn period(bytes: &[u8]) -> usize {
    let mut border = vec![0usize; bytes.len()];
    for at in 1..bytes.len() {
        let mut len = border[at - 1];
        while len > 0 && bytes[at] != bytes[len] {
            len = border[len - 1];
        }
        border[at] = len + usize::from(bytes[at] == bytes[len]);
    }
    bytes.len() - border.last().copied().unwrap_or(0)
}

/// Bytes above ASCII are parts of letters.
fn telling(unit: &[u8]) -> bool {
    let mut seen: Vec<u8> = unit.iter().copied().filter(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len() >= LETTERS
}
