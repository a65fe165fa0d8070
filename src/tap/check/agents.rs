//! `agents/<domain>/<spec>.toml`.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Subject, deps, lengths, placeholders, servers};
use crate::config::tree::{self, Table, Value};
use crate::config::{Problem, Source};
use crate::tap::document::Report;
use crate::tap::header;
use crate::tap::{Finding, PartKind};

pub(super) fn check(subject: &Subject<'_>, used: &mut BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for domain in subject.folders(&subject.tap.root.join("agents")) {
        for file in subject.files(&domain.path, ".toml") {
            let spec = file.name.trim_end_matches(".toml");
            let mut report = Report::new(PartKind::Agent, format!("{}:{spec}", domain.name), &subject.tap.name);
            if let Ok(Some(source)) = Source::read(&file.path) {
                manifest(subject, &source, used, &mut report);
            }
            findings.append(&mut report.findings);
        }
    }
    findings
}

fn manifest(subject: &Subject<'_>, source: &Source, used: &mut BTreeSet<String>, report: &mut Report) {
    lengths::header(&header::lines(source), source, report);
    let Ok(table) = tree::parse(source, 0) else { return };
    for role in list(&table, "roles") {
        for field in ["system", "welcome"] {
            if let Some(entry) = role.get(field) {
                placeholders::of_prompt(source, entry.node.span.clone(), report);
            }
        }
        if let Some(entry) = role.get("welcome") {
            machine_context(source, &entry.node.span, report);
        }
    }
    deps::check(subject, source, &table, used, report);
    servers::check(source, &table, report);
}

/// The tables of an array of tables.
pub(super) fn list<'table>(table: &'table Table, name: &str) -> Vec<&'table Table> {
    match table.get(name).map(|entry| &entry.node.value) {
        Some(Value::List(list)) => list.iter().filter_map(|node| node.table()).collect(),
        _ => Vec::new(),
    }
}

/// Placeholders of a welcome that are for the model, and would be shown to the person.
fn machine_context(source: &Source, welcome: &Range<usize>, report: &mut Report) {
    let Some(text) = source.text.get(welcome.clone()) else { return };
    let hidden: Vec<Range<usize>> = text
        .match_indices("<system>")
        .map(|(at, _)| at..text[at..].find("</system>").map_or(text.len(), |length| at + length))
        .collect();
    if let Some(open) = hidden.iter().find(|range| range.end == text.len()) {
        let at = welcome.start + open.start;
        let problem = Problem::at(source, at..at + "<system>".len(), "this <system> is never closed");
        report.warning(problem.hint("end the part for the model with </system>"));
    }
    for name in ["{{CWD}}", "{{DATE}}", "{{SYSTEM}}", "{{CONTEXT}}"] {
        if let Some((at, _)) = text.match_indices(name).find(|(at, _)| !hidden.iter().any(|range| range.contains(at))) {
            let span = welcome.start + at..welcome.start + at + name.len();
            let message = format!("{name} stands outside <system>…</system>, so the person is shown it");
            report.note(Problem::at(source, span, message));
        }
    }
}
