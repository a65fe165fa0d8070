//! What commands do to the text.

use std::ops::Range;

use super::motion::{Reach, Seek, Target};
use super::{Awaits, Operator, Vi};
use crate::ui::composer::edit::Edit;
use crate::ui::composer::{Chip, Composer, Draft, Motion};

/// Where what was kept is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// What an operator takes.
pub(super) struct Taken {
    pub range: Range<usize>,
    pub lines: bool,
}

/// Columns of a step to the right.
const INDENT: usize = 4;

impl Composer {
    pub(super) fn motion_command(&mut self, command: Vi, count: Option<usize>) {
        let Some((operator, before)) = self.modal.operator.take() else { return self.go_vi(command, count) };
        let both = match (before, count) {
            (1, None) => None,
            (before, count) => Some(before.saturating_mul(count.unwrap_or(1)).min(super::MAX_COUNT)),
        };
        let caret = self.draft.caret;
        // To change a word leaves the space behind it.
        let inside = caret < self.draft.text.len() && !self.draft.text[caret..].starts_with(char::is_whitespace);
        let command = match (operator, command) {
            (Operator::Change, Vi::WordNext) if inside => Vi::WordEnd,
            (Operator::Change, Vi::BigWordNext) if inside => Vi::BigWordEnd,
            (_, command) => command,
        };
        let target = match command {
            Vi::WordEnd | Vi::BigWordEnd if operator == Operator::Change && inside => self.end_of_word(command, both),
            _ => self.target(command, both),
        };
        let Some(target) = target else { return };
        let taken = self.taken(command, target);
        self.operate(operator, taken);
    }

    /// The end of the word under the caret, which may be one letter long.
    fn end_of_word(&mut self, command: Vi, count: Option<usize>) -> Option<Target> {
        let caret = self.draft.caret;
        if caret > 0 {
            self.draft.caret = self.draft.before(caret);
            let target = self.target(command, count);
            self.draft.caret = caret;
            return target.filter(|target| target.at >= caret);
        }
        let next = self.draft.after(caret);
        let alone = next >= self.draft.text.len() || self.draft.kind(next) != self.draft.kind(caret);
        match alone && count.is_none() {
            true => Some(Target { at: caret, reach: Reach::Inclusive }),
            false => self.target(command, count),
        }
    }

    fn go_vi(&mut self, command: Vi, count: Option<usize>) {
        let rows = count.unwrap_or(1);
        match command {
            Vi::Up => (0..rows.min(self.draft.text.len() + 1)).for_each(|_| self.go(Motion::Up)),
            Vi::Down => (0..rows.min(self.draft.text.len() + 1)).for_each(|_| self.go(Motion::Down)),
            _ => {
                if let Some(target) = self.target(command, count) {
                    self.goal = None;
                    self.move_to(target.at);
                }
            }
        }
    }

    fn taken(&self, command: Vi, target: Target) -> Taken {
        let caret = self.draft.caret;
        let (from, to) = (caret.min(target.at), caret.max(target.at));
        match target.reach {
            Reach::Lines => Taken { range: self.draft.line(from).start..self.draft.line(to).end, lines: true },
            Reach::Inclusive => Taken { range: from..self.draft.after(to), lines: false },
            Reach::Exclusive => {
                let mut to = to;
                // The last word of a line takes neither its newline nor the indent that follows.
                if matches!(command, Vi::WordNext | Vi::BigWordNext)
                    && let Some(newline) = self.draft.text[from..to].rfind('\n')
                    && newline > 0
                    && self.draft.text[from + newline..to].trim().is_empty()
                {
                    to = from + newline;
                }
                Taken { range: from..to, lines: false }
            }
        }
    }

    pub(super) fn operator_command(&mut self, operator: Operator, count: usize) {
        match self.modal.operator {
            Some((same, before)) if same.is(operator) => {
                self.modal.operator = None;
                let taken = self.lines_from_here(before.saturating_mul(count));
                self.operate(operator, taken);
            }
            Some(_) => self.modal.operator = None,
            None => self.modal.operator = Some((operator, count)),
        }
    }

    fn lines_from_here(&self, count: usize) -> Taken {
        let mut range = self.draft.line(self.draft.caret);
        for _ in 1..count {
            if range.end >= self.draft.text.len() {
                break;
            }
            range.end = self.draft.line(range.end + 1).end;
        }
        Taken { range, lines: true }
    }

