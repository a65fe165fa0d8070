use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    Answer, ApprovalStanding, Ask, AskId, AskKind, Attachment, CallId, CatalogueView, Content, Decision, Effort,
    EncoderState, Fault, Filling, Level, ModelInfo, Order, Origin, PlanView, Purpose, QueueId, ReasoningBlock,
    RequestId, RewindEvent, Routing, SandboxView, Seq, ServerKind, ServerState, ShelfAnswer, ShellBody, SkillTrace,
    SkillView, StartStep, StepView, StopReason, SubmitMode, SurfaceView, SwitchView, TapEvent, TimeAnswer, Timestamp,
    ToolCall, ToolInfo, ToolOutcome, TurnId, TurnOutcome, Usage,
};

/// Something that happened in a session.
/// The kind of a message of the system that is sent and not shown.
pub const CONTEXT: &str = "context";

/// The source of a [`Body::Notice`] that is what a role greets with, in its own words.
pub const WELCOME: &str = "welcome";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub seq: Seq,
    pub at: Timestamp,
    /// The transcript entry this event begins or changes, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    // Externally tagged: serde reads it without buffering, which resume speed depends on.
    pub body: Body,
}

/// How an event is treated when a reader cannot keep up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Never dropped, always journalled.
    Durable,
    /// May be dropped or merged; a later durable event carries the whole. Not journalled, except
    /// text deltas, which are merged and kept so that a killed session loses little.
    Progress,
    /// Never dropped while the process lives, but says nothing about the past (a server's state):
    /// not journalled.
    Live,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    // ── the session ────────────────────────────────────────────────────────────────────────────
    SessionStarted {
        name: String,
        role: String,
        workdir: String,
        folder: String,
        version: String,
    },
    /// A later process took the session up. `read_only` names who holds the lock.
    SessionResumed {
        events: u64,
        skipped: u64,
        read_only: Option<String>,
        version: String,
    },
    RoleChanged {
        role: String,
    },
    ModelChanged {
        model: ModelInfo,
        effort: Effort,
    },
    TitleChanged {
        title: String,
    },
    /// `/clear`: the transcript view starts afresh, the history stays.
    ViewCleared,
    SessionEnded,

    // ── a turn ─────────────────────────────────────────────────────────────────────────────────
    TurnStarted {
        turn: TurnId,
    },
    TurnEnded {
        turn: TurnId,
        outcome: TurnOutcome,
        elapsed_ms: u64,
    },
    UserMessage {
        content: Content,
        attachments: Vec<Attachment>,
        origin: Origin,
    },
    Queued {
        id: QueueId,
        text: String,
        mode: SubmitMode,
    },
    QueueEdited {
        id: QueueId,
        text: String,
    },
    /// Withdrawn by the person, or taken into a turn (then a `UserMessage` follows).
    Unqueued {
        id: QueueId,
    },

    // ── a model call ───────────────────────────────────────────────────────────────────────────
    RequestStarted {
        request: RequestId,
        purpose: Purpose,
        model: String,
        /// Estimated prompt tokens, calibrated.
        estimated_tokens: u64,
        /// Size of the body we sent or would send, bytes.
        bytes: u64,
        tools: u32,
        /// First 16 hex digits of the SHA-256 of system prompt and static tools.
        prefix: String,
    },
    /// What the request that just started is made of.
    RequestFilled(Arc<Filling>),
    /// `offset` is the length in bytes of the text before it, so a repeated delta changes nothing.
    TextDelta {
        request: RequestId,
        offset: u64,
        text: String,
    },
    ReasoningDelta {
        request: RequestId,
        offset: u64,
        text: String,
    },
    /// The model began to write a call; arguments are still coming.
    CallForming {
        request: RequestId,
        tool: String,
        argument_bytes: u64,
    },
    /// The whole reply. Replaces what the deltas built.
    AssistantMessage {
        request: RequestId,
        text: String,
        reasoning: Vec<ReasoningBlock>,
        /// Milliseconds spent reasoning.
        reasoning_ms: u64,
        calls: Vec<ToolCall>,
        stop: StopReason,
        scripted: bool,
        /// `provider:model` that wrote it; reasoning goes back only to the same.
        model: String,
    },
    RequestFinished {
        request: RequestId,
        purpose: Purpose,
        usage: Usage,
        first_token_ms: u64,
        elapsed_ms: u64,
    },
    RequestFailed {
        request: RequestId,
        purpose: Purpose,
        fault: Fault,
    },
    /// Waiting to try again; a countdown on screen.
    RetryScheduled {
        request: RequestId,
        at: Timestamp,
        attempt: u32,
        of: u32,
        reason: String,
    },

    // ── tools ──────────────────────────────────────────────────────────────────────────────────
    ToolStarted {
        call: CallId,
        server: String,
        tool: String,
        arguments: serde_json::Value,
    },
    ToolProgress {
        call: CallId,
        note: Option<String>,
        fraction: Option<f32>,
    },
    ToolFinished {
        call: CallId,
        outcome: ToolOutcome,
        /// What the model gets.
        content: Content,
        /// Size of what the tool returned, before any cut.
        full_bytes: u64,
        /// File that holds the whole when `content` does not.
        spill: Option<String>,
        elapsed_ms: u64,
    },

    // ── servers ────────────────────────────────────────────────────────────────────────────────
    ServerChanged {
        server: String,
        kind: ServerKind,
        state: ServerState,
        command: String,
        stderr: Vec<String>,
    },
    /// The whole list, in a stable order.
    ServerTools {
        server: String,
        tools: Vec<ToolInfo>,
    },
    ServerGone {
        server: String,
    },

    // ── from a tag to a session; what there is ─────────────────────────────────────────────────
    /// A step of starting, as it stands now; the steps of one start share a cell.
    StartStep {
        step: StepView,
    },
    /// A script that prepares the start wrote a line.
    StartOutput {
        step: StartStep,
        line: String,
    },
    CatalogueChanged(Arc<CatalogueView>),
    EncoderChanged(EncoderState),
    /// What the tool surface is made of now; follows each decision that changed it.
    SurfaceChanged(Arc<SurfaceView>),
    /// Answer to [`super::Command::WhatIf`]: nothing was changed, sent or recorded.
    WhatIf {
        id: u64,
        routing: Arc<Routing>,
        /// Who would go for the one that would come.
        would_evict: Option<String>,
        /// What all exposed tools would cost per request; `None` while the tools that would come were
        /// never listed in this session.
        tokens_after: Option<u64>,
        /// How the rules of skills would be judged, before the gate.
        skills: Vec<SkillTrace>,
        /// What those skills would bring along.
        #[serde(default)]
        would_hold: Vec<String>,
        /// Why the one that passed the gate would stay off all the same.
        #[serde(default)]
        refused: Option<String>,
    },
    /// `text` is what the model reads from now on.
    SkillActivated {
        skill: SkillView,
        text: Content,
    },
    SkillForgotten {
        name: String,
    },

    // ── the supervisor ─────────────────────────────────────────────────────────────────────────
    PlanChanged(Arc<PlanView>),
    SwitchesChanged(Arc<Vec<SwitchView>>),
    /// From here on the model gets this in place of what the tool returned.
    ResultNarrowed {
        call: CallId,
        content: Content,
        spill: Option<String>,
    },
    /// Answer to [`super::Command::Wire`]: the bodies of a model call, secrets masked.
    Wire {
        request: RequestId,
        /// Pretty JSON; a sentence when it is not kept.
        sent: String,
        received: String,
    },

    /// Answer to [`super::Command::Shelf`].
    Shelf(ShelfAnswer),
    /// Answer to [`super::Command::Time`].
    Moment(TimeAnswer),
    /// Going back to an earlier prompt.
    Rewind(RewindEvent),
    /// Which calls are asked about, and what is remembered; follows every change.
    Approvals(Arc<ApprovalStanding>),
    /// Work that was handed to other agents.
    Tap(TapEvent),

    // ── records and words ──────────────────────────────────────────────────────────────────────
    Decided(Decision),
    /// What holds the writing of what is run here.
    Sandbox(SandboxView),
    /// From [`super::WELCOME`] it is what the role greets with.
    Notice {
        level: Level,
        source: String,
        text: String,
        hint: Option<String>,
    },
    /// Answer to a slash command; not part of the conversation.
    CommandOutput {
        line: String,
        output: String,
    },
    /// A command that the person runs.
    Shell(ShellBody),
    Asked(Ask),
    /// `answer` is never a text: secrets do not enter events.
    Answered {
        ask: AskId,
        answer: Answer,
    },
    /// What the next request will hold; the status line's numbers.
    ContextMeasured {
        tokens: u64,
        window: Option<u64>,
        system: u64,
        tools: u64,
        history: u64,
    },
}

