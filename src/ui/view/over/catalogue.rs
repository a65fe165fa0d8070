use super::{part, picker::Listed};
use crate::proto::{CatalogueItem, CatalogueProblem};
use crate::text;
use crate::ui::state::{Findings, Picker, Shelf, ShelfRow, State, about};
use crate::ui::theme::Role;
use crate::ui::transcript::{Row, Styled};
use crate::ui::view::list::Line;

/// Columns a name takes at most, and what a row needs to also tell its tap.
const NAMES: usize = 26;
const WITH_TAP: usize = 60;

/// One list of the catalogue under its tabs.
pub fn shelf(state: &State, shelf: Shelf, filter: &str, width: usize) -> Listed {
    let rows = state.shelf_rows(shelf, filter);
    let name = |row: &ShelfRow| match row {
        ShelfRow::Part(_, item) | ShelfRow::Finding(_, Some((_, item))) => {
            text::width(&text::sanitize_line(&item.name))
        }
        ShelfRow::Finding(problem, None) => text::width(&text::sanitize_line(&about(problem))),
    };
    let names = rows.iter().map(name).max().unwrap_or(0).min(NAMES).min(width / 2);
    let row = |row: &ShelfRow| match row {
        ShelfRow::Part(_, item) => item_row(shelf, item, names, width),
        ShelfRow::Finding(problem, item) => finding_row(problem, item.map(|(_, item)| item), names, width),
    };
    let empty = match shelf {
        Shelf::Problems => "nothing is wrong".to_owned(),
        _ => format!("no {} yet", shelf.noun()),
    };
    let mut lines = Vec::new();
    let mut noted = !filter.trim().is_empty();
    for (index, one) in rows.iter().enumerate() {
        if !noted && matches!(one, ShelfRow::Finding(problem, _) if problem.note) {
            noted = true;
            lines.extend(notes_heading(index, width));
        }
        lines.push(Line::of(index, row(one)));
    }
    Listed { title: "Catalogue".to_owned(), tabs: tabs(state, shelf, width), lines, count: rows.len(), empty }
}

/// What stands above the notes, so that nobody takes them for something to mend.
fn notes_heading(before: usize, width: usize) -> Vec<Line> {
    let words = "worth knowing, nothing to mend";
    let heading = Line::plain(Styled::new(words, Role::UiDim).into_row(width));
    if before == 0 { vec![heading] } else { vec![Line::plain(Row::blank()), heading] }
}

/// How many parts a list has.
fn count(state: &State, shelf: Shelf) -> usize {
    match shelf {
        Shelf::Problems => {
            let Findings { errors, doubts } = state.shelf_findings(shelf);
            errors + doubts
        }
        _ => shelf.items(&state.snapshot.catalogue).len(),
    }
}

/// Columns from which every list is named.
const WITH_ALL: usize = 54;

/// `taps 3 · agents 137 ✘2 · …`, the open one strong, in as many rows as it takes; the open one alone
/// with its place where there is no room.
fn tabs(state: &State, open: Shelf, width: usize) -> Vec<Row> {
    if width >= WITH_ALL {
        let mut lines = vec![Styled::default()];
        for shelf in Shelf::ALL {
            let tab = tab(state, *shelf, open);
            let Some(line) = lines.last_mut() else { break };
            if line.is_empty() {
                line.append(&tab);
            } else if line.width() + 3 + tab.width() <= width {
                line.push(" · ", Role::UiDim);
                line.append(&tab);
            } else {
                lines.push(tab);
            }
        }
        return lines.into_iter().map(|line| line.into_row(width)).collect();
    }
    let at = Shelf::ALL.iter().position(|shelf| *shelf == open).unwrap_or(0) + 1;
    let mut alone = Styled::new("‹ ", Role::UiAccent);
    alone.append(&tab(state, open, open));
    alone.push(" ›", Role::UiAccent);
    alone.push(&format!("  list {at} of {}", Shelf::ALL.len()), Role::UiDim);
    vec![alone.into_row(width)]
}

fn tab(state: &State, shelf: Shelf, open: Shelf) -> Styled {
    let role = if shelf == open { Role::UiTitleFocus } else { Role::UiTitle };
    let mark = if shelf == open { "▸" } else { "" };
    let mut tab = Styled::new(mark, Role::UiAccent);
    tab.push(&format!("{} {}", shelf.title(), count(state, shelf)), role);
    let findings = part::counts(state.shelf_findings(shelf));
    if !findings.is_empty() && shelf != Shelf::Problems {
        tab.push(" ", Role::UiText);
        tab.append(&findings);
    }
    tab
}

fn item_row(shelf: Shelf, item: &CatalogueItem, names: usize, width: usize) -> Row {
    let findings = Findings::of(&item.problems);
    let (sign, role) = match (findings.errors, findings.doubts) {
        (0, 0) => (" ", Role::UiText),
        (0, _) => part::mark(false),
        _ => part::mark(true),
    };
    let mut line = Styled::new(sign, role).with(" ", Role::UiText);
    let mut name = Styled::new(&text::sanitize_line(&item.name), Role::ToolName);
    name.cut(names);
    name.pad_to(names + 2, Role::UiText);
    line.append(&name);
    let words = [&item.title, &item.description, &item.detail];
    let words = if shelf == Shelf::Taps {
        &item.detail
    } else {
        words.into_iter().find(|words| !words.trim().is_empty()).unwrap_or(&item.title)
    };
    line.push(&text::sanitize_line(words), Role::UiText);
    let tap = if width >= WITH_TAP && shelf != Shelf::Taps { text::sanitize_line(&item.tap) } else { "".into() };
    let mut end = part::counts(findings);
    if !tap.is_empty() {
        end.push(if end.is_empty() { "" } else { "  " }, Role::UiText);
        end.push(&tap, Role::UiDim);
    }
    if !end.is_empty() {
        line.cut(width.saturating_sub(end.width() + 2));
        line.pad_to(width.saturating_sub(end.width()), Role::UiText);
        line.append(&end);
    }
    line.into_row(width)
}

fn finding_row(problem: &CatalogueProblem, item: Option<&CatalogueItem>, names: usize, width: usize) -> Row {
    let (sign, role) = part::sign(problem);
    let mut line = Styled::new(sign, role).with(" ", Role::UiText);
    if names > 0 {
        let name = item.map_or_else(|| about(problem), |item| item.name.clone());
        let name = if name.is_empty() { "–".to_owned() } else { name };
        let mut name = Styled::new(&text::sanitize_line(&name), Role::ToolName);
        name.cut(names);
        name.pad_to(names + 2, Role::UiText);
        line.append(&name);
    }
    line.with(&text::sanitize_line(&problem.message), Role::UiText).into_row(width)
}

/// The marked row in full.
pub fn preview(state: &State, shelf: Shelf, picker: &Picker, width: usize) -> Vec<Row> {
    match state.shelf_rows(shelf, &picker.filter).get(picker.selected) {
        Some(ShelfRow::Part(shelf, item)) => part::rows(*shelf, item, width),
        Some(ShelfRow::Finding(problem, item)) => {
            let mut rows = part::problem(problem, width);
            if let Some((shelf, item)) = item {
                let words = format!("{} {}", shelf.noun(), text::sanitize_line(&item.name));
                rows.push(Row::blank());
                rows.push(Styled::new(&words, Role::UiDim).into_row(width));
            }
            rows
        }
        None => Vec::new(),
    }
}
