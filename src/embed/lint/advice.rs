//! What to change, with the word that separates and the trigger to start with.

use std::collections::BTreeMap;

use super::Subject;
use super::compare::{Compared, Seen, clears};
use super::find::{about, margin, nearest_of, number, place};
use super::finding::{Finding, FindingKind, Gravity, Place};
use super::words::{Separating, has_word, same_words, separating};
use crate::embed::gate::AUTO_ACTIVATE_TOP_K;

type At = (usize, usize);

/// So many of the nearest a narrower trigger should be told apart from.
const NEIGHBOURS: usize = 3;

/// The trigger with the smaller lead in its own capability comes first: it is the one to change.
pub fn weaker(compared: &Compared<'_>, left: At, right: At) -> (At, At) {
    let lead = |at: At, other: At| compared.seen[at.0][at.1].lead_over(&compared.subjects[other.0].name);
    if lead(left, right) <= lead(right, left) { (left, right) } else { (right, left) }
}

/// Two triggers of different capabilities that are the same, or nearly. Told of the one to change;
/// `more` others of the same capability are too near to it as well.
pub fn pair(compared: &Compared<'_>, weak: At, strong: At, cosine: f32, more: usize) -> Finding {
    let seen = &compared.seen[weak.0][weak.1];
    let other = &compared.subjects[strong.0];
    let other_trigger = &other.triggers[strong.1];
    let same = same_words(&compared.trigger(seen).text, &other_trigger.text);
    let (kind, gravity, message) = if same {
        (FindingKind::Duplicate, Gravity::Error, format!("{} has this trigger too", other.name))
    } else {
        let gravity = if clears(seen.lead_over(&other.name)) { Gravity::Note } else { Gravity::Warning };
        let many = match more {
            0 => String::new(),
            more => format!(", and it is as near to {more} more of them"),
        };
        (FindingKind::Twins, gravity, format!("this trigger and one of {} are nearly one{many}", other.name))
    };
    Finding {
        kind,
        gravity,
        trigger: Some(place(compared, seen)),
        other: Some(other.name.clone()),
        other_trigger: Some(Place { text: other_trigger.text.clone(), place: other_trigger.place.clone() }),
        numbers: vec![
            number("cosine", cosine),
            number("own", seen.own_score()),
            number("other", seen.score_of(&other.name)),
        ],
        message,
        advice: apart(compared, weak, strong.0),
        ..about(compared, weak.0)
    }
}

/// How to move a trigger away from another capability.
pub fn apart(compared: &Compared<'_>, at: At, other: usize) -> String {
    let own = &compared.subjects[at.0];
    let other = &compared.subjects[other];
    let text = &own.triggers[at.1].text;
    let words = separating(own, &[other]);
    let missing = words.iter().find(|found| !has_word(text, &found.word));
    match (missing, words.iter().any(|found| has_word(text, &found.word))) {
        (Some(word), false) => format!("Say `{}` in it: {}. {}", word.word, spread(word, own, other), or_drop(own)),
        (_, true) => format!(
            "It already says `{}`, which {} does not, and still is too near: say more of what only {} does. {}",
            words.iter().find(|found| has_word(text, &found.word)).map_or("", |found| &found.word),
            other.name,
            own.name,
            or_drop(own)
        ),
        (None, false) => format!(
            "Every word of {} is one of {} too: name in it what only {} does, or make the two one capability. {}",
            own.name,
            other.name,
            own.name,
            or_drop(own)
        ),
    }
}

/// Who has the word.
fn spread(word: &Separating, own: &Subject, other: &Subject) -> String {
    match word.triggers {
        0 => format!("it is in the name of {}, and no trigger of either has it", own.name),
        count => format!("{count} of {} triggers of {} do, none of {}", own.triggers.len(), own.name, other.name),
    }
}

