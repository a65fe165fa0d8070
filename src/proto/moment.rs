//! The session as it was at one of its events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Body, Purpose, Seq, Snapshot, Timestamp, TurnId, TurnOutcome};

/// What a front end asks about the past; answered by [`Body::Moment`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeCommand {
    /// The session after so many of its events; past the end it is the last one.
    At { index: u64 },
    /// Nobody looks at the past any more.
    Leave,
}

/// What came of it. Nothing of it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeAnswer {
    Shown(Arc<Moment>),
    /// One sentence.
    Refused(String),
}

/// The session right after an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Of the event, from 0.
    pub index: u64,
    /// Events there are.
    pub total: u64,
    pub seq: Seq,
    pub at: Timestamp,
    /// What happened, in one line.
    pub name: String,
    /// The events that turns began with.
    pub turns: Arc<Vec<(TurnId, u64)>>,
    /// What is recorded. How servers stand, what is on offer and the switches are not part of it.
    pub snapshot: Arc<Snapshot>,
}

impl Body {
    /// What happened, in one line.
    pub fn name(&self) -> String {
        match self {
            Self::SessionStarted { role, .. } => format!("the session began as {role}"),
            Self::SessionResumed { .. } => "the session was taken up again".to_owned(),
            Self::RoleChanged { role } => format!("role {role}"),
            Self::ModelChanged { model, .. } => format!("model {}", model.name),
            Self::TitleChanged { title } => format!("titled {title}"),
            Self::ViewCleared => "the view was cleared".to_owned(),
            Self::SessionEnded => "the session ended".to_owned(),
            Self::TurnStarted { turn } => format!("turn {} began", turn.0),
            Self::TurnEnded { turn, outcome, .. } => format!("turn {} {}", turn.0, ended(outcome)),
            Self::UserMessage { .. } => "a message".to_owned(),
            Self::RequestStarted { request, purpose, .. } => format!("request #{} {}", request.0, of(*purpose)),
            Self::RequestFilled(filling) => format!("what request #{} is made of", filling.request.0),
            Self::TextDelta { .. } => "the agent answers".to_owned(),
            Self::ReasoningDelta { .. } => "the agent thinks".to_owned(),
            Self::AssistantMessage { calls, .. } if calls.is_empty() => "the answer".to_owned(),
            Self::AssistantMessage { calls, .. } => format!("the answer, with {}", super::counted(calls.len(), "call")),
            Self::RequestFinished { request, purpose, .. } => format!("request #{} {} ended", request.0, of(*purpose)),
            Self::RequestFailed { request, .. } => format!("request #{} failed", request.0),
            Self::ToolStarted { server, tool, .. } => format!("{server}.{tool} began"),
            Self::ToolFinished { outcome, .. } => format!("a tool ended: {outcome:?}").to_lowercase(),
            Self::StartStep { .. } => "a step of starting".to_owned(),
            Self::SurfaceChanged(_) => "the tool surface changed".to_owned(),
            Self::SkillActivated { skill, .. } => format!("skill {} came", skill.name),
            Self::SkillForgotten { name } => format!("skill {name} went"),
            Self::PlanChanged(_) => "the plan changed".to_owned(),
            Self::ResultNarrowed { .. } => "a result was narrowed".to_owned(),
            Self::Decided(decision) => {
                let (_, source, text) = decision.headline();
                format!("{source}: {text}")
            }
            Self::Notice { source, text, .. } => format!("{source}: {text}"),
            Self::CommandOutput { line, .. } => line.clone(),
            Self::Answered { .. } => "a question was answered".to_owned(),
            _ => "something that is not recorded".to_owned(),
        }
    }
}

fn ended(outcome: &TurnOutcome) -> &'static str {
    match outcome {
        TurnOutcome::Done => "ended",
        TurnOutcome::Interrupted => "was interrupted",
        TurnOutcome::Failed(_) => "failed",
        TurnOutcome::Stopped(_) => "was stopped",
    }
}

fn of(purpose: Purpose) -> String {
    match purpose {
        Purpose::Main => "of the agent".to_owned(),
        Purpose::Supervisor(mechanic) => format!("of {}", mechanic.word()),
        Purpose::Compression => "of compression".to_owned(),
    }
}
