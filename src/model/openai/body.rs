use serde_json::{Value, json};

use crate::model::request::PASSING;
use crate::model::{Message, Part, Request, ToolResult};
use crate::proto::{Effort, ReasoningBlock, ToolCall};

/// How one provider's chat protocol differs from the others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    pub(crate) effort: EffortStyle,
    pub(crate) carrier: Carrier,
    /// `max_completion_tokens` instead of `max_tokens`: OpenAI's reasoning models.
    pub(crate) reasoning_model: bool,
    pub(crate) sampling: Sampling,
    /// Takes Anthropic-style `cache_control` on parts (gateways to Anthropic models).
    pub(crate) cache_marks: bool,
    /// Reports cost when asked with `usage: {include: true}`.
    pub(crate) asks_cost: bool,
    pub(crate) top_k: bool,
}

/// When temperature and top_p are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampling {
    Always,
    /// Thinking takes none (DeepSeek, Z.AI).
    UnlessThinking,
    /// Every value but the model's own is refused (OpenAI's reasoning models, Kimi).
    Never,
}

/// Where reasoning effort goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EffortStyle {
    /// Not sent.
    Absent,
    /// `reasoning_effort: "low"`.
    Plain,
    /// `reasoning: {effort: "low"}` (OpenRouter).
    Nested,
    /// `thinking: {type: "enabled"}` (DeepSeek, Z.AI, Kimi).
    Thinking,
}

/// The field that earlier reasoning goes back in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    Absent,
    ReasoningContent,
    /// `reasoning_details`, word for word as they came.
    Details,
}

impl Dialect {
    pub(crate) fn plain() -> Self {
        Self {
            effort: EffortStyle::Absent,
            carrier: Carrier::Absent,
            reasoning_model: false,
            sampling: Sampling::Always,
            cache_marks: false,
            asks_cost: false,
            top_k: false,
        }
    }
}

/// The JSON body. Keys in one order, so that the same request is the same bytes.
pub(crate) fn body(dialect: &Dialect, model: &str, request: &Request) -> Value {
    let mut body = json!({ "model": model, "stream": true, "stream_options": { "include_usage": true } });
    if !request.tools.is_empty() {
        body["tools"] = tools(request);
    }
    body["messages"] = messages(dialect, request);
    let limit = if dialect.reasoning_model { "max_completion_tokens" } else { "max_tokens" };
    if request.max_tokens > 0 {
        body[limit] = request.max_tokens.into();
    }
    let sampled = match dialect.sampling {
        Sampling::Always => true,
        Sampling::UnlessThinking => request.effort == Effort::None,
        Sampling::Never => false,
    };
    if sampled {
        body["temperature"] = request.temperature.into();
        body["top_p"] = request.top_p.into();
        if dialect.top_k && request.top_k > 0 {
            body["top_k"] = request.top_k.into();
        }
    }
    effort(dialect, request.effort, &mut body);
    if dialect.asks_cost {
        body["usage"] = json!({ "include": true });
    }
    if let Some(schema) = &request.schema {
        body["response_format"] =
            json!({ "type": "json_schema", "json_schema": { "name": "reply", "strict": true, "schema": schema } });
    }
    body
}

fn tools(request: &Request) -> Value {
    let tool = |tool: &crate::model::ToolSpec| {
        json!({
            "type": "function",
            "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
        })
    };
    request.tools.iter().map(tool).collect()
}

fn effort(dialect: &Dialect, effort: Effort, body: &mut Value) {
    let word = word(effort);
    match dialect.effort {
        EffortStyle::Absent => {}
        EffortStyle::Plain => body["reasoning_effort"] = word.into(),
        EffortStyle::Nested if effort == Effort::None => body["reasoning"] = json!({ "enabled": false }),
        EffortStyle::Nested => body["reasoning"] = json!({ "effort": word }),
        EffortStyle::Thinking => {
            let state = if effort == Effort::None { "disabled" } else { "enabled" };
            body["thinking"] = json!({ "type": state });
        }
    }
}

/// `max` is ours; the protocol's highest word is `xhigh`.
fn word(effort: Effort) -> &'static str {
    match effort {
        Effort::None => "none",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Xhigh | Effort::Max => "xhigh",
    }
}

