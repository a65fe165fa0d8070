//! Holds a document against the schema: takes out what cannot be used and says why.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::keys::{FLAT_SAMPLING, Key, Kind, MODEL_OVERRIDE, Need, ROOT, TableKeys};
use super::problem::{Notice, Problem, Weight};
use super::scalar::{LONGEST_NAME, example, scalar, widen};
use super::source::Source;
use super::tree::{Entry, Node, Table, Value};

/// Beyond so many problems they are given without their places.
const MANY_PROBLEMS: usize = 500;

/// What the documents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    Configuration,
    /// A file of a tap: it has keys of its own, and none of them guards anything.
    TapPart,
}

/// Collects what is found while documents are walked.
#[derive(Debug)]
pub struct Checker<'sources> {
    subject: Subject,
    /// Which of the problems are keys that nobody knows.
    pub unknown: BTreeSet<usize>,
    pub sources: &'sources [Source],
    pub problems: Vec<Problem>,
    /// Paths that were there but could not be used, so that they are not called missing as well.
    pub dropped: BTreeSet<String>,
    unused: BTreeMap<usize, Vec<String>>,
    retired: BTreeMap<usize, Vec<String>>,
}

/// A dotted path; a segment that is not a bare key is quoted.
pub fn join(path: &str, segment: &str) -> String {
    let bare = !segment.is_empty()
        && segment.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
    let segment = if bare { segment.to_owned() } else { format!("{segment:?}") };
    if path.is_empty() { segment } else { format!("{path}.{segment}") }
}

impl<'sources> Checker<'sources> {
    pub fn new(sources: &'sources [Source]) -> Self {
        Self::of(Subject::Configuration, sources)
    }

    pub fn of(subject: Subject, sources: &'sources [Source]) -> Self {
        Self {
            subject,
            unknown: BTreeSet::new(),
            sources,
            problems: Vec::new(),
            dropped: BTreeSet::new(),
            unused: BTreeMap::new(),
            retired: BTreeMap::new(),
        }
    }

    pub fn problem(&mut self, source: usize, span: Range<usize>, message: impl Into<String>) -> &mut Problem {
        let problem = match self.sources.get(source) {
            // A file of nothing but mistakes is not looked up line by line.
            Some(source) if self.problems.len() > MANY_PROBLEMS => Problem::of_file(&source.label, message),
            Some(source) => Problem::at(source, span, message),
            None => Problem::of_file("configuration", message),
        };
        self.problems.push(problem);
        let last = self.problems.len() - 1;
        &mut self.problems[last]
    }

    /// One notice a file for keys that are known but have no effect here.
    pub fn notices(&self) -> Vec<Notice> {
        let label = |source: &usize| self.sources.get(*source).map_or("configuration", |source| source.label.as_str());
        let unused = self
            .unused
            .iter()
            .map(|(source, keys)| Notice::new(format!("{}: not used here: {}", label(source), keys.join(", "))));
        let retired = self.retired.iter().map(|(source, keys)| {
            Notice::new(format!("{}: retired, without effect: {}", label(source), keys.join(", ")))
        });
        unused.chain(retired).collect()
    }

    /// What of this table can be used.
    pub fn table(&mut self, table: Table, keys: &'static TableKeys, path: &str, weight: Weight) -> Table {
        let weight = weight.min(keys.weight);
        let mut good = Table::new();
        for (name, entry) in table {
            let Some(key) = keys.find(&name) else {
                self.unknown(&name, &entry, keys, path, weight, &mut good);
                continue;
            };
            let inner = join(path, &name);
            let (source, span) = (entry.node.source, entry.key.clone());
            match self.value(entry.node, key, &inner, weight) {
                Some(node) => {
                    good.insert(name, Entry { key: span, node });
                }
                None if key.guard => {
                    if let Some(problem) = self.problems.last_mut() {
                        let hint = problem.hint.take().map_or_else(String::new, |hint| format!("{hint}; "));
                        problem.hint = Some(format!("{hint}until this is mended it counts as {}", strictest(key)));
                    }
                    let node = Node { value: key.strictest(), span: span.clone(), source };
                    good.insert(name, Entry { key: span, node });
                }
                None => {
                    self.dropped.insert(inner);
                }
            }
        }
        good
    }

