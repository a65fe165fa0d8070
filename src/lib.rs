//! octomind: a terminal workbench for LLM agents, with the agent runtime embedded underneath.
//!
//! Layers, each using only those above it: vocabulary ([`proto`]), ground ([`config`], [`text`],
//! [`port`]), engine ([`approval`], [`embed`], [`mcp`], [`model`], [`sandbox`], [`session`], [`supervisor`],
//! [`surface`]), front ends (`ui`, `serve`, `cli`).

pub mod approval;
pub mod cli;
pub mod config;
pub mod embed;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod mcp;
pub mod model;
pub mod port;
pub mod proto;
pub mod sandbox;
pub mod session;
pub mod supervisor;
pub mod surface;
pub mod tap;
pub mod text;
#[cfg(feature = "tui")]
pub mod ui;
