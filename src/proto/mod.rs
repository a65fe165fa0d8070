//! The vocabulary every other layer speaks.
//!
//! Owns: ids, [`Command`] (what a front end asks for), [`Event`] (what happened), [`Decision`]
//! (why the runtime chose what it chose, with its numbers) and [`Snapshot`], the one projection of
//! events that front ends show.
//!
//! Does not own: any I/O, any clock, any async runtime, any terminal. Only serde.
//!
//! Invariant: [`Snapshot::apply`] is pure and total. Applying any prefix of a journal, saving,
//! loading and applying the rest equals applying all of it.

mod approval;
mod ask;
mod catalogue;
mod command;
mod decision;
mod encoder;
mod event;
mod fault;
mod filling;
mod fold;
mod fold_offer;
mod fold_text;
mod ids;
mod message;
mod moment;
mod near_miss;
mod past;
mod rewind;
mod route_wait;
mod sandbox;
mod server;
mod shared;
mod shelf;
pub mod shell;
mod skill;
pub mod slash;
pub mod slash_takes;
mod snapshot;
mod start_up;
mod supervisor;
mod supervisor_fold;
mod supervisor_words;
mod surface;
mod surface_fold;
mod surface_offer;
mod tap;
mod top;
mod transcript;

pub use approval::{
    APPROVALS, Approval, ApprovalAbout, ApprovalCommand, ApprovalMode, ApprovalOutcome, ApprovalPart, ApprovalPreview,
    ApprovalRequest, ApprovalRule, ApprovalSays, ApprovalStanding, ApprovalView, PartStanding,
};
pub use ask::{Answer, Ask, AskKind, Runnable};
pub use catalogue::{CatalogueItem, CatalogueProblem, CatalogueView, WITH_PROGRAM};
pub use command::{Command, SubmitMode, SurfaceCommand};
pub use decision::{Decision, ModelCandidate, RepairKind, clause, counted};
pub use encoder::EncoderState;
pub use event::{Body, CONTEXT, Event, Tier, WELCOME};
pub use fault::{Fault, FaultKind};
pub use filling::{Filled, FilledGroup, Filling};
pub use ids::{AskId, CallId, Order, QueueId, RequestId, Seq, Timestamp, TurnId};
pub use message::{
    Attachment, Content, Effort, ModelInfo, Origin, Purpose, ReasoningBlock, StopReason, ToolCall, ToolOutcome,
    TurnOutcome, Usage,
};
pub use moment::{Moment, TimeAnswer, TimeCommand};
pub(crate) use near_miss::by_score;
pub use past::{Past, SkillJudged, SkillPast};
pub use rewind::{
    Before, ByHand, FileChange, FileFate, FileLeft, FilePreview, FileState, RewindCommand, RewindEvent, RewindPoint,
    RewindPreview, RewindTo, RewindView, RewindWhat, Rewound, TurnChange,
};
pub use sandbox::{Held, SandboxView};
pub use server::{Quarantine, ServerKind, ServerState, ToolInfo};
pub use shared::{Shared, Words};
pub use shelf::{Said, SessionRow, ShelfAnswer, ShelfCommand, Speaker, TRASH_DAYS};
pub use shell::{Share, ShellBody, ShellCommand, ShellEnd, ShellState, ShellView};
pub use skill::{CheckTrace, RuleTrace, SkillCause, SkillTrace, SkillView};
pub use snapshot::{Note, Queued, RunState, ServerView, SessionView, Snapshot, Totals};
pub use start_up::{OUTPUT_LINES, StartStep, StepState, StepView};
pub use supervisor::{
    AgentState, Assumption, AssumptionState, Authorized, BlockedCall, Condensed, CondensedResult, Detection,
    DetectionAction, Detector, Evidence, Gap, GapState, GateOutcome, GateThen, GateVerdict, Keep, Mechanic, PhaseState,
    PhaseView, PlanAction, PlanDecision, PlanSignal, PlanTrigger, PlanView, Recitation, Reported, SelfReport, Signal,
    SupervisorCounters, SupervisorView, SwitchState, SwitchView, Switched, SwitchedHow,
};
pub use supervisor_fold::{CallEnd, MODEL_CALLS, ModelCall, SUPERVISOR_RECORDS, SupervisorRecord};
pub use surface::{
    Activation, CapabilityScore, Cause, Deactivation, Departure, DynamicCapability, FixedCapability, Ineligible,
    IntentSource, LruPlace, Refusal, RefusalReason, RouteOutcome, RouteWait, Routing, ServerAction, ServerReferences,
    ServerStep, Skip, Stage, SurfaceChange, SurfaceEvent, SurfaceTool, SurfaceView, TriggerScore,
};
pub use surface_fold::{Followed, SURFACE_EVENTS};
pub use surface_offer::{Offered, OfferedCapability, OfferedSkill, ServerTrouble, ToolGone};
pub use tap::{Child, ChildState, MATCHINGS, Matched, Matching, RankedAgent, TapEvent};
pub use top::Top;
pub use transcript::{Entry, EntryKind, Level, Narrowing, ToolState, Transcript};

#[cfg(test)]
mod fold_tests;
