//! Lines of a text with their places.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Byte of the file where it starts.
    pub start: usize,
    /// Where the next one starts.
    pub next: usize,
    /// Without the line end.
    pub text: &'a str,
    /// Bytes of spaces and tabs at its start.
    pub indent: usize,
}

impl<'a> Line<'a> {
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Without indentation.
    pub fn content(&self) -> &'a str {
        &self.text[self.indent..]
    }

    pub fn is_comment(&self) -> bool {
        self.content().starts_with('#')
    }

    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// What is written on it.
    pub fn span(&self) -> Range<usize> {
        self.start + self.indent..self.start + self.text.trim_end().len().max(self.indent)
    }
}

/// The lines of a range, which starts and ends at line starts. Only LF ends a line.
pub fn lines(text: &str, range: Range<usize>) -> Vec<Line<'_>> {
    let mut start = range.start;
    let part = text.get(range).unwrap_or_default();
    let cut = |whole: &str| whole.len() - whole.trim_start_matches([' ', '\t']).len();
    part.split_inclusive('\n')
        .map(|whole| {
            let bare = whole.strip_suffix('\n').unwrap_or(whole);
            let bare = bare.strip_suffix('\r').unwrap_or(bare);
            let line = Line { start, next: start + whole.len(), text: bare, indent: cut(bare) };
            start = line.next;
            line
        })
        .collect()
}
