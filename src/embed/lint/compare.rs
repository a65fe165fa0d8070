//! Every trigger as a message, itself taken out of its own capability.

use std::collections::BTreeMap;

use super::finding::Standing;
use super::{Subject, Trigger};
use crate::embed::gate::{self, AUTO_ACTIVATE_MARGIN, AUTO_ACTIVATE_THRESHOLD, Candidate, Rule, Score};
use crate::embed::vector::Vector;

/// One trigger against everything.
pub struct Seen<'a> {
    /// Place in the subjects, and in their triggers.
    pub subject: usize,
    pub trigger: usize,
    /// Its own capability without it; `None` when it has no sibling.
    pub own: Option<Score<'a>>,
    /// The other capabilities, best first.
    pub others: Vec<Score<'a>>,
    /// It would activate its own capability.
    pub activates: bool,
}

pub struct Compared<'a> {
    pub subjects: &'a [Subject],
    /// Place in the subjects by name.
    places: BTreeMap<&'a str, usize>,
    /// By subject, then by trigger.
    pub seen: Vec<Vec<Seen<'a>>>,
}

impl Seen<'_> {
    pub fn own_score(&self) -> f32 {
        self.own.map_or(0.0, |own| own.score)
    }

    pub fn score_of(&self, name: &str) -> f32 {
        self.others.iter().find(|score| score.name == name).map_or(0.0, |score| score.score)
    }

    /// Of its own capability over this one.
    pub fn lead_over(&self, name: &str) -> f32 {
        self.own_score() - self.score_of(name)
    }

    /// Of its own capability over the best other.
    pub fn lead(&self) -> f32 {
        self.own_score() - self.others.first().map_or(0.0, |best| best.score)
    }
}

impl<'a> Compared<'a> {
    pub fn new(subjects: &'a [Subject]) -> Self {
        let vectors: Vec<Vec<Vector>> = subjects
            .iter()
            .map(|subject| subject.triggers.iter().map(|trigger| trigger.vector.clone()).collect())
            .collect();
        let places = subjects.iter().enumerate().map(|(place, subject)| (subject.name.as_str(), place)).collect();
        let seen = subjects.iter().enumerate().map(|(subject, of)| {
            let count = of.triggers.len();
            (0..count).map(|trigger| see(subjects, &places, &vectors, subject, trigger)).collect()
        });
        Self { seen: seen.collect(), places, subjects }
    }

    pub fn trigger(&self, seen: &Seen<'_>) -> &'a Trigger {
        &self.subjects[seen.subject].triggers[seen.trigger]
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    pub fn standings(&self) -> Vec<Standing> {
        self.subjects.iter().zip(&self.seen).map(|(subject, seen)| standing(subject, seen)).collect()
    }
}

/// Places in `own` are those among the siblings: see [`whole_place`].
fn see<'a>(
    subjects: &'a [Subject],
    places: &BTreeMap<&'a str, usize>,
    vectors: &[Vec<Vector>],
    subject: usize,
    trigger: usize,
) -> Seen<'a> {
    let siblings: Vec<Vector> =
        vectors[subject].iter().enumerate().filter(|(place, _)| *place != trigger).map(|(_, v)| v.clone()).collect();
    let phrases = |place: usize| if place == subject { siblings.as_slice() } else { vectors[place].as_slice() };
    let candidates: Vec<Candidate<'_>> = subjects
        .iter()
        .enumerate()
        .map(|(place, of)| Candidate { name: of.name.as_str(), phrases: phrases(place) })
        .collect();
    let scores = gate::scores(&vectors[subject][trigger], &candidates);
    let name = subjects[subject].name.as_str();
    let activates = gate::verdict(&scores, Rule::ACTIVATE).activated() == Some(name);
    // The same names, for as long as the subjects live.
    let lasting = |score: &Score<'_>| {
        let (name, _) = places.get_key_value(score.name)?;
        Some(Score { name, candidate: score.candidate, score: score.score, top: score.top })
    };
    let own = scores.iter().find(|score| score.name == name).and_then(lasting);
    let others = scores.iter().filter(|score| score.name != name).filter_map(lasting).collect();
    Seen { subject, trigger, own, others, activates }
}

/// Place in the whole list of a place among the siblings of `left_out`.
pub fn whole_place(sibling: usize, left_out: usize) -> usize {
    sibling + usize::from(sibling >= left_out)
}

fn standing(subject: &Subject, seen: &[Seen<'_>]) -> Standing {
    let rounded = |number: f32| (f64::from(number) * 1e4).round() / 1e4;
    let own = median(seen.iter().filter_map(|seen| seen.own.map(|own| own.score)));
    let alone = own.is_none();
    Standing {
        capability: subject.name.clone(),
        triggers: subject.triggers.len(),
        activate: seen.iter().filter(|seen| seen.activates).count(),
        median_score: own.map(rounded),
        nearest: nearest(seen).map(str::to_owned),
        median_lead: if alone { None } else { median(seen.iter().map(Seen::lead)).map(rounded) },
    }
}

/// The other capability with the highest sum of scores.
pub fn nearest<'a>(seen: &[Seen<'a>]) -> Option<&'a str> {
    let names = seen.first()?.others.iter().map(|score| score.name);
    let sum = |name: &str| seen.iter().map(|seen| seen.score_of(name)).sum::<f32>();
    names.map(|name| (name, sum(name))).max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(a.0))).map(|(name, _)| name)
}

pub fn median(numbers: impl IntoIterator<Item = f32>) -> Option<f32> {
    let mut sorted: Vec<f32> = numbers.into_iter().collect();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// A score that would activate if nothing else came near.
pub fn reaches(score: f32) -> bool {
    score >= AUTO_ACTIVATE_THRESHOLD
}

/// A lead that would activate.
pub fn clears(lead: f32) -> bool {
    lead >= AUTO_ACTIVATE_MARGIN
}
