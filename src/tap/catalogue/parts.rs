//! The readers of skills and plugins, as the catalogue calls them.

use std::path::Path;

use crate::tap::{Finding, Plugin, Skill, SkillSource, plugin, skill};

pub(super) fn skills(folder: &Path, source: &SkillSource) -> (Vec<Skill>, Vec<Finding>) {
    let (skills, findings) = skill::read(folder, source.clone());
    (skills, of_tap(findings, &tap_of(source)))
}

pub(super) fn plugins(folder: &Path, tap: &str) -> (Vec<Plugin>, Vec<Skill>, Vec<Finding>) {
    let (plugins, skills, findings) = plugin::read(folder);
    (plugins, skills, of_tap(findings, tap))
}

fn of_tap(mut findings: Vec<Finding>, tap: &str) -> Vec<Finding> {
    for finding in findings.iter_mut().filter(|finding| finding.tap.is_empty()) {
        tap.clone_into(&mut finding.tap);
    }
    findings
}

/// The name of the tap that a skill comes from; "" for none.
pub(super) fn tap_of(source: &SkillSource) -> String {
    match source {
        SkillSource::Tap(tap) => tap.name.clone(),
        SkillSource::Workdir | SkillSource::User | SkillSource::Plugin(_) | SkillSource::Generated => String::new(),
    }
}
