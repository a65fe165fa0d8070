//! Going back to an earlier prompt: what is asked for, what is recorded, and how it is folded.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Body, Content, Entry, Event, Level, Origin, PlanView, SkillView, Snapshot, Timestamp, TurnId, counted};

/// Characters of a prompt that are kept for the list.
const PROMPT: usize = 400;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindCommand {
    /// What it would change; answered by [`RewindEvent::Previewed`], and nothing is done.
    Preview { to: RewindTo },
    /// Answered by [`RewindEvent::Rewound`], or by a notice that says why not.
    Go { to: RewindTo, what: RewindWhat, by_hand: ByHand },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindTo {
    /// Before the prompt that began this turn.
    Turn(TurnId),
    /// Where the session stood before it was rewound last.
    Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindWhat {
    Conversation,
    Files,
    Both,
}

impl RewindWhat {
    pub fn conversation(self) -> bool {
        matches!(self, Self::Conversation | Self::Both)
    }

    pub fn files(self) -> bool {
        matches!(self, Self::Files | Self::Both)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::Files => "files",
            Self::Both => "conversation and files",
        }
    }
}

/// Files that somebody else changed after the session's last write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ByHand {
    Leave,
    Restore,
}

/// A file, link or folder as it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Name of its content among the checkpoints; of a link the place it leads to, of a folder nothing.
    pub blob: String,
    /// As `stat` gives it: kind and permissions.
    pub mode: u32,
}

/// What became of one path; `None` = it was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Below the session's folder.
    pub path: String,
    pub before: Option<FileState>,
    pub after: Option<FileState>,
}

