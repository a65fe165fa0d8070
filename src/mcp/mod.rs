//! Tools: MCP clients, the servers that come with the binary, and scripts of the project.
//!
//! Owns: connecting (stdio and streamable HTTP through `rmcp`), per-server state and restart, tool
//! lists and their mending, wire names, calls with progress, time-outs and cancellation, process
//! groups; `octomind mcp files`; local tools.
//!
//! Does not own: which servers a session gets, or when (`session`, later `surface`).
//!
//! Invariant: one bad tool, schema, name, line or server never costs the others, and is always
//! named with a reason. No child process outlives [`Servers::shutdown`].

mod arguments;
mod backend;
pub mod bundled;
mod catalog;
mod denied;
mod ears;
mod envelope;
mod flood;
pub(crate) mod group;
mod hub;
mod launch;
mod link;
pub mod local;
mod machine;
mod mask;
mod moved;
mod names;
mod notices;
mod options;
pub(crate) mod pipes;
pub(crate) mod process;
mod redescribed;
mod remembered;
mod results;
mod runner;
mod schema;
mod servers;
mod tools;
mod trouble;
mod types;
mod visible;

/// Starting commands as the shell tool does.
pub(crate) mod shell {
    pub use super::bundled::files::spawn;
}

pub use backend::{Backend, Listing, OpenLocal, RawTool, Unlisted};
pub use moved::Moved;
pub use names::{matches, nearest};
pub use options::{Admit, Expand, Options, Policy, expand_with};
pub use servers::Servers;
pub use types::{CallResult, Layer, Progress, ServerSpec, ToolDefinition, Transport};
