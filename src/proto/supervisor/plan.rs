//! The plan as it stands, and what was decided about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::PlanSignal;
use crate::proto::RequestId;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseState {
    #[default]
    Open,
    Active,
    Done,
    /// Said to be complete; what is missing.
    Held {
        why: String,
    },
    /// Closed with the stop of the turn; nothing of its own shows that it is done.
    Closed {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionState {
    Holds,
    Broken,
    Unknown { why: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assumption {
    /// As in `file_exists: src/foo.rs`.
    pub text: String,
    pub state: AssumptionState,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseView {
    pub title: String,
    pub done_when: String,
    pub state: PhaseState,
    /// What showed that it was done, one line each.
    pub evidence: Vec<String>,
    pub assumptions: Vec<Assumption>,
}

/// The plan as it stands; without phases there is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PlanView {
    /// Counts from 1; 0 = there never was one.
    pub revision: u32,
    /// The message it was made for.
    pub goal: String,
    pub phases: Vec<PhaseView>,
    /// Why it is as it is, in the planner's words.
    pub reason: String,
}

impl PlanView {
    /// Index of the phase that is worked on.
    pub fn active(&self) -> Option<usize> {
        self.phases.iter().position(|phase| matches!(phase.state, PhaseState::Active | PhaseState::Held { .. }))
    }

    pub fn done(&self) -> usize {
        self.phases.iter().filter(|phase| phase.state == PhaseState::Done).count()
    }

    /// Phases that a stop closed without evidence of their own.
    pub fn closed(&self) -> usize {
        self.phases.iter().filter(|phase| matches!(phase.state, PhaseState::Closed { .. })).count()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanAction {
    None,
    Create,
    Advance,
    Hold,
    Revise,
    /// The gate accepted the stop: what was left is closed.
    Close,
    /// Another task began.
    Archive,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanTrigger {
    Signal(PlanSignal),
    /// A machine-checked assumption does not hold any more.
    Broken {
        assumption: String,
    },
    Gate,
    NewGoal,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDecision {
    pub trigger: PlanTrigger,
    pub action: PlanAction,
    pub reason: String,
    /// Why there was no usable answer; the plan stays as it is.
    #[serde(default)]
    pub trouble: Option<String>,
    #[serde(default)]
    pub request: Option<RequestId>,
    /// The plan from here on; `None` when it stays.
    #[serde(default)]
    pub plan: Option<Arc<PlanView>>,
}
