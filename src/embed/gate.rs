//! The rule that decides from cosines. Pure; the same numbers give the same verdict.

use std::ops::Deref;

use super::vector::{Vector, cosine};

/// Lowest mean of the best trigger cosines that activates (seeds: runtime, Auto-activation).
pub const AUTO_ACTIVATE_THRESHOLD: f32 = 0.65;
/// Lead over the runner-up that activates (seeds: runtime, Auto-activation).
pub const AUTO_ACTIVATE_MARGIN: f32 = 0.06;
/// Triggers averaged for each capability (seeds: runtime, Auto-activation).
pub const AUTO_ACTIVATE_TOP_K: usize = 3;
/// Shorter messages are never compared; characters that are not white space (decisions: Tool surface).
pub const MIN_INTENT_NON_WS_CHARS: usize = 8;
/// Threshold for `tap run`; the margin is the activation's (decisions: Delegation).
pub const SPECIALIST_THRESHOLD: f32 = 0.45;

/// When the best of several is good enough. Both comparisons are `>=` on f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    pub threshold: f32,
    pub margin: f32,
}

impl Rule {
    /// For capabilities, and for `semantic()` where the skill's author says nothing else.
    pub const ACTIVATE: Self = Self { threshold: AUTO_ACTIVATE_THRESHOLD, margin: AUTO_ACTIVATE_MARGIN };
    /// For the agent that a task is handed to.
    pub const SPECIALIST: Self = Self { threshold: SPECIALIST_THRESHOLD, margin: AUTO_ACTIVATE_MARGIN };
}

/// Whether a message says enough to be compared.
pub fn says_enough(message: &str) -> bool {
    message.chars().filter(|character| !character.is_whitespace()).nth(MIN_INTENT_NON_WS_CHARS - 1).is_some()
}

/// A capability, agent or whatever else is compared, by what describes it.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub name: &'a str,
    pub phrases: &'a [Vector],
}

/// One phrase and how near it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Match {
    /// Place in the candidate's phrases.
    pub trigger: usize,
    pub cosine: f32,
}

/// The best phrases, best first; equal ones in their order.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Top {
    matches: [Match; AUTO_ACTIVATE_TOP_K],
    count: usize,
}

impl Top {
    fn of(message: &[f32], phrases: &[Vector]) -> Self {
        let mut top = Self::default();
        for (trigger, phrase) in phrases.iter().enumerate() {
            top.take(Match { trigger, cosine: cosine(message, phrase.as_slice()) });
        }
        top
    }

    fn take(&mut self, found: Match) {
        let place = self.iter().position(|held| found.cosine > held.cosine).unwrap_or(self.count);
        if place < AUTO_ACTIVATE_TOP_K {
            self.count = (self.count + 1).min(AUTO_ACTIVATE_TOP_K);
            self.matches[place..self.count].rotate_right(1);
            self.matches[place] = found;
        }
    }

    /// Mean of those there are; 0 of none.
    fn mean(&self) -> f32 {
        if self.is_empty() { 0.0 } else { self.iter().map(|found| found.cosine).sum::<f32>() / self.count as f32 }
    }
}

impl Deref for Top {
    type Target = [Match];

    fn deref(&self) -> &[Match] {
        &self.matches[..self.count]
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score<'a> {
    pub name: &'a str,
    /// Place among the candidates.
    pub candidate: usize,
    /// Mean of `top`.
    pub score: f32,
    pub top: Top,
}

/// Every candidate that has a phrase, best first, ties by name.
pub fn scores<'a>(message: &Vector, candidates: &[Candidate<'a>]) -> Vec<Score<'a>> {
    let message = message.as_slice();
    let mut scores = Vec::with_capacity(candidates.len());
    for (place, candidate) in candidates.iter().enumerate().filter(|(_, one)| !one.phrases.is_empty()) {
        let top = Top::of(message, candidate.phrases);
        scores.push(Score { name: candidate.name, candidate: place, score: top.mean(), top });
    }
    // Numbers are moved about, and not all that each rests on.
    let mut order: Vec<(f32, usize)> = scores.iter().map(|score| score.score).zip(0..).collect();
    order.sort_unstable_by(|(left, one), (right, other)| {
        right.total_cmp(left).then_with(|| scores[*one].name.cmp(scores[*other].name))
    });
    order.into_iter().map(|(_, at)| scores[at]).collect()
}

/// The score that a candidate with these phrases would have; nothing without a phrase.
pub fn nearness(message: &Vector, phrases: &[Vector]) -> Option<f32> {
    (!phrases.is_empty()).then(|| Top::of(message.as_slice(), phrases).mean())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abstained {
    /// Nothing had a phrase to compare.
    NothingEligible,
    BelowThreshold,
    /// Good enough, but the runner-up is nearly as good.
    NarrowMargin,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<'a> {
    Activate { name: &'a str, standing: Standing<'a> },
    Abstain { reason: Abstained, standing: Standing<'a> },
}

/// What a verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing<'a> {
    pub rule: Rule,
    pub best: Option<(&'a str, f32)>,
    pub runner_up: Option<(&'a str, f32)>,
    /// Of the best over the runner-up, or over 0 when it stands alone.
    pub margin: f32,
}

/// `scores` as [`scores`] gives them: best first.
pub fn verdict<'a>(scores: &[Score<'a>], rule: Rule) -> Verdict<'a> {
    let place = |index: usize| scores.get(index).map(|score| (score.name, score.score));
    let (best, runner_up) = (place(0), place(1));
    let margin = best.map_or(0.0, |(_, score)| score - runner_up.map_or(0.0, |(_, score)| score));
    let standing = Standing { rule, best, runner_up, margin };
    match best {
        None => Verdict::Abstain { reason: Abstained::NothingEligible, standing },
        Some((_, score)) if score < rule.threshold => Verdict::Abstain { reason: Abstained::BelowThreshold, standing },
        Some(_) if margin < rule.margin => Verdict::Abstain { reason: Abstained::NarrowMargin, standing },
        Some((name, _)) => Verdict::Activate { name, standing },
    }
}

impl<'a> Verdict<'a> {
    pub fn standing(&self) -> &Standing<'a> {
        match self {
            Self::Activate { standing, .. } | Self::Abstain { standing, .. } => standing,
        }
    }

    pub fn activated(&self) -> Option<&'a str> {
        match self {
            Self::Activate { name, .. } => Some(name),
            Self::Abstain { .. } => None,
        }
    }
}
