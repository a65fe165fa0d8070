//! Parts that somebody wrote for this project or for all of their own, and that are not used: whoever wrote
//! them waits for them in vain, so each is named once with the reason.

use super::Actor;
use crate::config::Problem;
use crate::proto::{Level, counted};
use crate::tap::{Catalogue, PartKind, Severity, SkillSource};

/// So many parts are named one by one.
const NAMED: usize = 8;

/// One sentence, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lost {
    text: String,
    hint: String,
    source: &'static str,
}

/// `unlisted` is what is wrong with the list of taps.
pub(super) fn lost(catalogue: &Catalogue, unlisted: &[Problem]) -> Vec<Lost> {
    let of_tap = |problem: &Problem| {
        let hint = problem.hint.clone().unwrap_or_else(|| "`octomind tap` lists those that are connected.".to_owned());
        Lost { text: format!("Taps are missing: {}.", problem.headline()), hint, source: "tap" }
    };
    let mut lost: Vec<Lost> = unlisted.iter().take(NAMED).map(of_tap).collect();
    lost.extend(shadowed(catalogue));
    lost.extend(broken(catalogue));
    lost
}

/// Skills of the project that one of a tap is used instead of.
fn shadowed(catalogue: &Catalogue) -> Vec<Lost> {
    let of_project = catalogue.shadowed_skills.iter().filter(|skill| skill.source == SkillSource::Workdir);
    let said = of_project.filter_map(|loser| {
        let SkillSource::Tap(tap) = &catalogue.skill(&loser.name)?.source else { return None };
        let (name, file) = (&loser.name, loser.file.display());
        let text = format!(
            "The skill {name} is the one of the tap {}, not this project's ({file}): taps come before .agents/skills.",
            tap.name
        );
        let hint = "Give it another name, or name it by the path of its file.".to_owned();
        Some(Lost { text, hint, source: "skill" })
    });
    said.collect()
}

/// What cannot be read of the project's folders and the person's; a tap's own are the business of whoever
/// keeps it, and stand in the catalogue.
fn broken(catalogue: &Catalogue) -> Vec<Lost> {
    let mut parts: Vec<(PartKind, &str)> = Vec::new();
    for finding in catalogue.findings.iter().filter(|one| one.severity == Severity::Error && one.tap.is_empty()) {
        let part = (finding.part.kind, finding.part.name.as_str());
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    let more = parts.len().saturating_sub(NAMED);
    let mut lost: Vec<Lost> = parts.iter().take(NAMED).filter_map(|(kind, name)| one(catalogue, *kind, name)).collect();
    if more > 0 {
        let text = format!("{} cannot be used either.", counted(more, "more part"));
        lost.push(Lost { text, hint: "The catalogue names each, with its place.".to_owned(), source: "skill" });
    }
    lost
}

fn one(catalogue: &Catalogue, kind: PartKind, name: &str) -> Option<Lost> {
    let broken = catalogue.broken(kind, name)?;
    let source = match kind {
        PartKind::Plugin => "plugin",
        _ => "skill",
    };
    let hint = broken.problem.hint.clone();
    let hint = hint.unwrap_or_else(|| "Mend the file; it is read again by itself.".to_owned());
    Some(Lost { text: format!("The {source} {broken}."), hint, source })
}

impl Actor {
    /// Said once, and again when it is another.
    pub(super) fn tell_lost(&mut self, lost: Vec<Lost>) {
        for new in lost.iter().filter(|new| !self.lost_parts.contains(new)) {
            self.rec.notice(Level::Warning, new.source, new.text.as_str(), Some(new.hint.clone()));
        }
        self.lost_parts = lost;
    }
}
