//! A stop is looked at before it is accepted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::super::{Actor, Report};
use super::{About, Answer, GATE_WAIT, Ticket};
use crate::model::HistoryItem;
use crate::proto::{
    AgentState, Body, Decision, GateThen, GateVerdict, Mechanic, RequestId, ToolOutcome, TurnId, TurnOutcome,
};
use crate::supervisor::Ask;
use crate::supervisor::gate::{Case, Gate, Step, closes_plan};
use crate::supervisor::receipt::{Kind, Receipt};
use crate::text::human;

/// Arguments that name a file.
const FILES: [&str; 4] = ["path", "file_path", "file", "filename"];

/// Files that are looked for at the most.
const MOST_FILES: usize = 50;

#[derive(Default)]
pub(super) struct Gating {
    look: Option<Look>,
    /// The verdict of the attempt before in this turn, and how many events it knew.
    before: Option<(Arc<GateVerdict>, usize)>,
}

/// A stop that is looked at.
struct Look {
    gate: Gate,
    ticket: Ticket,
    begun: Instant,
    model: String,
    requests: Vec<RequestId>,
}

impl Gating {
    pub fn new_turn(&mut self) {
        *self = Self::default();
    }

    fn attempt(&self) -> u32 {
        self.before.as_ref().map_or(1, |(verdict, _)| verdict.attempt + 1)
    }
}

impl Actor {
    /// The agent stopped by itself.
    pub(in crate::session::actor) fn stopped(&mut self) {
        self.switches_safe_point();
        if self.is_supervised() && !self.person() && self.say_idle() {
            return self.prepare();
        }
        if !self.has_mechanic(Mechanic::Gate) {
            if self.is_supervised() && self.supervise.watch.state == Some(AgentState::Done) {
                self.plan_accepted();
            }
            return self.finish(TurnOutcome::Done);
        }
        self.wait_for(About::Gate, GATE_WAIT);
        let files = self.written_files();
        let Some(turn) = self.turn.as_ref().map(|turn| turn.id) else { return };
        if files.is_empty() {
            return self.look_at_stop(turn, &[]);
        }
        let (report, workdir) = (self.report.clone(), self.setup.workdir.clone());
        tokio::task::spawn_blocking(move || {
            let found = files.iter().filter_map(|file| artifact(&workdir, file)).collect();
            // The session may be over; then nobody looks.
            let _ = report.send(Report::Artifacts(turn, found));
        });
    }

