//! The folder of all sessions, as a front end asks for it and is told of it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Days that a deleted session is kept before it is gone for good.
pub const TRASH_DAYS: u64 = 7;

/// What a front end asks of the folder of all sessions; answered by [`super::Body::Shelf`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShelfCommand {
    /// Every session, the latest first, in pieces.
    List,
    /// The last messages of one.
    Preview {
        name: String,
    },
    /// Gives it another title; its name stays.
    Rename {
        name: String,
        title: String,
    },
    /// A new session with all that this one holds up to now.
    Fork {
        name: String,
    },
    /// Into the trash, from which it can be put back for [`TRASH_DAYS`].
    Delete {
        name: String,
    },
    Restore {
        name: String,
    },
}

/// What came of it. Nothing of it is kept in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShelfAnswer {
    /// Rows from this place on; `total` sessions there are. The list is over when all have come.
    Listed {
        from: usize,
        total: usize,
        rows: Arc<Vec<SessionRow>>,
    },
    Previewed {
        name: String,
        said: Said,
    },
    Renamed {
        name: String,
        title: String,
    },
    Forked {
        name: String,
        fork: Box<SessionRow>,
    },
    Deleted {
        name: String,
    },
    Restored {
        row: Box<SessionRow>,
    },
    /// Nothing was done; one sentence.
    Refused {
        name: String,
        why: String,
    },
}

/// Messages and who said them, oldest first.
pub type Said = Arc<Vec<(Speaker, String)>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Person,
    Agent,
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionRow {
    pub name: String,
    /// Given by the person, else the first line of the first message.
    pub title: String,
    pub role: String,
    pub model: String,
    pub workdir: String,
    /// Of the last event; 0 when none can be read.
    pub updated: Timestamp,
    pub turns: u32,
    /// Dollars; `None` when no price is known or the journal is too large to be read through.
    pub cost: Option<f64>,
    pub bytes: u64,
    /// Who has it open.
    pub open_by: Option<String>,
    /// The session that it works for.
    #[serde(default)]
    pub parent: Option<String>,
}
