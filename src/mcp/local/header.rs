//! The comment block at the top of a script that describes it as a tool.
//!
//! ```text
//! file      := [shebang-line] comment-line*            ; max 80 lines
//! comment   := ("#" | "//" | "--") text
//! stop      := first code line | first blank line after comments began | line 80
//! @description|@desc TEXT        required; following comment lines without a leading @ append
//! @param|@arg  [*]NAME TYPE DESC repeatable; "*" glued to NAME = required
//! ```

use serde_json::{Map, Value, json};

/// Lines looked at.
pub const MAX_LINES: usize = 80;

/// What a script says of itself. Its name is the file's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LocalTool {
    pub description: String,
    pub parameters: Vec<Parameter>,
    /// Lines that were not understood: the number, from 1, and why.
    pub skipped: Vec<(usize, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub kind: Kind,
    pub need: Need,
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// JSON types a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

/// Why a script is no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeaderFault {
    #[error(
        "missing @description; add a comment line such as `# @description What it does` to its first {MAX_LINES} lines"
    )]
    MissingDescription,
}

/// Reads the header of a script.
pub fn parse(text: &str) -> Result<LocalTool, HeaderFault> {
    let mut tool = LocalTool::default();
    let mut words: Vec<&str> = Vec::new();
    let mut in_description = false;
    let mut began = false;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().take(MAX_LINES).enumerate() {
        let line = line.trim();
        if index == 0 && line.starts_with("#!") {
            continue;
        }
        if line.is_empty() {
            if began {
                break;
            }
            continue;
        }
        let Some(comment) = comment(line) else { break };
        began = true;
        let Some(tagged) = comment.strip_prefix('@') else {
            if in_description {
                words.extend(comment.split_whitespace());
            }
            continue;
        };
        let (tag, rest) = tagged.split_once(char::is_whitespace).unwrap_or((tagged, ""));
        in_description = matches!(tag, "description" | "desc");
        if in_description {
            words.extend(rest.split_whitespace());
        } else if matches!(tag, "param" | "arg") {
            match parameter(rest) {
                Ok(parameter) => tool.add(index + 1, parameter),
                Err(why) => tool.skipped.push((index + 1, why.into())),
            }
        }
    }
    if words.is_empty() {
        return Err(HeaderFault::MissingDescription);
    }
    tool.description = words.join(" ");
    Ok(tool)
}

fn comment(line: &str) -> Option<&str> {
    ["#", "//", "--"].iter().find_map(|marker| line.strip_prefix(marker)).map(str::trim)
}

fn parameter(text: &str) -> Result<Parameter, &'static str> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("the parameter has no name")?;
    let (name, need) = match name.strip_prefix('*') {
        Some("") => return Err("`*` stands alone; write it right before the name, such as *target"),
        Some(name) => (name, Need::Required),
        None => (name, Need::Optional),
    };
    let mut rest: Vec<&str> = words.collect();
    let kind = rest.first().and_then(|word| Kind::named(word));
    if kind.is_some() {
        rest.remove(0);
    }
    Ok(Parameter { name: name.into(), kind: kind.unwrap_or(Kind::String), need, description: rest.join(" ") })
}

impl Kind {
    /// By name or alias. A word that is no type belongs to the description.
    fn named(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "string" | "str" => Self::String,
            "number" | "num" | "float" => Self::Number,
            "integer" | "int" => Self::Integer,
            "boolean" | "bool" => Self::Boolean,
            "array" | "list" => Self::Array,
            "object" | "obj" | "map" => Self::Object,
            _ => return None,
        })
    }

    /// The name in a JSON Schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

impl LocalTool {
    fn add(&mut self, line: usize, parameter: Parameter) {
        if self.parameters.iter().any(|other| other.name == parameter.name) {
            self.skipped.push((line, format!("the parameter {} is there already", parameter.name)));
        } else {
            self.parameters.push(parameter);
        }
    }

    /// The input schema: `type`, `properties` with type and description, `required`.
    pub fn schema(&self) -> Value {
        let properties: Map<String, Value> = self
            .parameters
            .iter()
            .map(|p| (p.name.clone(), json!({"type": p.kind.name(), "description": p.description})))
            .collect();
        let required: Vec<&str> =
            self.parameters.iter().filter(|p| p.need == Need::Required).map(|p| p.name.as_str()).collect();
        json!({"type": "object", "properties": properties, "required": required})
    }
}
