use std::sync::Arc;

use super::{Layer, State, Table, Tabled};
use crate::proto::{Before, ByHand, RewindPoint, RewindPreview, RewindTo};

/// What is known of the row that is marked, and what was chosen beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewinding {
    /// What the session was asked about last.
    pub asked: Option<RewindTo>,
    /// Its answer to that.
    pub preview: Option<Arc<RewindPreview>>,
    pub by_hand: ByHand,
}

impl Default for Rewinding {
    fn default() -> Self {
        Self { asked: None, preview: None, by_hand: ByHand::Leave }
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RewindRow<'a> {
    /// The state before the last rewind.
    Before(&'a Before),
    Prompt(&'a RewindPoint),
}

impl RewindRow<'_> {
    pub fn to(&self) -> RewindTo {
        match self {
            Self::Before(_) => RewindTo::Before,
            Self::Prompt(point) => RewindTo::Turn(point.turn),
        }
    }
}

impl State {
    /// What can be gone back to, the latest first.
    pub fn rewind_rows(&self) -> Vec<RewindRow<'_>> {
        let view = &self.snapshot.rewind;
        let before = view.before.iter().map(|before| RewindRow::Before(before));
        before.chain(view.prompts().map(RewindRow::Prompt)).collect()
    }

    /// Where the marked row leads.
    pub fn rewind_marked(&self) -> Option<RewindTo> {
        let Some(Layer::Table(Table { of: Tabled::Rewind, selected, .. })) = self.layers.last() else { return None };
        let rows = self.rewind_rows();
        rows.get((*selected).min(rows.len().saturating_sub(1))).map(RewindRow::to)
    }

    /// The answer about the marked row, if it came.
    pub fn rewind_preview(&self) -> Option<&RewindPreview> {
        let marked = self.rewind_marked()?;
        self.rewinding.preview.as_deref().filter(|preview| preview.to == marked)
    }
}
