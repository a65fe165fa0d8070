//! What a tool call leaves behind for the supervisor.
//!
//! Owns: when two calls are the same, when two results are, and whether the success of a command says
//! anything about the work ([`Check`]).
//!
//! Does not own: finding out whether a command changed the working tree, and what a whole turn has to
//! show for itself (`evidence`).
//!
//! Invariant: in doubt nothing is a check. A success that would have come anyway is none.

mod check;
mod fingerprint;
mod hollow;
pub(in crate::supervisor) mod shell;
mod target;

pub use check::Check;
pub use fingerprint::fingerprint;
pub use target::{command_of, line, target};

use crate::proto::{CallId, ToolOutcome};

/// What a call does, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Read,
    /// The tool is annotated as not read-only or as destructive, or it is a built-in one that writes.
    Mutation,
    /// A shell command; whether the working tree looked different afterwards.
    Command {
        changed_tree: bool,
    },
    /// Nothing says what it does, or the look at the working tree did not end in time.
    Unknown,
}

/// One call that ended or was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub call: CallId,
    pub tool: String,
    /// See [`target`].
    pub target: String,
    /// For people; see [`line`].
    pub line: String,
    /// See [`fingerprint`].
    pub result: u64,
    pub outcome: ToolOutcome,
    pub kind: Kind,
}

impl Receipt {
    /// A mutation that took place: always progress.
    pub fn mutated(&self) -> bool {
        self.outcome == ToolOutcome::Ok && matches!(self.kind, Kind::Mutation | Kind::Command { changed_tree: true })
    }

    /// What it says about the state of the work.
    pub fn check(&self) -> Check {
        check::of(self)
    }
}

#[cfg(test)]
mod tests;