    fn unknown(
        &mut self,
        name: &str,
        entry: &Entry,
        keys: &'static TableKeys,
        path: &str,
        weight: Weight,
        good: &mut Table,
    ) {
        let near = keys.nearest(name);
        let guard = near.filter(|key| key.guard);
        let setting = if self.subject == Subject::Configuration { ROOT.find(name) } else { None };
        let guards = guard.is_some() || setting.is_some_and(|key| key.guard) || self.sounds_guarding(name);
        let place = if path.is_empty() { "at the top level".to_owned() } else { format!("in [{path}]") };
        let hint = match near {
            _ if path.is_empty() && name.starts_with("guard") && self.subject == Subject::Configuration => {
                "guardrails stand in `.agents/guardrails.toml` of the project".to_owned()
            }
            Some(key) if guard.is_some() => {
                format!("did you mean `{}`? Until this is mended it counts as {}", key.name, strictest(key))
            }
            _ if !path.is_empty() && setting.is_some() => {
                format!("`{name}` stands at the top level: move it above the first [table]")
            }
            Some(key) => format!("did you mean `{}`?", key.name),
            None => format!("known here: {}", keys.names().collect::<Vec<_>>().join(", ")),
        };
        let problem = self.problem(
            entry.node.source,
            entry.key.clone(),
            format!("unknown key `{}` {place}; it has no effect", shorten(name)),
        );
        problem.hint = Some(hint);
        problem.weight = if guards { Weight::Security } else { weight };
        self.unknown.insert(self.problems.len() - 1);
        if let Some(key) = guard
            && !good.contains_key(key.name)
        {
            let node = Node { value: key.strictest(), ..entry.node.clone() };
            good.insert(key.name.to_owned(), Entry { key: entry.key.clone(), node });
            self.dropped.insert(join(path, key.name));
        }
    }

    fn sounds_guarding(&self, name: &str) -> bool {
        self.subject == Subject::Configuration
            && matches!(name, "guardrails" | "guardrail" | "trust" | "authorizer" | "guard")
    }

    /// The value as it may be used, or nothing and a problem.
    pub fn value(&mut self, node: Node, key: &'static Key, path: &str, weight: Weight) -> Option<Node> {
        let weight = if key.guard { Weight::Security } else { weight };
        match key.kind {
            Kind::Unused => {
                self.unused.entry(node.source).or_default().push(path.to_owned());
                None
            }
            Kind::Retired => {
                self.retired.entry(node.source).or_default().push(path.to_owned());
                None
            }
            Kind::Table(keys) => self.inner_table(node, keys, path, weight),
            Kind::Model => self.model(node, path, weight),
            Kind::List(keys) => self.list(node, keys, path, weight),
            Kind::Map(keys) => self.map(node, keys, path, weight),
            Kind::Texts => self.texts(node, path, weight),
            Kind::TextMap => self.text_map(node, path, weight),
            _ => match scalar(&node.value, &key.kind) {
                Ok(()) => Some(widen(node, &key.kind)),
                Err((message, hint)) => self.reject(&node, format!("`{path}` {message}"), hint, weight),
            },
        }
    }

    fn reject(&mut self, node: &Node, message: String, hint: String, weight: Weight) -> Option<Node> {
        let problem = self.problem(node.source, node.span.clone(), message);
        problem.hint = (!hint.is_empty()).then_some(hint);
        problem.weight = weight;
        None
    }

    fn wrong_type(&mut self, node: &Node, path: &str, wanted: &str, weight: Weight) -> Option<Node> {
        let message = format!("`{path}` must be {wanted}, not {}", node.value.type_name());
        self.reject(node, message, String::new(), weight)
    }

    fn inner_table(&mut self, node: Node, keys: &'static TableKeys, path: &str, weight: Weight) -> Option<Node> {
        let Value::Table(table) = node.value else {
            return self.wrong_type(&node, path, &format!("a table, [{path}]"), weight.min(keys.weight));
        };
        let table = self.table(table, keys, path, weight);
        Some(Node { value: Value::Table(table), span: node.span, source: node.source })
    }

