//! `deps/<org>/<tool>.sh`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;

use super::Subject;
use crate::config::tree::Table;
use crate::config::{Problem, Source};
use crate::tap::confine::Entry;
use crate::tap::document::{self, Report};
use crate::tap::{Finding, PartKind, TapKind};

const ENDING: &str = ".sh";

/// The scripts that a manifest or a provider requires. Their names go to `used`.
pub(super) fn check(
    subject: &Subject<'_>,
    source: &Source,
    table: &Table,
    used: &mut BTreeSet<String>,
    report: &mut Report,
) {
    let Some(deps) = table.get("deps").and_then(|entry| entry.node.table()) else { return };
    for (dep, span) in document::texts(deps, "require") {
        if !document::is_dep(dep) {
            continue;
        }
        used.insert(dep.to_owned());
        if script(subject, dep).is_none() {
            missing(subject, dep, source, span, report);
        }
    }
}

/// The file, if it is there and inside the tap.
fn script(subject: &Subject<'_>, dep: &str) -> Option<Entry> {
    let (org, tool) = dep.split_once('/')?;
    let folder = subject.tap.root.join("deps").join(org);
    subject.files(&folder, ENDING).into_iter().find(|entry| entry.name.strip_suffix(ENDING) == Some(tool))
}

fn missing(subject: &Subject<'_>, dep: &str, source: &Source, span: Range<usize>, report: &mut Report) {
    let message = format!("`{dep}` has no script, so whatever requires it cannot start");
    let known = all(subject).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let hint = match crate::config::nearest_name(dep, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write deps/{dep}{ENDING} into this tap"),
    };
    report.error(Problem::at(source, span, message).hint(hint));
}

/// Every script by its name.
fn all(subject: &Subject<'_>) -> Vec<(String, Entry)> {
    let mut scripts = Vec::new();
    for org in subject.folders(&subject.tap.root.join("deps")) {
        for file in subject.files(&org.path, ENDING) {
            scripts.push((format!("{}/{}", org.name, file.name.trim_end_matches(ENDING)), file));
        }
    }
    scripts
}

/// What is wrong with the scripts themselves, and which of them nothing requires.
pub(super) fn unused(subject: &Subject<'_>, used: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in std::iter::once(subject.tap.root.join("deps"))
        .chain(subject.folders(&subject.tap.root.join("deps")).into_iter().map(|org| org.path))
    {
        let mut report = Report::new(PartKind::Dep, "deps", &subject.tap.name);
        for problem in subject.root.list(&folder).problems {
            report.error(problem);
        }
        findings.append(&mut report.findings);
    }
    for (name, file) in all(subject) {
        let mut report = Report::new(PartKind::Dep, name.clone(), &subject.tap.name);
        of_script(subject, &name, &file, &mut report);
        if !used.contains(&name) {
            let problem =
                Problem::of_file(&file.path.display().to_string(), "nothing in this tap requires this script");
            report.note(problem.hint(format!("[deps] require = [\"{name}\"], or remove it")));
        }
        findings.append(&mut report.findings);
    }
    findings
}

fn of_script(subject: &Subject<'_>, name: &str, file: &Entry, report: &mut Report) {
    let label = file.path.display().to_string();
    if !document::is_dep(name) {
        report.error(Problem::of_file(&label, "no [deps] entry can name this script").hint("letters, digits, - and _"));
    }
    let executable = std::fs::metadata(&file.path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0);
    if !executable && !matches!(subject.tap.kind, TapKind::Starter) {
        let problem = Problem::of_file(&label, "this script is not executable; it is run with bash all the same");
        report.warning(problem.hint(format!("chmod +x {label}")));
    }
    let source = match Source::read(&file.path) {
        Ok(Some(source)) => source,
        Ok(None) => return,
        Err(problem) => return report.error(problem),
    };
    if source.text.trim().is_empty() {
        report.warning(Problem::of_file(&label, "this script is empty, so it checks nothing"));
    } else if let Some(at) = source.text.find("\r\n") {
        let problem =
            Problem::at(&source, at..at + 1, "this line ends as on Windows, and bash takes the mark for a part of it");
        report.error(problem.hint("save the file with line feeds alone"));
    }
}
