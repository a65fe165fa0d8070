use std::collections::BTreeMap;
use std::path::Path;

use serde_spanned::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use super::lint::Seen;
use super::{Condition, Context, Key, Keymap, Node, Row};
use crate::ui::action::{Action, Call};
use crate::ui::files::{self, Document};
use crate::ui::problem::{Problem, meant};

/// Keymaps that come along, by name.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("default", include_str!("../../../keymaps/default.toml")),
    ("vim", include_str!("../../../keymaps/vim.toml")),
    ("emacs", include_str!("../../../keymaps/emacs.toml")),
];

/// What came of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// `None` when nothing usable was found: keep what there was.
    pub keymap: Option<Keymap>,
    pub problems: Vec<Problem>,
}

/// Reads a keymap by name, from `folder/<name>.toml` or the built-in ones, with all it inherits.
pub fn load(name: &str, folder: Option<&Path>) -> Loaded {
    let chain = files::chain(name, folder, "keymap", BUILT_IN);
    let mut problems = chain.problems;
    if chain.documents.is_empty() {
        return Loaded { keymap: None, problems };
    }
    let mut keymap = Keymap { name: name.to_owned(), ..Keymap::default() };
    for document in &chain.documents {
        problems.extend(merge(&mut keymap, document));
    }
    Loaded { keymap: Some(keymap), problems }
}

type Table<'i> = DeTable<'i>;

/// Lays a file over what it inherits.
fn merge(keymap: &mut Keymap, document: &Document) -> Vec<Problem> {
    let mut reader = Reader { document, keymap, problems: Vec::new(), seen: Seen::default() };
    let table = match DeTable::parse(&document.source) {
        Ok(table) => table.into_inner(),
        Err(error) => return vec![files::syntax(document, &error)],
    };
    for (name, value) in &table {
        match (name.get_ref().as_ref(), value.get_ref()) {
            ("inherits", _) => {}
            (context, DeValue::Table(rows)) => match Context::parse(context) {
                Some(context) => reader.table(context, &[], rows),
                None => {
                    let hint = meant(context, Context::ALL.iter().map(|context| context.name()));
                    reader.problem(name.span(), format!("there is no context `{context}`"), hint);
                }
            },
            (key, _) => {
                let message = format!("`{key}` stands outside of a context");
                reader.problem(name.span(), message, Some("put it under `[global]`".to_owned()));
            }
        }
    }
    let Reader { mut problems, seen, .. } = reader;
    problems.extend(seen.problems(document));
    problems
}

struct Reader<'a> {
    document: &'a Document,
    keymap: &'a mut Keymap,
    problems: Vec<Problem>,
    seen: Seen,
}

impl Reader<'_> {
    fn problem(&mut self, span: std::ops::Range<usize>, message: String, hint: Option<String>) {
        let Document { file, source, .. } = self.document;
        self.problems.push(Problem::at(file, source, span, message).hint(hint));
    }

    fn table(&mut self, context: Context, prefix: &[Key], rows: &Table<'_>) {
        for (name, value) in rows {
            if !prefix.is_empty() && name.get_ref().as_ref() == "label" {
                if let DeValue::String(label) = value.get_ref() {
                    self.keymap.node_mut(context, prefix).label = Some(label.to_string());
                }
                continue;
            }
            match Key::parse_sequence(name.get_ref()) {
                Ok(keys) if !keys.is_empty() => self.entry(context, &[prefix, &keys].concat(), name, value),
                Ok(_) => self.problem(name.span(), "a row needs a key".to_owned(), None),
                Err(message) => self.problem(name.span(), message, None),
            }
        }
    }

    fn entry(&mut self, context: Context, keys: &[Key], name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) {
        if let DeValue::Table(table) = value.get_ref()
            && !table.keys().any(|key| key.get_ref().as_ref() == "action")
        {
            self.seen.prefix(context, keys, name.span());
            self.clear_rows(context, keys);
            self.table(context, keys, table);
            return;
        }
        let rows = match value.get_ref() {
            DeValue::Array(list) => self.list(list),
            _ => self.row(value).into_iter().collect(),
        };
        if rows.is_empty() {
            return;
        }
        self.seen.leaf(context, keys, &rows, name.span());
        self.clear_rows(context, &keys[..keys.len() - 1]);
        *self.keymap.node_mut(context, keys) = Node { rows, ..Node::default() };
    }

    /// A key that others follow has no rows of its own: the file nearer to the person wins.
    fn clear_rows(&mut self, context: Context, keys: &[Key]) {
        for end in 1..=keys.len() {
            self.keymap.node_mut(context, &keys[..end]).rows.clear();
        }
    }

    fn list(&mut self, list: &DeArray<'_>) -> Vec<Row> {
        list.iter().filter_map(|value| self.row(value)).collect()
    }

    fn row(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Row> {
        match value.get_ref() {
            DeValue::String(id) => {
                let call = self.call(id, Vec::new(), value.span())?;
                Some(Row { when: Condition::always(), call, desc: None })
            }
            DeValue::Table(table) => self.full_row(table, value.span()),
            _ => {
                let hint = "write `\"action\"`, `{ action = \"…\" }` or a list of these";
                self.problem(value.span(), "this is no row".to_owned(), Some(hint.to_owned()));
                None
            }
        }
    }

    fn full_row(&mut self, table: &Table<'_>, span: std::ops::Range<usize>) -> Option<Row> {
        const FIELDS: &[&str] = &["action", "args", "when", "desc"];
        let mut words: BTreeMap<&str, &str> = BTreeMap::new();
        let mut arguments = Vec::new();
        for (name, value) in table {
            match (name.get_ref().as_ref(), value.get_ref()) {
                ("args", DeValue::Array(list)) => arguments = list.iter().filter_map(argument).collect(),
                (field @ ("action" | "when" | "desc"), DeValue::String(text)) => {
                    let _ = words.insert(
                        if field == "action" {
                            "action"
                        } else if field == "when" {
                            "when"
                        } else {
                            "desc"
                        },
                        text,
                    );
                }
                (field, _) => {
                    self.problem(
                        name.span(),
                        format!("`{field}` cannot stand here"),
                        meant(field, FIELDS.iter().copied()),
                    );
                    return None;
                }
            }
        }
        let when = match words.get("when").map(|text| Condition::parse(text)) {
            Some(Err(message)) => {
                self.problem(span, message, None);
                return None;
            }
            Some(Ok(when)) => when,
            None => Condition::always(),
        };
        let Some(id) = words.get("action") else {
            self.problem(span, "the row names no action".to_owned(), None);
            return None;
        };
        let call = self.call(id, arguments, span)?;
        Some(Row { when, call, desc: words.get("desc").map(|desc| (*desc).to_owned()) })
    }

    /// The call an action's name stands for; `Some(None)` is `noop`.
    #[expect(clippy::option_option, reason = "noop is a binding, a bad name is none")]
    fn call(&mut self, id: &str, arguments: Vec<String>, span: std::ops::Range<usize>) -> Option<Option<Call>> {
        if id == "noop" {
            return Some(None);
        }
        let Some(action) = Action::parse(id) else {
            let hint = meant(id, Action::ALL.iter().map(|action| action.id()));
            self.problem(span, format!("there is no action `{id}`"), hint);
            return None;
        };
        let call = Call { action, arguments };
        if let Err(message) = call.check() {
            self.problem(span, message, None);
            return None;
        }
        Some(Some(call))
    }
}

fn argument(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        _ => None,
    }
}
