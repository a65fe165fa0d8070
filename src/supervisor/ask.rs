use serde_json::Value;

use crate::proto::Mechanic;

/// One call of the supervisor's model.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub mechanic: Mechanic,
    /// The same for every call of the mechanic, so that providers can cache it.
    pub system: String,
    /// The one user message.
    pub text: String,
    /// JSON Schema of the answer.
    pub schema: Value,
    pub max_tokens: u32,
}
