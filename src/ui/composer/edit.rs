use std::ops::Range;

use super::{Chip, Composer, Draft, Kills};

/// Kinds of edits: neighbours of one typing kind are undone together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    Typing,
    Deleting,
    Killing,
    Other,
}

/// Steps that can be undone.
const MAX_UNDO: usize = 500;

/// Where the caret can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    Up,
    Down,
    WordLeft,
    WordRight,
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
}

impl Composer {
    /// Types a character.
    pub fn type_char(&mut self, letter: char) {
        let joins = self.last_edit == Edit::Typing && !letter.is_whitespace();
        self.remember(Edit::Typing, joins);
        let mut bytes = [0; 4];
        self.draft.insert(&Draft::plain(letter.encode_utf8(&mut bytes)));
        self.edited();
    }

    pub fn newline(&mut self) {
        self.insert("\n");
    }

    /// Turns a backslash before the caret at the end of the text into a newline: the one way to begin
    /// a line that every terminal can send.
    pub fn continue_line(&mut self) -> bool {
        let continues = self.draft.caret == self.draft.text.len() && self.draft.text.ends_with('\\');
        if continues {
            self.replace(self.draft.caret - 1..self.draft.caret, "\n");
        }
        continues
    }

    /// Puts text in as it is, as one step.
    pub fn insert(&mut self, text: &str) {
        self.remember(Edit::Other, false);
        self.draft.insert(&Draft::plain(text));
        self.edited();
    }

