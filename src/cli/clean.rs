//! Standard output of all commands: colours of our own and text, nothing else that a terminal acts on.

use std::io::{self, Write};

use crate::text::sanitize;

/// Passes whole lines on, without what would steer a terminal or hide from a reader. Every command
/// cleans what is foreign where it writes it; this is for what one forgets.
#[derive(Debug)]
pub struct Clean<Inner: Write> {
    inner: Inner,
    line: Vec<u8>,
}

impl<Inner: Write> Clean<Inner> {
    pub fn new(inner: Inner) -> Self {
        Self { inner, line: Vec::new() }
    }

    fn pass(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.inner.write_all(clean(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<Inner: Write> Write for Clean<Inner> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.pass()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass()?;
        self.inner.flush()
    }
}

impl<Inner: Write> Drop for Clean<Inner> {
    fn drop(&mut self) {
        // Whoever wants to know whether the last line was written flushes.
        let _ = self.flush();
    }
}

/// The text, its colours kept.
fn clean(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((at, end)) = colour(rest) {
        out.push_str(&sanitize(&rest[..at]));
        out.push_str(&rest[at..end]);
        rest = &rest[end..];
    }
    out.push_str(&sanitize(rest));
    out
}

/// Where the first `ESC [ … m` begins and ends.
fn colour(text: &str) -> Option<(usize, usize)> {
    text.match_indices("\u{1b}[").find_map(|(at, start)| {
        let inner = &text[at + start.len()..];
        let length = inner.find(|letter: char| !matches!(letter, '0'..='9' | ';'))?;
        inner[length..].starts_with('m').then_some((at, at + start.len() + length + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_nothing_else_does() {
        for (written, shown) in [
            ("plain\n", "plain\n"),
            ("\u{1b}[1;32mgood\u{1b}[0m é\n", "\u{1b}[1;32mgood\u{1b}[0m é\n"),
            ("a\u{1b}]0;t\u{7}b\u{1b}[2Jc\u{9b}31md\u{202e}e\u{200b}\u{e0041}f\n", "abcdef\n"),
            ("\u{1b}[31", ""),
            ("\u{1b}[1;\u{1b}[31mx\n", "\u{1b}[31mx\n"),
            ("no end", "no end"),
        ] {
            let mut out = Vec::new();
            let mut clean = Clean::new(&mut out);
            // However it comes.
            for byte in written.as_bytes() {
                clean.write_all(&[*byte]).unwrap();
            }
            drop(clean);
            assert_eq!(String::from_utf8(out).unwrap(), shown, "{written:?}");
        }
    }
}
