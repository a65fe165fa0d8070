use std::borrow::Cow;

use serde_json::Value;

use crate::proto::{Body, Content};

/// What stands in place of a secret.
const MASKED: &str = "[masked]";

/// A value shorter than this would shred ordinary words.
const SHORTEST: usize = 8;

/// Values that must not enter an event.
#[derive(Debug, Clone, Default)]
pub struct Mask {
    /// Longest first, so that one inside another does not leave the rest.
    secrets: Vec<String>,
    /// The same as they stand in JSON.
    escaped: Vec<String>,
}

impl Mask {
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut secrets: Vec<String> = secrets.into_iter().filter(|secret| secret.len() >= SHORTEST).collect();
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        let escaped =
            secrets.iter().map(|secret| Value::from(secret.as_str()).to_string().trim_matches('"').to_owned());
        Self { escaped: escaped.collect(), secrets }
    }

    /// The same with one value more.
    #[must_use]
    pub fn and(&self, secret: String) -> Self {
        Self::new(self.secrets.iter().cloned().chain([secret]))
    }

    pub fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut masked = Cow::Borrowed(text);
        for secret in &self.secrets {
            if masked.contains(secret.as_str()) {
                masked = Cow::Owned(masked.replace(secret.as_str(), MASKED));
            }
        }
        masked
    }

    pub fn owned(&self, text: String) -> String {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        }
    }

    pub fn value(&self, value: &Value) -> Value {
        match value {
            _ if self.secrets.is_empty() => value.clone(),
            Value::String(text) => Value::String(self.text(text).into_owned()),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect()),
            Value::Object(fields) => Value::Object(
                fields.iter().map(|(key, field)| (self.text(key).into_owned(), self.value(field))).collect(),
            ),
            other => other.clone(),
        }
    }

    pub fn content(&self, content: Content) -> Content {
        match content {
            Content::Text(text) => Content::Text(self.owned(text)),
            Content::Parts(parts) => Content::Parts(parts.into_iter().map(|part| self.content(part)).collect()),
            other => other,
        }
    }

    /// The event with every secret in it masked, whichever field it is in.
    pub fn body(&self, body: Body) -> Body {
        if self.secrets.is_empty() {
            return body;
        }
        let Ok(json) = serde_json::to_string(&body) else { return body };
        if !self.escaped.iter().any(|secret| json.contains(secret.as_str())) {
            return body;
        }
        let Ok(value) = serde_json::from_str(&json) else { return body };
        let masked = self.value(&value);
        serde_json::from_value(masked).unwrap_or(body)
    }

    /// Takes from a growing text what can be shown: masked, and without an end that may turn out to
    /// be the beginning of a secret.
    pub fn drain(&self, growing: &mut String) -> String {
        if let Cow::Owned(masked) = self.text(growing) {
            *growing = masked;
        }
        let held = self.secrets.iter().map(|secret| overlap(growing, secret)).max().unwrap_or(0);
        let rest = growing.split_off(growing.len() - held);
        std::mem::replace(growing, rest)
    }
}

/// Length of the longest end of `text` that is a beginning of `secret`, but not all of it.
fn overlap(text: &str, secret: &str) -> usize {
    let most = text.len().min(secret.len() - 1);
    (1..=most).rev().find(|len| text.as_bytes().ends_with(&secret.as_bytes()[..*len])).unwrap_or(0)
}
