use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    ApprovalView, Ask, Body, CatalogueView, Child, Effort, EncoderState, Event, Filling, Level, Matching, Mechanic,
    ModelInfo, Order, Past, QueueId, RewindView, SandboxView, Seq, ServerKind, ServerState, SkillView, SubmitMode,
    SupervisorView, SurfaceEvent, SurfaceView, Timestamp, ToolGone, ToolInfo, Transcript, TurnId, TurnOutcome, Usage,
};

/// Everything a front end shows of a session: a fold over its events.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// The last event folded in.
    pub seq: Seq,
    pub session: SessionView,
    pub run: RunState,
    pub transcript: Transcript,
    pub queue: Vec<Queued>,
    /// In the order the role lists them.
    pub servers: Vec<ServerView>,
    pub catalogue: Arc<CatalogueView>,
    pub encoder: EncoderState,
    pub surface: Arc<SurfaceView>,
    /// What happened to it, newest last, at most [`SURFACE_EVENTS`](super::SURFACE_EVENTS).
    pub surface_events: Vec<Arc<SurfaceEvent>>,
    pub supervisor: SupervisorView,
    /// Tools that were on it, the newest last.
    #[serde(default)]
    pub tools_gone: Vec<ToolGone>,
    #[serde(default)]
    pub past: Arc<Past>,
    #[serde(default)]
    pub rewind: Arc<RewindView>,
    #[serde(default)]
    pub approval: Arc<ApprovalView>,
    /// In the order they came.
    pub skills: Vec<SkillView>,
    pub asks: Vec<(Ask, Option<Order>)>,
    /// As far as this process told.
    #[serde(default)]
    pub sandbox: Option<SandboxView>,
    /// Newest last, at most [`MAX_NOTES`].
    pub notes: Vec<Note>,
    /// The entry of the command that the person runs.
    #[serde(default)]
    pub shell: Option<Order>,
    pub totals: Totals,
    /// What requests were made of: the newest of each purpose.
    #[serde(default)]
    pub fillings: Vec<Arc<Filling>>,
    pub turn: TurnId,
    /// The session that this one works for.
    #[serde(default)]
    pub parent: Option<String>,
    /// Sessions that work for this one, in the order they were begun.
    #[serde(default)]
    pub children: Vec<Arc<Child>>,
    /// Which agents tasks went to and when, newest last, at most [`MATCHINGS`](super::MATCHINGS).
    #[serde(default)]
    pub matchings: Vec<(Timestamp, Arc<Matching>)>,
}

/// Notes kept in the snapshot; older ones are in the journal.
pub(super) const MAX_NOTES: usize = 500;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionView {
    pub name: String,
    pub title: Option<String>,
    pub role: String,
    pub workdir: String,
    /// Where journal and blobs are.
    pub folder: String,
    pub model: ModelInfo,
    pub effort: Effort,
    /// Who holds the session when this process may only read it.
    pub read_only: Option<String>,
    pub started_at: Timestamp,
    pub ended: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    #[default]
    Idle,
    /// The request is out, nothing came back yet.
    Waiting {
        since: Timestamp,
    },
    Thinking {
        since: Timestamp,
    },
    Answering {
        since: Timestamp,
    },
    /// A tool call is being written.
    Forming {
        since: Timestamp,
        tool: String,
        argument_bytes: u64,
    },
    Tools {
        since: Timestamp,
        running: u32,
    },
    /// A call waits for the person's yes, and nothing else runs.
    Approving {
        since: Timestamp,
    },
    /// The supervisor's answer is waited for.
    Checking {
        since: Timestamp,
        mechanic: Mechanic,
    },
    Retrying {
        since: Timestamp,
        until: Timestamp,
        attempt: u32,
        of: u32,
        reason: String,
    },
}

impl RunState {
    pub fn busy(&self) -> bool {
        !matches!(self, Self::Idle)
    }

