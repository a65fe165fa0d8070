//! The JSON documents that supervisor models read.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::evidence::{EventLine, UserLine};
use super::excerpt::excerpt;
use super::quote::short;
use crate::proto::{PhaseState, PlanView};
use crate::text::tokens::estimate;

/// Tokens of one message of the person's at the most.
const MESSAGE: u64 = 1_500;

/// An event is not shown in less.
const EVENT_AT_LEAST: u64 = 200;

/// Lines of a list, phases of a plan.
const LINES: usize = 30;

/// What a model was shown, by reference, and what it was not.
#[derive(Debug, Default)]
pub struct Shown {
    pub by_reference: HashMap<String, String>,
    pub left_out: Vec<String>,
}

/// The newest ones within `room` tokens, oldest first.
pub fn messages(messages: &[UserLine], room: u64, shown: &mut Shown) -> Vec<Value> {
    let mut room = room;
    let mut out = Vec::new();
    for (at, message) in messages.iter().enumerate().rev() {
        let text = excerpt(&message.text, MESSAGE.min(room));
        let reference = format!("user:{at}");
        let value = json!({ "ref": reference, "turn": message.turn, "text": text.json() });
        let cost = estimate(&value.to_string());
        if cost > room && !out.is_empty() {
            shown.left_out.push(format!("{} older messages", at + 1));
            break;
        }
        room = room.saturating_sub(cost);
        shown.by_reference.insert(reference, text.parts());
        out.push(value);
    }
    out.reverse();
    out
}

/// Which events are told apart: those from an index on, and what both sides are called.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    pub index: usize,
    pub key: &'static str,
    pub before: &'static str,
    pub after: &'static str,
}

/// The newest ones within `room` tokens, oldest first, each within `most`.
pub fn events(events: &[EventLine], since: Since, room: u64, most: u64, shown: &mut Shown) -> Vec<Value> {
    let mut room = room;
    let mut out = Vec::new();
    for (at, event) in events.iter().enumerate().rev() {
        let when = (since.key, if at < since.index { since.before } else { since.after });
        let Some((value, text, cost)) = event_within(event, when, room, most) else {
            shown.left_out.push(format!("{} older events", at + 1));
            break;
        };
        room -= cost;
        shown.by_reference.insert(event.reference.clone(), text);
        out.push(value);
    }
    out.reverse();
    out
}

/// JSON costs more than the text in it, so a second try gets half.
fn event_within(event: &EventLine, when: (&str, &str), room: u64, most: u64) -> Option<(Value, String, u64)> {
    let line = short(event.line, 400);
    for budget in [most.min(room), most.min(room / 2)].into_iter().filter(|budget| *budget >= EVENT_AT_LEAST) {
        let content = excerpt(event.content, budget);
        let value = json!({
            "ref": event.reference,
            "what": line,
            "outcome": event.outcome,
            when.0: when.1,
            "content": content.json(),
        });
        let cost = estimate(&pretty(&value)) + 8;
        if cost <= room {
            return Some((value, format!("{line}\n{}", content.parts()), cost));
        }
    }
    None
}

pub fn plan(plan: &PlanView) -> Vec<Value> {
    let phase = |phase: &crate::proto::PhaseView| {
        let state = match phase.state {
            PhaseState::Open => "open",
            PhaseState::Active => "active",
            PhaseState::Done => "done",
            PhaseState::Held { .. } => "held",
            PhaseState::Closed { .. } => "closed, not shown to be done",
        };
        json!({ "title": short(&phase.title, 160), "done_when": short(&phase.done_when, 240), "state": state })
    };
    plan.phases.iter().take(LINES).map(phase).collect()
}

/// At most [`LINES`], the last ones, with the rest named.
pub fn lines(all: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let over = all.len().saturating_sub(LINES);
    let first = (over > 0).then(|| format!("({over} more before)"));
    first.into_iter().chain(all.skip(over).map(|line| short(&line, 240))).collect()
}

/// The schema of an object as strict providers want it: everything required, nothing else allowed.
pub fn object(properties: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Value> =
        properties.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}

pub fn string() -> Value {
    json!({ "type": "string" })
}

pub fn list(of: &Value) -> Value {
    json!({ "type": "array", "items": of })
}

pub fn one_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
