//! Which of several skills of one name wins.

use std::collections::BTreeMap;
use std::path::Path;

use super::document::{part, tap_name};
use crate::config::Problem;
use crate::tap::{Finding, Severity, Skill, SkillSource};

/// The skills of every source, each name once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settled {
    /// Sorted by name.
    pub winners: Vec<Skill>,
    /// Reached by the path of their `SKILL.md` only, sorted by name, then by precedence.
    pub shadowed: Vec<Skill>,
    /// A note for each skill that another source's wins over: which one, and by which rule.
    pub findings: Vec<Finding>,
}

/// Settles names. `skills` in order of precedence, as [`super::read`] gave them source by source.
pub fn settle(skills: Vec<Skill>) -> Settled {
    let mut by_name: BTreeMap<String, Vec<Skill>> = BTreeMap::new();
    for skill in skills {
        by_name.entry(skill.name.clone()).or_default().push(skill);
    }
    let mut settled = Settled::default();
    for same in by_name.into_values() {
        let mut same = same.into_iter();
        let Some(winner) = same.next() else { continue };
        for loser in same {
            // Within one source it was said when the folder was read.
            if loser.source != winner.source {
                settled.findings.push(shadowed(&winner, &loser));
            }
            settled.shadowed.push(loser);
        }
        settled.winners.push(winner);
    }
    settled
}

fn shadowed(winner: &Skill, loser: &Skill) -> Finding {
    let (first, second) = (source_name(&winner.source), source_name(&loser.source));
    let message = format!("`{}` of {first} wins over this one of {second}: {}", loser.name, winner.file.display());
    let hint =
        "order: taps, then .agents/skills, ~/.config/agents/skills, plugins, learnt ones; name this one by its path";
    finding(loser, Severity::Note, message, hint)
}

fn source_name(source: &SkillSource) -> String {
    match source {
        SkillSource::Tap(tap) => format!("the tap {}", tap.name),
        SkillSource::Workdir => "the working directory".to_owned(),
        SkillSource::User => "your own folder".to_owned(),
        SkillSource::Plugin(name) => format!("the plugin {name}"),
        SkillSource::Generated => "learning".to_owned(),
    }
}

/// By name; of equal names the one whose folder is named so first, then by path.
pub fn order(skills: &mut [Skill]) {
    skills.sort_by(|left, right| {
        let key = |skill: &Skill| !in_own_folder(skill);
        left.name.cmp(&right.name).then(key(left).cmp(&key(right))).then_with(|| left.file.cmp(&right.file))
    });
}

fn in_own_folder(skill: &Skill) -> bool {
    skill.file.parent().and_then(Path::file_name).is_some_and(|folder| folder.to_string_lossy() == skill.name)
}

/// A warning for each skill of an ordered list that has the name of the one before it.
pub fn twice(skills: &[Skill]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for same in skills.chunk_by(|left, right| left.name == right.name) {
        let [winner, losers @ ..] = same else { continue };
        for loser in losers {
            let rule = if in_own_folder(winner) && !in_own_folder(loser) {
                "its folder has that name"
            } else {
                "its path comes first"
            };
            let message = format!("`{}` is here twice; {} wins, because {rule}", loser.name, winner.file.display());
            findings.push(finding(
                loser,
                Severity::Warning,
                message,
                "give it another name; until then name it by its path",
            ));
        }
    }
    findings
}

fn finding(skill: &Skill, severity: Severity, message: String, hint: &str) -> Finding {
    let problem = Problem::of_file(&skill.file.display().to_string(), message).hint(hint);
    Finding { severity, part: part(&skill.name), tap: tap_name(&skill.source).to_owned(), problem }
}
