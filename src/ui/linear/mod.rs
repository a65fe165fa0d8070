//! The session as plain lines, for screen readers and for terminals that can do nothing else.
//!
//! Owns: what is said of each entry, question and pane in words, the line that is typed, the commands
//! that read the panes out.
//!
//! Does not own: the full screen, keys, themes. Lines are edited by the terminal itself.
//!
//! Invariant: what was written is never written over. No escape sequence is ever sent; no state is told
//! by colour, place or movement alone.

mod ask;
mod follow;
mod panes;
mod tell;
mod typed;
mod words;

#[cfg(test)]
mod tests;

pub use follow::run;

use crate::config::schema;

/// Whether a person gets lines instead of the full screen: by choice, or because the terminal says that it
/// can do nothing else, or nothing at all.
pub fn is_wanted(settings: &schema::Ui, asked: bool, get: impl Fn(&str) -> Option<String>) -> bool {
    let term = get("TERM").unwrap_or_default();
    let chosen = get("OCTOMIND_LINEAR").is_some_and(|value| !value.is_empty() && value != "0");
    asked || settings.screen_reader || chosen || term.is_empty() || term == "dumb"
}
