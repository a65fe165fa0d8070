//! A tap's triggers, as they are compared.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::{Fault, Work};
use crate::embed::Index;
use crate::embed::lint::{Subject, Trigger};
use crate::tap::catalogue::{Places, build};
use crate::tap::registry::{HOST_VARIABLE, Taps};
use crate::tap::skill::rules::CheckKind;
use crate::tap::{Catalogue, Severity, Skill, SkillSource, Tap, TapKind};

/// A capability or a skill with its phrases, before there are vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub phrases: Vec<Phrase>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    pub text: String,
    /// `file:line`, or the file alone.
    pub place: String,
}

/// Sizes of what is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Candidates {
    pub capabilities: usize,
    /// Names that only a skill has.
    pub skills: usize,
    pub triggers: usize,
}

/// What of the taps can be compared: capabilities with triggers, and skills with `semantic(…)`.
pub struct Read {
    pub capabilities: Vec<Named>,
    pub skills: Vec<Named>,
    /// Parts that could not be read, one line each.
    pub notes: Vec<String>,
}

/// Reads one tap's folder, or all connected ones.
pub fn read(folder: Option<&Path>, work: &Work<'_>) -> Result<Read, Fault> {
    let own = folder.map(|folder| linked(folder, work.workdir)).transpose()?.map(Arc::new);
    // What a folder refers to may be another tap's, so all are read; of those only the folder counts.
    let connected = Taps::open(work.paths).hosted_at(work.env.get(HOST_VARIABLE)).effective();
    let taps = own.iter().cloned().chain(connected.into_iter().map(Arc::new)).collect();
    let catalogue = build(&Places { taps, ..Places::default() });
    let read = of_catalogue(&catalogue, own.as_deref());
    if read.capabilities.is_empty() && read.skills.is_empty() {
        let why = read.notes.first().map_or(String::new(), |note| format!(": {note}"));
        let place = folder.map_or("the connected taps".to_owned(), |folder| folder.display().to_string());
        return Err(Fault::Input(format!("{place}: no capability with triggers was found{why}")));
    }
    Ok(read)
}

fn linked(folder: &Path, workdir: &Path) -> Result<Tap, Fault> {
    let root = workdir.join(folder);
    let root = root.canonicalize().map_err(|error| Fault::Input(format!("{}: {error}", folder.display())))?;
    let name = root.file_name().map_or("tap".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Tap { name: format!("local/{name}"), kind: TapKind::Linked, root, unavailable: None })
}

/// `only`: of this tap alone.
pub fn of_catalogue(catalogue: &Catalogue, only: Option<&Tap>) -> Read {
    let of = |tap: &Tap| only.is_none_or(|only| only.name == tap.name);
    let mut capabilities: Vec<Named> = Vec::new();
    // The first of a name is what its name means.
    for capability in catalogue.capabilities.iter().filter(|one| !one.triggers.is_empty() && of(&one.tap)) {
        if capabilities.last().is_some_and(|last| last.name == capability.name) {
            continue;
        }
        let phrases = placed(&capability.folder.join("config.toml"), &capability.tap.root, &capability.triggers);
        capabilities.push(Named { name: capability.name.clone(), phrases });
    }
    let of_tap = |skill: &Skill| match &skill.source {
        SkillSource::Tap(tap) => of(tap),
        _ => only.is_none(),
    };
    let skills = catalogue
        .skills
        .iter()
        .filter(|skill| of_tap(skill))
        .map(|skill| of_skill(skill))
        .filter(|skill| !skill.phrases.is_empty());
    let named = |tap: &str| only.is_none_or(|only| only.name == tap);
    let faults = catalogue.findings.iter().filter(|finding| finding.severity == Severity::Error && named(&finding.tap));
    Read { capabilities, skills: skills.collect(), notes: faults.map(|finding| finding.problem.headline()).collect() }
}

fn of_skill(skill: &Skill) -> Named {
    let file = short(&skill.file);
    let phrases = skill.rules.iter().flat_map(|group| {
        let place = format!("{file}:{}", group.line);
        group.checks.iter().filter_map(move |check| match &check.kind {
            CheckKind::Semantic { phrase, .. } => Some(Phrase { text: phrase.clone(), place: place.clone() }),
            _ => None,
        })
    });
    Named { name: skill.name.clone(), phrases: phrases.collect() }
}

/// `skills/<name>/SKILL.md`: enough to find it, whatever the tap's folder is called.
fn short(file: &Path) -> String {
    let parts: Vec<_> = file.components().rev().take(3).collect();
    parts.into_iter().rev().collect::<PathBuf>().display().to_string()
}

/// Each trigger with the line that has it. One that cannot be found is where its file is.
fn placed(file: &Path, root: &Path, triggers: &[String]) -> Vec<Phrase> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let label = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let mut from = 0;
    let phrase = |trigger: &String| {
        let quoted = toml::Value::String(trigger.clone()).to_string();
        let is_it = |line: &&str| line.contains(&quoted) || line.contains(&format!("'{trigger}'"));
        let after = lines.iter().skip(from).position(is_it).map(|line| from + line);
        let found = after.or_else(|| lines.iter().position(is_it));
        from = found.map_or(from, |line| line + 1);
        let place = found.map_or_else(|| label.clone(), |line| format!("{label}:{}", line + 1));
        Phrase { text: trigger.clone(), place }
    };
    triggers.iter().map(phrase).collect()
}

impl Read {
    /// Everything that is compared. A skill of a capability's name lends it its phrases.
    pub fn named(&self, skills: bool) -> (Vec<Named>, Candidates) {
        let mut all: BTreeMap<String, Named> =
            self.capabilities.iter().map(|named| (named.name.clone(), named.clone())).collect();
        let capabilities = all.len();
        for skill in self.skills.iter().filter(|_| skills) {
            let empty = || Named { name: skill.name.clone(), phrases: Vec::new() };
            let phrases = &mut all.entry(skill.name.clone()).or_insert_with(empty).phrases;
            for phrase in &skill.phrases {
                if !phrases.iter().any(|held| held.text == phrase.text) {
                    phrases.push(phrase.clone());
                }
            }
        }
        let named: Vec<Named> = all.into_values().collect();
        let triggers = named.iter().map(|named| named.phrases.len()).sum();
        let candidates = Candidates { capabilities, skills: named.len() - capabilities, triggers };
        (named, candidates)
    }

    pub fn is_skill(&self, name: &str) -> bool {
        let is = |named: &Named| named.name == name;
        self.skills.iter().any(is) && !self.capabilities.iter().any(is)
    }
}

/// With their vectors; a phrase without one is left out.
pub fn subjects(named: Vec<Named>, index: &Index) -> Vec<Subject> {
    let trigger = |phrase: Phrase| {
        let vector = index.get(&phrase.text)?.clone();
        Some(Trigger { text: phrase.text, place: phrase.place, vector })
    };
    named
        .into_iter()
        .map(|named| Subject { name: named.name, triggers: named.phrases.into_iter().filter_map(trigger).collect() })
        .collect()
}
