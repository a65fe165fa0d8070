use serde_json::{Value, json};

use crate::model::request::PASSING;
use crate::model::{Message, Part, Request};
use crate::proto::{Effort, ReasoningBlock, ToolCall};

/// What a model of this protocol takes, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Abilities {
    thinking: Thinking,
    xhigh: bool,
    /// Thinks unless told not to.
    thinks_unasked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thinking {
    /// No reasoning parameters.
    None,
    /// `thinking: {type: enabled, budget_tokens}`.
    Budget,
    /// `thinking: {type: adaptive}` with `output_config.effort`; takes no sampling parameters.
    Adaptive,
}

impl Abilities {
    /// From names like `claude-opus-4-6` and `claude-3-7-sonnet-latest`; the facts are genai's.
    pub(crate) fn of(model: &str) -> Self {
        let model = model.rsplit('/').next().unwrap_or(model);
        let Some(rest) = model.strip_prefix("claude-") else {
            return Self { thinking: Thinking::None, xhigh: false, thinks_unasked: false };
        };
        let words: Vec<&str> = rest.split(['-', '.', '@']).collect();
        let numbers: Vec<u32> = words.iter().filter(|word| word.len() <= 2).filter_map(|w| w.parse().ok()).collect();
        let version = (numbers.first().copied().unwrap_or(0), numbers.get(1).copied().unwrap_or(0));
        let has = |family: &str| words.contains(&family);
        let newest = has("fable") || has("mythos");
        let adaptive = newest
            || has("opus") && version >= (4, 6)
            || has("sonnet") && version >= (4, 6)
            || has("haiku") && version >= (5, 0);
        let thinking = match (adaptive, version >= (3, 7)) {
            (true, _) => Thinking::Adaptive,
            (false, true) => Thinking::Budget,
            (false, false) => Thinking::None,
        };
        let xhigh = newest || has("opus") && version >= (4, 7) || adaptive && version >= (5, 0);
        Self { thinking, xhigh, thinks_unasked: !newest && version >= (5, 0) }
    }

    pub(crate) fn thinks(self) -> bool {
        self.thinking != Thinking::None
    }

    pub(crate) fn structured_output(self) -> bool {
        self.thinking == Thinking::Adaptive
    }
}

/// Smallest thinking budget the provider takes, tokens.
const SMALLEST_BUDGET: u32 = 1024;

/// The JSON body. Keys in one order, so that the same request is the same bytes.
pub(crate) fn body(model: &str, request: &Request) -> Value {
    let abilities = Abilities::of(model);
    let max_tokens = if request.max_tokens == 0 { 8192 } else { request.max_tokens };
    let mut body = json!({ "model": model, "max_tokens": max_tokens, "stream": true });
    if !request.system.is_empty() {
        body["system"] = json!([{ "type": "text", "text": request.system, "cache_control": mark() }]);
    }
    if !request.tools.is_empty() {
        body["tools"] = tools(request);
    }
    body["messages"] = messages(request);
    let thinks = thinking(abilities, request, max_tokens, &mut body);
    if !thinks && abilities.thinking != Thinking::Adaptive {
        // The newer models refuse temperature and top_p together; temperature is the one that is set.
        body["temperature"] = request.temperature.min(1.0).into();
        if request.top_k > 0 {
            body["top_k"] = request.top_k.into();
        }
    }
    if let Some(schema) = &request.schema {
        body["output_config"]["format"] = json!({ "type": "json_schema", "schema": schema });
    }
    body
}

fn mark() -> Value {
    json!({ "type": "ephemeral" })
}

/// A mark on the last static tool; dynamic tools come and go and are never marked.
fn tools(request: &Request) -> Value {
    let marked = request.static_tools.min(request.tools.len()).checked_sub(1);
    let tool = |(index, tool): (usize, &crate::model::ToolSpec)| {
        let mut value = json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema });
        if Some(index) == marked {
            value["cache_control"] = mark();
        }
        value
    };
    request.tools.iter().enumerate().map(tool).collect()
}