/// A file that stayed as it is though its turn went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLeft {
    pub path: String,
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RewindEvent {
    /// What the tool calls of a turn changed in the session's folder.
    FilesChanged {
        turn: TurnId,
        changes: Vec<FileChange>,
    },
    Rewound(Box<Rewound>),
    Previewed(Arc<RewindPreview>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewound {
    pub to: RewindTo,
    pub what: RewindWhat,
    /// That left the conversation, or came back to it.
    pub messages: u32,
    /// From what was there to what is there now.
    pub files: Vec<FileChange>,
    pub left: Vec<FileLeft>,
}

impl Rewound {
    pub fn headline(&self) -> (Level, String) {
        let back = match self.to {
            RewindTo::Turn(turn) => format!("back to before turn {}", turn.0),
            RewindTo::Before => "the rewind is undone".to_owned(),
        };
        let mut parts = vec![back];
        if self.what.conversation() {
            let out = if self.to == RewindTo::Before { "back" } else { "dropped" };
            parts.push(format!("{} {out}", counted(self.messages, "message")));
        }
        if self.what.files() {
            parts.push(format!("{} restored", counted(self.files_shown().count(), "file")));
        }
        if !self.left.is_empty() {
            parts.push(format!("{} left alone", counted(self.left.len(), "file")));
        }
        (if self.left.is_empty() { Level::Info } else { Level::Warning }, parts.join(" · "))
    }

    /// Without folders, which nobody thinks of as changed.
    pub fn files_shown(&self) -> impl Iterator<Item = &FileChange> {
        self.files.iter().filter(|change| !change.is_folder())
    }
}

/// Kind bits of a mode, and what they are for a folder and for a link.
const KIND: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;

impl FileState {
    pub fn is_folder(&self) -> bool {
        self.mode & KIND == FOLDER
    }

    pub fn is_link(&self) -> bool {
        self.mode & KIND == LINK
    }
}

impl FileChange {
    pub fn is_folder(&self) -> bool {
        [&self.before, &self.after].into_iter().flatten().all(FileState::is_folder)
    }
}

/// What a rewind would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RewindPreview {
    pub to: RewindTo,
    pub messages: u32,
    pub files: Vec<FilePreview>,
    /// Files that are not kept, and why.
    pub uncovered: Vec<String>,
    /// Why nothing can be done, when nothing can.
    pub refused: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePreview {
    pub path: String,
    pub fate: FileFate,
    pub added: u32,
    pub removed: u32,
    /// Unified, from what is there to what would be; empty for what is no text.
    pub diff: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileFate {
    Changed,
    /// It comes back.
    Created,
    Deleted,
    /// Left alone unless asked for: somebody else changed it.
    ByHand {
        why: String,
    },
    /// It cannot be restored.
    Stays {
        why: String,
    },
}

/// What can be gone back to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RewindView {
    /// Turns of the conversation as it is, oldest first.
    pub points: Vec<RewindPoint>,
    /// What the session changed and did not take back, oldest first.
    pub changes: Vec<TurnChange>,
    pub before: Option<Box<Before>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RewindPoint {
    pub turn: TurnId,
    pub at: Timestamp,
    /// Beginning of the prompt; empty when no person wrote one.
    pub prompt: String,
    plan: Arc<PlanView>,
    skills: Vec<SkillView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnChange {
    pub turn: TurnId,
    pub change: FileChange,
}

/// Where the session stood before it was rewound last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Before {
    pub at: Timestamp,
    /// Everything from here on was set aside.
    pub turn: TurnId,
    pub what: RewindWhat,
    pub messages: u32,
    /// As the last rewind left them.
    pub files: Vec<FileChange>,
    changes: Vec<TurnChange>,
    points: Vec<RewindPoint>,
    entries: Vec<Arc<Entry>>,
    plan: Arc<PlanView>,
    skills: Vec<SkillView>,
}

impl Before {
    /// The prompt that went first, whole as far as it is shown.
    pub fn prompt(&self) -> Option<&str> {
        self.entries.iter().find_map(|entry| match &entry.kind {
            super::EntryKind::User { text, origin: Origin::Person, .. } => Some(text.as_str()),
            _ => None,
        })
    }
}

impl RewindView {
    /// Prompts of the person, the newest first.
    pub fn prompts(&self) -> impl DoubleEndedIterator<Item = &RewindPoint> {
        self.points.iter().rev().filter(|point| !point.prompt.is_empty())
    }

    /// What a rewind to before this turn has to take back: oldest first.
    pub fn changes_from(&self, turn: TurnId) -> impl Iterator<Item = &FileChange> {
        self.changes.iter().filter(move |one| one.turn >= turn).map(|one| &one.change)
    }
}

impl Snapshot {
    /// Keeps what a rewind needs of every other event.
    pub(super) fn remember_for_rewind(&mut self, event: &Event) {
        match &event.body {
            Body::TurnStarted { turn } => {
                let plan = Arc::clone(&self.supervisor.plan);
                let skills = self.skills.clone();
                let point = RewindPoint { turn: *turn, at: event.at, prompt: String::new(), plan, skills };
                Arc::make_mut(&mut self.rewind).points.push(point);
            }
            Body::UserMessage { content, origin: Origin::Person, .. } => {
                let turn = self.turn;
                let unnamed = |point: &RewindPoint| point.turn == turn && point.prompt.is_empty();
                if self.rewind.points.last().is_some_and(unnamed)
                    && let Some(point) = Arc::make_mut(&mut self.rewind).points.last_mut()
                {
                    point.prompt = beginning(content);
                }
            }
            _ => {}
        }
    }

    pub(super) fn apply_rewind(&mut self, event: &Event, what: &RewindEvent) {
        match what {
            RewindEvent::FilesChanged { turn, changes } => {
                let changes = changes.iter().map(|change| TurnChange { turn: *turn, change: change.clone() });
                Arc::make_mut(&mut self.rewind).changes.extend(changes);
            }
            RewindEvent::Rewound(rewound) => {
                self.rewound(event.at, rewound);
                self.put(event, super::EntryKind::Rewound(rewound.clone()));
                let (level, text) = rewound.headline();
                self.note(event, level, "rewind".to_owned(), text);
            }
            RewindEvent::Previewed(_) => {}
        }
    }

    /// Sets aside what comes after the point, or changes it for what was set aside.
    fn rewound(&mut self, at: Timestamp, rewound: &Rewound) {
        let mut view = std::mem::take(Arc::make_mut(&mut self.rewind));
        let restored: BTreeSet<&str> = rewound.files.iter().map(|change| change.path.as_str()).collect();
        let mut before = match (rewound.to, view.before.take()) {
            (RewindTo::Before, Some(before)) => before,
            (RewindTo::Before, None) => {
                *Arc::make_mut(&mut self.rewind) = view;
                return;
            }
            (RewindTo::Turn(turn), _) => Box::new(self.aside(at, turn, rewound, &view)),
        };
        let turn = before.turn;
        if rewound.what.conversation() {
            let entries = self.transcript.split_from(turn.0);
            self.transcript.extend(std::mem::replace(&mut before.entries, entries));
            let points = view.points.split_off(view.points.partition_point(|point| point.turn < turn));
            view.points.extend(std::mem::replace(&mut before.points, points));
            std::mem::swap(&mut self.supervisor.plan, &mut before.plan);
            std::mem::swap(&mut self.skills, &mut before.skills);
        }
        let ours = |one: &TurnChange| one.turn >= turn && restored.contains(one.change.path.as_str());
        let (out, stay): (Vec<_>, Vec<_>) = view.changes.into_iter().partition(ours);
        let (back, keep): (Vec<_>, Vec<_>) = std::mem::take(&mut before.changes).into_iter().partition(ours);
        view.changes = stay.into_iter().chain(back).collect();
        view.changes.sort_by_key(|one| one.turn);
        before.changes = keep.into_iter().chain(out).collect();
        (before.at, before.files, before.messages) = (at, rewound.files.clone(), rewound.messages);
        view.before = Some(before);
        *Arc::make_mut(&mut self.rewind) = view;
    }

    /// What stands in for the time before the turn.
    fn aside(&self, at: Timestamp, turn: TurnId, rewound: &Rewound, view: &RewindView) -> Before {
        let point = view.points.iter().find(|point| point.turn >= turn);
        Before {
            at,
            turn,
            what: rewound.what,
            messages: rewound.messages,
            files: Vec::new(),
            changes: Vec::new(),
            points: Vec::new(),
            entries: Vec::new(),
            plan: point.map_or_else(|| Arc::clone(&self.supervisor.plan), |point| Arc::clone(&point.plan)),
            skills: point.map_or_else(|| self.skills.clone(), |point| point.skills.clone()),
        }
    }
}

/// As much of a message as a list has room for.
fn beginning(content: &Content) -> String {
    let text = match content {
        Content::Text(text) => text.as_str(),
        Content::Blob { preview, .. } => preview.as_str(),
        Content::Media { .. } => "an attachment",
        Content::Parts(parts) => return parts.first().map(beginning).unwrap_or_default(),
    };
    text.trim().chars().take(PROMPT).collect()
}
