use super::{part, picker::Listed};
use crate::text;
use crate::ui::state::{AgentRow, Findings, Picker, Shelf, State};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// Columns a name takes at most, and what a row needs to also tell its tap.
const NAMES: usize = 28;
const WITH_TAP: usize = 56;

/// Agents by domain; under a filter the best match first, whatever its domain.
pub fn agents(state: &State, filter: &str, width: usize) -> Listed {
    let rows = state.agent_rows(filter);
    let grouped = filter.trim().is_empty();
    let shown: Vec<_> = rows.iter().map(|row| text::sanitize_line(row.tag)).collect();
    let names = shown.iter().map(|tag| text::width(tag)).max().unwrap_or(0).min(NAMES).min(width / 2);
    let mut lines = Vec::new();
    let mut group: Option<&str> = None;
    for (index, row) in rows.iter().enumerate() {
        if grouped && group != Some(row.domain) {
            if group.is_some() {
                lines.push(Line::plain(Row::blank()));
            }
            group = Some(row.domain);
            lines.push(Line::plain(heading(row.domain, width)));
        }
        lines.push(Line::of(index, agent(row, names, width)));
    }
    let empty = "no agent yet: no tap was read, and the configuration names no role";
    let role = text::sanitize_line(&state.snapshot.session.role);
    let title = if role.is_empty() { "Agents".to_owned() } else { format!("Agents · now {role}") };
    Listed { title, tabs: Vec::new(), lines, count: rows.len(), empty: empty.to_owned() }
}

fn heading(domain: &str, width: usize) -> Row {
    let words = if domain.is_empty() { "of the configuration".into() } else { text::sanitize_line(domain) };
    Styled::new(&words, Role::UiStrong).into_row(width)
}

fn agent(row: &AgentRow, names: usize, width: usize) -> Row {
    let findings = row.item.map(|item| Findings::of(&item.problems)).unwrap_or_default();
    let (sign, role) = match (findings.errors > 0, row.current, findings.doubts > 0) {
        (true, ..) => ("✘ ", Role::NoticeError),
        (_, true, _) => ("● ", Role::ServerReady),
        (.., true) => ("! ", Role::NoticeWarning),
        _ => ("  ", Role::UiText),
    };
    let mut line = Styled::new(sign, role);
    let mut name = Styled::new(&text::sanitize_line(row.tag), Role::ToolName);
    name.cut(names);
    name.pad_to(names + 2, Role::UiText);
    line.append(&name);
    let Some(item) = row.item else { return line.into_row(width) };
    let title = if item.title.trim().is_empty() { &item.description } else { &item.title };
    line.push(&text::sanitize_line(title), Role::UiText);
    let tap = if width >= WITH_TAP { text::sanitize_line(&item.tap) } else { "".into() };
    if !tap.is_empty() {
        line.cut(width.saturating_sub(text::width(&tap) + 2));
        line.pad_to(width.saturating_sub(text::width(&tap)), Role::UiText);
        line.push(&tap, Role::UiDim);
    }
    line.into_row(width)
}

/// Where the marked agent comes from, for where nothing else of it can be told.
pub fn title_of_marked(state: &State, picker: &Picker) -> Option<String> {
    let rows = state.agent_rows(&picker.filter);
    let tap = text::sanitize_line(&rows.get(picker.selected)?.item?.tap).into_owned();
    (!tap.is_empty()).then(|| format!("Agents · {tap}"))
}

/// The marked agent in full.
pub fn preview(state: &State, picker: &Picker, width: usize) -> Vec<Row> {
    let rows = state.agent_rows(&picker.filter);
    let Some(row) = rows.get(picker.selected) else { return Vec::new() };
    match row.item {
        Some(item) => part::rows(Shelf::Agents, item, width),
        None => {
            let words = "a role of the configuration; it needs no tap";
            let none = Styled::default();
            let mut rows = vec![Styled::new(&text::sanitize_line(row.tag), Role::UiStrong).into_row(width)];
            rows.extend(Styled::new(words, Role::UiDim).rows(width, Break::Words, &none, &none));
            rows
        }
    }
}
