use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::Chip;

/// Text with folded pastes and a caret: what undo keeps, what a kill holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    pub(super) text: String,
    /// In the order of their marks in the text.
    pub(super) chips: Vec<Chip>,
    pub(super) caret: usize,
}

impl Draft {
    /// Plain text with the caret at its end.
    pub fn plain(text: &str) -> Self {
        let text = Chip::escape(text);
        Self { caret: text.len(), text, chips: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The same text and pastes, wherever the caret is.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.text == other.text && self.chips == other.chips
    }

    pub(super) fn expanded(&self) -> String {
        let mut out =
            String::with_capacity(self.text.len() + self.chips.iter().map(|chip| chip.text.len()).sum::<usize>());
        let mut chips = self.chips.iter();
        for part in self.text.split_inclusive(Chip::MARK) {
            match part.strip_suffix(Chip::MARK) {
                Some(before) => {
                    out.push_str(before);
                    out.push_str(chips.next().map_or("", |chip| &chip.text));
                }
                None => out.push_str(part),
            }
        }
        out
    }

    /// Index of the chip whose mark stands at or after this byte.
    pub(super) fn chip_index(&self, at: usize) -> usize {
        self.text[..at].matches(Chip::MARK).count()
    }

    /// Puts text and chips in at the caret, which moves behind them.
    pub(super) fn insert(&mut self, piece: &Self) {
        let index = self.chip_index(self.caret);
        self.chips.splice(index..index, piece.chips.iter().cloned());
        self.text.insert_str(self.caret, &piece.text);
        self.caret += piece.text.len();
        self.settle();
    }

    /// Takes a range out; the caret goes to where it was.
    pub(super) fn cut(&mut self, range: Range<usize>) -> Self {
        let chips = self.chip_index(range.start)..self.chip_index(range.end);
        let chips = self.chips.drain(chips).collect();
        let text: String = self.text.drain(range.clone()).collect();
        self.caret = range.start;
        self.settle();
        Self { caret: text.len(), text, chips }
    }

    /// An edit may join what stands around it into one grapheme; the caret goes behind that.
    fn settle(&mut self) {
        let start = self.line(self.caret).start;
        let line = &self.text[start..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let mut at = start;
        for grapheme in graphemes(line) {
            if at >= self.caret {
                break;
            }
            at += grapheme.len();
        }
        self.caret = at.max(self.caret);
    }

    /// The line around a byte, without its newline.
    pub(super) fn line(&self, at: usize) -> Range<usize> {
        let start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        start..end
    }

    /// The boundary before this one. A newline is one step.
    pub(super) fn before(&self, at: usize) -> usize {
        let start = self.line(at).start;
        if at == start {
            return at.saturating_sub(1);
        }
        graphemes(&self.text[start..at]).last().map_or(start, |last| at - last.len())
    }

    /// The boundary after this one.
    pub(super) fn after(&self, at: usize) -> usize {
        let end = self.line(at).end;
        if at == end {
            return (at + 1).min(self.text.len());
        }
        graphemes(&self.text[at..end]).next().map_or(end, |first| at + first.len())
    }

    /// Start of the word before: spaces are skipped, then letters or signs of one kind.
    pub(super) fn word_before(&self, at: usize) -> usize {
        let mut at = at;
        while at > 0 && self.kind(self.before(at)) == Kind::Space {
            at = self.before(at);
        }
        let kind = if at > 0 { self.kind(self.before(at)) } else { Kind::Space };
        while at > 0 && kind != Kind::Space && self.kind(self.before(at)) == kind {
            at = self.before(at);
            if kind == Kind::Chip {
                break;
            }
        }
        at
    }

    /// End of the word after.
    pub(super) fn word_after(&self, at: usize) -> usize {
        let mut at = at;
        while at < self.text.len() && self.kind(at) == Kind::Space {
            at = self.after(at);
        }
        let kind = if at < self.text.len() { self.kind(at) } else { Kind::Space };
        while at < self.text.len() && kind != Kind::Space && self.kind(at) == kind {
            at = self.after(at);
            if kind == Kind::Chip {
                break;
            }
        }
        at
    }

    pub(super) fn kind(&self, at: usize) -> Kind {
        match self.text[at..].chars().next() {
            Some(Chip::MARK) => Kind::Chip,
            Some(letter) if letter.is_alphanumeric() || letter == '_' => Kind::Word,
            Some(letter) if !letter.is_whitespace() => Kind::Sign,
            _ => Kind::Space,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Space,
    Word,
    Sign,
    Chip,
}

/// Grapheme clusters, except that a chip's mark is always one of its own.
pub(super) fn graphemes(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.graphemes(true).flat_map(|grapheme| {
        let cut = if grapheme.starts_with(Chip::MARK) { Chip::MARK.len_utf8() } else { grapheme.len() };
        let (first, rest) = grapheme.split_at(cut);
        [first, rest].into_iter().filter(|part| !part.is_empty())
    })
}
