//! One row through the gate.

use std::borrow::Cow;

use super::rows::{Expected, Row};
use crate::embed::gate::{self, Candidate, Rule, Score, Verdict};
use crate::embed::vector::Vector;
use crate::text::strip_blocks;

/// What came of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The one that is expected was activated.
    Right,
    /// Another one was.
    Wrong,
    /// None was, though one is expected.
    Missed,
    /// None was, as it should be.
    Silent,
    /// One was, and none should have been.
    FalseActivation,
}

/// A row with what the gate made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged<'a> {
    pub row: &'a Row,
    /// Says too little to be compared at all.
    pub too_short: bool,
    /// The best two.
    pub leaders: Vec<Score<'a>>,
    /// Score of the expected one.
    pub gold: Option<f32>,
    /// The best that is not expected: who a margin is held against.
    pub rival: Option<(&'a str, f32)>,
    pub outcome: Outcome,
}

/// What of a row is compared: as at run time, without what was pasted in.
pub fn message_of(row: &Row) -> Cow<'_, str> {
    strip_blocks(&row.intent)
}

/// Decides the row as the runtime would. `message` is the vector of [`message_of`] it.
pub fn judge<'a>(row: &'a Row, message: &Vector, candidates: &[Candidate<'a>], rule: Rule) -> Judged<'a> {
    let scores = gate::scores(message, candidates);
    let expected = row.label.as_deref();
    let gold = scores.iter().find(|score| Some(score.name) == expected).map(|score| score.score);
    let rival = scores.iter().find(|score| Some(score.name) != expected).map(|score| (score.name, score.score));
    let leaders = scores.into_iter().take(2).collect();
    let mut judged =
        Judged { row, too_short: !gate::says_enough(&message_of(row)), leaders, gold, rival, outcome: Outcome::Silent };
    judged.outcome = judged.outcome_at(rule);
    judged
}

impl<'a> Judged<'a> {
    pub fn best(&self) -> Option<&Score<'a>> {
        self.leaders.first()
    }

    /// Who is activated under `rule`.
    pub fn taken(&self, rule: Rule) -> Option<&'a str> {
        match gate::verdict(&self.leaders, rule) {
            Verdict::Activate { name, .. } if !self.too_short => Some(name),
            _ => None,
        }
    }

    pub fn outcome_at(&self, rule: Rule) -> Outcome {
        match (self.row.expected(), self.taken(rule)) {
            (Expected::One(label), Some(name)) if name == label => Outcome::Right,
            (Expected::One(_), Some(_)) => Outcome::Wrong,
            (Expected::One(_), None) => Outcome::Missed,
            (Expected::Several | Expected::Nothing, None) => Outcome::Silent,
            (Expected::Several | Expected::Nothing, Some(_)) => Outcome::FalseActivation,
        }
    }

    /// The expected one ranks first, whatever the gate says.
    pub fn is_top(&self) -> bool {
        self.best().is_some_and(|best| Some(best.name) == self.row.label.as_deref())
    }

    /// Of the expected one over the best other; below zero when another leads.
    pub fn lead(&self) -> Option<f32> {
        Some(self.gold? - self.rival.map_or(0.0, |(_, score)| score))
    }
}

#[cfg(test)]
mod tests;
