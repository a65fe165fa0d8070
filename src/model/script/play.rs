use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use tokio_util::sync::CancellationToken;

use super::file::{Call, End, FaultSpec, Stop, UsageSpec};
use super::pick::Picked;
use crate::model::fault;
use crate::model::{Delta, DeltaStream, Message, Part, RawCall, Request};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// How a status begins.
const STATUS: &str = "<sup>";

/// One thing the player does.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Wait(Duration),
    Say(Delta),
    Fail(Fault),
    /// Says nothing until the idle time is over.
    Stall,
}

/// The whole reply as steps. `tries` counts this one.
pub(super) fn steps(picked: &Picked<'_>, request: &Request, folder: &str, tries: u32) -> Arc<[Step]> {
    let reply = picked.reply;
    let mut steps = Vec::new();
    if reply.delay_ms > 0 {
        steps.push(Step::Wait(Duration::from_millis(reply.delay_ms)));
    }
    if let Some(spec) = &reply.fault
        && spec.times.is_none_or(|times| tries <= times)
    {
        steps.push(Step::Fail(scripted_fault(spec)));
        return steps.into();
    }
    let fill = |text: &str| fill(text, picked, folder);
    let pace = Duration::from_millis(reply.pace_ms.unwrap_or(picked.script.pace_ms));
    let words = reply.words.unwrap_or(picked.script.words);
    let reasoning = fill(&reply.reasoning);
    for chunk in chunks(&reasoning, words) {
        say(&mut steps, pace, Delta::Reasoning(chunk));
    }
    if !reasoning.is_empty() {
        let block = ReasoningBlock { text: reasoning.clone(), signature: None, redacted: None };
        steps.push(Step::Say(Delta::ReasoningDone(block)));
    }
    let text = fill(&reply.text);
    match reply.repeat {
        Some(count) => (0..count).for_each(|_| say(&mut steps, pace, Delta::Text(text.clone()))),
        None => chunks(&text, words).into_iter().for_each(|chunk| say(&mut steps, pace, Delta::Text(chunk))),
    }
    if !reply.status.is_empty() && request.system.contains(STATUS) {
        let status = format!("\n{STATUS}{}</sup>", fill(&reply.status));
        chunks(&status, words).into_iter().for_each(|chunk| say(&mut steps, pace, Delta::Text(chunk)));
    }
    match reply.end {
        End::Cut => steps.push(Step::Fail(fault::cut("the script"))),
        End::Stall => steps.push(Step::Stall),
        End::Whole => finish(picked, request, &fill, text.len() + reasoning.len(), &mut steps),
    }
    steps.into()
}

fn finish(
    picked: &Picked<'_>,
    request: &Request,
    fill: &dyn Fn(&str) -> String,
    written: usize,
    steps: &mut Vec<Step>,
) {
    let reply = picked.reply;
    for (index, call) in reply.calls.iter().enumerate() {
        let call = raw_call(call, index, picked.place, request, fill);
        let argument_bytes = call.arguments.to_string().len() as u64;
        steps.push(Step::Say(Delta::CallForming { name: call.name.clone(), argument_bytes }));
        steps.push(Step::Say(Delta::Call(call)));
    }
    steps.push(Step::Say(Delta::Usage(usage(reply.usage, request, written))));
    steps.push(Step::Say(Delta::Stop(match reply.stop {
        Stop::Auto if reply.calls.is_empty() => StopReason::End,
        Stop::Auto => StopReason::ToolCalls,
        Stop::Length => StopReason::Length,
        Stop::Refusal => StopReason::Refusal,
    })));
}

fn say(steps: &mut Vec<Step>, pace: Duration, delta: Delta) {
    if !pace.is_zero() {
        steps.push(Step::Wait(pace));
    }
    steps.push(Step::Say(delta));
}

pub(super) fn scripted_fault(spec: &FaultSpec) -> Fault {
    let message = spec.message.clone().unwrap_or_else(|| format!("The script plays a {:?} fault.", spec.kind));
    let advice = spec.advice.clone().unwrap_or_else(|| "Nothing is wrong; the script wanted this.".to_owned());
    Fault { retry_after_ms: spec.retry_after_ms, ..Fault::new(spec.kind, message, advice) }
}

fn raw_call(
    call: &Call,
    index: usize,
    place: (usize, usize),
    request: &Request,
    fill: &dyn Fn(&str) -> String,
) -> RawCall {
    let provider_id = call.id.clone().unwrap_or_else(|| format!("script_{}_{}_{index}", place.0 + 1, place.1 + 1));
    let name = wire_name(&call.tool, request);
    if let Some(raw) = &call.raw {
        return crate::model::calls::finish(provider_id, name, fill(raw), None);
    }
    let arguments = call.arguments.iter().map(|(key, value)| (key.clone(), json(value, fill))).collect();
    RawCall { provider_id, name, arguments: serde_json::Value::Object(arguments), malformed: None, signature: None }
}

