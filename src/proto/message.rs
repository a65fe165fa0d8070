use serde::{Deserialize, Serialize};

use super::{CallId, Mechanic};

/// How hard a model should think. `None` turns reasoning off explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    None,
    Low,
    #[default]
    Medium,
    High,
    Xhigh,
    Max,
}

/// What a front end needs to know of the model in use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelInfo {
    /// `provider:model`, as given.
    pub name: String,
    /// Tokens; `None` when nobody told us.
    pub context_window: Option<u64>,
    /// Every reply comes from a script and is labelled so.
    pub scripted: bool,
    /// Whether prices are known, so that a cost of zero is not read as free.
    pub priced: bool,
}

/// What a model call was made for. Costs are kept apart by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    #[default]
    Main,
    Supervisor(Mechanic),
    Compression,
}

/// Where a user-role message came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Typed by the person (or given on standard input).
    #[default]
    Person,
    /// Put there by the runtime; `kind` is the inbox source kind, `label` is for people.
    System { kind: String, label: String },
}

/// A file that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub name: String,
    pub media_type: String,
    pub content: Content,
}

/// A body that is kept in the event when small and beside the journal when large.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Text(String),
    /// `blobs/<hash>` beside the journal; `preview` is its first lines, `bytes` its full size.
    Blob {
        hash: String,
        bytes: u64,
        preview: String,
    },
    /// Media a model may or may not be able to take, base64.
    Media {
        media_type: String,
        base64: String,
    },
    /// Several parts in the order they came.
    Parts(Vec<Content>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Content {
    /// Size in bytes of what the content stands for.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Text(text) => text.len() as u64,
            Self::Blob { bytes, .. } => *bytes,
            Self::Media { base64, .. } => base64.len() as u64 / 4 * 3,
            Self::Parts(parts) => parts.iter().map(Self::bytes).sum(),
        }
    }
}

/// Reasoning that a provider may demand back, word for word, with the next request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReasoningBlock {
    pub text: String,
    /// Provider's proof (Anthropic signature, Gemini thought signature, encrypted content).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Content the provider hid from us and wants back untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<String>,
}

/// A call the model asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Ours, unique in the session.
    pub id: CallId,
    /// The provider's id, sent back as it came.
    pub provider_id: String,
    /// The name on the wire.
    pub wire_name: String,
    /// Parsed arguments, or the raw text when it is not a JSON object.
    pub arguments: serde_json::Value,
    /// Why the arguments cannot be used, if they cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
    /// Opaque provider data tied to this call (Gemini thought signatures).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    #[default]
    End,
    ToolCalls,
    Length,
    Refusal,
    /// The stream ended without saying why; what came was kept.
    Cut,
    Interrupted,
    Other(String),
}

/// Tokens and money of one model call. Dollars; `None` means not known, not zero.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// All prompt tokens, cached ones included.
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub reasoning: u64,
    pub cost: Option<f64>,
}

impl Usage {
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cost = match (self.cost, other.cost) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0.0) + b.unwrap_or(0.0)),
        };
    }
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    Ok,
    /// The tool ran and reported an error.
    Error,
    /// The person stopped it.
    Cancelled,
    TimedOut,
    /// Refused before it ran: unknown tool, bad arguments, guard, no trust.
    Refused,
    /// The server went away while it ran; whether it took effect is not known.
    Lost,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    Done,
    Interrupted,
    /// A model or runtime fault; the sentence is for the person.
    Failed(String),
    /// A spending limit was reached.
    Stopped(String),
}
