//! The themes, at the right edge: what is behind shows the marked one.

use ratatui::layout::Rect;

use super::Panel;
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::{State, Table};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Columns of the box at most.
const COLUMNS: u16 = 58;

/// What each kind of text looks like in the marked theme.
const SAMPLES: [&[(&str, Role)]; 4] = [
    &[("you", Role::UserMark), ("  a message", Role::UserText), ("  · dim", Role::UiDim)],
    &[("✔ ok", Role::ToolOk), ("  ◐ running", Role::ToolRunning), ("  ✘ failed", Role::ToolError)],
    &[
        ("fn", Role::CodeKeyword),
        (" main", Role::CodeFunction),
        ("  \"text\"", Role::CodeString),
        ("  // why", Role::CodeComment),
    ],
    &[("+ added", Role::DiffPlus), ("  - taken away", Role::DiffMinus), ("  warning", Role::NoticeWarning)],
];

pub const KEYS: &[(Action, &str)] =
    &[(Action::Accept, "keep"), (Action::SaveTheme, "keep and save to the file"), (Action::Close, "as before")];

pub fn panel(state: &State, hints: &Hints, table: &mut Table, area: Rect) -> Panel {
    let rows = &state.themes.rows;
    table.selected = table.selected.min(rows.len().saturating_sub(1));
    let width = COLUMNS.min(area.width.saturating_sub(2));
    let inner = usize::from(width.saturating_sub(4));
    let names = rows.iter().map(|row| text::width(&row.name)).max().unwrap_or(0).min(inner / 2);
    let mut lines: Vec<Line> = rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let kept = row.name == state.themes.setting;
            let mut line = Styled::new(if kept { "● " } else { "  " }, Role::ServerReady);
            let mut name = Styled::new(&text::sanitize_line(&row.name), Role::UiStrong);
            name.cut(names);
            name.pad_to(names + 2, Role::UiText);
            line.append(&name);
            line.push(&text::sanitize_line(&row.words), Role::UiDim);
            Line::of(index, line.into_row(inner))
        })
        .collect();
    let most = area.height.saturating_sub(4).max(6);
    if lines.len() + SAMPLES.len() + 3 <= usize::from(most) {
        lines.push(Line::plain(Row::blank()));
        lines.extend(SAMPLES.iter().map(|pieces| {
            let mut line = Styled::new("  ", Role::UiText);
            pieces.iter().for_each(|(piece, role)| line.push(piece, *role));
            Line::plain(line.into_row(inner))
        }));
    }
    let height = (lines.len() as u16 + 2).min(most);
    let outline = Rect {
        x: area.right().saturating_sub(width + 1),
        y: area.y + (area.height.saturating_sub(height)) / 2,
        width,
        height,
    };
    let marked = (!rows.is_empty()).then_some(table.selected);
    let list = List::window(lines, marked, &mut table.offset, height.saturating_sub(2));
    let foot = hints.fitting(state, KEYS, usize::from(width.saturating_sub(6)));
    Panel::whole(outline, "Themes".to_owned(), foot, list)
}
