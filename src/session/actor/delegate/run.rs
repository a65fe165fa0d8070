//! Which agent a task goes to, and its start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use super::follow::{Teller, follow};
use super::{AT_ONCE, Running, TapReport, Tells};
use crate::mcp::CallResult;
use crate::proto::{Body, CallId, Child, ChildState, Decision, Matched, Matching, RankedAgent, TurnId, Usage, counted};
use crate::session::actor::surface::{failed, ok};
use crate::session::actor::{Actor, ModelSlot, Report};
use crate::session::encoder::{Choice, Ranking};
use crate::session::rules::Limits;
use crate::session::seams::{Assignment, Descent, Pick};
use crate::surface::intent;

/// Comparing a task waits so long for a model that is being loaded.
const COMPARE_WITHIN: Duration = Duration::from_secs(30);

/// Bytes of the agent's name in an id.
const NAME: usize = 80;

/// A task and the agents it was compared with.
pub(in crate::session::actor) struct Compared {
    call: CallId,
    prompt: String,
    workdir: Result<PathBuf, String>,
    ranking: Result<Ranking, String>,
    /// Of the one that was chosen.
    title: String,
}

/// A task that is to be begun.
struct Task {
    role: String,
    title: String,
    workdir: PathBuf,
    prompt: String,
}

impl Actor {
    /// Compares the task beside the session; ends the call by a report.
    pub(super) fn run_agent(&mut self, call: &CallId, prompt: String, workdir: &str) -> Option<CallResult> {
        let offers = self.setup.offers.clone();
        let (Some(offers), Ok(())) = (offers, self.may_begin()) else {
            return Some(failed(self.may_begin().err().unwrap_or_else(|| "There are no agents here.".to_owned())));
        };
        let here = self.setup.workdir.clone();
        let workdir = if workdir.is_empty() { here.clone() } else { here.join(workdir) };
        let (encoder, report, call) = (self.setup.encoder.clone(), self.report.clone(), call.clone());
        let caller = self.role.name.clone();
        tokio::spawn(async move {
            let read = tokio::task::spawn_blocking(move || (offers.catalogue(), folder(&workdir, &here))).await;
            let (catalogue, workdir) = read.unwrap_or_else(|error| (Arc::default(), Err(error.to_string())));
            let task = intent::clean(&prompt);
            let ranking = match &encoder {
                None => Err("there is no sentence model".to_owned()),
                Some(encoder) => {
                    let ranking = encoder.specialist(&catalogue, &caller, &task, COMPARE_WITHIN).await;
                    ranking.map_err(|unready| format!("the sentence model gives no answer: {unready}"))
                }
            };
            let title = match &ranking {
                Ok(Ranking { choice: Choice::Agent(tag), .. }) => {
                    let agent = catalogue.agents.iter().find(|agent| agent.tag.to_string() == *tag);
                    agent.map(|agent| agent.title.clone()).unwrap_or_default()
                }
                _ => String::new(),
            };
            let compared = Compared { call, prompt, workdir, ranking, title };
            let _ = report.send(Report::Tap(TapReport::Compared(Box::new(compared))));
        });
        None
    }

    /// Why nothing can be handed on now, one sentence.
    fn may_begin(&self) -> Result<(), String> {
        if self.setup.children.is_none() {
            return Err("Nothing can be handed on in this session.".to_owned());
        }
        let depth = self.depth();
        let Some(limit) = AT_ONCE.get(depth as usize) else {
            return Err("Who was handed work by a specialist hands nothing on: do it yourself.".to_owned());
        };
        if self.delegation.running.len() >= *limit {
            let running: Vec<&str> = self.delegation.running.keys().map(String::as_str).collect();
            let text = format!(
                "Nothing was started: {} at the same time are the most here ({}). Wait for a result, or stop one.",
                counted(u32::try_from(*limit).unwrap_or(u32::MAX), "agent"),
                running.join(", ")
            );
            return Err(text);
        }
        self.allowance(0.0).map(drop)
    }

    fn depth(&self) -> u32 {
        self.setup.descent.as_ref().map_or(0, |descent| descent.depth)
    }

