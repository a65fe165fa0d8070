//! The last change, and doing it again.

use super::{Extent, Mode, Vi};
use crate::ui::composer::draft::graphemes;
use crate::ui::composer::edit::Edit;
use crate::ui::composer::{Composer, Draft};

/// Bytes that a repeated insertion adds at most.
const MOST: usize = 1 << 20;

/// One part of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// So much was marked, from the caret on.
    Marked(Extent, usize),
    Command(Vi, Option<usize>),
    Letter(char),
    /// What was typed in insert mode, and how many characters before the caret went.
    Typed {
        gone: usize,
        text: Draft,
    },
}

/// What was done since the last change was complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    steps: Vec<Step>,
    last: Vec<Step>,
    /// Edits and steps of undo that there had been before.
    begun: (u64, u64),
    /// The draft as insert mode found it.
    typing: Option<Draft>,
    /// Undo was used meanwhile, or what there was is gone.
    broken: bool,
    replaying: bool,
}

impl Composer {
    /// A command is about to be carried out.
    pub(super) fn note_command(&mut self, command: Vi, count: Option<usize>) {
        let complete = !self.modal.operating() && !self.modal.awaits();
        let marked = self.marked_text().map(|taken| {
            let text = &self.draft.text[taken.range.clone()];
            match taken.lines {
                true => Step::Marked(Extent::Lines, text.matches('\n').count()),
                false => Step::Marked(Extent::Letters, graphemes(text).count().saturating_sub(1)),
            }
        });
        let begun = (self.edits, self.pushes);
        let record = &mut self.modal.record;
        if record.replaying {
            return;
        }
        if complete {
            record.steps.clear();
            record.steps.extend(marked);
            record.begun = begun;
            record.broken = false;
        }
        record.steps.push(Step::Command(command, count));
    }

    pub(super) fn note_letter(&mut self, letter: char) {
        if !self.modal.record.replaying {
            self.modal.record.steps.push(Step::Letter(letter));
        }
    }

    /// A command was carried out: it is a change when the text is another one and nothing more is waited for.
    pub(super) fn noted(&mut self) {
        if self.modal.record.replaying || self.modal.operating() || self.modal.awaits() {
            return;
        }
        if self.modal.mode == Mode::Insert {
            self.modal.record.typing = Some(self.draft.clone());
        } else if self.edits != self.modal.record.begun.0 {
            self.modal.record.last = std::mem::take(&mut self.modal.record.steps);
        }
    }

    /// Insert mode was entered otherwise, or undo went over what is being recorded.
    pub(in crate::ui::composer) fn forget_record(&mut self) {
        self.modal.record.broken = true;
    }

    pub(super) fn abandon_record(&mut self) {
        self.modal.record.typing = None;
        self.modal.record.steps.clear();
    }

    /// Insert mode ends: what was typed belongs to the command that began it, and all of it is one step of
    /// undo.
    pub(super) fn typed_out(&mut self) {
        let Some(before) = self.modal.record.typing.take().filter(|_| !self.modal.record.replaying) else { return };
        let (gone, text) = self.typed_since(&before);
        let times = insertions(self.modal.record.steps.last());
        self.insert_again(&text, times.saturating_sub(1));
        self.modal.record.steps.push(Step::Typed { gone, text });
        let begun = self.modal.record.begun;
        if self.edits != begun.0 {
            self.modal.record.last = std::mem::take(&mut self.modal.record.steps);
        }
        if !self.modal.record.broken {
            self.join_undo(begun.1);
        }
    }

    fn insert_again(&mut self, text: &Draft, times: usize) {
        let times = times.min(MOST / text.text.len().max(1));
        if times > 0 && !text.is_empty() {
            self.remember(Edit::Other, false);
            (0..times).for_each(|_| self.draft.insert(text));
            self.edited();
        }
    }

    /// What the draft has that it had not, in one piece; and how much of what stood right before it is gone.
    fn typed_since(&self, before: &Draft) -> (usize, Draft) {
        let (was, now) = (before.text.as_str(), self.draft.text.as_str());
        let same = was.bytes().zip(now.bytes()).take_while(|(a, b)| a == b).count();
        let boundary = |at: usize| was.is_char_boundary(at) && now.is_char_boundary(at);
        let head = (0..=same.min(before.caret)).rev().find(|at| boundary(*at)).unwrap_or(0);
        let most = was.len().min(now.len()) - head;
        let tail = was.bytes().rev().zip(now.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
        let whole = |tail: usize| was.is_char_boundary(was.len() - tail) && now.is_char_boundary(now.len() - tail);
        let tail = (0..=tail).rev().find(|tail| whole(*tail)).unwrap_or(0);
        let text = self.draft.clone().cut(head..now.len() - tail);
        let lost = head..was.len() - tail;
        let gone = if lost.end == before.caret { graphemes(&was[lost]).count() } else { 0 };
        (gone, text)
    }

    /// Steps of undo since then are one.
    fn join_undo(&mut self, since: u64) {
        let steps = usize::try_from(self.pushes.saturating_sub(since)).unwrap_or(0);
        let keep = self.undo.len().saturating_sub(steps.saturating_sub(1));
        self.undo.truncate(keep.max(1));
    }

    /// Does the last change again, where the caret is now.
    pub(super) fn repeat(&mut self, count: Option<usize>) {
        self.modal.cancel();
        let mut steps = self.modal.record.last.clone();
        if let Some(count) = count {
            let mut first = Some(count);
            for step in &mut steps {
                if let Step::Command(_, times) = step {
                    *times = first.take();
                }
            }
            self.modal.record.last.clone_from(&steps);
        }
        let begun = self.pushes;
        self.modal.record.replaying = true;
        let mut before = None;
        for step in steps {
            match step.clone() {
                Step::Marked(extent, much) => self.mark_from_here(extent, much),
                Step::Command(command, count) => self.vi(command, count),
                Step::Letter(letter) => self.vi_character(letter),
                Step::Typed { gone, text } => {
                    self.retype(gone, &text, insertions(before.as_ref()));
                }
            }
            before = Some(step);
        }
        self.modal.record.replaying = false;
        if self.pushes > begun {
            self.join_undo(begun);
        }
    }

    fn retype(&mut self, gone: usize, text: &Draft, times: usize) {
        let caret = self.draft.caret;
        let start = (0..gone).fold(caret, |at, _| self.draft.before(at));
        if start < caret {
            self.remember(Edit::Other, false);
            let _ = self.draft.cut(start..caret);
            self.edited();
        }
        self.insert_again(text, times);
        self.enter_normal();
    }

    fn mark_from_here(&mut self, extent: Extent, much: usize) {
        self.modal.anchor = self.draft.caret;
        self.modal.mode = Mode::Visual(extent);
        let caret = self.draft.caret;
        self.draft.caret = match extent {
            Extent::Letters => (0..much).fold(caret, |at, _| self.draft.after(at)),
            Extent::Lines => (0..much).fold(caret, |at, _| (self.draft.line(at).end + 1).min(self.draft.text.len())),
        };
    }
}

/// How often a command that inserts does so.
fn insertions(step: Option<&Step>) -> usize {
    match step {
        Some(Step::Command(Vi::Insert | Vi::Append | Vi::InsertLineStart | Vi::AppendLineEnd, count)) => {
            count.unwrap_or(1)
        }
        _ => 1,
    }
}
