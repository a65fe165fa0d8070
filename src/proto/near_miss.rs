//! Capabilities that fit a message better than every one that could come.

use std::cmp::Ordering;

use super::{Ineligible, Routing, Stage};

impl Routing {
    /// Those that stopped before the gate though they would have passed its threshold before every one that
    /// was compared, best first, ties by name.
    pub fn near_misses(&self) -> Vec<&Ineligible> {
        let best = self.scores.first().map_or(0.0, |best| best.score);
        let better = |one: &&Ineligible| one.score.is_some_and(|score| score >= self.threshold && score > best);
        let mut found: Vec<&Ineligible> = self.ineligible.iter().filter(better).collect();
        found.sort_by(|left, right| by_score(left, right).then_with(|| left.capability.cmp(&right.capability)));
        found
    }

    /// The best of them, in words: `database-postgres would fit best, but needs POSTGRES_URL, which is not
    /// set`.
    pub fn near_miss(&self) -> Option<(&Ineligible, String)> {
        let first = *self.near_misses().first()?;
        Some((first, first.fits_best()))
    }
}

impl Ineligible {
    fn fits_best(&self) -> String {
        let (name, sentence) = (&self.capability, self.stage.sentence());
        match self.stage {
            Stage::Active => format!("{name} fits best and {sentence}"),
            _ => format!("{name} would fit best, but {sentence}"),
        }
    }
}

/// The higher score first; what has none last.
pub(crate) fn by_score(left: &Ineligible, right: &Ineligible) -> Ordering {
    let score = |one: &Ineligible| one.score.unwrap_or(f32::NEG_INFINITY);
    score(right).total_cmp(&score(left))
}
