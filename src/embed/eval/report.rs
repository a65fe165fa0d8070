//! The figures.

use std::collections::BTreeMap;

use serde::Serialize;

use super::curve::{self, Point};
use super::judge::{Judged, Outcome};
use super::rounded;
use super::rows::Expected;
use crate::embed::gate::{AUTO_ACTIVATE_TOP_K, Rule};

/// Rates are 0 to 1 and absent where there is no row to measure them on; scores are cosines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub rule: RuleShown,
    pub counts: Counts,
    pub rates: Rates,
    /// Lead of the expected one over the best other, below zero where another leads.
    pub margins: Option<Spread>,
    /// Score of the expected one.
    pub gold_scores: Option<Spread>,
    /// Best score where nothing should fire.
    pub null_scores: Option<Spread>,
    /// By name.
    pub kinds: Vec<Kind>,
    /// The ones that fired first, then by how often.
    pub confusions: Vec<Confusion>,
    pub thresholds: Vec<Point>,
    pub margin_curve: Vec<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RuleShown {
    pub threshold: f64,
    pub margin: f64,
    /// Triggers whose mean is a score.
    pub top: usize,
}

/// Rows by what came of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    pub rows: usize,
    /// Rows with a label, and what came of them.
    pub labelled: usize,
    pub top1: usize,
    pub right: usize,
    pub wrong: usize,
    pub missed: usize,
    /// Rows that nothing should fire on.
    pub null: usize,
    pub null_false: usize,
    /// Rows that need several at once.
    pub two: usize,
    pub two_silent: usize,
    /// One of those that are needed fired.
    pub two_needed: usize,
    /// Rows of any sort that are too short for the runtime to look at.
    pub too_short: usize,
}

/// Quotients of [`Counts`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Rates {
    pub top1: Option<f64>,
    pub right: Option<f64>,
    pub wrong: Option<f64>,
    pub null_false: Option<f64>,
    pub two_silent: Option<f64>,
    /// Right among all that fired.
    pub precision: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    pub p10: f64,
    pub median: f64,
    pub p90: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kind {
    pub kind: String,
    pub counts: Counts,
    pub rates: Rates,
}

/// What was expected, and what scored best instead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Confusion {
    /// `None`: nothing should have fired.
    pub expected: Option<String>,
    pub taken: String,
    /// Rows where it scored best; for rows without a label, where it fired.
    pub rows: usize,
    /// Of them, where it fired.
    pub fired: usize,
    pub example: Example,
}

/// The row of a confusion that is furthest off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    pub line: usize,
    pub intent: String,
    /// Absent where nothing should have fired.
    pub expected_score: Option<f64>,
    pub taken_score: f64,
}

impl Counts {
    pub fn of(judged: &[Judged<'_>], rule: Rule) -> Self {
        let mut counts = Self::default();
        for row in judged {
            counts.add(row, rule);
        }
        counts
    }

    fn add(&mut self, judged: &Judged<'_>, rule: Rule) {
        self.rows += 1;
        self.too_short += usize::from(judged.too_short);
        let outcome = judged.outcome_at(rule);
        match judged.row.expected() {
            Expected::One(_) => {
                self.labelled += 1;
                self.top1 += usize::from(judged.is_top());
                self.right += usize::from(outcome == Outcome::Right);
                self.wrong += usize::from(outcome == Outcome::Wrong);
                self.missed += usize::from(outcome == Outcome::Missed);
            }
            Expected::Nothing => {
                self.null += 1;
                self.null_false += usize::from(outcome == Outcome::FalseActivation);
            }
            Expected::Several => {
                self.two += 1;
                self.two_silent += usize::from(outcome == Outcome::Silent);
                let needed = |name: &str| judged.row.needs.iter().any(|need| need == name);
                self.two_needed += usize::from(judged.taken(rule).is_some_and(needed));
            }
        }
    }

    pub fn rates(&self) -> Rates {
        let two_fired = self.two - self.two_silent;
        Rates {
            top1: quotient(self.top1, self.labelled),
            right: quotient(self.right, self.labelled),
            wrong: quotient(self.wrong, self.labelled),
            null_false: quotient(self.null_false, self.null),
            two_silent: quotient(self.two_silent, self.two),
            precision: quotient(self.right, self.right + self.wrong + self.null_false + two_fired),
        }
    }
}

fn quotient(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| rounded(part as f64 / whole as f64))
}

