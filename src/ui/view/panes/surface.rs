use std::collections::BTreeMap;

use crate::proto::{AskKind, EncoderState, ServerKind, ServerState, ServerView, SkillView, Snapshot, ToolInfo};
use crate::text::{self, human};
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::cell::{self, spinner};
use crate::ui::transcript::{Break, Row, Styled};
use crate::ui::view::list::Line;

/// What a row that can be marked stands for: indices into the snapshot's servers, their tools, and its
/// active skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    Server(usize),
    /// A tool that is kept off.
    Tool {
        server: usize,
        tool: usize,
    },
    Skill(usize),
}

/// The items in the order they are shown.
pub fn items(snapshot: &Snapshot) -> Vec<Item> {
    let mut items = Vec::new();
    for (index, server) in snapshot.servers.iter().enumerate() {
        items.push(Item::Server(index));
        let kept_off = server.tools.iter().enumerate().filter(|(_, tool)| tool.quarantine.is_some());
        items.extend(kept_off.map(|(tool, _)| Item::Tool { server: index, tool }));
    }
    items.extend((0..snapshot.skills.len()).map(Item::Skill));
    items
}

/// `11 tools · 2 310 tok/turn`
pub fn summary(state: &State) -> String {
    let (tools, tokens) = state.snapshot.surface();
    let noun = if tools == 1 { "tool" } else { "tools" };
    format!("{tools} {noun} · {} tok/turn", human::tokens(u64::from(tokens)))
}

/// Columns of the longest name, within reason.
fn name_columns(servers: &[ServerView]) -> usize {
    servers.iter().map(|server| text::width(&server.name)).max().unwrap_or(0).clamp(6, 16)
}

pub fn lines(state: &State, width: usize) -> Vec<Line> {
    let servers = &state.snapshot.servers;
    let role = text::sanitize_line(&state.snapshot.session.role);
    let heading = Styled::new("STATIC", Role::UiStrong).with("  ", Role::UiText).with(&role, Role::UiDim);
    let mut lines = vec![Line::plain(heading.into_row(width))];
    if servers.is_empty() {
        lines.push(Line::plain(Styled::new("  no servers: the model has no tools", Role::UiDim).into_row(width)));
    }
    let columns = name_columns(servers);
    let mut item = 0;
    for server in servers {
        for row in server_rows(server, columns, width, state) {
            lines.push(Line::of(item, row));
        }
        item += 1;
        for tool in server.tools.iter().filter(|tool| tool.quarantine.is_some()) {
            lines.push(Line::of(item, kept_off(tool, columns, width)));
            item += 1;
        }
        lines.extend(filtered(server, columns, width).into_iter().map(Line::plain));
    }
    lines.extend(skill_lines(&state.snapshot.skills, item, width));
    let encoder = encoder_rows(&state.snapshot.encoder, width);
    if !encoder.is_empty() {
        lines.push(Line::plain(Row::blank()));
        lines.extend(encoder.into_iter().map(Line::plain));
    }
    lines
}

/// Columns that a skill's row needs to also tell how it came.
const WITH_CAUSE: usize = 36;

/// Active skills under a heading of their own; nothing when there is none.
fn skill_lines(skills: &[SkillView], first: usize, width: usize) -> Vec<Line> {
    if skills.is_empty() {
        return Vec::new();
    }
    let tokens: u64 = skills.iter().map(|skill| u64::from(skill.tokens)).sum();
    let words = format!("{} active · {} tok/turn", skills.len(), human::tokens(tokens));
    let heading = Styled::new("SKILLS", Role::UiStrong).with("  ", Role::UiText).with(&words, Role::UiDim);
    let mut lines = vec![Line::plain(Row::blank()), Line::plain(heading.into_row(width))];
    let names = skills.iter().map(|skill| text::width(&skill.name)).max().unwrap_or(0).clamp(6, 20).min(width / 2);
    for (index, skill) in skills.iter().enumerate() {
        let mut line = Styled::new("◆ ", Role::DecisionMark);
        let mut name = Styled::new(&text::sanitize_line(&skill.name), Role::ToolName);
        name.cut(names);
        name.pad_to(names + 1, Role::UiText);
        line.append(&name);
        if width >= WITH_CAUSE {
            line.push(&format!("by {}", cell::skill_cause(&skill.cause)), Role::UiDim);
        }
        let cost = format!("{} tok", human::tokens(skill.tokens.into()));
        lines.push(Line::of(first + index, ended(line, &cost, width)));
    }
    lines
}

