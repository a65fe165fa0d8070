//! What a request was made of, and how that is kept.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Purpose, RequestId, Snapshot};

/// What a request was made of; recorded beside its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filling {
    pub request: RequestId,
    pub purpose: Purpose,
    /// Tokens the model takes; `None` when nobody told us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Calibrated estimates, none of them zero. Their sum is the estimate of the whole request.
    pub parts: Vec<(Filled, u64)>,
}

/// What fills a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filled {
    System,
    /// The definition of a tool: its server and its own name.
    Tool(String, String),
    Skill(String),
    /// What the person said, files included.
    Own,
    Answers,
    Thinking,
    /// Calls as the model wrote them.
    Calls,
    /// What calls of a tool gave, by the name on the wire.
    Results(String),
    /// What the runtime said, by the kind of its message: `instructions`, `steer`, `gate`, `recite`.
    Said(String),
}

/// The groups that parts are told in, in the order they stand in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FilledGroup {
    System,
    Tools,
    Skills,
    /// Lessons of earlier sessions.
    Memory,
    Own,
    Answers,
    Thinking,
    Calls,
    Results,
    Notes,
}

impl FilledGroup {
    pub const ALL: [Self; 10] = [
        Self::System,
        Self::Tools,
        Self::Skills,
        Self::Memory,
        Self::Own,
        Self::Answers,
        Self::Thinking,
        Self::Calls,
        Self::Results,
        Self::Notes,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::System => "system prompt",
            Self::Tools => "tools",
            Self::Skills => "skills",
            Self::Memory => "memory pack",
            Self::Own => "own messages",
            Self::Answers => "answers",
            Self::Thinking => "thinking",
            Self::Calls => "tool calls",
            Self::Results => "tool results",
            Self::Notes => "notes to the agent",
        }
    }
}

/// The kind of a message of the runtime that brings lessons of earlier sessions.
const MEMORY: &str = "memory";

impl Filled {
    pub fn group(&self) -> FilledGroup {
        match self {
            Self::System => FilledGroup::System,
            Self::Tool(..) => FilledGroup::Tools,
            Self::Skill(_) => FilledGroup::Skills,
            Self::Own => FilledGroup::Own,
            Self::Answers => FilledGroup::Answers,
            Self::Thinking => FilledGroup::Thinking,
            Self::Calls => FilledGroup::Calls,
            Self::Results(_) => FilledGroup::Results,
            Self::Said(kind) if kind == MEMORY => FilledGroup::Memory,
            Self::Said(_) => FilledGroup::Notes,
        }
    }
}

impl Filling {
    /// The whole request.
    pub fn tokens(&self) -> u64 {
        self.parts.iter().map(|(_, tokens)| tokens).sum()
    }

    pub fn of_group(&self, group: FilledGroup) -> u64 {
        self.parts.iter().filter(|(what, _)| what.group() == group).map(|(_, tokens)| tokens).sum()
    }
}

impl Snapshot {
    /// The newest of a purpose, if a request went out for it.
    pub fn filling(&self, purpose: Purpose) -> Option<&Arc<Filling>> {
        self.fillings.iter().find(|filling| filling.purpose == purpose)
    }

    pub(super) fn filled(&mut self, filling: &Arc<Filling>) {
        self.fillings.retain(|known| known.purpose != filling.purpose);
        self.fillings.push(Arc::clone(filling));
    }
}
