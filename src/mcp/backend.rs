use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{CallResult, Progress};

/// A tool as its owner describes it, before names are mapped and schemas mended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawTool {
    pub name: String,
    pub description: String,
    /// Whatever was given as input schema; mended or quarantined later.
    pub schema: Value,
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
}

/// What a backend offers now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    pub tools: Vec<RawTool>,
    /// What could not be offered: its name and why, in one sentence.
    pub rejected: Vec<(String, String)>,
}

/// Why there are no tools. One plain sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlisted {
    /// A person is being asked about them.
    Waits(String),
    Failed(String),
}

impl Unlisted {
    pub fn reason(&self) -> &str {
        match self {
            Self::Waits(reason) | Self::Failed(reason) => reason,
        }
    }
}

impl From<String> for Unlisted {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

/// Tools that run in this process instead of behind an MCP connection (scripts of the project).
#[async_trait]
pub trait Backend: Debug + Send + Sync {
    /// The tools there are now, cheap enough to ask before every request.
    async fn list(&self) -> Result<Listing, Unlisted>;

    /// Runs one tool. Arguments were checked against the schema. Must return soon after `cancel`
    /// fires and must leave no process behind.
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult;
}

/// Makes the backend of a [`super::Transport::Local`] folder.
pub type OpenLocal = Arc<dyn Fn(&std::path::Path) -> Arc<dyn Backend> + Send + Sync>;
