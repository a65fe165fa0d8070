//! What could come onto the surface, and what left it: told whole once, then only when it changes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ServerState, ServerView, Snapshot, Stage, SurfaceTool, SurfaceView, Timestamp, TurnId};

/// Everything that may be asked about and is not there, with what stands in its way before any message is
/// looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Offered {
    pub capabilities: Vec<OfferedCapability>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<OfferedSkill>,
    /// One role of each domain that the session can change to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OfferedCapability {
    pub name: String,
    pub tap: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The first stage that it does not pass, of those that hold whatever is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OfferedSkill {
    pub name: String,
    /// The tap or folder it comes from.
    pub source: String,
    pub file: String,
    /// Domains in which its rules are judged; `*` = every one. A record that tells of none is older.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
}

/// What is the matter with a server that is referred to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerTrouble {
    /// "failed: …", without its subject.
    pub what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Since when it is on its way; nothing when it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

/// A tool that was there and is not any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolGone {
    pub tool: SurfaceTool,
    /// The last turn that it was there in.
    pub turn: TurnId,
}

/// Tools that are remembered after they went.
const TOOLS_GONE: usize = 2000;

impl SurfaceView {
    /// What has to be told after `before`; nothing when it is the same. What is offered is left out when
    /// it did not change.
    pub fn since(mut self, before: &Self) -> Option<Self> {
        if self == *before {
            return None;
        }
        if self.offered == before.offered {
            self.offered = None;
        }
        Some(self)
    }

    /// What is the matter with each server, as it is now.
    pub fn with_troubles(mut self, servers: &[ServerView]) -> Self {
        for reference in &mut self.references {
            let state = servers.iter().find(|view| view.name == reference.server).map(|view| &view.state);
            reference.trouble = state.and_then(ServerState::trouble);
        }
        self
    }

    pub fn offered(&self, capability: &str) -> Option<&OfferedCapability> {
        self.offered.as_ref()?.capabilities.iter().find(|known| known.name == capability)
    }

    pub fn offered_skill(&self, skill: &str) -> Option<&OfferedSkill> {
        self.offered.as_ref()?.skills.iter().find(|known| known.name == skill)
    }
}

impl ServerState {
    /// What is the matter, and what to do about it; nothing while it works.
    pub fn trouble(&self) -> Option<ServerTrouble> {
        let restart = "restart it in the Servers overlay".to_owned();
        let (what, advice) = match self {
            Self::Ready { .. } => return None,
            Self::Starting { .. } => ("is still starting".to_owned(), Some(format!("wait, or {restart}"))),
            Self::Waiting { reason, .. } => (format!("is down: {reason}"), Some(format!("wait, or {restart}"))),
            Self::Failed { reason, advice } => (format!("failed: {reason}"), Some(advice.clone())),
            Self::NeedsSignIn { reason } => {
                (format!("needs a login: {reason}"), Some(format!("sign in there, then {restart}")))
            }
            Self::Disabled { by } => (format!("was switched off by {by}"), Some(restart)),
            Self::Stopped => ("is stopped".to_owned(), Some(restart)),
        };
        let since = if let Self::Starting { since, .. } = self { Some(*since) } else { None };
        Some(ServerTrouble { what, advice, since })
    }
}

impl Snapshot {
    pub(super) fn surface_changed(&mut self, view: &Arc<SurfaceView>) {
        let before = Arc::clone(&self.surface);
        self.surface = match (&view.offered, &before.offered) {
            (None, Some(offered)) => {
                Arc::new(SurfaceView { offered: Some(Arc::clone(offered)), ..SurfaceView::clone(view) })
            }
            _ => Arc::clone(view),
        };
        let is_there = |tool: &SurfaceTool| {
            view.tools.iter().any(|one| one.wire_name == tool.wire_name && one.server == tool.server)
        };
        self.tools_gone.retain(|gone| !is_there(&gone.tool));
        let left = before.tools.iter().filter(|tool| !is_there(tool));
        self.tools_gone.extend(left.map(|tool| ToolGone { tool: tool.clone(), turn: self.turn }));
        let over = self.tools_gone.len().saturating_sub(TOOLS_GONE);
        self.tools_gone.drain(..over);
    }
}
