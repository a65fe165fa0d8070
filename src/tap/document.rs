//! A TOML file of a tap: its keys held against what there may be, its mistakes as findings.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::{Finding, Part, PartKind, Severity};
use crate::config::check::{Checker, Subject};
use crate::config::keys::TableKeys;
use crate::config::tree::{self, Table, Value};
use crate::config::{Problem, Source, Weight};

/// A list of a tap's file has at most so many entries that count.
pub(super) const LONGEST_LIST: usize = 1_000;

/// Collects what is wrong with one part.
#[derive(Debug)]
pub(super) struct Report {
    part: Part,
    tap: String,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn new(kind: PartKind, name: impl Into<String>, tap: &str) -> Self {
        Self { part: Part { kind, name: name.into() }, tap: tap.to_owned(), findings: Vec::new() }
    }

    /// An empty one about the same part.
    pub fn aside(&self) -> Self {
        Self { part: self.part.clone(), tap: self.tap.clone(), findings: Vec::new() }
    }

    pub fn add(&mut self, severity: Severity, problem: Problem) {
        self.findings.push(Finding { severity, part: self.part.clone(), tap: self.tap.clone(), problem });
    }

    pub fn error(&mut self, problem: Problem) {
        self.add(Severity::Error, problem);
    }

    pub fn warning(&mut self, problem: Problem) {
        self.add(Severity::Warning, problem);
    }

    pub fn note(&mut self, problem: Problem) {
        self.add(Severity::Note, problem);
    }

    /// Whether an error was added after the first `count` findings.
    pub fn has_error_since(&self, count: usize) -> bool {
        self.findings.iter().skip(count).any(|finding| finding.severity == Severity::Error)
    }
}

/// What of the file can be used; nothing when it is not TOML. An unknown key is a warning, anything
/// else an error.
pub(super) fn read(source: &Source, keys: &'static TableKeys, report: &mut Report) -> Option<Table> {
    let table = match tree::parse(source, 0) {
        Ok(table) => table,
        Err(problem) => {
            report.error(problem);
            return None;
        }
    };
    let mut checker = Checker::of(Subject::TapPart, std::slice::from_ref(source));
    let good = checker.table(table, keys, "", Weight::Ordinary);
    for notice in checker.notices() {
        report.warning(Problem::of_file(&source.label, notice.message));
    }
    let unknown = checker.unknown;
    for (index, problem) in checker.problems.into_iter().enumerate() {
        let severity = if unknown.contains(&index) { Severity::Warning } else { Severity::Error };
        report.add(severity, problem);
    }
    let mut good = good;
    for (name, entry) in good.iter_mut() {
        if let Value::List(list) = &mut entry.node.value
            && list.len() > LONGEST_LIST
        {
            let message = format!("`{name}` has {} entries; only the first {LONGEST_LIST} count", list.len());
            report.error(Problem::at(source, entry.node.span.clone(), message).hint("shorten it"));
            list.truncate(LONGEST_LIST);
        }
    }
    Some(good)
}

/// The checked table as a typed value.
pub(super) fn typed<T: DeserializeOwned>(source: &Source, table: &Table, report: &mut Report) -> Option<T> {
    match T::deserialize(tree::to_toml(table)) {
        Ok(value) => Some(value),
        Err(error) => {
            report.error(Problem::of_file(&source.label, format!("this file could not be used: {}", error.message())));
            None
        }
    }
}

/// The texts of a list of strings, each with its place.
pub(super) fn texts<'table>(table: &'table Table, name: &str) -> Vec<(&'table str, Range<usize>)> {
    let Some(Value::List(list)) = table.get(name).map(|entry| &entry.node.value) else { return Vec::new() };
    list.iter().filter_map(|node| Some((node.text()?, node.span.clone()))).collect()
}

/// `org/tool`: both are file names.
pub(super) fn is_dep(text: &str) -> bool {
    let good = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
    };
    text.split_once('/').is_some_and(|(org, tool)| good(org) && good(tool))
}

/// The deps that can be run; the others are errors.
pub(super) fn deps(source: &Source, table: &Table, report: &mut Report) -> Vec<String> {
    let Some(deps) = table.get("deps").and_then(|entry| entry.node.table()) else { return Vec::new() };
    let mut good: Vec<String> = Vec::new();
    for (dep, span) in texts(deps, "require") {
        if !is_dep(dep) {
            let message = format!("`{dep}` names no script of deps/, so it is not run");
            report.error(Problem::at(source, span, message).hint("write \"org/tool\" for deps/org/tool.sh"));
        } else if !good.iter().any(|known| known == dep) {
            good.push(dep.to_owned());
        }
    }
    good
}