/// True when the request asks for thinking.
fn thinking(abilities: Abilities, request: &Request, max_tokens: u32, body: &mut Value) -> bool {
    if request.effort == Effort::None {
        if abilities.thinks_unasked {
            body["thinking"] = json!({ "type": "disabled" });
        }
        return false;
    }
    match abilities.thinking {
        Thinking::None => false,
        Thinking::Adaptive => {
            let effort = match request.effort {
                Effort::None | Effort::Low => "low",
                Effort::Medium => "medium",
                Effort::High => "high",
                Effort::Xhigh if abilities.xhigh => "xhigh",
                Effort::Xhigh => "high",
                Effort::Max => "max",
            };
            body["thinking"] = json!({ "type": "adaptive", "display": "summarized" });
            body["output_config"] = json!({ "effort": effort });
            true
        }
        Thinking::Budget => {
            let wanted = match request.effort {
                Effort::None | Effort::Low => 2048,
                Effort::Medium => 8192,
                Effort::High => 16_384,
                Effort::Xhigh | Effort::Max => 32_768,
            };
            let budget = wanted.min(max_tokens / 2);
            if budget < SMALLEST_BUDGET || open_round_without_thought(request) {
                return false;
            }
            body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
            true
        }
    }
}

/// A running tool round that began without thinking (another model wrote it, or thinking was off)
/// is refused when thinking is asked for.
fn open_round_without_thought(request: &Request) -> bool {
    let passes = |part: &Part| matches!(part, Part::Text(text) if text.starts_with(PASSING));
    let stays = |message: &&Message| !matches!(message, Message::User(parts) if parts.iter().all(passes));
    if !matches!(request.messages.iter().rev().find(stays), Some(Message::Tools(_))) {
        return false;
    }
    let last = request.messages.iter().rev().find_map(|message| match message {
        Message::Assistant { reasoning, .. } => Some(reasoning),
        _ => None,
    });
    last.is_some_and(|reasoning| !reasoning.iter().any(replayable))
}

fn replayable(block: &ReasoningBlock) -> bool {
    block.redacted.is_some() || block.signature.as_deref().is_some_and(|signature| !signature.is_empty())
}

/// Messages with the last two user turns marked. With system and tools that makes four marks, which
/// is as many as the provider takes.
fn messages(request: &Request) -> Value {
    let mut out: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            Message::User(parts) => ("user", parts.iter().map(part).collect()),
            Message::Assistant { text, reasoning, calls, .. } => ("assistant", assistant(text, reasoning, calls)),
            Message::Tools(results) => ("user", results.iter().map(result).collect::<Vec<_>>()),
        };
        if blocks.is_empty() {
            continue;
        }
        match out.last_mut() {
            Some((before, list)) if *before == role => list.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    for (_, blocks) in out.iter_mut().rev().filter(|(role, _)| *role == "user").take(2) {
        if let Some(last) = blocks.iter_mut().rev().find(|block| !passes(block)) {
            last["cache_control"] = mark();
        }
    }
    out.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn passes(block: &Value) -> bool {
    block["text"].as_str().is_some_and(|text| text.starts_with(PASSING))
}

fn assistant(text: &str, reasoning: &[ReasoningBlock], calls: &[ToolCall]) -> Vec<Value> {
    let mut blocks: Vec<Value> = reasoning
        .iter()
        .filter(|block| replayable(block))
        .map(|block| match &block.redacted {
            Some(data) => json!({ "type": "redacted_thinking", "data": data }),
            None => json!({ "type": "thinking", "thinking": block.text, "signature": block.signature }),
        })
        .collect();
    if !text.trim().is_empty() {
        blocks.push(json!({ "type": "text", "text": text.trim_end() }));
    }
    blocks.extend(calls.iter().map(
        |call| json!({ "type": "tool_use", "id": call.provider_id, "name": call.wire_name, "input": call.arguments }),
    ));
    blocks
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Media { media_type, base64 } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": base64 } })
        }
    }
}

fn result(result: &crate::model::ToolResult) -> Value {
    let content: Vec<Value> = result.parts.iter().map(part).collect();
    let mut value = json!({ "type": "tool_result", "tool_use_id": result.provider_id, "content": content });
    if result.error {
        value["is_error"] = true.into();
    }
    value
}
