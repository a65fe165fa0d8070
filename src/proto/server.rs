use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerKind {
    Builtin,
    Stdio,
    Http,
    /// Scripts under `.agents/tools/`.
    Local,
}

/// Where an MCP server stands. Times are [`super::Timestamp`]s so that a reader can count on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    Starting {
        since: u64,
        attempt: u32,
    },
    Ready {
        since: u64,
    },
    /// Went down and will be tried again at `retry_at`; 0 = a person is being asked, and it goes on
    /// with the answer.
    Waiting {
        reason: String,
        retry_at: u64,
        attempt: u32,
    },
    /// Given up; `advice` says what to do.
    Failed {
        reason: String,
        advice: String,
    },
    /// The server wants a login that we cannot do by ourselves.
    NeedsSignIn {
        reason: String,
    },
    Disabled {
        by: String,
    },
    Stopped,
}

impl ServerState {
    /// A person is being asked about it.
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Waiting { retry_at: 0, .. })
    }
}

/// Why a tool is kept off the surface though its server offers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quarantine {
    pub reason: String,
    pub advice: String,
}

/// One tool as the surface shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// The server's own name, sanitised for display.
    pub name: String,
    /// The name the model sees: `[A-Za-z0-9_-]{1,64}`.
    pub wire_name: String,
    /// First line of the description, sanitised.
    pub summary: String,
    /// Estimated prompt tokens of the whole definition.
    pub tokens: u32,
    /// Repairs made to the definition (schema, name), each one sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// Left out by a filter of the role or the server configuration, which is named here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filtered_by: Option<String>,
}

impl ToolInfo {
    /// Whether the model is shown this tool.
    pub fn exposed(&self) -> bool {
        self.quarantine.is_none() && self.filtered_by.is_none()
    }
}
