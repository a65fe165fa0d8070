use serde_json::Value;

use crate::model::Delta;
use crate::model::calls::{CallBook, Piece};
use crate::model::fault::{self, Asked};
use crate::model::wire::{Flow, each_json, number, text};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// Reads the chunks of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    asked: Asked,
    book: CallBook,
    reasoning: String,
    details: Vec<Value>,
    reason: Option<String>,
    usage: Option<Usage>,
    refused: bool,
    /// Text, reasoning or a call has come.
    anything: bool,
}

impl Decoder {
    pub(crate) fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    /// Whether the reply said it is over, though the stream may go on with its usage.
    pub(crate) fn finished(&self) -> bool {
        self.reason.is_some()
    }

    pub(crate) fn event(&mut self, name: &str, data: &str, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        let data = data.trim();
        if data.is_empty() || name == "ping" {
            return Ok(Flow::More);
        }
        if data == "[DONE]" {
            return Ok(Flow::Done);
        }
        let mut flow = Flow::More;
        for chunk in each_json(data) {
            match chunk {
                Ok(Value::String(text)) if text == "[DONE]" => flow = Flow::Done,
                Ok(chunk) => self.chunk(name, &chunk, out)?,
                Err(_) if data.ends_with("[DONE]") => flow = Flow::Done,
                // A gateway's own words between events are no reason to lose the reply.
                Err(_) if self.anything && !data.starts_with('{') => {}
                Err(why) => return Err(fault::protocol(&self.asked, &why, data)),
            }
        }
        Ok(flow)
    }

