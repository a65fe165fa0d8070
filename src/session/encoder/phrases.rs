//! Which phrases of a catalogue messages are likened to.

use std::collections::HashSet;

use crate::tap::skill::judge::in_reach;
use crate::tap::skill::rules::CheckKind;
use crate::tap::{Catalogue, Skill};

/// Those of skills first: every message is likened to them. Each once.
pub fn phrases(catalogue: &Catalogue) -> Vec<String> {
    let of_skills = catalogue.skills.iter().flat_map(|skill| semantic(skill));
    let triggers = catalogue.capabilities.iter().flat_map(|capability| &capability.triggers).map(String::as_str);
    once(of_skills.chain(triggers))
}

/// Those that the rules of skills in reach of the domain, and not active, ask for.
pub fn in_question(catalogue: &Catalogue, domain: &str, active: &[String]) -> Vec<String> {
    let skills = catalogue.skills.iter().filter(|skill| !active.contains(&skill.name) && in_reach(skill, domain));
    once(skills.flat_map(|skill| semantic(skill)))
}

fn semantic(skill: &Skill) -> impl Iterator<Item = &str> {
    skill.rules.iter().flat_map(|group| &group.checks).filter_map(|check| match &check.kind {
        CheckKind::Semantic { phrase, .. } => Some(phrase.as_str()),
        _ => None,
    })
}

fn once<'a>(phrases: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    phrases.filter(|phrase| !phrase.trim().is_empty() && seen.insert(*phrase)).map(str::to_owned).collect()
}
