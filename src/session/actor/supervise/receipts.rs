//! What a call does, and what it leaves behind.

use std::sync::Arc;

use serde_json::Value;

use super::super::Actor;
use super::super::turn::Phase;
use crate::mcp::ToolDefinition;
use crate::proto::{CallId, ToolOutcome};
use crate::session::server_specs::is_own;
use crate::session::supervisor::tree::Tree;
use crate::supervisor::receipt::{Kind, Receipt, command_of, fingerprint, line, target};

/// What is known of a call before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session::actor) enum Class {
    Reads,
    Changes,
    /// A shell command, which may do either.
    Command,
    Unknown,
}

impl Class {
    pub fn of(tool: &ToolDefinition, arguments: &Value) -> Self {
        if is_own(&tool.server) {
            // It changes what the session has, and nothing in the world.
            return Self::Reads;
        }
        match (tool.read_only, tool.destructive) {
            (Some(true), _) => Self::Reads,
            _ if is_command(arguments) => Self::Command,
            (Some(false), _) | (None, Some(true)) => Self::Changes,
            (None, _) => Self::Unknown,
        }
    }

    fn kind(self, changed: Option<bool>) -> Kind {
        match self {
            Self::Reads => Kind::Read,
            Self::Changes => Kind::Mutation,
            Self::Command => changed.map_or(Kind::Unknown, |changed_tree| Kind::Command { changed_tree }),
            Self::Unknown => Kind::Unknown,
        }
    }
}

fn is_command(arguments: &Value) -> bool {
    command_of(arguments).is_some_and(|command| !command.trim().is_empty())
}

/// A call whose result is there.
pub(in crate::session::actor) struct Ended<'a> {
    pub call: &'a CallId,
    pub tool: &'a str,
    pub arguments: &'a Value,
    pub class: Class,
    pub changed: Option<bool>,
    pub outcome: ToolOutcome,
    /// What makes two results the same.
    pub result: &'a str,
}

impl Ended<'_> {
    pub fn receipt(self) -> Receipt {
        Receipt {
            call: self.call.clone(),
            tool: self.tool.to_owned(),
            target: target(self.arguments),
            line: line(self.tool, self.arguments),
            result: fingerprint(self.result),
            outcome: self.outcome,
            kind: self.class.kind(self.changed),
        }
    }
}

impl Actor {
    /// Where a command is to be looked for what it changed; `None` when nobody wants to know.
    pub(in crate::session::actor) fn tree_of(&self, class: Class) -> Option<Arc<Tree>> {
        if !self.is_supervised() {
            return None;
        }
        match class {
            Class::Command => return Some(Arc::clone(&self.tree)),
            Class::Changes | Class::Unknown => self.tree.touched(),
            Class::Reads => {}
        }
        None
    }

    /// Comes just before the end of the call.
    pub(in crate::session::actor) fn tree_looked(&mut self, call: &CallId, changed: Option<bool>) {
        if let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) {
            batch.looked(call, changed);
        }
    }
}
