//! A server's list of tools, read one by one so that a bad one costs only itself. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Listing, RawTool, schema, visible};
use crate::proto::Quarantine;
use crate::text::disarmed;

/// Tool descriptions are cut to so many characters.
pub const MAX_DESCRIPTION: usize = 8_000;

/// More tools than this of one server are not read.
pub const MAX_TOOLS: usize = 2_000;

/// A tool of one server, read and mended.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The server's own name, sent back as it came.
    pub name: String,
    pub description: String,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub usable: Result<Usable, Quarantine>,
    pub repairs: Vec<String>,
    /// Of everything the server said about the tool.
    pub hash: [u8; 32],
}

/// A schema and its compiled form.
#[derive(Debug, Clone)]
pub struct Usable {
    pub schema: Value,
    pub validator: Arc<Validator>,
}

/// Reads tools out of the JSON of `tools/list`, all pages together.
pub fn parse(items: &[Value]) -> Listing {
    let mut listing = Listing::default();
    for (index, item) in items.iter().enumerate() {
        let number = index + 1;
        let Value::Object(tool) = item else {
            listing.rejected.push((format!("(tool {number})"), format!("it is {}, not an object", schema::kind(item))));
            continue;
        };
        let Some(name) = tool.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty()) else {
            listing.rejected.push((format!("(tool {number})"), "it has no name".to_owned()));
            continue;
        };
        let hint = |key: &str| tool.get("annotations").and_then(|hints| hints.get(key)).and_then(Value::as_bool);
        let description = tool.get("description").and_then(Value::as_str);
        let title = tool.get("title").and_then(Value::as_str);
        listing.tools.push(RawTool {
            name: name.to_owned(),
            description: description.or(title).unwrap_or_default().to_owned(),
            schema: tool.get("inputSchema").cloned().unwrap_or(Value::Null),
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
        });
    }
    listing
}

/// Prepares a listing: repeats out, text cleaned, schemas mended, sorted by name.
///
/// The second value are warnings, each one sentence.
pub fn prepare(listing: Listing) -> (Vec<Listed>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut tools: BTreeMap<String, RawTool> = BTreeMap::new();
    let mut repeated: BTreeMap<String, (usize, bool)> = BTreeMap::new();
    let offered = listing.tools.len();
    if offered > MAX_TOOLS {
        warnings.push(format!("it lists {offered} tools; only the first {MAX_TOOLS} are used"));
    }
    for tool in listing.tools.into_iter().take(MAX_TOOLS) {
        if let Some(first) = tools.get(&tool.name) {
            let (count, differs) = repeated.entry(tool.name.clone()).or_default();
            *count += 1;
            *differs |= *first != tool;
        } else {
            tools.insert(tool.name.clone(), tool);
        }
    }
    warnings.extend(repeats(&repeated));
    let mut listed: Vec<Listed> = tools.into_values().map(one).collect();
    listed.extend(listing.rejected.into_iter().map(rejected));
    (listed, warnings)
}

fn repeats(repeated: &BTreeMap<String, (usize, bool)>) -> Vec<String> {
    if repeated.len() > 3 {
        return vec![format!("it lists {} tools more than once; the first of each was kept", repeated.len())];
    }
    let sentence = |(name, (_, differs)): (&String, &(usize, bool))| {
        let name = visible::line(name, 60);
        if *differs {
            format!("it lists `{name}` more than once and differently; the first was kept")
        } else {
            format!("it lists `{name}` more than once; it was kept once")
        }
    };
    repeated.iter().map(sentence).collect()
}

fn one(tool: RawTool) -> Listed {
    let hash = hash(&tool);
    let mut repairs = Vec::new();
    let (clean, hidden) = visible::strip(&tool.description);
    if hidden > 0 {
        repairs.push(format!("warning: {hidden} invisible characters were taken out of its description"));
    }
    if visible::strip(&tool.name).1 > 0 {
        repairs.push("warning: its name holds invisible characters".to_owned());
    }
    let harmless = disarmed(clean.trim());
    if harmless != clean.trim() {
        repairs.push("warning: its description posed as this program's own words; it does not any more".to_owned());
    }
    let mut description = harmless.into_owned();
    let length = description.chars().count();
    if length > MAX_DESCRIPTION {
        description = description.chars().take(MAX_DESCRIPTION - 1).chain(['…']).collect();
        repairs.push(format!("its description of {length} characters was cut to {MAX_DESCRIPTION}"));
    }
    let usable = schema::mend(&tool.schema).map(|mended| {
        repairs.extend(mended.repairs);
        Usable { schema: mended.schema, validator: Arc::new(mended.validator) }
    });
    Listed {
        name: tool.name,
        description,
        read_only: tool.read_only,
        destructive: tool.destructive,
        usable,
        repairs,
        hash,
    }
}

fn rejected((name, reason): (String, String)) -> Listed {
    Listed {
        description: String::new(),
        read_only: None,
        destructive: None,
        usable: Err(schema::quarantine(reason)),
        repairs: Vec::new(),
        hash: [0; 32],
        name,
    }
}

fn hash(tool: &RawTool) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(tool.description.as_bytes());
    digest.update([0]);
    digest.update(tool.schema.to_string().as_bytes());
    digest.update([0]);
    digest.update(format!("{:?}{:?}", tool.read_only, tool.destructive).as_bytes());
    digest.finalize().into()
}

/// What differs between two lists of one server, by tool name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Described differently than when first seen.
    pub changed: Vec<String>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

pub fn difference(before: &[Listed], after: &[Listed]) -> Change {
    let old: BTreeMap<&str, [u8; 32]> = before.iter().map(|tool| (tool.name.as_str(), tool.hash)).collect();
    let new: BTreeMap<&str, [u8; 32]> = after.iter().map(|tool| (tool.name.as_str(), tool.hash)).collect();
    let shown = |name: &&str| visible::line(name, 80);
    Change {
        added: new.keys().filter(|name| !old.contains_key(*name)).map(shown).collect(),
        removed: old.keys().filter(|name| !new.contains_key(*name)).map(shown).collect(),
        changed: new
            .iter()
            .filter(|(name, hash)| old.get(*name).is_some_and(|before| before != *hash))
            .map(|(name, _)| shown(name))
            .collect(),
    }
}

#[cfg(test)]
mod tests;
