use serde_json::Value;

use crate::model::fault::{self, Asked};
use crate::model::wire::{Flow, each_json, number, text};
use crate::model::{Delta, calls};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// Reads the events of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    asked: Asked,
    open: Vec<(u64, Block)>,
    /// Where deltas without an index go.
    latest: u64,
    calls: u64,
    reason: Option<String>,
    usage: Usage,
    anything: bool,
}

#[derive(Debug)]
enum Block {
    Text,
    Thinking(ReasoningBlock),
    Call {
        id: String,
        name: String,
        input: String,
    },
    /// Server tools and whatever comes next: not ours to run or to show.
    Other,
}

impl Decoder {
    pub(crate) fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    pub(crate) fn finished(&self) -> bool {
        self.reason.is_some()
    }

    pub(crate) fn event(&mut self, name: &str, data: &str, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(Flow::More);
        }
        if data == "[DONE]" {
            return Ok(Flow::Done);
        }
        let mut flow = Flow::More;
        for event in each_json(data) {
            let event = event.map_err(|why| fault::protocol(&self.asked, &why, data))?;
            // The type inside is the one to trust; gateways drop or rename the event line.
            let kind = event["type"].as_str().unwrap_or(name);
            match kind {
                "message_start" => self.count(&event["message"]["usage"], out),
                "content_block_start" => self.begin(&event, out),
                "content_block_delta" => self.delta(&event, out),
                "content_block_stop" => self.close(event["index"].as_u64().unwrap_or(self.latest), out),
                "message_delta" => {
                    if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                        self.reason = Some(reason.to_owned());
                    }
                    self.count(&event["usage"], out);
                }
                "message_stop" => flow = Flow::Done,
                "message" => {
                    self.message(&event, out);
                    flow = Flow::Done;
                }
                _ if kind == "error" || !event["error"].is_null() => {
                    return Err(fault::from_error(&self.asked, &event));
                }
                _ => {}
            }
        }
        Ok(flow)
    }

    fn begin(&mut self, event: &Value, out: &mut Vec<Delta>) {
        let index = event["index"].as_u64().unwrap_or(self.latest + 1);
        // A block that was never closed and whose place is taken is complete.
        self.close(index, out);
        self.latest = index;
        let start = &event["content_block"];
        let block = match start["type"].as_str() {
            Some("text") => {
                self.say(&text(&start["text"]), out);
                Block::Text
            }
            Some("thinking") => {
                let thought = text(&start["thinking"]);
                self.show_thought(&thought, out);
                let signature = Some(text(&start["signature"])).filter(|signature| !signature.is_empty());
                Block::Thinking(ReasoningBlock { text: thought, signature, redacted: None })
            }
            Some("redacted_thinking") => {
                let redacted = Some(text(&start["data"]));
                Block::Thinking(ReasoningBlock { text: String::new(), signature: None, redacted })
            }
            Some("tool_use") => {
                self.anything = true;
                let input = match &start["input"] {
                    Value::Object(fields) if !fields.is_empty() => start["input"].to_string(),
                    Value::String(raw) => raw.clone(),
                    _ => String::new(),
                };
                let name = text(&start["name"]);
                out.push(Delta::CallForming { name: name.clone(), argument_bytes: input.len() as u64 });
                Block::Call { id: text(&start["id"]), name, input }
            }
            _ => Block::Other,
        };
        self.open.push((index, block));
    }

    fn delta(&mut self, event: &Value, out: &mut Vec<Delta>) {
        let index = event["index"].as_u64().unwrap_or(self.latest);
        let delta = &event["delta"];
        let (said, thought) = (text(&delta["text"]), text(&delta["thinking"]));
        if !self.open.iter().any(|(place, _)| *place == index) {
            // The start was lost; only text and thinking make sense without it.
            let block = if thought.is_empty() { Block::Text } else { Block::Thinking(ReasoningBlock::default()) };
            self.open.push((index, block));
        }
        self.latest = index;
        self.show_thought(&thought, out);
        let Some((_, block)) = self.open.iter_mut().find(|(place, _)| *place == index) else { return };
        match block {
            Block::Thinking(block) => {
                block.text.push_str(&thought);
                if let Some(more) = delta["signature"].as_str() {
                    block.signature.get_or_insert_default().push_str(more);
                }
            }
            Block::Call { name, input, .. } => {
                match &delta["partial_json"] {
                    Value::String(more) => input.push_str(more),
                    Value::Null => {}
                    whole => input.push_str(&whole.to_string()),
                }
                out.push(Delta::CallForming { name: name.clone(), argument_bytes: input.len() as u64 });
            }
            Block::Text | Block::Other => {}
        }
        self.say(&said, out);
    }

    fn say(&mut self, said: &str, out: &mut Vec<Delta>) {
        if !said.is_empty() {
            self.anything = true;
            out.push(Delta::Text(said.to_owned()));
        }
    }

    fn show_thought(&mut self, thought: &str, out: &mut Vec<Delta>) {
        if !thought.is_empty() {
            self.anything = true;
            out.push(Delta::Reasoning(thought.to_owned()));
        }
    }

    fn close(&mut self, index: u64, out: &mut Vec<Delta>) {
        let Some(place) = self.open.iter().position(|(open, _)| *open == index) else { return };
        match self.open.remove(place).1 {
            Block::Thinking(block) => out.push(Delta::ReasoningDone(block)),
            Block::Call { id, name, input } => {
                self.calls += 1;
                let id = if id.is_empty() { format!("call_{}", self.calls) } else { id };
                out.push(Delta::Call(calls::finish(id, name, input, None)));
            }
            Block::Text | Block::Other => {}
        }
    }

    /// A whole message from a server that does not stream.
    fn message(&mut self, message: &Value, out: &mut Vec<Delta>) {
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (index, block) in blocks.iter().enumerate() {
            let event = serde_json::json!({ "index": index, "content_block": block });
            self.begin(&event, out);
            self.close(index as u64, out);
        }
        self.reason = message["stop_reason"].as_str().map(str::to_owned);
        self.count(&message["usage"], out);
    }

    /// Later events repeat and correct earlier numbers; a missing or zero one changes nothing.
    fn count(&mut self, usage: &Value, out: &mut Vec<Delta>) {
        if !usage.is_object() {
            return;
        }
        let keep = |new: u64, old: u64| if new > 0 { new } else { old };
        let (read, write) = (number(&usage["cache_read_input_tokens"]), number(&usage["cache_creation_input_tokens"]));
        let fresh = self.usage.input.saturating_sub(self.usage.cache_read + self.usage.cache_write);
        let fresh = keep(number(&usage["input_tokens"]), fresh);
        self.usage.cache_read = keep(read, self.usage.cache_read);
        self.usage.cache_write = keep(write, self.usage.cache_write);
        self.usage.input = fresh + self.usage.cache_read + self.usage.cache_write;
        self.usage.output = keep(number(&usage["output_tokens"]), self.usage.output);
        self.usage.cost = usage["cost"].as_f64().or(self.usage.cost);
        out.push(Delta::Usage(self.usage));
    }

    pub(crate) fn end(&mut self, done: Flow, out: &mut Vec<Delta>) -> Result<(), Fault> {
        if done == Flow::More && self.reason.is_none() {
            return Err(fault::cut(&self.asked.provider));
        }
        let open: Vec<u64> = self.open.iter().map(|(index, _)| *index).collect();
        open.into_iter().for_each(|index| self.close(index, out));
        let any_calls = self.calls > 0;
        out.push(Delta::Stop(match self.reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
            Some("refusal") => StopReason::Refusal,
            _ if any_calls => StopReason::ToolCalls,
            None | Some("end_turn" | "stop_sequence" | "tool_use") => StopReason::End,
            Some(other) => StopReason::Other(other.to_owned()),
        }));
        Ok(())
    }
}
