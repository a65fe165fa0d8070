//! What a session needs of other layers, as traits small enough to be played in tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::rules::{Limits, Mask};
use super::trust_desk::TrustDesk;
use crate::config::schema::ModelProfile;
use crate::mcp::{CallResult, Progress, ServerSpec, ToolDefinition};
use crate::model::Model;
use crate::proto::{Body, Decision, Fault, Timestamp};

/// Opens and chooses models.
#[async_trait]
pub trait Models: Send + Sync + std::fmt::Debug {
    /// Opens `provider:model`.
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, Fault>;

    /// What `auto` means here and now; an empty name when nothing is usable.
    async fn choose(&self) -> (String, Decision);
}

/// The tool servers of a role. Dropping the value does not stop them; `shutdown` does.
#[async_trait]
pub trait Tools: Send + Sync + std::fmt::Debug {
    /// Every tool that is on the surface, in a stable order.
    fn catalog(&self) -> Arc<Vec<ToolDefinition>>;

    /// Waits until no server is starting any more, at most so long; names those that still are.
    async fn settled(&self, within: Duration) -> Vec<String>;

    async fn call(
        &self,
        tool: &ToolDefinition,
        arguments: Value,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult;

    /// Whether [`Self::refresh`] has anything to look at.
    fn changes_on_disk(&self) -> bool;

    /// Looks again at tools that lie on disk; to be done before a request is built.
    async fn refresh(&self);

    async fn restart(&self, server: &str);

    async fn disable(&self, server: &str);

    async fn shutdown(&self);
}

/// Starts the servers of a role; returns at once. Their states and tools arrive as event bodies.
pub trait StartTools: Send + Sync + std::fmt::Debug {
    fn start(&self, servers: Vec<ServerSpec>, events: UnboundedSender<Body>) -> Arc<dyn Tools>;
}

/// Roles by name.
#[async_trait]
pub trait Roles: Send + Sync + std::fmt::Debug {
    /// The role of this name, or that a plain start gets. The error is one sentence for the person.
    fn resolve(&self, name: Option<&str>) -> Result<Role, String>;

    fn names(&self) -> Vec<String>;

    /// The texts with their placeholders filled in; may ask git and take a moment.
    async fn fill(&self, role: &str, texts: Vec<String>) -> Vec<String>;
}

/// A role, ready to be worked in.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    pub name: String,
    pub system: String,
    /// Empty = no banner.
    pub welcome: String,
    pub profile: ModelProfile,
    pub servers: Vec<ServerSpec>,
    /// What could not be had as configured; one sentence each.
    pub notices: Vec<String>,
}

/// Milliseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Which session to take up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    /// A new one; one of this name that exists already is resumed.
    New {
        name: Option<String>,
    },
    Resume {
        name: String,
    },
    /// The one of this folder that was used last.
    ResumeRecent,
}

/// Whether someone can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    Present,
    /// Policy decides, and says so.
    Absent,
}

/// Everything a session is started with.
#[derive(Clone)]
pub struct Setup {
    pub models: Arc<dyn Models>,
    pub tools: Arc<dyn StartTools>,
    pub roles: Arc<dyn Roles>,
    pub clock: Clock,
    /// A number in 0–1, new each time.
    pub chance: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// The folder of all sessions.
    pub sessions: PathBuf,
    pub workdir: PathBuf,
    pub role: Option<String>,
    pub model: Option<String>,
    pub pick: Pick,
    pub person: Person,
    pub mask: Mask,
    pub limits: Limits,
    /// Tokens of a request; 0 = no limit.
    pub request_limit: u64,
    /// Tokens of a tool result; 0 = no limit.
    pub result_limit: u64,
    /// JSON Schema the replies must follow.
    pub schema: Option<Value>,
    /// Said once at the start: problems of the configuration and the like.
    pub opening: Vec<Body>,
    /// Who decides about what the project would run; `None` when nothing of it is ever run.
    pub trust: Option<Arc<TrustDesk>>,
}
