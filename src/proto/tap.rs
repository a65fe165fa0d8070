//! Work that was handed to other agents: which one was chosen and why, and how each stands.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Event, GateOutcome, Level, Snapshot, Timestamp, TurnId, Usage, clause};

/// Matchings kept in the snapshot; older ones are in the journal.
pub const MATCHINGS: usize = 100;

/// What is told of work that was handed on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TapEvent {
    /// This session does work for another one.
    Of { parent: String },
    /// How the work of a child stands now; the whole of it.
    Child(Arc<Child>),
}

/// A session that does work for this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Child {
    /// Also the name of its session.
    pub id: String,
    /// The tag of the agent.
    pub role: String,
    pub title: String,
    pub workdir: String,
    /// The beginning of the task, one line.
    pub task: String,
    pub state: ChildState,
    /// When this work was begun, and in which turn of this session.
    pub begun: Timestamp,
    pub turn: TurnId,
    /// When it was over; 0 while it runs.
    pub ended: Timestamp,
    /// Turns and requests of the child up to now.
    pub turns: u32,
    pub requests: u32,
    /// All of it, what its own children cost included.
    pub usage: Usage,
    /// What it said or did last, one line.
    pub last: String,
    /// What it handed back, until the agent was told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildState {
    Running,
    /// It answered; what its own verifier made of that, if it has one.
    Done {
        verdict: Option<GateOutcome>,
    },
    Failed {
        why: String,
    },
    Stopped {
        why: String,
    },
    /// The program ended while it worked.
    Lost,
}

/// A task against every agent in reach: the record that the choice of one is explained from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matching {
    pub turn: TurnId,
    /// The role that hands the task on.
    pub caller: String,
    /// First 16 hex digits of the SHA-256 of the task.
    pub task_hash: String,
    /// Its beginning, one line, sanitised and masked, at most 120 columns.
    pub excerpt: String,
    /// Name and backend of what made the vectors; empty when none did.
    pub model: String,
    pub backend: String,
    pub threshold: f32,
    pub needed_margin: f32,
    /// Every agent that was compared, best first, ties by tag.
    pub ranked: Vec<RankedAgent>,
    /// Of the best over the next, or over 0 when it stands alone.
    pub margin: f32,
    /// Agents in reach that could not be compared, and why.
    pub left_out: Vec<(String, String)>,
    pub outcome: Matched,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedAgent {
    pub tag: String,
    pub cosine: f32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matched {
    Agent {
        tag: String,
        /// Its session.
        id: String,
    },
    /// Nobody was started, and why, in one sentence.
    Nobody { why: String },
}

impl ChildState {
    pub fn is_running(&self) -> bool {
        *self == Self::Running
    }

    /// Whether what was handed back was verified where it was done.
    pub fn is_verified(&self) -> bool {
        matches!(self, Self::Done { verdict: Some(GateOutcome::Verified) })
    }

    /// `running`, `done`, `failed`, `stopped`, `lost`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
            Self::Stopped { .. } => "stopped",
            Self::Lost => "lost",
        }
    }

    /// What is to be known beside the word, if anything.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Running => None,
            Self::Done { verdict: Some(verdict) } => Some(verdict.word().to_owned()),
            Self::Done { verdict: None } => Some("not verified".to_owned()),
            Self::Failed { why } | Self::Stopped { why } => Some(clause(why).to_owned()),
            Self::Lost => Some("octomind ended while it worked".to_owned()),
        }
    }
}

impl Matching {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let text = match &self.outcome {
            Matched::Agent { tag, .. } => {
                let cosine = self.ranked.iter().find(|one| one.tag == *tag).map_or(0.0, |one| one.cosine);
                format!("{tag} gets the task: {cosine:.3}, lead {:.3}", self.margin)
            }
            Matched::Nobody { why } => format!("no specialist matches: {}", clause(why)),
        };
        (Level::Info, "tap", text)
    }
}

impl Snapshot {
    pub(super) fn apply_tap(&mut self, what: &TapEvent) {
        match what {
            TapEvent::Of { parent } => self.parent = Some(parent.clone()),
            TapEvent::Child(child) => {
                match self.children.iter_mut().find(|known| known.id == child.id) {
                    Some(known) => *known = Arc::clone(child),
                    None => self.children.push(Arc::clone(child)),
                }
                self.totals.children = Usage::default();
                for child in &self.children {
                    self.totals.children.add(&child.usage);
                }
            }
        }
    }

    pub(super) fn matched(&mut self, event: &Event, matching: &Arc<Matching>) {
        if self.matchings.len() >= MATCHINGS {
            self.matchings.remove(0);
        }
        self.matchings.push((event.at, Arc::clone(matching)));
    }

    /// Nothing runs any more: children that did are lost.
    pub(super) fn lose_children(&mut self) {
        for child in self.children.iter_mut().filter(|child| child.state.is_running()) {
            Arc::make_mut(child).state = ChildState::Lost;
        }
    }

    /// Whether something was handed on that is not back, or that the agent was not told of yet.
    pub fn awaits_children(&self) -> bool {
        self.children.iter().any(|child| child.state.is_running() || child.result.is_some())
    }
}
