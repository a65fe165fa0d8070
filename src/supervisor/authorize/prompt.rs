//! What the judges read. The system texts are constant and worded apart; everything else is one JSON
//! document.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Batch, Pending};
use crate::proto::Mechanic;
use crate::supervisor::Ask;
use crate::supervisor::document::{list, object, string};
use crate::supervisor::excerpt::excerpt;
use crate::text::tokens::estimate;

/// Tokens of the whole, estimated. Source: engine reference, authorizer.
const ALL: u64 = 32_000;
/// Of the parts.
const ROLE: u64 = 6_000;
const USERS: u64 = 8_000;
const ANCESTORS: u64 = 4_000;
const MESSAGE: u64 = 2_000;
const ARGUMENT: u64 = 1_500;

const ANSWER_TOKENS: u32 = 4_096;

const FIRST: &str = include_str!("first.md");
const SECOND: &str = include_str!("second.md");

pub fn call_id(at: usize) -> String {
    format!("c{}", at + 1)
}

/// Every text that a conflict may rest on, whole.
pub fn sources(batch: &Batch) -> HashMap<String, String> {
    let users = batch.users.iter().enumerate().map(|(at, user)| (format!("user:{at}"), user.text.clone()));
    let above = batch.ancestors.iter().enumerate().map(|(at, text)| (format!("ancestor:{at}"), text.clone()));
    users.chain(above).chain([("role:0".to_owned(), batch.role.to_owned())]).collect()
}

/// Both questions, or `None` when they would be too large.
pub fn asks(calls: &[&Pending], batch: &Batch) -> Option<[Ask; 2]> {
    let source = |(id, text): (String, &str), most: u64| json!({ "source": id, "text": excerpt(text, most).json() });
    let users = batch.users.iter().enumerate().map(|(at, user)| (format!("user:{at}"), user.text.as_str()));
    let above = batch.ancestors.iter().enumerate().map(|(at, text)| (format!("ancestor:{at}"), text.as_str()));
    let newest = |texts: &mut dyn DoubleEndedIterator<Item = (String, &str)>, room: u64| {
        let mut room = room;
        let mut out = Vec::new();
        for text in texts.rev() {
            let value = source(text, MESSAGE);
            let cost = estimate(&value.to_string());
            if cost > room {
                break;
            }
            room -= cost;
            out.push(value);
        }
        out.reverse();
        out
    };
    let call = |(at, call): (usize, &&Pending)| json!({ "call": call_id(at), "tool": call.tool, "arguments": clipped(&call.arguments) });
    let document = json!({
        "role": [source(("role:0".to_owned(), batch.role), ROLE)],
        "ancestors": newest(&mut above.rev(), ANCESTORS).into_iter().rev().collect::<Vec<_>>(),
        "user_messages": newest(&mut users.into_iter(), USERS),
        "calls": calls.iter().enumerate().map(call).collect::<Vec<_>>(),
    });
    let text = format!("The calls, as JSON data:\n{document}");
    (estimate(&text) <= ALL).then(|| [ask(FIRST, &text), ask(SECOND, &text)])
}

fn ask(system: &str, text: &str) -> Ask {
    let conflict = object(&[
        ("call", string()),
        ("source", string()),
        ("quote", string()),
        ("path", string()),
        ("reason", string()),
    ]);
    Ask {
        mechanic: Mechanic::Authorizer,
        system: system.trim_end().to_owned(),
        text: text.to_owned(),
        schema: object(&[("conflicts", list(&conflict))]),
        max_tokens: ANSWER_TOKENS,
    }
}

/// Long strings in arguments are shown by their ends.
fn clipped(value: &Value) -> Value {
    match value {
        Value::String(text) => excerpt(text, ARGUMENT).json(),
        Value::Array(items) => Value::Array(items.iter().map(clipped).collect()),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), clipped(value))).collect(),
        other => other.clone(),
    }
}
