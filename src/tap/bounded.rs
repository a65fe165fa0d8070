//! How many findings are kept: enough to mend a file by, never as many as a hostile one can cause. Pure.

use std::collections::BTreeMap;

use super::Finding;
use crate::config::Problem;

/// Of one file.
const IN_A_FILE: usize = 50;

/// Of one tap, whatever the number of its files.
const IN_A_TAP: usize = 1_000;

/// The gravest of each file and tap, and how many there are besides.
pub(super) fn bounded(findings: Vec<Finding>) -> Vec<Finding> {
    let findings = first(findings, IN_A_FILE, "in this file", |one| (one.tap.clone(), one.problem.file.clone()));
    first(findings, IN_A_TAP, "in this and other files", |one| (one.tap.clone(), String::new()))
}

fn first(
    mut findings: Vec<Finding>,
    most: usize,
    place: &str,
    group: impl Fn(&Finding) -> (String, String),
) -> Vec<Finding> {
    if findings.len() <= most {
        return findings;
    }
    findings.sort_by_key(|finding| finding.severity);
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut left_out: BTreeMap<(String, String), (Finding, usize)> = BTreeMap::new();
    findings.retain(|finding| {
        let group = group(finding);
        let count = seen.entry(group.clone()).or_default();
        *count += 1;
        if *count > most {
            left_out.entry(group).or_insert_with(|| (finding.clone(), 0)).1 += 1;
        }
        *count <= most
    });
    findings.extend(left_out.into_values().map(|(of, count)| {
        let problem = Problem::of_file(&of.problem.file, format!("there are {count} more {place}, left out here"));
        Finding { problem, ..of }
    }));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tap::{Part, PartKind, Severity};

    fn finding(severity: Severity, file: &str) -> Finding {
        let part = Part { kind: PartKind::Agent, name: "a:b".into() };
        Finding { severity, part, tap: "me/tap".into(), problem: Problem::of_file(file, "it is odd") }
    }

    #[test]
    fn of_each_file_the_gravest_are_kept_and_the_others_counted() {
        let many = |severity, file, count| std::iter::repeat_n(finding(severity, file), count);
        let mut findings: Vec<Finding> = many(Severity::Warning, "a", 70_000).collect();
        findings.extend(many(Severity::Error, "a", 2));
        findings.extend(many(Severity::Note, "b", 3));
        let kept = bounded(findings);
        let of =
            |severity, file| kept.iter().filter(|one| one.severity == severity && one.problem.file == file).count();
        assert_eq!((of(Severity::Error, "a"), of(Severity::Warning, "a"), of(Severity::Note, "b")), (2, 49, 3));
        assert!(kept.iter().any(|one| one.problem.message == "there are 69952 more in this file, left out here"));
    }

    #[test]
    fn a_tap_of_many_bad_files_is_bounded_too() {
        let findings = (0..20_000).map(|index| finding(Severity::Warning, &format!("file-{index}"))).collect();
        let kept = bounded(findings);
        assert_eq!(kept.len(), IN_A_TAP + 1);
        assert!(kept[IN_A_TAP].problem.message.contains("19000 more in this and other files"));
    }
}
