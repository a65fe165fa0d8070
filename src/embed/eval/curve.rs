//! What other thresholds would have given. For information: the rule is fixed.

use serde::Serialize;

use super::judge::Judged;
use super::report::{Counts, Rates};
use super::rounded;
use crate::embed::gate::Rule;

/// The figures at one rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Point {
    pub threshold: f64,
    pub margin: f64,
    /// The rule in force.
    pub fixed: bool,
    pub rates: Rates,
}

/// Distances from the fixed threshold, then from the fixed margin with the threshold as it is.
const THRESHOLDS: [f32; 9] = [-0.20, -0.15, -0.10, -0.05, 0.0, 0.05, 0.10, 0.15, 0.20];
const MARGINS: [f32; 5] = [-0.06, -0.03, 0.0, 0.03, 0.06];

/// Thresholds with the fixed margin, in rising order.
pub fn thresholds(judged: &[Judged<'_>], fixed: Rule) -> Vec<Point> {
    let at = |step: f32| Rule { threshold: fixed.threshold + step, ..fixed };
    THRESHOLDS.iter().map(|step| point(judged, at(*step), *step == 0.0)).collect()
}

/// Margins with the fixed threshold, in rising order.
pub fn margins(judged: &[Judged<'_>], fixed: Rule) -> Vec<Point> {
    let at = |step: f32| Rule { margin: (fixed.margin + step).max(0.0), ..fixed };
    MARGINS.iter().map(|step| point(judged, at(*step), *step == 0.0)).collect()
}

fn point(judged: &[Judged<'_>], rule: Rule, fixed: bool) -> Point {
    Point {
        threshold: rounded(f64::from(rule.threshold)),
        margin: rounded(f64::from(rule.margin)),
        fixed,
        rates: Counts::of(judged, rule).rates(),
    }
}
