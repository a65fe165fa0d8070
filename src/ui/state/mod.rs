//! The pure state of the user interface: what is focused, scrolled, typed and open.
//!
//! Owns: values only. Changed in `update`, read in `view`. Never holds the session's own facts;
//! those are in the snapshot.
//!
//! Invariant: nothing here reads a clock or the world; [`State::now`] is the time of the message
//! being handled.

mod agents;
mod catalogue;
mod contexts;
mod filling;
mod fuzzy;
mod layer;
mod leads;
mod log;
mod marks;
mod menu;
mod pickable;
mod picker;
mod rewind;
mod secrets;
mod selection;
mod shelf;
mod starting;
mod supervisor;
mod surface;
mod themes;
mod time;
mod timers;
mod transcript;
mod what_if;
mod why;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use agents::AgentRow;
pub use catalogue::{Findings, Shelf, ShelfRow, about};
pub use filling::{ContextSide, FillRow, FillWhat, Folder};
pub(in crate::ui) use fuzzy::filtered;
pub use layer::{Layer, Listing, Picker, Reader, Subject, Table, Tabled, Typing};
pub use leads::{Lead, LeadRow, Picture};
pub use log::{LOG_EVERY_MS, LogFloor, LogState};
pub use menu::{Deed, MenuRow};
pub use pickable::PromptRow;
pub use rewind::{RewindRow, Rewinding};
pub use secrets::Secrets;
pub use selection::{Ground, Selection, Spot};
pub use shelf::ShelfState;
pub use supervisor::{Part, SwitchGroup, Wire, short_name, switch_order};
pub use surface::{
    Item, Standing, brought, children_shown, dynamic_order, is_alive, items, not_compared, own_servers, static_servers,
};
pub use themes::{AUTO, ThemeRow, Themes};
pub use time::TimeState;
pub use transcript::{Scroll, ScrollBy, Search, TranscriptState};
pub use what_if::{Answered, WhatIf};
pub use why::{Noun, Reach, WhyRow};

use crate::proto::{AskId, Level, Order, Snapshot, Timestamp, TurnId};
use crate::ui::composer::Composer;
use crate::ui::keys::{Key, Keymap};
use crate::ui::problem::Problem;
use crate::ui::term::probe::Images;
use crate::ui::theme::{Depth, Shade};

/// A place of the screen that can have focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pane {
    Transcript,
    Surface,
    Scores,
    Plan,
    Notes,
    Composer,
}

impl Pane {
    pub const ALL: &'static [Self] =
        &[Self::Transcript, Self::Surface, Self::Scores, Self::Plan, Self::Notes, Self::Composer];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Transcript => "transcript",
            Self::Surface => "surface",
            Self::Scores => "scores",
            Self::Plan => "plan",
            Self::Notes => "notes",
            Self::Composer => "composer",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|pane| pane.name() == name)
    }
}

#[derive(Debug)]
pub struct State {
    /// Our own copy, kept by applying events; of another moment while one looks at the past.
    pub snapshot: Snapshot,
    pub focus: Pane,
    /// The focused pane fills the screen.
    pub zoom: bool,
    pub transcript: TranscriptState,
    /// The entry that shows the last start.
    pub start_up: Option<Order>,
    pub surface: ListState,
    pub scores: ListState,
    /// The marked phase.
    pub plan: ListState,
    pub notes: ListState,
    pub composer: Composer,
    /// Overlays, the topmost last. Only the topmost gets keys.
    pub layers: Vec<Layer>,
    /// Messages that were tried so far: numbers the questions to the session.
    pub tried: u64,
    /// The bodies of the model call that was asked about last, once they came.
    pub wire: Option<Wire>,
    pub time: TimeState,
    pub log: LogState,
    /// What is known of other sessions.
    pub shelf: ShelfState,
    /// Groups of what fills a request that are open.
    pub opened: BTreeSet<Folder>,
    pub rewinding: Rewinding,
    /// The open question that has focus, if one has. Only one for a secret takes focus by itself.
    pub question: Option<Question>,
    /// Which secrets come forward by themselves.
    pub secrets: Secrets,
    /// Text under the mouse button, or copied by it and still marked.
    pub selection: Option<Selection>,
    /// Keys of a sequence that is not complete.
    pub pending: Pending,
    /// Short words for the person, newest last.
    pub toasts: Vec<Toast>,
    pub keymap: Arc<Keymap>,
    pub themes: Themes,
    /// What is kept of the message for the next start.
    pub drafts: super::drafts::Keeping,
    /// What is wrong with the person's keymap and theme files.
    pub problems: Vec<Problem>,
    pub settings: Settings,
    pub terminal: Terminal,
    /// The turn that was told to stop and has not stopped yet.
    pub interrupting: Option<TurnId>,
    /// A turn ended or was told to stop: until then the key that stops does nothing else.
    pub stopped_until: Option<Timestamp>,
    /// Until when a second press leaves.
    pub quit_armed: Option<Timestamp>,
    /// Columns and rows.
    pub size: (u16, u16),
    /// The time of the message being handled; nothing else reads a clock.
    pub now: Timestamp,
}

