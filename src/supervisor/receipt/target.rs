use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::shell;
use crate::text;

/// Arguments that only explain a call.
const PROSE: [&str; 6] = ["description", "reason", "explanation", "intent", "thought", "title"];

/// Arguments that hold a shell command.
const COMMANDS: [&str; 3] = ["command", "cmd", "script"];

/// A longer text stands in a target by its length and hash, bytes. Commands stand whole.
const LONG: usize = 512;

/// Columns of a line.
const LINE: usize = 100;

/// What a call is about: canonical JSON of its arguments. Keys are sorted; what is null or only
/// explains is left out, unless nothing else is there; a command is without comments and extra spaces.
#[must_use]
pub fn target(arguments: &Value) -> String {
    canonical(arguments, Depth::Top).to_string()
}

/// The call in one line for people.
#[must_use]
pub fn line(tool: &str, arguments: &Value) -> String {
    let said = match (command_of(arguments), arguments) {
        (Some(command), _) => command.into_owned(),
        (None, Value::Object(fields)) if fields.is_empty() => String::new(),
        (None, Value::String(raw)) => raw.clone(),
        (None, other) => other.to_string(),
    };
    let line = text::sanitize_line(&said);
    text::truncate(format!("{tool} {}", line.trim()).trim_end(), LINE).into_owned()
}

/// The shell command among the arguments. One that comes as a list of words is quoted.
#[must_use]
pub fn command_of(arguments: &Value) -> Option<Cow<'_, str>> {
    COMMANDS.iter().find_map(|key| match arguments.get(*key)? {
        Value::String(command) => Some(Cow::Borrowed(command.as_str())),
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" ").into())
        }
        _ => None,
    })
}

fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Top,
    Inner,
}

fn canonical(value: &Value, depth: Depth) -> Value {
    match value {
        Value::Object(fields) => {
            let tells = |key: &str, field: &Value| !(field.is_string() && PROSE.contains(&key));
            let keep_prose = depth == Depth::Inner || !fields.iter().any(|(key, field)| tells(key, field));
            let mut kept: Vec<(&String, &Value)> =
                fields.iter().filter(|(key, field)| !field.is_null() && (keep_prose || tells(key, field))).collect();
            kept.sort_unstable_by_key(|(key, _)| *key);
            let one = |(key, field): (&String, &Value)| (key.clone(), of_field(key, field));
            Value::Object(kept.into_iter().map(one).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| canonical(item, Depth::Inner)).collect(),
        Value::String(text) if text.len() > LONG => {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            Value::String(format!("{} bytes, {:016x}", text.len(), hasher.finish()))
        }
        other => other.clone(),
    }
}

fn of_field(key: &str, field: &Value) -> Value {
    match field {
        Value::String(command) if COMMANDS.contains(&key) => Value::String(shell::plain(command)),
        other => canonical(other, Depth::Inner),
    }
}
