//! A parsed text as values that know where they stand.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::Problem;
use super::source::Source;

/// Index into the list of sources.
pub type SourceId = usize;

/// A value, the bytes it was read from and the text they are in.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    pub span: Range<usize>,
    pub source: SourceId,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// One key of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: Range<usize>,
    pub node: Node,
}

pub type Table = BTreeMap<String, Entry>;

impl Value {
    /// What a person calls this type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Whole(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Date(_) => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The `name` of an entry of an array of tables.
    pub fn name(&self) -> Option<&str> {
        self.table()?.get("name")?.node.text()
    }
}

/// Reads a whole text.
///
/// # Errors
/// The first place where it is not TOML.
pub fn parse(source: &Source, id: SourceId) -> Result<Table, Problem> {
    let document = DeTable::parse(&source.text).map_err(|error| syntax(source, 0, &error))?;
    Ok(table(document.into_inner(), id, 0))
}

/// Reads one value that begins at `offset` of the source.
///
/// # Errors
/// The first place where it is not a TOML value.
pub fn parse_value(source: &Source, id: SourceId, offset: usize) -> Result<Node, Problem> {
    let text = source.text.get(offset..).unwrap_or_default();
    let value = DeValue::parse(text).map_err(|error| syntax(source, offset, &error))?;
    Ok(node(value, id, offset))
}

fn syntax(source: &Source, offset: usize, error: &toml::de::Error) -> Problem {
    let span = error.span().unwrap_or(0..0);
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    Problem::at(source, span.start + offset..span.end + offset, format!("this is not TOML: {message}"))
        .hint("nothing of this text was used; mend this place and what follows is read again")
}

fn table(document: DeTable<'_>, source: SourceId, offset: usize) -> Table {
    document
        .into_iter()
        .map(|(key, value)| {
            let span = shift(key.span(), offset);
            (key.into_inner().into_owned(), Entry { key: span, node: node(value, source, offset) })
        })
        .collect()
}

fn node(spanned: Spanned<DeValue<'_>>, source: SourceId, offset: usize) -> Node {
    let span = shift(spanned.span(), offset);
    let value = match spanned.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        // What does not fit is further out than any range of ours; the sign is kept.
        DeValue::Integer(whole) => Value::Whole(
            i64::from_str_radix(whole.as_str(), whole.radix()).unwrap_or(if whole.as_str().starts_with('-') {
                i64::MIN
            } else {
                i64::MAX
            }),
        ),
        DeValue::Float(number) => Value::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(list) => Value::List(list.into_iter().map(|element| node(element, source, offset)).collect()),
        DeValue::Table(inner) => Value::Table(table(inner, source, offset)),
    };
    Node { value, span, source }
}

fn shift(span: Range<usize>, offset: usize) -> Range<usize> {
    span.start + offset..span.end + offset
}

/// The same values for serde.
pub fn to_toml(table: &Table) -> toml::Table {
    table.iter().map(|(key, entry)| (key.clone(), value_to_toml(&entry.node.value))).collect()
}

fn value_to_toml(value: &Value) -> toml::Value {
    match value {
        Value::Text(text) | Value::Date(text) => toml::Value::String(text.clone()),
        Value::Whole(whole) => toml::Value::Integer(*whole),
        Value::Number(number) => toml::Value::Float(*number),
        Value::Flag(flag) => toml::Value::Boolean(*flag),
        Value::List(list) => toml::Value::Array(list.iter().map(|node| value_to_toml(&node.value)).collect()),
        Value::Table(table) => toml::Value::Table(to_toml(table)),
    }
}
