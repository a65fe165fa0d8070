//! Text of others as data inside a prompt.

/// The text as a JSON string in which no tag can begin or end, whatever it says.
#[must_use]
pub fn json(text: &str) -> String {
    tagless(serde_json::Value::from(text).to_string())
}

/// The same for a whole value.
#[must_use]
pub fn value(value: &serde_json::Value) -> String {
    tagless(value.to_string())
}

/// Angle brackets stand only inside strings of JSON, where they may be escaped.
fn tagless(json: String) -> String {
    match json.contains(['<', '>']) {
        true => json.replace('<', "\\u003c").replace('>', "\\u003e"),
        false => json,
    }
}

/// A text between the marks that tell the agent's model that the runtime wrote it.
#[must_use]
pub fn note(kind: &str, text: &str) -> String {
    format!("<octomind-note kind=\"{kind}\">\n{text}\n</octomind-note>")
}

/// How every such text begins.
pub const NOTE: &str = "<octomind-note";
