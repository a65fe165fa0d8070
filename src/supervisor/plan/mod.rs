//! The plan: made on a signal, kept by the supervisor, shown to the person.
//!
//! Owns: what the planner is asked, what of its answer counts, the plan's states, its assumptions.
//!
//! Does not own: when a signal comes, calling the model, looking at files; the session does that.
//!
//! Invariant: an answer that cannot be used leaves the plan as it is. A phase is done only with events
//! behind it. An assumption is looked up, never run.

mod answer;
mod assume;
mod goal;
mod prompt;

use std::collections::HashMap;

use super::Ask;
use super::answer::parse;
pub use super::evidence::{EventLine, UserLine};
use super::quote::{occurs, short};
use crate::proto::{
    AgentState, GateOutcome, PhaseState, PlanAction, PlanDecision, PlanTrigger, PlanView, Signal, ToolOutcome, TurnId,
};
use answer::Answer;
pub use assume::{Watched, command_ok, observed, open_assumptions, watched};

/// Characters of a reason.
const REASON: usize = 400;

/// Characters of the request that a plan remembers.
const GOAL: usize = 2_000;

/// Lines of evidence that a phase keeps.
const EVIDENCE: usize = 6;

/// What the planner is to know.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The live request.
    pub goal: &'a str,
    pub messages: &'a [UserLine],
    pub prohibitions: &'a [String],
    /// The role's own instructions.
    pub role: &'a str,
    /// Oldest first.
    pub events: &'a [EventLine<'a>],
    /// Index of the first event since the active phase began.
    pub phase_from: usize,
    pub plan: &'a PlanView,
}

/// What the planner may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// None or create.
    Request,
    /// Advance or hold.
    Complete,
    /// None or revise.
    Reassess,
}

/// A planner call, from the signal to the new plan.
#[derive(Debug)]
pub struct Planner {
    question: Question,
    trigger: PlanTrigger,
    goal: String,
    plan: PlanView,
    ask: Ask,
    /// Text of the events of the active phase that the planner was shown, by reference.
    shown: HashMap<String, String>,
    /// Lines of its events that succeeded.
    happened: Vec<String>,
}

/// What came of it. `plan` is `None` when the plan stays as it is. The session fills `request`.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub plan: Option<PlanView>,
    pub decision: PlanDecision,
}

impl Planner {
    /// For signals and broken assumptions. `Err` is a decision that needs no call: there is no plan to
    /// look at, or nothing happened that could have completed the phase.
    pub fn new(trigger: PlanTrigger, frame: &Frame) -> Result<Self, Box<Planned>> {
        let active = frame.plan.active();
        let decide = |action, reason: &str| decision(trigger.clone(), action, reason);
        let question = match &trigger {
            PlanTrigger::Signal(signal) => match signal.signal {
                Signal::Request if active.is_some() => Question::Reassess,
                Signal::Request => Question::Request,
                Signal::PhaseComplete => Question::Complete,
                Signal::Reassess => Question::Reassess,
            },
            PlanTrigger::Broken { .. } => Question::Reassess,
            PlanTrigger::Gate | PlanTrigger::NewGoal => {
                return Err(Box::new(unchanged(decide(PlanAction::None, "the planner is not asked about this"))));
            }
        };
        if question != Question::Request && active.is_none() {
            return Err(Box::new(unchanged(decide(PlanAction::None, "there is no plan with a phase that is open"))));
        }
        let phase = frame.events.get(frame.phase_from..).unwrap_or_default();
        let succeeded = phase.iter().filter(|event| event.outcome == ToolOutcome::Ok);
        let happened: Vec<String> = succeeded.map(|event| short(event.line, 200)).collect();
        if question == Question::Complete && happened.is_empty() {
            return Err(Box::new(hold(frame.plan, decide(PlanAction::Hold, "no call succeeded in this phase"))));
        }
        let (ask, mut shown) = prompt::ask(question, &trigger, frame);
        shown.retain(|reference, _| phase.iter().any(|event| event.reference == *reference));
        let (goal, plan) = (cut(frame.goal, GOAL), frame.plan.clone());
        Ok(Self { question, trigger, goal, plan, ask, shown, happened })
    }

    pub fn ask(&self) -> Ask {
        self.ask.clone()
    }

    /// `reply` is the whole answer, or in one sentence why there is none.
    pub fn answered(self, reply: Result<&str, &str>) -> Planned {
        let answer = reply.map_err(str::to_owned).and_then(parse::<Answer>);
        let answer = answer.and_then(|answer| answer.checked(self.question));
        match answer {
            Ok(answer) => self.apply(answer),
            Err(why) => {
                let stays = if self.plan.active().is_some() { "the plan stays as it is" } else { "no plan was made" };
                let none = decision(self.trigger, PlanAction::None, stays);
                unchanged(PlanDecision { trouble: Some(short(&why, REASON)), ..none })
            }
        }
    }

