use std::sync::Arc;

/// A paste with at least so many lines is folded.
pub const FOLD_LINES: usize = 8;

/// A paste with at least so many bytes is folded.
pub const FOLD_BYTES: usize = 2_000;

/// A folded paste: one unit for the caret, sent in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    pub text: Arc<str>,
    pub label: String,
}

impl Chip {
    /// Stands for one chip in the text. Never part of what is typed: see [`Chip::escape`].
    pub const MARK: char = '\u{fffc}';

    pub fn folds(text: &str) -> bool {
        text.len() >= FOLD_BYTES || text.bytes().filter(|byte| *byte == b'\n').count() + 1 >= FOLD_LINES
    }

    pub fn new(text: &str) -> Self {
        let lines = text.lines().count();
        let label = match lines {
            0 | 1 => format!("[pasted {} characters]", text.chars().count()),
            lines => format!("[pasted {lines} lines]"),
        };
        Self { text: text.into(), label }
    }

    /// Text without the mark, which would be taken for a chip.
    pub fn escape(text: &str) -> String {
        text.replace(Self::MARK, "\u{fffd}")
    }
}
