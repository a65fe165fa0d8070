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

mod types;

pub use types::{CallResult, Progress, ServerSpec, ToolDefinition, Transport};
