//! From what providers and networks say to one [`Fault`] with a plain sentence and advice.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::proto::{Fault, FaultKind};

/// Longest piece of a provider's own words that is kept, characters.
const DETAIL: usize = 400;

/// Who was asked, for the sentences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// `anthropic`, `openrouter`, …
    pub(super) provider: String,
    /// The model's name at the provider.
    pub(super) model: String,
    pub(super) key_variable: Option<String>,
    /// Where the request goes, without path and credentials.
    pub(super) host: String,
}

pub(super) fn cancelled() -> Fault {
    Fault::new(FaultKind::Cancelled, "The model call was stopped.", "Send a message to go on.")
}

pub(super) fn stalled(idle: Duration) -> Fault {
    Fault::new(
        FaultKind::Stalled,
        format!("Nothing came from the model for {} s.", idle.as_secs_f64()),
        "Try again, or raise request_timeout_seconds in [model].",
    )
}

pub(super) fn cut(provider: &str) -> Fault {
    Fault::new(
        FaultKind::Cut,
        format!("The connection to {provider} ended in the middle of the reply."),
        "Try again; what came so far is kept.",
    )
}

pub(super) fn no_key(asked: &Asked) -> Fault {
    let variable = asked.key_variable.as_deref().unwrap_or("the key");
    Fault::new(
        FaultKind::NoKey,
        format!("There is no key for {}: {variable} is not set.", asked.provider),
        format!("Set {variable} in the environment or in a .env file, or choose another model with /model."),
    )
}

pub(super) fn protocol(asked: &Asked, what: &str, excerpt: &str) -> Fault {
    let message = format!("{} sent something that is not its own protocol: {what}.", asked.provider);
    let advice = "Try again; if it stays, check the provider's address and protocol in [providers].";
    Fault { detail: Some(shorten(excerpt)), ..Fault::new(FaultKind::Protocol, message, advice) }
}

/// No reply at all: name not found, refused, TLS, proxy.
pub(super) fn network(asked: &Asked, error: &reqwest::Error) -> Fault {
    let mut causes = vec![error.to_string()];
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        causes.push(cause.to_string());
        source = cause.source();
    }
    let refused = refused(error);
    let host = if asked.host.is_empty() { &asked.provider } else { &asked.host };
    let local = host.contains("localhost") || host.contains("127.0.0.1") || host.contains("[::1]");
    let advice = if local {
        format!("Start the server at {host}, or choose another model with /model.")
    } else {
        "Check the network and the proxy settings, then try again.".to_owned()
    };
    let message = if error.is_timeout() {
        format!("{host} did not answer in time.")
    } else {
        format!("There is no connection to {host}.")
    };
    // Nothing listens on this machine: no wait will change that.
    let kind = if local && refused { FaultKind::NotRunning } else { FaultKind::Network };
    Fault { detail: Some(shorten(&causes.join(": "))), ..Fault::new(kind, message, advice) }
}

fn refused(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    let refused = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::ConnectionRefused;
    causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>()).any(refused)
}

/// A reply with a status that is not success.
pub(super) fn from_status(asked: &Asked, status: u16, headers: &HeaderMap, body: &str, now: SystemTime) -> Fault {
    let value = serde_json::from_str(body).unwrap_or_else(|_| Value::String(strip_markup(body)));
    let mut fault = classify(asked, Some(status), &Said::from(&value));
    fault.retry_after_ms = retry_after(headers, now).or(fault.retry_after_ms);
    fault
}

/// An error object inside a stream that began well.
pub(super) fn from_error(asked: &Asked, error: &Value) -> Fault {
    let said = Said::from(error);
    let status = said.code.parse().ok().filter(|status| (400..600).contains(status));
    classify(asked, status, &said)
}

/// What a provider's error object says, wherever it puts it.
#[derive(Debug, Default)]
struct Said {
    message: String,
    /// `type` and `code`, lower case.
    kind: String,
    code: String,
}

