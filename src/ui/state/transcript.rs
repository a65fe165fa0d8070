use std::collections::BTreeSet;

use super::State;
use crate::proto::Order;
use crate::ui::transcript::cell::{Fold, FoldKind, fold_of};

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TranscriptState {
    pub scroll: Scroll,
    /// Asked for since the last frame; resolved against the layout before drawing.
    pub pending: Vec<ScrollBy>,
    /// Entries whose fold differs from the default for their kind.
    pub toggled: BTreeSet<Order>,
    /// Everything that can fold stands open unless toggled.
    pub unfold_all: bool,
    /// Kinds of which each stands open unless toggled.
    pub open_kinds: BTreeSet<FoldKind>,
    /// The entry under the cursor, when the pane has focus.
    pub selected: Option<Order>,
    pub search: Option<Search>,
}

/// The part of the transcript that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scroll {
    /// The end, following as it grows.
    #[default]
    Follow,
    /// This line of this entry is the first row of the pane.
    At { order: Order, line: u32 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScrollBy {
    Lines(i32),
    /// Half pages are halves of the pane's height.
    HalfPages(i32),
    Pages(i32),
    Top,
    Bottom,
    /// To the next or previous own prompt.
    Prompt(i32),
    /// To the next or previous search match.
    Match(i32),
    /// Bring the entry into view.
    To(Order),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    pub query: String,
    /// Still being typed.
    pub editing: bool,
}

impl State {
    /// Whether opening the marked entry would show more of it.
    pub fn marked_is_folded(&self) -> bool {
        let Some(order) = self.transcript.selected else { return false };
        let entries = self.snapshot.transcript.entries();
        let Ok(at) = entries.binary_search_by_key(&order, |entry| entry.order) else { return false };
        let fold = fold_of(&entries[at].kind, self.transcript.unfold_all, &self.transcript.open_kinds);
        let toggled = self.transcript.toggled.contains(&order);
        (if toggled { fold.other() } else { fold }) == Fold::Folded
    }
}
