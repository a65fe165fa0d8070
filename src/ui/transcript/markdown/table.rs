use pulldown_cmark::Alignment;

use super::Row;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Styled};

/// Narrower than this a column says nothing; the table becomes a list of records then.
const MIN_COLUMN: usize = 4;

/// A table being collected. The first row is the header.
pub struct Table {
    alignments: Vec<Alignment>,
    lines: Vec<Vec<Styled>>,
    scratch: Styled,
}

impl Table {
    pub fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, lines: Vec::new(), scratch: Styled::default() }
    }

    pub fn begin_row(&mut self) {
        self.lines.push(Vec::new());
    }

    pub fn begin_cell(&mut self) {
        if let Some(line) = self.lines.last_mut() {
            line.push(Styled::default());
        }
    }

    /// The open cell.
    pub fn cell(&mut self) -> &mut Styled {
        self.lines.last_mut().and_then(|line| line.last_mut()).unwrap_or(&mut self.scratch)
    }

    pub fn rows(&self, width: usize, first: &Styled, rest: &Styled) -> Vec<Row> {
        let lead = if first.width() < width { first.clone() } else { Styled::default() };
        let rest = if first.width() < width { rest.clone() } else { Styled::default() };
        let room = width - lead.width();
        match self.widths(room) {
            Some(widths) => self.grid(&widths, width, &lead, &rest),
            None => self.records(width, &lead, &rest),
        }
    }

    /// Columns for each cell, the widest giving way first. `None` when they cannot stand side by side.
    fn widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.lines.iter().map(Vec::len).max().unwrap_or(0);
        let room = room.checked_sub(count.saturating_sub(1) * 3)?;
        let widest = |column: usize| self.lines.iter().filter_map(|line| line.get(column)).map(Styled::width).max();
        let mut widths: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or(0).max(1)).collect();
        while widths.iter().sum::<usize>() > room {
            let over = widths.iter().sum::<usize>() - room;
            let largest = widths.iter().copied().max()?;
            if largest <= MIN_COLUMN {
                return None;
            }
            let next = widths.iter().copied().filter(|width| *width < largest).max().unwrap_or(0).max(MIN_COLUMN);
            let many = widths.iter().filter(|width| **width == largest).count();
            let less = (largest - next).min(over.div_ceil(many)).max(1);
            for width in widths.iter_mut().filter(|width| **width == largest) {
                *width -= less;
            }
        }
        Some(widths)
    }

    fn grid(&self, widths: &[usize], width: usize, first: &Styled, rest: &Styled) -> Vec<Row> {
        let mut rows = Vec::new();
        for (index, line) in self.lines.iter().enumerate() {
            let cells: Vec<Vec<Row>> = widths
                .iter()
                .enumerate()
                .map(|(column, columns)| {
                    let empty = Styled::default();
                    let cell = line.get(column).unwrap_or(&empty);
                    cell.rows(*columns, Break::Words, &Styled::default(), &Styled::default())
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(1);
            for at in 0..height {
                let mut row = if rows.is_empty() { first.clone() } else { rest.clone() };
                for (column, columns) in widths.iter().enumerate() {
                    if column > 0 {
                        row.push(" │ ", Role::MarkdownRule);
                    }
                    self.place(&mut row, cells[column].get(at), column, *columns, index == 0);
                }
                rows.push(row.into_row(width));
            }
            if index == 0 {
                let mut row = rest.clone();
                let rule: Vec<String> = widths.iter().map(|columns| "─".repeat(*columns)).collect();
                row.push(&rule.join("─┼─"), Role::MarkdownRule);
                rows.push(row.into_row(width));
            }
        }
        rows
    }

    fn place(&self, row: &mut Styled, cell: Option<&Row>, column: usize, columns: usize, header: bool) {
        let mut content =
            Styled { links: cell.map(|cell| cell.links.to_vec()).unwrap_or_default(), ..Styled::default() };
        for (piece, tone) in cell.iter().flat_map(|cell| cell.pieces()) {
            content.push(piece, if header { tone.over(Role::MarkdownStrong) } else { tone });
        }
        let free = columns.saturating_sub(content.width());
        let before = match self.alignments.get(column) {
            Some(Alignment::Right) => free,
            Some(Alignment::Center) => free / 2,
            _ => 0,
        };
        row.push(&" ".repeat(before), Role::AssistantText);
        row.append(&content);
        row.push(&" ".repeat(free - before), Role::AssistantText);
    }

    /// Each line as `header  value` pairs, for widths where columns cannot stand side by side.
    fn records(&self, width: usize, first: &Styled, rest: &Styled) -> Vec<Row> {
        let mut rows = Vec::new();
        let empty = Vec::new();
        let header = self.lines.first().unwrap_or(&empty);
        for (index, line) in self.lines.iter().skip(1).enumerate() {
            if index > 0 {
                rows.push(Row::blank());
            }
            for (column, cell) in line.iter().enumerate() {
                let mut pair = Styled::default();
                if let Some(name) = header.get(column) {
                    pair.push(&name.text, Role::MarkdownStrong);
                    pair.push("  ", Role::AssistantText);
                }
                pair.append(cell);
                let lead = if rows.is_empty() { first } else { rest };
                rows.extend(pair.rows(width, Break::Words, lead, rest));
            }
        }
        rows
    }
}
