use std::pin::Pin;

use futures::Stream;
use tokio_util::sync::CancellationToken;

use super::Request;
use crate::proto::{Fault, ModelInfo, ReasoningBlock, StopReason, Usage};

/// One model at one provider.
pub trait Model: Send + Sync + std::fmt::Debug {
    fn info(&self) -> ModelInfo;

    fn traits(&self) -> Traits;

    /// Whether an effort that is asked for reaches the model.
    fn takes_effort(&self) -> bool {
        true
    }

    /// Streams one reply. Ends after [`Delta::Stop`] or the first fault. Dropping the stream, or
    /// cancelling the token, closes the connection at once.
    fn stream(&self, request: Request, cancel: CancellationToken) -> DeltaStream;

    /// The body as it would be sent, secrets masked: for its size and for the Wire view.
    fn wire(&self, request: &Request) -> serde_json::Value;
}

pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, Fault>> + Send>>;

/// What a model can take. Unknown models are assumed to take tools and no images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    pub tools: bool,
    pub images: bool,
    pub reasoning: Replay,
    pub structured_output: bool,
}

impl Default for Traits {
    fn default() -> Self {
        Self { tools: true, images: false, reasoning: Replay::Never, structured_output: false }
    }
}

/// What a provider wants of reasoning that its own model wrote earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replay {
    /// It is left out.
    #[default]
    Never,
    /// It goes back when there is some.
    Welcome,
    /// A message with tool calls and without reasoning is refused, so an empty one stands in.
    Demanded,
}

/// One step of a reply, after all mending.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// A reasoning block is complete, with the proof it must be sent back with.
    ReasoningDone(ReasoningBlock),
    /// A call is being written: its name, and the bytes of arguments so far.
    CallForming {
        name: String,
        argument_bytes: u64,
    },
    /// A call is complete.
    Call(RawCall),
    /// Totals so far; the last one counts.
    Usage(Usage),
    /// Something arrived that carries no content; the idle clock starts again.
    Alive,
    /// The reply is complete.
    Stop(StopReason),
}

/// A call as the provider sent it, ids made up where it sent none.
#[derive(Debug, Clone, PartialEq)]
pub struct RawCall {
    pub provider_id: String,
    pub name: String,
    /// A JSON object, or whatever came when it was not one.
    pub arguments: serde_json::Value,
    /// Why the arguments cannot be used.
    pub malformed: Option<String>,
    pub signature: Option<String>,
}
