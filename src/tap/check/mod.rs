//! Linting taps: what the loader says of them, and what authors are held to beyond that.
//!
//! Owns: authors' rules (lengths, triggers, exact versions, scripts, placeholders, references) and the
//! result as one list.
//!
//! Does not own: what a file means, which is asked of its reader; printing (`cli`).
//!
//! Invariant: it only looks. Nothing is run, written or fetched, nothing outside the tap is read, and
//! one bad file costs no other finding.

mod agents;
mod capabilities;
mod deps;
mod lengths;
mod pins;
mod placeholders;
mod servers;
mod skills;
mod workflows;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::bounded::bounded;
use super::catalogue::{Places, build};
use super::confine::{Entry, EntryKind, Root};
use super::{Catalogue, Finding, Severity, Tap, TapKind};

/// What a check came to.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Those that were looked at.
    pub taps: Vec<Arc<Tap>>,
    pub parts: Parts,
    /// By tap, file and place.
    pub findings: Vec<Finding>,
}

/// How many parts of each kind can be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    pub agents: usize,
    pub capabilities: usize,
    pub skills: usize,
}

impl Checked {
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Which of the taps at hand are looked at; the others are there to be referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    Every,
    /// The tap of this name.
    Only(String),
}

/// Looks at taps.
pub fn check(places: &Places, which: &Which) -> Checked {
    let catalogue = build(places);
    let chosen = |name: &str| match which {
        Which::Every => true,
        Which::Only(only) => only == name,
    };
    let taps: Vec<Arc<Tap>> = catalogue.taps.iter().filter(|tap| chosen(&tap.name)).cloned().collect();
    let of_taps = catalogue.findings.iter().filter(|finding| taps.iter().any(|tap| tap.name == finding.tap));
    let mut findings: Vec<Finding> = of_taps.cloned().collect();
    for tap in &taps {
        if let Ok(root) = Root::new(&tap.root) {
            findings.extend(bounded(authors_rules(tap, &root, &catalogue)));
        }
    }
    not_fetched_is_a_note(&taps, &mut findings);
    sort(&taps, &mut findings);
    findings.dedup();
    Checked { parts: parts(&catalogue, &taps), taps, findings }
}

/// What every rule needs to know.
struct Subject<'check> {
    tap: &'check Arc<Tap>,
    root: &'check Root,
    catalogue: &'check Catalogue,
    /// Of all agents of all taps.
    domains: BTreeSet<&'check str>,
}

impl Subject<'_> {
    /// The files with this ending in a folder of the tap, whoever cannot be listed left to the loader.
    fn files(&self, folder: &Path, ending: &str) -> Vec<Entry> {
        let entries = self.root.list(folder).entries.into_iter();
        entries.filter(|entry| entry.kind == EntryKind::File && entry.name.ends_with(ending)).collect()
    }

    fn folders(&self, folder: &Path) -> Vec<Entry> {
        self.root.list(folder).entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder).collect()
    }

    /// The nearest domain there is, when there is none of this name.
    fn unknown_domain(&self, name: &str) -> Option<String> {
        if name == "*" || self.domains.contains(name) {
            return None;
        }
        let near = crate::config::nearest_name(name, self.domains.iter().copied());
        Some(
            near.map_or_else(
                || "leave the list out for every domain".to_owned(),
                |near| format!("did you mean `{near}`?"),
            ),
        )
    }
}

fn authors_rules(tap: &Arc<Tap>, root: &Root, catalogue: &Catalogue) -> Vec<Finding> {
    let domains = catalogue.agents.iter().map(|agent| agent.tag.domain.as_str()).collect();
    let subject = Subject { tap, root, catalogue, domains };
    let mut used = BTreeSet::new();
    let mut findings = agents::check(&subject, &mut used);
    findings.extend(capabilities::check(&subject, &mut used));
    findings.extend(skills::check(&subject));
    findings.extend(workflows::check(&subject));
    findings.extend(deps::unused(&subject, &used));
    findings
}

/// That the built-in tap is not on this machine yet is nobody's mistake.
fn not_fetched_is_a_note(taps: &[Arc<Tap>], findings: &mut [Finding]) {
    let absent = |name: &str| {
        taps.iter()
            .any(|tap| tap.name == name && tap.unavailable.is_some() && matches!(tap.kind, TapKind::BuiltIn { .. }))
    };
    for finding in findings.iter_mut().filter(|finding| absent(&finding.tap)) {
        finding.severity = Severity::Note;
    }
}

fn sort(taps: &[Arc<Tap>], findings: &mut [Finding]) {
    findings.sort_by_cached_key(|finding| {
        let tap = taps.iter().position(|tap| tap.name == finding.tap);
        let place = finding.problem.place.as_ref().map(|place| (place.line, place.column));
        (tap, finding.problem.file.clone(), place, finding.severity, finding.problem.message.clone())
    });
}

fn parts(catalogue: &Catalogue, taps: &[Arc<Tap>]) -> Parts {
    let chosen = |tap: &Arc<Tap>| taps.iter().any(|chosen| chosen.name == tap.name);
    let of_skill = |source: &super::SkillSource| matches!(source, super::SkillSource::Tap(tap) if chosen(tap));
    Parts {
        agents: catalogue.agents.iter().filter(|agent| chosen(&agent.tap)).count(),
        capabilities: catalogue.capabilities.iter().filter(|capability| chosen(&capability.tap)).count(),
        skills: catalogue.skills.iter().filter(|skill| of_skill(&skill.source)).count(),
    }
}

#[cfg(test)]
mod tests;
