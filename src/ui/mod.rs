//! The terminal workbench.
//!
//! Owns: the terminal, keys, themes, the pure UI state and its update, views. Speaks only
//! [`crate::proto`] through [`crate::port`]; uses `config` and `text`.
//!
//! Does not own: any session logic. What it shows is the snapshot.
//!
//! Invariant: a frame is drawn only because something asked for one; state changes only in
//! `update`; nothing walks the whole transcript per frame.

pub mod state;
pub mod theme;
