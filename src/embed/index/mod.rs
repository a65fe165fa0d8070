//! Vectors of phrases that do not change from message to message: triggers, titles, `semantic()`.
//!
//! Owns: the file they are kept in, finding a phrase's vector. Does not own: making vectors.
//!
//! Invariant: a vector is used only for the very text, model and arithmetic that made it. A file that is
//! torn, damaged, of another model or not ours is named and replaced; what is whole in it is kept.

mod cache;
mod format;

use std::collections::HashMap;

use super::digest::of_text;
use super::vector::Vector;

pub use cache::Cache;
pub use format::{Fault, encode as encode_vectors};

type Key = [u8; 16];

/// Vectors by text. A snapshot: what comes later is in a later one.
#[derive(Debug, Clone, Default)]
pub struct Index {
    vectors: HashMap<Key, Vector>,
    /// How many of the phrases that were asked for are not in it yet.
    pub missing: usize,
    /// Which wish for phrases it answers, by number; 0 = none.
    pub wish: u64,
}

impl Index {
    pub fn get(&self, text: &str) -> Option<&Vector> {
        self.vectors.get(&of_text(text))
    }

    /// Those of `texts` that are there, in their order. A candidate for the gate needs this form.
    pub fn all<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<Vector> {
        texts.into_iter().filter_map(|text| self.get(text).cloned()).collect()
    }

    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Whether every phrase that was asked for is there.
    pub fn is_complete(&self) -> bool {
        self.missing == 0
    }

    pub(super) fn by_key(&self, key: &Key) -> Option<&Vector> {
        self.vectors.get(key)
    }

    pub(super) fn contains(&self, key: &Key) -> bool {
        self.vectors.contains_key(key)
    }

    pub(super) fn insert(&mut self, key: Key, vector: Vector) {
        self.vectors.insert(key, vector);
    }
}

#[cfg(test)]
mod tests;
