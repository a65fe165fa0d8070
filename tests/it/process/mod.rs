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
mod killed;
mod leaving;
mod live;
mod screens;
