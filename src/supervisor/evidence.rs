//! What a judgement may rest on: the person's words and what the tools did.

pub use super::prohibit::UserLine;
use super::receipt::{Kind, Receipt};
use crate::proto::ToolOutcome;

/// The shell's words for a command that does not exist.
const NOT_FOUND: i32 = 127;

/// A tool call that came to an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine<'a> {
    /// As in `call:c3-1`.
    pub reference: String,
    pub tool: &'a str,
    /// Canonical arguments: the same call again has the same.
    pub target: &'a str,
    /// For people.
    pub line: &'a str,
    pub outcome: ToolOutcome,
    pub kind: Kind,
    /// What the model was given.
    pub content: &'a str,
}

impl<'a> EventLine<'a> {
    pub fn new(receipt: &'a Receipt, content: &'a str) -> Self {
        Self {
            reference: reference(&receipt.call.0),
            tool: &receipt.tool,
            target: &receipt.target,
            line: &receipt.line,
            outcome: receipt.outcome,
            kind: receipt.kind,
            content,
        }
    }

    /// Of a command, from the last line that the file server ends its output with.
    pub fn exit(&self) -> Option<i32> {
        let line = self.content.lines().rev().find(|line| line.starts_with("[exit "))?;
        line["[exit ".len()..].split([',', ']', ';']).next()?.trim().parse().ok()
    }

    pub fn not_found(&self) -> bool {
        matches!(self.kind, Kind::Command { .. }) && self.outcome != ToolOutcome::Ok && self.exit() == Some(NOT_FOUND)
    }

    fn ran(&self) -> bool {
        self.outcome != ToolOutcome::Refused
    }

    fn changed(&self) -> bool {
        match self.kind {
            Kind::Mutation => self.outcome == ToolOutcome::Ok,
            Kind::Command { changed_tree } => changed_tree && self.ran(),
            Kind::Read | Kind::Unknown => false,
        }
    }

    /// A call that failed or was lost may have done part of its work, one that says nothing of itself all of it.
    fn may_have_changed(&self) -> bool {
        self.changed() || (self.ran() && matches!(self.kind, Kind::Mutation | Kind::Unknown))
    }

    pub fn succeeded(&self) -> bool {
        self.outcome == ToolOutcome::Ok && matches!(self.exit(), None | Some(0)) && !self.runs_on()
    }

    /// A command that was left running in the background.
    pub fn runs_on(&self) -> bool {
        self.content.lines().rev().take(3).any(|line| line.starts_with("[still running"))
    }

    /// The reply that made the call. Calls of one reply run side by side: none of them is after another.
    fn reply(&self) -> &str {
        self.reference.rsplit_once('-').map_or(&self.reference, |(reply, _)| reply)
    }

    fn same_call(&self, other: &Self) -> bool {
        self.tool == other.tool && self.target == other.target
    }
}

pub fn reference(call: &str) -> String {
    format!("call:{call}")
}

/// What the calls of a turn amount to, as indices into them. Context for the verifier; only
/// [`Facts::checks`] can make a stop verified.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Calls that certainly changed something.
    pub changes: Vec<usize>,
    /// Commands that succeeded after the last call that may have changed something, changed nothing
    /// themselves, and did not fail later.
    pub checks: Vec<usize>,
    /// Commands that failed after that, without a later success of the same.
    pub failed: Vec<usize>,
    /// Commands that do not exist here.
    pub not_found: Vec<usize>,
}

pub fn facts(events: &[EventLine]) -> Facts {
    let after = events.iter().rposition(EventLine::may_have_changed).map_or(0, |at| at + 1);
    let changing = after.checked_sub(1).map(|at| events[at].reply());
    let mut facts = Facts::default();
    for (at, event) in events.iter().enumerate() {
        if event.changed() {
            facts.changes.push(at);
        }
        if event.not_found() {
            facts.not_found.push(at);
        }
        if at < after || changing == Some(event.reply()) || !event.ran() || !matches!(event.kind, Kind::Command { .. })
        {
            continue;
        }
        let last = !events[at + 1..].iter().any(|later| later.ran() && later.same_call(event));
        match event.succeeded() {
            true if last => facts.checks.push(at),
            false if last && !event.not_found() => facts.failed.push(at),
            _ => {}
        }
    }
    facts
}

#[cfg(test)]
mod tests;