    pub(super) fn seek(&mut self, seek: Seek, letter: char, count: usize) {
        let operator = self.modal.operator.take();
        let times = count.saturating_mul(operator.map_or(1, |(_, before)| before)).max(1);
        let Some(target) = self.sought(seek, letter, times) else { return };
        match operator {
            Some((operator, _)) => {
                let taken = self.taken(Vi::Find, target);
                self.operate(operator, taken);
            }
            None => {
                self.goal = None;
                self.move_to(target.at);
            }
        }
    }

    pub(super) fn object(&mut self, letter: char, around: bool) {
        let operator = self.modal.operator.take();
        let Some(taken) = self.object_of(letter, around) else { return };
        match operator {
            Some((operator, _)) => self.operate(operator, taken),
            // In visual mode it is what is marked then.
            None if self.modal.is_visual() => {
                self.modal.anchor = taken.range.start;
                self.move_to(self.last_of(&taken));
            }
            None => {}
        }
    }

    pub(super) fn operate(&mut self, operator: Operator, taken: Taken) {
        self.goal = None;
        if matches!(operator, Operator::Delete | Operator::Change | Operator::Yank) {
            self.keep_taken(&taken);
        }
        let Taken { range, lines } = taken;
        match operator {
            Operator::Indent(steps) => self.indent(range, |line| line.insert_str(0, &" ".repeat(INDENT * steps))),
            Operator::Outdent(steps) => self.indent(range, |line| {
                for _ in 0..steps {
                    let spaces = line.bytes().take_while(|byte| *byte == b' ').count().min(INDENT);
                    let gone = if line.starts_with('\t') { 1 } else { spaces };
                    line.drain(..gone);
                }
            }),
            Operator::Lower => self.recase(range, |letter| letter.to_lowercase().collect()),
            Operator::Upper => self.recase(range, |letter| letter.to_uppercase().collect()),
            Operator::Toggle => self.recase(range, turned),
            Operator::Yank => {
                if !lines || range.start < self.draft.line(self.draft.caret).start {
                    self.move_to(range.start);
                }
            }
            Operator::Delete if lines => {
                let len = self.draft.text.len();
                let whole = match range.end < len {
                    true => range.start..range.end + 1,
                    false => range.start.saturating_sub(1)..range.end,
                };
                self.cut_out(whole);
                self.move_to(self.first_letter(self.draft.caret));
            }
            Operator::Delete => self.cut_out(range),
            Operator::Change => {
                self.cut_out(range);
                self.begin_insert();
            }
        }
    }

    fn keep_taken(&mut self, taken: &Taken) {
        let mut kept = self.draft.clone().cut(taken.range.clone());
        if taken.lines {
            kept.text.push('\n');
            self.modal.lines = Some(kept.text.clone());
        } else {
            self.modal.lines = None;
        }
        if taken.lines || !taken.range.is_empty() {
            kept.caret = kept.text.len();
            self.begin_kill(kept);
        }
    }

    /// Changes the beginning of each line that the range touches; the caret goes to the first one.
    fn indent(&mut self, range: Range<usize>, change: impl Fn(&mut String)) {
        let last = if range.is_empty() { range.end } else { self.draft.before(range.end).max(range.start) };
        let first = self.draft.line(range.start).start;
        let mut starts = vec![first];
        while let Some(end) = starts.last().map(|start| self.draft.line(*start).end).filter(|end| *end < last) {
            starts.push(end + 1);
        }
        self.remember(Edit::Other, false);
        for start in starts.into_iter().rev() {
            let line = self.draft.line(start);
            // Blanks alone: no folded paste is among them.
            let blanks = self.draft.text[line.clone()].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let mut head = self.draft.text[start..start + blanks].to_owned();
            if blanks < line.len() {
                change(&mut head);
            }
            self.draft.text.replace_range(start..start + blanks, &head);
        }
        self.draft.caret = first;
        self.edited();
        self.move_to(self.first_letter(first));
    }

    /// Every letter of the range by itself; a folded paste stays as it is.
    fn recase(&mut self, range: Range<usize>, change: impl Fn(char) -> String) {
        let Some(text) = self.draft.text.get(range.clone()).filter(|text| !text.contains(Chip::MARK)) else { return };
        let text: String = text.chars().map(change).collect();
        if !text.is_empty() {
            self.replace(range.clone(), &text);
            self.move_to(range.start);
        }
    }

