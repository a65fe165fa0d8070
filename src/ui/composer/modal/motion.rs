//! Where motions lead. Positions are bytes of the text, on grapheme boundaries.

use super::Vi;
use crate::ui::composer::Composer;
use crate::ui::composer::draft::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ui::composer) enum Seek {
    Find,
    Till,
    FindBack,
    TillBack,
}

impl Seek {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Find => 'f',
            Self::Till => 't',
            Self::FindBack => 'F',
            Self::TillBack => 'T',
        }
    }

    fn reversed(self) -> Self {
        match self {
            Self::Find => Self::FindBack,
            Self::Till => Self::TillBack,
            Self::FindBack => Self::Find,
            Self::TillBack => Self::Till,
        }
    }
}

/// How much of the target a motion takes when an operator waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Exclusive,
    Inclusive,
    Lines,
}

/// Where a motion leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    pub at: usize,
    pub reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Letters, or signs.
    Small,
    /// Anything but space.
    Big,
}

impl Composer {
    /// Where the command leads from the caret; `None` when there is nothing.
    pub(super) fn target(&mut self, command: Vi, count: Option<usize>) -> Option<Target> {
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        let times = count.unwrap_or(1);
        let repeat = |step: &dyn Fn(usize) -> usize| (0..times).fold(caret, |at, _| step(at));
        let exclusive = |at| Target { at, reach: Reach::Exclusive };
        let inclusive = |at| Target { at, reach: Reach::Inclusive };
        let lines = |at| Target { at, reach: Reach::Lines };
        Some(match command {
            Vi::Left => exclusive(repeat(&|at| if at > line.start { self.draft.before(at) } else { at })),
            Vi::Right => exclusive(repeat(&|at| if at < line.end { self.draft.after(at) } else { at })),
            Vi::Up => lines(self.line_away(caret, -1, times)?),
            Vi::Down => lines(self.line_away(caret, 1, times)?),
            Vi::LineStart => exclusive(line.start),
            Vi::FirstLetter => exclusive(self.first_letter(caret)),
            Vi::LineEnd => exclusive(self.draft.line(self.line_away(caret, 1, times - 1).unwrap_or(caret)).end),
            Vi::TextStart => lines(self.first_letter(self.line_number(count.unwrap_or(1)))),
            Vi::TextEnd => lines(self.first_letter(self.line_number(count.unwrap_or(usize::MAX)))),
            Vi::WordNext => exclusive(repeat(&|at| self.next_word(at, Word::Small))),
            Vi::BigWordNext => exclusive(repeat(&|at| self.next_word(at, Word::Big))),
            Vi::WordBack => exclusive(repeat(&|at| self.word_back(at, Word::Small))),
            Vi::BigWordBack => exclusive(repeat(&|at| self.word_back(at, Word::Big))),
            Vi::WordEnd => inclusive(repeat(&|at| self.word_end(at, Word::Small))),
            Vi::BigWordEnd => inclusive(repeat(&|at| self.word_end(at, Word::Big))),
            Vi::WordEndBack => inclusive(repeat(&|at| self.word_end_back(at, Word::Small))),
            Vi::BigWordEndBack => inclusive(repeat(&|at| self.word_end_back(at, Word::Big))),
            Vi::ParagraphNext => exclusive(repeat(&|at| self.paragraph_edge(at, true))),
            Vi::ParagraphBack => exclusive(repeat(&|at| self.paragraph_edge(at, false))),
            Vi::MatchPair => inclusive(self.matching_bracket()?),
            Vi::SeekAgain => {
                let (seek, letter) = self.modal.sought?;
                self.sought(seek, letter, times)?
            }
            Vi::SeekReversed => {
                let (seek, letter) = self.modal.sought?;
                self.sought(seek.reversed(), letter, times)?
            }
            _ => return None,
        })
    }

    /// The character of this line that is sought, the `times`th one.
    pub(super) fn sought(&self, seek: Seek, letter: char, times: usize) -> Option<Target> {
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        let text = &self.draft.text;
        let (at, reach) = match seek {
            Seek::Find | Seek::Till => {
                let mut from = self.draft.after(caret).min(line.end);
                // Again up to the same character: the one that follows at once does not count.
                let next = text.get(from..line.end)?;
                if seek == Seek::Till
                    && times == 1
                    && self.modal.sought == Some((seek, letter))
                    && self.again(next, letter)
                {
                    from += letter.len_utf8();
                }
                let found = text.get(from..line.end)?.match_indices(letter).nth(times - 1)?.0 + from;
                let at = if seek == Seek::Till { self.draft.before(found) } else { found };
                (at, Reach::Inclusive)
            }
            Seek::FindBack | Seek::TillBack => {
                let found = text.get(line.start..caret)?.rmatch_indices(letter).nth(times - 1)?.0 + line.start;
                let at = if seek == Seek::TillBack { self.draft.after(found) } else { found };
                (at, Reach::Exclusive)
            }
        };
        Some(Target { at, reach })
    }