/// Where a list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListState {
    /// The marked row. May be past the end after the list shrank; `view::prepare` clamps it.
    pub selected: usize,
    pub offset: usize,
}

/// A question in focus.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    pub ask: AskId,
    /// The typed value, for questions that take one. Never shown as it is: it may be a secret.
    pub text: String,
    /// Lines scrolled down in what would run.
    pub offset: usize,
}

impl std::fmt::Debug for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("ask", &self.ask).field("offset", &self.offset).finish_non_exhaustive()
    }
}

/// Keys pressed of a sequence, and since when, so that which-key may wait a little.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pending {
    pub keys: Vec<Key>,
    pub since: Timestamp,
    /// What was typed of a count for the next key.
    pub count: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toast {
    pub level: Level,
    pub text: String,
    pub until: Timestamp,
    /// The question it announces: where that is in sight, the toast is not.
    pub about: Option<AskId>,
}

/// What can be switched while running; begins as `[ui]` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub mouse: bool,
    /// Spinners move.
    pub motion: bool,
    pub notifications: bool,
    /// Share of the width that the transcript takes.
    pub transcript_ratio: f64,
}

/// What is known of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// It has the focus of its window system. True until it says otherwise.
    pub focused: bool,
    pub depth: Depth,
    /// `None` until it answered.
    pub shade: Option<Shade>,
    /// It tells shift-enter from enter.
    pub enhanced_keys: bool,
    /// It makes links.
    pub links: bool,
    pub images: Images,
}

impl State {
    pub fn new(snapshot: Snapshot, keymap: Arc<Keymap>, settings: Settings, depth: Depth) -> Self {
        let mut state = Self {
            snapshot,
            focus: Pane::Composer,
            zoom: false,
            transcript: TranscriptState::default(),
            start_up: None,
            surface: ListState::default(),
            scores: ListState::default(),
            plan: ListState::default(),
            notes: ListState::default(),
            composer: Composer::default(),
            layers: Vec::new(),
            tried: 0,
            wire: None,
            time: TimeState::default(),
            log: LogState::default(),
            shelf: ShelfState::default(),
            opened: BTreeSet::new(),
            rewinding: Rewinding::default(),
            question: None,
            secrets: Secrets::default(),
            selection: None,
            pending: Pending::default(),
            toasts: Vec::new(),
            keymap,
            themes: Themes::default(),
            drafts: super::drafts::Keeping::default(),
            problems: Vec::new(),
            settings,
            terminal: Terminal {
                focused: true,
                depth,
                shade: None,
                enhanced_keys: false,
                links: false,
                images: Images::Never,
            },
            interrupting: None,
            stopped_until: None,
            quit_armed: None,
            size: (80, 24),
            now: 0,
        };
        state.find_start();
        state.know_agents();
        state.know_switches();
        state
    }

    /// Shows words for a few seconds; the same words are not shown twice.
    pub fn toast(&mut self, level: Level, text: impl Into<String>) {
        self.push_toast(level, text.into(), None);
    }

    /// Words that announce a question, for where it is not in sight.
    pub fn announce(&mut self, ask: AskId, text: String) {
        self.push_toast(Level::Warning, text, Some(ask));
    }

    fn push_toast(&mut self, level: Level, text: String, about: Option<AskId>) {
        self.toasts.retain(|toast| toast.text != text);
        self.toasts.push(Toast { level, text, until: self.now + TOAST_MS, about });
        let excess = self.toasts.len().saturating_sub(MAX_TOASTS);
        self.toasts.drain(..excess);
    }
}

/// How long after a turn's end the key that stops one does nothing else, milliseconds.
pub const STOPPED_MS: u64 = 1_000;

/// How long a toast stands, milliseconds.
pub const TOAST_MS: u64 = 5_000;

/// Toasts shown at a time.
const MAX_TOASTS: usize = 4;
