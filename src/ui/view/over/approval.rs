//! The question about a tool call: what it would do, why it is asked, and what each answer means.

use ratatui::layout::Rect;
use serde_json::Value;

use super::{Panel, centred};
use crate::proto::{ApprovalPreview, ApprovalRequest};
use crate::text;
use crate::ui::action::Action;
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, cell, diff};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};

/// Columns that the box has at the most.
const WIDE: u16 = 110;

pub const KEYS: &[(Action, &str)] = &[
    (Action::AnswerYes, "once"),
    (Action::AnswerNo, "no"),
    (Action::AnswerSession, "session"),
    (Action::AnswerNever, "never"),
    (Action::Close, "later"),
];

/// Everything scrolls but what the call is called: however long it is, all of it can be read.
pub fn panel(state: &State, hints: &Hints, request: &ApprovalRequest, offset: &mut usize, area: Rect) -> Panel {
    let columns = area.width.saturating_sub(2).min(WIDE);
    let width = columns.saturating_sub(4) as usize;
    let head = Styled::new(&text::sanitize_line(&title(request)), Role::UiStrong).into_row(width);
    let mut rows = Vec::new();
    what(request, width, &mut rows);
    rows.push(Row::blank());
    answers(state, hints, request, width, &mut rows);
    for warning in &request.warnings {
        prose("! ", warning, Role::NoticeWarning, width, &mut rows);
    }
    if let Some(preview) = &request.preview {
        rows.push(Row::blank());
        diff_rows(preview, width, &mut rows);
    }
    let outline = centred(area, columns, u16::try_from(rows.len() + 3).unwrap_or(u16::MAX));
    let room = outline.height.saturating_sub(3);
    let mut list = List::window(rows.into_iter().map(Line::plain).collect(), None, offset, room);
    list.lines.insert(0, Line::plain(head));
    list.total += 1;
    let name =
        if request.of > 1 { format!("Approval {} of {}", request.number, request.of) } else { "Approval".to_owned() };
    let foot = hints.fitting(state, KEYS, outline.width.saturating_sub(6) as usize);
    Panel::whole(outline, name, foot, list)
}

fn title(request: &ApprovalRequest) -> String {
    let tool = match request.server.as_str() {
        "" => request.tool.clone(),
        server => format!("{server}.{}", request.tool),
    };
    match &request.preview {
        Some(file) if file.creates => format!("{tool} wants to create {}", text::reveal(&file.path)),
        Some(file) => format!("{tool} wants to change {}", text::reveal(&file.path)),
        None => format!("{tool} wants to run"),
    }
}

fn prose(lead: &str, words: &str, role: Role, width: usize, rows: &mut Vec<Row>) {
    let first = Styled::new(lead, role);
    let rest = Styled::new(&" ".repeat(text::width(lead)), role);
    rows.extend(Styled::new(&text::sanitize(&text::reveal(words)), role).rows(width, Break::Words, &first, &rest));
}

/// What would run, exactly as it is, then why a yes is needed for it.
fn what(request: &ApprovalRequest, width: usize, rows: &mut Vec<Row>) {
    let command = ["command", "cmd", "script"]
        .into_iter()
        .find(|name| request.arguments.get(*name).is_some_and(Value::is_string));
    let several = request.parts.len() > 1;
    if let Some(command) = command.and_then(|name| request.arguments.get(name)).and_then(Value::as_str) {
        let lead = Styled::new("$ ", Role::UiDim);
        let rest = Styled::new("  ", Role::UiDim);
        rows.extend(Styled::new(&text::reveal(command.trim_end()), Role::CodeText).rows(
            width,
            Break::Anywhere,
            &lead,
            &rest,
        ));
    }
    let shown = request.preview.is_some();
    if let Value::Object(fields) = &request.arguments {
        for (name, value) in fields.iter().filter(|(name, _)| !shown && Some(name.as_str()) != command) {
            argument(name, value, width, rows);
        }
    }
    prose("", &format!("Asked because {}.", request.why), Role::UiDim, width, rows);
    if several {
        rows.push(Row::blank());
        let lead = Styled::default();
        request.parts.iter().for_each(|part| cell::approval::part_rows(part, &lead, width, rows));
    }
}

fn argument(name: &str, value: &Value, width: usize, rows: &mut Vec<Row>) {
    let value = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let lead = Styled::new(&text::sanitize_line(name), Role::UiDim).with("  ", Role::UiDim);
    let rest = Styled::new("  ", Role::UiDim);
    rows.extend(Styled::new(&text::reveal(value.trim_end()), Role::ToolArguments).rows(
        width,
        Break::Anywhere,
        &lead,
        &rest,
    ));
}

/// Each answer with its key, and exactly what it would be remembered for.
fn answers(state: &State, hints: &Hints, request: &ApprovalRequest, width: usize, rows: &mut Vec<Row>) {
    let session = format!("yes, and in this session: {}", request.remembers.join(", "));
    let never = format!("no, and in this session: {}", request.refuses.join(", "));
    let meanings = [
        (Action::AnswerYes, "yes, this once".to_owned()),
        (Action::AnswerNo, "no, this once".to_owned()),
        (Action::AnswerSession, session),
        (Action::AnswerNever, never),
    ];
    for (action, words) in meanings {
        let Some(key) = hints.key(state, action) else { continue };
        let lead = Styled::new(key, Role::UiStatusKey).with("  ", Role::UiText);
        let rest = Styled::new(&" ".repeat(lead.width()), Role::UiText);
        rows.extend(Styled::new(&text::sanitize_line(&text::reveal(&words)), Role::UiText).rows(
            width,
            Break::Words,
            &lead,
            &rest,
        ));
    }
}

fn diff_rows(preview: &ApprovalPreview, width: usize, rows: &mut Vec<Row>) {
    let size = format!("+{} −{} lines", preview.added, preview.removed);
    rows.push(Styled::new(&size, Role::UiDim).into_row(width));
    if let Some(note) = &preview.note {
        prose("! ", note, Role::NoticeWarning, width, rows);
    }
    let none = Styled::default();
    for line in diff::of_unified(&preview.diff) {
        rows.extend(line.styled().rows(width, Break::Anywhere, &none, &none));
    }
}
