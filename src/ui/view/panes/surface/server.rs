//! A server of the Surface pane: its state, its tools, what they cost; what is kept off and why.

use std::collections::BTreeMap;

use crate::proto::{AskKind, ServerKind, ServerState, ServerView, ToolInfo};
use crate::text::{self, human};
use crate::ui::state::State;
use crate::ui::theme::Role;
use crate::ui::transcript::cell::spinner;
use crate::ui::transcript::{Break, Row, Styled};

/// Columns beside the name that its tools need to stand there too.
const BESIDE: usize = 32;

/// Whether what belongs to a name stands below it: the column is narrow.
pub fn is_below(columns: usize, width: usize) -> bool {
    width < columns + BESIDE
}

/// Something with tools: a server, or a capability with its servers.
pub struct Holder {
    /// Stands before the name.
    pub lead: Styled,
    pub name: String,
    pub tools: Vec<String>,
    /// Of the tools, per request.
    pub tokens: u32,
    /// What is to be said of its state in place of tools.
    pub words: Option<(String, Role)>,
    /// Stands where there are no tools.
    pub empty: &'static str,
}

pub fn server_rows(server: &ServerView, columns: usize, width: usize, state: &State) -> Vec<Row> {
    let (mark, role, words) = state_words(server, state);
    let tools = server.tools.iter().filter(|tool| tool.exposed());
    let holder = Holder {
        lead: Styled::new(mark, role).with(" ", Role::UiText),
        name: text::sanitize_line(&server.name).into_owned(),
        tools: tools.map(|tool| text::sanitize_line(&tool.name).into_owned()).collect(),
        tokens: server.tokens(),
        words: words.map(|words| (words, role)),
        empty: "no tools",
    };
    holder.rows(columns, width)
}

impl Holder {
    /// The name, its tools beside it, and what they cost; below it in a narrow column.
    pub fn rows(self, columns: usize, width: usize) -> Vec<Row> {
        let lead_columns = self.lead.width();
        let below = is_below(columns, width);
        let mut lead = self.lead;
        let mut name = Styled::new(&self.name, Role::ToolName);
        name.cut(if below { width.saturating_sub(lead_columns) } else { columns });
        name.pad_to(if below { 0 } else { columns + 1 }, Role::UiText);
        lead.append(&name);
        let cost = match (&self.words, self.tools.is_empty()) {
            (None, false) => format!("{} tok", human::tokens(u64::from(self.tokens))),
            _ => String::new(),
        };
        let tools = if self.tools.is_empty() { vec![self.empty.to_owned()] } else { self.tools };
        let indent = if below { lead_columns } else { lead.width() };
        let rest = Styled::new(&" ".repeat(indent), Role::UiText);
        let room = width.saturating_sub(indent + if below || cost.is_empty() { 0 } else { text::width(&cost) + 1 });
        let body: Vec<Styled> = match &self.words {
            Some((words, role)) => {
                let ranges = text::wrap(words, room.max(1));
                ranges.into_iter().map(|range| Styled::new(&words[range], *role)).collect()
            }
            None => joined(&tools, room, Role::UiText),
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
}

pub fn glued(lead: &Styled, line: &Styled) -> Styled {
    let mut row = lead.clone();
    row.append(line);
    row
}

/// A row with words at its right end.
pub fn ended(mut row: Styled, words: &str, width: usize) -> Row {
    if !words.is_empty() {
        row.cut(width.saturating_sub(text::width(words) + 1));
        row.pad_to(width.saturating_sub(text::width(words)), Role::UiText);
        row.push(words, Role::UiDim);
    }
    row.into_row(width)
}

/// `view · edit · search`, broken between names.
pub fn joined(names: &[String], room: usize, role: Role) -> Vec<Styled> {
    let mut lines = vec![Styled::default()];
    for name in names {
        let Some(line) = lines.last_mut() else { break };
        if !line.is_empty() && line.width() + 3 + text::width(name) > room {
            lines.push(Styled::new(name, role));
            continue;
        }
        if !line.is_empty() {
            line.push(" · ", Role::UiDim);
        }
        line.push(name, role);
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

pub fn kept_off(tool: &ToolInfo, columns: usize, width: usize) -> Row {
    let reason = tool.quarantine.as_ref().map_or("", |quarantine| quarantine.reason.as_str());
    Styled::new(&" ".repeat(columns + 4), Role::UiText)
        .with("✘ ", Role::NoticeWarning)
        .with(&text::sanitize_line(&tool.name), Role::UiText)
        .with("  kept off: ", Role::NoticeWarning)
        .with(&text::sanitize_line(reason), Role::UiDim)
        .into_row(width)
}

/// Tools that a filter leaves out, by filter.
pub fn filtered(server: &ServerView, columns: usize, width: usize) -> Vec<Row> {
    let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in server.tools.iter().filter(|tool| tool.quarantine.is_none()) {
        if let Some(filter) = &tool.filtered_by {
            by.entry(filter).or_default().push(&tool.name);
        }
    }
    // In a narrow column it stands below the server's name, as all that belongs to it.
    let indent = if is_below(columns, width) { 2 } else { columns + 4 };
    let rows = |(filter, names): (&str, Vec<&str>)| {
        let words = format!("{} left out by {}: {}", names.len(), filter, names.join(" · "));
        let lead = Styled::new(&" ".repeat(indent), Role::UiText).with("− ", Role::UiDim);
        let rest = Styled::new(&" ".repeat(indent + 2), Role::UiText);
        Styled::new(&text::sanitize_line(&words), Role::UiDim).rows(width, Break::Words, &lead, &rest)
    };
    by.into_iter().flat_map(rows).collect()
}