    /// What a child may spend that cost so much already: what is left of this session's limit.
    fn allowance(&self, cost: f64) -> Result<Limits, String> {
        let limits = self.setup.limits;
        let left = limits.session - (self.spent.session - self.spent.at_yes);
        if limits.session > 0.0 && left <= 0.0 {
            return Err("Nothing was started: the spending limit of the session is reached.".to_owned());
        }
        Ok(Limits { session: if limits.session > 0.0 { left + cost } else { 0.0 }, ..limits })
    }

    /// Records how the task stood, and starts the agent that passed. Nobody starts for a call that was
    /// stopped meanwhile.
    pub(super) fn agents_compared(&mut self, compared: Compared) {
        let Compared { call, prompt, workdir, ranking, title } = compared;
        if !self.call_runs(&call) {
            return;
        }
        let result = match (workdir, self.may_begin()) {
            (Err(why), _) => failed(format!("Nothing was started: {why}.")),
            (_, Err(why)) => failed(why),
            (Ok(workdir), Ok(())) => {
                let chosen = match &ranking {
                    Ok(Ranking { choice: Choice::Agent(tag), .. }) => Ok((tag.clone(), self.free_id(tag))),
                    Ok(Ranking { choice: Choice::None(why), .. }) => Err(ok(no_match(why))),
                    Err(why) => Err(failed(no_match(why))),
                };
                let id = chosen.as_ref().ok().map(|(_, id)| id.clone());
                let matching = self.matching(&prompt, ranking, id);
                self.rec.cell(Body::Decided(Decision::Matched(Arc::new(matching))));
                chosen.map_or_else(
                    |result| result,
                    |(role, id)| self.begin_child(&id, Task { role, title, workdir, prompt }),
                )
            }
        };
        let _ = self.report.send(Report::Called(call, result));
    }

    fn matching(&self, prompt: &str, ranking: Result<Ranking, String>, id: Option<String>) -> Matching {
        let task = intent::clean(prompt);
        let ranking = ranking.unwrap_or_else(|why| Ranking::untold(&self.role.name, &task, why));
        let outcome = match (ranking.choice, id) {
            (Choice::Agent(tag), Some(id)) => Matched::Agent { tag, id },
            (Choice::Agent(_), None) => Matched::Nobody { why: "nobody was started".to_owned() },
            (Choice::None(why), _) => Matched::Nobody { why },
        };
        let ranked = ranking.ranked.into_iter().map(|one| RankedAgent { tag: one.tag, cosine: one.cosine });
        Matching {
            turn: TurnId(self.turns),
            caller: ranking.caller,
            task_hash: intent::hash(&task),
            excerpt: intent::excerpt(&self.rec.mask.text(&task)),
            model: ranking.model,
            backend: ranking.backend,
            threshold: ranking.threshold,
            needed_margin: ranking.least_margin,
            ranked: ranked.collect(),
            margin: ranking.margin,
            left_out: ranking.left_out,
            outcome,
        }
    }

    /// `tap-developer-general-a3f1c2`: a session of this name is not there.
    fn free_id(&self, tag: &str) -> String {
        let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
        let name: String = tag.chars().take(NAME).map(kept).collect();
        let mut number = ((self.setup.chance)() * f64::from(0x0100_0000)) as u32;
        loop {
            let id = format!("tap-{name}-{:06x}", number & 0x00ff_ffff);
            if !self.setup.sessions.join(&id).exists() && self.child(&id).is_none() {
                return id;
            }
            number = number.wrapping_add(0x009e_3779);
        }
    }

    fn begin_child(&mut self, id: &str, task: Task) -> CallResult {
        let Task { role, title, workdir, prompt } = task;
        let child = Child {
            id: id.to_owned(),
            role,
            title,
            workdir: workdir.display().to_string(),
            task: intent::excerpt(&self.rec.mask.text(&prompt)),
            state: ChildState::Running,
            begun: self.rec.now(),
            turn: TurnId(self.turns),
            ended: 0,
            turns: 0,
            requests: 0,
            usage: Usage::default(),
            last: String::new(),
            result: None,
        };
        self.start_child(child, Pick::New { name: Some(id.to_owned()) }, prompt)
    }

