use serde_json::{Value, json};

use super::ollama_context;
use crate::model::{Message, Part, Request};
use crate::proto::{Effort, ToolCall};

/// The JSON body. Keys in one order, so that the same request is the same bytes.
pub(crate) fn body(model: &str, request: &Request, window: Option<u64>) -> Value {
    let mut body = json!({ "model": model, "stream": true });
    if !request.tools.is_empty() {
        body["tools"] = request
            .tools
            .iter()
            .map(|tool| {
                json!({
                    "type": "function",
                    "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema },
                })
            })
            .collect();
    }
    let messages = messages(request);
    let bytes = messages.to_string().len() + body.to_string().len();
    let mut options = json!({
        "num_ctx": ollama_context(bytes as u64, request.max_tokens, window),
        "temperature": request.temperature,
        "top_p": request.top_p,
    });
    if request.top_k > 0 {
        options["top_k"] = request.top_k.into();
    }
    if request.max_tokens > 0 {
        options["num_predict"] = request.max_tokens.into();
    }
    body["messages"] = messages;
    body["options"] = options;
    if let Some(think) = think(model, request.effort) {
        body["think"] = think;
    }
    if let Some(schema) = &request.schema {
        body["format"] = schema.clone();
    }
    body
}

/// Models that do not think refuse to be told to; those that do think unasked. Only gpt-oss has
/// levels.
fn think(model: &str, effort: Effort) -> Option<Value> {
    let word = match effort {
        Effort::None => return Some(false.into()),
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High | Effort::Xhigh | Effort::Max => "high",
    };
    model.contains("gpt-oss").then(|| word.into())
}

fn messages(request: &Request) -> Value {
    let mut out = Vec::new();
    if !request.system.is_empty() {
        out.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        match message {
            Message::User(parts) => out.push(with_images(json!({ "role": "user" }), parts)),
            Message::Assistant { text, reasoning, calls, .. } => {
                let mut value = json!({ "role": "assistant", "content": text });
                let thoughts: Vec<&str> =
                    reasoning.iter().map(|block| block.text.as_str()).filter(|text| !text.is_empty()).collect();
                if !thoughts.is_empty() {
                    value["thinking"] = thoughts.join("\n").into();
                }
                if !calls.is_empty() {
                    value["tool_calls"] = calls.iter().map(call).collect();
                }
                out.push(value);
            }
            Message::Tools(results) => out.extend(
                results
                    .iter()
                    .map(|result| with_images(json!({ "role": "tool", "tool_name": result.wire_name }), &result.parts)),
            ),
        }
    }
    out.into()
}

fn call(call: &ToolCall) -> Value {
    json!({ "function": { "name": call.wire_name, "arguments": call.arguments } })
}

fn with_images(mut message: Value, parts: &[Part]) -> Value {
    let mut texts = Vec::new();
    let mut images = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => texts.push(text.as_str()),
            Part::Media { base64, .. } => images.push(base64.as_str()),
        }
    }
    message["content"] = texts.join("\n\n").into();
    if !images.is_empty() {
        message["images"] = images.into();
    }
    message
}
