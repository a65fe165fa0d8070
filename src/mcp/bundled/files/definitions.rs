//! The six definitions. Every byte here is in the prompt of every turn: a test holds them to a size.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};

/// What a tool may do to the machine, as told to the client.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    Destroys,
}

/// The tools in the order they are listed.
pub fn all() -> Vec<Tool> {
    vec![
        tool(
            "view",
            "Read a file, image or folder. Lines come as `N:hh|text`; `N:hh` is the line's id.",
            Effect::Reads,
            json!({"path": text(""), "start": integer("first line"), "end": integer("last line")}),
            &["path"],
        ),
        edit(),
        tool(
            "write",
            "Create a file, folders included. To replace one not viewed before, set overwrite.",
            Effect::Destroys,
            json!({"path": text(""), "content": text(""), "overwrite": boolean()}),
            &["path", "content"],
        ),
        tool(
            "search",
            "Search file contents by regex; lower-case patterns ignore case. Respects .gitignore.",
            Effect::Reads,
            json!({
                "pattern": text(""),
                "path": text("file or folder"),
                "glob": text("like *.rs or src/**"),
                "context": integer("lines around"),
                "max": integer("matches"),
                "files_only": boolean(),
            }),
            &["pattern"],
        ),
        tool(
            "list",
            "Tree of a folder with sizes.",
            Effect::Reads,
            json!({"path": text(""), "depth": integer("")}),
            &[],
        ),
        tool(
            "shell",
            "Run a command with sh; returns its output and exit code. No input, no terminal. \
             Long output is cut in the middle and kept whole in a file.",
            Effect::Destroys,
            json!({"command": text(""), "cwd": text(""), "timeout_seconds": integer("default 120")}),
            &["command"],
        ),
    ]
}

fn edit() -> Tool {
    tool(
        "edit",
        "Change a file by line ids from view, search or edit; all edits apply or none. \
         Or replace `old`, which must occur once, by `new`. Returns a diff with new ids.",
        Effect::Destroys,
        json!({
            "path": text(""),
            "edits": {"type": "array", "items": {"type": "object", "properties": {
                "from": text("id of the first line to replace, like 12:ab"),
                "to": text("id of the last; default: from"),
                "after": text("or insert after this id; 0 = top"),
                "text": text("new lines without ids; empty deletes"),
            }}},
            "old": text(""),
            "new": text(""),
        }),
        &["path"],
    )
}

fn tool(name: &'static str, description: &'static str, effect: Effect, properties: Value, required: &[&str]) -> Tool {
    let mut schema = serde_json::Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties);
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    let annotations = match effect {
        Effect::Reads => ToolAnnotations::new().read_only(true),
        Effect::Destroys => ToolAnnotations::new().read_only(false).destructive(true),
    };
    Tool::new(name, description, Arc::new(schema)).with_annotations(annotations)
}

fn text(description: &str) -> Value {
    described("string", description)
}

fn integer(description: &str) -> Value {
    described("integer", description)
}

fn boolean() -> Value {
    described("boolean", "")
}

fn described(kind: &str, description: &str) -> Value {
    if description.is_empty() { json!({"type": kind}) } else { json!({"type": kind, "description": description}) }
}
