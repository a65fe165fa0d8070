//! An agent of a tap is made ready beside the session, which stays usable: messages wait, Esc stops
//! a running script, questions are answered whenever the person likes.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::{Actor, Report};
use crate::proto::{
    Answer, Ask, AskId, AskKind, Body, Decision, Level, Order, ServerState, StartStep, StepState, StepView,
};
use crate::session::seams::Role;
use crate::session::starting::{Refused, RefusedBy, Telling, Told};
use crate::session::{MISSING_VALUE, NOT_BEGUN};

/// An agent that is being made ready.
pub(super) struct Starting {
    /// So that what an abandoned start still says is not heard.
    era: u32,
    /// The start-up cell; below the command that caused it.
    order: Option<Order>,
    /// The step that runs now.
    step: Option<StepView>,
    asked: String,
    occasion: Occasion,
    /// Stops what runs at the moment.
    stop: Option<CancellationToken>,
    asks: Vec<(AskId, oneshot::Sender<Answer>)>,
    _task: AbortOnDropHandle<()>,
}

impl Starting {
    pub fn is_first(&self) -> bool {
        self.occasion == Occasion::First
    }
}

/// Why a role is made ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Occasion {
    /// The session begins, or is taken up.
    First,
    /// `/role`.
    Change,
}

/// The last step, which goes on after the role is there.
pub(super) struct ServersStep {
    order: Order,
    begun: Instant,
}

impl Actor {
    pub(super) fn begin_starting(&mut self, asked: String, occasion: Occasion) {
        self.abandon_start();
        self.starts += 1;
        let era = self.starts;
        let (roles, report, name) = (Arc::clone(&self.setup.roles), self.report.clone(), asked.clone());
        let task = tokio::spawn(async move {
            let (sender, mut told) = unbounded_channel();
            let telling = Telling(sender);
            let prepared = AssertUnwindSafe(roles.prepare(&name, &telling)).catch_unwind();
            tokio::pin!(prepared);
            // The session may be over; then nobody listens.
            let tell = |told| drop(report.send(Report::Start(era, told)));
            let outcome = loop {
                tokio::select! {
                    biased;
                    Some(told) = told.recv() => tell(told),
                    outcome = &mut prepared => break outcome,
                }
            };
            while let Ok(told) = told.try_recv() {
                tell(told);
            }
            let outcome = outcome.unwrap_or_else(|_| {
                let message = "Starting went wrong inside the program.".to_owned();
                Err(Refused { by: RefusedBy::Content, message, hint: Some("Please report it.".to_owned()) })
            });
            tell(Told::Over(outcome.map(Box::new)));
        });
        let task = AbortOnDropHandle::new(task);
        self.starting =
            Some(Starting { era, order: None, step: None, asked, occasion, stop: None, asks: Vec::new(), _task: task });
    }

    pub(super) fn start_told(&mut self, era: u32, told: Told) {
        let Some(starting) = self.starting.as_mut().filter(|starting| starting.era == era) else { return };
        let order = *starting.order.get_or_insert_with(|| self.rec.reserve(1));
        match told {
            Told::Step(step) => {
                starting.step = (step.state == StepState::Running).then(|| step.clone());
                self.rec.emit_at(Some(order), Body::StartStep { step });
            }
            Told::Output(step, line) => self.rec.emit_at(Some(order), Body::StartOutput { step, line }),
            // Records are in the notes; the cell tells the same in short.
            Told::Say(Body::Decided(decision)) => {
                self.say_of_another_tap(&decision);
                self.rec.emit(Body::Decided(decision));
            }
            Told::Say(body) => {
                self.rec.cell(body);
            }
            Told::Ask(kind, answer) => self.start_asks(kind, answer),
            Told::Running(stop) => starting.stop = stop,
            Told::Over(outcome) => self.start_over(outcome.map(|role| *role)),
        }
    }

