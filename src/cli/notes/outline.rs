//! Every field of a record, set in below its line. Works from the record's own serialised form, so a
//! field that is added is shown.

use std::io::{self, Write};

use serde_json::Value;

use crate::cli::table::{Look, Tone};
use crate::proto::Decision;
use crate::text::{sanitize, width};

/// Blanks before the fields of a record, and more before what lies within one.
const SET_IN: usize = 5;
const STEP: usize = 2;

pub fn write(decision: &Decision, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let value = serde_json::to_value(decision).map_err(io::Error::other)?;
    // The outermost name is the kind, which the line above says.
    let fields = value.as_object().and_then(|kinds| kinds.values().next()).unwrap_or(&value);
    let mut lines = Vec::new();
    lay_out(fields, 0, &mut lines);
    for line in lines {
        line.write(look, out)?;
    }
    writeln!(out)
}

#[derive(Debug, PartialEq)]
struct Line {
    depth: usize,
    /// Columns of the widest label beside it.
    room: usize,
    label: String,
    text: String,
}

impl Line {
    fn write(&self, look: Look, out: &mut dyn Write) -> io::Result<()> {
        let indent = SET_IN + STEP * self.depth;
        let blanks = " ".repeat(self.room.saturating_sub(width(&self.label)) + 2);
        let text = sanitize(&self.text);
        let beside = indent + self.room + 2;
        let text: Vec<String> = text.lines().map(|line| look.paragraph(beside, line)).collect();
        let text = text.join(&format!("\n{:beside$}", ""));
        let line = format!("{:indent$}{}{blanks}{text}", "", look.tint(Tone::Quiet, &self.label));
        writeln!(out, "{}", line.trim_end())
    }
}

/// What is empty says nothing and is left out.
fn lay_out(value: &Value, depth: usize, lines: &mut Vec<Line>) {
    let Some(fields) = value.as_object() else {
        if let Some(text) = plain(value) {
            lines.push(Line { depth, room: 0, label: String::new(), text });
        }
        return;
    };
    let shown: Vec<(&String, &Value)> = fields.iter().filter(|(_, value)| !is_empty(value)).collect();
    let room = shown.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    for (label, value) in shown {
        let label = label.replace('_', " ");
        let line = |text: String| Line { depth, room, label: label.clone(), text };
        match (plain(value), variant(value), value.as_array()) {
            (Some(text), ..) => lines.push(line(text)),
            (None, Some((name, within)), _) => {
                lines.push(line(name.replace('_', " ")));
                lay_out(within, depth + 1, lines);
            }
            (None, None, Some(items)) => {
                for (index, item) in items.iter().enumerate() {
                    lines.push(line(format!("{} of {}", index + 1, items.len())));
                    lay_out(item, depth + 1, lines);
                }
            }
            (None, None, None) => {
                lines.push(line(String::new()));
                lay_out(value, depth + 1, lines);
            }
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A case of an enum that carries something: its name and that.
fn variant(value: &Value) -> Option<(&str, &Value)> {
    let fields = value.as_object().filter(|fields| fields.len() == 1)?;
    let (name, within) = fields.iter().next()?;
    (within.is_object() || within.is_array()).then_some((name.as_str(), within))
}

/// What needs no further lines of its own: a word, a number, a list of such.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("–".to_owned()),
        Value::Bool(true) => Some("yes".to_owned()),
        Value::Bool(false) => Some("no".to_owned()),
        Value::Number(number) => Some(match number.as_f64() {
            Some(float) if number.is_f64() => format!("{float:.2}"),
            _ => number.to_string(),
        }),
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(item).collect::<Option<_>>()?;
            Some(items.join("\n"))
        }
        Value::Object(_) => None,
    }
}

/// A range is one item.
fn item(value: &Value) -> Option<String> {
    match value.as_array().map(Vec::as_slice) {
        Some([first, last]) => Some(format!("{first}–{last}")),
        Some(_) => None,
        None => plain(value),
    }
}
