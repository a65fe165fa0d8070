use std::ops::Range;

use crate::proto::Order;

/// Where text can be selected; a selection never leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    Transcript,
    Surface,
    Scores,
    Plan,
    Notes,
    /// The topmost overlay.
    Over,
}

/// A cell of a text, moving with the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Spot {
    /// The entry in the transcript; the first possible one elsewhere.
    pub order: Order,
    /// Line of the entry, the gap above it counted, or of the list.
    pub line: u32,
    pub column: u16,
}

/// Text selected with the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    pub ground: Ground,
    /// Where the button went down.
    pub from: Spot,
    pub to: Spot,
}

impl Selection {
    /// Nothing but the cell where the button went down.
    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// First and last cell, both in.
    pub fn ends(&self) -> (Spot, Spot) {
        (self.from.min(self.to), self.from.max(self.to))
    }

    /// The selected columns of a line.
    pub fn columns(&self, ground: Ground, order: Order, line: u32) -> Option<Range<u16>> {
        let (first, last) = self.ends();
        let here = (order, line);
        if self.is_empty()
            || ground != self.ground
            || here < (first.order, first.line)
            || here > (last.order, last.line)
        {
            return None;
        }
        let start = if here == (first.order, first.line) { first.column } else { 0 };
        let end = if here == (last.order, last.line) { last.column.saturating_add(1) } else { u16::MAX };
        Some(start..end)
    }
}
