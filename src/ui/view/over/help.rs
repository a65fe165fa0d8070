use ratatui::layout::{Position, Rect};

use super::{Panel, centred};
use crate::text;
use crate::ui::action::Action;
use crate::ui::keys::Context;
use crate::ui::state::{Filtered, State};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

const KEY_COLUMNS: usize = 18;

/// All keys, those of the place one came from first.
pub fn help(state: &State, hints: &Hints, filtered: &mut Filtered, area: Rect) -> Panel {
    let rows = state.help_rows(&filtered.filter);
    let outline = centred(area, 84, area.height.saturating_sub(4).max(10));
    let width = outline.width.saturating_sub(4) as usize;
    let mut lines = Vec::new();
    let mut context = None;
    for (index, row) in rows.iter().enumerate() {
        // Under a filter the best match comes first, whatever its place.
        if filtered.filter.is_empty() && context != Some(row.context) {
            if context.is_some() {
                lines.push(Line::plain(Row::blank()));
            }
            context = Some(row.context);
            lines.push(Line::plain(Styled::new(place(row.context), Role::UiStrong).into_row(width)));
        }
        let mut line = Styled::new("  ", Role::UiText).with(&row.keys, Role::UiStatusKey);
        line.pad_to(KEY_COLUMNS, Role::UiText);
        line.push("  ", Role::UiText);
        line.push(&row.words, Role::UiText);
        if !row.when.is_empty() {
            line.push(&format!("  when {}", row.when), Role::UiDim);
        }
        lines.push(Line::of(index, line.into_row(width)));
    }
    let foot = hints.line(state, &[(Action::Accept, "run"), (Action::Close, "close")]);
    panel("Keys", filtered, lines, foot, rows.len(), outline)
}

/// Every action by name.
pub fn palette(state: &State, hints: &Hints, filtered: &mut Filtered, area: Rect) -> Panel {
    let rows = state.palette_rows(&filtered.filter);
    let outline = centred(area, 84, (rows.len() as u16 + 4).clamp(10, area.height.saturating_sub(6).max(10)));
    let width = outline.width.saturating_sub(4) as usize;
    let categories = rows.iter().map(|row| text::width(row.category)).max().unwrap_or(0);
    let line = |(index, row): (usize, &crate::ui::state::PaletteRow)| {
        let mut line = Styled::new(row.category, Role::UiDim);
        line.pad_to(categories + 2, Role::UiText);
        line.push(&row.words, Role::UiText);
        let shown = Styled::new(&row.keys, Role::UiStatusKey);
        line.cut(width.saturating_sub(shown.width() + 2));
        line.pad_to(width.saturating_sub(shown.width()), Role::UiText);
        line.append(&shown);
        Line::of(index, line.into_row(width))
    };
    let lines = rows.iter().enumerate().map(line).collect();
    let foot = hints.line(state, &[(Action::Accept, "run"), (Action::Close, "close")]);
    panel("Palette", filtered, lines, foot, rows.len(), outline)
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

/// A context in words for people.
fn place(context: Context) -> &'static str {
    match context {
        Context::Global => "Everywhere",
        Context::Pane => "In every pane",
        Context::Transcript => "Transcript",
        Context::Surface => "Surface",
        Context::Notes => "Notes",
        Context::Composer => "Composer",
        Context::Popup => "Completion list",
        Context::Search => "Search",
        Context::Overlay => "Overlays",
        Context::Question => "Questions",
    }
}