    fn apply(self, answer: Answer) -> Planned {
        let reason = short(&answer.reason, REASON);
        let mut plan = self.plan.clone();
        let done = decision(self.trigger.clone(), answer.action, &reason);
        match answer.action {
            PlanAction::Create | PlanAction::Revise => {
                plan.phases.retain(|phase| answer.action == PlanAction::Revise && phase.state == PhaseState::Done);
                plan.phases.extend(answer.phases());
                plan.revision += 1;
                plan.reason = reason;
                if answer.action == PlanAction::Create {
                    plan.goal = self.goal;
                }
                activate(&mut plan);
                Planned { plan: Some(plan), decision: done }
            }
            PlanAction::Advance => match self.evidence(&answer) {
                Some(evidence) => {
                    if let Some(at) = plan.active() {
                        plan.phases[at].state = PhaseState::Done;
                        plan.phases[at].evidence = evidence;
                    }
                    activate(&mut plan);
                    Planned { plan: Some(plan), decision: done }
                }
                None => {
                    let reason = "what the planner quotes does not stand in this phase's results";
                    hold(&plan, decision(self.trigger, PlanAction::Hold, reason))
                }
            },
            PlanAction::Hold => hold(&plan, done),
            PlanAction::None | PlanAction::Close | PlanAction::Archive => unchanged(done),
        }
    }

    /// What shows that the phase is done: the quotes that stand, or without any the calls that succeeded.
    fn evidence(&self, answer: &Answer) -> Option<Vec<String>> {
        if answer.evidence.is_empty() {
            let older = self.happened.len().saturating_sub(EVIDENCE);
            return Some(self.happened[older..].to_vec());
        }
        let stands = answer.evidence.iter().filter_map(|cited| {
            let shown = self.shown.get(&cited.reference).filter(|shown| occurs(shown, &cited.quote))?;
            let line = shown.lines().next().unwrap_or_default();
            Some(format!("{}: {}", short(line, 120), short(&cited.quote, 120)))
        });
        let stands: Vec<String> = stands.take(EVIDENCE).collect();
        (!stands.is_empty()).then_some(stands)
    }
}

/// The gate accepted the stop (`outcome`), or it is off and the agent says `done` (`None`). A hand-back
/// closes nothing; a reply without status only when it was verified.
pub fn close(plan: &PlanView, claim: Option<AgentState>, outcome: Option<GateOutcome>) -> Option<Planned> {
    let ended = match (claim, outcome) {
        (_, Some(GateOutcome::Gaps | GateOutcome::Indeterminate)) => false,
        (Some(AgentState::Done), _) | (None, Some(GateOutcome::Verified)) => true,
        _ => false,
    };
    plan.active().filter(|_| ended)?;
    let how = match outcome {
        Some(GateOutcome::Verified) => "with the stop, which was verified as a whole",
        Some(_) => "with the stop, which was accepted",
        None => "with the stop; the gate is off",
    };
    let mut closed = plan.clone();
    for phase in closed.phases.iter_mut().filter(|phase| !phase.state.is_over()) {
        phase.state = PhaseState::Closed { why: how.to_owned() };
    }
    Some(Planned { plan: Some(closed), decision: decision(PlanTrigger::Gate, PlanAction::Close, how) })
}

/// A message of the person's that begins another task puts the plan away.
pub fn archive(plan: &PlanView, message: &str) -> Option<Planned> {
    if plan.phases.is_empty() || !goal::is_another(plan, message) {
        return None;
    }
    let reason = match plan.active() {
        None => "the plan was over, and another task began".to_owned(),
        Some(_) => format!("another task began; {} of {} phases were done", plan.done(), plan.phases.len()),
    };
    let away = PlanView { revision: plan.revision, reason: reason.clone(), ..PlanView::default() };
    Some(Planned { plan: Some(away), decision: decision(PlanTrigger::NewGoal, PlanAction::Archive, &reason) })
}

/// No planner is asked again in a turn in which it failed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Latch(Option<TurnId>);

impl Latch {
    pub fn open(&self, turn: TurnId) -> bool {
        self.0 != Some(turn)
    }

    pub fn note(&mut self, turn: TurnId, decision: &PlanDecision) {
        if decision.trouble.is_some() {
            self.0 = Some(turn);
        }
    }
}

/// The first phase that is open is worked on.
fn activate(plan: &mut PlanView) {
    if plan.active().is_none()
        && let Some(next) = plan.phases.iter_mut().find(|phase| phase.state == PhaseState::Open)
    {
        next.state = PhaseState::Active;
    }
}

fn hold(plan: &PlanView, decision: PlanDecision) -> Planned {
    let mut held = plan.clone();
    if let Some(at) = held.active() {
        let why = format!("runtime evidence does not yet show: {}", held.phases[at].done_when);
        held.phases[at].state = PhaseState::Held { why };
    }
    Planned { plan: (held != *plan).then_some(held), decision }
}

fn unchanged(decision: PlanDecision) -> Planned {
    Planned { plan: None, decision }
}

fn decision(trigger: PlanTrigger, action: PlanAction, reason: &str) -> PlanDecision {
    PlanDecision { trigger, action, reason: reason.to_owned(), trouble: None, request: None, plan: None }
}

/// As it stands, line ends too, with at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests;
