//! Finding what is wrong. What to do about it is [`super::advice`].

use std::collections::{BTreeMap, BTreeSet};

use super::advice;
use super::compare::{Compared, Seen, clears, median, nearest, reaches, whole_place};
use super::finding::{Finding, FindingKind, Gravity, Number, Place};
use super::words::{same_words, words};
use crate::embed::gate::{AUTO_ACTIVATE_MARGIN, AUTO_ACTIVATE_THRESHOLD, AUTO_ACTIVATE_TOP_K};
use crate::embed::vector::{Vector, cosine};

/// Cosine from which two triggers of different capabilities are nearly one.
pub const TWINS: f32 = 0.85;
/// Cosine from which two triggers of one capability with the same words say the same.
pub const REPEATED: f32 = 0.95;
/// A trigger is generic when so many other capabilities score so high on it, and come so near to what
/// its own scores: a tap of neighbours has many that score high.
pub const GENERIC_SCORE: f32 = 0.50;
pub const GENERIC_WITHIN: f32 = 0.15;
pub const GENERIC_MANY: usize = 3;
/// Cosine with a message that nothing should fire on.
pub const CHATTER: f32 = 0.60;
/// An outlier scores less than this in its own capability, and so much less than its siblings do.
pub const OUTLIER_SCORE: f32 = 0.40;
pub const OUTLIER_BELOW_SIBLINGS: f32 = 0.25;
/// Fewer siblings say nothing about what is usual.
const OUTLIER_SIBLINGS: usize = 3;

/// Trigger `trigger` of subject `subject`.
type At = (usize, usize);

pub fn all(compared: &Compared<'_>, silence: &[(&str, Vector)]) -> Vec<Finding> {
    let pairs = pairs(compared);
    let mut told: BTreeSet<(At, usize)> = BTreeSet::new();
    let mut findings = Vec::new();
    for &(left, right) in pairs.keys() {
        told.insert((left, right.0));
        told.insert((right, left.0));
    }
    findings.extend(gathered(compared, &pairs));
    for (subject, seen) in compared.seen.iter().enumerate() {
        let shadows = shadows(compared, subject);
        findings.extend(shadows.iter().map(|(_, finding)| finding.clone()));
        let held: BTreeSet<usize> = shadows.iter().map(|(other, _)| *other).collect();
        findings.extend(seen.iter().filter_map(|seen| stray(compared, seen, &told, &held)));
        findings.extend(whole(compared, subject, held.is_empty()));
        for seen in seen {
            findings.extend(generic(compared, seen));
            findings.extend(chatter(compared, seen, silence));
            findings.extend(outlier(compared, seen));
            findings.extend(repeated(compared, seen));
        }
    }
    without_echoes(findings)
}

/// That a trigger is far from its siblings goes without saying where it belongs to somebody else.
fn without_echoes(mut findings: Vec<Finding>) -> Vec<Finding> {
    let elsewhere = [FindingKind::Duplicate, FindingKind::Twins, FindingKind::Stray];
    let astray: BTreeSet<(String, Option<Place>)> = findings
        .iter()
        .filter(|finding| elsewhere.contains(&finding.kind))
        .map(|finding| (finding.capability.clone(), finding.trigger.clone()))
        .collect();
    findings.retain(|finding| {
        finding.kind != FindingKind::Outlier || !astray.contains(&(finding.capability.clone(), finding.trigger.clone()))
    });
    findings
}

/// Pairs over [`TWINS`], each once, with their cosine.
fn pairs(compared: &Compared<'_>) -> BTreeMap<(At, At), f32> {
    let mut pairs = BTreeMap::new();
    for seen in compared.seen.iter().flatten() {
        for other in &seen.others {
            let Some(subject) = compared.index_of(other.name) else { continue };
            for near in other.top.iter().filter(|near| near.cosine >= TWINS) {
                let (left, right) = ((seen.subject, seen.trigger), (subject, near.trigger));
                pairs.insert(if left < right { (left, right) } else { (right, left) }, near.cosine);
            }
        }
    }
    pairs
}

/// One finding for each trigger and the capability it is too near to, told with the nearest pair.
fn gathered(compared: &Compared<'_>, pairs: &BTreeMap<(At, At), f32>) -> Vec<Finding> {
    let mut groups: BTreeMap<(At, usize), Vec<(At, f32)>> = BTreeMap::new();
    for (&(left, right), &cosine) in pairs {
        let (weak, strong) = advice::weaker(compared, left, right);
        groups.entry((weak, strong.0)).or_default().push((strong, cosine));
    }
    groups
        .into_iter()
        .filter_map(|((weak, _), pairs)| {
            let (strong, cosine) = pairs.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
            Some(advice::pair(compared, weak, strong, cosine, pairs.len() - 1))
        })
        .collect()
}

