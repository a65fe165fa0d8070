//! Objects: a word, what stands in quotes or brackets, a paragraph.

use super::change::Taken;
use super::motion::Word;
use crate::ui::composer::Composer;

/// The brackets that can be asked for, by the letters that ask for them.
const BRACKETS: [(&str, char, char); 4] = [("()b", '(', ')'), ("[]", '[', ']'), ("{}B", '{', '}'), ("<>", '<', '>')];

impl Composer {
    /// The object that a letter names, around the caret; with what belongs to it when `around`.
    pub(super) fn object_of(&self, letter: char, around: bool) -> Option<Taken> {
        let letters = |range| Taken { range, lines: false };
        match letter {
            'w' => Some(letters(self.word_around(Word::Small, around))),
            'W' => Some(letters(self.word_around(Word::Big, around))),
            'p' => Some(self.paragraph_around(around)),
            '"' | '\'' | '`' => self.quoted(letter, around).map(letters),
            _ => {
                let (_, open, close) = BRACKETS.into_iter().find(|(names, ..)| names.contains(letter))?;
                let (from, to) = self.enclosed(open, close)?;
                let inner = from + open.len_utf8()..to;
                Some(letters(if around { from..to + close.len_utf8() } else { inner }))
            }
        }
    }

    /// In the caret's line: the quotes around it, else the next ones.
    fn quoted(&self, quote: char, around: bool) -> Option<std::ops::Range<usize>> {
        let line = self.draft.line(self.draft.caret);
        let mut places = Vec::new();
        let mut escaped = false;
        for (at, letter) in self.draft.text[line.clone()].char_indices() {
            if letter == quote && !escaped {
                places.push(line.start + at);
            }
            escaped = letter == '\\' && !escaped;
        }
        let pair = places.chunks_exact(2).find(|pair| pair[1] >= self.draft.caret)?;
        let (from, to) = (pair[0], pair[1]);
        if !around {
            return Some(from + 1..to);
        }
        let rest = &self.draft.text[to + 1..line.end];
        let space = rest.len() - rest.trim_start_matches(' ').len();
        Some(from..to + 1 + space)
    }

    /// The innermost brackets around the caret, over lines.
    fn enclosed(&self, open: char, close: char) -> Option<(usize, usize)> {
        let (text, caret) = (&self.draft.text, self.draft.caret);
        let from = match text[caret..].starts_with(open) {
            true => caret,
            false => {
                let mut depth = 0_usize;
                let opens = text[..caret].char_indices().rev().find(|(_, letter)| {
                    if *letter == close {
                        depth += 1;
                    } else if *letter == open {
                        match depth.checked_sub(1) {
                            Some(less) => depth = less,
                            None => return true,
                        }
                    }
                    false
                });
                opens?.0
            }
        };
        Some((from, self.closing(from, open, close)?))
    }

    /// Where the bracket that opens here is closed.
    fn closing(&self, from: usize, open: char, close: char) -> Option<usize> {
        let mut depth = 0_usize;
        let rest = self.draft.text[from..].char_indices();
        let found = rest.skip_while(|(at, _)| *at == 0 && open == close).find(|(_, letter)| {
            if *letter == open {
                depth += 1;
            } else if *letter == close {
                depth = depth.saturating_sub(1);
                return depth == 0;
            }
            false
        });
        found.map(|(at, _)| from + at)
    }

    /// Lines between blank ones; the blank ones behind them too when `around`.
    fn paragraph_around(&self, around: bool) -> Taken {
        let blank = |at: usize| self.draft.text[self.draft.line(at)].trim().is_empty();
        let kind = blank(self.draft.caret);
        let mut range = self.draft.line(self.draft.caret);
        while range.start > 0 && blank(range.start - 1) == kind {
            range.start = self.draft.line(range.start - 1).start;
        }
        let len = self.draft.text.len();
        let mut grow = |wanted: bool| {
            while range.end < len && blank(range.end + 1) == wanted {
                range.end = self.draft.line(range.end + 1).end;
            }
        };
        grow(kind);
        if around {
            grow(!kind);
        }
        Taken { range, lines: true }
    }

    /// The bracket that belongs to the first one of the line from the caret on.
    pub(super) fn matching_bracket(&self) -> Option<usize> {
        let (text, caret) = (&self.draft.text, self.draft.caret);
        let pairs = [('(', ')'), ('[', ']'), ('{', '}')];
        let line = self.draft.line(caret);
        let (at, letter) = text[caret..line.end]
            .char_indices()
            .find(|(_, letter)| pairs.iter().any(|(open, close)| letter == open || letter == close))?;
        let at = caret + at;
        let (open, close) = pairs.into_iter().find(|(open, close)| letter == *open || letter == *close)?;
        if letter == open {
            return self.closing(at, open, close);
        }
        let mut depth = 0_usize;
        let before = text[..at].char_indices().rev().find(|(_, letter)| {
            if *letter == close {
                depth += 1;
            } else if *letter == open {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return true,
                }
            }
            false
        });
        before.map(|(at, _)| at)
    }

    /// The blank line after the paragraph, or before it; the ends of the text.
    pub(super) fn paragraph_edge(&self, at: usize, forward: bool) -> usize {
        let len = self.draft.text.len();
        let blank = |at: usize| self.draft.text[self.draft.line(at)].trim().is_empty();
        let step = |at: usize| match forward {
            true => Some(self.draft.line(at).end + 1).filter(|next| *next <= len),
            false => self.draft.line(at).start.checked_sub(1).map(|before| self.draft.line(before).start),
        };
        let mut here = self.draft.line(at).start;
        let mut passed = !blank(here);
        while let Some(next) = step(here) {
            here = next;
            if blank(here) && passed {
                return here;
            }
            passed |= !blank(here);
        }
        if forward { len } else { 0 }
    }
}