/// What sentences are compared with, while it is on its way or when it did not arrive.
fn encoder_rows(encoder: &EncoderState, width: usize) -> Vec<Row> {
    match encoder {
        EncoderState::Idle | EncoderState::Ready { .. } => Vec::new(),
        EncoderState::Downloading { done, total, .. } => {
            let of = total.map(|total| format!(" of {}", human::bytes(total))).unwrap_or_default();
            let words = format!("encoder downloading {}{of}", human::bytes(*done));
            vec![Styled::new(&words, Role::UiDim).into_row(width)]
        }
        EncoderState::Loading { phrases_done, phrases, .. } => {
            let done = if *phrases > 0 { format!(" {phrases_done}/{phrases}") } else { String::new() };
            vec![Styled::new(&format!("encoder loading{done}"), Role::UiDim).into_row(width)]
        }
        // Why, and what to do, is in the notes.
        EncoderState::Failed { .. } => {
            let line = Styled::new("! ", Role::NoticeWarning).with("no sentence encoder", Role::UiText);
            let told = line.clone().with("  see the notes", Role::UiDim);
            vec![if told.width() <= width { told } else { line }.into_row(width)]
        }
    }
}

fn server_rows(server: &ServerView, columns: usize, width: usize, state: &State) -> Vec<Row> {
    let (mark, role, words) = state_words(server, state);
    let mut lead = Styled::new(mark, role).with(" ", Role::UiText);
    let mut name = Styled::new(&text::sanitize_line(&server.name), Role::ToolName);
    // In a narrow column what belongs to the server stands below its name.
    let below = width < columns + 32;
    name.cut(if below { width.saturating_sub(2) } else { columns });
    name.pad_to(if below { 0 } else { columns + 1 }, Role::UiText);
    lead.append(&name);
    let names: Vec<String> = server
        .tools
        .iter()
        .filter(|tool| tool.exposed())
        .map(|tool| text::sanitize_line(&tool.name).into_owned())
        .collect();
    let cost = match (&words, names.is_empty()) {
        (None, false) => format!("{} tok", human::tokens(u64::from(server.tokens()))),
        _ => String::new(),
    };
    let tools = if names.is_empty() { vec!["no tools".to_owned()] } else { names };
    let indent = if below { 2 } else { lead.width() };
    let rest = Styled::new(&" ".repeat(indent), Role::UiText);
    let room = width.saturating_sub(indent + if below || cost.is_empty() { 0 } else { text::width(&cost) + 1 });
    let body: Vec<Styled> = match &words {
        Some(words) => {
            let ranges = text::wrap(words, room.max(1));
            ranges.into_iter().map(|range| Styled::new(&words[range], role)).collect()
        }
        None => joined(&tools, room),
    };
    let mut rows = Vec::new();
    if below {
        rows.push(ended(lead, &cost, width));
        rows.extend(body.iter().map(|line| glued(&rest, line).into_row(width)));
        return rows;
    }
    for (index, line) in body.iter().enumerate() {
        let row = glued(if index == 0 { &lead } else { &rest }, line);
        rows.push(if index == 0 { ended(row, &cost, width) } else { row.into_row(width) });
    }
    rows
}

fn glued(lead: &Styled, line: &Styled) -> Styled {
    let mut row = lead.clone();
    row.append(line);
    row
}

/// A row with words at its right end.
fn ended(mut row: Styled, words: &str, width: usize) -> Row {
    if !words.is_empty() {
        row.cut(width.saturating_sub(text::width(words) + 1));
        row.pad_to(width.saturating_sub(text::width(words)), Role::UiText);
        row.push(words, Role::UiDim);
    }
    row.into_row(width)
}

/// `view · edit · search`, broken between names.
fn joined(names: &[String], room: usize) -> Vec<Styled> {
    let mut lines = vec![Styled::default()];
    for name in names {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && line.width() + 3 + text::width(name) > room {
            lines.push(Styled::new(name, Role::UiText));
            continue;
        }
        if !line.is_empty() {
            line.push(" · ", Role::UiDim);
        }
        line.push(name, Role::UiText);
    }
    lines
}

