//! The `capability` tool and `/capability`.

use serde_json::{Value, json};

use super::SurfaceReport;
use super::ask::Answered;
use super::effects::Waits;
use crate::mcp::{CallResult, ToolDefinition};
use crate::proto::{CallId, Cause, Content, Departure, ToolOutcome};
use crate::session::actor::own::{OwnTool, own_tool};
use crate::session::actor::{Actor, Report};
use crate::session::encoder::{self, Patience};
use crate::session::rules::skill_list::{self, Asked, Listed, PERSON_PAGE, Wish, Words};
use crate::session::server_specs::RUNTIME;
use crate::surface::{in_domain, intent};
use crate::text;

pub(in crate::session::actor) const CAPABILITY: &str = "capability";

const DESCRIPTION: &str = "Capabilities are sets of tools that come and go. `list` shows those that may be used \
    here, a page at a time; `discover` finds some for an intent; `enable` brings one and names its tools; `disable` \
    takes one off. At most four are on beside the role's own; the one used longest ago makes room. Look here when a \
    tool is missing.";

/// Columns of a description.
const COLUMNS: usize = 60;

pub(in crate::session::actor) fn definition(wire_name: String) -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ["list", "discover", "enable", "disable"] },
            "name": { "type": "string", "description": "Of the capability, for enable and disable." },
            "intent": { "type": "string", "description": "What is to be done, for discover." },
            "page": { "type": "integer", "minimum": 1, "description": "For list; from 1." }
        },
        "required": ["action"]
    });
    let summary = "list, discover, enable and disable sets of tools";
    own_tool(OwnTool { server: RUNTIME, name: CAPABILITY, summary, description: DESCRIPTION }, schema, wire_name)
}

pub(in crate::session::actor) fn ok(text: String) -> CallResult {
    CallResult { outcome: ToolOutcome::Ok, content: Content::Text(text) }
}

pub(in crate::session::actor) fn failed(text: String) -> CallResult {
    CallResult { outcome: ToolOutcome::Error, content: Content::Text(text) }
}

impl Actor {
    pub(in crate::session::actor) fn run_capability(&mut self, id: &CallId, arguments: &Value) {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let (action, name, wanted) = (text("action"), text("name"), text("intent"));
        let page = arguments.get("page").and_then(Value::as_u64).unwrap_or(1);
        let result = match action.as_str() {
            "list" => self.list_capabilities(usize::try_from(page).unwrap_or(usize::MAX)),
            "discover" if wanted.is_empty() => failed("discover needs an intent: what is to be done.".to_owned()),
            "discover" => return self.discover(id, wanted),
            "enable" | "disable" if name.is_empty() => failed(format!("{action} needs the name of a capability.")),
            "enable" => match self.enable(&name, Cause::Model, Waits::Call(id.clone())) {
                // Ends when its server is there.
                Answered::On | Answered::Coming(_) => return self.call_waits(id),
                Answered::Already => ok(format!("{name} is on already.")),
                Answered::Refused(why) => failed(why),
            },
            "disable" if !self.live.state.has(&name) => ok(format!("{name} is not on.")),
            "disable" => match self.disable(&name, Departure::Model) {
                Answered::Refused(why) => failed(why),
                Answered::On | Answered::Coming(_) | Answered::Already => ok(format!("{name} is off.")),
            },
            other => failed(format!("{other:?} is no action; use list, discover, enable or disable.")),
        };
        let _ = self.report.send(Report::Called(id.clone(), result));
    }

    /// Those that may come here, and those that are on.
    fn listed_capabilities(&self) -> Vec<Listed> {
        let state = &self.live.state;
        let ready = self.readiness();
        let open = self.live.offers().iter().filter(|offer| {
            let named = offer.provider.is_ok() && !offer.capability.triggers.is_empty();
            state.has(offer.name()) || (named && in_domain(offer, state.domain()))
        });
        let one = |offer: &crate::surface::Offer| {
            let has = |key: &&String| ready.as_ref().is_some_and(|ready| ready.has(key));
            let missing: Vec<&str> = offer.environment.iter().filter(|key| !has(key)).map(String::as_str).collect();
            let needs = match missing.as_slice() {
                [] => String::new(),
                missing => format!(" (needs {})", missing.join(", ")),
            };
            Listed {
                name: offer.name().to_owned(),
                title: offer.title.clone(),
                description: format!("{}{needs}", offer.title),
                source: offer.tap().to_owned(),
                active: state.has(offer.name()),
            }
        };
        skill_list::ordered(open.map(one).collect())
    }

    fn list_capabilities(&self, number: usize) -> CallResult {
        let words = Words { one: "capability", many: "capabilities", active: "on" };
        skill_list::told(&self.listed_capabilities(), number, words).map_or_else(failed, ok)
    }

    fn discover(&self, id: &CallId, wanted: String) {
        let (report, call) = (self.report.clone(), id.clone());
        let found = self.discovered(wanted);
        tokio::spawn(async move {
            let _ = report.send(Report::Surface(SurfaceReport::Discovered(call, found.await)));
        });
    }

