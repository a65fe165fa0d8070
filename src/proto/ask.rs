use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ApprovalRequest, AskId};

/// A question put to the person. Front ends without a person never see one: the engine decides by
/// policy and says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    pub id: AskId,
    pub kind: AskKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskKind {
    /// Executable content of the project, shown exactly as it would run.
    Trust { folder: String, items: Vec<Runnable>, content_hash: String },
    /// Session spending reached the limit; dollars.
    Spending { spent: String, limit: String },
    /// A stream died after text was shown: send the request again?
    RetryCutStream { shown_chars: u64 },
    /// A value that is stored 0600 and masked everywhere.
    Secret {
        key: String,
        /// What needs it: `capability database-postgres of muvon/tap`.
        wanted_by: String,
        /// The file it will be kept in.
        kept_in: String,
    },
    /// A script of a capability's provider failed; another provider could do the same without it.
    OtherProvider { capability: String, failed: String, reason: String, offered: String, offered_by: String },
    /// The sandbox was asked for and cannot be had. Nothing is opened or started before the answer.
    Unheld { why: String },
    /// A tool call that runs only after a yes.
    Approval(Arc<ApprovalRequest>),
}

/// One thing that would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runnable {
    pub path: String,
    pub content: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Yes,
    No,
    /// Yes, to this and to what is like it in this session.
    Session,
    /// No, to this and to what is like it in this session.
    Never,
    /// Only ever in a command; never stored in an event.
    Text(String),
}

impl Answer {
    pub fn agrees(&self) -> bool {
        match self {
            Self::Yes | Self::Session | Self::Text(_) => true,
            Self::No | Self::Never => false,
        }
    }
}
