//! The switches of the supervisor, and what was done with them.

use serde::{Deserialize, Serialize};

/// One switch as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchView {
    /// The dotted key of the configuration, as in `supervisor.gate.enabled`.
    pub key: String,
    pub on: bool,
    /// What it does, one line.
    pub doc: String,
    /// Where the value comes from: `config.toml:188`, `command line`, `this session`, `built in`.
    pub origin: String,
    /// What the file says, when this session says otherwise.
    pub saved: Option<bool>,
    pub state: SwitchState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SwitchState {
    Live,
    /// Becomes this at the next safe point.
    Pending {
        on: bool,
    },
    /// Shown and not to be changed here; why.
    ReadOnly {
        why: String,
    },
    /// The mechanic is not in this version.
    NotBuilt,
    /// It is on, and another switch keeps it from working; which.
    Idle {
        why: String,
    },
}

/// A switch was flipped, saved, or it was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switched {
    pub key: String,
    pub from: bool,
    pub to: bool,
    /// `you`, `command line`.
    pub by: String,
    pub what: SwitchedHow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SwitchedHow {
    /// In force from here on.
    Flipped,
    /// Written to this file.
    Saved {
        file: String,
    },
    Refused {
        why: String,
    },
}
