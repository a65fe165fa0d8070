use serde_json::{Value, json};

use super::*;
use crate::proto::{GapState, Mechanic, PhaseView, ToolOutcome, TurnId};
use crate::supervisor::receipt::Kind;

mod forbid;
mod prompt;
mod verdict;

pub const COMMAND: Kind = Kind::Command { changed_tree: false };

/// A stop with everything owned, to be varied.
#[derive(Clone)]
pub struct Stop {
    pub messages: Vec<UserLine>,
    pub prohibitions: Vec<String>,
    pub reply: String,
    pub claim: Option<AgentState>,
    /// (reference, line, kind, outcome, content)
    pub events: Vec<(&'static str, String, Kind, ToolOutcome, String)>,
    pub plan: PlanView,
    pub attempt: u32,
    pub before: Option<GateVerdict>,
    pub events_before: usize,
}

/// A change that a test run checked.
pub fn checked() -> Stop {
    Stop {
        messages: vec![UserLine { turn: TurnId(1), text: "Rename old to new in lib.rs.".into() }],
        prohibitions: Vec::new(),
        reply: "Renamed; the tests pass.".into(),
        claim: Some(AgentState::Done),
        events: vec![
            event("call:c1-1", "edit lib.rs", Kind::Mutation, ToolOutcome::Ok, "1 line changed"),
            event(
                "call:c2-1",
                "shell cargo test",
                COMMAND,
                ToolOutcome::Ok,
                "test result: ok. 12 passed\n[exit 0, 2.1 s]",
            ),
        ],
        plan: PlanView::default(),
        attempt: 1,
        before: None,
        events_before: 0,
    }
}

pub fn event(
    reference: &'static str,
    line: &str,
    kind: Kind,
    outcome: ToolOutcome,
    content: &str,
) -> (&'static str, String, Kind, ToolOutcome, String) {
    (reference, line.to_owned(), kind, outcome, content.to_owned())
}

impl Stop {
    pub fn gate(&self) -> Gate {
        let mut events = Vec::new();
        for (reference, text, kind, outcome, content) in &self.events {
            events.push(EventLine {
                reference: (*reference).to_owned(),
                tool: "tool",
                target: text,
                line: text,
                outcome: *outcome,
                kind: *kind,
                content,
            });
        }
        Gate::new(&Case {
            goal: self.messages.last().map_or("", |message| &message.text),
            messages: &self.messages,
            prohibitions: &self.prohibitions,
            reply: &self.reply,
            claim: self.claim,
            events: &events,
            turn_from: 0,
            artifacts: &[],
            plan: &self.plan,
            attempt: self.attempt,
            before: self.before.as_ref(),
            events_before: self.events_before,
        })
    }

    /// The verdict after these answers; panics if another call is wanted.
    pub fn verdict(&self, answers: &[Value]) -> GateVerdict {
        let mut gate = self.gate();
        let mut last = None;
        for answer in answers {
            last = Some(gate.answered(Ok(&answer.to_string())));
        }
        verdict(last.unwrap())
    }
}

pub fn verdict(step: Step) -> GateVerdict {
    match step {
        Step::Verdict(verdict) => *verdict,
        other => panic!("no verdict yet: {other:?}"),
    }
}

pub fn pass(evidence: &[(&str, &str)]) -> Value {
    let evidence: Vec<Value> = evidence.iter().map(|(from, quote)| json!({ "ref": from, "quote": quote })).collect();
    json!({ "verdict": "pass", "evidence": evidence, "gaps": [] })
}

pub fn gap(finding: &str, blocking: bool, reference: &str, quote: &str) -> Value {
    json!({ "finding": finding, "blocking": blocking, "ref": reference, "quote": quote, "same_as": "", "forbidden_by": "" })
}

pub fn gaps(gaps: &[Value]) -> Value {
    json!({ "verdict": "gaps", "evidence": [], "gaps": gaps })
}

pub fn looks(stand: &[(&str, bool)]) -> Value {
    let looks: Vec<Value> =
        stand.iter().map(|(id, stands)| json!({ "id": id, "stands": stands, "why": "looked" })).collect();
    json!({ "findings": looks })
}

/// The second look confirms everything.
pub fn agree() -> Value {
    looks(&[("g1", true), ("g2", true), ("g3", true), ("g4", true), ("g5", true)])
}
