use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ContentPart, JsonSpec, MessageContent,
    ReasoningEffort, Tool, ToolCall, ToolResponse,
};

use crate::model::{Message, Part, Request, ToolResult};
use crate::proto::{self, Effort, ReasoningBlock};

pub(super) fn request(request: &Request) -> ChatRequest {
    let mut chat = ChatRequest::default();
    if !request.system.is_empty() {
        chat = chat.with_system(request.system.clone());
    }
    if !request.tools.is_empty() {
        let tool = |tool: &crate::model::ToolSpec| {
            Tool::new(tool.name.as_str()).with_description(tool.description.clone()).with_schema(tool.schema.clone())
        };
        chat = chat.with_tools(request.tools.iter().map(tool));
    }
    for message in &request.messages {
        match message {
            Message::User(parts) => chat = chat.append_message(ChatMessage::user(content(parts))),
            Message::Assistant { text, reasoning, calls, .. } => {
                chat = chat.append_message(ChatMessage::assistant(assistant(text, reasoning, calls)));
            }
            Message::Tools(results) => {
                let mut images = Vec::new();
                let answers: Vec<ContentPart> =
                    results.iter().map(|result| ContentPart::ToolResponse(answer(result, &mut images))).collect();
                // One message each: not every format takes several results in one.
                for answer in answers {
                    chat = chat.append_message(ChatMessage::tool(MessageContent::from_parts(vec![answer])));
                }
                if !images.is_empty() {
                    chat = chat.append_message(ChatMessage::user(content(&images)));
                }
            }
        }
    }
    chat
}

fn content(parts: &[Part]) -> MessageContent {
    let part = |part: &Part| match part {
        Part::Text(text) => ContentPart::from_text(text.clone()),
        Part::Media { media_type, base64 } => {
            ContentPart::Binary(Binary::from_base64(media_type.clone(), base64.clone(), None))
        }
    };
    MessageContent::from_parts(parts.iter().map(part).collect::<Vec<_>>())
}

/// Reasoning goes back as the very parts genai gave us, which `reply` keeps in `redacted`.
fn assistant(text: &str, reasoning: &[ReasoningBlock], calls: &[proto::ToolCall]) -> MessageContent {
    let mut parts: Vec<ContentPart> = reasoning
        .iter()
        .filter_map(|block| serde_json::from_str::<Vec<ContentPart>>(block.redacted.as_deref()?).ok())
        .flatten()
        .collect();
    if !text.is_empty() {
        parts.push(ContentPart::from_text(text));
    }
    parts.extend(calls.iter().map(|call| {
        ContentPart::ToolCall(ToolCall {
            call_id: call.provider_id.clone(),
            fn_name: call.wire_name.clone(),
            fn_arguments: call.arguments.clone(),
            thought_signatures: call.signature.clone().map(|signature| vec![signature]),
        })
    }));
    MessageContent::from_parts(parts)
}

fn answer(result: &ToolResult, images: &mut Vec<Part>) -> ToolResponse {
    let mut texts = Vec::new();
    for part in &result.parts {
        match part {
            Part::Text(text) => texts.push(text.clone()),
            Part::Media { media_type, .. } => {
                texts.push(format!("[{media_type} of this result follows below]"));
                images.extend([Part::Text(format!("From {}:", result.wire_name)), part.clone()]);
            }
        }
    }
    let text = texts.join("\n");
    let text = if result.error { format!("Error: {text}") } else { text };
    ToolResponse::new(result.provider_id.clone(), text).with_fn_name(result.wire_name.clone())
}

pub(super) fn options(kind: AdapterKind, model: &str, request: &Request) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(true);
    if !request.idle_timeout.is_zero() {
        options =
            options.with_stream_header_timeout(request.idle_timeout).with_stream_read_timeout(request.idle_timeout);
    }
    if request.max_tokens > 0 {
        options = options.with_max_tokens(request.max_tokens);
    }
    options = options.with_temperature(request.temperature).with_top_p(request.top_p);
    if let Some(effort) = effort(kind, model, request.effort) {
        options = options.with_reasoning_effort(effort);
    }
    if let Some(schema) = &request.schema {
        options = options.with_response_format(ChatResponseFormat::JsonSpec(JsonSpec::new("reply", schema.clone())));
    }
    options
}

/// `None` = the provider's own default.
fn effort(kind: AdapterKind, model: &str, effort: Effort) -> Option<ReasoningEffort> {
    let levels = match kind {
        AdapterKind::Gemini => ["gemini-2.5", "gemini-3", "gemini-4"].iter().any(|head| model.starts_with(head)),
        AdapterKind::Cohere => false,
        _ => true,
    };
    levels.then_some(match effort {
        Effort::None => ReasoningEffort::Zero,
        Effort::Low => ReasoningEffort::Low,
        Effort::Medium => ReasoningEffort::Medium,
        Effort::High => ReasoningEffort::High,
        Effort::Xhigh => ReasoningEffort::XHigh,
        Effort::Max => ReasoningEffort::Max,
    })
}
