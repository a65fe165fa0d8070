use ratatui::layout::Rect;

use super::{Panel, centred, entry_rows, part, switches, why};
use crate::proto::{Note, ServerView, SkillView, ToolInfo};
use crate::text::{self, human};
use crate::ui::state::{Layer, Noun, Reader, State, Subject};
use crate::ui::theme::Role;
use crate::ui::transcript::{Break, Row, Styled, cell};
use crate::ui::view::hints::Hints;
use crate::ui::view::list::{Line, List};
use crate::ui::view::panes::surface::handed;
use crate::ui::view::panes::{plan, surface};

/// One record in full.
pub fn panel(state: &State, hints: &Hints, reader: &mut Reader, area: Rect) -> Panel {
    let columns = super::columns(area, 100);
    let width = columns.saturating_sub(4) as usize;
    let (title, rows) = content(state, &reader.subject, width);
    let outline = match reader.subject {
        // The image is drawn in the box: it gets all there is.
        Subject::Picture(_) => centred(area, area.width, area.height),
        _ => centred(area, columns, (rows.len() as u16).saturating_add(2).max(5)),
    };
    let lines = rows.into_iter().map(Line::plain).collect();
    let list = List::window(lines, None, &mut reader.offset, outline.height.saturating_sub(2));
    let keys = super::keys(state, &Layer::Reader(reader.clone()));
    let foot = hints.fitting(state, keys, usize::from(columns.saturating_sub(6)));
    Panel::whole(outline, title, foot, list)
}

fn content(state: &State, subject: &Subject, width: usize) -> (String, Vec<Row>) {
    let gone = || vec![Styled::new("This is not there any more.", Role::UiDim).into_row(width)];
    match subject {
        Subject::Entry(order) => {
            let rows = state.snapshot.transcript.get(*order).map(|entry| entry_rows(entry, state, width));
            ("Entry".to_owned(), rows.unwrap_or_else(gone))
        }
        Subject::Note(seq) => {
            let note = state.note(*seq);
            ("Note".to_owned(), note.map_or_else(gone, |note| note_rows(note, state, width)))
        }
        Subject::Plan => {
            let plan = &state.snapshot.supervisor.plan;
            ("Plan".to_owned(), if plan.phases.is_empty() { gone() } else { plan::record(plan, width) })
        }
        Subject::Switch(key) => {
            let switch = state.switch(key);
            ("Switch".to_owned(), switch.map_or_else(gone, |switch| switches::record(state, switch, width)))
        }
        // Drawn from rows that are kept.
        Subject::Wire(..) => (String::new(), Vec::new()),
        Subject::Server(name) => {
            let server = state.snapshot.servers.iter().find(|server| server.name == *name);
            let title = format!("Server {}", text::sanitize_line(name));
            (title, server.map_or_else(gone, |server| server_rows(server, state, width)))
        }
        Subject::Skill(name) => {
            let skill = state.snapshot.skills.iter().find(|skill| skill.name == *name);
            let title = format!("Skill {}", text::sanitize_line(name));
            (
                title,
                skill.map_or_else(gone, |skill| {
                    with_why(skill_rows(skill, width), state, (Noun::Skill, &skill.name), width)
                }),
            )
        }
        Subject::Child(id) => {
            let child = state.snapshot.children.iter().find(|child| child.id == *id);
            ("Handed on".to_owned(), child.map_or_else(gone, |child| handed::record(state, child, width)))
        }
        Subject::Part { shelf, name, file } => {
            let item = state.part(*shelf, name, file);
            let mut noun = shelf.noun().to_owned();
            noun[..1].make_ascii_uppercase();
            (noun, item.map_or_else(gone, |item| part::rows(*shelf, item, width)))
        }
        Subject::Finding { place, message } => {
            let problem = state.finding(place, message);
            ("Problem".to_owned(), problem.map_or_else(gone, |problem| part::problem(problem, width)))
        }
        Subject::Tool { server, wire_name } => {
            let found = state.snapshot.servers.iter().find(|one| one.name == *server);
            let tool = found.and_then(|one| one.tools.iter().find(|tool| tool.wire_name == *wire_name));
            let title = format!("Tool {}", text::sanitize_line(tool.map_or(wire_name, |tool| &tool.name)));
            (
                title,
                tool.map_or_else(gone, |tool| {
                    with_why(tool_rows(tool, width), state, (Noun::Tool, &tool.wire_name), width)
                }),
            )
        }
        Subject::Why(noun, name) => why::content(state, (*noun, name), width),
        Subject::Picture(picture) => {
            let Some((content, from)) = state.picture(*picture) else { return ("Image".to_owned(), gone()) };
            let words = cell::picture_words(content).unwrap_or_default();
            (format!("Image from {from}"), vec![Styled::new(&words, Role::UiDim).into_row(width)])
        }
    }
}

/// Columns at which a record is laid out to be copied: its lines are broken by who reads them.
const COPIED: usize = 400;

/// A record as text.
pub fn record_text(state: &State, subject: &Subject) -> String {
    let (_, rows) = content(state, subject, COPIED);
    rows.iter().map(|row| row.text.trim_end()).collect::<Vec<_>>().join("\n")
}

/// A record, and why what it tells of is here or is not.
fn with_why(mut rows: Vec<Row>, state: &State, subject: (Noun, &str), width: usize) -> Vec<Row> {
    rows.push(Row::blank());
    rows.extend(why::content(state, subject, width).1);
    rows
}

/// A name and its value, the value wrapped beside it.
pub fn field(rows: &mut Vec<Row>, name: &str, value: &str, role: Role, width: usize) {
    let mut lead = Styled::new(name, Role::UiDim);
    lead.pad_to(12, Role::UiText);
    let rest = Styled::new(&" ".repeat(12), Role::UiText);
    rows.extend(Styled::new(&text::sanitize(value), role).rows(width, Break::Words, &lead, &rest));
}

