//! What a project's own file may say: nothing that executes, redirects, spends or loosens a guard.

use super::check::{Checker, join};
use super::keys::{Key, Kind, MODEL_OVERRIDE, Project, TableKeys};
use super::problem::Weight;
use super::tree::{Node, Table, Value};

/// Takes out of a project's file what a project may not say.
pub fn restrict(checker: &mut Checker<'_>, table: Table, keys: &'static TableKeys, path: &str) -> Table {
    let mut allowed = Table::new();
    for (name, mut entry) in table {
        let inner = join(path, &name);
        let Some(key) = keys.find(&name) else {
            allowed.insert(name, entry);
            continue;
        };
        let refused = match key.project {
            Project::Refused => !matches!(key.kind, Kind::Unused | Kind::Retired),
            Project::OnlyOn => loosens(&entry.node.value, key),
            Project::Allowed => key.name == "name" && entry.node.text().is_some_and(executes),
        };
        if refused {
            let problem = checker.problem(
                entry.node.source,
                entry.key.clone(),
                format!("a project may not set `{inner}`; it was left out"),
            );
            problem.weight = Weight::Security;
            problem.hint =
                Some("what runs, redirects, spends or loosens a guard belongs in your own config.toml".to_owned());
            continue;
        }
        let keys = match key.kind {
            Kind::Table(keys) => Some(keys),
            Kind::Model => Some(&MODEL_OVERRIDE),
            _ => None,
        };
        if let (Some(keys), Value::Table(_)) = (keys, &entry.node.value) {
            let Value::Table(table) = std::mem::replace(&mut entry.node.value, Value::Flag(false)) else { continue };
            entry.node.value = Value::Table(restrict(checker, table, keys, &inner));
        }
        allowed.insert(name, entry);
    }
    allowed
}

/// Models that are programs or files rather than services.
fn executes(model: &str) -> bool {
    ["script:", "cli:"].iter().any(|prefix| model.trim_start().starts_with(prefix))
}

/// A project's servers, each named; one that would stand in for the person's own says so.
pub fn refuse_servers(checker: &mut Checker<'_>, project: &mut Table, person: &Table) {
    let Some(entry) = project.get_mut("mcp") else { return };
    let Value::Table(mcp) = &mut entry.node.value else { return };
    let Some(servers) = mcp.remove("servers") else { return };
    let only_servers = mcp.is_empty();
    let Value::List(servers) = servers.node.value else { return };
    for server in &servers {
        let name = server.name().unwrap_or("without a name");
        let message = match named(person, &["mcp", "servers"], name).map(|own| own.source) {
            Some(source) => format!(
                "the project's server `{name}` would replace the one of {}; yours stays",
                checker.sources.get(source).map_or("yours", |source| source.label.as_str())
            ),
            None => format!("a project may not bring a server (`{name}`); it was left out"),
        };
        let problem = checker.problem(server.source, server.span.clone(), message);
        problem.weight = Weight::Security;
        problem.hint = Some("copy it to your own config.toml if you want it".to_owned());
    }
    if only_servers {
        project.remove("mcp");
    }
}

/// Roles and prompts of a project that carry a name the person has already.
pub fn refuse_shadows(checker: &mut Checker<'_>, project: &mut Table, person: &Table) {
    for list in ["roles", "prompts"] {
        let Some(entry) = project.get_mut(list) else { continue };
        let Value::List(nodes) = &mut entry.node.value else { continue };
        nodes.retain(|node| {
            let Some(name) = node.name() else { return false };
            if named(person, &[list], name).is_none() {
                return true;
            }
            let message = format!("the project's `{name}` in [[{list}]] would replace the one you have; yours stays");
            let problem = checker.problem(node.source, node.span.clone(), message);
            problem.weight = Weight::Security;
            problem.hint = Some("a project's entry needs a name of its own".to_owned());
            false
        });
    }
}

fn named<'tree>(tree: &'tree Table, path: &[&str], name: &str) -> Option<&'tree Node> {
    let (last, tables) = path.split_last()?;
    let table = tables.iter().try_fold(tree, |table, name| table.get(*name)?.node.table())?;
    match &table.get(*last)?.node.value {
        Value::List(list) => list.iter().find(|node| node.name() == Some(name)),
        _ => None,
    }
}

/// Whether the value is readable and less than the strictest. What cannot be read counts as the strictest.
fn loosens(value: &Value, key: &Key) -> bool {
    match (value, key.kind) {
        (Value::Text(word), Kind::Choice(words)) => words.contains(&word.as_str()) && *value != key.strictest(),
        (Value::Flag(on), _) => !on,
        _ => false,
    }
}
