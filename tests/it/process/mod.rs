//! The real binary as a process: in a terminal, killed, on full disks, without a person.
//!
//! Each test has a home of its own. What a session left alive is found by a mark in the
//! environment, which every child inherits.

mod busy;
mod disk;
#[path = "../../bench/support/endpoint.rs"]
mod endpoint;
mod headless;
mod home;
mod isolation;
mod killed;
mod killing;
mod leaving;
mod lines;
mod live;
mod sandboxed;
mod screens;
mod secrets;
mod shelf;
mod terminal;
mod text;
mod unsandboxed;
