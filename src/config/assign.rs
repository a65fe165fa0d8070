//! One `key=value` from the command line or a live switch, laid over everything below it.

use super::check::{Checker, join};
use super::keys::{ANY_TEXT, Key, Kind, MODEL_OVERRIDE, Need, ROOT, TableKeys, nearest};
use super::layer::merge_entry;
use super::problem::Weight;
use super::tree::{Entry, Node, SourceId, Table, Value, parse_value};

/// Where a path ended.
struct Target<'tree> {
    table: &'tree mut Table,
    name: String,
    key: &'static Key,
    path: String,
}

/// Applies the assignment that is the text of source `id`; a bad one is a problem and changes nothing.
pub fn assign(checker: &mut Checker<'_>, tree: &mut Table, id: SourceId) {
    let Some(source) = checker.sources.get(id) else { return };
    let text = source.text.as_str();
    let Some(equals) = text.find('=') else {
        checker.problem(id, 0..text.len(), "this is not key=value").hint =
            Some("for example -c model.temperature=0.2".to_owned());
        return;
    };
    let span = 0..text[..equals].trim_end().len();
    let segments: Vec<String> = match toml_edit::Key::parse(text[..equals].trim()) {
        Ok(keys) => keys.iter().map(|key| key.get().to_owned()).collect(),
        Err(_) => {
            checker.problem(id, span, "this is not a dotted key").hint =
                Some("write a.b.c; a part with other letters goes in quotes".to_owned());
            return;
        }
    };
    let mut target = match descend(tree, &ROOT, &segments, "") {
        Ok(target) => target,
        Err((message, hint)) => {
            checker.problem(id, span, message).hint = Some(hint);
            return;
        }
    };
    let Some(node) = read(checker, id, equals + 1, &target.key.kind) else { return };
    let dropped = checker.dropped.clone();
    if let Some(node) = checker.value(node, target.key, &target.path, Weight::Ordinary) {
        put(&mut target, Entry { key: span, node });
    }
    checker.dropped = dropped;
}

fn put(target: &mut Target<'_>, entry: Entry) {
    match target.table.get_mut(&target.name) {
        Some(below) => merge_entry(below, entry, Some(target.key.kind)),
        None => {
            target.table.insert(target.name.clone(), entry);
        }
    }
}

/// The value: TOML, or bare text where text is wanted.
fn read(checker: &mut Checker<'_>, id: SourceId, offset: usize, kind: &Kind) -> Option<Node> {
    let source = checker.sources.get(id)?;
    let raw = &source.text[offset..];
    let start = offset + (raw.len() - raw.trim_start().len());
    let bare = raw.trim();
    let text = Node { value: Value::Text(bare.to_owned()), span: start..start + bare.len(), source: id };
    let wants_text =
        matches!(kind, Kind::Text | Kind::Name | Kind::ModelName | Kind::Address | Kind::Choice(_) | Kind::Model);
    match parse_value(source, id, start) {
        Ok(node) if wants_text && !matches!(node.value, Value::Text(_) | Value::Table(_)) => Some(text),
        Ok(node) => Some(node),
        Err(problem) if bare.starts_with(['"', '\'', '[', '{']) => {
            checker.problems.push(problem);
            None
        }
        Err(_) => Some(text),
    }
}

type Complaint = (String, String);

fn descend<'tree>(
    table: &'tree mut Table,
    keys: &'static TableKeys,
    segments: &[String],
    path: &str,
) -> Result<Target<'tree>, Complaint> {
    let Some((name, rest)) = segments.split_first() else {
        return Err(("the key is empty".to_owned(), "for example -c model.temperature=0.2".to_owned()));
    };
    let inner = join(path, name);
    let Some(key) = keys.find(name) else {
        let hint = match keys.nearest(name) {
            Some(key) => format!("did you mean `{}`?", join(path, key.name)),
            None => format!("known here: {}", keys.names().collect::<Vec<_>>().join(", ")),
        };
        return Err((format!("unknown key `{inner}`"), hint));
    };
    if rest.is_empty() {
        return Ok(Target { table, name: name.clone(), key, path: inner });
    }
    match key.kind {
        Kind::Table(below) => descend(open(table, name), below, rest, &inner),
        Kind::Model => descend(open(table, name), &MODEL_OVERRIDE, rest, &inner),
        Kind::List(below) => in_list(table, name, below, rest, &inner),
        Kind::Map(below) => in_map(table, name, below, rest, &inner),
        Kind::TextMap => match rest {
            [entry] => {
                Ok(Target { table: open(table, name), name: entry.clone(), key: &ANY_TEXT, path: join(&inner, entry) })
            }
            _ => Err((format!("`{inner}` holds names and strings"), "quote a name that has dots".to_owned())),
        },
        _ => Err((format!("`{inner}` is a value, not a table"), format!("write {inner}=…"))),
    }
}

/// An inner table, made when there is none.
fn open<'tree>(table: &'tree mut Table, name: &str) -> &'tree mut Table {
    let empty = || Node { value: Value::Table(Table::new()), span: 0..0, source: 0 };
    let entry = table.entry(name.to_owned()).or_insert_with(|| Entry { key: 0..0, node: empty() });
    if !matches!(entry.node.value, Value::Table(_)) {
        entry.node = empty();
    }
    match &mut entry.node.value {
        Value::Table(inner) => inner,
        _ => unreachable!("it was made a table above"),
    }
}

fn in_list<'tree>(
    table: &'tree mut Table,
    name: &str,
    keys: &'static TableKeys,
    rest: &[String],
    path: &str,
) -> Result<Target<'tree>, Complaint> {
    let (wanted, rest) = rest.split_first().map_or((String::new(), rest), |(first, rest)| (first.clone(), rest));
    let Some(Entry { node: Node { value: Value::List(list), .. }, .. }) = table.get_mut(name) else {
        return Err((format!("there is no [[{path}]]"), "add it to config.toml".to_owned()));
    };
    let names: Vec<String> = list.iter().filter_map(Node::name).map(str::to_owned).collect();
    let found = list.iter_mut().find(|node| node.name() == Some(wanted.as_str()));
    match found.map(|node| &mut node.value) {
        Some(Value::Table(entry)) if !rest.is_empty() => descend(entry, keys, rest, &join(path, &wanted)),
        Some(_) => Err((format!("`{}` is a table", join(path, &wanted)), "name a key of it".to_owned())),
        None => {
            let hint = nearest(&wanted, names.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
            Err((
                format!("no `{wanted}` in [[{path}]]"),
                hint.unwrap_or_else(|| format!("there are: {}", names.join(", "))),
            ))
        }
    }
}

fn in_map<'tree>(
    table: &'tree mut Table,
    name: &str,
    keys: &'static TableKeys,
    rest: &[String],
    path: &str,
) -> Result<Target<'tree>, Complaint> {
    let Some((wanted, rest)) = rest.split_first() else {
        return Err((format!("`{path}` is a table"), "name a key of it".to_owned()));
    };
    let inner = join(path, wanted);
    let known = table.get(name).and_then(|map| map.node.table()).is_some_and(|map| map.contains_key(wanted));
    // The one key that an entry needs may begin it.
    let begins = rest.len() == 1 && keys.keys.iter().all(|key| (key.need == Need::Required) == (key.name == rest[0]));
    if !rest.is_empty() && (known || begins) {
        return descend(open(open(table, name), wanted), keys, rest, &inner);
    }
    Err((format!("there is no [{inner}]"), format!("begin with {inner}.base_url=http://…")))
}

#[cfg(test)]
mod tests;
