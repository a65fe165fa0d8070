//! The built-in servers whose tools the session itself offers: which of their tools are there, by which
//! names, and who runs them.

use std::sync::Arc;

use serde_json::Value;

use super::delegate::{self, TAP};
use super::runtime::{self, SKILL};
use super::surface::{self, CAPABILITY};
use super::{Actor, Report};
use crate::config::allows;
use crate::mcp::{Layer, ToolDefinition};
use crate::proto::{Body, CallId, ServerKind, ServerState, ToolInfo};
use crate::session::server_specs::{ORCHESTRATION, OWN, RUNTIME, is_own};
use crate::text::tokens;

/// Every tool of the session's own, with its server.
const TOOLS: [(&str, &str); 3] = [(RUNTIME, CAPABILITY), (RUNTIME, SKILL), (ORCHESTRATION, TAP)];

impl Actor {
    /// Every tool that is there: the role's servers', the session's own, then those of capabilities.
    pub(super) fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        let served = self.servers.tools.catalog();
        let (own, brought): (Vec<_>, Vec<_>) =
            self.own_tools(&served).into_iter().partition(|tool| tool.layer == Layer::Static);
        if own.is_empty() && brought.is_empty() {
            return served;
        }
        let (fixed, dynamic) = served.split_at(served.partition_point(|tool| tool.layer == Layer::Static));
        Arc::new(fixed.iter().cloned().chain(own).chain(dynamic.iter().cloned()).chain(brought).collect())
    }

    fn own_tools(&self, served: &[ToolDefinition]) -> Vec<ToolDefinition> {
        if self.setup.offers.is_none() {
            return Vec::new();
        }
        let taken = |server: &str, name: &str| {
            let same = |tool: &&ToolDefinition| tool.layer == Layer::Static && tool.info.wire_name == name;
            if served.iter().any(|tool| same(&tool)) { format!("{server}_{name}") } else { name.to_owned() }
        };
        let mut own = Vec::new();
        for (server, name) in TOOLS {
            let Some(layer) = self.own_layer(server, name) else { continue };
            let wire_name = taken(server, name);
            let tool = match name {
                CAPABILITY if self.setup.wares.is_none() => continue,
                CAPABILITY => surface::definition(wire_name),
                SKILL => runtime::definition(wire_name),
                _ => delegate::definition(wire_name),
            };
            own.push(ToolDefinition { layer, ..tool });
        }
        own
    }

    /// Whether the role has a tool of an own server, or a capability brought it; nothing when it is not there.
    fn own_layer(&self, server: &str, tool: &str) -> Option<Layer> {
        let of_role = if server == RUNTIME { &self.role.runtime } else { &self.role.orchestration };
        if of_role.as_ref().is_some_and(|filter| allows(filter, tool)) {
            return Some(Layer::Static);
        }
        let brought = self.live.state.filter(server).filter(|_| self.setup.wares.is_some())?;
        allows(&brought.unwrap_or_default(), tool).then_some(Layer::Dynamic)
    }

    /// Shows the session's own servers beside the others.
    pub(super) fn show_own(&mut self) {
        for server in OWN {
            let of_role = if server == RUNTIME { &self.role.runtime } else { &self.role.orchestration };
            if self.setup.offers.is_some() && (of_role.is_some() || self.live.state.filter(server).is_some()) {
                self.show_own_server(server);
            }
        }
    }

    pub(super) fn show_own_server(&mut self, server: &str) {
        let own = self.own_tools(&self.servers.tools.catalog()).into_iter();
        let tools = own.filter(|tool| tool.server == server).map(|tool| tool.info).collect();
        self.rec.emit(Body::ServerChanged {
            server: server.to_owned(),
            kind: ServerKind::Builtin,
            state: ServerState::Ready { since: self.rec.now() },
            command: "octomind itself".to_owned(),
            stderr: Vec::new(),
        });
        self.rec.emit(Body::ServerTools { server: server.to_owned(), tools });
    }

    /// True when the call is one of the session's own; it ends by a report as any other does.
    pub(super) fn run_own(&mut self, id: &CallId, tool: &ToolDefinition, arguments: &Value) -> bool {
        if !is_own(&tool.server) {
            return false;
        }
        match tool.name.as_str() {
            CAPABILITY => self.run_capability(id, arguments),
            SKILL => self.run_skill(id, arguments),
            _ => {
                if let Some(result) = self.run_tap(id, arguments) {
                    // The session may be over; then nobody needs the result.
                    let _ = self.report.send(Report::Called(id.clone(), result));
                }
            }
        }
        true
    }
}

/// What the session's own tools are or may be called on the wire.
pub(in crate::session) fn own_names() -> Vec<String> {
    let plain = TOOLS.iter().map(|(_, name)| (*name).to_owned());
    plain.chain(TOOLS.iter().map(|(server, name)| format!("{server}_{name}"))).collect()
}

/// What a tool of the session's own is.
pub(super) struct OwnTool {
    pub server: &'static str,
    pub name: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
}

pub(super) fn own_tool(tool: OwnTool, schema: Value, wire_name: String) -> ToolDefinition {
    let OwnTool { server, name, summary, description } = tool;
    let tokens = tokens::estimate(description) + tokens::estimate(&schema.to_string());
    let renamed = || format!("called {wire_name} on the wire: another server has a tool of this name");
    let info = ToolInfo {
        name: name.to_owned(),
        summary: summary.to_owned(),
        tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
        repairs: (wire_name != name).then(renamed).into_iter().collect(),
        quarantine: None,
        filtered_by: None,
        wire_name,
    };
    ToolDefinition {
        server: server.to_owned(),
        layer: Layer::Static,
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
        read_only: Some(false),
        destructive: Some(false),
        info,
    }
}
