//! What the figures must reach.

use std::str::FromStr;

use super::report::Rates;

/// Limits for [`Rates`]: the first group must be reached, the second must not be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Floors {
    pub top1: Option<f64>,
    pub right: Option<f64>,
    pub precision: Option<f64>,
    /// Silence where several are needed.
    pub two: Option<f64>,
    pub wrong: Option<f64>,
    pub null: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFloors {
    #[error("`{0}` is not written as name=number, as in top1=0.95,right=0.9,wrong=0.02,null=0.03")]
    Form(String),
    #[error("there is no floor `{0}`; the names are top1, right, precision, two, wrong and null")]
    Name(String),
    #[error("the floor `{0}` has to be a number from 0 to 1")]
    Number(String),
    #[error("the floor `{0}` is given twice")]
    Twice(String),
}

impl FromStr for Floors {
    type Err = BadFloors;

    fn from_str(text: &str) -> Result<Self, BadFloors> {
        let mut floors = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (name, number) = part.split_once('=').ok_or_else(|| BadFloors::Form(part.to_owned()))?;
            let name = name.trim();
            let slot = match name {
                "top1" | "top-1" => &mut floors.top1,
                "right" => &mut floors.right,
                "precision" => &mut floors.precision,
                "two" => &mut floors.two,
                "wrong" => &mut floors.wrong,
                "null" => &mut floors.null,
                _ => return Err(BadFloors::Name(name.to_owned())),
            };
            let number: f64 = number.trim().parse().map_err(|_| BadFloors::Number(name.to_owned()))?;
            if !(0.0..=1.0).contains(&number) {
                return Err(BadFloors::Number(name.to_owned()));
            }
            if slot.replace(number).is_some() {
                return Err(BadFloors::Twice(name.to_owned()));
            }
        }
        if floors == Self::default() { Err(BadFloors::Form(text.to_owned())) } else { Ok(floors) }
    }
}

/// A limit that does not hold.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Missed {
    pub floor: &'static str,
    pub limit: f64,
    /// `None` when the file has no row to measure it on.
    pub measured: Option<f64>,
}

/// Rates are quotients of counts: this only takes up the error of the division.
const SLACK: f64 = 1e-9;

impl Floors {
    /// Every limit that does not hold. One that cannot be measured does not hold.
    pub fn missed(&self, rates: &Rates) -> Vec<Missed> {
        let least = [
            ("top1", self.top1, rates.top1),
            ("right", self.right, rates.right),
            ("precision", self.precision, rates.precision),
            ("two", self.two, rates.two_silent),
        ];
        let most = [("wrong", self.wrong, rates.wrong), ("null", self.null, rates.null_false)];
        let low = least.into_iter().map(|row| (row, is_below as fn(f64, f64) -> bool));
        let high = most.into_iter().map(|row| (row, is_above as fn(f64, f64) -> bool));
        low.chain(high)
            .filter_map(|((floor, limit, measured), fails)| {
                let limit = limit?;
                measured.is_none_or(|measured| fails(measured, limit)).then_some(Missed { floor, limit, measured })
            })
            .collect()
    }
}

fn is_below(measured: f64, limit: f64) -> bool {
    measured < limit - SLACK
}

fn is_above(measured: f64, limit: f64) -> bool {
    measured > limit + SLACK
}

#[cfg(test)]
mod tests;
