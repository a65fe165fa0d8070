//! Lists of rows with a marked item.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::canvas;
use crate::ui::theme::{Role, Theme};
use crate::ui::transcript::Row;

/// A row, and the item it belongs to if it can be marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub row: Row,
    pub item: Option<usize>,
}

impl Line {
    pub fn plain(row: Row) -> Self {
        Self { row, item: None }
    }

    pub fn of(item: usize, row: Row) -> Self {
        Self { row, item: Some(item) }
    }
}

/// The part of a list that is in sight.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    pub lines: Vec<Line>,
    pub marked: Option<usize>,
    pub above: usize,
    pub total: usize,
}

impl List {
    /// Cuts out the window, moving `offset` only as far as the marked item asks.
    pub fn window(lines: Vec<Line>, marked: Option<usize>, offset: &mut usize, height: u16) -> Self {
        let total = lines.len();
        let height = height as usize;
        if let Some(item) = marked {
            let first = lines.iter().position(|line| line.item == Some(item));
            let last = lines.iter().rposition(|line| line.item == Some(item));
            if let (Some(first), Some(last)) = (first, last) {
                *offset = (*offset).max((last + 1).saturating_sub(height)).min(first);
                // The headings above the first item are shown with it.
                if lines[..first].iter().all(|line| line.item.is_none()) && first < height {
                    *offset = 0;
                }
            }
        }
        *offset = (*offset).min(total.saturating_sub(height));
        let lines = lines.into_iter().skip(*offset).take(height).collect();
        Self { lines, marked, above: *offset, total }
    }

    pub fn draw(&self, buffer: &mut Buffer, inner: Rect, theme: &Theme) {
        for (line, y) in self.lines.iter().zip(inner.top()..inner.bottom()) {
            canvas::put(buffer, inner.x, y, inner.width, &line.row, theme);
            if line.item.is_some() && line.item == self.marked {
                buffer.set_style(Rect::new(inner.x, y, inner.width, 1), theme.style(Role::UiSelection));
            }
        }
    }

    /// The item in a row of the window.
    pub fn item_at(&self, row: u16) -> Option<usize> {
        self.lines.get(row as usize)?.item
    }
}
