//! Plain values against their kind and range.

use super::keys::{Key, Kind, nearest};
use super::tree::{Node, Value};

/// A name may have at most this many bytes.
pub const LONGEST_NAME: usize = 128;

/// What is wrong, without the key before it, and a hint that may be empty.
pub type Complaint = (String, String);

impl Key {
    /// What a guard is when it guards most: on, or the last of its words.
    pub fn strictest(&self) -> Value {
        match self.kind {
            Kind::Choice(words) => words.last().map_or(Value::Flag(true), |word| Value::Text((*word).to_owned())),
            _ => Value::Flag(true),
        }
    }
}

/// Whether a plain value is of the kind and in its range.
pub fn scalar(value: &Value, kind: &Kind) -> Result<(), Complaint> {
    match (kind, value) {
        (Kind::Text, Value::Text(_)) | (Kind::Flag, Value::Flag(_)) => Ok(()),
        (Kind::Name, Value::Text(text)) => name(text),
        (Kind::ModelName, Value::Text(text)) => model_name(text),
        (Kind::Address, Value::Text(text)) if text.starts_with("http://") || text.starts_with("https://") => Ok(()),
        (Kind::Address, Value::Text(_)) => Err(("must begin with http:// or https://".to_owned(), String::new())),
        (Kind::Whole(least, most), Value::Whole(whole)) if (least..=most).contains(&whole) => Ok(()),
        (Kind::WholeOrZero(least, most), Value::Whole(whole)) if *whole == 0 || (least..=most).contains(&whole) => {
            Ok(())
        }
        (Kind::Number(least, most), Value::Number(number)) if (least..=most).contains(&number) => Ok(()),
        (Kind::Number(least, most), Value::Whole(whole)) if (*least..=*most).contains(&(*whole as f64)) => Ok(()),
        (Kind::Choice(words), Value::Text(text)) if words.contains(&text.as_str()) => Ok(()),
        (Kind::Choice(words), Value::Text(text)) => {
            let near = nearest(text, words.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
            Err((format!("must be one of {}", words.join(", ")), near.unwrap_or_default()))
        }
        (Kind::Whole(..) | Kind::WholeOrZero(..), Value::Whole(_))
        | (Kind::Number(..), Value::Whole(_) | Value::Number(_)) => {
            Err((format!("must be {}", describe(kind)), String::new()))
        }
        (Kind::Flag, Value::Text(text)) if matches!(text.as_str(), "true" | "false") => {
            Err(("must be true or false, not a string".to_owned(), format!("write {text} without quotes")))
        }
        _ => Err((format!("must be {}, not {}", describe(kind), value.type_name()), String::new())),
    }
}

fn name(text: &str) -> Result<(), Complaint> {
    let complaint = if text.trim().is_empty() {
        "must not be empty"
    } else if text.chars().any(char::is_control) {
        "must not hold control characters"
    } else if text.len() > LONGEST_NAME {
        "is too long for a name"
    } else {
        return Ok(());
    };
    Err((complaint.to_owned(), String::new()))
}

fn model_name(text: &str) -> Result<(), Complaint> {
    name(text)?;
    let whole = text.split_once(':').is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty());
    if whole || text == "auto" {
        return Ok(());
    }
    Err((
        "must be provider:model or \"auto\"".to_owned(),
        "for example \"anthropic:claude-sonnet-5\", \"openrouter:z-ai/glm-5\" or \"ollama:qwen3\"".to_owned(),
    ))
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Text | Kind::Name | Kind::ModelName | Kind::Address => "a string".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::WholeOrZero(least, most) => format!("0 or a whole number from {least} to {most}"),
        Kind::Number(least, most) => format!("a number from {least} to {most}"),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
        Kind::Texts => "a list of strings".to_owned(),
        Kind::TextMap | Kind::Table(_) | Kind::Model | Kind::Map(_) => "a table".to_owned(),
        Kind::List(_) => "an array of tables".to_owned(),
        Kind::Unused | Kind::Retired => "left out".to_owned(),
    }
}

/// A value of the kind, for a hint to paste.
pub fn example(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "false".to_owned(),
        Kind::Whole(least, most) => if (*least..=*most).contains(&30) { 30 } else { *least }.to_string(),
        Kind::WholeOrZero(..) => "0".to_owned(),
        Kind::Number(least, _) => format!("{least:.1}"),
        Kind::Choice(words) => format!("\"{}\"", words.first().unwrap_or(&"")),
        Kind::Texts | Kind::List(_) => "[]".to_owned(),
        Kind::TextMap | Kind::Table(_) | Kind::Model | Kind::Map(_) => "{}".to_owned(),
        Kind::ModelName => "\"auto\"".to_owned(),
        Kind::Address => "\"http://localhost:8000/v1\"".to_owned(),
        Kind::Text | Kind::Name | Kind::Unused | Kind::Retired => "\"…\"".to_owned(),
    }
}

/// A whole number where a fraction may stand becomes one.
pub fn widen(node: Node, kind: &Kind) -> Node {
    match (&node.value, kind) {
        (Value::Whole(whole), Kind::Number(..)) => Node { value: Value::Number(*whole as f64), ..node },
        _ => node,
    }
}
