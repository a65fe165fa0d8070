//! `workflows/<name>.toml`: that it is TOML. What a workflow says is another reader's.

use super::Subject;
use crate::config::Source;
use crate::config::tree;
use crate::tap::document::Report;
use crate::tap::{Finding, PartKind};

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in subject.files(&subject.tap.root.join("workflows"), ".toml") {
        let mut report = Report::new(PartKind::Workflow, file.name.trim_end_matches(".toml"), &subject.tap.name);
        match Source::read(&file.path) {
            Ok(Some(source)) => {
                if let Err(problem) = tree::parse(&source, 0) {
                    report.error(problem);
                }
            }
            Ok(None) => {}
            Err(problem) => report.error(problem),
        }
        findings.append(&mut report.findings);
    }
    findings
}