    /// Files that calls of this turn wrote, by their arguments.
    fn written_files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        let wrote = |receipt: &&Receipt| receipt.outcome == ToolOutcome::Ok && receipt.kind == Kind::Mutation;
        for receipt in self.supervise.watch.events_of_turn().iter().filter(wrote) {
            let arguments: Value = serde_json::from_str(&receipt.target).unwrap_or_default();
            let named = FILES.iter().find_map(|key| arguments.get(*key)?.as_str());
            if let Some(file) = named.filter(|file| !files.iter().any(|known| known == file)) {
                files.push(file.to_owned());
            }
        }
        files.truncate(MOST_FILES);
        files
    }

    /// What was written is known; the verifier is asked.
    pub(in crate::session::actor) fn look_at_stop(&mut self, turn: TurnId, artifacts: &[String]) {
        let waits = self.waits_for_gate() && self.turn.as_ref().is_some_and(|running| running.id == turn);
        if !waits || self.supervise.gate.look.is_some() {
            return;
        }
        let gate = self.gate_of(artifacts);
        let model = self.supervisor_model_name();
        let ticket = self.ask_supervisor(gate.ask());
        self.supervise.gate.look = Some(Look { gate, ticket, begun: Instant::now(), model, requests: Vec::new() });
    }

    /// The stop as the verifier sees it.
    fn gate_of(&self, artifacts: &[String]) -> Gate {
        let replied = self.rec.history.items().iter().rev().find_map(|item| match item {
            HistoryItem::Assistant { text, .. } => Some(text.as_str()),
            HistoryItem::User { .. } | HistoryItem::Result { .. } => None,
        });
        let watch = &self.supervise.watch;
        let texts = self.texts_of_events();
        let snapshot = self.rec.hub.snapshot();
        let before = self.supervise.gate.before.as_ref();
        Gate::new(&Case {
            goal: &watch.goal(self.turns),
            messages: &self.supervise.watch.said,
            prohibitions: &watch.forbidden(),
            reply: replied.unwrap_or_default(),
            claim: watch.state,
            events: &self.events(&texts),
            turn_from: watch.turn_from,
            artifacts,
            plan: &snapshot.supervisor.plan,
            attempt: self.supervise.gate.attempt(),
            before: before.map(|(verdict, _)| verdict.as_ref()),
            events_before: before.map_or(0, |(_, events)| *events),
        })
    }

    pub(super) fn gate_answered(&mut self, ticket: Ticket, answer: Answer) {
        let Some(look) = self.supervise.gate.look.as_mut().filter(|look| look.ticket == ticket) else { return };
        look.requests.push(answer.request);
        let reply = answer.result.as_deref().map_err(|fault| fault.message.as_str());
        match look.gate.answered(reply) {
            Step::Refute(ask) | Step::Retry(ask) => self.ask_again(ask),
            Step::Verdict(verdict) => self.judged(*verdict),
        }
    }

    fn ask_again(&mut self, ask: Ask) {
        let ticket = self.ask_supervisor(ask);
        if let Some(look) = &mut self.supervise.gate.look {
            look.ticket = ticket;
        }
    }

    fn judged(&mut self, verdict: GateVerdict) {
        let verdict = self.say_verdict(verdict);
        match &verdict.then {
            GateThen::Accepted => {
                if closes_plan(&verdict) {
                    self.plan_accepted();
                }
                self.finish(TurnOutcome::Done);
            }
            GateThen::RunAgain { note } => {
                let note = note.clone();
                self.supervise.gate.before = Some((verdict, self.supervise.watch.events.len()));
                self.say_as_system("gate", "gaps", note);
                self.prepare();
            }
            GateThen::Ended { .. } => self.finish(TurnOutcome::Done),
        }
    }

    fn say_verdict(&mut self, verdict: GateVerdict) -> Arc<GateVerdict> {
        let verdict = match self.supervise.gate.look.take() {
            None => verdict,
            Some(look) => {
                let elapsed_ms = look.begun.elapsed().as_millis() as u64;
                GateVerdict { requests: look.requests, model: look.model, elapsed_ms, ..verdict }
            }
        };
        let verdict = Arc::new(verdict);
        self.end.verdict = Some(verdict.outcome);
        self.rec.cell(Body::Decided(Decision::Gate(Arc::clone(&verdict))));
        verdict
    }

    /// The person stopped it while it was looked at: the reply stays, and nothing is taken as verified.
    pub(super) fn gate_stopped(&mut self) {
        let verdict = self.unjudged(if self.leaving { "the session was left" } else { "stopped by you" });
        self.say_verdict(verdict);
    }

    /// There was no answer in time.
    pub(super) fn gate_overdue(&mut self) {
        self.cancel_asks(|mechanic| matches!(mechanic, Mechanic::Gate | Mechanic::Refute));
        let verdict = self.unjudged(&format!("no answer in {} s", GATE_WAIT.as_secs()));
        self.judged(verdict);
    }

    /// The gate was switched off while it looked: the stop is accepted as it is.
    pub(super) fn gate_switched_off(&mut self) {
        let verdict = self.unjudged("the gate was switched off while it looked");
        self.say_verdict(GateVerdict { then: GateThen::Accepted, ..verdict });
        self.finish(TurnOutcome::Done);
    }

    fn unjudged(&mut self, why: &str) -> GateVerdict {
        match &mut self.supervise.gate.look {
            Some(look) => look.gate.stopped(why),
            None => self.gate_of(&[]).stopped(why),
        }
    }
}

/// The file in one line, if it is there.
fn artifact(workdir: &Path, file: &str) -> Option<String> {
    let path: PathBuf = workdir.join(file);
    let meta = path.metadata().ok()?;
    let size = if meta.is_dir() { "a folder".to_owned() } else { human::bytes(meta.len()) };
    Some(format!("{file} ({size})"))
}
