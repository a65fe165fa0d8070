//! Aligned columns for listings, and how much a terminal shows.

use std::io::{self, IsTerminal, Write};

use crate::config::Env;
use crate::text::{truncate, width, wrap};

/// Columns where there is no terminal to ask.
const ELSEWHERE: usize = 120;
/// Narrower terminals get lines that run over.
const NARROWEST: usize = 40;

/// Rows under a heading, each column as wide as its widest cell, nothing cut.
pub fn columns<const COUNT: usize>(
    head: [&str; COUNT],
    rows: &[[String; COUNT]],
    out: &mut dyn Write,
) -> io::Result<()> {
    let head = head.map(str::to_owned);
    let widths: Vec<usize> = (0..COUNT)
        .map(|column| std::iter::once(&head).chain(rows).map(|row| width(&row[column])).max().unwrap_or(0))
        .collect();
    for row in std::iter::once(&head).chain(rows) {
        let mut line = String::new();
        for (cell, columns) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(columns - width(cell) + 2));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// What the reader sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub columns: usize,
    pub paint: Paint,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Colours,
}

/// What a word stands for; the colour follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Heading,
    Good,
    Doubtful,
    Bad,
    Quiet,
}

impl Look {
    /// No colours unless standard output is a terminal that has them and `NO_COLOR` is not set.
    pub fn of_stdout(env: &Env) -> Self {
        if !io::stdout().is_terminal() {
            return Self { columns: ELSEWHERE, paint: Paint::Plain };
        }
        let asked = rustix::termios::tcgetwinsize(io::stdout()).map_or(0, |size| usize::from(size.ws_col));
        let dumb = env.get("NO_COLOR").is_some() || env.get("TERM").is_none_or(|term| term == "dumb");
        Self {
            columns: if asked == 0 { 80 } else { asked.max(NARROWEST) },
            paint: if dumb { Paint::Plain } else { Paint::Colours },
        }
    }

    pub fn tint(self, tone: Tone, text: &str) -> String {
        let code = match (self.paint, tone) {
            (Paint::Plain, _) => return text.to_owned(),
            (_, Tone::Heading) => "1",
            (_, Tone::Good) => "32",
            (_, Tone::Doubtful) => "33",
            (_, Tone::Bad) => "31",
            (_, Tone::Quiet) => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// `text` over as many lines as it takes, each after `indent` blanks but the first, which follows
    /// what is on the line already.
    pub fn paragraph(self, indent: usize, text: &str) -> String {
        let room = self.columns.saturating_sub(indent).max(NARROWEST / 2);
        let lines: Vec<&str> = wrap(text, room).into_iter().map(|range| text[range].trim_end()).collect();
        lines.join(&format!("\n{:indent$}", ""))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
    /// Left, and cut when the line gets too long.
    Rest,
}

#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

/// Blanks between columns.
const GAP: usize = 2;
/// A column that may be cut keeps so many.
const LEAST_REST: usize = 12;

impl Table {
    pub fn new(columns: &[(&'static str, Align)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn write(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let head: Vec<String> = self.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let widths = self.widths(look, &head);
        if head.iter().any(|name| !name.is_empty()) {
            writeln!(out, "{}", look.tint(Tone::Quiet, &self.line(&head, &widths)))?;
        }
        for row in &self.rows {
            writeln!(out, "{}", self.line(row, &widths))?;
        }
        Ok(())
    }

    fn widths(&self, look: Look, head: &[String]) -> Vec<usize> {
        let cell = |row: &Vec<String>, column: usize| row.get(column).map_or(0, |cell| width(cell));
        let widest = |column: usize| self.rows.iter().map(|row| cell(row, column)).max().unwrap_or(0);
        let mut widths: Vec<usize> =
            head.iter().enumerate().map(|(column, name)| width(name).max(widest(column))).collect();
        let whole = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        let over = whole.saturating_sub(look.columns);
        if let Some(rest) = self.columns.iter().position(|(_, align)| *align == Align::Rest) {
            widths[rest] = widths[rest].saturating_sub(over).max(LEAST_REST.min(widths[rest]));
        }
        widths
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let mut line = String::new();
        for (((_, align), cell), columns) in self.columns.iter().zip(row).zip(widths) {
            let cell = truncate(cell, *columns);
            let blanks = " ".repeat(columns.saturating_sub(width(&cell)));
            match align {
                Align::Right => line.extend([blanks.as_str(), &cell]),
                Align::Left | Align::Rest => line.extend([&*cell, &blanks]),
            }
            line.push_str(&" ".repeat(GAP));
        }
        line.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { columns: 30, paint: Paint::Plain };

    fn shown(table: &Table, look: Look) -> String {
        let mut out = Vec::new();
        table.write(look, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_line_up_and_only_the_rest_is_cut() {
        let mut table = Table::new(&[("NAME", Align::Left), ("N", Align::Right), ("EXAMPLE", Align::Rest)]);
        table.row(["日本".to_owned(), "7".to_owned(), "short".to_owned()]);
        table.row(["x".to_owned(), "1200".to_owned(), "a sentence that is much too long".to_owned()]);
        let text = shown(&table, PLAIN);
        assert_eq!(text, "NAME     N  EXAMPLE\n日本     7  short\nx     1200  a sentence that i…\n");
        assert!(text.lines().all(|line| width(line) <= 30), "{text}");
        assert!(shown(&table, Look { columns: 120, ..PLAIN }).contains("much too long"));
    }

    #[test]
    fn colours_only_where_asked_for() {
        let mut table = Table::new(&[("A", Align::Left)]);
        table.row(["b".to_owned()]);
        assert!(!shown(&table, PLAIN).contains('\x1b'));
        assert!(shown(&table, Look { paint: Paint::Colours, ..PLAIN }).contains('\x1b'));
    }

    #[test]
    fn paragraphs_hang() {
        let text = Look { columns: 30, ..PLAIN }.paragraph(4, "one two three four five six seven eight");
        assert_eq!(text, "one two three four five\n    six seven eight");
    }
}
