use super::file::{Reply, Script, Turn};
use crate::model::{Message, Part, Request};
use crate::proto::{Fault, FaultKind};

/// The reply to play and what its templates may use.
#[derive(Debug)]
pub(super) struct Picked<'a> {
    pub(super) script: &'a Script,
    pub(super) reply: &'a Reply,
    /// Which user message (from 0) and which reply to it.
    pub(super) place: (usize, usize),
    /// Groups of the turn's pattern; 0 is the whole match.
    pub(super) groups: Vec<String>,
    pub(super) message: String,
    pub(super) last_result: String,
}

/// Finds the reply that answers the request.
pub(super) fn pick<'a>(script: &'a Script, request: &Request) -> Result<Picked<'a>, Fault> {
    let mut users: Vec<String> = Vec::new();
    let mut replies = 0;
    let mut last_result = String::new();
    for message in &request.messages {
        match message {
            // The runtime says it, and the answer to the message before goes on.
            Message::User(parts) if parts.iter().all(|part| matches!(part, Part::Text(text) if noted(text))) => {}
            Message::User(parts) => {
                users.push(said(parts));
                replies = 0;
            }
            Message::Assistant { .. } => replies += 1,
            Message::Tools(results) => {
                last_result = results.last().map(|result| text_of(&result.parts)).unwrap_or_default();
            }
        }
    }
    let Some(message) = users.last().cloned() else {
        return Err(nothing("there is no message to answer"));
    };
    let position = users.len() - 1;
    let turn = turn_for(script, &users).ok_or_else(|| nothing("no turn fits this message"))?;
    let reply = turn.replies.get(replies).ok_or_else(|| nothing("the turn has no further reply"))?;
    let groups = turn
        .regex
        .as_ref()
        .and_then(|regex| regex.captures(&message))
        .map(|found| found.iter().map(|group| group.map_or("", |m| m.as_str()).to_owned()).collect())
        .unwrap_or_default();
    Ok(Picked { script, reply, place: (position, replies), groups, message, last_result })
}

/// By pattern, then by its stated place, then in order for the messages nothing else answers.
fn turn_for<'a>(script: &'a Script, users: &[String]) -> Option<&'a Turn> {
    let direct = |index: usize, text: &str| {
        let matching = |turn: &&Turn| turn.regex.as_ref().is_some_and(|regex| regex.is_match(text));
        script.turns.iter().find(|turn| turn.at == Some(index + 1)).or_else(|| script.turns.iter().find(matching))
    };
    let last = users.len().checked_sub(1)?;
    if let Some(turn) = direct(last, &users[last]) {
        return Some(turn);
    }
    let nth = users[..last].iter().enumerate().filter(|(index, text)| direct(*index, text).is_none()).count();
    let mut in_order = script.turns.iter().filter(|turn| turn.regex.is_none() && turn.at.is_none() && !turn.otherwise);
    in_order.nth(nth).or_else(|| script.turns.iter().find(|turn| turn.otherwise))
}

fn nothing(why: &str) -> Fault {
    Fault::new(
        FaultKind::BadRequest,
        format!("The script cannot answer: {why}."),
        "Add a turn to the script, or choose a real model with /model.",
    )
}

/// A user message without what the session put into it beside the person's words.
fn said(parts: &[Part]) -> String {
    let own = |part: &&Part| !matches!(part, Part::Text(text) if added(text));
    let kept: Vec<Part> = parts.iter().filter(own).cloned().collect();
    text_of(if kept.is_empty() { parts } else { &kept })
}

fn added(text: &str) -> bool {
    noted(text)
        || [("<context>", "</context>"), ("<skill ", "</skill>")]
            .iter()
            .any(|(open, close)| text.starts_with(open) && text.trim_end().ends_with(close))
}

fn noted(text: &str) -> bool {
    text.starts_with("<octomind-note")
}

fn text_of(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media { .. } => None,
        })
        .collect();
    texts.join("\n")
}
