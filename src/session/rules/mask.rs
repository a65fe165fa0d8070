//! Masking of what the session writes down.

use crate::config::Mask;
use crate::proto::{Body, Content};

pub fn content(mask: &Mask, content: Content) -> Content {
    match content {
        Content::Text(text) => Content::Text(mask.owned(text)),
        Content::Parts(parts) => Content::Parts(parts.into_iter().map(|part| self::content(mask, part)).collect()),
        other => other,
    }
}

/// The event with every secret in it masked, whichever field it is in.
pub fn body(mask: &Mask, body: Body) -> Body {
    let Ok(json) = serde_json::to_string(&body) else { return body };
    if !mask.is_in_json(&json) {
        return body;
    }
    let Ok(value) = serde_json::from_str(&json) else { return body };
    serde_json::from_value(mask.value(&value)).unwrap_or(body)
}
