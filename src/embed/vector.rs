//! A sentence as a point on the unit sphere.

use std::fmt;
use std::sync::Arc;

use super::raw::{self, MappedFile};

/// A unit-length vector of f32. Cheap to clone: the numbers are shared, or lie in a mapped file.
#[derive(Clone)]
pub struct Vector(Store);

#[derive(Clone)]
enum Store {
    Own(Arc<[f32]>),
    Mapped { file: Arc<MappedFile>, offset: usize, dimensions: usize },
}

/// Why numbers are no vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAVector {
    #[error("the vector has a number in it that is not finite")]
    NotFinite,
    #[error("the vector has no direction: every number in it is zero")]
    Zero,
}

/// How far the length of a stored vector may be from 1.
const LENGTH_TOLERANCE: f32 = 1e-3;

impl Vector {
    /// Brings `numbers` to length 1.
    pub fn new(mut numbers: Vec<f32>) -> Result<Self, NotAVector> {
        let length = raw::dot(&numbers, &numbers).sqrt();
        if !length.is_finite() {
            return Err(NotAVector::NotFinite);
        }
        if length <= f32::EPSILON {
            return Err(NotAVector::Zero);
        }
        for number in &mut numbers {
            *number /= length;
        }
        Ok(Self(Store::Own(numbers.into())))
    }

    /// Numbers that were a vector's; `None` when they are not of unit length.
    pub(super) fn stored(numbers: Vec<f32>) -> Option<Self> {
        is_unit(&numbers).then(|| Self(Store::Own(numbers.into())))
    }

    /// A vector inside a mapped file; `None` when it does not lie inside, or is not of unit length.
    pub(super) fn mapped(file: &Arc<MappedFile>, offset: usize, dimensions: usize) -> Option<Self> {
        let numbers = file.floats(offset, dimensions)?;
        is_unit(numbers).then(|| Self(Store::Mapped { file: Arc::clone(file), offset, dimensions }))
    }

    pub fn as_slice(&self) -> &[f32] {
        match &self.0 {
            Store::Own(numbers) => numbers,
            Store::Mapped { file, offset, dimensions } => file.floats(*offset, *dimensions).unwrap_or_default(),
        }
    }

    pub fn dimensions(&self) -> usize {
        match &self.0 {
            Store::Own(numbers) => numbers.len(),
            Store::Mapped { dimensions, .. } => *dimensions,
        }
    }
}

fn is_unit(numbers: &[f32]) -> bool {
    (raw::dot(numbers, numbers) - 1.0).abs() <= LENGTH_TOLERANCE
}

impl fmt::Debug for Vector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.as_slice()[..self.dimensions().min(3)];
        write!(formatter, "Vector({} numbers: {first:?}…)", self.dimensions())
    }
}

impl PartialEq for Vector {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

/// Cosine of two vectors, −1 to 1; 0 when they come from different models.
pub fn similarity(left: &Vector, right: &Vector) -> f32 {
    cosine(left.as_slice(), right.as_slice())
}

/// The same, of slices of unit length.
pub(super) fn cosine(left: &[f32], right: &[f32]) -> f32 {
    if left.len() == right.len() { raw::dot(left, right).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests;
