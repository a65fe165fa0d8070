//! What the supervisor saw, asked and decided.

mod plan;
mod switches;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use plan::{Assumption, AssumptionState, PhaseState, PhaseView, PlanAction, PlanDecision, PlanTrigger, PlanView};
pub use switches::{SwitchState, SwitchView, Switched, SwitchedHow};

use super::{CallId, RequestId};

/// What a model call of the supervisor's is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanic {
    /// Verifies a stop.
    #[default]
    Gate,
    /// Looks a second time at what would send the agent back.
    Refute,
    Plan,
    Condense,
    Authorizer,
}

/// Where the agent says it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    Exploring,
    Progressing,
    Blocked,
    NeedInput,
    Done,
}

/// What the agent wants of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    Request,
    PhaseComplete,
    Reassess,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSignal {
    pub signal: Signal,
    #[serde(default)]
    pub note: String,
}

/// The hidden status at the end of a reply. A claim, never evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfReport {
    pub state: AgentState,
    #[serde(default)]
    pub focus: String,
    #[serde(default)]
    pub next: String,
    /// Without entries that look like credentials.
    #[serde(default)]
    pub carry: Vec<String>,
    #[serde(default)]
    pub plan: Option<PlanSignal>,
    /// Ids of remembered things that were of use.
    #[serde(default)]
    pub memories: Vec<String>,
    #[serde(default)]
    pub behaviors: Vec<String>,
}

/// The status of one reply, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    pub request: RequestId,
    pub report: Option<SelfReport>,
    /// What was wrong with it: none given, not JSON, a state that is not known.
    #[serde(default)]
    pub trouble: Option<String>,
    /// Why entries of `carry` were dropped; never the entries themselves.
    #[serde(default)]
    pub dropped: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detector {
    Loop,
    NoProgress,
    Recovery,
}

/// A detector's count reached its threshold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detection {
    pub detector: Detector,
    /// What was counted: rounds, or failing commands for [`Detector::Recovery`].
    pub count: u32,
    pub threshold: u32,
    /// The calls that it rests on, one line each.
    pub calls: Vec<String>,
    pub action: DetectionAction,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DetectionAction {
    /// A note goes to the model at the next safe point.
    Noted { text: String },
    /// No note; one sentence why: the agent says it is exploring, or handed back.
    Suppressed { why: String },
    /// The agent was told and goes on; the next note comes after so many rounds more.
    BackedOff { rounds: u32 },
}

/// What was put near the end of a request, to keep the agent on what matters. Recorded when it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recitation {
    /// Why it is said again: how far away the request is, or that there is a plan.
    pub why: String,
    pub goal: String,
    pub plan: Vec<String>,
    /// In the person's own words.
    pub prohibitions: Vec<String>,
    pub policy: String,
    /// The whole text, as the model reads it.
    pub text: String,
    /// Estimated.
    pub tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// Passed, and the turn changed something and checked it afterwards.
    Verified,
    /// Passed without such evidence.
    Unknown,
    Gaps,
    /// There was no usable answer: nothing is taken as verified.
    Indeterminate,
}

/// A quote the verifier rests on, looked up in what it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub reference: String,
    pub quote: String,
    /// Whether the quote stands there, word for word.
    pub found: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    pub finding: String,
    pub blocking: bool,
    pub reference: String,
    #[serde(default)]
    pub quote: String,
    pub state: GapState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapState {
    /// It counts.
    Stands,
    /// What it refers to does not exist or does not say so.
    Unsupported { why: String },
    /// The second look did not agree.
    Refuted { why: String },
    /// It asks for a check that the person forbade.
    Forbidden { prohibition: String },
}

/// What follows from a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateThen {
    Accepted,
    /// The agent goes on with this note.
    RunAgain {
        note: String,
    },
    /// The turn ends unverified: no runs are left, or the same gaps came again.
    Ended {
        why: String,
    },
}

