//! The MCP client against servers that misbehave in one way each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod calls;
mod hostile;
mod http;
mod lifecycle;
mod listing;
mod real;
mod rig;
