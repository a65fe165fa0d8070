//! A part of the catalogue in full: what it is, what is wrong with it, where it comes from.

use super::reader::field;
use crate::proto::{CatalogueItem, CatalogueProblem};
use crate::text;
use crate::ui::state::{Findings, Shelf};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled};

/// Everything that is known of it, its findings before its long words.
pub fn rows(shelf: Shelf, item: &CatalogueItem, width: usize) -> Vec<Row> {
    let mut rows = vec![Styled::new(&text::sanitize_line(&item.name), Role::UiStrong).into_row(width)];
    let title = text::sanitize_line(&item.title);
    if !title.is_empty() && title != item.name {
        rows.extend(prose(&title, Role::UiText, width));
    }
    if !item.problems.is_empty() {
        rows.push(Row::blank());
        rows.extend(problems(&item.problems, width));
    }
    let description = text::sanitize(item.description.trim());
    if !description.is_empty() {
        rows.push(Row::blank());
        rows.extend(prose(&description, Role::UiText, width));
    }
    rows.push(Row::blank());
    let domains = if item.domains.is_empty() { "every one".to_owned() } else { item.domains.join(" · ") };
    let detail = match shelf {
        Shelf::Agents => "uses",
        Shelf::Capabilities => "providers",
        Shelf::Skills => "rules",
        Shelf::Taps => "state",
        Shelf::Plugins | Shelf::Problems => "holds",
    };
    let mut told = |name: &str, value: &str, role: Role| {
        if !value.trim().is_empty() {
            field(&mut rows, name, value, role, width);
        }
    };
    told(detail, &item.detail, Role::UiText);
    if shelf != Shelf::Taps {
        told("domains", &domains, Role::UiText);
        told("tap", &item.tap, Role::UiText);
    }
    told("file", &item.file, Role::CodeText);
    rows
}

/// Findings, errors first, each with its place and what to do.
pub fn problems(problems: &[CatalogueProblem], width: usize) -> Vec<Row> {
    let mut sorted: Vec<&CatalogueProblem> = problems.iter().collect();
    sorted.sort_by_key(|problem| (!problem.error, problem.note));
    sorted.into_iter().flat_map(|one| problem(one, width)).collect()
}

pub fn problem(problem: &CatalogueProblem, width: usize) -> Vec<Row> {
    let (mark, role) = sign(problem);
    let indent = Styled::new("  ", Role::UiText);
    let message = Styled::new(&text::sanitize(&problem.message), Role::UiText);
    let mut rows = message.rows(width, Break::Words, &Styled::new(mark, role).with(" ", role), &indent);
    let place = text::sanitize_line(&problem.place);
    if !place.is_empty() {
        rows.extend(Styled::new(&place, Role::UiDim).rows(width, Break::Anywhere, &indent, &indent));
    }
    if let Some(hint) = problem.hint.as_deref().filter(|hint| !hint.trim().is_empty()) {
        let lead = Styled::new("  hint: ", Role::NoticeHint);
        let rest = Styled::new("        ", Role::UiText);
        rows.extend(Styled::new(&text::sanitize(hint), Role::NoticeHint).rows(width, Break::Words, &lead, &rest));
    }
    rows
}

/// The sign of a finding or note.
pub fn sign(problem: &CatalogueProblem) -> (&'static str, Role) {
    if problem.note { ("i", Role::NoticeInfo) } else { mark(problem.error) }
}

/// The sign of an error or a doubt; it tells without colour.
pub fn mark(error: bool) -> (&'static str, Role) {
    if error { ("✘", Role::NoticeError) } else { ("!", Role::NoticeWarning) }
}

/// `✘ 2 ! 1`; nothing when all is well.
pub fn counts(findings: Findings) -> Styled {
    let mut line = Styled::default();
    for (error, count) in [(true, findings.errors), (false, findings.doubts)] {
        if count == 0 {
            continue;
        }
        let (sign, role) = mark(error);
        line.push(if line.is_empty() { "" } else { " " }, Role::UiText);
        line.push(&format!("{sign}{count}"), role);
    }
    line
}

fn prose(words: &str, role: Role, width: usize) -> Vec<Row> {
    Styled::new(words, role).rows(width, Break::Words, &Styled::default(), &Styled::default())
}