    /// The same agent from another tap than before may have other instructions and tools.
    fn say_of_another_tap(&mut self, decision: &Decision) {
        let Decision::RoleResolved { role, tap, .. } = decision else { return };
        let before = self.came_from.replace((role.clone(), tap.clone()));
        let Some((_, before)) = before.filter(|(known, from)| known == role && from != tap) else { return };
        let named = |tap: &str| if tap.is_empty() { "the configuration".to_owned() } else { tap.to_owned() };
        let text = format!("{role} comes from {} now; before, it came from {}.", named(tap), named(&before));
        let hint = "Its instructions and tools may be others.".to_owned();
        self.rec.notice(Level::Warning, "role", text, Some(hint));
    }

    fn start_asks(&mut self, kind: AskKind, answer: oneshot::Sender<Answer>) {
        if !self.person() {
            // Dropping it is a no.
            return;
        }
        let id = self.new_ask();
        self.rec.cell(Body::Asked(Ask { id, kind }));
        if let Some(starting) = &mut self.starting {
            starting.asks.push((id, answer));
        }
    }

    /// True when it was a question of the start. The answer itself is in no event.
    pub(super) fn start_answered(&mut self, ask: AskId, answer: &Answer) -> bool {
        let Some(starting) = &mut self.starting else { return false };
        let Some(at) = starting.asks.iter().position(|(id, _)| *id == ask) else { return false };
        let (_, sender) = starting.asks.remove(at);
        let said = if answer.agrees() { Answer::Yes } else { Answer::No };
        self.rec.emit(Body::Answered { ask, answer: said });
        let _ = sender.send(answer.clone());
        true
    }

    /// Stops the script that runs now. False when none does.
    pub(super) fn stop_script(&mut self) -> bool {
        let stop = self.starting.as_mut().and_then(|starting| starting.stop.take());
        stop.map(|stop| stop.cancel()).is_some()
    }

    /// The start goes on without the value it waits for. False when it waits for none.
    pub(super) fn go_without(&mut self) -> bool {
        // A message that is being answered is stopped first; with one, nothing can wait for a value.
        if self.turn.is_some() {
            return false;
        }
        let open = self.starting.as_ref().and_then(|starting| starting.asks.first()).map(|(id, _)| *id);
        open.is_some_and(|ask| self.start_answered(ask, &Answer::No))
    }

    /// What was being made ready is not wanted any more; nothing of it goes on. Gives what it was.
    pub(super) fn abandon_start(&mut self) -> Option<(String, Occasion)> {
        let starting = self.starting.take()?;
        for (ask, _) in &starting.asks {
            self.rec.emit(Body::Answered { ask: *ask, answer: Answer::No });
        }
        if let (Some(order), Some(mut step)) = (starting.order, starting.step) {
            step.state = StepState::Cancelled;
            step.detail = format!("{} is not wanted any more", starting.asked);
            self.rec.emit_at(Some(order), Body::StartStep { step });
        }
        Some((starting.asked.clone(), starting.occasion))
    }

    fn start_over(&mut self, outcome: Result<Role, Refused>) {
        let Some(starting) = self.starting.take() else { return };
        match outcome {
            Ok(role) => self.role_ready(role, &starting),
            Err(refused) => self.role_refused(refused, &starting),
        }
        // What waits goes out when the prompt of the new role is filled in.
        self.holds = !self.leaving && self.prompt.is_none();
        self.send_waiting();
        self.want_phrases();
    }

    /// Sends what waited for the role.
    pub(super) fn send_waiting(&mut self) {
        if self.leaving || self.holds || self.starting.is_some() || self.turn.is_some() {
            return;
        }
        let waiting = self.queue.take_all();
        self.begin_waiting(waiting);
    }

