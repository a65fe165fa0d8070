//! The plan is kept beside the turn.

use std::sync::Arc;

use super::super::{Actor, Report};
use super::{Answer, Ticket};
use crate::proto::{
    AssumptionState, Body, CallId, Decision, Mechanic, PlanAction, PlanSignal, PlanTrigger, PlanView, TurnId,
};
use crate::session::supervisor::assume;
use crate::supervisor::plan::{
    self, Frame, Latch, Planned, Planner, Watched, archive, close, command_ok, open_assumptions,
};

/// What was seen of an assumption: its phase, its place there, and how it stands.
pub(in crate::session::actor) type Seen = Vec<(usize, usize, AssumptionState)>;

#[derive(Default)]
pub(super) struct Planning {
    plan: Arc<PlanView>,
    latch: Latch,
    running: Option<(Ticket, Planner)>,
    /// Lands at the next safe point.
    decided: Option<Planned>,
    /// What is asked when the call that runs is over.
    next: Option<PlanTrigger>,
    /// The last call before the active phase began; `None` = all calls are of it.
    phase_after: Option<CallId>,
    /// The last call when the planner was asked: what runs while it thinks is of the phase it begins.
    asked_after: Option<CallId>,
    /// Assumptions of this revision are being looked at.
    looking: Option<u32>,
    /// What was seen, for the next safe point.
    seen: Option<(u32, Seen)>,
}

impl Actor {
    /// The agent asked for something about the plan.
    pub(in crate::session::actor) fn plan_signalled(&mut self, signal: &PlanSignal) {
        if self.has_mechanic(Mechanic::Plan) {
            self.ask_planner(PlanTrigger::Signal(signal.clone()));
        }
    }

    fn ask_planner(&mut self, trigger: PlanTrigger) {
        if !self.supervise.plan.latch.open(TurnId(self.turns)) {
            return;
        }
        if self.supervise.plan.running.is_some() || self.supervise.plan.decided.is_some() {
            self.supervise.plan.next = Some(trigger);
            return;
        }
        self.supervise.plan.asked_after = self.last_call();
        match self.planner_of(trigger) {
            Ok(planner) => {
                let ticket = self.ask_supervisor(planner.ask());
                self.supervise.plan.running = Some((ticket, planner));
            }
            Err(planned) => self.plan_decided(*planned),
        }
    }

    fn last_call(&self) -> Option<CallId> {
        self.supervise.watch.events.last().map(|event| event.call.clone())
    }

    fn planner_of(&self, trigger: PlanTrigger) -> Result<Planner, Box<Planned>> {
        let watch = &self.supervise.watch;
        let texts = self.texts_of_events();
        let events = self.events(&texts);
        let after = self.supervise.plan.phase_after.as_ref();
        let frame = Frame {
            goal: &watch.goal(self.turns),
            messages: &self.supervise.watch.said,
            prohibitions: &watch.forbidden(),
            role: self.role_text(),
            events: &events,
            phase_from: after
                .and_then(|call| watch.events.iter().rposition(|event| event.call == *call))
                .map_or(0, |at| at + 1),
            plan: &self.supervise.plan.plan,
        };
        Planner::new(trigger, &frame)
    }

    pub(super) fn plan_answered(&mut self, ticket: Ticket, answer: Answer) {
        let Some((_, planner)) = self.supervise.plan.running.take_if(|(running, _)| *running == ticket) else { return };
        let reply = answer.result.as_deref().map_err(|fault| fault.message.as_str());
        let mut planned = planner.answered(reply);
        planned.decision.request = Some(answer.request);
        self.supervise.plan.latch.note(TurnId(self.turns), &planned.decision);
        self.plan_decided(planned);
    }

    /// It is in force from the next safe point on, which is now when no turn runs.
    fn plan_decided(&mut self, planned: Planned) {
        self.supervise.plan.decided = Some(planned);
        if self.turn.is_none() {
            self.plan_lands();
        }
    }

    /// Before every request.
    pub(super) fn plan_safe_point(&mut self) {
        self.plan_lands();
        if let Some((revision, seen)) = self.supervise.plan.seen.take()
            && revision == self.supervise.plan.plan.revision
        {
            self.plan_observed(&seen);
        }
        self.look_at_assumptions();
    }

    /// What was decided beside the turn takes effect; also when the turn is over.
    pub(in crate::session::actor) fn plan_lands(&mut self) {
        if let Some(planned) = self.supervise.plan.decided.take() {
            self.plan_changes(planned);
        }
        if self.supervise.plan.running.is_none()
            && let Some(trigger) = self.supervise.plan.next.take().filter(|_| self.turn.is_some())
        {
            self.ask_planner(trigger);
        }
    }

