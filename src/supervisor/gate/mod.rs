//! The verify-gate: one look at one stop of a turn.
//!
//! Owns: what the verifier is asked, what of its answer counts, the second look at what would send the
//! agent back, the verdict and the note to the agent.
//!
//! Does not own: when a stop is looked at, calling the model, the time, the numbers of requests; those are
//! the session's, which also fills `requests`, `model` and `elapsed_ms` of the verdict.
//!
//! Invariant: without a usable answer nothing is accepted as verified. A finding counts only with a
//! reference that exists and a quote that stands there. Verified is only what was changed in this turn,
//! checked by a command afterwards, and passed by a verifier that rests on that check. What a tool or a
//! model wrote reaches a prompt as JSON data only.

mod answer;
mod forbid;
mod note;
mod prompt;
mod settle;

use std::collections::HashMap;

use super::Ask;
use super::answer::{again, parse};
pub use super::evidence::{EventLine, Facts, UserLine, facts};
use crate::proto::{AgentState, Gap, GateOutcome, GateThen, GateVerdict, PlanView};
use answer::{Answer, Looked};

/// Whether the stop of this verdict may close the plan: nothing that the verifier called a gap was left
/// without being looked into.
pub fn closes_plan(verdict: &GateVerdict) -> bool {
    verdict.outcome == GateOutcome::Verified || !verdict.gaps.iter().any(settle::unsettled)
}

/// Times that a turn may be sent back. Source: decisions, Supervisor protocol.
pub const RUNS_AGAIN: u32 = 2;

/// A stop as it is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The live request.
    pub goal: &'a str,
    /// Everything the person wrote in this session, oldest first.
    pub messages: &'a [UserLine],
    /// In force, in the person's own words.
    pub prohibitions: &'a [String],
    /// The visible reply that the turn stopped with.
    pub reply: &'a str,
    pub claim: Option<AgentState>,
    /// Oldest first.
    pub events: &'a [EventLine<'a>],
    /// Index of the first event of this turn.
    pub turn_from: usize,
    /// Files that were written in this turn and are there, one line each.
    pub artifacts: &'a [String],
    pub plan: &'a PlanView,
    /// From 1.
    pub attempt: u32,
    /// The verdict of the attempt before.
    pub before: Option<&'a GateVerdict>,
    /// Number of events that the attempt before had.
    pub events_before: usize,
}

/// What comes next of a look.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A second model call looks at the blocking findings.
    Refute(Ask),
    /// The same call once more: the answer had the wrong form.
    Retry(Ask),
    Verdict(Box<GateVerdict>),
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Verifier,
    Refutation,
}

/// One look, from the question to the verdict.
#[derive(Debug)]
pub struct Gate {
    /// What is known before anybody answers.
    verdict: GateVerdict,
    /// Checks by reference: what can make it verified.
    checks: Vec<String>,
    changed: bool,
    /// Commands that do not exist here, by reference.
    not_found: HashMap<String, String>,
    /// What the verifier was shown, by reference.
    shown: HashMap<String, String>,
    earlier: Vec<Gap>,
    /// For each gap of the verdict whether the attempt before had it.
    same: Vec<bool>,
    /// The verifier's own word was "pass".
    passed: bool,
    new_evidence: bool,
    case: String,
    asked: Ask,
    /// What still lacks something the second time counts without it.
    retried: bool,
    /// What the second look said so far.
    looked: Vec<Looked>,
    stage: Stage,
}

impl Gate {
    pub fn new(case: &Case) -> Self {
        let events = case.events.get(case.turn_from..).unwrap_or_default();
        let facts = facts(events);
        let lines = |of: &[usize]| of.iter().map(|at| events[*at].line.to_owned()).collect::<Vec<_>>();
        let (text, shown) = prompt::case(case, &facts);
        let not_found = facts.not_found.iter().map(|at| (events[*at].reference.clone(), events[*at].line.to_owned()));
        Self {
            verdict: GateVerdict {
                attempt: case.attempt.max(1),
                of: RUNS_AGAIN + 1,
                claim: case.claim,
                outcome: GateOutcome::Indeterminate,
                why: String::new(),
                mutations: lines(&facts.changes),
                checks: lines(&facts.checks),
                prohibitions: case.prohibitions.to_vec(),
                evidence: Vec::new(),
                gaps: Vec::new(),
                then: GateThen::Accepted,
                requests: Vec::new(),
                model: String::new(),
                elapsed_ms: 0,
            },
            checks: facts.checks.iter().map(|at| events[*at].reference.clone()).collect(),
            changed: !facts.changes.is_empty(),
            not_found: not_found.collect(),
            shown: shown.by_reference,
            earlier: case.before.map(settle::blocking).unwrap_or_default(),
            same: Vec::new(),
            passed: false,
            new_evidence: case.events.len() > case.events_before,
            asked: prompt::verify(&text),
            case: text,
            retried: false,
            looked: Vec::new(),
            stage: Stage::Verifier,
        }
    }

    /// The question that waits for an answer.
    pub fn ask(&self) -> Ask {
        self.asked.clone()
    }

    /// `reply` is the whole answer to the last question, or in one sentence why there is none.
    pub fn answered(&mut self, reply: Result<&str, &str>) -> Step {
        let reply = match reply {
            Ok(reply) => reply,
            Err(fault) => return Step::Verdict(Box::new(self.indeterminate(fault))),
        };
        let done = match self.stage {
            Stage::Verifier => {
                let answer = parse(reply).and_then(Answer::checked).and_then(|answer| self.refers(answer));
                answer.map(|answer| self.first(answer))
            }
            Stage::Refutation => parse(reply).and_then(|look| self.heard(look)).map(|()| self.second()),
        };
        match done {
            Ok(step) => step,
            Err(why) if !self.retried => {
                self.retried = true;
                Step::Retry(again(&self.asked, &why))
            }
            Err(why) => Step::Verdict(Box::new(self.indeterminate(&format!("{why}, twice")))),
        }
    }

    /// The verdict when there will be no answer: the person stopped it, the session ends.
    pub fn stopped(&mut self, why: &str) -> GateVerdict {
        self.indeterminate(why)
    }
}

#[cfg(test)]
mod tests;