/// The neighbours over which no trigger has the lead that the gate wants.
fn shadows(compared: &Compared<'_>, subject: usize) -> Vec<(usize, Finding)> {
    let seen: Vec<&Seen<'_>> = compared.seen[subject].iter().filter(|seen| seen.own.is_some()).collect();
    if seen.is_empty() {
        return Vec::new();
    }
    compared
        .subjects
        .iter()
        .enumerate()
        .filter(|(place, other)| *place != subject && !other.triggers.is_empty())
        .filter(|(_, other)| !seen.iter().any(|seen| clears(seen.lead_over(&other.name))))
        .map(|(place, _)| (place, advice::shadowed(compared, &seen, place)))
        .collect()
}

fn stray(
    compared: &Compared<'_>,
    seen: &Seen<'_>,
    told: &BTreeSet<(At, usize)>,
    held: &BTreeSet<usize>,
) -> Option<Finding> {
    let own = seen.own?;
    // Below that it is near to nobody, and an outlier at most.
    let best = seen.others.first().filter(|best| best.score > own.score && best.score >= OUTLIER_SCORE)?;
    let other = compared.index_of(best.name)?;
    if held.contains(&other) || told.contains(&((seen.subject, seen.trigger), other)) {
        return None;
    }
    let near = best.top.first().map(|near| compared.subjects[other].triggers[near.trigger].clone());
    Some(Finding {
        kind: FindingKind::Stray,
        gravity: Gravity::Warning,
        trigger: Some(place(compared, seen)),
        other: Some(best.name.to_owned()),
        other_trigger: near.map(|near| Place { text: near.text, place: near.place }),
        numbers: vec![number("own", own.score), number("other", best.score)],
        message: format!("this trigger is nearer to {} than to its own siblings", best.name),
        advice: advice::apart(compared, (seen.subject, seen.trigger), other),
        ..about(compared, seen.subject)
    })
}

/// What concerns all triggers of a capability. `free`: no neighbour shadows it.
fn whole(compared: &Compared<'_>, subject: usize, free: bool) -> Option<Finding> {
    let of = &compared.subjects[subject];
    let seen = &compared.seen[subject];
    let count = of.triggers.len();
    if count < AUTO_ACTIVATE_TOP_K {
        return (count > 0).then(|| Finding {
            kind: FindingKind::Few,
            gravity: Gravity::Warning,
            message: format!("it has {count} of the {AUTO_ACTIVATE_TOP_K} triggers that a score is the mean of"),
            advice: "Write six to eight, each as a person would ask for it; one odd match then weighs less.".to_owned(),
            ..about(compared, subject)
        });
    }
    if seen.iter().any(|seen| seen.activates) {
        return None;
    }
    let best = seen.iter().map(Seen::own_score).fold(f32::MIN, f32::max);
    if !reaches(best) {
        let lowest = seen.iter().min_by(|a, b| a.own_score().total_cmp(&b.own_score()))?;
        return Some(Finding {
            kind: FindingKind::Faint,
            gravity: Gravity::Warning,
            numbers: vec![number("best", best), number("threshold", AUTO_ACTIVATE_THRESHOLD)],
            message: "none of its triggers reaches the threshold on the strength of the others".to_owned(),
            advice: format!(
                "They ask for too different things. Write three ways of asking for each thing it does; “{}” stands most alone ({:.2}).",
                compared.trigger(lowest).text,
                lowest.own_score()
            ),
            ..about(compared, subject)
        });
    }
    free.then(|| advice::mute(compared, subject, seen))
}

fn generic(compared: &Compared<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let least = GENERIC_SCORE.max(seen.own_score() - GENERIC_WITHIN);
    let like: Vec<_> = seen.others.iter().take_while(|score| score.score >= least).collect();
    if like.len() < GENERIC_MANY {
        return None;
    }
    let names: Vec<&str> = like.iter().take(4).map(|score| score.name).collect();
    let more = if like.len() > names.len() { format!(" and {} more", like.len() - names.len()) } else { String::new() };
    Some(Finding {
        kind: FindingKind::Generic,
        gravity: Gravity::Warning,
        trigger: Some(place(compared, seen)),
        numbers: like.iter().take(4).map(|score| number(score.name, score.score)).collect(),
        message: format!("this trigger is like {} other capabilities: {}{more}", like.len(), names.join(", ")),
        advice: advice::narrower(compared, seen),
        ..about(compared, seen.subject)
    })
}

