//! What goes into the surface, and what comes out of a change.

use std::sync::Arc;

use crate::proto::{Decision, FixedCapability};
use crate::tap::Capability;

/// What the catalogue and `[capabilities]` make of one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    pub capability: Arc<Capability>,
    /// Links followed; or one clause: why none can be used.
    pub provider: Result<String, String>,
    pub title: String,
    pub servers: Vec<OfferedServer>,
    /// `org/tool`, in order.
    pub deps: Vec<String>,
    /// Every `{{ENV:KEY}}` that its servers name.
    pub environment: Vec<String>,
}

impl Offer {
    pub fn name(&self) -> &str {
        &self.capability.name
    }

    pub fn tap(&self) -> &str {
        &self.capability.tap.name
    }
}

/// A server of a capability, and what of it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedServer {
    pub name: String,
    /// Tool names or `prefix_*`; empty = all.
    pub tools: Vec<String>,
}

/// What the role brings by itself: never evicted, never stopped while the role lasts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RoleSurface {
    pub role: String,
    /// The part before the colon; empty = none, then only universal capabilities may come.
    pub domain: String,
    pub capabilities: Vec<FixedCapability>,
    /// Those of its capabilities included, with their filter; empty = all tools.
    pub servers: Vec<(String, Vec<String>)>,
}

/// What a call came to. The decisions are told first, then the effects carried out in their order, then
/// the view is told when either is there or the call says so.
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "what it says has to be done"]
pub struct Change {
    pub decisions: Vec<Decision>,
    pub effects: Vec<Effect>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty() && self.effects.is_empty()
    }

    pub(super) fn of(decision: Decision) -> Self {
        Self { decisions: vec![decision], effects: Vec::new() }
    }
}

/// What has to be done outside. Servers are those of the offers that were given, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Before the servers that follow are started.
    RunDeps { capability: String, deps: Vec<String> },
    /// With this filter; `None` = all tools.
    Start { server: String, patterns: Option<Vec<String>> },
    /// Calls that run are let finish.
    Stop { server: String },
    /// Of a server that runs; `None` = all tools.
    Filter { server: String, patterns: Option<Vec<String>> },
}
