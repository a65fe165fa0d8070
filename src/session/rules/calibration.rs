use crate::proto::Decision;

/// Weight of the newest sample.
const ALPHA: f32 = 0.5;

/// Prompts of fewer tokens say too little.
const SAMPLE_MIN: u64 = 2000;

/// An estimate is never bent further than this.
const FACTOR: std::ops::RangeInclusive<f32> = 0.5..=2.0;

/// Brings token estimates nearer to what the provider of one model counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    factor: f32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: 1.0 }
    }
}

impl Calibration {
    pub fn apply(&self, raw: u64) -> u64 {
        (raw as f64 * f64::from(self.factor)).round() as u64
    }

    /// `raw` is the estimate before any factor.
    pub fn learn(&mut self, model: &str, raw: u64, reported: u64) -> Option<Decision> {
        if raw < SAMPLE_MIN || reported < SAMPLE_MIN {
            return None;
        }
        let before = self.factor;
        let sample = (reported as f64 / raw as f64) as f32;
        self.factor = (ALPHA * sample + (1.0 - ALPHA) * before).clamp(*FACTOR.start(), *FACTOR.end());
        let changed = (self.factor - before).abs() >= 0.01;
        changed.then(|| Decision::Calibrated {
            model: model.to_owned(),
            estimated: (raw as f64 * f64::from(before)).round() as u64,
            reported,
            factor_before: before,
            factor_after: self.factor,
        })
    }
}
