//! The tool `skill` of the built-in server `runtime`.

use serde_json::{Value, json};

use super::own::{OwnTool, own_tool};
use super::skills::{self, SkillReport};
use super::surface::{failed, ok};
use super::{Actor, Report};
use crate::mcp::{CallResult, ToolDefinition};
use crate::proto::CallId;
use crate::session::rules::skill_list::{self, Listed, Words};
use crate::session::server_specs::RUNTIME;

pub(super) const SKILL: &str = "skill";

const DESCRIPTION: &str = "Skills are instructions for particular kinds of work. `list` shows those there are, a page \
    at a time; `use` puts one into the conversation; `forget` switches one off. Look here before work that has a \
    method of its own.";

impl Actor {
    pub(super) fn run_skill(&mut self, id: &CallId, arguments: &Value) {
        let Some(offers) = self.setup.offers.clone() else { return };
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
            return;
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

pub(super) fn definition(wire_name: String) -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ["list", "use", "forget"] },
            "name": { "type": "string", "description": "Of the skill, for use and forget." },
            "page": { "type": "integer", "minimum": 1, "description": "For list; from 1." }
        },
        "required": ["action"]
    });
    let summary = "list, use and forget skills";
    own_tool(OwnTool { server: RUNTIME, name: SKILL, summary, description: DESCRIPTION }, schema, wire_name)
}