    fn again(&self, next: &str, letter: char) -> bool {
        !self.modal.operating() && next.starts_with(letter) && next[letter.len_utf8()..].contains(letter)
    }

    /// The start of a line so many away, in about the same column; `None` when there is no such line.
    fn line_away(&self, at: usize, way: isize, times: usize) -> Option<usize> {
        let text = &self.draft.text;
        let column = at - self.draft.line(at).start;
        let mut here = at;
        for _ in 0..times {
            let line = self.draft.line(here);
            here = match way {
                ..0 => line.start.checked_sub(1)?,
                _ if line.end < text.len() => line.end + 1,
                _ => return None,
            };
        }
        let line = self.draft.line(here);
        let mut target = (line.start + column).min(line.end);
        while !text.is_char_boundary(target) {
            target -= 1;
        }
        Some(target)
    }

    /// The start of a line by its number from 1; of the last one beyond them.
    fn line_number(&self, number: usize) -> usize {
        let starts = self.draft.text.match_indices('\n').map(|(at, _)| at + 1);
        std::iter::once(0).chain(starts).take(number.max(1)).last().unwrap_or(0)
    }

    pub(super) fn first_letter(&self, at: usize) -> usize {
        let line = self.draft.line(at);
        let text = &self.draft.text[line.clone()];
        line.start + text.find(|letter: char| !letter.is_whitespace()).unwrap_or(0)
    }

    fn class(&self, at: usize, word: Word) -> Kind {
        match (self.draft.kind(at), word) {
            (Kind::Space, _) => Kind::Space,
            (_, Word::Big) => Kind::Word,
            (kind, Word::Small) => kind,
        }
    }

    /// An empty line is a word of its own.
    fn on_empty_line(&self, at: usize) -> bool {
        let text = &self.draft.text;
        text[at..].starts_with('\n') && (at == 0 || text[..at].ends_with('\n'))
    }

    fn next_word(&self, from: usize, word: Word) -> usize {
        let len = self.draft.text.len();
        let mut at = from;
        let first = if at < len { self.class(at, word) } else { Kind::Space };
        while at < len && first != Kind::Space && self.class(at, word) == first {
            at = self.draft.after(at);
            if first == Kind::Chip {
                break;
            }
        }
        while at < len && self.class(at, word) == Kind::Space && !(at > from && self.on_empty_line(at)) {
            at = self.draft.after(at);
        }
        at
    }

    fn word_end(&self, from: usize, word: Word) -> usize {
        let len = self.draft.text.len();
        let last = self.draft.before(len);
        let mut at = self.draft.after(from);
        while at < len && self.class(at, word) == Kind::Space {
            at = self.draft.after(at);
        }
        if at >= len {
            return last.max(from.min(len));
        }
        let kind = self.class(at, word);
        loop {
            let next = self.draft.after(at);
            if next >= len || kind == Kind::Chip || self.class(next, word) != kind {
                return at;
            }
            at = next;
        }
    }

    fn word_back(&self, from: usize, word: Word) -> usize {
        let mut at = self.draft.before(from);
        while at > 0 && self.class(at, word) == Kind::Space && !self.on_empty_line(at) {
            at = self.draft.before(at);
        }
        if at >= self.draft.text.len() {
            return at;
        }
        let kind = self.class(at, word);
        while at > 0 && kind != Kind::Space && kind != Kind::Chip && self.class(self.draft.before(at), word) == kind {
            at = self.draft.before(at);
        }
        at
    }

    fn word_end_back(&self, from: usize, word: Word) -> usize {
        let kind = if from < self.draft.text.len() { self.class(from, word) } else { Kind::Space };
        let mut at = from;
        while at > 0 && kind != Kind::Space && self.class(self.draft.before(at), word) == kind {
            at = self.draft.before(at);
        }
        at = self.draft.before(at);
        while at > 0 && self.class(at, word) == Kind::Space && !self.on_empty_line(at) {
            at = self.draft.before(at);
        }
        at
    }

    /// The word around the caret, or the space between two; with the space behind it when `around`.
    pub(super) fn word_around(&self, word: Word, around: bool) -> std::ops::Range<usize> {
        let line = self.draft.line(self.draft.caret);
        let caret = self.draft.caret;
        if caret >= line.end {
            return caret..caret;
        }
        let kind = self.class(caret, word);
        let (mut start, mut end) = (caret, self.draft.after(caret));
        while start > line.start && kind != Kind::Chip && self.class(self.draft.before(start), word) == kind {
            start = self.draft.before(start);
        }
        while end < line.end && kind != Kind::Chip && self.class(end, word) == kind {
            end = self.draft.after(end);
        }
        while around && end < line.end && self.class(end, word) == Kind::Space {
            end = self.draft.after(end);
        }
        start..end
    }
}