    fn chunk(&mut self, name: &str, chunk: &Value, out: &mut Vec<Delta>) -> Result<(), Fault> {
        let choice = chunk["choices"]
            .as_array()
            .and_then(|list| list.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0));
        let broken = [Some(&chunk["error"]), choice.map(|choice| &choice["error"])].into_iter().flatten();
        if let Some(error) = broken.into_iter().find(|error| !error.is_null()) {
            return Err(fault::from_error(&self.asked, error));
        }
        if choice.is_none() && (name == "error" || chunk["object"] == "error" || chunk["type"] == "error") {
            return Err(fault::from_error(&self.asked, chunk));
        }
        if let Some(choice) = choice {
            let delta = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
            self.delta(delta, out);
            if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
                self.reason = Some(reason.to_owned());
            }
        }
        for found in [&chunk["usage"], &chunk["x_groq"]["usage"]] {
            if let Some(usage) = usage(found) {
                self.usage = Some(usage);
                out.push(Delta::Usage(usage));
            }
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<Delta>) {
        let mut said = String::new();
        match &delta["content"] {
            Value::String(content) => said.push_str(content),
            Value::Array(parts) => parts.iter().for_each(|part| self.part(part, &mut said, out)),
            _ => {}
        }
        let plain = ["reasoning_content", "reasoning"].into_iter().find_map(|key| delta[key].as_str());
        if let Some(details) = delta["reasoning_details"].as_array() {
            let only_here = plain.is_none_or(str::is_empty);
            for detail in details {
                if only_here {
                    self.think(&format!("{}{}", text(&detail["text"]), text(&detail["summary"])), out);
                }
                self.detail(detail);
            }
        }
        self.think(plain.unwrap_or_default(), out);
        if let Some(refusal) = delta["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
            self.refused = true;
            said.push_str(refusal);
        }
        if !said.is_empty() {
            self.anything = true;
            out.push(Delta::Text(said));
        }
        match &delta["tool_calls"] {
            Value::Array(list) => list.iter().for_each(|call| self.call(call, out)),
            one @ Value::Object(_) => self.call(one, out),
            _ => {}
        }
        if delta["function_call"].is_object() {
            let piece = piece(&Value::Null, &delta["function_call"]);
            self.form(piece, out);
        }
    }

    /// Content as typed parts: Mistral's reasoning models.
    fn part(&mut self, part: &Value, said: &mut String, out: &mut Vec<Delta>) {
        match &part["thinking"] {
            Value::Array(inner) => inner.iter().for_each(|piece| self.think(&text(&piece["text"]), out)),
            Value::String(thought) => self.think(thought, out),
            _ => said.push_str(&text(&part["text"])),
        }
    }

    fn think(&mut self, thought: &str, out: &mut Vec<Delta>) {
        if thought.is_empty() {
            return;
        }
        self.anything = true;
        self.reasoning.push_str(thought);
        out.push(Delta::Reasoning(thought.to_owned()));
    }

    /// Pieces of one detail share index and type; they go back joined.
    fn detail(&mut self, detail: &Value) {
        let same = |other: &Value| other["index"] == detail["index"] && other["type"] == detail["type"];
        let Some(known) = self.details.last_mut().filter(|known| !detail["index"].is_null() && same(known)) else {
            self.details.push(detail.clone());
            return;
        };
        for key in ["text", "summary", "data"] {
            if let Some(more) = detail[key].as_str() {
                known[key] = format!("{}{more}", text(&known[key])).into();
            }
        }
        for key in ["signature", "id", "format"] {
            if !detail[key].is_null() {
                known[key] = detail[key].clone();
            }
        }
    }

    fn call(&mut self, call: &Value, out: &mut Vec<Delta>) {
        let function = if call["function"].is_object() { &call["function"] } else { call };
        let piece = piece(call, function);
        self.form(piece, out);
    }

    fn form(&mut self, piece: Piece, out: &mut Vec<Delta>) {
        self.anything = true;
        let (name, argument_bytes) = self.book.take(piece);
        out.push(Delta::CallForming { name, argument_bytes });
    }

    /// The stream is over, cleanly or after [`Flow::Done`].
    pub(crate) fn end(&mut self, done: Flow, out: &mut Vec<Delta>) -> Result<(), Fault> {
        let ended = self.reason.is_some() || done == Flow::Done;
        // A reply that breaks off in a call may have meant more by the calls before it: none counts.
        let in_a_call = self.usage.is_none() && self.book.breaks_off();
        if !ended && (!self.anything || in_a_call) {
            return Err(fault::cut(&self.asked.provider));
        }
        if !self.reasoning.is_empty() || !self.details.is_empty() {
            let details = std::mem::take(&mut self.details);
            out.push(Delta::ReasoningDone(ReasoningBlock {
                text: std::mem::take(&mut self.reasoning),
                signature: None,
                redacted: (!details.is_empty()).then(|| Value::Array(details).to_string()),
            }));
        }
        let found = self.book.finish();
        let any_calls = !found.is_empty();
        out.extend(found.into_iter().map(Delta::Call));
        out.push(Delta::Stop(self.stop(any_calls, done)));
        Ok(())
    }

    /// What the reply holds counts for more than the reason it gives.
    fn stop(&self, any_calls: bool, done: Flow) -> StopReason {
        match self.reason.as_deref() {
            Some("length" | "max_tokens" | "model_length") => StopReason::Length,
            Some("content_filter" | "refusal") => StopReason::Refusal,
            _ if any_calls => StopReason::ToolCalls,
            _ if self.refused => StopReason::Refusal,
            Some("stop" | "eos" | "end_turn" | "tool_calls" | "function_call" | "stop_sequence") => StopReason::End,
            Some(other) => StopReason::Other(other.to_owned()),
            None if done == Flow::Done || self.usage.is_some() => StopReason::End,
            None => StopReason::Cut,
        }
    }
}

fn piece(call: &Value, function: &Value) -> Piece {
    let arguments = match &function["arguments"] {
        Value::String(arguments) => arguments.clone(),
        Value::Null => String::new(),
        // Whole arguments as JSON instead of as text.
        other => other.to_string(),
    };
    let signature = call.pointer("/extra_content/google/thought_signature").and_then(Value::as_str).map(str::to_owned);
    Piece {
        index: call["index"].as_u64().or_else(|| call["index"].as_str()?.parse().ok()),
        id: text(&call["id"]),
        name: text(&function["name"]),
        arguments,
        signature,
    }
}

/// `None` when there is nothing in it.
pub(crate) fn usage(value: &Value) -> Option<Usage> {
    value.as_object().filter(|fields| !fields.is_empty())?;
    let cached =
        [&value["prompt_tokens_details"]["cached_tokens"], &value["prompt_cache_hit_tokens"], &value["cached_tokens"]];
    let usage = Usage {
        input: number(&value["prompt_tokens"]),
        output: number(&value["completion_tokens"]),
        cache_read: cached.into_iter().map(number).max().unwrap_or(0),
        cache_write: number(&value["prompt_tokens_details"]["cache_write_tokens"]),
        reasoning: number(&value["completion_tokens_details"]["reasoning_tokens"]),
        cost: value["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0),
    };
    (usage != Usage::default()).then_some(usage)
}
