//! The one integration binary. Modules follow the layers of the library.

#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "helpers of tests may stop a test")]

mod cli;
mod embed;
mod fake_server;
mod faults;
mod layering;
mod mcp_client;
mod model;
#[cfg(target_os = "linux")]
mod plugins;
mod process;
mod registry;
mod routing;
mod session;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(unix)]
mod supervisor;
mod tapping;
mod taps;
mod workbench;
