use crate::text;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Columns of the names.
const NAMES: usize = 12;

/// Columns below which a value stands under its name.
const BESIDE: usize = 30;

/// Names and values under each other, lists under headings; in a cell behind its gutter.
pub struct Sheet {
    gutter: &'static str,
    width: usize,
    rows: Vec<Row>,
    /// The name that was said last: one that repeats is said once.
    before: String,
}

impl Sheet {
    pub fn in_cell(width: usize) -> Self {
        Self { gutter: "│ ", width, rows: Vec::new(), before: String::new() }
    }

    pub fn bare(width: usize) -> Self {
        Self { gutter: "", width, rows: Vec::new(), before: String::new() }
    }

    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    fn bar(&self) -> Styled {
        Styled::new(self.gutter, Role::UiDim)
    }

    fn wrapped(&mut self, words: &Styled, first: &Styled, rest: &Styled) {
        self.rows.extend(words.rows(self.width, Break::Words, first, rest));
    }

    pub fn blank(&mut self) {
        self.before.clear();
        if !self.rows.is_empty() {
            self.rows.push(Styled::new(self.gutter.trim_end(), Role::UiDim).into_row(self.width));
        }
    }

    /// A heading after a blank row.
    pub fn part(&mut self, title: &str) {
        self.blank();
        self.rows.push(self.bar().with(title, Role::UiStrong).into_row(self.width));
    }

    pub fn prose(&mut self, words: &Styled) {
        let bar = self.bar();
        self.wrapped(words, &bar, &bar);
    }

    /// Text of several lines as it is.
    pub fn block(&mut self, words: &str, role: Role) {
        self.prose(&Styled::new(&text::sanitize(words.trim_end()), role));
    }

    /// A name and its value, the value wrapped beside it.
    pub fn field(&mut self, name: &str, value: &Styled) {
        let shown = if self.before == name { "" } else { name };
        let mut lead = self.bar().with(shown, Role::UiDim);
        let columns = text::width(self.gutter) + NAMES;
        if self.width < columns + BESIDE - NAMES {
            self.rows.push(lead.into_row(self.width));
            let rest = self.bar().with("  ", Role::UiText);
            self.wrapped(value, &rest, &rest);
        } else {
            lead.pad_to(columns, Role::UiText);
            let mut rest = self.bar();
            rest.pad_to(columns, Role::UiText);
            self.wrapped(value, &lead, &rest);
        }
        self.before = name.to_owned();
    }

    /// The same, left out when there is nothing to say.
    pub fn told(&mut self, name: &str, value: &str, role: Role) {
        if !value.trim().is_empty() {
            self.field(name, &Styled::new(&text::sanitize(value.trim()), role));
        }
    }

    /// A row of a list behind its mark.
    pub fn item(&mut self, mark: &str, role: Role, words: &Styled) {
        let lead = self.bar().with(mark, role).with(" ", Role::UiText);
        let mut rest = self.bar();
        rest.pad_to(lead.width(), Role::UiText);
        self.wrapped(words, &lead, &rest);
    }

    /// A row of a list behind its mark, cut to one row.
    pub fn short(&mut self, mark: &str, role: Role, words: &Styled) {
        let mut line = self.bar().with(mark, role).with(" ", Role::UiText);
        line.append(words);
        self.rows.push(line.into_row(self.width));
    }

    /// What belongs to the row above, in one row.
    pub fn under(&mut self, words: &str, role: Role) {
        let line = self.bar().with("  ", Role::UiText).with(words, role);
        self.rows.push(line.into_row(self.width));
    }

    /// What belongs to the row above, all of it.
    pub fn below(&mut self, words: &Styled) {
        let rest = self.bar().with("  ", Role::UiText);
        self.wrapped(words, &rest, &rest);
    }
}
