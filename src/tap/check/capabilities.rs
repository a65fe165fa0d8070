//! `capabilities/<name>/`.

use std::collections::{BTreeMap, BTreeSet};

use super::agents::list;
use super::{Subject, deps, lengths, servers};
use crate::config::schema::Server;
use crate::config::tree::{self, Table};
use crate::config::{Problem, Source};
use crate::tap::confine::Entry;
use crate::tap::document::{self, Report};
use crate::tap::header;
use crate::tap::{Finding, PartKind};

const CONFIG: &str = "config.toml";
const DEFAULT: &str = "default";

/// A capability's score is the mean of its three best triggers.
const FEWEST_TRIGGERS: usize = 3;

/// What only shows between capabilities.
#[derive(Default)]
struct Seen<'catalogue> {
    /// Which capability has a trigger.
    triggers: BTreeMap<String, String>,
    /// Which capability first declares a server, and how.
    servers: BTreeMap<&'catalogue str, (&'catalogue str, &'catalogue Server)>,
}

pub(super) fn check(subject: &Subject<'_>, used: &mut BTreeSet<String>) -> Vec<Finding> {
    let mut seen = Seen { servers: servers_of(subject), ..Seen::default() };
    let mut findings = Vec::new();
    for folder in subject.folders(&subject.tap.root.join("capabilities")) {
        let mut report = Report::new(PartKind::Capability, folder.name.clone(), &subject.tap.name);
        for file in subject.files(&folder.path, ".toml") {
            // A link is looked at where it leads.
            if file.link.is_none()
                && let Ok(Some(source)) = Source::read(&file.path)
                && let Ok(table) = tree::parse(&source, 0)
            {
                match file.name == CONFIG {
                    true => settings(subject, &folder.name, &source, &table, &mut seen, &mut report),
                    false => {
                        provider(subject, &source, &table, used, &mut report);
                        same_servers(subject, &folder.name, &file, (&source, &table), &seen, &mut report);
                    }
                }
            }
        }
        findings.append(&mut report.findings);
    }
    findings
}

fn settings(
    subject: &Subject<'_>,
    capability: &str,
    source: &Source,
    table: &Table,
    seen: &mut Seen<'_>,
    report: &mut Report,
) {
    let triggers = document::texts(table, "triggers");
    let written = triggers.iter().filter(|(trigger, _)| !trigger.trim().is_empty()).count();
    if let Some(entry) = table.get("triggers")
        && (1..FEWEST_TRIGGERS).contains(&written)
    {
        let message = format!(
            "{written} of at least {FEWEST_TRIGGERS} triggers: it is switched on by the mean of its three best"
        );
        let hint = "six to twelve sentences, as people would type them";
        report.warning(Problem::at(source, entry.key.clone(), message).hint(hint));
    }
    for (trigger, span) in triggers {
        let same = trigger.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        let first = seen.triggers.entry(same).or_insert_with(|| capability.to_owned());
        if first != capability {
            let message = format!("`{first}` has this trigger too, so it switches on neither");
            report.warning(Problem::at(source, span, message).hint("keep it where it belongs"));
        }
    }
    for (domain, span) in document::texts(table, "domains") {
        if let Some(hint) = subject.unknown_domain(domain) {
            let message = format!("no agent is of the domain `{domain}`");
            report.warning(Problem::at(source, span, message).hint(hint));
        }
    }
}

fn provider(subject: &Subject<'_>, source: &Source, table: &Table, used: &mut BTreeSet<String>, report: &mut Report) {
    lengths::header(&header::lines(source), source, report);
    deps::check(subject, source, table, used, report);
    servers::check(source, table, report);
}

/// The servers of the providers that are taken when nothing else is said.
fn servers_of<'catalogue>(
    subject: &Subject<'catalogue>,
) -> BTreeMap<&'catalogue str, (&'catalogue str, &'catalogue Server)> {
    let mut servers = BTreeMap::new();
    for capability in subject.catalogue.capabilities.iter().filter(|one| one.tap.name == subject.tap.name) {
        let default = capability.providers.iter().find(|provider| provider.name == DEFAULT);
        for server in default.into_iter().flat_map(|provider| &provider.servers) {
            servers.entry(server.name.as_str()).or_insert((capability.name.as_str(), server));
        }
    }
    servers
}

/// Servers are known by name: of two that differ, the one that came first runs for both.
fn same_servers(
    subject: &Subject<'_>,
    capability: &str,
    file: &Entry,
    (source, table): (&Source, &Table),
    seen: &Seen<'_>,
    report: &mut Report,
) {
    let name = file.name.trim_end_matches(".toml");
    let of_tap =
        subject.catalogue.capabilities.iter().find(|one| one.name == capability && one.tap.name == subject.tap.name);
    let Some(provider) = of_tap.and_then(|one| one.providers.iter().find(|provider| provider.name == name)) else {
        return;
    };
    let places =
        table.get("mcp").and_then(|entry| entry.node.table()).map(|mcp| list(mcp, "servers")).unwrap_or_default();
    for server in &provider.servers {
        let Some((first, other)) = seen.servers.get(server.name.as_str()) else { continue };
        if *first == capability || *other == server {
            continue;
        }
        let node =
            places.iter().filter_map(|table| table.get("name")).find(|entry| entry.node.text() == Some(&server.name));
        let span = node.map_or(0..0, |entry| entry.node.span.clone());
        let message = format!(
            "`{first}` declares the server `{}` in another way; whichever starts first serves both",
            server.name
        );
        report.warning(Problem::at(source, span, message).hint("give it a name of its own, or declare it the same"));
    }
}
