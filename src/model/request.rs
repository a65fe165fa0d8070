use serde::{Deserialize, Serialize};

use crate::proto::{Effort, Purpose, ReasoningBlock, ToolCall};

/// One model call. Built by a pure function from history; the same history gives the same bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who asks; nothing of it is sent.
    pub purpose: Purpose,
    pub system: String,
    /// Static tools first, in a stable order; dynamic ones after.
    pub tools: Vec<ToolSpec>,
    /// How many of `tools` belong to the static prefix.
    pub static_tools: usize,
    pub messages: Vec<Message>,
    pub effort: Effort,
    pub max_tokens: u32,
    pub temperature: f64,
    pub top_p: f64,
    /// 0 = not sent.
    pub top_k: u32,
    /// JSON Schema the reply must follow.
    pub schema: Option<serde_json::Value>,
    /// Without a byte for so long the call counts as stalled; zero = no limit.
    pub idle_timeout: std::time::Duration,
}

/// How a text begins that stands at the end of this request only, so that nothing from it on is worth
/// keeping in a provider's cache.
pub(super) const PASSING: &str = "<octomind-note kind=\"recite\">";

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    pub description: String,
    /// A JSON Schema object.
    pub schema: serde_json::Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Message {
    User(Vec<Part>),
    Assistant {
        text: String,
        reasoning: Vec<ReasoningBlock>,
        calls: Vec<ToolCall>,
        /// `provider:model` that wrote it. Reasoning is only sent back to the same one.
        model: String,
    },
    /// Results of the calls of the assistant message before it, one a call, in call order.
    Tools(Vec<ToolResult>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Part {
    Text(String),
    Media { media_type: String, base64: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The provider's id of the call.
    pub provider_id: String,
    pub wire_name: String,
    pub parts: Vec<Part>,
    pub error: bool,
}
