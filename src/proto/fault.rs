use serde::{Deserialize, Serialize};

/// What went wrong with a model call, in kinds that differ in what a person should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// No key in the environment or the configuration.
    NoKey,
    /// The provider refused the key.
    WrongKey,
    UnknownModel,
    /// The prompt is longer than the model takes.
    ContextOverflow,
    RateLimit,
    Overloaded,
    /// No route to the provider.
    Network,
    /// Nothing listens at an address of this machine.
    NotRunning,
    /// Nothing arrived for the idle time.
    Stalled,
    /// The connection ended in the middle of a reply.
    Cut,
    /// The provider says the request is wrong.
    BadRequest,
    /// The provider sent something that is not its own protocol.
    Protocol,
    OutOfCredit,
    Server,
    Cancelled,
}

/// One failed model call. `message` and `advice` are each one plain sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    pub kind: FaultKind,
    pub message: String,
    /// What the person can do.
    pub advice: String,
    /// The provider's own words, shortened, secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The provider asked to wait so long (`retry-after`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Fault {
    pub fn new(kind: FaultKind, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: advice.into(), detail: None, retry_after_ms: None }
    }

    /// Whether the same request may succeed if sent again later.
    pub fn retryable(&self) -> bool {
        matches!(
            self.kind,
            FaultKind::RateLimit
                | FaultKind::Overloaded
                | FaultKind::Network
                | FaultKind::Stalled
                | FaultKind::Cut
                | FaultKind::Server
        )
    }
}
