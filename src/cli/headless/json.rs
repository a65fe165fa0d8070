//! Events as JSON objects, one a line: the schema that scripts and child runs read.
//!
//! Types: `assistant thinking tool_use tool_result cost status error mcp_notification injected`.
//! Every object has `type` and `session_id`. Texts are as they came, with what a terminal would
//! act on spelt as `\u…`: a reader that decodes them and shows them has to clean them.

use serde_json::{Value, json};

use super::plain::without_person;
use crate::proto::{
    Body, Content, Decision, EntryKind, Event, Fault, Level, Origin, Purpose, ServerState, Snapshot, ToolOutcome,
    TurnOutcome,
};
use crate::text::human;

/// What one event says, in the order it is written. `after` has the event folded in.
pub fn lines(event: &Event, after: &Snapshot) -> Vec<Value> {
    match &event.body {
        Body::AssistantMessage { text, reasoning, .. } => {
            let thought: String = reasoning.iter().map(|block| block.text.as_str()).collect();
            let thinking = (!thought.is_empty()).then(|| typed(after, "thinking", json!({ "content": thought })));
            let answer = (!text.is_empty()).then(|| assistant(after, text));
            thinking.into_iter().chain(answer).collect()
        }
        Body::ToolStarted { call, server, tool, arguments } => {
            vec![typed(
                after,
                "tool_use",
                json!({ "tool": tool, "tool_id": call, "server": server, "params": arguments }),
            )]
        }
        Body::ToolFinished { call, outcome, content, elapsed_ms, spill, .. } => {
            let (server, tool) = called(event, after);
            let mut line = json!({
                "tool": tool, "tool_id": call, "server": server, "content": flat(content),
                "success": *outcome == ToolOutcome::Ok, "outcome": outcome, "elapsed_ms": elapsed_ms,
            });
            if let Some(file) = spill {
                line["whole"] = json!(file);
            }
            vec![typed(after, "tool_result", line)]
        }
        Body::ToolProgress { call, note, fraction } => {
            let (server, _) = called(event, after);
            let params = json!({ "progress": fraction, "message": note });
            vec![typed(
                after,
                "mcp_notification",
                json!({ "server": server, "method": "notifications/progress", "params": params, "tool_id": call }),
            )]
        }
        Body::RequestFinished { .. } => vec![cost(after)],
        Body::UserMessage { content, origin: Origin::System { kind, label }, .. } => {
            vec![typed(
                after,
                "injected",
                json!({ "source_kind": kind, "source_label": label, "content": flat(content) }),
            )]
        }
        Body::RequestFailed { purpose: Purpose::Main, fault, .. } => vec![failed(after, fault)],
        Body::Notice { level: Level::Error, source, text, hint } => {
            vec![typed(
                after,
                "error",
                json!({ "message": text, "data": { "source": source, "hint": hint.as_deref().map(without_person) } }),
            )]
        }
        other => state(other, after),
    }
}

/// Everything that is a `status`, or nothing to a script.
fn state(body: &Body, after: &Snapshot) -> Vec<Value> {
    let (message, data) = match body {
        Body::SessionStarted { name, role, folder, workdir, .. } => {
            ("session started".to_owned(), json!({ "name": name, "role": role, "folder": folder, "workdir": workdir }))
        }
        Body::SessionResumed { events, skipped, read_only, .. } => {
            ("session resumed".to_owned(), json!({ "events": events, "skipped": skipped, "read_only": read_only }))
        }
        Body::ModelChanged { model, effort } => (
            format!("model {}", model.name),
            json!({ "model": model.name, "effort": effort, "scripted": model.scripted }),
        ),
        Body::TurnEnded { turn, outcome, elapsed_ms } => {
            let (word, why) = ended(outcome);
            (word.to_owned(), json!({ "turn": turn, "outcome": word, "reason": why, "elapsed_ms": elapsed_ms }))
        }
        Body::RetryScheduled { attempt, of, reason, .. } => {
            (format!("retry {attempt} of {of}"), json!({ "attempt": attempt, "of": of, "reason": reason }))
        }
        Body::ServerChanged { server, state, stderr, .. } => match server_trouble(state) {
            Some(trouble) => {
                (format!("{server}: {trouble}"), json!({ "server": server, "state": state, "stderr": stderr }))
            }
            None => return Vec::new(),
        },
        Body::ServerTools { server, tools } => {
            let exposed = tools.iter().filter(|tool| tool.exposed()).count();
            (
                format!("{server}: {exposed} tools"),
                json!({ "server": server, "tools": exposed, "offered": tools.len() }),
            )
        }
        // The run goes on without what it was for; what that means is a decision.
        Body::RequestFailed { purpose, fault, .. } => (
            fault.message.clone(),
            json!({ "level": Level::Warning, "source": "model", "purpose": purpose, "kind": fault.kind }),
        ),
        Body::Decided(decision) => decided(decision),
        Body::Notice { level, source, text, hint } => {
            (text.clone(), json!({ "level": level, "source": source, "hint": hint }))
        }
        Body::CommandOutput { line, output } => (output.clone(), json!({ "command": line })),
        _ => return Vec::new(),
    };
    vec![status(after, &message, Some(data))]
}

