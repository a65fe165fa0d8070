//! A reply as it came, without what its statuses must not carry: what is dropped from a status stands in no
//! file either.

use std::borrow::Cow;

use serde_json::Value;

use super::credential;

/// `came` with every text of these statuses that looks like a credential replaced by the reason. A status
/// that cannot be read and holds one goes whole.
#[must_use]
pub fn redacted<'text>(came: &'text str, statuses: &[String]) -> Cow<'text, str> {
    let mut clean = Cow::Borrowed(came);
    for raw in statuses.iter().filter(|raw| credential::looks_like(raw).is_some()) {
        if let Some(safe) = status(raw) {
            clean = Cow::Owned(clean.replace(raw.as_str(), &safe));
        }
    }
    clean
}

/// `None` when nothing of it has to go.
fn status(raw: &str) -> Option<String> {
    let why = credential::looks_like(raw)?;
    let inner = raw.trim().strip_prefix("<sup>").unwrap_or(raw).trim_end();
    let inner = inner.strip_suffix("</sup>").unwrap_or(inner);
    match serde_json::from_str::<Value>(inner.trim()) {
        Ok(mut value) => {
            let taken = redact(&mut value);
            taken.then(|| format!("<sup>{value}</sup>"))
        }
        Err(_) => Some(format!("<sup>[left out: {why}]</sup>")),
    }
}

/// Whether something was taken out.
fn redact(value: &mut Value) -> bool {
    match value {
        Value::String(text) => match credential::looks_like(text) {
            Some(why) => {
                *text = format!("[left out: {why}]");
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |taken, item| redact(item) | taken),
        Value::Object(fields) => fields.values_mut().fold(false, |taken, field| redact(field) | taken),
        _ => false,
    }
}
