//! `plugin.json`.

use serde_json::{Map, Value};

use super::json;
use crate::config::Source;
use crate::tap::skill::Remark;

/// What `$schema` must say. Source: Agent Plugins 1.0.0, §5.2.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

const FIELDS: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];

/// The longest name. Source: Agent Plugins 1.0.0, §5.5.
const MAX_NAME: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    pub version: String,
    pub description: String,
}

/// The manifest, or nothing and an error among the remarks.
pub fn read(source: &Source, remarks: &mut Vec<Remark>) -> Option<Manifest> {
    let object = match json::object(source) {
        Ok(object) => object,
        Err(remark) => {
            remarks.push(remark);
            return None;
        }
    };
    let at = |key: &str| json::key(&source.text, &[key]);
    let before = remarks.len();
    if let Err((message, hint)) = schema(&object, SCHEMA) {
        remarks.push(Remark::error(at("$schema"), message).hint(hint));
    }
    match object.get("name").map(Value::as_str) {
        Some(Some(name)) => remarks.extend(bad_name(name).map(|why| {
            Remark::error(at("name"), format!("`{name}` is no plugin name: {why}"))
                .hint("use lower-case letters, digits, single hyphens and single periods, like acme.tools")
        })),
        Some(None) => remarks.push(Remark::error(at("name"), "`name` is not a text")),
        None => remarks.push(Remark::error(0..1, "the plugin has no `name`").hint("add \"name\": \"…\"")),
    }
    for key in ["version", "description", "homepage", "repository", "license"] {
        if object.get(key).is_some_and(|value| !value.is_string()) {
            remarks.push(Remark::error(at(key), format!("`{key}` is not a text")));
        }
    }
    if object.get("author").is_some_and(|author| !is_author(author)) {
        let message = "`author` is not an object with the texts `name`, `email` and `url`";
        remarks.push(Remark::error(at("author"), message));
    }
    let texts = |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    if object.get("keywords").is_some_and(|keywords| !texts(keywords)) {
        remarks.push(Remark::error(at("keywords"), "`keywords` is not a list of texts"));
    }
    let rejected = remarks.len() > before;
    for key in object.keys().filter(|key| !FIELDS.contains(&key.as_str())) {
        remarks.push(Remark::warning(at(key), format!("there is no field `{key}` in a plugin.json; it was ignored")));
    }
    if object.get("extensions").is_some_and(|value| !value.is_object()) {
        remarks.push(Remark::warning(at("extensions"), "`extensions` is not an object; it was ignored"));
    }
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    (!rejected).then(|| Manifest { name: text("name"), version: text("version"), description: text("description") })
}

/// # Errors
/// What is wrong with `$schema`, and what to write.
pub fn schema(object: &Map<String, Value>, wanted: &str) -> Result<(), (String, String)> {
    let hint = format!("write \"$schema\": \"{wanted}\"");
    match object.get("$schema").map(Value::as_str) {
        Some(Some(schema)) if schema == wanted => Ok(()),
        Some(Some(schema)) => Err((format!("`{schema}` is no version of Agent Plugins that is read here"), hint)),
        Some(None) => Err(("`$schema` is not a text".to_owned(), hint)),
        None => Err(("it does not say by `$schema` which version of Agent Plugins it follows".to_owned(), hint)),
    }
}

fn bad_name(name: &str) -> Option<&'static str> {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if name.is_empty() || name.len() > MAX_NAME {
        return Some("it has 1 to 64 characters");
    }
    if !name.chars().all(|letter| plain(letter) || matches!(letter, '-' | '.')) {
        return Some("it has other characters");
    }
    if !name.starts_with(plain) || !name.ends_with(plain) {
        return Some("it starts or ends with a sign");
    }
    (name.contains("--") || name.contains("..")).then_some("it has two signs in a row")
}

fn is_author(author: &Value) -> bool {
    author.as_object().is_some_and(|author| {
        author.iter().all(|(key, value)| matches!(key.as_str(), "name" | "email" | "url") && value.is_string())
    })
}
