//! Lists whose letters are keys: one box for all of them, with rows above the list and the marked one in
//! full beside or below it where there is room.

use ratatui::layout::{Position, Rect};

use super::picker::Place;
use super::{Panel, Side, centred};
use crate::text;
use crate::ui::state::{Table, Typing};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::list::{Line, List};

/// Columns of the screen below which a box takes all of them.
const NARROW: u16 = 100;

/// What a table shows, before it is cut to its box.
pub struct Tabular<'a> {
    pub title: String,
    /// Above the list.
    pub head: Vec<Row>,
    /// The item each row belongs to.
    pub items: Vec<Option<usize>>,
    /// Makes a row; only those in sight are made.
    pub row: Box<dyn Fn(usize) -> Row + 'a>,
    /// Items that can be marked.
    pub count: usize,
    /// Stands where no row is.
    pub empty: String,
}

impl<'a> Tabular<'a> {
    /// A list in which every row can be marked.
    pub fn plain(title: String, count: usize, empty: &str, row: impl Fn(usize) -> Row + 'a) -> Self {
        Self {
            title,
            head: Vec::new(),
            items: (0..count).map(Some).collect(),
            row: Box::new(row),
            count,
            empty: empty.to_owned(),
        }
    }

    pub fn under(self, head: Vec<Row>) -> Self {
        Self { head, ..self }
    }
}

/// A box that takes what its rows need, up to the screen.
pub fn fitting(area: Rect, columns: u16, rows: usize) -> Place {
    let width = if area.width < NARROW { area.width } else { columns.min(area.width - 2) };
    let most = area.height.saturating_sub(4).max(10);
    let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2).clamp(10, most);
    let outline = centred(area, area.width, rows);
    Place::alone(Rect { x: area.x + (area.width - width) / 2, width, ..outline })
}

pub fn panel(table: &mut Table, place: Place, made: Tabular<'_>, side: Vec<Row>, foot: Styled) -> Panel {
    let width = place.columns();
    table.selected = table.selected.min(made.count.saturating_sub(1));
    let marked = (made.count > 0).then_some(table.selected);
    let mut head = made.head;
    let caret = typed_row(table, width).map(|(row, column)| {
        head.insert(0, row);
        Position { x: place.part.x + 2 + column, y: place.part.y + 1 }
    });
    let inner = place.part.height.saturating_sub(2) as usize;
    // The rows are what one came for.
    head.truncate(inner.saturating_sub(3));
    let room = (inner - head.len()) as u16;
    let row = &made.row;
    let items = &made.items;
    let mut list = List::made(items, marked, &mut table.offset, room, |at| {
        Some(Line { row: row(at), item: items.get(at).copied().flatten() })
    });
    if made.count == 0 {
        let words = if table.filter.trim().is_empty() { made.empty.as_str() } else { "nothing matches" };
        list.lines.push(Line::plain(Styled::new(words, Role::UiDim).into_row(width)));
    }
    list.lines.splice(0..0, head.into_iter().map(Line::plain));
    let side = place.side.map(|outline| Side::new(outline, side));
    Panel {
        outline: place.outline,
        side,
        title: made.title,
        foot,
        list,
        caret: caret.filter(|_| table.typing.is_some()),
    }
}

/// The filter or the name that is typed, and the column of its caret.
fn typed_row(table: &Table, width: usize) -> Option<(Row, u16)> {
    let (lead, typed) = match &table.typing {
        Some(Typing::Name(name)) => ("new name › ", name.as_str()),
        Some(Typing::Filter) => ("› ", table.filter.as_str()),
        None if !table.filter.is_empty() => ("› ", table.filter.as_str()),
        None => return None,
    };
    let typed = text::sanitize_line(typed);
    let line = Styled::new(lead, Role::ComposerPrompt).with(&typed, Role::ComposerText);
    let column = line.width().min(width.saturating_sub(1)) as u16;
    Some((line.into_row(width), column))
}
