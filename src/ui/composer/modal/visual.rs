//! Marking text in normal mode, and what commands do to what is marked.

use std::ops::Range;

use super::change::Taken;
use super::{Awaits, Extent, Mode, Operator, Vi};
use crate::ui::composer::Composer;

impl Composer {
    /// What is marked in visual mode.
    pub fn marked(&self) -> Option<Range<usize>> {
        self.marked_text().map(|taken| taken.range)
    }

    pub(super) fn marked_text(&self) -> Option<Taken> {
        let Mode::Visual(extent) = self.modal.mode else { return None };
        let (text, caret) = (&self.draft.text, self.draft.caret);
        let anchor = if text.is_char_boundary(self.modal.anchor) { self.modal.anchor } else { caret };
        let (from, to) = (caret.min(anchor), caret.max(anchor));
        Some(match extent {
            Extent::Letters => Taken { range: from..self.draft.after(to), lines: false },
            Extent::Lines => Taken { range: self.draft.line(from).start..self.draft.line(to).end, lines: true },
        })
    }

    /// Begins to mark at the caret, marks otherwise, or stops.
    pub(super) fn visual(&mut self, extent: Extent) {
        self.modal.operator = None;
        self.modal.mode = match self.modal.mode {
            Mode::Visual(now) if now == extent => Mode::Normal,
            Mode::Visual(_) => Mode::Visual(extent),
            Mode::Insert | Mode::Normal => {
                self.modal.anchor = self.draft.caret;
                Mode::Visual(extent)
            }
        };
    }

    /// Nothing is marked any more.
    pub(in crate::ui::composer) fn leave_visual(&mut self) {
        if self.modal.is_visual() {
            self.modal.mode = Mode::Normal;
        }
    }

    /// Carries out what means something else to what is marked. False when it means what it always does.
    pub(super) fn visual_command(&mut self, command: Vi, count: usize) -> bool {
        let Some(taken) = self.marked_text() else { return false };
        let lines = || Taken {
            range: self.draft.line(taken.range.start).start..self.draft.line(self.last_of(&taken)).end,
            lines: true,
        };
        let (operator, taken) = match command {
            Vi::Insert | Vi::Append => {
                self.modal.awaits = Some((Awaits::Object { around: command == Vi::Append }, count));
                return true;
            }
            Vi::ReplaceChar => {
                self.modal.awaits = Some((Awaits::Replace, count));
                return true;
            }
            Vi::VisualEnd => {
                self.leave_visual();
                return true;
            }
            Vi::OpenBelow | Vi::OpenAbove => {
                let caret = std::mem::replace(&mut self.draft.caret, self.modal.anchor);
                self.modal.anchor = caret;
                return true;
            }
            Vi::InsertLineStart | Vi::AppendLineEnd => {
                self.leave_visual();
                let at = if command == Vi::InsertLineStart { taken.range.start } else { taken.range.end };
                self.move_to(at);
                self.begin_insert();
                return true;
            }
            Vi::PutAfter | Vi::PutBefore => {
                self.put_over(&taken, count);
                return true;
            }
            Vi::Join => {
                let rows = self.draft.text[taken.range.clone()].matches('\n').count() + 1;
                self.leave_visual();
                self.move_to(taken.range.start);
                self.edit_command(Vi::Join, rows);
                return true;
            }
            Vi::Delete | Vi::DeleteChar => (Operator::Delete, taken),
            Vi::DeleteCharBack | Vi::DeleteRest => (Operator::Delete, lines()),
            Vi::Change | Vi::ChangeChar => (Operator::Change, taken),
            Vi::ChangeRest | Vi::ChangeLine => (Operator::Change, lines()),
            Vi::Yank => (Operator::Yank, taken),
            Vi::YankLine => (Operator::Yank, lines()),
            Vi::Indent => (Operator::Indent(count), taken),
            Vi::Outdent => (Operator::Outdent(count), taken),
            Vi::LowerCase => (Operator::Lower, taken),
            Vi::UpperCase => (Operator::Upper, taken),
            Vi::ToggleCase | Vi::SwitchCase => (Operator::Toggle, taken),
            _ => return false,
        };
        self.leave_visual();
        self.operate(operator, taken);
        true
    }

    /// The last place that is marked.
    pub(super) fn last_of(&self, taken: &Taken) -> usize {
        match taken.range.is_empty() || taken.lines {
            true => taken.range.end,
            false => self.draft.before(taken.range.end).max(taken.range.start),
        }
    }

    /// What is marked gives way to what was kept, which stays what is kept.
    fn put_over(&mut self, taken: &Taken, count: usize) {
        let (killed, lines) = (self.killed.clone(), self.modal.lines.clone());
        if killed.text.is_empty() {
            return;
        }
        let at_end = taken.lines && taken.range.end >= self.draft.text.len();
        let behind = !taken.lines && self.draft.text[taken.range.end..].chars().next().is_none_or(|next| next == '\n');
        let taken = Taken { range: taken.range.clone(), lines: taken.lines };
        self.leave_visual();
        self.operate(Operator::Delete, taken);
        (self.killed, self.modal.lines) = (killed, lines);
        let command = if at_end || behind { Vi::PutAfter } else { Vi::PutBefore };
        self.edit_command(command, count);
    }

    /// Every character that is marked becomes this one.
    pub(super) fn replace_marked(&mut self, letter: char) {
        let Some(taken) = self.marked_text() else { return };
        self.leave_visual();
        let text = &self.draft.text[taken.range.clone()];
        if text.contains(crate::ui::composer::Chip::MARK) {
            return;
        }
        let graphemes = crate::ui::composer::draft::graphemes(text);
        let text: String = graphemes.map(|one| if one == "\n" { '\n' } else { letter }).collect();
        self.replace(taken.range.clone(), &text);
        self.move_to(taken.range.start);
    }
}
