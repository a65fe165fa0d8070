//! A text file in memory: lines with their own endings, so that what is not edited stays as it was.

use super::ids::{self, Mark};

const BOM: &str = "\u{feff}";

/// How a line ends. Only a last line may have no ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Lf,
    CrLf,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub ending: Ending,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    pub bom: bool,
    pub lines: Vec<Line>,
}

/// Why bytes are not a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotText {
    /// Has NUL bytes.
    Binary,
    Utf16,
    /// The first byte that is not UTF-8.
    Encoding {
        line: usize,
        byte: u8,
    },
}

/// Bytes looked at for a NUL.
const BINARY_PROBE: usize = 8 * 1024;

impl Document {
    pub fn parse(bytes: &[u8]) -> Result<Self, NotText> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(NotText::Utf16);
        }
        if bytes.iter().take(BINARY_PROBE).any(|byte| *byte == 0) {
            return Err(NotText::Binary);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::from_text(text)),
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
                Err(NotText::Encoding { line, byte: bytes.get(error.valid_up_to()).copied().unwrap_or_default() })
            }
        }
    }

    pub fn from_text(text: &str) -> Self {
        let (bom, text) = match text.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let lines = text
            .split_inclusive('\n')
            .map(|line| match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
                (Some(text), _) => Line { text: text.into(), ending: Ending::CrLf },
                (None, Some(text)) => Line { text: text.into(), ending: Ending::Lf },
                (None, None) => Line { text: line.into(), ending: Ending::None },
            })
            .collect();
        Self { bom, lines }
    }

    /// The file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = String::new();
        if self.bom {
            out.push_str(BOM);
        }
        for line in &self.lines {
            out.push_str(&line.text);
            out.push_str(match line.ending {
                Ending::Lf => "\n",
                Ending::CrLf => "\r\n",
                Ending::None => "",
            });
        }
        out.into_bytes()
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    pub fn marks(&self) -> Vec<Mark> {
        ids::marks(self.texts())
    }

    /// What most lines end with; a file without line ends gets LF.
    pub fn usual_ending(&self) -> Ending {
        let crlf = self.lines.iter().filter(|line| line.ending == Ending::CrLf).count();
        let lf = self.lines.iter().filter(|line| line.ending == Ending::Lf).count();
        if crlf > lf { Ending::CrLf } else { Ending::Lf }
    }

    /// All lines joined by LF, with one at the end when the last line has an ending.
    pub fn joined(&self) -> String {
        let mut out = String::new();
        for line in &self.lines {
            out.push_str(&line.text);
            if line.ending != Ending::None {
                out.push('\n');
            }
        }
        out
    }
}
