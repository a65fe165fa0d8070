use std::borrow::Cow;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::draft::graphemes;
use super::{Chip, Composer};

/// Columns a tab takes.
const TAB: usize = 4;

/// One row of the text area, in bytes of [`Composer::text`], without its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub start: usize,
    pub end: usize,
}

/// What a run of a row is, so that the view can style it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    Text,
    /// A folded paste's label.
    Chip,
    /// A control or invisible character, shown by a picture of it.
    Control,
}

/// Bytes of a draft that may be wrapped anew with every key.
const WRAPPED_PER_KEY: usize = 16 * 1024;

impl Composer {
    /// The rows at a width. The last column stays free, so that the caret is never outside.
    pub fn rows(&self, width: u16) -> Vec<Row> {
        let limit = usize::from(width).saturating_sub(1).max(1);
        let text = self.text();
        let mut rows = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            self.wrap(start..start + line.len(), limit, &mut rows);
            start += line.len() + 1;
        }
        rows
    }

    fn wrap(&self, line: Range<usize>, limit: usize, rows: &mut Vec<Row>) {
        let (mut start, mut at, mut used) = (line.start, line.start, 0);
        // Where the row may break after a space, and the columns up to there.
        let mut space: Option<(usize, usize)> = None;
        for grapheme in graphemes(&self.text()[line.clone()]) {
            let columns = self.columns(at, grapheme);
            while used + columns > limit && at > start {
                let (cut, taken) = space.take().unwrap_or((at, used));
                rows.push(Row { start, end: cut });
                start = cut;
                used -= taken;
            }
            at += grapheme.len();
            used += columns;
            if grapheme == " " {
                space = Some((at, used));
            }
        }
        rows.push(Row { start, end: line.end });
    }

    /// Row and column of the caret.
    pub fn caret_cell(&self, width: u16) -> (usize, usize) {
        self.cell_of(&self.rows(width), self.caret())
    }

    fn cell_of(&self, rows: &[Row], at: usize) -> (usize, usize) {
        // At a soft break the caret stands on the later row.
        let row = rows.iter().rposition(|row| row.start <= at).unwrap_or(0);
        let start = rows.get(row).map_or(0, |row| row.start);
        let mut column = 0;
        let mut offset = start;
        for grapheme in graphemes(&self.text()[start..at]) {
            column += self.columns(offset, grapheme);
            offset += grapheme.len();
        }
        (row, column)
    }

    /// The boundary nearest to a cell; the end of the text below the last row.
    pub(super) fn offset_at(&self, width: u16, row: usize, column: usize) -> usize {
        let rows = self.rows(width);
        let Some(found) = rows.get(row) else { return self.text().len() };
        let soft = rows.get(row + 1).is_some_and(|next| next.start == found.end);
        let (mut at, mut used) = (found.start, 0);
        for grapheme in graphemes(&self.text()[found.start..found.end]) {
            let columns = self.columns(at, grapheme);
            let last = soft && at + grapheme.len() == found.end;
            if used + columns.div_ceil(2) > column || last {
                break;
            }
            used += columns;
            at += grapheme.len();
        }
        at
    }

    /// Whether the caret is on the first and on the last row.
    ///
    /// It is asked with every key, so a huge draft is told by its lines, without wrapping it.
    pub fn at_edge(&self) -> (bool, bool) {
        if self.text().len() > WRAPPED_PER_KEY {
            let (before, after) = self.text().split_at(self.caret());
            return (!before.contains('\n'), !after.contains('\n'));
        }
        let rows = self.rows(self.width);
        let (row, _) = self.cell_of(&rows, self.caret());
        (row == 0, row + 1 == rows.len())
    }

    /// The columns of a row that show a part of this range; a line end that is part of it is one column.
    pub fn columns_of(&self, row: Row, range: &Range<usize>) -> Option<Range<usize>> {
        let (mut at, mut column) = (row.start, 0);
        let mut found: Option<Range<usize>> = None;
        let mut take = |from: usize, to: usize| {
            found = Some(found.take().map_or(from..to, |known| known.start..to));
        };
        for grapheme in graphemes(&self.text()[row.start..row.end]) {
            let columns = self.columns(at, grapheme);
            if range.contains(&at) {
                take(column, column + columns);
            }
            column += columns;
            at += grapheme.len();
        }
        let ends_line = self.text()[row.end..].starts_with('\n');
        if range.contains(&row.end) && ends_line || (row.start == row.end && range.start <= at && at <= range.end) {
            take(column, column + 1);
        }
        found
    }

    /// A row's runs as they are shown. What is shown never holds a control character.
    pub fn pieces(&self, row: Row) -> Vec<(Piece, Cow<'_, str>)> {
        let mut pieces: Vec<(Piece, Cow<'_, str>)> = Vec::new();
        let mut at = row.start;
        for grapheme in graphemes(&self.text()[row.start..row.end]) {
            let (kind, shown) = self.shown(at, grapheme);
            match pieces.last_mut() {
                Some((Piece::Text, run)) if kind == Piece::Text => run.to_mut().push_str(&shown),
                _ => pieces.push((kind, shown)),
            }
            at += grapheme.len();
        }
        pieces
    }

    fn columns(&self, at: usize, grapheme: &str) -> usize {
        match grapheme.as_bytes() {
            [b' '..=b'~'] => 1,
            _ => self.shown(at, grapheme).1.width(),
        }
    }

    fn shown<'a>(&'a self, at: usize, grapheme: &'a str) -> (Piece, Cow<'a, str>) {
        if grapheme.starts_with(Chip::MARK) {
            let label = self.draft.chips.get(self.draft.chip_index(at)).map_or("", |chip| &chip.label);
            return (Piece::Chip, Cow::Borrowed(label));
        }
        if grapheme == "\t" {
            return (Piece::Text, Cow::Owned(" ".repeat(TAB)));
        }
        if grapheme.chars().any(hidden) {
            return (Piece::Control, Cow::Owned(grapheme.chars().map(picture).collect()));
        }
        if grapheme.width() == 0 {
            return (Piece::Control, Cow::Borrowed("\u{fffd}"));
        }
        (Piece::Text, Cow::Borrowed(grapheme))
    }
}

/// Characters a terminal would act on, or that turn the order of what follows.
fn hidden(letter: char) -> bool {
    letter.is_control() || crate::text::is_hidden(letter) || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// A picture of a hidden character; others as they are.
fn picture(letter: char) -> char {
    match letter {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + letter as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        _ if hidden(letter) => '\u{2426}',
        _ => letter,
    }
}
