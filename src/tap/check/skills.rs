//! `skills/<name>/SKILL.md`, beyond what its reader demands.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Subject, lengths};
use crate::config::{Problem, Source};
use crate::tap::document::Report;
use crate::tap::{Finding, PartKind, Skill, SkillSource, resolve};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for skill in &subject.catalogue.skills {
        let of_tap = matches!(&skill.source, SkillSource::Tap(tap) if tap.name == subject.tap.name);
        if of_tap && let Ok(Some(source)) = Source::read(&skill.file) {
            let mut report = Report::new(PartKind::Skill, skill.name.clone(), &subject.tap.name);
            one(subject, skill, &source, &mut report);
            findings.append(&mut report.findings);
        }
    }
    findings
}

fn one(subject: &Subject<'_>, skill: &Skill, source: &Source, report: &mut Report) {
    if !skill.title.is_empty() {
        lengths::skill_title(&skill.title, key(source, "title"), source, report);
    }
    lengths::skill_description(&skill.description, key(source, "description"), source, report);
    for domain in &skill.domains {
        if let Some(hint) = subject.unknown_domain(domain) {
            let message = format!("no agent is of the domain `{domain}`");
            report.warning(Problem::at(source, key(source, "domains"), message).hint(hint));
        }
    }
    for capability in &skill.capabilities {
        if let Err(error) = resolve::choose(capability, Some(subject.tap), subject.catalogue, &BTreeMap::new()) {
            report.warning(Problem::at(source, key(source, "capabilities"), error.to_string()));
        }
    }
    body(source, report);
}

/// A skill without instructions changes nothing.
fn body(source: &Source, report: &mut Report) {
    let rest = source.text.trim_start().strip_prefix("---").and_then(|rest| rest.split_once("\n---"));
    if rest.is_some_and(|(_, body)| body.trim_matches(['-', '\r', '\n', ' ', '\t']).is_empty()) {
        let end = source.text.trim_end().len();
        report.warning(Problem::at(source, end..end, "there are no instructions below the front matter"));
    }
}

/// The line of the front matter that begins with a key; what it says is the reader's to tell.
fn key(source: &Source, name: &str) -> Range<usize> {
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        let rest = line.trim_start().strip_prefix(name);
        if rest.is_some_and(|rest| rest.trim_start().starts_with(':')) {
            let indent = line.len() - line.trim_start().len();
            return at + indent..at + line.trim_end().len();
        }
        at += line.len();
    }
    0..0
}
