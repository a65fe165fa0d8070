//! The tool `tap`.

use serde_json::{Value, json};

use super::run::arguments as argument;
use super::{Order, Tells};
use crate::mcp::{CallResult, ToolDefinition};
use crate::proto::{CallId, Child, counted};
use crate::session::actor::Actor;
use crate::session::actor::own::{OwnTool, own_tool};
use crate::session::actor::surface::{failed, ok};
use crate::session::server_specs::ORCHESTRATION;
use crate::text::{disarmed, human};

pub(in crate::session::actor) const TAP: &str = "tap";

const DESCRIPTION: &str = "Hands work to other agents, and asks for tools. `run` gives a task to the specialist whose \
    description fits it best; you name no agent. It works in the background with nothing but your prompt: put in the \
    goal, what is known, what must not change, and what to hand back. What it hands back comes by itself in a later \
    turn. With session, a run that is over goes on. `list` shows the runs, `send` tells a running one something, \
    `stop` ends one. `capability` activates the set of tools that an intent clearly asks for.";

/// What `action` may be.
const ACTIONS: [&str; 6] = ["run", "list", "stop", "send", "capability", "workflow"];

pub(in crate::session::actor) fn definition(wire_name: String) -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string", "enum": ACTIONS },
            "prompt": { "type": "string", "description": "For run: the task in full. For send: the message." },
            "workdir": { "type": "string", "description": "For run: the folder to work in; default this one." },
            "session": { "type": "string", "description": "The id of a run: for stop and send, and for run to go on." },
            "intent": { "type": "string", "description": "For capability: in one sentence, what is to be done." }
        },
        "required": ["action"]
    });
    let summary = "hand work to other agents, ask for tools by intent";
    own_tool(OwnTool { server: ORCHESTRATION, name: TAP, summary, description: DESCRIPTION }, schema, wire_name)
}

impl Actor {
    /// The result, unless it comes later by a report.
    pub(in crate::session::actor) fn run_tap(&mut self, id: &CallId, arguments: &Value) -> Option<CallResult> {
        let text = |key: &str| argument(arguments, key);
        let (action, prompt, session) = (text("action"), text("prompt"), text("session"));
        let result = match action.as_str() {
            "run" | "send" if prompt.is_empty() => failed(format!("{action} needs a prompt.")),
            "stop" | "send" if session.is_empty() => failed(format!("{action} needs the session: the id of a run.")),
            "run" if session.is_empty() => return self.run_agent(id, prompt, &text("workdir")),
            "run" => self.run_again(&session, prompt),
            "list" => self.list_children(),
            "stop" => self.stop_by_agent(&session),
            "send" => self.send_to_child(&session, prompt),
            "capability" => match text("intent") {
                intent if intent.is_empty() => {
                    failed("capability needs an intent: in one sentence, what is to be done.".to_owned())
                }
                intent => {
                    self.push_intent(id, &intent);
                    return None;
                }
            },
            "workflow" => failed(NO_WORKFLOWS.to_owned()),
            other => failed(format!("{other:?} is no action; use one of {}.", ACTIONS.join(", "))),
        };
        Some(result)
    }

    fn list_children(&self) -> CallResult {
        let snapshot = self.rec.hub.snapshot();
        let now = self.rec.now();
        let lines: Vec<String> = snapshot.children.iter().map(|child| line(child, now)).collect();
        match lines.as_slice() {
            [] => ok("Nothing was handed on in this session.".to_owned()),
            lines => {
                ok(format!("{}\n{}", counted(u32::try_from(lines.len()).unwrap_or(u32::MAX), "run"), lines.join("\n")))
            }
        }
    }

    fn stop_by_agent(&mut self, id: &str) -> CallResult {
        // Who asked for it need not be told.
        if self.stop_child(id, "the agent that had handed it on stopped it", Tells::Nobody) {
            return ok(format!("{id} stops. What it has done so far stays done; it hands nothing back."));
        }
        match self.child(id) {
            Some(child) => ok(format!("{id} does not run: {}.", standing(&child))),
            None => failed(self.no_child(id)),
        }
    }

    fn send_to_child(&mut self, id: &str, prompt: String) -> CallResult {
        let sent = self.delegation.running.get(id).map(|running| running.orders.send(Order::Say(prompt)).is_ok());
        match (sent, self.child(id)) {
            (Some(true), _) => ok(format!("{id} gets the message before its next step.")),
            (_, Some(child)) => {
                failed(format!("{id} does not run: {}. Use run with this session to go on.", standing(&child)))
            }
            (_, None) => failed(self.no_child(id)),
        }
    }

    /// `/tap`: what was handed on, and stopping it.
    pub(in crate::session::actor) fn slash_tap(&mut self, words: &str) -> String {
        let running: Vec<String> = self.delegation.running.keys().cloned().collect();
        match words.split_once(char::is_whitespace).unwrap_or((words, "")) {
            ("", _) => match self.list_children().content {
                crate::proto::Content::Text(text) if !running.is_empty() => {
                    format!("{text}\n\n/tap stop ID ends one, /tap stop all of them")
                }
                crate::proto::Content::Text(text) => text,
                _ => String::new(),
            },
            ("stop", which) => {
                let which = which.trim();
                let ids: Vec<String> =
                    running.into_iter().filter(|id| which.is_empty() || which == "all" || id == which).collect();
                for id in &ids {
                    self.stop_child(id, "the person stopped it", Tells::WithNext);
                }
                match (ids.as_slice(), which) {
                    ([], "" | "all") => "Nothing runs that was handed on.".to_owned(),
                    ([], id) => format!("No run {id} is at work. /tap lists them."),
                    (ids, _) => format!("{} stops.", ids.join(", ")),
                }
            }
            (other, _) => format!("/tap knows no {other:?}. /tap lists what was handed on, /tap stop ID ends it."),
        }
    }
}

/// `done, not verified`.
fn standing(child: &Child) -> String {
    match child.state.detail() {
        Some(detail) => format!("{}, {detail}", child.state.word()),
        None => child.state.word().to_owned(),
    }
}

fn line(child: &Child, now: u64) -> String {
    let cost = child.usage.cost.map(|cost| format!(", {}", human::dollars(cost))).unwrap_or_default();
    let last = if child.last.is_empty() { String::new() } else { format!("; last: {}", disarmed(&child.last)) };
    format!(
        "- {} {} {} in {}, begun {}, {}{cost}; task: {}{last}",
        child.id,
        child.role,
        standing(child),
        child.workdir,
        human::ago(now.saturating_sub(child.begun)),
        counted(child.requests, "request"),
        disarmed(&child.task)
    )
}

const NO_WORKFLOWS: &str = "Workflows cannot be run in this version of octomind; nothing was started. Do the steps \
    one after the other yourself.";