fn chatter(compared: &Compared<'_>, seen: &Seen<'_>, silence: &[(&str, Vector)]) -> Option<Finding> {
    let trigger = compared.trigger(seen);
    let likeness = |vector: &Vector| cosine(trigger.vector.as_slice(), vector.as_slice());
    let (text, likeness) = silence
        .iter()
        .map(|(text, vector)| (*text, likeness(vector)))
        .filter(|(_, likeness)| *likeness >= CHATTER)
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Finding {
        kind: FindingKind::Chatter,
        gravity: Gravity::Warning,
        trigger: Some(place(compared, seen)),
        other_trigger: Some(Place { text: text.to_owned(), place: String::new() }),
        numbers: vec![number("cosine", likeness)],
        message: format!("this trigger is like “{text}”, on which nothing should fire"),
        advice: advice::narrower(compared, seen),
        ..about(compared, seen.subject)
    })
}

fn outlier(compared: &Compared<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let siblings = compared.seen[seen.subject].iter().filter(|other| other.trigger != seen.trigger);
    let scores: Vec<f32> = siblings.map(Seen::own_score).collect();
    let usual = median(scores.iter().copied())?;
    let own = seen.own?.score;
    if scores.len() < OUTLIER_SIBLINGS || own >= OUTLIER_SCORE || usual - own < OUTLIER_BELOW_SIBLINGS {
        return None;
    }
    Some(Finding {
        kind: FindingKind::Outlier,
        gravity: Gravity::Warning,
        trigger: Some(place(compared, seen)),
        numbers: vec![number("own", own), number("siblings", usual)],
        message: "this trigger is far from its own siblings".to_owned(),
        advice: format!(
            "A score is the mean of three, so it cannot carry a message alone: add two more ways of asking for the same, or drop it (it scores {own:.2}, its siblings {usual:.2})."
        ),
        ..about(compared, seen.subject)
    })
}

/// Told of the first of the two. Likeness alone is no fault: siblings are meant to be alike.
fn repeated(compared: &Compared<'_>, seen: &Seen<'_>) -> Option<Finding> {
    let own = seen.own?;
    let near = own.top.first()?;
    let sibling = whole_place(near.trigger, seen.trigger);
    let other = &compared.subjects[seen.subject].triggers[sibling];
    let text = &compared.trigger(seen).text;
    let same = same_words(text, &other.text);
    let reworded = near.cosine >= REPEATED && words(text) == words(&other.text);
    if seen.trigger > sibling || !(same || reworded) {
        return None;
    }
    Some(Finding {
        kind: FindingKind::Repeated,
        gravity: if same { Gravity::Warning } else { Gravity::Note },
        trigger: Some(place(compared, seen)),
        other_trigger: Some(Place { text: other.text.clone(), place: other.place.clone() }),
        numbers: vec![number("cosine", near.cosine)],
        message: format!("this trigger and “{}” say the same", other.text),
        advice: "Drop one: together they take two of the three places of a score with one wording.".to_owned(),
        ..about(compared, seen.subject)
    })
}

/// A finding about a capability, with nothing filled in.
pub fn about(compared: &Compared<'_>, subject: usize) -> Finding {
    Finding {
        kind: FindingKind::Mute,
        gravity: Gravity::Warning,
        capability: compared.subjects[subject].name.clone(),
        trigger: None,
        other: None,
        other_trigger: None,
        numbers: Vec::new(),
        message: String::new(),
        advice: String::new(),
    }
}

pub fn place(compared: &Compared<'_>, seen: &Seen<'_>) -> Place {
    let trigger = compared.trigger(seen);
    Place { text: trigger.text.clone(), place: trigger.place.clone() }
}

pub fn number(what: &str, value: f32) -> Number {
    Number { what: what.to_owned(), value: (f64::from(value) * 1e4).round() / 1e4 }
}

/// Number for a lead that has to be compared with the gate's.
pub fn margin() -> Number {
    number("margin", AUTO_ACTIVATE_MARGIN)
}

pub fn nearest_of<'a>(compared: &Compared<'a>, subject: usize) -> Option<usize> {
    nearest(&compared.seen[subject]).and_then(|name| compared.index_of(name))
}
