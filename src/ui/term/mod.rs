//! The terminal: what it can do, its modes, bytes in and bytes out, and the programs around it.
//!
//! Owns: the guard that gives the terminal back as it was found, the reader that turns bytes into
//! [`crate::ui::input::Input`], the screen that writes one buffer per frame, signals, suspending,
//! the external editor, the clipboard, bells.
//!
//! Does not own: what keys mean, what is drawn.
//!
//! Invariant: whatever way the program ends, the modes entered are left; no query of the terminal is
//! ever waited for.
//!
//! The reader is our own rather than crossterm's: that one reads `ESC ESC` as one press, knows no
//! answer to a colour query, and does not tell which bytes came together, which is what tells a
//! paste from typing where the terminal does not mark pastes.

pub mod clipboard;
pub mod editor;
pub mod guard;
pub mod input;
pub mod links;
pub mod notify;
mod opener;
pub mod picture;
pub mod probe;
pub mod screen;
pub mod signals;

pub use guard::Guard;
pub use input::Reader;
pub use links::Links;
pub use opener::{browser, open, viewer};
pub use screen::Screen;
pub use signals::{Signal, Signals};
