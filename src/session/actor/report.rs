//! What work beside the task brings back to it.

use std::sync::Arc;

use super::Prompt;
use crate::mcp::{CallResult, Progress};
use crate::model::Model;
use crate::proto::{CallId, Decision, EncoderState, Fault, Order, RequestId, ShelfAnswer, TimeAnswer, TurnId};
use crate::session::starting::Told;
use crate::session::supervisor::wire::Shown;
use crate::session::trust_desk::Looked;

/// What work beside the task brings back.
pub(super) enum Report {
    Model(Result<Arc<dyn Model>, Fault>, Option<Decision>),
    /// Servers that were still starting when the time was over.
    Settled(u32, Vec<String>),
    /// The role's prompt and the project's instructions, filled in.
    Prompt(u32, Prompt),
    /// Tools on disk were looked at for this turn.
    Refreshed(TurnId),
    /// What the project would run, and what to do about it.
    Trust(Looked),
    /// Of the agent that is being made ready.
    Start(u32, Told),
    Offered(super::offers::Offered),
    Skill(super::skills::SkillReport),
    Tap(super::delegate::TapReport),
    Encoder(EncoderState),
    Surface(super::surface::SurfaceReport),
    /// A call to the supervisor's model is over.
    Supervised(super::supervise::Ticket, super::supervise::Outcome),
    /// Files that the turn wrote and that are there.
    Artifacts(TurnId, Vec<String>),
    /// How assumptions of a revision of the plan stand.
    Observed(u32, super::supervise::Seen),
    /// The bodies of a model call.
    Wire(RequestId, Shown),
    /// Of the folder of all sessions.
    Shelf(ShelfAnswer),
    Past(TimeAnswer),
    Rewind(super::rewind::RewindReport),
    /// What the call that waits for the person would make of a file.
    Previewed(CallId, super::approve::Seen),
    Progress(CallId, Progress),
    /// Whether the command that is about to end changed the working tree.
    Looked(CallId, Option<bool>),
    Called(CallId, CallResult),
    /// Of the command with this cell.
    Shell(Order, super::shell::Told),
}