    fn model(&mut self, node: Node, path: &str, weight: Weight) -> Option<Node> {
        let Value::Text(_) = node.value else { return self.inner_table(node, &MODEL_OVERRIDE, path, weight) };
        let (span, source) = (node.span.clone(), node.source);
        let only_name = Table::from([("name".to_owned(), Entry { key: span.clone(), node })]);
        self.inner_table(Node { value: Value::Table(only_name), span, source }, &MODEL_OVERRIDE, path, weight)
    }

    fn map(&mut self, node: Node, keys: &'static TableKeys, path: &str, weight: Weight) -> Option<Node> {
        let Value::Table(table) = node.value else { return self.wrong_type(&node, path, "a table of tables", weight) };
        let mut good = Table::new();
        for (name, entry) in table {
            let inner = join(path, &name);
            let place = (entry.node.source, entry.key.clone());
            if let Some(node) = self.inner_table(entry.node, keys, &inner, weight)
                && self.complete(&node, keys, &inner, &format!("`{}`", shorten(&name)), place)
            {
                good.insert(name, Entry { key: entry.key, node });
            }
        }
        Some(Node { value: Value::Table(good), span: node.span, source: node.source })
    }

    fn texts(&mut self, node: Node, path: &str, weight: Weight) -> Option<Node> {
        let Value::List(list) = node.value else { return self.wrong_type(&node, path, "a list of strings", weight) };
        for element in &list {
            if element.text().is_none() {
                // A list that loses one entry says something else: filters would widen.
                return self.wrong_type(element, path, "a list of strings", weight);
            }
        }
        Some(Node { value: Value::List(list), span: node.span, source: node.source })
    }

    fn text_map(&mut self, node: Node, path: &str, weight: Weight) -> Option<Node> {
        let Value::Table(table) = node.value else { return self.wrong_type(&node, path, "a table of strings", weight) };
        let mut good = Table::new();
        for (name, entry) in table {
            if entry.node.text().is_some() {
                good.insert(name, entry);
            } else {
                self.wrong_type(&entry.node, &join(path, &name), "a string", weight);
            }
        }
        Some(Node { value: Value::Table(good), span: node.span, source: node.source })
    }

    /// An array of tables: a bad entry is left out and named, the others stay.
    fn list(&mut self, node: Node, keys: &'static TableKeys, path: &str, weight: Weight) -> Option<Node> {
        let Value::List(list) = node.value else { return self.wrong_type(&node, path, &format!("[[{path}]]"), weight) };
        let mut good: Vec<Node> = Vec::new();
        for (index, element) in list.into_iter().enumerate() {
            let name = element.name().map(shorten);
            let inner = join(path, &name.clone().unwrap_or_else(|| index.to_string()));
            let title = name
                .map_or_else(|| format!("entry {} of [[{path}]]", index + 1), |name| format!("`{name}` in [[{path}]]"));
            let place = (element.source, element.span.clone());
            let Some(mut element) = self.inner_table(element, keys, &inner, weight) else { continue };
            if !self.complete(&element, keys, &inner, &title, place) || !self.consistent(&element, path, &title) {
                continue;
            }
            if path == "roles" {
                nest_sampling(&mut element);
            }
            self.keep(&mut good, element, path);
        }
        Some(Node { value: Value::List(good), span: node.span, source: node.source })
    }

    fn keep(&mut self, good: &mut Vec<Node>, element: Node, path: &str) {
        let bind = |node: &Node| node.table().and_then(|table| table.get("bind")?.node.text().map(str::to_owned));
        if path == "hooks"
            && let Some(address) = bind(&element)
            && good.iter().any(|other| other.name() != element.name() && bind(other).as_deref() == Some(&address))
        {
            let message = format!("`{address}` is bound by another hook already; this one was left out");
            self.problem(element.source, element.span.clone(), message).hint =
                Some("give each hook an address of its own".to_owned());
            return;
        }
        match good.iter_mut().find(|other| other.name() == element.name()) {
            Some(other) => {
                let message = format!(
                    "`{}` stands twice in [[{path}]]; this later one is used",
                    element.name().unwrap_or_default()
                );
                let (source, span) = (element.source, element.span.clone());
                *other = element;
                self.problem(source, span, message).hint = Some("rename or remove one of them".to_owned());
            }
            None => good.push(element),
        }
    }

