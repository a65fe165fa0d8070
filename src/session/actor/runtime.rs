//! The built-in server `runtime`: tools that act on the session itself.

use serde_json::{Value, json};

use super::skills::{self, SkillReport};
use super::surface::{self, CAPABILITY, failed, ok};
use super::{Actor, Report};
use crate::config::allows;
use crate::mcp::{CallResult, Layer, ToolDefinition};
use crate::proto::{Body, CallId, ServerKind, ServerState, ToolInfo};
use crate::session::rules::skill_list::{self, Listed, Words};
use crate::session::server_specs::RUNTIME;
use crate::text::tokens;

const SKILL: &str = "skill";

const DESCRIPTION: &str = "Skills are instructions for particular kinds of work. `list` shows those there are, a page \
    at a time; `use` puts one into the conversation; `forget` switches one off. Look here before work that has a \
    method of its own.";

impl Actor {
    /// Every tool that is there: the role's servers', the session's own, then those of capabilities.
    pub(super) fn catalog(&self) -> std::sync::Arc<Vec<ToolDefinition>> {
        let served = self.servers.tools.catalog();
        let own = self.own_tools(&served);
        if own.is_empty() {
            return served;
        }
        let (fixed, dynamic) = served.split_at(served.partition_point(|tool| tool.layer == Layer::Static));
        std::sync::Arc::new(fixed.iter().cloned().chain(own).chain(dynamic.iter().cloned()).collect())
    }

    fn own_tools(&self, served: &[ToolDefinition]) -> Vec<ToolDefinition> {
        let Some(filter) = self.role.runtime.as_ref().filter(|_| self.setup.offers.is_some()) else {
            return Vec::new();
        };
        let wire_name = |name: &str| {
            let taken = |tool: &&ToolDefinition| tool.layer == Layer::Static && tool.info.wire_name == name;
            if served.iter().any(|tool| taken(&tool)) { format!("{RUNTIME}_{name}") } else { name.to_owned() }
        };
        let mut own = Vec::new();
        if allows(filter, CAPABILITY) && self.setup.wares.is_some() {
            own.push(surface::definition(wire_name(CAPABILITY)));
        }
        if allows(filter, SKILL) {
            own.push(definition(wire_name(SKILL)));
        }
        own
    }

    /// Shows the session's own server beside the others.
    pub(super) fn show_runtime(&mut self) {
        if self.role.runtime.is_none() || self.setup.offers.is_none() {
            return;
        }
        let tools = self.own_tools(&self.servers.tools.catalog()).into_iter().map(|tool| tool.info).collect();
        self.rec.emit(Body::ServerChanged {
            server: RUNTIME.to_owned(),
            kind: ServerKind::Builtin,
            state: ServerState::Ready { since: self.rec.now() },
            command: "octomind itself".to_owned(),
            stderr: Vec::new(),
        });
        self.rec.emit(Body::ServerTools { server: RUNTIME.to_owned(), tools });
    }

    /// True when the call is one of the session's own; it ends by a report as any other does.
    pub(super) fn run_own(&mut self, id: &CallId, tool: &ToolDefinition, arguments: &Value) -> bool {
        if tool.server != RUNTIME {
            return false;
        }
        if tool.name == CAPABILITY {
            self.run_capability(id, arguments);
            return true;
        }
        let Some(offers) = self.setup.offers.clone() else { return false };
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (action, name) = (text("action"), text("name"));
        let number = arguments.get("page").and_then(Value::as_u64).unwrap_or(1);
        let (report, id, active) = (self.report.clone(), id.clone(), self.active_skills());
        if action == "forget" {
            let result = match active.contains(&name) {
                true => ok(self.forget_skill(&name)),
                false => failed(format!("The skill {name:?} is not active.")),
            };
            let _ = report.send(Report::Called(id, result));
            return true;
        }
        tokio::task::spawn_blocking(move || {
            let (skills, catalogue) = (listed(&offers, &active), offers.catalogue());
            let result = match action.as_str() {
                "list" => list(&skills, usize::try_from(number).unwrap_or(usize::MAX)),
                "use" => match catalogue.skill(&name).cloned() {
                    Some(skill) => {
                        let _ = report.send(Report::Skill(SkillReport::Called(id, skills::read(skill))));
                        return;
                    }
                    None => failed(super::skills::missing(&catalogue, &name, &skills)),
                },
                other => failed(format!("{other:?} is no action; use list, use or forget.")),
            };
            let _ = report.send(Report::Called(id, result));
        });
        true
    }
}

/// Every skill as it is listed; reads the catalogue if nothing did.
pub(super) fn listed(offers: &crate::session::Offers, active: &[String]) -> Vec<Listed> {
    let catalogue = offers.catalogue();
    let one = |skill: &std::sync::Arc<crate::tap::Skill>| Listed {
        name: skill.name.clone(),
        title: skill.title.clone(),
        description: skill.description.clone(),
        source: skills::source(skill),
        active: active.contains(&skill.name),
    };
    skill_list::ordered(catalogue.skills.iter().map(one).collect())
}

fn list(skills: &[Listed], number: usize) -> CallResult {
    let words = Words { one: "skill", many: "skills", active: "active" };
    skill_list::told(skills, number, words).map_or_else(failed, ok)
}

/// What the session's own tools are or may be called on the wire.
pub(in crate::session) fn own_names() -> Vec<String> {
    let names = [CAPABILITY, SKILL];
    let plain = names.map(str::to_owned).into_iter();
    plain.chain(names.map(|name| format!("{RUNTIME}_{name}"))).collect()
}

fn definition(wire_name: String) -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ["list", "use", "forget"] },
            "name": { "type": "string", "description": "Of the skill, for use and forget." },
            "page": { "type": "integer", "minimum": 1, "description": "For list; from 1." }
        },
        "required": ["action"]
    });
    own_tool(SKILL, "list, use and forget skills", DESCRIPTION, schema, wire_name)
}

/// One of the session's own tools.
pub(super) fn own_tool(
    name: &str,
    summary: &str,
    description: &str,
    schema: Value,
    wire_name: String,
) -> ToolDefinition {
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
        server: RUNTIME.to_owned(),
        layer: Layer::Static,
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
        read_only: Some(false),
        destructive: Some(false),
        info,
    }
}