impl From<&Value> for Said {
    fn from(value: &Value) -> Self {
        let inner = match value.get("error") {
            Some(inner) if !inner.is_null() => inner,
            _ => value,
        };
        if let Value::Array(list) = inner {
            return list.first().map(Self::from).unwrap_or_default();
        }
        let text = |key: &str| match inner.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = match inner {
            Value::String(text) => text.clone(),
            _ => ["message", "detail", "msg", "status"]
                .into_iter()
                .map(text)
                .find(|found| !found.is_empty())
                .unwrap_or_default(),
        };
        // Gateways put the upstream's own words one level down.
        let raw = inner.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
        let message = if raw.is_empty() { message } else { format!("{message} ({raw})") };
        let kind = format!("{} {} {}", text("type"), text("code"), text("status")).to_lowercase();
        Self { message, kind, code: text("code") }
    }
}

fn classify(asked: &Asked, status: Option<u16>, said: &Said) -> Fault {
    let kind = kind_of(status, said);
    let Asked { provider, model, .. } = asked;
    let variable = asked.key_variable.as_deref().unwrap_or("the key");
    let numbers = overflow_numbers(&said.message);
    let (message, advice) = match kind {
        FaultKind::WrongKey => (
            format!("{provider} refused the key."),
            format!("Check {variable}: it may be mistyped, revoked, or without access to {model}."),
        ),
        FaultKind::UnknownModel => (
            format!("{provider} has no model {model}."),
            "Check the name in [model] or choose another with /model.".to_owned(),
        ),
        FaultKind::ContextOverflow => (
            match numbers {
                Some((sent, limit)) => format!("The prompt has {sent} tokens, {model} takes {limit}."),
                None => format!("The prompt is longer than {model} takes."),
            },
            "Condense the session, start anew with /new, or choose a model with a larger window.".to_owned(),
        ),
        FaultKind::RateLimit => (
            format!("{provider} allows no more requests for the moment."),
            "Try again in a while, or choose another model with /model.".to_owned(),
        ),
        FaultKind::Overloaded => (
            format!("{provider} is overloaded."),
            "Try again in a while, or choose another model with /model.".to_owned(),
        ),
        FaultKind::OutOfCredit => (
            format!("The account at {provider} is out of credit."),
            format!("Add credit at {provider}, or choose another model with /model."),
        ),
        FaultKind::Server => (
            match status {
                Some(status) => format!("{provider} failed with status {status}."),
                None => format!("{provider} reported an error of its own."),
            },
            "Try again in a while, or choose another model with /model.".to_owned(),
        ),
        _ => (
            match said.message.is_empty() {
                true => format!("{provider} refused the request with status {}.", status.unwrap_or(0)),
                false => format!("{provider} refused the request: {}", sentence(&said.message)),
            },
            "Look at the request in the Wire view; another model may take it.".to_owned(),
        ),
    };
    let detail = (!said.message.is_empty()).then(|| shorten(&said.message));
    let retry_after_ms = wait_in_words(&said.message);
    Fault { detail, retry_after_ms, ..Fault::new(kind, message, advice) }
}

