//! The pure state of the user interface: what is focused, scrolled, typed and open.
//!
//! Owns: values only. Changed in `update`, read in `view`. Never holds the session's own facts;
//! those are in the snapshot.

use std::collections::BTreeSet;

use crate::proto::{Order, Snapshot, Timestamp};

/// A place of the screen that can have focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    Transcript,
    Surface,
    Notes,
    Composer,
}

#[derive(Debug)]
pub struct State {
    /// Our own copy, kept by applying events.
    pub snapshot: Snapshot,
    pub focus: Pane,
    /// The focused pane fills the screen.
    pub zoom: bool,
    pub transcript: TranscriptState,
    pub surface: ListState,
    pub notes: ListState,
    /// Columns and rows.
    pub size: (u16, u16),
    /// The time of the message being handled; nothing else reads a clock.
    pub now: Timestamp,
}

/// Where a list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListState {
    pub selected: usize,
    pub offset: usize,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TranscriptState {
    pub scroll: Scroll,
    /// Asked for since the last frame; resolved against the layout before drawing.
    pub pending: Vec<ScrollBy>,
    /// Entries whose fold differs from the default for their kind.
    pub toggled: BTreeSet<Order>,
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