impl Body {
    pub fn tier(&self) -> Tier {
        match self {
            // A call that waited when the process was killed is shown as such.
            Self::Asked(Ask { kind: AskKind::Approval(_), .. }) => Tier::Durable,
            Self::TextDelta { .. }
            | Self::ReasoningDelta { .. }
            | Self::CallForming { .. }
            | Self::ToolProgress { .. }
            | Self::Shell(ShellBody::Output { .. })
            | Self::StartOutput { .. } => Tier::Progress,
            Self::RetryScheduled { .. }
            | Self::ServerChanged { .. }
            | Self::ServerTools { .. }
            | Self::ServerGone { .. }
            | Self::CatalogueChanged(_)
            | Self::EncoderChanged(_)
            | Self::WhatIf { .. }
            | Self::SwitchesChanged(_)
            | Self::Wire { .. }
            | Self::Shelf(_)
            | Self::Moment(_)
            | Self::Rewind(RewindEvent::Previewed(_))
            | Self::Asked(_)
            | Self::Sandbox(_)
            | Self::ContextMeasured { .. } => Tier::Live,
            Self::SessionStarted { .. }
            | Self::SessionResumed { .. }
            | Self::RoleChanged { .. }
            | Self::ModelChanged { .. }
            | Self::TitleChanged { .. }
            | Self::ViewCleared
            | Self::SessionEnded
            | Self::TurnStarted { .. }
            | Self::TurnEnded { .. }
            | Self::UserMessage { .. }
            // What a person typed outlives the process.
            | Self::Queued { .. }
            | Self::QueueEdited { .. }
            | Self::Unqueued { .. }
            | Self::RequestStarted { .. }
            | Self::RequestFilled(_)
            | Self::AssistantMessage { .. }
            | Self::RequestFinished { .. }
            | Self::RequestFailed { .. }
            | Self::ToolStarted { .. }
            | Self::ToolFinished { .. }
            | Self::StartStep { .. }
            | Self::SurfaceChanged(_)
            | Self::SkillActivated { .. }
            | Self::SkillForgotten { .. }
            | Self::PlanChanged(_)
            | Self::ResultNarrowed { .. }
            | Self::Rewind(RewindEvent::FilesChanged { .. } | RewindEvent::Rewound(_))
            | Self::Approvals(_)
            | Self::Tap(_)
            | Self::Decided(_)
            | Self::Notice { .. }
            | Self::CommandOutput { .. }
            | Self::Shell(ShellBody::Started { .. } | ShellBody::Finished { .. })
            | Self::Answered { .. } => Tier::Durable,
        }
    }
}

impl Event {
    pub fn tier(&self) -> Tier {
        self.body.tier()
    }
}
