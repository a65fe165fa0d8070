//! Laying one document over another, and where each value of the outcome came from.

use std::collections::BTreeMap;
use std::fmt;

use super::check::join;
use super::keys::{Kind, MODEL_OVERRIDE, Need, TableKeys};
use super::source::{Source, SourceKind};
use super::tree::{Entry, Node, Table, Value};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The program's own value for a key that nobody wrote.
    BuiltIn,
    /// The embedded template.
    Template,
    File {
        file: String,
        line: usize,
    },
    Project {
        file: String,
        line: usize,
    },
    /// `-c key=value`.
    CommandLine {
        argument: String,
    },
    Session,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => formatter.write_str("built in"),
            Self::Template => formatter.write_str("template"),
            Self::File { file, line } => write!(formatter, "{file}:{line}"),
            Self::Project { file, line } => write!(formatter, "project {file}:{line}"),
            Self::CommandLine { argument } => write!(formatter, "command line -c {argument}"),
            Self::Session => formatter.write_str("this session"),
        }
    }
}

/// Dotted path of each value → its origin. Entries of arrays of tables go by name:
/// `roles.assistant.system`, `mcp.servers.files.timeout_seconds`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins(BTreeMap<String, Origin>);

impl Origins {
    /// Where the value at this path came from; a table answers with its first value's origin.
    pub fn of(&self, path: &str) -> Origin {
        if let Some(origin) = self.0.get(path) {
            return origin.clone();
        }
        let inside = format!("{path}.");
        self.0
            .range(inside.clone()..)
            .next()
            .filter(|(key, _)| key.starts_with(&inside))
            .map_or(Origin::BuiltIn, |(_, origin)| origin.clone())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Origin)> {
        self.0.iter().map(|(path, origin)| (path.as_str(), origin))
    }

    pub(super) fn record(table: &Table, sources: &[Source]) -> Self {
        let lines: Vec<Lines<'_>> = sources.iter().map(Lines::of).collect();
        let mut origins = Self::default();
        origins.walk(table, "", &lines);
        origins
    }

    fn walk(&mut self, table: &Table, path: &str, sources: &[Lines<'_>]) {
        for (name, entry) in table {
            let inner = join(path, name);
            match &entry.node.value {
                Value::Table(table) => self.walk(table, &inner, sources),
                Value::List(list) if !list.is_empty() && list.iter().all(|node| node.name().is_some()) => {
                    for node in list {
                        if let (Some(name), Some(table)) = (node.name(), node.table()) {
                            self.walk(table, &join(&inner, name), sources);
                        }
                    }
                }
                _ => {
                    self.0.insert(inner, origin(&entry.node, entry.key.start, sources));
                }
            }
        }
    }
}

/// A source with the offsets of its line breaks, so that each look-up is cheap.
struct Lines<'source> {
    source: &'source Source,
    breaks: Vec<usize>,
}

impl<'source> Lines<'source> {
    fn of(source: &'source Source) -> Self {
        Self { source, breaks: source.text.match_indices('\n').map(|(at, _)| at).collect() }
    }
}

fn origin(node: &Node, at: usize, sources: &[Lines<'_>]) -> Origin {
    let Some(Lines { source, breaks }) = sources.get(node.source) else { return Origin::BuiltIn };
    let line = breaks.partition_point(|offset| *offset < at) + 1;
    match source.kind {
        SourceKind::Template => Origin::Template,
        SourceKind::File => Origin::File { file: source.label.clone(), line },
        SourceKind::Project => Origin::Project { file: source.label.clone(), line },
        SourceKind::CommandLine => Origin::CommandLine { argument: source.text.clone() },
        SourceKind::Session => Origin::Session,
    }
}

/// Lays `over` on `base`: tables merge, arrays of tables go by name (the later entry wins whole and
/// keeps the place), everything else is replaced.
pub fn merge(base: &mut Table, over: Table, keys: &'static TableKeys) {
    for (name, entry) in over {
        let kind = keys.find(&name).map(|key| key.kind);
        match base.get_mut(&name) {
            Some(below) => merge_entry(below, entry, kind),
            None => {
                base.insert(name, entry);
            }
        }
    }
}

/// Lays one value on another of the same key.
pub fn merge_entry(below: &mut Entry, over: Entry, kind: Option<Kind>) {
    let Entry { key, node } = over;
    match (kind, &mut below.node.value, node.value) {
        (Some(Kind::Table(keys)), Value::Table(table), Value::Table(over)) => merge(table, over, keys),
        (Some(Kind::Model), Value::Table(table), Value::Table(over)) => merge(table, over, &MODEL_OVERRIDE),
        (Some(Kind::TextMap), Value::Table(table), Value::Table(over)) => table.extend(over),
        (Some(Kind::Map(keys)), Value::Table(table), Value::Table(over)) => {
            for (name, entry) in over {
                match table.get_mut(&name) {
                    Some(below) => merge_entry(below, entry, Some(Kind::Table(keys))),
                    None => {
                        table.insert(name, entry);
                    }
                }
            }
        }
        (Some(Kind::List(_)), Value::List(list), Value::List(over)) => {
            for node in over {
                match list.iter_mut().find(|known| known.name() == node.name()) {
                    Some(known) => *known = node,
                    None => list.push(node),
                }
            }
            return;
        }
        (_, _, value) => below.node = Node { value, span: node.span.clone(), source: node.source },
    }
    below.key = key;
}

/// Forgets, below a table that the person wrote, the template's values for optional keys the person
/// left out: those take the program's own value.
pub fn forget_omitted(base: &mut Table, over: &Table, keys: &'static TableKeys) {
    for key in keys.keys {
        match (key.kind, over.get(key.name)) {
            (Kind::Table(inner), Some(entry)) => {
                if let (Some(below), Some(over)) = (base.get_mut(key.name), entry.node.table())
                    && let Value::Table(below) = &mut below.node.value
                {
                    forget_omitted(below, over, inner);
                }
            }
            (Kind::Model, Some(_)) => {
                base.remove(key.name);
            }
            (Kind::List(_) | Kind::Table(_) | Kind::Map(_), None) => {}
            (_, None) if key.need == Need::Optional => {
                base.remove(key.name);
            }
            _ => {}
        }
    }
}