    fn cut_out(&mut self, range: Range<usize>) {
        if range.is_empty() {
            self.move_to(range.start);
            return;
        }
        self.remember(Edit::Other, false);
        let _ = self.draft.cut(range);
        self.edited();
    }

    pub(super) fn edit_command(&mut self, command: Vi, count: usize) {
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        let right = (0..count).fold(caret, |at, _| if at < line.end { self.draft.after(at) } else { at });
        let left = (0..count).fold(caret, |at, _| if at > line.start { self.draft.before(at) } else { at });
        let letters = |range: Range<usize>| Taken { range, lines: false };
        match command {
            Vi::DeleteChar => self.operate(Operator::Delete, letters(caret..right)),
            Vi::DeleteCharBack => self.operate(Operator::Delete, letters(left..caret)),
            Vi::ChangeChar => self.operate(Operator::Change, letters(caret..right)),
            Vi::DeleteRest => self.operate(Operator::Delete, letters(caret..line.end)),
            Vi::ChangeRest => self.operate(Operator::Change, letters(caret..line.end)),
            Vi::ChangeLine => self.operate(Operator::Change, self.lines_from_here(count)),
            Vi::YankLine => self.operate(Operator::Yank, self.lines_from_here(count)),
            Vi::PutAfter => self.put(count, Side::After),
            Vi::PutBefore => self.put(count, Side::Before),
            Vi::ReplaceChar => self.modal.awaits = Some((Awaits::Replace, count)),
            Vi::ToggleCase => self.toggle_case(caret..right),
            Vi::Join => self.join(count),
            _ => {}
        }
    }

    fn put(&mut self, count: usize, side: Side) {
        let killed = self.killed.clone();
        if killed.text.is_empty() {
            return;
        }
        // So that a huge text and a huge count do not fill the memory.
        let count = count.min((1 << 20) / killed.text.len() + 1);
        self.remember(Edit::Other, false);
        if self.modal.lines.as_ref() == Some(&killed.text) {
            self.put_lines(&killed, count, side);
        } else {
            if side == Side::After && self.draft.caret < self.draft.line(self.draft.caret).end {
                self.draft.caret = self.draft.after(self.draft.caret);
            }
            (0..count).for_each(|_| self.draft.insert(&killed));
            self.draft.caret = self.draft.before(self.draft.caret);
        }
        self.edited();
    }

    /// Whole lines go below the line, or above it.
    fn put_lines(&mut self, killed: &Draft, count: usize, side: Side) {
        let line = self.draft.line(self.draft.caret);
        let above = side == Side::Before;
        let mut piece = killed.clone();
        let start = if above { line.start } else { line.end + 1 };
        if above {
            self.draft.caret = line.start;
        } else {
            // The newline of the lines goes before them: the last line of the text has none.
            let _ = piece.text.pop();
            piece.text.insert(0, '\n');
            self.draft.caret = line.end;
        }
        piece.caret = piece.text.len();
        (0..count).for_each(|_| self.draft.insert(&piece));
        self.draft.caret = self.first_letter(start.min(self.draft.text.len()));
    }

    pub(super) fn replace_letters(&mut self, letter: char, count: usize) {
        let caret = self.draft.caret;
        let line = self.draft.line(caret);
        let mut end = caret;
        for _ in 0..count {
            // Fewer characters than the count: nothing is replaced.
            if end >= line.end {
                return;
            }
            end = self.draft.after(end);
        }
        self.replace(caret..end, &letter.to_string().repeat(count));
        self.move_to(self.draft.before(self.draft.caret));
    }

    fn toggle_case(&mut self, range: Range<usize>) {
        let Some(text) = self.draft.text.get(range.clone()).filter(|text| !text.contains(Chip::MARK)) else {
            return;
        };
        let text: String = text.chars().map(turned).collect();
        if !text.is_empty() {
            self.replace(range, &text);
        }
    }

    fn join(&mut self, count: usize) {
        for _ in 0..count.saturating_sub(1).max(1) {
            let end = self.draft.line(self.draft.caret).end;
            if end >= self.draft.text.len() {
                return;
            }
            let next = self.first_letter(end + 1);
            let space = if next >= self.draft.line(end + 1).end { "" } else { " " };
            self.replace(end..next, space);
            self.move_to(end);
        }
    }
}

/// A small letter for a capital, and the other way.
fn turned(letter: char) -> String {
    match letter.is_uppercase() {
        true => letter.to_lowercase().collect(),
        false => letter.to_uppercase().collect(),
    }
}
