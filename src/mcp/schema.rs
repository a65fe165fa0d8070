//! Mending of tool schemas: the result is a valid JSON Schema of an object that every provider
//! takes, or a stated reason why not. Pure.

mod references;
mod root;
mod walk;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::proto::Quarantine;

/// Larger schemas are not sent: they would cost tens of thousands of tokens on every request.
pub const MAX_BYTES: usize = 256 * 1024;

/// Deeper levels are left unconstrained.
pub const MAX_DEPTH: usize = 32;

/// Property descriptions are cut to so many characters.
pub const MAX_PROPERTY_DESCRIPTION: usize = 2_000;

/// A schema fit for use.
#[derive(Debug)]
pub struct Mended {
    pub schema: Value,
    pub validator: Validator,
    /// What was changed, each one sentence.
    pub repairs: Vec<String>,
}

/// Collected repairs, each sentence once.
#[derive(Debug, Default)]
struct Repairs(Vec<String>);

impl Repairs {
    fn note(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.0.contains(&sentence) && self.0.len() < 20 {
            self.0.push(sentence);
        }
    }
}

/// Mends an input schema.
///
/// # Errors
/// Why the tool cannot be offered.
pub fn mend(raw: &Value) -> Result<Mended, Quarantine> {
    let mut repairs = Repairs::default();
    let schema = match raw {
        Value::Null => {
            repairs.note("no input schema was given; taken to need no arguments");
            Value::Object(Map::new())
        }
        Value::Bool(true) => Value::Object(Map::new()),
        Value::Object(_) => raw.clone(),
        other => return Err(quarantine(format!("its input schema is {}, not an object", kind(other)))),
    };
    if !walk::depth_within(&schema, 256) {
        return Err(quarantine("its input schema is nested more than 256 levels deep".to_owned()));
    }
    if schema.to_string().len() > MAX_BYTES {
        return Err(quarantine(format!("its input schema is larger than {} KB", MAX_BYTES / 1024)));
    }
    let schema = references::cut(schema, &mut repairs);
    let schema = walk::tidy(schema, &mut repairs);
    let schema = root::flatten(schema, &mut repairs)?;
    let (schema, validator) = compile(schema, &mut repairs)?;
    Ok(Mended { schema, validator, repairs: repairs.0 })
}

/// Compiles; what the meta-schema or the compiler refuses is taken out, first the keyword it names,
/// in the end all constraints.
fn compile(mut schema: Value, repairs: &mut Repairs) -> Result<(Value, Validator), Quarantine> {
    for _ in 0..64 {
        let Some(pointer) = fault(&schema) else { break };
        if pointer.is_empty() || !remove(&mut schema, &pointer) {
            break;
        }
        repairs.note(format!("{} was not valid and is ignored", place(&pointer)));
    }
    if let Ok(validator) = validator(&schema) {
        return Ok((schema, validator));
    }
    let loose = loose(&schema);
    match validator(&loose) {
        Ok(validator) => {
            repairs.note("its constraints could not be read and are ignored; only argument names are kept");
            Ok((loose, validator))
        }
        Err(error) => Err(quarantine(format!("its input schema cannot be read: {error}"))),
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::draft202012::new(schema).map_err(|error| error.to_string())
}

/// Where the schema breaks the meta-schema, as a JSON pointer.
fn fault(schema: &Value) -> Option<String> {
    jsonschema::draft202012::meta::validate(schema).err().map(|error| error.instance_path().as_str().to_owned())
}

/// Removes the value at a pointer; a property's or list's whole value when it is an element.
fn remove(schema: &mut Value, pointer: &str) -> bool {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
    match schema.pointer_mut(parent) {
        Some(Value::Object(map)) => map.shift_remove(&unescape(last)).is_some(),
        Some(Value::Array(items)) => match last.parse::<usize>() {
            Ok(index) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// A pointer as a person reads it: `/properties/a/type` is "`type` of `a`".
fn place(pointer: &str) -> String {
    let (parent, last) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    let name = parent.rsplit('/').find(|part| !matches!(*part, "" | "properties" | "items" | "$defs"));
    match name {
        Some(name) => format!("`{}` of `{}`", unescape(last), unescape(name)),
        None => format!("`{}`", unescape(last)),
    }
}

/// Only the names and descriptions of the arguments.
fn loose(schema: &Value) -> Value {
    let mut properties = Map::new();
    if let Some(Value::Object(known)) = schema.get("properties") {
        for (name, property) in known {
            let description = property.get("description").and_then(Value::as_str);
            properties.insert(name.clone(), description.map_or_else(|| json!({}), |text| json!({"description": text})));
        }
    }
    json!({"type": "object", "properties": properties})
}

pub(super) fn quarantine(reason: String) -> Quarantine {
    Quarantine { reason, advice: "report it to the author of the server; its other tools work".to_owned() }
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