fn messages(dialect: &Dialect, request: &Request) -> Value {
    let mut out = Vec::new();
    if !request.system.is_empty() {
        out.push(json!({ "role": "system", "content": content(&[Part::Text(request.system.clone())]) }));
    }
    for message in &request.messages {
        match message {
            Message::User(parts) => out.push(json!({ "role": "user", "content": content(parts) })),
            Message::Assistant { text, reasoning, calls, .. } => out.push(assistant(dialect, text, reasoning, calls)),
            Message::Tools(results) => tool_messages(results, &mut out),
        }
    }
    if dialect.cache_marks {
        mark(&mut out);
    }
    out.into()
}

fn assistant(dialect: &Dialect, text: &str, reasoning: &[ReasoningBlock], calls: &[ToolCall]) -> Value {
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    let mut message = json!({ "role": "assistant", "content": content });
    match dialect.carrier {
        Carrier::Absent => {}
        Carrier::ReasoningContent if reasoning.is_empty() => {}
        Carrier::ReasoningContent => {
            let texts: Vec<&str> = reasoning.iter().map(|block| block.text.as_str()).collect();
            message["reasoning_content"] = texts.join("\n").into();
        }
        Carrier::Details => {
            let details: Vec<Value> = reasoning
                .iter()
                .filter_map(|block| serde_json::from_str(block.redacted.as_deref()?).ok())
                .flat_map(|value| match value {
                    Value::Array(items) => items,
                    other => vec![other],
                })
                .collect();
            if !details.is_empty() {
                message["reasoning_details"] = details.into();
            }
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    message
}

fn call(call: &ToolCall) -> Value {
    let mut value = json!({
        "id": call.provider_id,
        "type": "function",
        "function": { "name": call.wire_name, "arguments": call.arguments.to_string() },
    });
    // Gemini behind this protocol keeps its thought signature here and refuses the call without it.
    if let Some(signature) = &call.signature {
        value["extra_content"] = json!({ "google": { "thought_signature": signature } });
    }
    value
}

/// Tool messages carry text only, so images follow in a user message.
fn tool_messages(results: &[ToolResult], out: &mut Vec<Value>) {
    let mut images = Vec::new();
    for result in results {
        let mut texts = Vec::new();
        for part in &result.parts {
            match part {
                Part::Text(text) => texts.push(text.clone()),
                Part::Media { media_type, .. } => {
                    texts.push(format!("[{media_type} of this result follows below]"));
                    images.push(Part::Text(format!("From {}:", result.wire_name)));
                    images.push(part.clone());
                }
            }
        }
        out.push(json!({ "role": "tool", "tool_call_id": result.provider_id, "content": texts.join("\n") }));
    }
    if !images.is_empty() {
        out.push(json!({ "role": "user", "content": content(&images) }));
    }
}

/// A plain text where that will do: some servers take nothing else.
fn content(parts: &[Part]) -> Value {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media { .. } => None,
        })
        .collect();
    if let Some(texts) = texts {
        return texts.join("\n\n").into();
    }
    let part = |part: &Part| match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media { media_type, base64 } => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{media_type};base64,{base64}") } })
        }
    };
    parts.iter().map(part).collect()
}

/// Cache marks for gateways to Anthropic models: system prompt and the last two user messages.
fn mark(messages: &mut [Value]) {
    let is = |message: &Value, role: &str| message["role"] == role;
    let stays = |message: &Value| !message["content"].as_str().is_some_and(|text| text.starts_with(PASSING));
    let mut places: Vec<usize> = messages.iter().position(|message| is(message, "system")).into_iter().collect();
    let users = messages.iter().enumerate().rev().filter(|(_, message)| is(message, "user") && stays(message));
    places.extend(users.map(|(place, _)| place).take(2));
    for place in places {
        let content = &mut messages[place]["content"];
        if let Value::String(text) = content {
            *content = match text.find(&format!("\n\n{PASSING}")) {
                Some(at) => json!([{ "type": "text", "text": text[..at] }, { "type": "text", "text": text[at + 2..] }]),
                None => json!([{ "type": "text", "text": text }]),
            };
        }
        if let Some(last) = content.as_array_mut().and_then(|parts| parts.iter_mut().rev().find(|part| !passes(part))) {
            last["cache_control"] = json!({ "type": "ephemeral" });
        }
    }
}

fn passes(part: &Value) -> bool {
    part["text"].as_str().is_some_and(|text| text.starts_with(PASSING))
}