fn note_rows(note: &Note, state: &State, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    // A record of the supervisor's tells its own text.
    if let Some(record) = state.snapshot.supervisor_record(note.seq) {
        let when = format!("turn {} · {}", note.turn.0, human::ago(state.now.saturating_sub(note.at)));
        return cell::supervisor::record(&record.decision, &when, width);
    }
    field(&mut rows, "turn", &note.turn.0.to_string(), Role::UiText, width);
    field(&mut rows, "when", &human::ago(state.now.saturating_sub(note.at)), Role::UiText, width);
    field(&mut rows, "from", &note.source, Role::UiText, width);
    field(&mut rows, "text", &note.text, Role::UiStrong, width);
    let entry = note.order.and_then(|order| state.snapshot.transcript.get(order));
    if let Some(entry) = entry {
        rows.push(Row::blank());
        rows.extend(entry_rows(entry, state, width));
    }
    rows
}

pub fn server_rows(server: &ServerView, state: &State, width: usize) -> Vec<Row> {
    let mut rows = server_facts(server, state, width);
    if !server.tools.is_empty() {
        rows.push(Row::blank());
        rows.push(Styled::new("tools", Role::UiStrong).into_row(width));
    }
    let names = server.tools.iter().map(|tool| text::width(&tool.name)).max().unwrap_or(0).min(28);
    for tool in &server.tools {
        rows.push(tool_line(tool, names, width));
    }
    rows.extend(server_words(server, width));
    rows
}

/// How it stands, and what to do about it.
pub fn server_state(server: &ServerView, state: &State, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let (_, role, words) = surface::state_words(server, state);
    field(&mut rows, "state", words.as_deref().unwrap_or("ready"), role, width);
    if let crate::proto::ServerState::Failed { advice, .. } = &server.state
        && !advice.is_empty()
    {
        field(&mut rows, "hint", advice, Role::NoticeHint, width);
    }
    rows
}

/// How it stands, who holds it, what is run and what it costs.
fn server_facts(server: &ServerView, state: &State, width: usize) -> Vec<Row> {
    let mut rows = server_state(server, state, width);
    if let Some(here) = state.snapshot.surface.references.iter().find(|one| one.server == server.name) {
        field(&mut rows, "here for", &here.by.join(" · "), Role::UiText, width);
    }
    field(&mut rows, "runs", &server.command, Role::CodeText, width);
    let cost = format!("{} tok per turn", human::tokens(u64::from(server.tokens())));
    field(&mut rows, "costs", &cost, Role::UiText, width);
    rows
}

/// Its last lines on standard error, the newest last.
pub fn server_words(server: &ServerView, width: usize) -> Vec<Row> {
    let mut rows = vec![Row::blank()];
    rows.push(Styled::new("last words on standard error", Role::UiStrong).into_row(width));
    if server.stderr.is_empty() {
        rows.push(Styled::new("  none", Role::UiDim).into_row(width));
    }
    let bar = Styled::new("│ ", Role::UiDim);
    for line in &server.stderr {
        let styled = Styled::new(&text::sanitize_line(line), Role::ToolOutput);
        rows.extend(styled.rows(width, Break::Anywhere, &bar, &bar));
    }
    rows
}

fn tool_line(tool: &ToolInfo, names: usize, width: usize) -> Row {
    let (mark, role) = if tool.exposed() { ("  ", Role::ToolName) } else { ("✘ ", Role::UiDim) };
    let mut line = Styled::new(mark, Role::NoticeWarning);
    let mut name = Styled::new(&text::sanitize_line(&tool.name), role);
    name.cut(names);
    name.pad_to(names + 2, Role::UiText);
    line.append(&name);
    let words = match (&tool.quarantine, &tool.filtered_by) {
        (Some(quarantine), _) => format!("kept off: {}", quarantine.reason),
        (None, Some(filter)) => format!("left out by {filter}"),
        (None, None) => tool.summary.clone(),
    };
    let cost = format!("{} tok", human::tokens(u64::from(tool.tokens)));
    line.push(&text::sanitize_line(&words), Role::UiDim);
    let room = width.saturating_sub(text::width(&cost));
    line.cut(room.saturating_sub(2));
    line.pad_to(room, Role::UiText);
    line.with(&cost, Role::UiDim).into_row(width)
}

fn skill_rows(skill: &SkillView, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    field(&mut rows, "says", &skill.description, Role::UiText, width);
    field(&mut rows, "came by", &cell::skill_cause(&skill.cause), Role::UiText, width);
    let cost = format!("{} tok per turn", human::tokens(u64::from(skill.tokens)));
    field(&mut rows, "costs", &cost, Role::UiText, width);
    field(&mut rows, "from", &skill.source, Role::UiText, width);
    field(&mut rows, "file", &skill.file, Role::CodeText, width);
    rows
}

fn tool_rows(tool: &ToolInfo, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    field(&mut rows, "says", &tool.summary, Role::UiText, width);
    field(&mut rows, "on the wire", &tool.wire_name, Role::CodeText, width);
    field(&mut rows, "costs", &format!("{} tok per turn", human::tokens(u64::from(tool.tokens))), Role::UiText, width);
    if let Some(quarantine) = &tool.quarantine {
        field(&mut rows, "kept off", &quarantine.reason, Role::NoticeWarning, width);
        field(&mut rows, "hint", &quarantine.advice, Role::NoticeHint, width);
    }
    if let Some(filter) = &tool.filtered_by {
        field(&mut rows, "left out by", filter, Role::UiText, width);
    }
    for repair in &tool.repairs {
        field(&mut rows, "mended", repair, Role::UiText, width);
    }
    rows
}
