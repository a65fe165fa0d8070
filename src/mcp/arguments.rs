//! Arguments against a tool's schema, with words a model can act on. Pure.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use super::visible;

/// Faults told at once.
const MAX_FAULTS: usize = 5;

/// Checks arguments.
///
/// # Errors
/// What is wrong and what is expected.
pub fn check(
    tool: &str,
    arguments: Value,
    schema: &Value,
    validator: &Validator,
) -> Result<Map<String, Value>, String> {
    let arguments = match arguments {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) if text.trim().is_empty() => Value::Object(Map::new()),
        other => other,
    };
    let Value::Object(_) = &arguments else {
        let got = super::schema::kind(&arguments);
        return Err(format!("{tool} takes a JSON object of arguments, but got {got}. {}", expected(schema)));
    };
    let faults: Vec<String> =
        validator.iter_errors(&arguments).take(MAX_FAULTS).map(|error| fault(&error, schema)).collect();
    if !faults.is_empty() {
        return Err(format!("{tool} was not run: {}. {}", faults.join("; "), expected(schema)));
    }
    match arguments {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

fn fault(error: &ValidationError<'_>, schema: &Value) -> String {
    let at = place(error.instance_path().as_str());
    let inside = |name: &str| match at.as_str() {
        "" => format!("`{name}`"),
        at => format!("`{at}.{name}`"),
    };
    let got = || format!("got {}", shown(error.instance()));
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("{} is missing", inside(property.as_str().unwrap_or_default()))
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .map(|name| unknown(name, &inside(name), at.is_empty().then_some(schema)))
            .collect::<Vec<_>>()
            .join("; "),
        ValidationErrorKind::Type { kind } => {
            let types: Vec<String> = match kind {
                TypeKind::Single(one) => vec![one.to_string()],
                TypeKind::Multiple(many) => many.iter().map(|one| one.to_string()).collect(),
            };
            format!("`{at}` must be {}, {}", types.join(" or "), got())
        }
        ValidationErrorKind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let options: Vec<String> = options.iter().take(20).map(Value::to_string).collect();
            format!("`{at}` must be one of {}, {}", options.join(", "), got())
        }
        ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. } => {
            format!("`{at}` fits none of the forms it may have, {}", got())
        }
        _ => format!("`{at}`: {}", visible::line(&error.to_string(), 200)),
    }
}

fn unknown(name: &str, shown: &str, schema: Option<&Value>) -> String {
    let known = schema.and_then(|schema| schema["properties"].as_object()).into_iter().flat_map(Map::keys);
    match super::names::nearest(name, known.map(String::as_str)).first() {
        Some(near) => format!("{shown} is no argument of it (did you mean `{near}`?)"),
        None => format!("{shown} is no argument of it"),
    }
}

/// `/a/0/b` as `a.0.b`.
fn place(pointer: &str) -> String {
    pointer
        .trim_start_matches('/')
        .split('/')
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect::<Vec<_>>()
        .join(".")
}

fn shown(value: &Value) -> String {
    visible::line(&value.to_string(), 60)
}

/// `Arguments: path (string, required), limit (integer).`
pub fn expected(schema: &Value) -> String {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
        return "It takes no arguments.".to_owned();
    };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut sorted: Vec<(&String, &Value)> = properties.iter().collect();
    sorted.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
    let all = sorted.len();
    let mut parts: Vec<String> = sorted
        .into_iter()
        .take(20)
        .map(|(name, property)| {
            let mut notes: Vec<String> = Vec::new();
            match &property["type"] {
                Value::String(one) => notes.push(one.clone()),
                Value::Array(many) => {
                    notes.push(many.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "));
                }
                _ => {}
            }
            if required.contains(&name.as_str()) {
                notes.push("required".to_owned());
            }
            if notes.is_empty() { name.clone() } else { format!("{name} ({})", notes.join(", ")) }
        })
        .collect();
    if all > parts.len() {
        parts.push(format!("and {} more", all - parts.len()));
    }
    format!("Arguments: {}.", parts.join(", "))
}

#[cfg(test)]
mod tests;