    /// Puts a paste in: folded to a chip when it is long. Newlines of any kind become `\n`; control
    /// characters stay what they are and are only shown, never acted on.
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if text.is_empty() {
            return;
        }
        self.remember(Edit::Other, false);
        let piece = if Chip::folds(&text) {
            let mark = Chip::MARK.to_string();
            Draft { caret: mark.len(), text: mark, chips: vec![Chip::new(&text)] }
        } else {
            Draft::plain(&text)
        };
        self.draft.insert(&piece);
        self.edited();
    }

    /// Replaces a range with text, as one step.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.remember(Edit::Other, false);
        let _ = self.draft.cut(range);
        self.draft.insert(&Draft::plain(text));
        self.edited();
    }

    /// The chip the caret touches, as an index.
    pub fn chip_at_caret(&self) -> Option<usize> {
        let caret = self.draft.caret;
        let text = &self.draft.text;
        if text[caret..].starts_with(Chip::MARK) {
            Some(self.draft.chip_index(caret))
        } else if text[..caret].ends_with(Chip::MARK) {
            self.draft.chip_index(caret).checked_sub(1)
        } else {
            None
        }
    }

    /// Puts the text of the chip at the caret in its place.
    pub fn expand_chip(&mut self) -> bool {
        let Some(index) = self.chip_at_caret() else { return false };
        let (Some(chip), Some((at, _))) =
            (self.draft.chips.get(index).cloned(), self.draft.text.match_indices(Chip::MARK).nth(index))
        else {
            return false;
        };
        self.replace(at..at + Chip::MARK.len_utf8(), &chip.text);
        self.opened.retain(|open| *open != chip.text);
        self.opened.push(chip.text);
        true
    }

    /// The opened paste around the caret, in bytes, as long as nobody changed it.
    pub fn opened_at_caret(&self) -> Option<Range<usize>> {
        let (text, caret) = (&self.draft.text, self.draft.caret);
        self.opened.iter().rev().find_map(|open| {
            let places = text.match_indices(&**open).map(|(at, _)| at..at + open.len());
            places.into_iter().find(|place| place.start <= caret && caret <= place.end)
        })
    }

    /// Folds an opened paste again.
    pub fn fold_again(&mut self) -> bool {
        let Some(place) = self.opened_at_caret() else { return false };
        self.remember(Edit::Other, false);
        let text = self.draft.text[place.clone()].to_owned();
        let _ = self.draft.cut(place);
        let mark = Chip::MARK.to_string();
        self.draft.insert(&Draft { caret: mark.len(), text: mark, chips: vec![Chip::new(&text)] });
        self.edited();
        true
    }

    pub fn go(&mut self, motion: Motion) {
        let caret = self.draft.caret;
        let to = match motion {
            Motion::Left => self.draft.before(caret),
            Motion::Right => self.draft.after(caret),
            Motion::Up => return self.vertical(-1),
            Motion::Down => return self.vertical(1),
            Motion::WordLeft => self.draft.word_before(caret),
            Motion::WordRight => self.draft.word_after(caret),
            Motion::LineStart => self.draft.line(caret).start,
            Motion::LineEnd => self.draft.line(caret).end,
            Motion::TextStart => 0,
            Motion::TextEnd => self.draft.text.len(),
        };
        self.goal = None;
        self.move_to(to);
    }

    fn vertical(&mut self, rows: isize) {
        let (row, column) = self.caret_cell(self.width);
        let goal = *self.goal.get_or_insert(column);
        let to = match row.checked_add_signed(rows) {
            Some(row) => self.offset_at(self.width, row, goal),
            None => 0,
        };
        self.move_to(to);
    }

    /// Puts the caret at a row and column of the text area.
    pub fn click(&mut self, row: usize, column: usize) {
        self.goal = None;
        self.move_to(self.offset_at(self.width, row, column));
    }

    pub(super) fn move_to(&mut self, at: usize) {
        self.draft.caret = at;
        self.last_edit = Edit::Other;
        self.refresh_completion();
    }

    /// Deletes from the caret to where the motion leads. Whole words and lines are kept for yank.
    pub fn delete(&mut self, motion: Motion) {
        let caret = self.draft.caret;
        let single = matches!(motion, Motion::Left | Motion::Right);
        let to = match motion {
            Motion::Left => self.draft.before(caret),
            Motion::Right => self.draft.after(caret),
            Motion::WordLeft => self.draft.word_before(caret),
            Motion::WordRight => self.draft.word_after(caret),
            // At the edge of a line its newline goes, so that repeating the key goes on.
            Motion::LineStart => match self.draft.line(caret).start {
                start if start == caret => self.draft.before(caret),
                start => start,
            },
            Motion::LineEnd => match self.draft.line(caret).end {
                end if end == caret => self.draft.after(caret),
                end => end,
            },
            Motion::TextStart => 0,
            Motion::TextEnd => self.draft.text.len(),
            Motion::Up | Motion::Down => return,
        };
        let range = caret.min(to)..caret.max(to);
        if range.is_empty() {
            return;
        }
        let edit = if single { Edit::Deleting } else { Edit::Killing };
        let joins = self.last_edit == edit;
        self.remember(edit, joins && single);
        let cut = self.draft.cut(range);
        if !single {
            self.keep_killed(cut, joins, to < caret);
        }
        self.edited();
    }

    /// Kills in a row gather into one.
    fn keep_killed(&mut self, cut: Draft, joins: bool, leftward: bool) {
        if !joins {
            self.begin_kill(cut);
        } else if leftward {
            let later = std::mem::replace(&mut self.killed, cut);
            self.killed.caret = self.killed.text.len();
            self.killed.insert(&later);
        } else {
            self.killed.caret = self.killed.text.len();
            self.killed.insert(&cut);
        }
    }

    pub fn yank(&mut self) {
        if self.killed.text.is_empty() {
            return;
        }
        self.remember(Edit::Other, false);
        let killed = self.killed.clone();
        self.insert_killed(&killed);
    }

    /// Empties the composer; undo brings the text back, yank puts it in.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.remember(Edit::Other, false);
            let draft = std::mem::take(&mut self.draft);
            self.begin_kill(draft);
        }
        self.editing = None;
        self.edited();
    }

    /// Replaces everything (history, the editor), as one step.
    pub fn set(&mut self, draft: Draft) {
        self.remember(Edit::Other, false);
        self.draft = draft;
        self.edited();
    }

    /// Puts text before what is typed, with a blank line between; the caret keeps its place in it.
    pub fn put_before(&mut self, text: &str) {
        self.remember(Edit::Other, false);
        let gap = if self.draft.text.is_empty() { "" } else { "\n\n" };
        let behind = self.draft.text.len() - self.draft.caret;
        self.draft.caret = 0;
        self.draft.insert(&Draft::plain(&format!("{text}{gap}")));
        self.draft.caret = self.draft.text.len() - behind;
        self.edited();
    }

    /// Takes the content out to be sent, and keeps it in the history.
    pub fn take(&mut self) -> String {
        let content = self.content();
        self.history.push(&content);
        self.draft = Draft::default();
        self.undo.clear();
        self.redo.clear();
        self.editing = None;
        self.held = None;
        self.opened.clear();
        self.edited();
        content
    }

    /// Empties the composer and keeps nothing of it; what was typed.
    pub fn discard(&mut self) -> String {
        let content = self.content();
        self.draft = Draft::default();
        self.undo.clear();
        self.redo.clear();
        self.killed = Draft::default();
        self.kills = Kills::default();
        self.opened.clear();
        self.held = None;
        self.edited();
        content
    }

    pub fn undo(&mut self) {
        if let Some(before) = self.undo.pop() {
            self.redo.push(std::mem::replace(&mut self.draft, before));
            self.after_travel();
        }
    }

    pub fn redo(&mut self) {
        if let Some(after) = self.redo.pop() {
            self.undo.push(std::mem::replace(&mut self.draft, after));
            self.after_travel();
        }
    }

    fn after_travel(&mut self) {
        self.goal = None;
        self.leave_visual();
        self.forget_record();
        self.last_edit = Edit::Other;
        self.refresh_completion();
    }

    pub(super) fn remember(&mut self, edit: Edit, joins: bool) {
        self.redo.clear();
        self.last_edit = edit;
        self.edits += 1;
        if joins && !self.undo.is_empty() {
            return;
        }
        self.pushes += 1;
        self.undo.push(self.draft.clone());
        let excess = self.undo.len().saturating_sub(MAX_UNDO);
        self.undo.drain(..excess);
    }

    pub(super) fn edited(&mut self) {
        self.goal = None;
        self.leave_visual();
        self.refresh_completion();
    }
}
