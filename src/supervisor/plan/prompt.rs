//! What planners read. The system texts are constant; everything else is one JSON document.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Frame, Question};
use crate::proto::{AssumptionState, Mechanic, PhaseState, PlanTrigger};
use crate::supervisor::Ask;
use crate::supervisor::document::{self, Shown, Since, lines, list, object, one_of, pretty, string};
use crate::supervisor::excerpt::excerpt;
use crate::supervisor::quote::short;

/// Tokens of the parts, estimated.
const REQUEST: u64 = 1_500;
const MESSAGES: u64 = 3_000;
const ROLE: u64 = 2_000;
const EVENTS: u64 = 8_000;
const EVENT: u64 = 1_200;

const ANSWER_TOKENS: u32 = 4_096;

const REQUEST_TEXT: &str = include_str!("request.md");
const COMPLETE_TEXT: &str = include_str!("complete.md");
const REASSESS_TEXT: &str = include_str!("reassess.md");

pub fn ask(question: Question, trigger: &PlanTrigger, frame: &Frame) -> (Ask, HashMap<String, String>) {
    let (system, actions) = match question {
        Question::Request => (REQUEST_TEXT, ["none", "create"]),
        Question::Complete => (COMPLETE_TEXT, ["advance", "hold"]),
        Question::Reassess => (REASSESS_TEXT, ["none", "revise"]),
    };
    let phase = object(&[("title", string()), ("done_when", string()), ("assumptions", list(&string()))]);
    let last = match question {
        Question::Complete => ("evidence", list(&object(&[("ref", string()), ("quote", string())]))),
        Question::Request | Question::Reassess => ("phases", list(&phase)),
    };
    let schema = object(&[("action", one_of(&actions)), last, ("reason", string())]);
    let (text, shown) = document_of(trigger, frame);
    let system = system.trim_end().to_owned();
    (Ask { mechanic: Mechanic::Plan, system, text, schema, max_tokens: ANSWER_TOKENS }, shown.by_reference)
}

fn document_of(trigger: &PlanTrigger, frame: &Frame) -> (String, Shown) {
    let mut shown = Shown::default();
    let messages = document::messages(frame.messages, MESSAGES, &mut shown);
    let since = Since { index: frame.phase_from, key: "phase", before: "before", after: "active" };
    let events = document::events(frame.events, since, EVENTS, EVENT, &mut shown);
    let why = match trigger {
        PlanTrigger::Signal(signal) => json!({ "signal": signal.signal, "note": short(&signal.note, 400) }),
        PlanTrigger::Broken { assumption } => json!({ "no_longer_true": short(assumption, 240) }),
        PlanTrigger::Gate | PlanTrigger::NewGoal => Value::Null,
    };
    let document = json!({
        "request": excerpt(frame.goal, REQUEST).json(),
        "user_messages": messages,
        "forbidden_by_user": lines(frame.prohibitions.iter().cloned()),
        "agent_instructions": excerpt(frame.role, ROLE).json(),
        "asked_because": why,
        "plan": phases(frame),
        "events": events,
        "left_out": shown.left_out,
    });
    (format!("The work so far, as JSON data:\n{}", pretty(&document)), shown)
}

fn phases(frame: &Frame) -> Vec<Value> {
    let state = |state: &PhaseState| match state {
        PhaseState::Open => "open",
        PhaseState::Active => "active",
        PhaseState::Done => "done",
        PhaseState::Held { .. } => "active, was held",
        PhaseState::Closed { .. } => "closed, not shown to be done",
    };
    let assumption = |assumption: &crate::proto::Assumption| {
        let known = match assumption.state {
            AssumptionState::Holds => "holds",
            AssumptionState::Broken => "does not hold",
            AssumptionState::Unknown { .. } => "not known",
        };
        json!({ "text": assumption.text, "state": known })
    };
    let phase = |phase: &crate::proto::PhaseView| {
        json!({
            "title": phase.title,
            "done_when": phase.done_when,
            "state": state(&phase.state),
            "evidence": phase.evidence,
            "assumptions": phase.assumptions.iter().map(assumption).collect::<Vec<_>>(),
        })
    };
    frame.plan.phases.iter().map(phase).collect()
}