/// Whole seconds while short: what counts on a screen needs no tenths.
fn seconds(milliseconds: u64) -> String {
    match milliseconds / 1000 {
        short @ 0..60 => format!("{short} s"),
        long => human::duration_ms(long * 1000),
    }
}

/// Mark, role and, unless it is ready, what is to be said of its state. The mark tells it without
/// colour.
pub fn state_words(server: &ServerView, state: &State) -> (&'static str, Role, Option<String>) {
    let now = state.now;
    if waits_for_trust(server, state) {
        let words = "waits until you say whether its files are trusted";
        return ("?", Role::ServerStarting, Some(words.to_owned()));
    }
    match &server.state {
        ServerState::Ready { .. } => ("●", Role::ServerReady, None),
        ServerState::Starting { since, attempt } => {
            let again = if *attempt > 1 { format!(", try {attempt}") } else { String::new() };
            let mark = spinner(now, state.settings.motion);
            (mark, Role::ServerStarting, Some(format!("starting {}{again}", seconds(now.saturating_sub(*since)))))
        }
        ServerState::Waiting { reason, retry_at: 0, .. } => {
            ("?", Role::ServerStarting, Some(text::sanitize_line(reason).into_owned()))
        }
        ServerState::Waiting { reason, retry_at, .. } => {
            let left = seconds(retry_at.saturating_sub(now) + 999);
            ("↻", Role::ServerStarting, Some(format!("again in {left}: {}", text::sanitize_line(reason))))
        }
        ServerState::Failed { reason, .. } => {
            ("✘", Role::ServerFailed, Some(format!("failed: {}", text::sanitize_line(reason))))
        }
        ServerState::NeedsSignIn { reason } => {
            ("?", Role::ServerStarting, Some(format!("needs a login: {}", text::sanitize_line(reason))))
        }
        ServerState::Disabled { by } => ("○", Role::ServerOff, Some(format!("off, by {}", text::sanitize_line(by)))),
        ServerState::Stopped => ("○", Role::ServerOff, Some("stopped".to_owned())),
    }
}

/// Whether the tools of the project's own files wait for the answer to an open question.
fn waits_for_trust(server: &ServerView, state: &State) -> bool {
    let trust = || state.snapshot.asks.iter().any(|(ask, _)| matches!(ask.kind, AskKind::Trust { .. }));
    server.kind == ServerKind::Local && matches!(server.state, ServerState::Starting { .. }) && trust()
}

fn kept_off(tool: &ToolInfo, columns: usize, width: usize) -> Row {
    let reason = tool.quarantine.as_ref().map_or("", |quarantine| quarantine.reason.as_str());
    Styled::new(&" ".repeat(columns + 4), Role::UiText)
        .with("✘ ", Role::NoticeWarning)
        .with(&text::sanitize_line(&tool.name), Role::UiText)
        .with("  kept off: ", Role::NoticeWarning)
        .with(&text::sanitize_line(reason), Role::UiDim)
        .into_row(width)
}

/// Tools that a filter leaves out, by filter.
fn filtered(server: &ServerView, columns: usize, width: usize) -> Vec<Row> {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in server.tools.iter().filter(|tool| tool.quarantine.is_none()) {
        if let Some(filter) = &tool.filtered_by {
            by.entry(filter).or_default().push(&tool.name);
        }
    }
    // In a narrow column it stands below the server's name, as all that belongs to it.
    let indent = if width < columns + 32 { 2 } else { columns + 4 };
    let rows = |(filter, names): (&str, Vec<&str>)| {
        let words = format!("{} left out by {}: {}", names.len(), filter, names.join(" · "));
        let lead = Styled::new(&" ".repeat(indent), Role::UiText).with("− ", Role::UiDim);
        let rest = Styled::new(&" ".repeat(indent + 2), Role::UiText);
        Styled::new(&text::sanitize_line(&words), Role::UiDim).rows(width, Break::Words, &lead, &rest)
    };
    by.into_iter().flat_map(rows).collect()
}
