//! The typed configuration. Field docs give unit and range; defaults live in the embedded template
//! and a test holds the code defaults here equal to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::proto::Effort;

mod ends;
mod supervisor;

pub use ends::{Ability, Prices, Protocol, Provider, Ui};
pub use supervisor::{
    Attention, Compression, Condense, Evaluate, Evolution, Governance, Hindsight, Learning, Skills, Supervisor, Switch,
};

/// Everything `config.toml` can say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    pub version: u32,
    pub log_level: LogLevel,
    /// Tag or role that a plain `run` starts.
    pub default: String,
    pub sandbox: bool,
    /// Tokens a tool result may have before it is cut to head and tail; 0 = no limit.
    pub mcp_response_tokens_threshold: u64,
    /// Tokens, at most 2,000,000; 0 = the model's window.
    pub max_session_tokens_threshold: u64,
    pub cache_keepalive_enabled: bool,
    /// Seconds, at most 86,400.
    pub cache_keepalive_max_idle_seconds: u64,
    pub enable_markdown_rendering: bool,
    /// Dollars; 0 = off.
    pub max_session_spending_threshold: f64,
    /// Dollars; 0 = off.
    pub max_request_spending_threshold: f64,
    pub auto_capabilities: bool,
    pub model: ModelProfile,
    #[serde(default)]
    pub roles: Vec<Role>,
    #[serde(default)]
    pub mcp: Mcp,
    #[serde(default)]
    pub agents: Vec<Agent>,
    #[serde(default)]
    pub commands: Vec<Layer>,
    #[serde(default)]
    pub layers: Vec<Layer>,
    #[serde(default)]
    pub prompts: Vec<Prompt>,
    #[serde(default)]
    pub hooks: Vec<Hook>,
    pub skills: Skills,
    pub compression: Compression,
    pub supervisor: Supervisor,
    /// Capability name → provider file.
    #[serde(default)]
    pub capabilities: BTreeMap<String, String>,
    /// Tag → model.
    #[serde(default)]
    pub taps: BTreeMap<String, String>,
    #[serde(default)]
    pub registry: Registry,
    #[serde(default)]
    pub decision: DecisionSwitches,
    #[serde(default)]
    pub encoder: Encoder,
    #[serde(default)]
    pub ui: Ui,
    #[serde(default)]
    pub providers: BTreeMap<String, Provider>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    None,
    #[default]
    Info,
    Debug,
}

/// A complete model profile: what `[model]` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelProfile {
    /// `provider:model`, or `auto`.
    pub name: String,
    pub reasoning_effort: Effort,
    /// Tokens of a reply, at least 1.
    pub max_tokens: u32,
    /// 0–2.
    pub temperature: f64,
    /// 0–1.
    pub top_p: f64,
    /// 0–1000; 0 = off.
    pub top_k: u32,
    /// Further tries after the first, 0–1000.
    pub max_retries: u32,
    /// Seconds that the wait between two tries grows to; it begins with one and doubles.
    pub retry_timeout: u64,
    /// Seconds without a byte before a request counts as stalled; 0 = no limit.
    pub request_timeout_seconds: u64,
}

/// Any subset of a profile; what is not set is inherited from `[model]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelOverride {
    pub name: Option<String>,
    pub reasoning_effort: Option<Effort>,
    pub max_tokens: Option<u32>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u32>,
    pub max_retries: Option<u32>,
    pub retry_timeout: Option<u64>,
    pub request_timeout_seconds: Option<u64>,
}

impl ModelOverride {
    /// The profile with the set fields replaced.
    pub fn over(&self, base: &ModelProfile) -> ModelProfile {
        ModelProfile {
            name: self.name.clone().unwrap_or_else(|| base.name.clone()),
            reasoning_effort: self.reasoning_effort.unwrap_or(base.reasoning_effort),
            max_tokens: self.max_tokens.unwrap_or(base.max_tokens),
            temperature: self.temperature.unwrap_or(base.temperature),
            top_p: self.top_p.unwrap_or(base.top_p),
            top_k: self.top_k.unwrap_or(base.top_k),
            max_retries: self.max_retries.unwrap_or(base.max_retries),
            retry_timeout: self.retry_timeout.unwrap_or(base.retry_timeout),
            request_timeout_seconds: self.request_timeout_seconds.unwrap_or(base.request_timeout_seconds),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Role {
    pub name: String,
    pub system: String,
    /// "" = no banner.
    pub welcome: String,
    #[serde(default)]
    pub model: ModelOverride,
    #[serde(default)]
    pub mcp: RoleMcp,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RoleMcp {
    pub server_refs: Vec<String>,
    /// `server:*`, `server:prefix_*`, `server:tool`, `tool`, `prefix_*`; empty = all of the refs.
    pub allowed_tools: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Mcp {
    #[serde(default)]
    pub allowed_tools: Vec<String>,
    #[serde(default)]
    pub servers: Vec<Server>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Server {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ServerType,
    /// Seconds without progress, 1–3600; the absolute cap of a call is 20 times this.
    #[serde(default = "server_timeout")]
    pub timeout_seconds: u64,
    /// Empty = all; `prefix_*` allowed.
    #[serde(default)]
    pub tools: Vec<String>,
    #[serde(default)]
    pub auto_bind: Vec<String>,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub cwd: Option<String>,
}

fn server_timeout() -> u64 {
    30
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerType {
    Builtin,
    Stdio,
    Http,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    pub name: String,
    pub description: String,
    pub command: String,
    #[serde(default = "current_directory")]
    pub workdir: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layer {
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub command: String,
    #[serde(default = "current_directory")]
    pub workdir: String,
    pub input_mode: InputMode,
    pub output_mode: OutputMode,
    pub output_role: OutputRole,
}

fn current_directory() -> String {
    ".".to_owned()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputMode {
    Last,
    All,
    Summary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputMode {
    None,
    Append,
    Replace,
    Last,
    Restart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputRole {
    Assistant,
    User,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    #[serde(default)]
    pub description: String,
    pub prompt: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    pub name: String,
    pub bind: String,
    pub script: String,
    /// Seconds, 1–3600.
    #[serde(default = "hook_timeout")]
    pub timeout: u64,
}

fn hook_timeout() -> u64 {
    30
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Registry {
    /// Hours after which a fetched manifest is refreshed.
    #[serde(default = "cache_ttl_hours")]
    pub cache_ttl_hours: u64,
}

impl Default for Registry {
    fn default() -> Self {
        Self { cache_ttl_hours: cache_ttl_hours() }
    }
}

fn cache_ttl_hours() -> u64 {
    24
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DecisionSwitches {
    #[serde(default)]
    pub taps: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Encoder {
    /// `embedded`, a hub repository, or a directory.
    pub model: String,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { model: "embedded".to_owned() }
    }
}