/// Scripts are written before wire names are known: `view` also finds `files_view`.
fn wire_name(wanted: &str, request: &Request) -> String {
    if request.tools.iter().any(|tool| tool.name == wanted) {
        return wanted.to_owned();
    }
    let longer = |name: &str| name.strip_suffix(wanted).is_some_and(|head| head.ends_with(['_', '-']));
    request.tools.iter().find(|tool| longer(&tool.name)).map_or(wanted, |tool| tool.name.as_str()).to_owned()
}

fn json(value: &toml::Value, fill: &dyn Fn(&str) -> String) -> serde_json::Value {
    match value {
        toml::Value::String(text) => fill(text).into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.iter().map(|item| json(item, fill)).collect(),
        toml::Value::Table(table) => {
            table.iter().map(|(key, item)| (key.clone(), json(item, fill))).collect::<serde_json::Map<_, _>>().into()
        }
    }
}

pub(super) fn usage(spec: Option<UsageSpec>, request: &Request, written: usize) -> Usage {
    // Four bytes a token, so that a script without numbers still moves the meters.
    let (input, output) = (size(request) / 4, (written as u64 / 4).max(1));
    match spec {
        None => Usage { input, output, ..Usage::default() },
        Some(spec) => Usage {
            input: spec.input,
            output: spec.output,
            cache_read: spec.cache_read,
            cache_write: spec.cache_write,
            reasoning: spec.reasoning,
            cost: spec.cost,
        },
    }
}

fn size(request: &Request) -> u64 {
    let parts = |parts: &[Part]| -> usize {
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.len(),
                Part::Media { .. } => 0,
            })
            .sum()
    };
    let messages: usize = request
        .messages
        .iter()
        .map(|message| match message {
            Message::User(content) => parts(content),
            Message::Assistant { text, .. } => text.len(),
            Message::Tools(results) => results.iter().map(|result| parts(&result.parts)).sum(),
        })
        .sum();
    let tools: usize = request.tools.iter().map(|tool| tool.description.len() + tool.schema.to_string().len()).sum();
    (request.system.len() + messages + tools) as u64
}

/// Replaces `{{1}}`, `{{cwd}}`, `{{message}}` and `{{last_result}}`; anything else stays.
fn fill(text: &str, picked: &Picked<'_>, folder: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        out.push_str(&rest[..start]);
        let inside = &rest[start + 2..];
        let Some(end) = inside.find("}}") else {
            rest = &rest[start..];
            break;
        };
        let key = inside[..end].trim();
        let value = match key {
            "cwd" => Some(folder),
            "message" => Some(picked.message.as_str()),
            "last_result" => Some(picked.last_result.as_str()),
            number => number.parse().ok().and_then(|index: usize| picked.groups.get(index)).map(String::as_str),
        };
        match value {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[start..start + 2 + end + 2]),
        }
        rest = &inside[end + 2..];
    }
    out.push_str(rest);
    out
}

/// Chunks of `words` words, white space kept; the chunks joined are the text. 0 = one chunk.
fn chunks(text: &str, words: usize) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    if words == 0 {
        return vec![text.to_owned()];
    }
    let mut out = Vec::new();
    let mut chunk = String::new();
    let mut seen = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        chunk.push_str(word);
        seen += usize::from(!word.trim().is_empty());
        if seen == words {
            out.push(std::mem::take(&mut chunk));
            seen = 0;
        }
    }
    if !chunk.is_empty() {
        out.push(chunk);
    }
    out
}

/// Plays the steps as a stream.
pub(super) fn play(steps: Arc<[Step]>, idle: Duration, cancel: CancellationToken) -> DeltaStream {
    Box::pin(stream::unfold((0, false), move |(mut next, ended)| {
        let steps = Arc::clone(&steps);
        let cancel = cancel.clone();
        async move {
            if ended {
                return None;
            }
            loop {
                if cancel.is_cancelled() {
                    return Some((Err(fault::cancelled()), (next, true)));
                }
                let step = steps.get(next)?.clone();
                next += 1;
                match step {
                    Step::Say(delta) => {
                        let last = matches!(delta, Delta::Stop(_));
                        return Some((Ok(delta), (next, last)));
                    }
                    Step::Fail(fault) => return Some((Err(fault), (next, true))),
                    Step::Wait(time) => {
                        let _ = cancel.run_until_cancelled(tokio::time::sleep(time)).await;
                    }
                    Step::Stall => {
                        let _ = cancel.run_until_cancelled(stall(idle)).await;
                        if !cancel.is_cancelled() {
                            return Some((Err(fault::stalled(idle)), (next, true)));
                        }
                    }
                }
            }
        }
    }))
}

async fn stall(idle: Duration) {
    match idle.is_zero() {
        true => std::future::pending().await,
        false => tokio::time::sleep(idle).await,
    }
}