    fn plan_changes(&mut self, Planned { plan, mut decision }: Planned) {
        let plan = plan.map(Arc::new);
        decision.plan.clone_from(&plan);
        let asked = matches!(decision.trigger, PlanTrigger::Signal(_) | PlanTrigger::Broken { .. });
        let quiet = decision.action == PlanAction::None && decision.trouble.is_none();
        let body = Body::Decided(Decision::Planned(Box::new(decision)));
        if quiet {
            self.rec.emit(body);
        } else {
            self.rec.cell(body);
        }
        if let Some(plan) = plan {
            if plan.active() != self.supervise.plan.plan.active() || plan.goal != self.supervise.plan.plan.goal {
                let after = if asked { self.supervise.plan.asked_after.clone() } else { self.last_call() };
                self.supervise.plan.phase_after = after;
            }
            self.show_plan(plan);
        }
    }

    fn show_plan(&mut self, plan: Arc<PlanView>) {
        self.supervise.plan.plan = Arc::clone(&plan);
        self.rec.emit(Body::PlanChanged(plan));
    }

    /// Looks whether what is left of the plan still rests on what is so, beside the task.
    fn look_at_assumptions(&mut self) {
        let planning = &self.supervise.plan;
        if !self.has_mechanic(Mechanic::Plan) || planning.looking.is_some() {
            return;
        }
        let open = open_assumptions(&planning.plan);
        if open.is_empty() {
            return;
        }
        let revision = planning.plan.revision;
        let commands = open.iter().any(|(_, _, watched)| matches!(watched, Watched::CommandOk(_)));
        let texts = if commands { self.texts_of_events() } else { Vec::new() };
        let events = self.calls(&texts);
        let (mut seen, mut to_look): (Seen, Vec<_>) = (Vec::new(), Vec::new());
        for (phase, place, watched) in open {
            match watched {
                Watched::CommandOk(command) => seen.push((phase, place, command_ok(&command, &events))),
                watched => to_look.push((phase, place, watched)),
            }
        }
        self.supervise.plan.looking = Some(revision);
        let (report, workdir) = (self.report.clone(), self.setup.workdir.clone());
        tokio::task::spawn_blocking(move || {
            seen.extend(to_look.into_iter().map(|(phase, place, watched)| {
                let state = assume::observe(&workdir, &watched);
                (phase, place, state)
            }));
            // The session may be over; then nobody wants to know.
            let _ = report.send(Report::Observed(revision, seen));
        });
    }

    pub(in crate::session::actor) fn assumptions_seen(&mut self, revision: u32, seen: Seen) {
        self.supervise.plan.looking = None;
        self.supervise.plan.seen = Some((revision, seen));
    }

    fn plan_observed(&mut self, seen: &Seen) {
        let (plan, broken) = plan::observed(&self.supervise.plan.plan, seen);
        if let Some(plan) = plan {
            self.show_plan(Arc::new(plan));
        }
        if let Some(trigger) = broken.filter(|_| self.has_mechanic(Mechanic::Plan)) {
            self.ask_planner(trigger);
        }
    }

    /// The stop of the turn was accepted.
    pub(super) fn plan_accepted(&mut self) {
        self.forget_planning();
        if !self.has_mechanic(Mechanic::Plan) {
            return;
        }
        let (claim, outcome) = (self.supervise.watch.state, self.end.verdict);
        if let Some(planned) = close(&self.supervise.plan.plan, claim, outcome) {
            self.plan_changes(planned);
        }
    }

    /// The person begins a turn; what they say may be another task.
    pub(in crate::session::actor) fn plan_heard(&mut self, message: &str) {
        if self.has_mechanic(Mechanic::Plan)
            && let Some(planned) = archive(&self.supervise.plan.plan, message)
        {
            self.forget_planning();
            self.plan_changes(planned);
        }
    }

    /// What is asked or was decided about a plan that is over is not heard.
    fn forget_planning(&mut self) {
        self.cancel_asks(|mechanic| mechanic == Mechanic::Plan);
        let planning = &mut self.supervise.plan;
        (planning.running, planning.next) = (None, None);
        self.plan_lands();
    }

    /// Switches were flipped.
    pub(super) fn plan_switched(&mut self) {
        if !self.has_mechanic(Mechanic::Plan) {
            let planning = &mut self.supervise.plan;
            (planning.running, planning.next, planning.decided) = (None, None, None);
        }
    }

    /// A session is taken up that had this plan.
    pub(in crate::session::actor) fn plan_restore(&mut self, plan: &PlanView) {
        self.supervise.plan.plan = Arc::new(plan.clone());
    }
}
