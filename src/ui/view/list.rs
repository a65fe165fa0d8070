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
        let items: Vec<Option<usize>> = lines.iter().map(|line| line.item).collect();
        let mut lines = lines.into_iter().map(Some).collect::<Vec<_>>();
        let taken = |at: usize| lines.get_mut(at).and_then(Option::take);
        Self::made(&items, marked, offset, height, taken)
    }

    /// The same, making only the rows in sight. `items` says which item each row belongs to.
    pub fn made(
        items: &[Option<usize>],
        marked: Option<usize>,
        offset: &mut usize,
        height: u16,
        line: impl FnMut(usize) -> Option<Line>,
    ) -> Self {
        let total = items.len();
        let height = height as usize;
        if let Some(item) = marked {
            let first = items.iter().position(|one| *one == Some(item));
            let last = items.iter().rposition(|one| *one == Some(item));
            if let (Some(first), Some(last)) = (first, last) {
                *offset = (*offset).max((last + 1).saturating_sub(height)).min(first);
                // The headings above the first item are shown with it.
                if items[..first].iter().all(Option::is_none) && first < height {
                    *offset = 0;
                }
            }
        }
        *offset = (*offset).min(total.saturating_sub(height));
        let lines = (*offset..(*offset + height).min(total)).filter_map(line).collect();
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
