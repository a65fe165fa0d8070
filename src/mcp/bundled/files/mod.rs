//! `octomind mcp files`: six tools that let a model read, change and run what is in a folder.
//!
//! Owns: `view`, `edit`, `write`, `search`, `list`, `shell`; line ids; the limits of each result.
//!
//! Does not own: asking a person (the session), keeping processes in (the sandbox).
//!
//! Invariant: an edit whose line ids no longer fit writes nothing; a file is replaced whole or not
//! at all; nothing is written outside the root; no process started here outlives the server; what
//! was cut from a result is said, with its size.

mod apply;
mod args;
mod definitions;
mod diff;
mod document;
mod edit;
mod ids;
mod limits;
mod list;
mod place;
mod preview;
#[cfg(test)]
pub mod probe;
mod search;
mod seen;
mod serve;
mod shell;
mod store;
#[cfg(test)]
mod tests;
mod view;
mod write;

use rmcp::model::ContentBlock;

pub use preview::{Preview, preview, target};
pub use serve::{ServeError, serve};
pub use shell::spawn;

/// Names under which a path is understood; the first is the one we ask for.
const PATH: &[&str] = &["path", "file_path", "file", "filename", "directory"];

/// What the tools share.
#[derive(Debug)]
struct Tools {
    root: place::Root,
    seen: seen::Seen,
    /// Held while a file is changed, so that two calls do not read before either writes.
    writing: std::sync::Mutex<()>,
}

/// What a call gives back.
#[derive(Debug, Clone, PartialEq)]
struct Answer {
    content: Vec<ContentBlock>,
    /// It ran, and its result is a failure (a command that exits with 1).
    failed: bool,
}

impl Answer {
    fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], failed: false }
    }
}

/// Why a call was not done: what is wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
struct Refusal(String);

impl Refusal {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
