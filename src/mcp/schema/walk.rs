use serde_json::{Map, Value, json};

use super::{MAX_DEPTH, MAX_PROPERTY_DESCRIPTION, Repairs};
use crate::mcp::visible;
use crate::text::disarmed;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Keywords whose value is one schema.
const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value maps names to schemas.
const MAP: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords that say nothing to a model or change what references mean.
const DROPPED: [&str; 9] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
    "$vocabulary",
];

/// Whether a value is nested no deeper than that.
pub(super) fn depth_within(value: &Value, left: usize) -> bool {
    match value {
        Value::Object(map) => left > 0 && map.values().all(|value| depth_within(value, left - 1)),
        Value::Array(items) => left > 0 && items.iter().all(|value| depth_within(value, left - 1)),
        _ => true,
    }
}

/// Goes through a schema and mends what can be mended in place.
pub(super) fn tidy(schema: Value, repairs: &mut Repairs) -> Value {
    one(schema, "", 0, repairs)
}

/// `at` is the name of the nearest property, for messages; empty at the root.
fn one(schema: Value, at: &str, depth: usize, repairs: &mut Repairs) -> Value {
    let map = match schema {
        Value::Object(map) => map,
        Value::Bool(_) => return schema,
        other => {
            repairs.note(format!("{} is {} instead of a schema; left unconstrained", of(at), super::kind(&other)));
            return json!({});
        }
    };
    if depth > MAX_DEPTH {
        repairs.note(format!("levels deeper than {MAX_DEPTH} are left unconstrained"));
        return json!({});
    }
    let mut tidied = Map::new();
    for (key, value) in map {
        if let Some(value) = keyword(&key, value, at, depth, repairs) {
            tidied.insert(key, value);
        }
    }
    Value::Object(tidied)
}

fn keyword(key: &str, value: Value, at: &str, depth: usize, repairs: &mut Repairs) -> Option<Value> {
    match key {
        _ if DROPPED.contains(&key) && value.is_string() => None,
        "type" => types(value, at, repairs),
        "required" => required(value, at, repairs),
        "description" | "title" | "$comment" => words(value, at, repairs),
        "enum" => choices(value, at, repairs),
        "pattern" if !value.as_str().is_some_and(compiles) => {
            repairs.note(format!("the pattern of {} cannot be read and is ignored", of(at)));
            None
        }
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {
            repairs.note(format!("`{key}` of {} is of an old draft and is ignored", of(at)));
            None
        }
        "items" if value.is_array() => {
            repairs.note(format!("the list of item types of {} became a choice of them", of(at)));
            let Value::Array(items) = value else { return None };
            let items: Vec<_> = items.into_iter().map(|item| one(item, at, depth + 1, repairs)).collect();
            Some(if items.is_empty() { json!({}) } else { json!({"anyOf": items}) })
        }
        _ if ONE.contains(&key) => (!value.is_null()).then(|| one(value, at, depth + 1, repairs)),
        _ if LIST.contains(&key) => match value {
            Value::Array(items) if !items.is_empty() => {
                Some(items.into_iter().map(|item| one(item, at, depth + 1, repairs)).collect())
            }
            _ => ignored(key, at, repairs),
        },
        _ if MAP.contains(&key) => match value {
            Value::Object(mut map) => {
                if key == "patternProperties" {
                    map.retain(|pattern, _| compiles(pattern));
                }
                let named = |(name, value): (String, Value), repairs: &mut Repairs| {
                    let inner = if key == "properties" { name.as_str() } else { at };
                    let value = one(value, inner, depth + 1, repairs);
                    (name, value)
                };
                Some(Value::Object(map.into_iter().map(|pair| named(pair, repairs)).collect()))
            }
            Value::Null => None,
            _ => ignored(key, at, repairs),
        },
        _ => Some(value),
    }
}

fn compiles(pattern: &str) -> bool {
    jsonschema::draft202012::new(&json!({"pattern": pattern})).is_ok()
}

fn ignored(key: &str, at: &str, repairs: &mut Repairs) -> Option<Value> {
    repairs.note(format!("`{key}` of {} was not valid and is ignored", of(at)));
    None
}

fn types(value: Value, at: &str, repairs: &mut Repairs) -> Option<Value> {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        value if known(&value) => Some(value),
        Value::Array(names) => {
            let before = names.len();
            let mut kept: Vec<Value> = Vec::new();
            for name in names.into_iter().filter(|name| known(name)) {
                if !kept.contains(&name) {
                    kept.push(name);
                }
            }
            if kept.len() < before {
                repairs.note(format!("the type of {} had unknown or repeated parts, which are ignored", of(at)));
            }
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        other => {
            let shown = visible::line(&other.to_string(), 40);
            repairs.note(format!(
                "the type of {} is {shown}, which JSON Schema does not know; left unconstrained",
                of(at)
            ));
            None
        }
    }
}

fn required(value: Value, at: &str, repairs: &mut Repairs) -> Option<Value> {
    let Value::Array(names) = value else { return ignored("required", at, repairs) };
    let before = names.len();
    let mut kept: Vec<Value> = Vec::new();
    for name in names.into_iter().filter(Value::is_string) {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    if kept.len() < before {
        repairs.note(format!("`required` of {} had parts that are no names or repeat; they are ignored", of(at)));
    }
    Some(Value::Array(kept))
}

fn words(value: Value, at: &str, repairs: &mut Repairs) -> Option<Value> {
    let Value::String(text) = value else { return None };
    let (clean, hidden) = visible::strip(&text);
    if hidden > 0 {
        repairs.note(format!("warning: {hidden} invisible characters were taken out of the text of {}", of(at)));
    }
    let clean = disarmed(&clean);
    if clean.chars().count() > MAX_PROPERTY_DESCRIPTION {
        repairs.note(format!("the description of {} was cut to {MAX_PROPERTY_DESCRIPTION} characters", of(at)));
        let cut: String = clean.chars().take(MAX_PROPERTY_DESCRIPTION - 1).chain(['…']).collect();
        return Some(Value::String(cut));
    }
    Some(Value::String(clean.into_owned()))
}

fn choices(value: Value, at: &str, repairs: &mut Repairs) -> Option<Value> {
    let Value::Array(items) = value else { return ignored("enum", at, repairs) };
    if items.is_empty() {
        return ignored("enum", at, repairs);
    }
    let before = items.len();
    let seen = |item: &Value| item.as_str().is_none_or(|text| visible::strip(text).1 == 0);
    let mut kept: Vec<Value> = Vec::new();
    for item in items.into_iter().filter(seen) {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    if kept.len() < before {
        repairs.note(format!("choices of {} with invisible characters, or that repeat, were left out", of(at)));
    }
    (!kept.is_empty()).then_some(Value::Array(kept))
}

fn of(at: &str) -> String {
    if at.is_empty() { "the arguments".to_owned() } else { format!("`{}`", visible::line(at, 60)) }
}