fn kind_of(status: Option<u16>, said: &Said) -> FaultKind {
    let message = said.message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.kind.contains(word) || message.contains(word));
    if has(&[
        "context_length",
        "context length",
        "context window",
        "prompt is too long",
        "maximum context",
        "too many tokens",
        "exceeds the available context",
        "input token count",
        "exceed_context_size",
        "input is too long",
    ]) {
        return FaultKind::ContextOverflow;
    }
    if has(&[
        "insufficient_quota",
        "insufficient balance",
        "credit balance",
        "insufficient credits",
        "billing",
        "out of credit",
        "exceeded your current quota",
        "payment required",
    ]) || status == Some(402)
    {
        return FaultKind::OutOfCredit;
    }
    if has(&["invalid_api_key", "incorrect api key", "invalid api key", "authentication_error", "api key not valid"])
        || status == Some(401)
    {
        return FaultKind::WrongKey;
    }
    if has(&["model_not_found", "model not found", "unknown model", "not a valid model", "no such model"])
        || (message.contains("model") && (message.contains("does not exist") || message.contains("not found")))
    {
        return FaultKind::UnknownModel;
    }
    match status {
        Some(529) => FaultKind::Overloaded,
        _ if has(&["overloaded"]) => FaultKind::Overloaded,
        Some(429) => FaultKind::RateLimit,
        _ if has(&["rate_limit", "rate limit", "too many requests", "resource_exhausted"]) => FaultKind::RateLimit,
        Some(403) if has(&["permission", "key", "forbidden", "access"]) => FaultKind::WrongKey,
        Some(404) if has(&["model"]) => FaultKind::UnknownModel,
        Some(404) | None if said.kind.contains("not_found") => FaultKind::UnknownModel,
        Some(408 | 500..=599) => FaultKind::Server,
        _ if has(&["server_error", "internal_error", "api_error", "timeout_error", "internal server error"]) => {
            FaultKind::Server
        }
        Some(_) => FaultKind::BadRequest,
        None if has(&["invalid_request"]) => FaultKind::BadRequest,
        None => FaultKind::Server,
    }
}

/// (sent, limit) when the message gives both: the two largest numbers are the prompt and the window.
fn overflow_numbers(message: &str) -> Option<(u64, u64)> {
    let mut numbers: Vec<u64> = message
        .split(|c: char| !c.is_ascii_digit() && c != ',')
        .filter_map(|word| word.replace(',', "").parse().ok())
        .filter(|number| *number >= 256)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    match numbers.as_slice() {
        [.., limit, sent] => Some((*sent, *limit)),
        _ => None,
    }
}

/// `retry-after-ms`, `retry-after` in seconds or as a date.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return milliseconds(ms);
    }
    let after = text("retry-after")?;
    if let Ok(seconds) = after.parse::<f64>() {
        return milliseconds(seconds * 1000.0);
    }
    let at = httpdate::parse_http_date(after).ok()?;
    Some(at.duration_since(now).unwrap_or_default().as_millis() as u64)
}

fn milliseconds(ms: f64) -> Option<u64> {
    (ms.is_finite() && ms >= 0.0).then_some(ms.ceil() as u64)
}

/// "try again in 1.5s" and the like.
fn wait_in_words(message: &str) -> Option<u64> {
    let lower = message.to_lowercase();
    let rest = ["try again in ", "retry in ", "retry after "].iter().find_map(|words| lower.split(words).nth(1))?;
    let number: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let unit = rest[number.len()..].trim_start();
    let value: f64 = number.parse().ok()?;
    match unit {
        _ if unit.starts_with("ms") || unit.starts_with("milli") => milliseconds(value),
        _ if unit.starts_with('m') => milliseconds(value * 60_000.0),
        _ if unit.starts_with('s') => milliseconds(value * 1000.0),
        _ => None,
    }
}

/// One line, at most [`DETAIL`] characters, nothing that looks like a key.
pub(super) fn shorten(text: &str) -> String {
    let line: Vec<&str> = text.split_whitespace().map(|word| if secret(word) { "…" } else { word }).collect();
    let line = line.join(" ");
    match line.char_indices().nth(DETAIL) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Whether a word may be a credential or part of one.
fn secret(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let prefixed = ["sk-", "sk_", "gsk_", "xai-", "AIza", "pk-", "key-", "hf_", "r8_", "Bearer"];
    if word != "Bearer" && prefixed.iter().any(|prefix| word.contains(prefix)) {
        return true;
    }
    let mixed = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(|c| c.is_ascii_alphabetic());
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-*".contains(c));
    word.len() >= 32 && mixed && plain && !word.starts_with("req")
}

fn sentence(text: &str) -> String {
    let text = shorten(text);
    if text.ends_with(['.', '!', '?', '…']) { text } else { format!("{text}.") }
}

/// Gateways answer errors with HTML pages.
fn strip_markup(body: &str) -> String {
    let mut out = String::new();
    let mut depth = 0_u32;
    for c in body.chars().take(20_000) {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => {
                depth -= 1;
                out.push(' ');
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests;
