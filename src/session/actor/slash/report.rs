use super::effort_word;
use super::layout::{row, table};
use crate::proto::{Effort, ServerState, ServerView, SessionView, Snapshot, Usage, slash};
use crate::session::rules::Limits;
use crate::text::human;

pub(super) fn help() -> String {
    let rows: Vec<Vec<String>> = slash::COMMANDS
        .iter()
        .map(|command| {
            let names = std::iter::once(command.name).chain(command.aliases.iter().copied());
            let names = names.map(|name| format!("/{name}")).collect::<Vec<_>>().join(", ");
            vec![names, format!("{} {}", command.doc, command.arguments).trim_end().to_owned()]
        })
        .collect();
    format!("{}\n\nAnything else goes to the model. A message sent while it works steers it.", table(&rows))
}

pub(super) fn model(session: &SessionView, effort: Effort) -> String {
    let window = session
        .model
        .context_window
        .map_or("not known".to_owned(), |window| format!("{} tokens", human::tokens(window)));
    let prices = if session.model.priced { "known" } else { "not known, so no costs are shown" };
    table(&[
        row(["model", &session.model.name]),
        row(["effort", effort_word(effort)]),
        row(["window", &window]),
        row(["prices", prices]),
    ])
}

pub(super) fn roles(current: &str, names: &[String]) -> String {
    let rows: Vec<Vec<String>> =
        names.iter().map(|name| row([if name == current { "▸" } else { " " }, name])).collect();
    if names.iter().any(|name| name == current) { table(&rows) } else { format!("▸  {current}\n{}", table(&rows)) }
}

pub(super) fn info(snapshot: &Snapshot, limits: &Limits) -> String {
    let Snapshot { session, totals, .. } = snapshot;
    let (tools, tool_tokens) = snapshot.surface();
    let usage = |usage: &Usage| {
        format!(
            "{} in ({} cached) · {} out ({} reasoning) · {}",
            human::tokens(usage.input),
            human::tokens(usage.cache_read),
            human::tokens(usage.output),
            human::tokens(usage.reasoning),
            usage.cost.map_or("cost not known".to_owned(), human::dollars)
        )
    };
    let context = match session.model.context_window {
        Some(window) => format!("{} of {} tokens", human::tokens(totals.context_tokens), human::tokens(window)),
        None => format!("{} tokens", human::tokens(totals.context_tokens)),
    };
    let mut rows = vec![
        row(["session", &session.name]),
        row(["role", &session.role]),
        row(["model", &format!("{} · effort {}", session.model.name, effort_word(session.effort))]),
        row(["folder", &session.workdir]),
        row(["journal", &session.folder]),
        row([
            "work",
            &format!("{} turns · {} requests · {} tool calls", snapshot.turn.0, totals.requests, totals.tool_calls),
        ]),
        row(["tokens", &usage(&totals.main)]),
        row(["context", &context]),
        row(["tools", &format!("{tools} tools, {} tokens a request", human::tokens(u64::from(tool_tokens)))]),
    ];
    if totals.auxiliary != Usage::default() {
        rows.insert(7, row(["supervisor", &usage(&totals.auxiliary)]));
    }
    if totals.children != Usage::default() {
        rows.push(row(["handed on", &usage(&totals.children)]));
    }
    for (name, limit) in [("session limit", limits.session), ("request limit", limits.request)] {
        if limit > 0.0 {
            rows.push(row([name, &human::dollars(limit)]));
        }
    }
    table(&rows)
}

pub(super) fn servers(snapshot: &Snapshot, how: &str) -> String {
    if snapshot.servers.is_empty() {
        return "This role has no tool servers.".to_owned();
    }
    let rows: Vec<Vec<String>> = snapshot
        .servers
        .iter()
        .map(|view| {
            let shown = view.tools.iter().filter(|tool| tool.exposed()).count();
            let tools = format!("{shown} tools");
            let tokens = format!("{} tok", human::tokens(u64::from(view.tokens())));
            vec![view.name.clone(), state(&view.state), tools, tokens, view.command.clone()]
        })
        .collect();
    let summary = table(&rows);
    match how {
        "full" => {
            let each = snapshot.servers.iter().map(tools_of).filter(|text| !text.is_empty());
            std::iter::once(summary).chain(each).collect::<Vec<_>>().join("\n\n")
        }
        _ => summary,
    }
}

fn tools_of(view: &ServerView) -> String {
    if view.tools.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = view
        .tools
        .iter()
        .map(|tool| {
            let note = match (&tool.quarantine, &tool.filtered_by) {
                (Some(quarantine), _) => format!("kept off: {}", quarantine.reason),
                (None, Some(filter)) => format!("left out by {filter}"),
                (None, None) => tool.summary.clone(),
            };
            vec![format!("  {}", tool.name), format!("{} tok", tool.tokens), note]
        })
        .collect();
    format!("{}\n{}", view.name, table(&rows))
}

fn state(state: &ServerState) -> String {
    match state {
        ServerState::Starting { attempt: 0 | 1, .. } => "starting".to_owned(),
        ServerState::Starting { attempt, .. } => format!("starting, try {attempt}"),
        ServerState::Ready { .. } => "ready".to_owned(),
        ServerState::Waiting { reason, retry_at: 0, .. } => format!("waits: {reason}"),
        ServerState::Waiting { reason, .. } => format!("down, will be tried again: {reason}"),
        ServerState::Failed { reason, advice } => format!("failed: {reason} {advice}").trim_end().to_owned(),
        ServerState::NeedsSignIn { reason } => format!("needs a sign-in: {reason}"),
        ServerState::Disabled { by } => format!("off, by {by}"),
        ServerState::Stopped => "stopped".to_owned(),
    }
}
