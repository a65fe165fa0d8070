//! What a session needs of other layers, as traits small enough to be played in tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::Handle;
use super::encoder::Sentences;
use super::rules::Limits;
use super::starting::{Offers, Refused, Telling};
use super::surface::Wares;
use super::trust_desk::TrustDesk;
use crate::config::schema::ModelProfile;
use crate::config::{Loaded, Mask};
use crate::mcp::{CallResult, Progress, ServerSpec, ToolDefinition};
use crate::model::Model;
use crate::proto::{ApprovalMode, Body, Decision, Fault, FixedCapability, Level, Timestamp};

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

    /// Looks again at tools that lie on disk, and at lists that changed; to be done before a request is built.
    async fn refresh(&self);

    /// Starts one more server, for a capability: its tools come after those of the role and leave them
    /// their names. Returns at once.
    fn add(&self, server: ServerSpec);

    /// Takes a server that was added out at once; calls that run on it are let finish.
    fn retire(&self, server: &str);

    /// What capabilities ask of a server: beside what the role shows of it, or all that is shown of one
    /// that was added. Empty = all; `None` = nothing is asked for.
    fn show(&self, server: &str, tools: Option<Vec<String>>);

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
    /// The role of this name, or that a plain start gets. Looks at the configuration only. The error
    /// is one sentence for the person.
    fn resolve(&self, name: Option<&str>) -> Result<Resolution, String>;

    /// The role of the configuration that is worked in when the one asked for cannot be had.
    fn usual(&self) -> Result<Role, String>;

    /// Whether [`Self::prepare`] would find something by this name; may fetch a tap and take a while.
    async fn check(&self, name: &str) -> Result<(), Refused>;

    /// Makes an agent of a tap ready to be worked in; may ask, run scripts and take minutes.
    async fn prepare(&self, name: &str, telling: &Telling) -> Result<Role, Refused>;

    fn names(&self) -> Vec<String>;

    /// The texts with their placeholders filled in; may ask git and take a moment.
    async fn fill(&self, role: &str, texts: Vec<String>) -> Vec<String>;
}

/// What a name comes to at first sight.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    Ready(Box<Role>),
    /// No role of the configuration; it may be an agent, which has to be prepared. Until then the
    /// session works with this.
    ToPrepare(Box<Role>),
}

impl Resolution {
    pub fn into_role(self) -> Role {
        match self {
            Self::Ready(role) | Self::ToPrepare(role) => *role,
        }
    }
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
    /// Tools of the session's own server `runtime` that the role may use, as a filter (empty = all); `None`
    /// = none.
    pub runtime: Option<Vec<String>>,
    /// The same of `orchestration`.
    pub orchestration: Option<Vec<String>>,
    /// That it names itself and that could be had.
    pub capabilities: Vec<FixedCapability>,
    /// What could not be had as configured, or is worth knowing; one sentence each.
    pub notices: Vec<(Level, String)>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// What watches the session, as it is configured.
#[derive(Clone)]
pub struct Supervision {
    /// The values that the switches begin with.
    pub config: crate::config::schema::Supervisor,
    /// `[supervisor.model]` over `[model]`.
    pub profile: ModelProfile,
    /// Where the values come from; `None` when nowhere.
    pub loaded: Option<Arc<Loaded>>,
    /// Where they may be written to.
    pub config_file: PathBuf,
}

/// Which calls are asked about, as it is configured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    pub mode: ApprovalMode,
    /// A file and line, the command line, or built in.
    pub origin: String,
}

/// Starts sessions that work for another one; each returns at once.
pub trait Children: Send + Sync + std::fmt::Debug {
    fn start(&self, assignment: Assignment) -> Handle;
}

/// A session that is to work for another one.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The tag of the agent.
    pub role: String,
    pub workdir: PathBuf,
    /// A new session of a name that is free, or one that goes on.
    pub pick: Pick,
    /// The model that the other one uses, for who has none of its own.
    pub model: Option<String>,
    /// What it may spend.
    pub limits: Limits,
    pub descent: Descent,
}

/// For whom a session works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descent {
    /// The name of that session.
    pub parent: String,
    /// 1 for who works for a session that nobody handed anything.
    pub depth: u32,
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
    /// The folder of all checkpoints; `None` when files are not kept.
    pub checkpoints: Option<PathBuf>,
    /// Who decides about what the project would run; `None` when nothing of it is ever run.
    pub trust: Option<Arc<TrustDesk>>,
    /// What taps and folders offer; `None` when nothing of it is used.
    pub offers: Option<Arc<Offers>>,
    /// What sentences are compared with; `None` when nothing is.
    pub encoder: Option<Arc<Sentences>>,
    /// Skills whose rules hold are activated.
    pub skill_rules: Switch,
    /// What capabilities come to here; `None` when the surface is what the role makes it.
    pub wares: Option<Arc<Wares>>,
    /// A capability that a message asks for is activated.
    pub auto_capabilities: Switch,
    pub supervision: Supervision,
    /// Why the sandbox that was asked for is not there: nothing is done before a person says to go on.
    pub unheld: Option<String>,
    pub approval: Approval,
    /// Starts sessions that work for this one; `None` when nothing can be handed on.
    pub children: Option<Arc<dyn Children>>,
    /// For whom this session works; `None` when a person or a program began it.
    pub descent: Option<Descent>,
}
