//! Capabilities: `capabilities/<name>/` of a tap.
//!
//! Owns: `config.toml` (triggers and domains), provider files, links between them, and which
//! environment variables a provider's servers need.
//!
//! Does not own: which provider is chosen (`resolve`), when a capability is active (`surface`).
//!
//! Invariant: a provider that cannot be used costs no other; triggers whose domains cannot be read
//! are not used, for then the capability would be offered where it must not be.

mod environment;
mod links;
mod provider;

use std::sync::Arc;

use super::confine::{Entry, EntryKind, Root};
use super::document::{self, Report};
use super::{Capability, Finding, PartKind, Tap};
use crate::config::keys::{Kind, TableKeys, may, table};
use crate::config::{Problem, Source};

pub use environment::keys as environment_keys;

const CONFIG: &str = "config.toml";

/// What is said of a capability that nothing but a manifest can ask for.
const NO_CONFIG: &str =
    "there is no config.toml, so only a manifest can name this capability; it never activates by itself";
const NO_TRIGGERS: &str =
    "there are no triggers, so only a manifest can name this capability; it never activates by itself";

/// Whether a finding says that a capability has no triggers, which is no mistake.
pub fn is_without_triggers(finding: &Finding) -> bool {
    finding.part.kind == PartKind::Capability && [NO_CONFIG, NO_TRIGGERS].contains(&finding.problem.message.as_str())
}

static KEYS: TableKeys = table(&[may("triggers", Kind::Texts), may("domains", Kind::Texts)]);

/// Reads one capability; nothing when none of its providers can be used.
pub(super) fn read(root: &Root, folder: &Entry, tap: &Arc<Tap>) -> (Option<Capability>, Vec<Finding>) {
    let mut report = Report::new(PartKind::Capability, &folder.name, &tap.name);
    let listing = root.list(&folder.path);
    for problem in listing.problems {
        report.error(problem);
    }
    let files: Vec<&Entry> = listing.entries.iter().filter(|entry| entry.kind == EntryKind::File).collect();
    let (triggers, domains) = match files.iter().find(|entry| entry.name == CONFIG) {
        Some(entry) => settings(entry, &mut report),
        None => {
            let problem = Problem::of_file(&folder.path.display().to_string(), NO_CONFIG);
            report.warning(problem.hint("add a config.toml with triggers = [\"…\"]"));
            (Vec::new(), Vec::new())
        }
    };
    let is_provider = |entry: &&&Entry| entry.name != CONFIG && entry.name.ends_with(".toml");
    let candidates: Vec<&Entry> = files.iter().filter(is_provider).copied().collect();
    let providers = links::read(&folder.path, &candidates, &mut report);
    let label = folder.path.display().to_string();
    if providers.is_empty() {
        let problem =
            Problem::of_file(&label, "none of its provider files can be used, so this capability is left out");
        let hint = match candidates.iter().find(|entry| entry.name == "default.toml").or(candidates.first()) {
            Some(entry) => format!("{} has mistakes, which are named too; mend them", entry.name),
            None => "add a default.toml".to_owned(),
        };
        report.error(problem.hint(hint));
        return (None, report.findings);
    }
    if !providers.iter().any(|provider| provider.name == links::DEFAULT) {
        let problem = Problem::of_file(&label, "there is no default provider, so [capabilities] has to name one");
        report.warning(problem.hint("link default.toml to one of the provider files"));
    }
    let (name, tap, folder) = (folder.name.clone(), tap.clone(), folder.path.clone());
    (Some(Capability { name, tap, folder, triggers, domains, providers }), report.findings)
}

/// Triggers and domains.
fn settings(file: &Entry, report: &mut Report) -> (Vec<String>, Vec<String>) {
    let none = (Vec::new(), Vec::new());
    let source = match Source::read(&file.path) {
        Ok(Some(source)) => source,
        Ok(None) => return none,
        Err(problem) => {
            report.error(problem);
            return none;
        }
    };
    let written = report.findings.len();
    let Some(table) = document::read(&source, &KEYS, report) else { return none };
    let domains = document::texts(&table, "domains");
    for (domain, span) in &domains {
        if !super::confine::is_file_name(domain) {
            let message = format!("`{domain}` is no name of a domain");
            report.error(Problem::at(&source, span.clone(), message));
        }
    }
    let sound = !report.has_error_since(written);
    let domains = domains.into_iter().map(|(domain, _)| domain.to_owned()).collect();
    if !sound {
        return (Vec::new(), domains);
    }
    (triggers(&source, &table, report), domains)
}

fn triggers(source: &Source, table: &crate::config::tree::Table, report: &mut Report) -> Vec<String> {
    let mut triggers: Vec<String> = Vec::new();
    for (trigger, span) in document::texts(table, "triggers") {
        let trigger = trigger.trim();
        if trigger.is_empty() {
            report.warning(Problem::at(source, span, "this trigger is empty, so it has no effect"));
        } else if triggers.iter().any(|known| known == trigger) {
            report.warning(Problem::at(source, span, "this trigger stands twice"));
        } else {
            triggers.push(trigger.to_owned());
        }
    }
    if triggers.is_empty() {
        let problem = Problem::at(source, 0..0, NO_TRIGGERS);
        report.warning(problem.hint("triggers = [\"…\"]: sentences as people would write them"));
    }
    triggers
}

#[cfg(test)]
mod tests;