    fn start_child(&mut self, child: Child, pick: Pick, prompt: String) -> CallResult {
        let allowance = self.allowance(child.usage.cost.unwrap_or(0.0));
        let (Some(children), Ok(limits)) = (self.setup.children.clone(), allowance) else {
            return failed("Nothing was started: the spending limit of the session is reached.".to_owned());
        };
        let model = match &self.model {
            ModelSlot::Ready(model) => Some(model.info().name),
            ModelSlot::Coming | ModelSlot::Failed(_) => None,
        };
        let descent = Descent { parent: self.name.clone(), depth: self.depth() + 1 };
        let (role, workdir) = (child.role.clone(), PathBuf::from(&child.workdir));
        let handle = children.start(Assignment { role, workdir, pick, model, limits, descent });
        self.delegation.runs += 1;
        let (run, (orders, heard)) = (self.delegation.runs, unbounded_channel());
        let teller = Teller { id: child.id.clone(), run, report: self.report.clone() };
        let task = tokio::spawn(follow(handle, prompt, heard, teller));
        let running = Running { run, orders, task, tells: Tells::AtOnce };
        self.delegation.running.insert(child.id.clone(), running);
        let told = json!({
            "id": child.id, "role": child.role, "title": child.title, "workdir": child.workdir, "message": STARTED,
        });
        self.tell_child(child);
        ok(told.to_string())
    }

    /// A child that is over goes on with another message.
    pub(super) fn run_again(&mut self, id: &str, prompt: String) -> CallResult {
        let Some(child) = self.child(id) else { return failed(self.no_child(id)) };
        if self.delegation.running.contains_key(id) {
            return failed(format!("{id} is still at work. Wait for its result, or use send to tell it something."));
        }
        if let Err(why) = self.may_begin() {
            return failed(why);
        }
        if !Path::new(&child.workdir).is_dir() {
            return failed(format!("Nothing was started: the folder {} is gone.", child.workdir));
        }
        self.delegation.arrived.retain(|known| known != id);
        let (begun, turn) = (self.rec.now(), TurnId(self.turns));
        let task = intent::excerpt(&self.rec.mask.text(&prompt));
        let child = Child { state: ChildState::Running, begun, turn, ended: 0, task, result: None, ..child };
        self.start_child(child, Pick::Resume { name: id.to_owned() }, prompt)
    }

    /// That there is none of this id, and which there are.
    pub(super) fn no_child(&self, id: &str) -> String {
        let snapshot = self.rec.hub.snapshot();
        let known: Vec<&str> = snapshot.children.iter().map(|child| child.id.as_str()).collect();
        match known.as_slice() {
            [] => format!("There is no run {id:?}: this session has handed nothing on."),
            known => format!("There is no run {id:?} of this session; there are {}.", known.join(", ")),
        }
    }
}

const STARTED: &str = "Started in the background. What it hands back comes by itself in a later turn: do not wait or \
    ask for it; go on with other work, or end your turn.";

fn no_match(why: &str) -> String {
    let why = crate::proto::clause(why);
    format!(
        "No specialist matches this task: {why}. Nothing was started. Do it yourself, or say more exactly what it is."
    )
}

/// The folder as the system knows it. The session's own is taken as it is.
fn folder(wanted: &Path, here: &Path) -> Result<PathBuf, String> {
    if wanted == here {
        return Ok(here.to_owned());
    }
    let found =
        wanted.canonicalize().map_err(|error| format!("the folder {} cannot be used: {error}", wanted.display()))?;
    match (found.is_dir(), here.canonicalize()) {
        (false, _) => Err(format!("{} is no folder", wanted.display())),
        (true, Ok(own)) if own == found => Ok(here.to_owned()),
        (true, _) => Ok(found),
    }
}

/// A text among the arguments of a call; empty when there is none.
pub(super) fn arguments(arguments: &Value, key: &str) -> String {
    arguments.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}