/// One look at a stop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateVerdict {
    /// From 1.
    pub attempt: u32,
    /// Attempts that a turn has at the most.
    pub of: u32,
    pub claim: Option<AgentState>,
    pub outcome: GateOutcome,
    /// One sentence.
    pub why: String,
    /// Calls of this turn that changed something, one line each.
    pub mutations: Vec<String>,
    /// Checks that ran after the last change, one line each.
    pub checks: Vec<String>,
    pub prohibitions: Vec<String>,
    pub evidence: Vec<Evidence>,
    pub gaps: Vec<Gap>,
    pub then: GateThen,
    /// The model calls it took.
    pub requests: Vec<RequestId>,
    pub model: String,
    pub elapsed_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Keep {
    All,
    None,
    /// Lines from 1, both ends included.
    Lines(Vec<(u32, u32)>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CondensedResult {
    pub call: CallId,
    pub tool: String,
    /// Tokens before and after, estimated.
    pub before: u64,
    pub after: u64,
    pub keep: Keep,
    /// Lines that were kept because they report an error.
    pub error_lines: u32,
    /// The file with the whole.
    pub spill: Option<String>,
    /// Why it stayed whole though it was asked about.
    #[serde(default)]
    pub trouble: Option<String>,
}

/// The oversized results of one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condensed {
    pub request: Option<RequestId>,
    /// Tokens above which a result was looked at.
    pub threshold: u64,
    pub multiplier: f32,
    pub multiplier_after: f32,
    pub results: Vec<CondensedResult>,
    /// Results above the threshold for which there was no room in the round.
    #[serde(default)]
    pub passed_over: u32,
    /// Why the whole round stayed as it was.
    #[serde(default)]
    pub trouble: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedCall {
    pub call: CallId,
    pub tool: String,
    pub reason: String,
    /// As in `user:0`.
    pub source: String,
    /// Word for word from that source.
    pub quote: String,
}

/// A batch of calls before it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authorized {
    /// Calls looked at.
    pub checked: u32,
    pub blocked: Vec<BlockedCall>,
    /// Conflicts that the second look did not confirm.
    pub unconfirmed: Vec<String>,
    /// Conflicts that rest on nothing, with the reason why they were not counted.
    #[serde(default)]
    pub dropped: Vec<String>,
    /// The denial was known from before.
    pub cached: bool,
    /// Why there was no answer; the calls ran.
    #[serde(default)]
    pub unavailable: Option<String>,
    pub requests: Vec<RequestId>,
}

/// What the supervisor knows and did, for panes and commands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SupervisorView {
    /// The last status the agent gave.
    pub report: Option<SelfReport>,
    pub plan: Arc<PlanView>,
    pub gate: Option<Arc<GateVerdict>>,
    pub counters: SupervisorCounters,
    pub switches: Arc<Vec<SwitchView>>,
    /// Newest last, at most [`SUPERVISOR_RECORDS`](super::SUPERVISOR_RECORDS).
    pub records: Vec<Arc<super::SupervisorRecord>>,
    /// Model calls of all purposes, newest last, at most [`MODEL_CALLS`](super::MODEL_CALLS).
    pub calls: Vec<super::ModelCall>,
}

/// What each mechanic has done in this session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SupervisorCounters {
    pub reports: u32,
    /// Replies whose status was missing or unusable.
    pub without_report: u32,
    pub carry_dropped: u32,
    pub loops: u32,
    pub no_progress: u32,
    pub recoveries: u32,
    pub notes: u32,
    pub recitations: u32,
    pub verified: u32,
    pub passed: u32,
    pub gaps: u32,
    pub indeterminate: u32,
    pub refuted: u32,
    pub sent_back: u32,
    pub plans: u32,
    pub phases_done: u32,
    pub held: u32,
    pub revised: u32,
    pub condensed: u32,
    pub tokens_saved: u64,
    pub checked: u32,
    pub blocked: u32,
    pub cached: u32,
    pub unavailable: u32,
}
