//! The mark, and what was killed before: emacs' way to keep several texts at hand.

use std::ops::Range;

use super::edit::Edit;
use super::{Composer, Draft};

/// Kills kept beside the last one.
const MAX_KILLS: usize = 30;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Kills {
    /// The latest first, without the one that a yank takes.
    older: Vec<Draft>,
    /// Where the last yank went, and which of the older ones it is by now; `None` for the latest.
    yanked: Option<(Range<usize>, Option<usize>)>,
    mark: Option<Mark>,
}

/// A place in the text as it was; where that is now is told by what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    at: usize,
    text: String,
}

impl Mark {
    fn place_in(&self, now: &str) -> usize {
        let then = self.text.as_str();
        let same = then.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
        let most = then.len().min(now.len()) - same;
        let tail = then.bytes().rev().zip(now.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
        let mut at = match self.at {
            at if at <= same => at,
            at if at >= then.len() - tail => at + now.len() - then.len(),
            _ => same,
        };
        while !now.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

impl Composer {
    /// A new kill: the one before stays within reach.
    pub(super) fn begin_kill(&mut self, cut: Draft) {
        let before = std::mem::replace(&mut self.killed, cut);
        if !before.text.is_empty() && before.text != self.killed.text {
            self.kills.older.insert(0, before);
            self.kills.older.truncate(MAX_KILLS);
        }
        self.kills.yanked = None;
    }

    pub(super) fn insert_killed(&mut self, killed: &Draft) {
        let start = self.draft.caret;
        self.draft.insert(killed);
        self.edited();
        self.kills.yanked = Some((start..self.draft.caret, None));
    }

    /// Puts the kill before in the place of the one that was just put back, round and round.
    pub fn yank_pop(&mut self) -> bool {
        let Some((range, which)) = self.kills.yanked.take() else { return false };
        let of = |which: Option<usize>| match which {
            None => Some(&self.killed),
            Some(index) => self.kills.older.get(index),
        };
        let stands = of(which).is_some_and(|draft| {
            self.draft.caret == range.end && self.draft.text.get(range.clone()) == Some(draft.text.as_str())
        });
        let next = which.map_or(0, |index| index + 1);
        let next = (next < self.kills.older.len()).then_some(next);
        let Some(draft) = of(next).cloned().filter(|_| stands) else { return false };
        self.remember(Edit::Other, false);
        let _ = self.draft.cut(range.clone());
        self.insert_killed(&draft);
        self.kills.yanked = Some((range.start..self.draft.caret, next));
        true
    }

    /// Sets the mark at the caret.
    pub fn set_mark(&mut self) {
        self.kills.mark = Some(Mark { at: self.draft.caret, text: self.draft.text.clone() });
    }

    /// Between mark and caret; `None` without a mark.
    fn region(&self) -> Option<Range<usize>> {
        let (mark, caret) = (self.kills.mark.as_ref()?.place_in(&self.draft.text), self.draft.caret);
        Some(mark.min(caret)..mark.max(caret))
    }

    /// Deletes between mark and caret, for yank. False without a mark.
    pub fn kill_region(&mut self) -> bool {
        let Some(range) = self.region() else { return false };
        if !range.is_empty() {
            self.remember(Edit::Other, false);
            let cut = self.draft.cut(range);
            self.begin_kill(cut);
            self.edited();
        }
        true
    }

    /// Keeps what stands between mark and caret, for yank. False without a mark.
    pub fn copy_region(&mut self) -> bool {
        let Some(range) = self.region() else { return false };
        if !range.is_empty() {
            let kept = self.draft.clone().cut(range);
            self.begin_kill(kept);
        }
        true
    }

    /// Caret and mark change places. False without a mark.
    pub fn swap_mark(&mut self) -> bool {
        let Some(mark) = &self.kills.mark else { return false };
        let to = mark.place_in(&self.draft.text);
        self.set_mark();
        self.goal = None;
        self.move_to(to);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::ui::composer::{Composer, Motion};

    fn typed(text: &str) -> Composer {
        let mut composer = Composer::default();
        composer.insert(text);
        composer
    }

    #[test]
    fn yank_pop_goes_round_what_was_killed() {
        let mut composer = typed("one two three");
        for _ in 0..3 {
            composer.delete(Motion::WordLeft);
            // A move between them: three kills, not one.
            composer.go(Motion::TextEnd);
        }
        assert!(composer.is_empty());
        composer.yank();
        let mut seen = vec![composer.content()];
        for _ in 0..3 {
            assert!(composer.yank_pop());
            seen.push(composer.content());
        }
        assert_eq!(seen, ["one ", "two ", "three", "one "]);
        composer.type_char('!');
        assert!(!composer.yank_pop(), "only right after a yank");
        assert_eq!(composer.content(), "one !");
    }

    #[test]
    fn the_region_is_between_mark_and_caret_whatever_was_typed_meanwhile() {
        let mut composer = typed("keep cut");
        assert!(!composer.kill_region(), "no mark yet");
        composer.go(Motion::WordLeft);
        composer.set_mark();
        composer.go(Motion::TextStart);
        composer.insert("é ");
        composer.go(Motion::TextEnd);
        assert!(composer.copy_region());
        assert!(composer.kill_region());
        assert_eq!(composer.content(), "é keep ");
        composer.yank();
        assert_eq!(composer.content(), "é keep cut");
        assert!(composer.swap_mark());
        composer.type_char('>');
        assert_eq!(composer.content(), "é keep >cut");
    }
}
