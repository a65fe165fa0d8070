//! What a person or the terminal says, decoded from bytes.

use super::keys::{Key, Modifiers};
use super::theme::Shade;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Key(Key),
    /// Text that was not typed: it never submits and never fires a key.
    Paste(String),
    Mouse(Mouse),
    /// The window got or lost focus.
    Focus(bool),
    Answer(TerminalAnswer),
}

/// Answers to what the probe asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalAnswer {
    Background(Shade),
    /// The terminal is dark or light, told by itself when that changes.
    Scheme(Shade),
    /// The kitty keyboard protocol is spoken.
    KittyKeyboard,
    /// The last of the answers: what did not come before will not come.
    Attributes,
}

/// Cells are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mouse {
    pub kind: MouseKind,
    pub column: u16,
    pub row: u16,
    pub modifiers: Modifiers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseKind {
    Press,
    Drag,
    Release,
    WheelUp,
    WheelDown,
}