fn decided(decision: &Decision) -> (String, Value) {
    let (level, source, headline) = decision.headline();
    (headline, json!({ "level": level, "source": source, "decision": decision }))
}

fn ended(outcome: &TurnOutcome) -> (&'static str, Option<&str>) {
    match outcome {
        TurnOutcome::Done => ("done", None),
        TurnOutcome::Interrupted => ("interrupted", None),
        TurnOutcome::Failed(why) => ("failed", Some(why)),
        TurnOutcome::Stopped(why) => ("stopped", Some(why)),
    }
}

/// States a run without a person should hear about.
pub fn server_trouble(state: &ServerState) -> Option<String> {
    match state {
        ServerState::Waiting { reason, retry_at: 0, .. } => Some(reason.clone()),
        ServerState::Waiting { reason, attempt, .. } => Some(format!("{reason} (try {attempt})")),
        ServerState::Failed { reason, advice } => Some(format!("{reason} {advice}").trim_end().to_owned()),
        ServerState::NeedsSignIn { reason } => Some(format!("needs a sign-in: {reason}")),
        ServerState::Starting { .. }
        | ServerState::Ready { .. }
        | ServerState::Disabled { .. }
        | ServerState::Stopped => None,
    }
}

fn failed(after: &Snapshot, fault: &Fault) -> Value {
    let data = json!({ "kind": fault.kind, "advice": without_person(&fault.advice), "detail": fault.detail });
    typed(after, "error", json!({ "message": fault.message, "data": data }))
}

/// Totals of the session; `auxiliary` is what the supervisor asked, `children` are agents that were handed work. A cost that nobody knows is `null`, never 0.
fn cost(after: &Snapshot) -> Value {
    let (own, children, total) = (after.totals.auxiliary, after.totals.children, after.totals.all());
    typed(
        after,
        "cost",
        json!({
            "session_tokens": total.input + total.output, "session_cost": total.cost,
            "input_tokens": total.input, "output_tokens": total.output, "cache_read_tokens": total.cache_read,
            "cache_write_tokens": total.cache_write, "reasoning_tokens": total.reasoning,
            "auxiliary_tokens": own.input + own.output, "auxiliary_cost": own.cost,
            "children_tokens": children.input + children.output, "children_cost": children.cost,
        }),
    )
}

pub fn assistant(after: &Snapshot, text: &str) -> Value {
    typed(after, "assistant", json!({ "content": text }))
}

pub fn status(after: &Snapshot, message: &str, data: Option<Value>) -> Value {
    let mut line = json!({ "message": message });
    if let Some(data) = data {
        line["data"] = data;
    }
    typed(after, "status", line)
}

fn typed(after: &Snapshot, kind: &str, fields: Value) -> Value {
    let mut line = json!({ "type": kind, "session_id": after.session.name });
    if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
        line.extend(fields);
    }
    line
}

/// Server and tool of the call the event is about.
fn called<'a>(event: &Event, after: &'a Snapshot) -> (&'a str, &'a str) {
    match event.order.and_then(|order| after.transcript.get(order)).map(|entry| &entry.kind) {
        Some(EntryKind::Tool { server, tool, .. }) => (server, tool),
        _ => ("", ""),
    }
}

/// Text of a body; media and bodies kept elsewhere become a note.
pub fn flat(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { bytes, preview, .. } => format!("{preview}\n[{} in all]", human::bytes(*bytes)),
        Content::Media { media_type, .. } => format!("[{media_type}, {}]", human::bytes(content.bytes())),
        Content::Parts(parts) => parts.iter().map(flat).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests;
