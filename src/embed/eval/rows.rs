//! The rows of an evaluation file.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// One labelled message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: usize,
    pub intent: String,
    /// Capability or skill that should fire; `None` = none should.
    pub label: Option<String>,
    /// The author's grouping, as in `follow_up`; `unsorted` where none is given.
    pub kind: String,
    /// What a message with `label: null` asks for at once, when that is why nothing should fire.
    pub needs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected<'a> {
    One(&'a str),
    /// Two or more are needed: firing one of them would answer half the message.
    Several,
    Nothing,
}

/// Kinds that say so themselves when a row without a label has no `needs`.
const SEVERAL_KINDS: [&str; 2] = ["two", "compound"];

impl Row {
    pub fn expected(&self) -> Expected<'_> {
        match &self.label {
            Some(label) => Expected::One(label),
            None if !self.needs.is_empty() || SEVERAL_KINDS.contains(&self.kind.as_str()) => Expected::Several,
            None => Expected::Nothing,
        }
    }
}

/// A line that is no row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadRow {
    pub line: usize,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows {
    pub good: Vec<Row>,
    pub bad: Vec<BadRow>,
}

/// A label that no candidate has. Its rows cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnknownLabel {
    pub label: String,
    pub rows: usize,
    /// Line of the first of them.
    pub line: usize,
    /// The candidate that was perhaps meant.
    pub similar: Option<String>,
}

/// Reads one JSON object a line; blank lines are none.
pub fn parse(text: &str) -> Rows {
    let mut rows = Rows::default();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match row(index + 1, line) {
            Ok(row) => rows.good.push(row),
            Err(why) => rows.bad.push(BadRow { line: index + 1, why }),
        }
    }
    rows
}

fn row(line: usize, text: &str) -> Result<Row, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))?;
    let Value::Object(fields) = value else { return Err("a row is a JSON object, as {\"intent\": …}".to_owned()) };
    let intent = match fields.get("intent") {
        Some(Value::String(intent)) if !intent.trim().is_empty() => intent.clone(),
        Some(Value::String(_)) => return Err("`intent` is empty".to_owned()),
        Some(_) => return Err("`intent` has to be a string: the message".to_owned()),
        None => return Err("`intent` is missing: the message".to_owned()),
    };
    let label = match fields.get("label") {
        Some(Value::Null) => None,
        Some(Value::String(label)) if !label.trim().is_empty() => Some(label.trim().to_owned()),
        Some(_) => return Err("`label` has to be a capability's name, or null".to_owned()),
        None => return Err("`label` is missing; write null where nothing should fire".to_owned()),
    };
    let kind = match fields.get("kind") {
        Some(Value::String(kind)) if !kind.trim().is_empty() => kind.trim().to_owned(),
        None | Some(Value::Null | Value::String(_)) => "unsorted".to_owned(),
        Some(_) => return Err("`kind` has to be a string".to_owned()),
    };
    let needs = match fields.get("needs") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(names)) => {
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            let names = names.ok_or("`needs` has to be a list of names")?;
            names.into_iter().map(str::to_owned).collect()
        }
        Some(_) => return Err("`needs` has to be a list of names".to_owned()),
    };
    Ok(Row { line, intent, label, kind, needs })
}

/// Likeness from which on a name is offered as the one that was meant.
const SIMILAR: f64 = 0.85;

/// Takes the rows out whose label is none of `names`, and says which labels those are.
pub fn set_unknown_aside(rows: &mut Vec<Row>, names: &[&str]) -> Vec<UnknownLabel> {
    let mut unknown: BTreeMap<String, UnknownLabel> = BTreeMap::new();
    rows.retain(|row| {
        let Some(label) = row.label.as_deref().filter(|label| !names.contains(label)) else { return true };
        unknown
            .entry(label.to_owned())
            .or_insert_with(|| UnknownLabel {
                label: label.to_owned(),
                rows: 0,
                line: row.line,
                similar: similar(label, names),
            })
            .rows += 1;
        false
    });
    unknown.into_values().collect()
}

fn similar(label: &str, names: &[&str]) -> Option<String> {
    let likeness = |name: &&str| strsim::jaro_winkler(label, name);
    let best = names.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) >= SIMILAR).then(|| best.to_owned())
}

#[cfg(test)]
mod tests;
