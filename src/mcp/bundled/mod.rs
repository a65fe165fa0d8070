//! MCP servers inside this binary, run as child processes of a session: `octomind mcp <name>`.
//!
//! Owns: [`files`], the file and shell tools that a fresh machine has without any install.
//!
//! Does not own: the client side, time-outs of a session, or the sandbox around the process.
//!
//! Invariant: a server here speaks MCP and nothing else on its output, and ends with its input; no
//! process it started outlives it.

pub mod files;