impl Spread {
    /// Nearest rank; `None` of no numbers.
    pub fn of(numbers: impl IntoIterator<Item = f32>) -> Option<Self> {
        let mut sorted: Vec<f32> = numbers.into_iter().collect();
        sorted.sort_by(f32::total_cmp);
        let rank = |share: f64| {
            let place = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(place.saturating_sub(1)).map(|number| rounded(f64::from(*number)))
        };
        Some(Self { p10: rank(0.1)?, median: rank(0.5)?, p90: rank(0.9)? })
    }
}

impl Report {
    pub fn new(judged: &[Judged<'_>], rule: Rule) -> Self {
        let counts = Counts::of(judged, rule);
        let without_label = judged.iter().filter(|row| row.row.expected() == Expected::Nothing);
        Self {
            rule: RuleShown {
                threshold: rounded(f64::from(rule.threshold)),
                margin: rounded(f64::from(rule.margin)),
                top: AUTO_ACTIVATE_TOP_K,
            },
            counts,
            rates: counts.rates(),
            margins: Spread::of(judged.iter().filter_map(Judged::lead)),
            gold_scores: Spread::of(judged.iter().filter_map(|row| row.gold)),
            null_scores: Spread::of(without_label.filter_map(|row| row.best().map(|best| best.score))),
            kinds: kinds(judged, rule),
            confusions: confusions(judged, rule),
            thresholds: curve::thresholds(judged, rule),
            margin_curve: curve::margins(judged, rule),
        }
    }
}

fn kinds(judged: &[Judged<'_>], rule: Rule) -> Vec<Kind> {
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for row in judged {
        counts.entry(&row.row.kind).or_default().add(row, rule);
    }
    counts.into_iter().map(|(kind, counts)| Kind { kind: kind.to_owned(), counts, rates: counts.rates() }).collect()
}

/// A row, and whether something fired on it.
type Fired<'j, 'c> = (&'j Judged<'c>, bool);

/// Sorted so that the gravest come first.
fn confusions(judged: &[Judged<'_>], rule: Rule) -> Vec<Confusion> {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<Fired<'_, '_>>> = BTreeMap::new();
    for row in judged {
        let Some(best) = row.best() else { continue };
        let fired = row.taken(rule).is_some();
        let expected = row.row.label.as_deref();
        if (expected.is_some() && !row.is_top()) || (expected.is_none() && fired) {
            groups.entry((expected, best.name)).or_default().push((row, fired));
        }
    }
    let mut confusions: Vec<Confusion> =
        groups.into_iter().filter_map(|((expected, taken), rows)| confusion(expected, taken, &rows)).collect();
    confusions.sort_by(|a, b| b.fired.cmp(&a.fired).then(b.rows.cmp(&a.rows)).then(b.off().total_cmp(&a.off())));
    confusions
}

fn confusion(expected: Option<&str>, taken: &str, rows: &[Fired<'_, '_>]) -> Option<Confusion> {
    let off = |row: &Judged<'_>| row.best().map_or(0.0, |best| best.score) - row.gold.unwrap_or(0.0);
    let furthest = |a: &&Fired<'_, '_>, b: &&Fired<'_, '_>| a.1.cmp(&b.1).then(off(a.0).total_cmp(&off(b.0)));
    let (worst, _) = rows.iter().max_by(furthest)?;
    Some(Confusion {
        expected: expected.map(str::to_owned),
        taken: taken.to_owned(),
        rows: rows.len(),
        fired: rows.iter().filter(|(_, fired)| *fired).count(),
        example: Example {
            line: worst.row.line,
            intent: worst.row.intent.clone(),
            expected_score: worst.gold.map(|score| rounded(f64::from(score))),
            taken_score: rounded(f64::from(worst.best()?.score)),
        },
    })
}

impl Confusion {
    fn off(&self) -> f64 {
        self.example.taken_score - self.example.expected_score.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests;
