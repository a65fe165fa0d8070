use ratatui::layout::{Position, Rect};

use super::{Panel, centred};
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::{Filtered, MenuRow, State};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// What can be done and by which keys: what is needed first, then the place one came from.
pub fn help(state: &State, hints: &Hints, filtered: &mut Filtered, area: Rect) -> Panel {
    let rows = state.help_rows(&filtered.filter);
    let outline = centred(area, 84, area.height.saturating_sub(4).max(10));
    let width = outline.width.saturating_sub(4) as usize;
    let mut lines = Vec::new();
    let mut section = "";
    for (index, row) in rows.iter().enumerate() {
        // Under a filter the best match comes first, whatever its place.
        if filtered.filter.is_empty() && section != row.section {
            if !section.is_empty() {
                lines.push(Line::plain(Row::blank()));
            }
            section = row.section;
            lines.push(Line::plain(Styled::new(section, Role::UiStrong).into_row(width)));
        }
        lines.extend(menu_row(row, width).into_iter().map(|row| Line::of(index, row)));
    }
    let foot = hints.line(state, &[(Action::Accept, "run"), (Action::Close, "close")]);
    panel("Help", filtered, lines, foot, rows.len(), outline)
}

/// Keys, and beside them what they do and when; the keys stand above where they are many.
fn menu_row(row: &MenuRow, width: usize) -> Vec<Row> {
    let columns = if width < 50 { 10 } else { 20 };
    let mut rows = Vec::new();
    let indent = Styled::new("  ", Role::UiText);
    let keys = Styled::new(&row.keys.join(", "), Role::UiStatusKey);
    let rest = Styled::new(&" ".repeat(columns), Role::UiText);
    let mut lead = rest.clone();
    if keys.width() + 4 <= columns {
        lead = indent;
        lead.append(&keys);
        lead.pad_to(columns, Role::UiText);
    } else {
        rows.extend(keys.rows(width, Break::Words, &indent, &indent));
    }
    let mut words = Styled::new(&row.words, Role::UiText);
    if !row.when.is_empty() {
        words.push(&format!(" (when {})", row.when), Role::UiDim);
    }
    rows.extend(words.rows(width, Break::Words, &lead, &rest));
    rows
}

/// Columns a palette needs to show of what kind its rows are.
const WITH_SECTION: usize = 60;

/// Every action and command by name.
pub fn palette(state: &State, hints: &Hints, filtered: &mut Filtered, area: Rect) -> Panel {
    let rows = state.palette_rows(&filtered.filter);
    let outline = centred(area, 84, (rows.len() as u16 + 4).clamp(10, area.height.saturating_sub(6).max(10)));
    let width = outline.width.saturating_sub(4) as usize;
    let sections = match rows.iter().map(|row| text::width(row.section)).max() {
        Some(columns) if width >= WITH_SECTION => columns + 2,
        _ => 0,
    };
    let line = |(index, row): (usize, &MenuRow)| {
        let mut line = Styled::default();
        if sections > 0 {
            line.push(row.section, Role::UiDim);
            line.pad_to(sections, Role::UiText);
        }
        line.push(&row.words, Role::UiText);
        let shown = Styled::new(&row.keys.join(", "), Role::UiStatusKey);
        line.cut(width.saturating_sub(shown.width() + 2));
        line.pad_to(width.saturating_sub(shown.width()), Role::UiText);
        line.append(&shown);
        Line::of(index, line.into_row(width))
    };
    let lines = rows.iter().enumerate().map(line).collect();
    let foot = hints.line(state, &[(Action::Accept, "run"), (Action::Close, "close")]);
    panel("Palette", filtered, lines, foot, rows.len(), outline)
}

/// Messages sent before, in one line each.
pub fn history(state: &State, hints: &Hints, filtered: &mut Filtered, area: Rect) -> Panel {
    let rows = state.history_rows(&filtered.filter);
    let outline = centred(area, 100, (rows.len() as u16 + 4).clamp(10, area.height.saturating_sub(6).max(10)));
    let width = outline.width.saturating_sub(4) as usize;
    let line = |(index, row): (usize, &&str)| {
        let lines = row.trim_end().lines().count();
        let more = if lines > 1 { format!("  +{} lines", lines - 1) } else { String::new() };
        let mut line = Styled::new(&text::sanitize_line(row.trim()), Role::UiText);
        line.cut(width.saturating_sub(text::width(&more)));
        Line::of(index, line.with(&more, Role::UiDim).into_row(width))
    };
    let lines = rows.iter().enumerate().map(line).collect();
    let foot = hints.line(state, &[(Action::Accept, "take up"), (Action::Close, "close")]);
    panel("Sent before", filtered, lines, foot, rows.len(), outline)
}

/// A filter above a list.
fn panel(title: &str, filtered: &mut Filtered, lines: Vec<Line>, foot: Styled, count: usize, outline: Rect) -> Panel {
    let width = outline.width.saturating_sub(4) as usize;
    filtered.selected = filtered.selected.min(count.saturating_sub(1));
    let marked = (count > 0).then_some(filtered.selected);
    let mut list = List::window(lines, marked, &mut filtered.offset, outline.height.saturating_sub(4));
    let filter = text::sanitize_line(&filtered.filter).into_owned();
    let mut head = Styled::new("› ", Role::ComposerPrompt);
    if filter.is_empty() {
        head.push("type to filter", Role::ComposerHint);
    } else {
        head.push(&filter, Role::ComposerText);
    }
    if count == 0 {
        list.lines.push(Line::plain(Styled::new("nothing matches", Role::UiDim).into_row(width)));
    }
    let column = (2 + text::width(&filter)).min(width.saturating_sub(1)) as u16;
    let caret = Position { x: outline.x + 2 + column, y: outline.y + 1 };
    list.lines.splice(0..0, [Line::plain(head.into_row(width)), Line::plain(Row::blank())]);
    Panel { outline, title: title.to_owned(), foot, list, caret: Some(caret) }
}
