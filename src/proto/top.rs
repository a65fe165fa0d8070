//! The best triggers of a capability: they lie in its score, so that hundreds of scores are one piece of memory.
//! Written and read as a list.

use serde::{Deserialize, Deserializer, Serializer};
use smallvec::SmallVec;

use super::TriggerScore;

/// As many as are averaged (seeds: runtime, Auto-activation).
pub type Top = SmallVec<[TriggerScore; 3]>;

pub fn serialize<S: Serializer>(top: &Top, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(top)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Top, D::Error> {
    Vec::<TriggerScore>::deserialize(deserializer).map(Top::from_vec)
}
