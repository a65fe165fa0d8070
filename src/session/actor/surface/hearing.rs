//! A fresh message whose comparison waits for the model or for triggers, and what is owed to it after.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::cells::{Cell, running};
use super::route::Time;
use crate::proto::{
    EncoderState, RouteOutcome, RouteWait, Routing, SkillTrace, Skip, Stage, StartStep, StepState, TurnId,
};
use crate::session::actor::Actor;
use crate::session::actor::turn::Phase;
use crate::session::encoder::{LATE, NOT_READY, in_question};

/// A message that is being compared.
pub(super) struct Hearing {
    message: String,
    pub time: Time,
    /// Ends its wait.
    pub stop: CancellationToken,
    /// Where the wait is shown, once it is long enough.
    cell: Option<Cell>,
    begun: Instant,
}

/// What could not be compared when it was said, in this turn.
#[derive(Debug, Default)]
pub(super) struct Owed {
    /// With triggers.
    messages: Vec<String>,
    /// With phrases of skills' rules.
    rules: Vec<String>,
}

impl Hearing {
    pub fn new(message: String, time: Time) -> Self {
        Self { message, time, stop: CancellationToken::new(), cell: None, begun: Instant::now() }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Actor {
    /// A message that was not compared with everything, if it can be now. Once is enough.
    pub(super) fn comparable_owed(&mut self) -> Option<String> {
        let encoder = self.setup.encoder.clone().filter(|_| !self.live.owed.messages.is_empty())?;
        let (_, phrases) = self.comparable();
        (encoder.service().is_loaded() && encoder.are_read(&phrases)).then(|| self.live.owed.messages.remove(0))
    }

    /// The rules of skills are judged again for what they could not be judged for, then the request is
    /// sent.
    pub(super) fn judge_owed(&mut self) {
        let encoder = self.setup.encoder.clone().filter(|_| !self.live.owed.rules.is_empty());
        let asked = || {
            let book = self.live.book.clone()?;
            Some(in_question(book.catalogue(), self.live.state.domain(), &self.active_skills()))
        };
        let judged = self.turn.as_ref().is_some_and(|turn| turn.judged);
        if let Some(encoder) = encoder.filter(|encoder| judged && encoder.service().is_loaded())
            && asked().is_some_and(|asked| encoder.are_read(&asked))
        {
            let message = std::mem::take(&mut self.live.owed.rules).join("\n");
            self.judge_skills(message);
        }
        self.send_or_wait();
    }

    /// How the rules stood for a message; the phrases of some may not be read yet.
    pub(in crate::session::actor) fn rules_judged(&mut self, message: String, traces: &[SkillTrace]) {
        let checks = traces.iter().flat_map(|trace| &trace.lines).flat_map(|line| &line.checks);
        let mut unread = checks.filter(|check| check.cosine.is_none() && check.evidence.starts_with(NOT_READY));
        let first = unread.next();
        // A message that had no vector in time may have one later, whatever else is read.
        let late = first.is_some_and(|check| check.evidence.contains(LATE));
        if first.is_some() && (self.reads_on() || late && self.has_model()) {
            self.live.owed.rules.push(message);
        }
    }

    /// Whether more vectors may come.
    fn reads_on(&self) -> bool {
        self.has_model() && self.setup.encoder.as_ref().is_some_and(|encoder| !encoder.service().is_read())
    }

    /// Whether there is a model, or may be.
    fn has_model(&self) -> bool {
        let Some(encoder) = &self.setup.encoder else { return false };
        !matches!(*encoder.state().borrow(), EncoderState::Failed { .. })
    }

    /// The message was compared with what there is.
    pub(super) fn heard_out(&mut self, mut hearing: Hearing, routing: &Routing) {
        let unread = routing.ineligible.iter().any(|one| one.stage == Stage::PhrasesUnready);
        let missing = match &routing.outcome {
            RouteOutcome::Activated { .. } => false,
            // Loaded, and the message still had no vector in time.
            RouteOutcome::Skipped(Skip::EncoderNotReady { encoder: EncoderState::Ready { .. } }) => self.has_model(),
            RouteOutcome::Skipped(Skip::EncoderNotReady { .. }) => self.reads_on(),
            _ => unread && self.reads_on(),
        };
        let owed = missing && hearing.time == Time::First;
        if owed {
            self.live.owed.messages.push(std::mem::take(&mut hearing.message));
        }
        let Some(cell) = hearing.cell.take() else { return };
        let seconds = hearing.begun.elapsed().as_secs_f32();
        let later = if owed { "; compared again before a later request of this turn" } else { "" };
        let (state, detail) = match routing.wait {
            RouteWait::Overdue { .. } => (StepState::Doubtful, format!("not all read after {seconds:.1} s{later}")),
            RouteWait::WentOn { .. } => (StepState::Cancelled, format!("as you wish: going on without{later}")),
            _ => (StepState::Done, format!("read after {seconds:.1} s")),
        };
        self.end_step(&cell, state, detail);
    }

    /// The wait has become long enough to be shown.
    pub(super) fn hearing_is_long(&mut self, turn: TurnId) {
        let running = self.turn.as_ref().is_some_and(|running| running.id == turn);
        if !running || self.live.hearing.as_ref().is_none_or(|hearing| hearing.cell.is_some()) {
            return;
        }
        let order = self.rec.reserve(1);
        let Some(hearing) = &mut self.live.hearing else { return };
        hearing.cell = Some(Cell { order, step: StartStep::Triggers, begun: hearing.begun });
        self.tell_hearing();
    }

    /// How far it is.
    pub(in crate::session::actor) fn tell_hearing(&mut self) {
        let Some(cell) = self.live.hearing.as_ref().and_then(|hearing| hearing.cell.as_ref()) else { return };
        let reading = match &self.rec.hub.snapshot().encoder {
            EncoderState::Loading { phrases, phrases_done, .. } if *phrases > 0 => {
                format!("reading {phrases_done} of {phrases}")
            }
            EncoderState::Ready { .. } => "comparing the message".to_owned(),
            _ => "loading the sentence model".to_owned(),
        };
        let rest = if self.person() { "; Esc goes on without" } else { "" };
        let (order, step) = (cell.order, running(cell, format!("{reading}{rest}")));
        self.rec.emit_at(Some(order), crate::proto::Body::StartStep { step });
    }

    /// The request goes out without the comparison it waits for. False when nobody was told of a wait.
    pub(super) fn stop_hearing(&self) -> bool {
        let routing = matches!(self.turn.as_ref().map(|turn| &turn.phase), Some(Phase::Routing { .. }));
        let shown = self.live.hearing.as_ref().filter(|hearing| routing && hearing.cell.is_some());
        shown.map(|hearing| hearing.stop.cancel()).is_some()
    }

    /// The turn is over: nothing of it is compared any more.
    pub(super) fn forget_hearing(&mut self) {
        self.live.owed = Owed::default();
        let Some(mut hearing) = self.live.hearing.take() else { return };
        if let Some(cell) = hearing.cell.take() {
            self.end_step(&cell, StepState::Cancelled, "the turn was stopped".to_owned());
        }
    }
}
