//! What stands in the panes: rows from the snapshot, nothing drawn yet.

pub mod notes;
pub mod plan;
pub mod scores;
pub mod surface;
pub mod transcript;
pub mod welcome;
