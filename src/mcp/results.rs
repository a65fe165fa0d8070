//! What a call returned, as content for a model: never base64 as text, never raw binary. Pure.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{CallResult, visible};
use crate::proto::{Content, ToolOutcome};

/// Media larger than this are refused by providers (Anthropic: 5 MB as base64).
pub const MAX_MEDIA_BYTES: usize = 3_750_000;

/// Characters kept of what is readable in binary output.
const READABLE: usize = 2_000;

/// Reads the JSON of a `tools/call` result.
pub fn read(result: &Value) -> CallResult {
    let failed = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
    let mut parts: Vec<Content> = match result.get("content") {
        Some(Value::Array(items)) => items.iter().map(part).collect(),
        Some(Value::String(words)) => vec![text(words)],
        _ => Vec::new(),
    };
    parts.retain(|part| !matches!(part, Content::Text(words) if words.is_empty()));
    if parts.is_empty() {
        parts.push(Content::Text(match result.get("structuredContent") {
            Some(Value::Null) | None => "(no output)".to_owned(),
            Some(structured) => serde_json::to_string_pretty(structured).unwrap_or_default(),
        }));
    }
    let outcome = if failed { ToolOutcome::Error } else { ToolOutcome::Ok };
    if failed {
        parts = parts.into_iter().map(without_hidden).collect();
    }
    let content = merge(parts);
    CallResult { outcome, content }
}

/// Texts in a row become one.
fn merge(parts: Vec<Content>) -> Content {
    let mut merged: Vec<Content> = Vec::new();
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(Content::Text(before)), Content::Text(after)) => {
                before.push('\n');
                before.push_str(&after);
            }
            (_, part) => merged.push(part),
        }
    }
    match merged.len() {
        1 => merged.remove(0),
        _ => Content::Parts(merged),
    }
}

fn without_hidden(content: Content) -> Content {
    match content {
        Content::Text(words) => Content::Text(visible::strip(&words).0.into_owned()),
        other => other,
    }
}

fn part(item: &Value) -> Content {
    let field = |name: &str| item.get(name).and_then(Value::as_str);
    match field("type") {
        Some("text") => text(field("text").unwrap_or_default()),
        Some("image" | "audio") => media(field("mimeType").unwrap_or_default(), field("data").unwrap_or_default()),
        Some("resource") => resource(item.get("resource").unwrap_or(&Value::Null)),
        Some("resource_link") => {
            let mut words = format!("[resource {}", field("uri").unwrap_or("without an address"));
            for extra in [field("name"), field("mimeType"), field("description")].into_iter().flatten() {
                words.push_str(" · ");
                words.push_str(&visible::line(extra, 300));
            }
            Content::Text(format!("{words}]"))
        }
        kind => {
            let shown = visible::line(&item.to_string(), 2_000);
            Content::Text(format!("[content of an unknown kind {}: {shown}]", kind.unwrap_or("without a name")))
        }
    }
}

fn resource(resource: &Value) -> Content {
    let field = |name: &str| resource.get(name).and_then(Value::as_str);
    let address = visible::line(field("uri").unwrap_or("without an address"), 300);
    if let Some(words) = field("text") {
        return match text(words) {
            Content::Text(words) => Content::Text(format!("[resource {address}]\n{words}")),
            other => other,
        };
    }
    let kind = field("mimeType").unwrap_or("application/octet-stream");
    let data = field("blob").unwrap_or_default();
    if kind.starts_with("image/") || kind.starts_with("audio/") {
        return media(kind, data);
    }
    let bytes = decode(data).map(|bytes| bytes.len());
    match bytes {
        Some(bytes) => Content::Text(format!("[resource {address}: {kind}, {}, binary, not shown]", size(bytes))),
        None => Content::Text(format!("[resource {address}: {kind}, its data is damaged]")),
    }
}

fn media(kind: &str, data: &str) -> Content {
    let kind = if kind.is_empty() { "application/octet-stream" } else { kind };
    let Some(bytes) = decode(data) else {
        return Content::Text(format!("[{kind}: its data is damaged and was left out]"));
    };
    if bytes.len() > MAX_MEDIA_BYTES {
        return Content::Text(format!(
            "[{kind} of {} was left out: models take at most {}. Ask the tool for a smaller one.]",
            size(bytes.len()),
            size(MAX_MEDIA_BYTES)
        ));
    }
    if !kind.starts_with("image/") && !kind.starts_with("audio/") {
        return Content::Text(format!("[{kind}, {}, binary, not shown]", size(bytes.len())));
    }
    Content::Media { media_type: kind.to_ascii_lowercase(), base64: STANDARD.encode(bytes) }
}

/// Tolerates line breaks, missing padding, the URL alphabet and a `data:` prefix.
fn decode(data: &str) -> Option<Vec<u8>> {
    let data = data.split_once(";base64,").map_or(data, |(_, data)| data);
    let compact: String = data
        .chars()
        .filter(|c| !c.is_ascii_whitespace() && *c != '=')
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    if compact.is_empty() {
        return None;
    }
    base64::engine::general_purpose::STANDARD_NO_PAD.decode(compact).ok()
}

/// Text as it came, unless it is binary.
fn text(words: &str) -> Content {
    if !binary(words) {
        return Content::Text(words.to_owned());
    }
    let readable = readable(words);
    let note = format!("[binary data, {}", size(words.len()));
    Content::Text(if readable.is_empty() {
        format!("{note}]")
    } else {
        format!("{note}; what is readable:]\n{readable}")
    })
}

/// Whether a tenth or more of a text cannot be read.
fn binary(words: &str) -> bool {
    let sample = || words.chars().take(64 * 1024);
    let odd = sample().filter(|c| unreadable(*c)).count();
    odd > 0 && (words.contains('\0') && odd > 3 || odd * 10 >= sample().count())
}

fn unreadable(c: char) -> bool {
    c == '\u{fffd}' || (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{8}' | '\u{c}'))
}

fn readable(words: &str) -> String {
    let runs = words.split(unreadable).map(str::trim).filter(|run| run.chars().count() >= 6);
    let mut readable = String::new();
    for run in runs {
        if readable.len() + run.len() > READABLE {
            break;
        }
        if !readable.is_empty() {
            readable.push('\n');
        }
        readable.push_str(run);
    }
    readable
}

/// `1.5 MB`, for people and models.
pub fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

impl CallResult {
    /// A result of words only.
    pub fn plain(outcome: ToolOutcome, words: impl Into<String>) -> Self {
        Self { outcome, content: Content::Text(words.into()) }
    }
}

#[cfg(test)]
mod tests;
