use serde_json::{Map, Value, json};

use super::{Repairs, quarantine};
use crate::proto::Quarantine;

/// Makes the root a plain object: providers refuse choices and references there.
///
/// # Errors
/// The root is no object and cannot be read as one.
pub(super) fn flatten(schema: Value, repairs: &mut Repairs) -> Result<Value, Quarantine> {
    let Value::Object(mut root) = schema else { return Ok(json!({"type": "object", "properties": {}})) };
    follow_reference(&mut root, repairs);
    object_type(&mut root, repairs)?;
    for keyword in ["allOf", "anyOf", "oneOf"] {
        merge_branches(&mut root, keyword, repairs);
    }
    for keyword in ["enum", "const", "not", "if", "then", "else"] {
        if root.shift_remove(keyword).is_some() {
            repairs.note(format!("`{keyword}` at the root is left to the server to check"));
        }
    }
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    let mut dropped = Vec::new();
    if let Value::Object(properties) = properties {
        properties.retain(|name, _| {
            let fit = fit(name);
            if !fit {
                dropped.push(name.clone());
            }
            fit
        });
    }
    drop_unfit(&mut root, &dropped, repairs)?;
    Ok(Value::Object(root))
}

/// Argument names that all providers take (Anthropic's rule is the strictest).
fn fit(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn drop_unfit(root: &mut Map<String, Value>, dropped: &[String], repairs: &mut Repairs) -> Result<(), Quarantine> {
    let Some(Value::Array(required)) = root.get_mut("required") else {
        return drop_optional(dropped, repairs);
    };
    if let Some(name) = dropped.iter().find(|name| required.iter().any(|value| value.as_str() == Some(name))) {
        return Err(quarantine(format!(
            "its required argument `{}` has a name that providers refuse",
            crate::mcp::visible::line(name, 80)
        )));
    }
    if required.is_empty() {
        root.shift_remove("required");
    }
    drop_optional(dropped, repairs)
}

fn drop_optional(dropped: &[String], repairs: &mut Repairs) -> Result<(), Quarantine> {
    for name in dropped {
        repairs.note(format!(
            "the argument `{}` was left out: providers refuse its name",
            crate::mcp::visible::line(name, 80)
        ));
    }
    Ok(())
}

fn follow_reference(root: &mut Map<String, Value>, repairs: &mut Repairs) {
    // Circles are cut by now; the bound only guards against a long chain.
    for _ in 0..32 {
        let Some(Value::String(reference)) = root.shift_remove("$ref") else { return };
        let whole = Value::Object(root.clone());
        if let Some(Value::Object(target)) = reference.strip_prefix('#').and_then(|pointer| whole.pointer(pointer)) {
            for (key, value) in target {
                root.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        repairs.note("the reference at the root was filled in");
    }
}

fn object_type(root: &mut Map<String, Value>, repairs: &mut Repairs) -> Result<(), Quarantine> {
    match root.get("type") {
        Some(Value::String(name)) if name == "object" => return Ok(()),
        Some(Value::Array(names)) if names.iter().any(|name| name == "object") => {}
        None => {
            if !root.is_empty() {
                repairs.note("the root had no type; taken to be an object");
            }
        }
        Some(other) => {
            return Err(quarantine(format!("its arguments are declared as {other}, but a tool takes an object")));
        }
    }
    // First, as people write it.
    let rest = std::mem::take(root);
    root.insert("type".into(), json!("object"));
    root.extend(rest.into_iter().filter(|(key, _)| key != "type"));
    Ok(())
}

/// One object with the arguments of all branches. Which of them go together, the server checks.
fn merge_branches(root: &mut Map<String, Value>, keyword: &str, repairs: &mut Repairs) {
    let Some(Value::Array(branches)) = root.shift_remove(keyword) else { return };
    let whole = Value::Object(root.clone());
    let resolved: Vec<Map<String, Value>> = branches.iter().filter_map(|branch| resolve(branch, &whole)).collect();
    let mut properties = match root.shift_remove("properties") {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    for branch in &resolved {
        let Some(Value::Object(more)) = branch.get("properties") else { continue };
        for (name, schema) in more {
            match properties.get_mut(name) {
                None => {
                    properties.insert(name.clone(), schema.clone());
                }
                Some(known) if known != schema => join(known, schema, keyword),
                Some(_) => {}
            }
        }
    }
    let mut required = names(root.get("required"));
    let lists: Vec<Vec<String>> = resolved.iter().map(|branch| names(branch.get("required"))).collect();
    let extra: Vec<String> = lists.concat();
    for name in extra {
        let all = keyword == "allOf" || lists.iter().all(|list| list.contains(&name));
        if all && !required.contains(&name) {
            required.push(name);
        }
    }
    root.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        root.insert("required".into(), json!(required));
    }
    // A branch's own `additionalProperties: false` would forbid the arguments of the others.
    root.shift_remove("additionalProperties");
    repairs.note(format!("`{keyword}` at the root became one object with the arguments of all branches"));
}

fn resolve(branch: &Value, whole: &Value) -> Option<Map<String, Value>> {
    let mut branch = branch.as_object()?;
    for _ in 0..32 {
        let Some(reference) = branch.get("$ref").and_then(Value::as_str) else { break };
        branch = whole.pointer(reference.strip_prefix('#')?)?.as_object()?;
    }
    Some(branch.clone())
}

fn join(known: &mut Value, other: &Value, keyword: &str) {
    if keyword == "allOf" {
        *known = json!({"allOf": [known.take(), other]});
        return;
    }
    match known.get_mut("anyOf").filter(|_| known_is_join(other)) {
        Some(Value::Array(choices)) if !choices.contains(other) => choices.push(other.clone()),
        Some(Value::Array(_)) => {}
        _ => *known = json!({"anyOf": [known.take(), other]}),
    }
}

/// A schema that is itself a choice is kept whole as one more choice.
fn known_is_join(other: &Value) -> bool {
    other.get("anyOf").is_none()
}

fn names(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
