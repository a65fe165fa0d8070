use serde_json::Value;

use crate::model::fault::{self, Asked};
use crate::model::wire::{Flow, each_json, number, text};
use crate::model::{Delta, RawCall, calls};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// Reads the lines of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    asked: Asked,
    reasoning: String,
    calls: Vec<RawCall>,
    reason: String,
    done: bool,
}

impl Decoder {
    pub(crate) fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    pub(crate) fn finished(&self) -> bool {
        self.done
    }

    pub(crate) fn event(&mut self, data: &str, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        let mut flow = Flow::More;
        for line in each_json(data) {
            let line = line.map_err(|why| fault::protocol(&self.asked, &why, data))?;
            if !line["error"].is_null() {
                return Err(fault::from_error(&self.asked, &line));
            }
            self.message(&line["message"], out);
            if line["done"] == true {
                self.done = true;
                self.reason = text(&line["done_reason"]);
                let usage = Usage {
                    input: number(&line["prompt_eval_count"]),
                    output: number(&line["eval_count"]),
                    cache_read: number(&line["prompt_eval_cached_count"]),
                    ..Usage::default()
                };
                if usage != Usage::default() {
                    out.push(Delta::Usage(usage));
                }
                flow = Flow::Done;
            }
        }
        Ok(flow)
    }

    fn message(&mut self, message: &Value, out: &mut Vec<Delta>) {
        let thought = text(&message["thinking"]);
        if !thought.is_empty() {
            self.reasoning.push_str(&thought);
            out.push(Delta::Reasoning(thought));
        }
        let said = text(&message["content"]);
        if !said.is_empty() {
            out.push(Delta::Text(said));
        }
        for call in message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let function = &call["function"];
            let raw = match &function["arguments"] {
                Value::String(raw) => raw.clone(),
                Value::Null => String::new(),
                whole => whole.to_string(),
            };
            let id = match text(&call["id"]) {
                id if id.is_empty() => format!("call_{}", self.calls.len() + 1),
                id => id,
            };
            let call = calls::finish(id, text(&function["name"]), raw, None);
            out.push(Delta::CallForming {
                name: call.name.clone(),
                argument_bytes: call.arguments.to_string().len() as u64,
            });
            self.calls.push(call);
        }
    }

    pub(crate) fn end(&mut self, out: &mut Vec<Delta>) -> Result<(), Fault> {
        if !self.done {
            return Err(fault::cut(&self.asked.provider));
        }
        if !self.reasoning.is_empty() {
            let text = std::mem::take(&mut self.reasoning);
            out.push(Delta::ReasoningDone(ReasoningBlock { text, signature: None, redacted: None }));
        }
        let found = std::mem::take(&mut self.calls);
        let stop = match self.reason.as_str() {
            "length" => StopReason::Length,
            _ if !found.is_empty() => StopReason::ToolCalls,
            "" | "stop" => StopReason::End,
            other => StopReason::Other(other.to_owned()),
        };
        out.extend(found.into_iter().map(Delta::Call));
        out.push(Delta::Stop(stop));
        Ok(())
    }
}
