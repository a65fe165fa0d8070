use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    AskKind, CallId, Content, Decision, Fault, Order, Origin, Rewound, ShellView, SkillView, StepView, Timestamp,
    ToolOutcome,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Info,
    Warning,
    Error,
}

/// One cell of the transcript. `version` grows with every change, so a view may cache a rendering
/// by (order, width, version).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub order: Order,
    pub version: u32,
    pub at: Timestamp,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    User {
        text: String,
        origin: Origin,
        attachments: Vec<String>,
    },
    /// Markdown. `streaming` until the message is complete.
    Assistant {
        text: String,
        streaming: bool,
        interrupted: bool,
        scripted: bool,
    },
    Thinking {
        text: String,
        streaming: bool,
        elapsed_ms: u64,
    },
    Tool {
        call: CallId,
        server: String,
        tool: String,
        arguments: serde_json::Value,
        state: ToolState,
    },
    Decision(Decision),
    Notice {
        level: Level,
        source: String,
        text: String,
        hint: Option<String>,
    },
    Fault(Fault),
    /// From a tag to a session; one line a step.
    StartUp {
        steps: Vec<StepView>,
    },
    Skill {
        skill: SkillView,
        forgotten: bool,
    },
    /// A slash command and what it answered.
    Command {
        line: String,
        output: String,
    },
    /// A command that the person ran.
    Shell(ShellView),
    Asked {
        kind: AskKind,
        answered: Option<bool>,
    },
    Rewound(Box<Rewound>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    Running {
        since: Timestamp,
        note: Option<String>,
        fraction: Option<f32>,
    },
    Finished {
        outcome: ToolOutcome,
        elapsed_ms: u64,
        content: Content,
        full_bytes: u64,
        spill: Option<String>,
        /// The model goes on with less than what stands here.
        #[serde(default)]
        narrowed: Option<Narrowing>,
    },
}

/// Tokens of a result before and after it was narrowed, estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Narrowing {
    pub before: u64,
    pub after: u64,
}

impl ToolState {
    /// The process went away while the call ran.
    pub(super) fn lost() -> Self {
        Self::Finished {
            outcome: ToolOutcome::Lost,
            elapsed_ms: 0,
            content: Content::default(),
            full_bytes: 0,
            spill: None,
            narrowed: None,
        }
    }
}

/// Entries in [`Order`]. Shared cheaply: a copy of the transcript copies pointers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Transcript {
    entries: Vec<Arc<Entry>>,
}

impl Transcript {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    pub fn get(&self, order: Order) -> Option<&Entry> {
        self.position(order).ok().map(|at| &*self.entries[at])
    }

    /// Index of the entry, or where it would stand.
    pub fn position(&self, order: Order) -> Result<usize, usize> {
        // Appending is by far the most common case.
        match self.entries.last() {
            Some(last) if last.order < order => Err(self.entries.len()),
            None => Err(0),
            _ => self.entries.binary_search_by_key(&order, |entry| entry.order),
        }
    }

    /// Replaces the entry's kind, or inserts it; the version grows either way.
    pub(super) fn put(&mut self, order: Order, at: Timestamp, kind: EntryKind) {
        match self.position(order) {
            Ok(index) => {
                let entry = Arc::make_mut(&mut self.entries[index]);
                entry.version += 1;
                entry.kind = kind;
            }
            Err(index) => self.entries.insert(index, Arc::new(Entry { order, version: 0, at, kind })),
        }
    }

    /// Changes the entry in place if it is there.
    pub(super) fn edit(&mut self, order: Order, change: impl FnOnce(&mut EntryKind)) {
        if let Ok(index) = self.position(order) {
            let entry = Arc::make_mut(&mut self.entries[index]);
            entry.version += 1;
            change(&mut entry.kind);
        }
    }

    /// Takes out what stands in this turn and later ones.
    pub(super) fn split_from(&mut self, turn: u32) -> Vec<Arc<Entry>> {
        let at = self.entries.partition_point(|entry| entry.order.turn < turn);
        self.entries.split_off(at)
    }

    /// Puts back what was taken out; it stands after all that is there.
    pub(super) fn extend(&mut self, entries: Vec<Arc<Entry>>) {
        self.entries.extend(entries);
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
    }

    /// The entry of a running tool call. Looks from the end: running calls are recent.
    pub(super) fn find_call(&self, call: &CallId) -> Option<Order> {
        self.entries
            .iter()
            .rev()
            .find(|entry| matches!(&entry.kind, EntryKind::Tool { call: id, .. } if id == call))
            .map(|entry| entry.order)
    }
}
