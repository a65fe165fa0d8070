use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::proto::{Content, ToolInfo, ToolOutcome};

/// A server to connect to, placeholders not yet expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerSpec {
    pub name: String,
    pub transport: Transport,
    /// Without progress for so long a call fails; its absolute cap is 20 times this.
    pub timeout: Duration,
    /// Tool names or `prefix_*`; empty = all.
    pub filter: Vec<String>,
    /// Where it was declared, for messages: `config.toml:41` or `role developer`.
    pub origin: String,
    /// Who set the filter, for messages.
    pub filter_origin: String,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Transport {
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<PathBuf>,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
    },
    /// `octomind mcp <name>` as a child process of ours.
    Bundled {
        name: String,
    },
    /// Scripts in this folder, looked at again for every request.
    Local {
        folder: PathBuf,
    },
}

/// Which part of the surface a tool is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Layer {
    /// The role's: the same from request to request, first on the wire.
    #[default]
    Static,
    /// Of a capability that came while the session runs; after everything static.
    Dynamic,
}

/// A tool ready to be shown to a model and called.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    pub server: String,
    pub layer: Layer,
    /// The server's own name, as it must be sent to the server.
    pub name: String,
    pub description: String,
    /// A JSON Schema object, mended where it had to be.
    pub schema: serde_json::Value,
    /// From the server's annotations; `None` when it says nothing.
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    /// What the surface shows, wire name and tokens included.
    pub info: ToolInfo,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub note: Option<String>,
    /// 0–1 when the server says a total.
    pub fraction: Option<f32>,
}

/// How a call ended, before any cutting.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    pub outcome: ToolOutcome,
    /// For the model: text, media, or parts of both. An error's text says what to do.
    pub content: Content,
}