    /// Whether an entry has all it needs.
    fn complete(
        &mut self,
        node: &Node,
        keys: &'static TableKeys,
        path: &str,
        title: &str,
        place: (usize, Range<usize>),
    ) -> bool {
        let Some(table) = node.table() else { return false };
        let unusable = |key: &Key| match key.need {
            Need::Required => true,
            Need::Defaulted => self.dropped.contains(&join(path, key.name)),
            Need::Optional => false,
        };
        let absent: Vec<&Key> = keys.keys.iter().filter(|key| !table.contains_key(key.name) && unusable(key)).collect();
        let missing: Vec<&&Key> = absent.iter().filter(|key| !self.dropped.contains(&join(path, key.name))).collect();
        if !missing.is_empty() {
            let names = missing.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>().join(", ");
            let hint = missing.iter().map(|key| format!("{} = {}", key.name, example(&key.kind))).collect::<Vec<_>>();
            self.problem(place.0, place.1, format!("{title} lacks {names}; it was left out")).hint =
                Some(format!("add\n{}", hint.join("\n")));
        } else if !absent.is_empty() {
            let problem = self.problem(place.0, place.1, format!("{title} was left out: a value it needs is wrong"));
            problem.hint = Some("mend the value named beside this".to_owned());
        }
        let inner_complete = keys.keys.iter().all(|key| match (&key.kind, table.get(key.name)) {
            (Kind::Table(inner), Some(entry)) => {
                let place = (entry.node.source, entry.key.clone());
                self.complete(&entry.node, inner, &join(path, key.name), title, place)
            }
            _ => true,
        });
        absent.is_empty() && inner_complete
    }

    /// What a server of each type must have besides.
    fn consistent(&mut self, node: &Node, path: &str, title: &str) -> bool {
        if path != "mcp.servers" {
            return true;
        }
        let Some(table) = node.table() else { return false };
        let kind = table.get("type").and_then(|entry| entry.node.text()).unwrap_or_default();
        let needed: &[(&str, &str)] = match kind {
            "stdio" => &[("command", "command = \"program\""), ("args", "args = []")],
            "http" => &[("url", "url = \"https://…\"")],
            _ => &[],
        };
        let missing: Vec<_> = needed.iter().filter(|(name, _)| !table.contains_key(*name)).collect();
        if missing.is_empty() {
            return true;
        }
        let names = missing.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let lines = missing.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
        self.problem(
            node.source,
            node.span.clone(),
            format!("the {kind} server {title} lacks {names}; it was left out"),
        )
        .hint = Some(format!("add\n{lines}"));
        false
    }
}

/// Sampling that stands on a role itself goes into its `model`, where nothing there says otherwise.
fn nest_sampling(role: &mut Node) {
    let (span, source) = (role.span.clone(), role.source);
    let Value::Table(table) = &mut role.value else { return };
    let flat: Vec<(String, Entry)> = FLAT_SAMPLING.iter().filter_map(|name| table.remove_entry(*name)).collect();
    if flat.is_empty() {
        return;
    }
    let empty = Node { value: Value::Table(Table::new()), span: span.clone(), source };
    let model = table.entry("model".to_owned()).or_insert(Entry { key: span, node: empty });
    if let Value::Table(model) = &mut model.node.value {
        for (name, entry) in flat {
            model.entry(name).or_insert(entry);
        }
    }
}

fn shorten(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}

/// The strictest value of a guard, for people.
fn strictest(key: &Key) -> String {
    match key.strictest() {
        Value::Text(word) => format!("\"{word}\""),
        _ => "on".to_owned(),
    }
}
