use serde_json::{Value, json};

use super::Kept;
use crate::model::{Message, Part, Request, ToolResult};
use crate::proto::{Effort, ReasoningBlock, ToolCall};

/// The fewest output tokens the provider lets one ask for.
const FEWEST_TOKENS: u32 = 16;

/// Whether the model's summary of its reasoning is asked for; accounts that are not verified are
/// refused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Summaries {
    Asked,
    LeftOut,
}

/// The JSON body. Keys in one order, so that the same request is the same bytes.
pub(crate) fn body(model: &str, request: &Request, summaries: Summaries) -> Value {
    // Nothing is kept at the provider: the history is ours, and goes along whole.
    let mut body = json!({ "model": model, "stream": true, "store": false });
    if !request.system.is_empty() {
        body["instructions"] = request.system.clone().into();
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    body["input"] = input(request);
    if request.max_tokens > 0 {
        body["max_output_tokens"] = request.max_tokens.max(FEWEST_TOKENS).into();
    }
    match efforts(model) {
        // A name of OpenAI's that says nothing may reason, and those refuse sampling.
        [] if name_of(model).strip_prefix("gpt-").is_some_and(|rest| version(rest).is_none()) => {}
        [] => {
            body["temperature"] = request.temperature.into();
            body["top_p"] = request.top_p.into();
        }
        known => {
            body["reasoning"] = json!({ "effort": word(nearest(known, request.effort), model) });
            if summaries == Summaries::Asked {
                body["reasoning"]["summary"] = "auto".into();
            }
            body["include"] = json!(["reasoning.encrypted_content"]);
        }
    }
    if let Some(schema) = &request.schema {
        body["text"] =
            json!({ "format": { "type": "json_schema", "name": "reply", "strict": true, "schema": schema } });
    }
    body
}

fn tool(tool: &crate::model::ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        // The default is strict, which refuses most schemas of real tools.
        "strict": false,
    })
}

/// The efforts a model takes, weakest first; none = it does not reason, and takes sampling instead.
fn efforts(model: &str) -> &'static [Effort] {
    use Effort::{High, Low, Medium, None, Xhigh};
    let name = name_of(model);
    let o_series = name.starts_with('o') && name[1..].starts_with(|c: char| c.is_ascii_digit());
    let Some(version) = name.strip_prefix("gpt-").and_then(version) else {
        let reasons = o_series || name.contains("codex") || name.starts_with("gpt-oss");
        return if reasons { &[Low, Medium, High] } else { &[] };
    };
    let (codex, pro) = (name.contains("codex"), name.contains("-pro"));
    match version {
        (..5, _) => &[],
        _ if name.contains("-chat") => &[Medium],
        (5, 0) if pro => &[High],
        _ if pro => &[Medium, High, Xhigh],
        (5, 0) if codex => &[Low, Medium, High],
        (5, 0) => &[None, Low, Medium, High],
        (5, 1) if name.contains("max") => &[Low, Medium, High, Xhigh],
        (5, 1) if codex => &[Low, Medium, High],
        (5, 1) => &[None, Low, Medium, High],
        _ if codex => &[Low, Medium, High, Xhigh],
        _ => &[None, Low, Medium, High, Xhigh],
    }
}

/// Without the vendor that a gateway puts in front.
fn name_of(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// `5.1-codex` → (5, 1); `5-mini` → (5, 0).
fn version(rest: &str) -> Option<(u32, u32)> {
    let number = rest.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?, minor.parse().unwrap_or(0)))
}

/// The strongest that is no stronger than what is wanted, else the weakest.
fn nearest(known: &[Effort], wanted: Effort) -> Effort {
    let not_over = known.iter().rev().find(|effort| **effort as u8 <= wanted as u8);
    not_over.or(known.first()).copied().unwrap_or(wanted)
}

fn word(effort: Effort, model: &str) -> &'static str {
    match effort {
        // The first of the family knows no `none`.
        Effort::None if model.contains("gpt-5-") || model.ends_with("gpt-5") => "minimal",
        Effort::None => "none",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Xhigh | Effort::Max => "xhigh",
    }
}

fn input(request: &Request) -> Value {
    let mut out = Vec::new();
    for message in &request.messages {
        match message {
            Message::User(parts) => {
                out.push(json!({ "type": "message", "role": "user", "content": content(parts) }));
            }
            Message::Assistant { text, reasoning, calls, .. } => assistant(text, reasoning, calls, &mut out),
            Message::Tools(results) => out.extend(results.iter().map(result)),
        }
    }
    out.into()
}

/// In the order the provider wrote it: reasoning stands before the call it led to.
fn assistant(text: &str, reasoning: &[ReasoningBlock], calls: &[ToolCall], out: &mut Vec<Value>) {
    let kept: Vec<Kept> =
        reasoning.iter().filter_map(|block| serde_json::from_str(block.redacted.as_deref()?).ok()).collect();
    let before = |place: usize| kept.iter().filter(move |kept| kept.after == place).map(|kept| kept.item.clone());
    out.extend(before(0));
    if !text.is_empty() {
        let content = json!([{ "type": "output_text", "text": text }]);
        out.push(json!({ "type": "message", "role": "assistant", "content": content }));
    }
    for (place, call) in calls.iter().enumerate() {
        if place > 0 {
            out.extend(before(place));
        }
        out.push(json!({
            "type": "function_call",
            "call_id": call.provider_id,
            "name": call.wire_name,
            "arguments": call.arguments.to_string(),
        }));
    }
    // Reasoning that led to nothing is refused, so what stood after the last call is left out.
}

fn result(result: &ToolResult) -> Value {
    let texts: Option<Vec<&str>> = result
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media { .. } => None,
        })
        .collect();
    let output = texts.map_or_else(|| content(&result.parts), |texts| texts.join("\n").into());
    json!({ "type": "function_call_output", "call_id": result.provider_id, "output": output })
}

fn content(parts: &[Part]) -> Value {
    let part = |part: &Part| match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Media { media_type, base64 } => {
            json!({ "type": "input_image", "image_url": format!("data:{media_type};base64,{base64}") })
        }
    };
    parts.iter().map(part).collect()
}