    /// When the running step began.
    pub fn since(&self) -> Option<Timestamp> {
        match self {
            Self::Idle => None,
            Self::Waiting { since }
            | Self::Thinking { since }
            | Self::Answering { since }
            | Self::Forming { since, .. }
            | Self::Tools { since, .. }
            | Self::Approving { since }
            | Self::Checking { since, .. }
            | Self::Retrying { since, .. } => Some(*since),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    pub id: QueueId,
    pub text: String,
    pub mode: SubmitMode,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerView {
    pub name: String,
    pub kind: ServerKind,
    pub state: ServerState,
    /// What is run or called, secrets masked.
    pub command: String,
    /// Last lines of standard error, sanitised.
    pub stderr: Vec<String>,
    pub tools: Vec<ToolInfo>,
}

impl ServerView {
    /// Prompt tokens the exposed tools cost on every request.
    pub fn tokens(&self) -> u32 {
        self.tools.iter().filter(|tool| tool.exposed()).map(|tool| tool.tokens).sum()
    }
}

/// A line of the Notes pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub at: Timestamp,
    pub turn: TurnId,
    pub level: Level,
    /// Who speaks: `retry`, `surface`, `config`, a server's name.
    pub source: String,
    pub text: String,
    /// The transcript entry with the whole record.
    pub order: Option<Order>,
    /// The event it was made of.
    pub seq: Seq,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    pub main: Usage,
    /// Supervisor, compression and the like.
    pub auxiliary: Usage,
    /// Of sessions that work for this one.
    #[serde(default)]
    pub children: Usage,
    pub requests: u32,
    pub tool_calls: u32,
    /// Prompt tokens of the next request, estimated, or of the last one, reported.
    pub context_tokens: u64,
    pub context_system: u64,
    pub context_tools: u64,
    pub context_history: u64,
    pub last_turn: Option<(TurnOutcome, u64)>,
}

impl Totals {
    /// Everything that was spent.
    pub fn all(&self) -> Usage {
        let mut all = self.main;
        all.add(&self.auxiliary);
        all.add(&self.children);
        all
    }
}

impl Snapshot {
    /// Exposed tools and what they cost per request.
    pub fn surface(&self) -> (usize, u32) {
        let exposed = |server: &ServerView| server.tools.iter().filter(|tool| tool.exposed()).count();
        (self.servers.iter().map(exposed).sum(), self.servers.iter().map(ServerView::tokens).sum())
    }

    /// Folds one event in. An event that was folded before changes nothing.
    pub fn apply(&mut self, event: &Event) {
        if event.seq <= self.seq {
            return;
        }
        self.seq = event.seq;
        self.remember(event);
        self.remember_for_rewind(event);
        match &event.body {
            Body::SessionStarted { .. }
            | Body::SessionResumed { .. }
            | Body::RoleChanged { .. }
            | Body::ModelChanged { .. }
            | Body::TitleChanged { .. }
            | Body::ViewCleared
            | Body::SessionEnded => self.apply_session(event),
            Body::TurnStarted { .. }
            | Body::TurnEnded { .. }
            | Body::UserMessage { .. }
            | Body::Queued { .. }
            | Body::QueueEdited { .. }
            | Body::Unqueued { .. } => self.apply_turn(event),
            Body::RequestStarted { .. }
            | Body::TextDelta { .. }
            | Body::ReasoningDelta { .. }
            | Body::CallForming { .. }
            | Body::AssistantMessage { .. }
            | Body::RequestFinished { .. }
            | Body::RequestFailed { .. }
            | Body::RetryScheduled { .. } => self.apply_request(event),
            Body::RequestFilled(filling) => self.filled(filling),
            // Of other sessions, and of the past.
            Body::Shelf(_) | Body::Moment(_) => {}
            Body::ToolStarted { .. } | Body::ToolProgress { .. } | Body::ToolFinished { .. } => self.apply_tool(event),
            Body::ServerChanged { .. } | Body::ServerTools { .. } | Body::ServerGone { .. } => self.apply_server(event),
            Body::StartStep { .. }
            | Body::StartOutput { .. }
            | Body::CatalogueChanged(_)
            | Body::EncoderChanged(_)
            | Body::SurfaceChanged(_)
            | Body::WhatIf { .. }
            | Body::SkillActivated { .. }
            | Body::SkillForgotten { .. } => self.apply_offer(event),
            Body::PlanChanged(_) | Body::SwitchesChanged(_) | Body::ResultNarrowed { .. } | Body::Wire { .. } => {
                self.apply_supervisor(event);
            }
            Body::Rewind(what) => self.apply_rewind(event, what),
            Body::Sandbox(view) => self.sandbox = Some(view.clone()),
            Body::Approvals(standing) => self.apply_approval(standing),
            Body::Tap(what) => self.apply_tap(what),
            Body::Shell(_) => self.apply_shell(event),
            Body::Decided(_)
            | Body::Notice { .. }
            | Body::CommandOutput { .. }
            | Body::Asked(_)
            | Body::Answered { .. }
            | Body::ContextMeasured { .. } => self.apply_record(event),
        }
        self.approving(event);
    }
}
