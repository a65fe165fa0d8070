//! The terminal workbench.
//!
//! Owns: the terminal, keys, themes, the pure UI state and its update, views. Speaks only
//! [`crate::proto`] through [`crate::port`]; uses `config` and `text`.
//!
//! Does not own: any session logic. What it shows is the snapshot.
//!
//! Invariant: a frame is drawn only because something asked for one; state changes only in
//! `update`; nothing walks the whole transcript per frame.

pub mod action;
mod answers;
pub mod composer;
pub mod drafts;
pub mod effect;
pub mod file_index;
mod files;
mod frames;
pub mod input;
pub mod keys;
pub mod linear;
mod log;
mod look;
mod perform;
mod pictures;
pub mod problem;
mod run;
pub mod state;
mod store;
pub mod term;
pub mod theme;
pub mod transcript;
mod transcript_text;
pub mod update;
pub mod view;

pub use log::{LogLevel, LogLine, LogTail};
pub use run::{Configuration, Exit, Next, Options, Reason, run};
