//! The actor against a played model and played servers.
//!
//! Owns: [`fakes`], and one file a kind of behaviour. Does not own: the real parts
//! (`tests/it/session.rs`).
//!
//! Invariant: time is tokio's paused clock; nothing here sleeps or waits for a fixed time.

mod approve;
mod authorized;
mod condensed;
mod encoder;
mod fakes;
mod flow;
mod gate;
mod handed;
mod interrupt;
mod planned;
mod resume;
mod rewind;
mod shell;
mod skills;
mod starting;
mod switches;
mod trouble;
mod trust;
mod unheld;
mod watch;
mod wire;