fn or_drop(own: &Subject) -> String {
    match own.triggers.len() - 1 {
        left if left >= AUTO_ACTIVATE_TOP_K => format!("Or drop it: {left} others remain."),
        left => format!("Dropping it would leave {left}, fewer than a score takes; put another in its place."),
    }
}

/// How to make a trigger say what it is for.
pub fn narrower(compared: &Compared<'_>, seen: &Seen<'_>) -> String {
    let own = &compared.subjects[seen.subject];
    let text = &compared.trigger(seen).text;
    let near = seen.others.iter().take(NEIGHBOURS).filter_map(|other| compared.index_of(other.name));
    let near: Vec<&Subject> = near.map(|other| &compared.subjects[other]).collect();
    let words = separating(own, &near);
    let named = words.iter().find(|found| !has_word(text, &found.word));
    match named {
        Some(word) => format!("Name what it acts on, such as `{}`. {}", word.word, or_drop(own)),
        None => format!("Name what it acts on. {}", or_drop(own)),
    }
}

/// A capability that never leads `other` by enough, judged on those of its triggers that have siblings.
pub fn shadowed(compared: &Compared<'_>, seen: &[&Seen<'_>], other: usize) -> Finding {
    let neighbour = &compared.subjects[other];
    let mut by_lead: Vec<(&Seen<'_>, f32)> = seen.iter().map(|seen| (*seen, seen.lead_over(&neighbour.name))).collect();
    by_lead.sort_by(|a, b| a.1.total_cmp(&b.1));
    let subject = seen.first().map_or(0, |seen| seen.subject);
    let own = &compared.subjects[subject];
    let best = by_lead.last();
    let worst: Vec<String> =
        by_lead.iter().take(2).map(|(seen, lead)| format!("“{}” ({lead:+.2})", compared.trigger(seen).text)).collect();
    let words = separating(own, &[neighbour]);
    let how = match words.first() {
        Some(word) => format!("say `{}` in them ({})", word.word, spread(word, own, neighbour)),
        None => format!("name what only {} does: it has no word that {} lacks", own.name, neighbour.name),
    };
    Finding {
        kind: FindingKind::Shadowed,
        gravity: Gravity::Error,
        trigger: best.map(|(seen, _)| place(compared, seen)),
        other: Some(neighbour.name.clone()),
        numbers: [
            best.map(|(_, lead)| number("best lead", *lead)),
            Some(margin()),
            by_lead.first().map(|(_, lead)| number("worst lead", *lead)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        message: format!("no message of its own clears the margin against {}; its best is this one", neighbour.name),
        advice: format!("Start with {}: {how}, or drop them.", worst.join(" and ")),
        ..about(compared, subject)
    }
}

/// Reaches the threshold, is shadowed by nobody in particular, and still never fires.
pub fn mute(compared: &Compared<'_>, subject: usize, seen: &[Seen<'_>]) -> Finding {
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for best in seen.iter().filter_map(|seen| seen.others.first()) {
        *holders.entry(best.name).or_default() += 1;
    }
    let mut holders: Vec<(&str, usize)> = holders.into_iter().collect();
    holders.sort_by_key(|(_, count)| usize::MAX - count);
    let listed: Vec<String> = holders.iter().take(3).map(|(name, count)| format!("{name} ({count})")).collect();
    let own = &compared.subjects[subject];
    let word = nearest_of(compared, subject)
        .and_then(|other| separating(own, &[&compared.subjects[other]]).into_iter().next());
    Finding {
        kind: FindingKind::Mute,
        other: holders.first().map(|(name, _)| (*name).to_owned()),
        numbers: seen.iter().map(|seen| number(&compared.trigger(seen).text, seen.lead())).collect(),
        message: format!("each of its triggers is held back, by {}", listed.join(", ")),
        advice: match word {
            Some(word) => format!("Say `{}` in more of them, and ask for one thing in each.", word.word),
            None => "Say in each what only this one does.".to_owned(),
        },
        ..about(compared, subject)
    }
}
