use super::picker::Listed;
use crate::text;
use crate::ui::state::MenuRow;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// What can be done and by which keys: what is needed first, then the place one came from. `grouped`
/// while nothing is asked for: under a filter the best match comes first, whatever its place.
pub fn help(rows: &[MenuRow], grouped: bool, width: usize) -> Listed {
    let mut lines = Vec::new();
    let mut section = "";
    for (index, row) in rows.iter().enumerate() {
        if grouped && section != row.section {
            if !section.is_empty() {
                lines.push(Line::plain(Row::blank()));
            }
            section = row.section;
            lines.push(Line::plain(Styled::new(section, Role::UiStrong).into_row(width)));
        }
        lines.extend(menu_row(row, width).into_iter().map(|row| Line::of(index, row)));
    }
    listed("Help", lines, rows.len())
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
pub fn palette(rows: &[MenuRow], width: usize) -> Listed {
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
    listed("Palette", rows.iter().enumerate().map(line).collect(), rows.len())
}

/// Messages sent before, in one line each.
pub fn history(rows: &[&str], width: usize) -> Listed {
    let line = |(index, row): (usize, &&str)| {
        let lines = row.trim_end().lines().count();
        let more = if lines > 1 { format!("  +{} lines", lines - 1) } else { String::new() };
        let mut line = Styled::new(&text::sanitize_line(row.trim()), Role::UiText);
        line.cut(width.saturating_sub(text::width(&more)));
        Line::of(index, line.with(&more, Role::UiDim).into_row(width))
    };
    listed("Sent before", rows.iter().enumerate().map(line).collect(), rows.len())
}

fn listed(title: &str, lines: Vec<Line>, count: usize) -> Listed {
    let empty = "nothing yet".to_owned();
    Listed { title: title.to_owned(), tabs: Vec::new(), lines, count, empty }
}
