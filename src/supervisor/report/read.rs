use serde_json::{Map, Value};

use super::credential;
use crate::proto::{AgentState, PlanSignal, Reported, RequestId, SelfReport, Signal};
use crate::text;

/// Letters of `focus`, `next`, a note, and each entry of `carry`.
pub const LINE_MOST: usize = 400;

/// Entries of `carry`.
pub const CARRY_MOST: usize = 16;

/// Unreadable statuses of one reply that are told of.
const TROUBLES_MOST: usize = 4;

/// Letters of what was taken out of a reply and could not be read.
pub const EXCERPT_MOST: usize = 200;

/// Ids of memories and behaviours, and letters of one.
const IDS_MOST: usize = 32;
const ID_MOST: usize = 64;

/// Reads the statuses of one reply; the last one counts. What was taken out and cannot be read is
/// quoted in the trouble, because it stands nowhere else.
#[must_use]
pub fn parse(request: RequestId, raw: &[String]) -> Reported {
    let mut dropped = Vec::new();
    let Some((last, earlier)) = raw.split_last() else {
        return Reported { request, report: None, trouble: Some("The reply has no status.".to_owned()), dropped };
    };
    let mut troubles: Vec<String> = Vec::new();
    let report = read(last, &mut dropped).map_err(|trouble| troubles.push(quoting(&trouble, last))).ok();
    for raw in earlier {
        if let Err(trouble) = read(raw, &mut Vec::new()) {
            troubles.push(quoting(&format!("Before the last status: {trouble}"), raw));
        }
    }
    troubles.truncate(TROUBLES_MOST);
    let trouble = (!troubles.is_empty()).then(|| troubles.join(" "));
    Reported { request, report, trouble, dropped }
}

fn quoting(trouble: &str, raw: &str) -> String {
    match credential::looks_like(raw) {
        Some(why) => format!("{trouble} It is not quoted: {why}."),
        None => format!("{trouble} It read: {}", short(raw, EXCERPT_MOST)),
    }
}

fn read(raw: &str, dropped: &mut Vec<String>) -> Result<SelfReport, String> {
    let body = raw.trim().strip_prefix("<sup>").unwrap_or(raw);
    let Some(body) = body.strip_suffix("</sup>") else {
        return Err("The status breaks off before its closing tag.".to_owned());
    };
    // Line ends within strings are not JSON, and clear enough.
    let body: String = body.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let fields: Map<String, Value> =
        serde_json::from_str(body.trim()).map_err(|error| format!("The status is not JSON: {error}."))?;
    Ok(SelfReport {
        state: state(fields.get("state"))?,
        focus: line(fields.get("focus"), "focus", dropped),
        next: line(fields.get("next"), "next", dropped),
        carry: carry(fields.get("carry"), dropped),
        plan: plan(fields.get("plan"), dropped),
        memories: ids(fields.get("memories"), "memories", dropped),
        behaviors: ids(fields.get("behaviors"), "behaviors", dropped),
    })
}

fn state(field: Option<&Value>) -> Result<AgentState, String> {
    let Some(Value::String(name)) = field else { return Err("The status has no state.".to_owned()) };
    match name.trim().to_ascii_lowercase().as_str() {
        "exploring" => Ok(AgentState::Exploring),
        "progressing" => Ok(AgentState::Progressing),
        "blocked" => Ok(AgentState::Blocked),
        "need_input" => Ok(AgentState::NeedInput),
        "done" => Ok(AgentState::Done),
        _ if credential::looks_like(name).is_some() => Err("The status has no state that there is.".to_owned()),
        _ => Err(format!("There is no state called {:?}.", short(name, 40))),
    }
}

/// Empty when it is not a text, or one that looks like a credential.
fn line(field: Option<&Value>, name: &str, dropped: &mut Vec<String>) -> String {
    let Some(Value::String(text)) = field else { return String::new() };
    match credential::looks_like(text) {
        Some(why) => {
            dropped.push(format!("{name}: {why}"));
            String::new()
        }
        None => short(text, LINE_MOST),
    }
}

fn carry(field: Option<&Value>, dropped: &mut Vec<String>) -> Vec<String> {
    let entries = match field {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        _ => return Vec::new(),
    };
    let mut kept = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        let Value::String(text) = entry else {
            dropped.push(format!("entry {number}: it is not a text"));
            continue;
        };
        match credential::looks_like(text) {
            Some(why) => dropped.push(format!("entry {number}: {why}")),
            None if text.trim().is_empty() => {}
            None if kept.len() == CARRY_MOST => {
                dropped.push(format!("entries from {number} on: only {CARRY_MOST} are kept"));
                break;
            }
            None => kept.push(short(text, LINE_MOST)),
        }
    }
    kept
}

fn plan(field: Option<&Value>, dropped: &mut Vec<String>) -> Option<PlanSignal> {
    let (signal, note) = match field? {
        Value::Object(fields) => (fields.get("signal")?.as_str()?, fields.get("note")),
        Value::String(signal) => (signal.as_str(), None),
        _ => return None,
    };
    let signal = match signal.trim().to_ascii_lowercase().as_str() {
        "request" => Signal::Request,
        "phase_complete" => Signal::PhaseComplete,
        "reassess" => Signal::Reassess,
        _ => return None,
    };
    Some(PlanSignal { signal, note: line(note, "plan", dropped) })
}

fn ids(field: Option<&Value>, name: &str, dropped: &mut Vec<String>) -> Vec<String> {
    let Some(Value::Array(entries)) = field else { return Vec::new() };
    let mut kept = Vec::new();
    for id in entries.iter().filter_map(Value::as_str).take(IDS_MOST) {
        match credential::looks_like(id) {
            Some(why) => dropped.push(format!("{name}: {why}")),
            None if !is_id(id) => dropped.push(format!("{name}: an entry is no id")),
            None => kept.push(id.to_owned()),
        }
    }
    kept
}

fn is_id(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/".contains(&byte);
    !text.is_empty() && text.len() <= ID_MOST && text.bytes().all(letter)
}

/// One line of at most so many letters, without what a screen would not show.
fn short(text: &str, most: usize) -> String {
    let line = text::sanitize_line(text);
    let line = line.trim();
    match line.char_indices().nth(most) {
        None => line.to_owned(),
        Some(_) => {
            let cut = line.char_indices().nth(most - 1).map_or(0, |(at, _)| at);
            format!("{}…", line[..cut].trim_end())
        }
    }
}
