//! What the person's files, taken together, must say, and the blocks to paste where they do not.

use std::ops::Range;

use super::check::{Checker, join};
use super::keys::{Kind, Need, ROOT, TableKeys};
use super::tree::{Node, SourceId, Table, Value};

/// Where a table begins: the key of its header.
type Place = (SourceId, Range<usize>);

/// Names every required table and value that is missing: one problem a table, with the lines to
/// paste. `file` is the source that a table missing at the top level is missing from.
pub fn require(checker: &mut Checker<'_>, person: &Table, template: &Table, file: SourceId) {
    let end = checker.sources.get(file).map_or(0, |source| source.text.trim_end().len());
    Walk { checker, end: (file, end..end) }.table(person, template, &ROOT, "", &(file, 0..0));
}

struct Walk<'checker, 'sources> {
    checker: &'checker mut Checker<'sources>,
    /// The end of the file: where a table can be added.
    end: Place,
}

impl Walk<'_, '_> {
    fn table(&mut self, table: &Table, template: &Table, keys: &'static TableKeys, path: &str, place: &Place) {
        let mut lines = Vec::new();
        for key in keys.keys {
            let inner = join(path, key.name);
            let below = template.get(key.name).map(|entry| &entry.node);
            match (table.get(key.name), key.kind) {
                (Some(entry), Kind::Table(keys)) => {
                    if let (Some(table), Some(template)) = (entry.node.table(), below.and_then(Node::table)) {
                        let place = (entry.node.source, entry.key.clone());
                        self.table(table, template, keys, &inner, &place);
                    }
                }
                (None, kind) if key.need == Need::Required && !self.checker.dropped.contains(&inner) => {
                    match (kind, below.and_then(Node::table)) {
                        (Kind::Table(_), Some(template)) => self.missing_table(&inner, template, path, place),
                        _ => lines.push((inner, key.name, below.map(|node| literal(&node.value)).unwrap_or_default())),
                    }
                }
                _ => {}
            }
        }
        self.missing_values(&lines, path, place);
    }

    fn missing_table(&mut self, path: &str, template: &Table, parent: &str, place: &Place) {
        let (source, span) = if parent.is_empty() { self.end.clone() } else { place.clone() };
        let message = format!("the table [{path}] is missing; it is needed even when it is off");
        self.checker.problem(source, span, message).hint =
            Some(format!("the default is used; to set it, add\n{}", block(path, template)));
    }

    fn missing_values(&mut self, lines: &[(String, &str, String)], path: &str, place: &Place) {
        if lines.is_empty() {
            return;
        }
        let names = lines.iter().map(|(path, ..)| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        let verb = if lines.len() == 1 { "is" } else { "are" };
        let lines = lines.iter().map(|(_, name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join("\n");
        let hint = match path {
            "" => format!("the defaults are used; to set them, add above the first [table]\n{lines}"),
            path => format!("the defaults are used; to set them, add below [{path}]\n{lines}"),
        };
        let (source, span) = place.clone();
        self.checker.problem(source, span, format!("{names} {verb} missing")).hint = Some(hint);
    }
}

/// A table of the template as TOML, inner tables after it.
fn block(path: &str, template: &Table) -> String {
    let mut lines = vec![format!("[{path}]")];
    let mut inner = Vec::new();
    for (name, entry) in template {
        match &entry.node.value {
            Value::Table(table) => inner.push(block(&join(path, name), table)),
            value => lines.push(format!("{} = {}", join("", name), literal(value))),
        }
    }
    lines.extend(inner);
    lines.join("\n")
}

fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) | Value::Date(text) => toml::Value::String(text.clone()).to_string(),
        Value::Whole(whole) => whole.to_string(),
        Value::Number(number) => toml::Value::Float(*number).to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::List(list) => {
            format!("[{}]", list.iter().map(|node| literal(&node.value)).collect::<Vec<_>>().join(", "))
        }
        Value::Table(_) => "{}".to_owned(),
    }
}