    fn role_ready(&mut self, role: Role, starting: &Starting) {
        let order = starting.order.unwrap_or_else(|| self.rec.reserve(1));
        self.servers_step = Some(ServersStep { order, begun: Instant::now() });
        let count =
            role.servers.len() + usize::from(role.runtime.is_some()) + usize::from(role.orchestration.is_some());
        let words = if count == 1 { "starting 1 server".to_owned() } else { format!("starting {count} servers") };
        self.tell_servers(StepState::Running, words);
        match starting.occasion {
            Occasion::First => self.adopt(role),
            Occasion::Change => {
                let name = role.name.clone();
                match self.take_role(role) {
                    Ok(_) => self.rec.notice(Level::Info, "role", format!("The role is now {name}."), None),
                    Err(error) => {
                        self.tell_servers(StepState::Failed, "not started".to_owned());
                        self.servers_step = None;
                        self.rec.notice(Level::Error, "role", error, None);
                    }
                }
            }
        }
    }

    /// The first role: the model that was chosen beside it stays, unless the role wants its own.
    fn adopt(&mut self, role: Role) {
        let own_model = role.profile.name != self.role.profile.name && !self.keeps_model;
        if !self.keeps_model && self.effort != role.profile.reasoning_effort {
            self.change_effort(role.profile.reasoning_effort);
        }
        self.set_role(role);
        if own_model {
            self.open_model(self.role.profile.name.clone());
        }
    }

    fn role_refused(&mut self, refused: Refused, starting: &Starting) {
        let Refused { by, message, hint } = refused;
        if starting.occasion == Occasion::Change {
            let text = format!("The role stays {}. {message}", self.role.name);
            return self.rec.notice(Level::Error, "role", text, hint);
        }
        let asked_for = self.setup.role.is_some();
        if !self.person() && (asked_for || by != RefusedBy::Name) {
            let source = if by == RefusedBy::MissingValue { MISSING_VALUE } else { NOT_BEGUN };
            self.rec.notice(Level::Error, source, message.clone(), hint);
            self.end.failure = Some(message);
            self.leaving = true;
            return;
        }
        let level = if asked_for { Level::Error } else { Level::Warning };
        match self.setup.roles.usual() {
            Ok(role) => {
                let text = format!("{message}\nThe role {} is used instead.", role.name);
                self.rec.notice(level, "role", text, hint);
                self.adopt(role);
            }
            Err(error) => {
                self.rec.notice(Level::Error, "role", message, hint);
                self.rec.notice(Level::Error, "role", error, None);
                let bare = self.role.clone();
                self.adopt(bare);
            }
        }
    }

    /// The servers came to rest: the last line of the start-up cell.
    pub(super) fn finish_servers_step(&mut self) {
        if self.servers_step.is_none() {
            return;
        }
        let snapshot = self.rec.hub.snapshot();
        let count =
            |wanted: fn(&ServerState) -> bool| snapshot.servers.iter().filter(|view| wanted(&view.state)).count();
        let ready = count(|state| matches!(state, ServerState::Ready { .. }));
        let (all, coming) = (snapshot.servers.len(), count(|state| matches!(state, ServerState::Starting { .. })));
        let held = count(ServerState::is_held);
        let (tools, _) = snapshot.surface();
        let tools = crate::proto::counted(tools, "tool");
        let (state, detail) = match (all, all - ready) {
            (0, _) => (StepState::Skipped, "none".to_owned()),
            (_, 0) => (StepState::Done, format!("{ready} ready, {tools}")),
            (_, rest) if rest == held => {
                let wait = if held == 1 { "waits" } else { "wait" };
                (StepState::Doubtful, format!("{ready} ready, {held} {wait} for your answer; {tools}"))
            }
            (_, rest) if rest == coming => (StepState::Doubtful, format!("{ready} ready, {coming} still starting")),
            (_, rest) => (StepState::Doubtful, format!("{ready} ready, {rest} not; {tools}")),
        };
        self.tell_servers(state, detail);
        self.servers_step = None;
    }

    fn tell_servers(&mut self, state: StepState, detail: String) {
        let Some(ServersStep { order, begun }) = &self.servers_step else { return };
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let step = StepView { step: StartStep::Servers, state, detail, elapsed_ms, output: Vec::new() };
        self.rec.emit_at(Some(*order), Body::StartStep { step });
    }
}