    /// What could do it, in words.
    fn discovered(&self, wanted: String) -> impl Future<Output = String> + Send + use<> {
        let (encoder, patience) = (self.setup.encoder.clone(), Patience::from(self.setup.person));
        let book = self.live.book.clone().unwrap_or_default();
        let domain = self.live.state.domain().to_owned();
        let listed = self.listed_capabilities();
        async move {
            let cleaned = intent::clean(&wanted);
            let beside = encoder::compare(encoder.as_deref(), &cleaned, patience).await;
            let unready = "the sentence model is not ready";
            let beside = beside.as_ref().map(|(beside, _)| beside).map_err(|_| &unready as &dyn std::fmt::Display);
            let found = encoder::discover(book.catalogue(), &domain, &cleaned, beside);
            let line = |one: &encoder::Capability| {
                let known = listed.iter().find(|known| known.name == one.name);
                let mark = if known.is_some_and(|known| known.active) { " (on)" } else { "" };
                let told = known.map_or(one.title.as_str(), |known| known.description.as_str());
                format!("- {}{mark} {:.2}: {told}", one.name, one.score)
            };
            let lines: Vec<String> = found.found.iter().map(line).collect();
            match lines.is_empty() {
                true => format!("Nothing fits. {}", found.sentence()),
                false => format!("{}\n{}", found.sentence(), lines.join("\n")),
            }
        }
    }

    /// Why a tool that a call names is not there, and how it would be.
    pub(in crate::session::actor) fn absent_tool(&self, tool: &str) -> Option<String> {
        let book = self.live.book.as_ref().filter(|_| self.has_surface())?;
        let owner = crate::session::surface::owner(book, &self.live.state, &self.live.seen, tool)?;
        let catalog = self.catalog();
        let own = catalog.iter().find(|known| known.server == RUNTIME && known.name == CAPABILITY);
        let how = match own {
            Some(own) => format!("Enable it with {} (action enable, name {owner}).", own.info.wire_name),
            None => format!("A person can switch it on with /capability {owner}."),
        };
        Some(format!("The tool {tool:?} belongs to the capability {owner}, which is not on. {how}"))
    }

    /// `/capability`.
    pub(in crate::session::actor) async fn slash_capability(&mut self, words: &str) -> String {
        if !self.has_surface() {
            return "The surface of this session cannot be changed here.".to_owned();
        }
        match words.split_once(char::is_whitespace).map(|(verb, rest)| (verb, rest.trim())) {
            Some(("discover", wanted)) => return self.discovered(wanted.to_owned()).await,
            Some(("enable", name)) => return self.ask_for(name).await.sentence(name),
            Some(("disable", name)) => return self.switch_off(name),
            Some((verb @ ("pin" | "unpin"), name)) => {
                let done = self.pin(name, verb == "pin");
                let state = if verb == "pin" { "stays until you take it off" } else { "may be evicted" };
                return if done {
                    format!("{name} {state}.")
                } else {
                    format!("Nothing changed: {name} is as it was.")
                };
            }
            _ => {}
        }
        let all = self.listed_capabilities();
        match Asked::parse(words) {
            Asked::Page(number) => page(&all, number),
            Asked::Matching(pattern) => match skill_list::matching(all, &pattern) {
                Ok(found) if found.is_empty() => format!("No capability matches {pattern}."),
                Ok(found) => rows(&found),
                Err(error) => format!("{error}."),
            },
            Asked::One(name, wish) => match (wish, self.live.state.has(&name)) {
                (Wish::Off, _) | (Wish::Other, true) => self.switch_off(&name),
                (Wish::On, _) | (Wish::Other, false) => self.ask_for(&name).await.sentence(&name),
            },
        }
    }

    fn switch_off(&mut self, name: &str) -> String {
        match self.disable(name, Departure::Person) {
            Answered::Refused(why) => why,
            Answered::On | Answered::Coming(_) | Answered::Already => format!("{name} is off."),
        }
    }
}

fn page(all: &[Listed], number: usize) -> String {
    if all.is_empty() {
        return "There are no capabilities for this role.".to_owned();
    }
    match skill_list::page(all, number, PERSON_PAGE) {
        Some((shown, 1)) => rows(shown),
        Some((shown, pages)) => format!("{}\n\npage {number} of {pages}, /capability N for another", rows(shown)),
        None => format!("There is no page {number}; the last is {}.", all.len().div_ceil(PERSON_PAGE)),
    }
}

fn rows(all: &[Listed]) -> String {
    let row = |one: &Listed| {
        let mark = if one.active { "▸" } else { " " };
        let description = text::sanitize_line(&one.description).into_owned();
        let description = text::truncate(&description, COLUMNS).into_owned();
        vec![mark.to_owned(), one.name.clone(), description, one.source.clone()]
    };
    crate::session::actor::slash::table(&all.iter().map(row).collect::<Vec<_>>())
}
