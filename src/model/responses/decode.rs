use serde_json::{Value, json};

use super::Kept;
use crate::model::fault::{self, Asked};
use crate::model::wire::{Flow, each_json, number, text};
use crate::model::{Delta, calls};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// Reads the events of one reply.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    asked: Asked,
    slots: Vec<Slot>,
    /// How the provider ended it; `None` until it did.
    ended: Option<StopReason>,
    refused: bool,
    anything: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Message,
    Reasoning,
    Call,
}

/// One item of the output while it is written.
#[derive(Debug)]
struct Slot {
    kind: Kind,
    id: String,
    index: Option<u64>,
    /// What was passed on of its text, or came of its arguments.
    text: String,
    call_id: String,
    name: String,
    /// The finished item, for reasoning that goes back.
    item: Value,
    done: bool,
}

impl Decoder {
    pub(crate) fn new(asked: Asked) -> Self {
        Self { asked, ..Self::default() }
    }

    pub(crate) fn finished(&self) -> bool {
        self.ended.is_some()
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
            match event {
                Ok(event) => {
                    // The type inside is the one to trust; gateways drop or rename the event line.
                    let kind = event["type"].as_str().unwrap_or(name).to_owned();
                    if self.one(&kind, &event, out)? == Flow::Done {
                        flow = Flow::Done;
                    }
                }
                // The name alone says that the reply is whole.
                Err(_) if name == "response.completed" => {
                    self.ended = Some(StopReason::End);
                    flow = Flow::Done;
                }
                // A gateway's own words between events are no reason to lose the reply.
                Err(_) if self.anything && !data.starts_with('{') => {}
                Err(why) => return Err(fault::protocol(&self.asked, &why, data)),
            }
        }
        Ok(flow)
    }

    fn one(&mut self, kind: &str, event: &Value, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        match kind {
            "response.output_item.added" => self.added(event, out),
            "response.output_item.done" => self.completed(&event["item"], event["output_index"].as_u64(), out),
            "response.output_text.delta" => self.grow(Kind::Message, event, &text(&event["delta"]), out),
            "response.refusal.delta" => {
                self.refused = true;
                self.grow(Kind::Message, event, &text(&event["delta"]), out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.grow(Kind::Reasoning, event, &text(&event["delta"]), out);
            }
            "response.reasoning_summary_part.added" if event["summary_index"].as_u64().unwrap_or(0) > 0 => {
                self.grow(Kind::Reasoning, event, "\n\n", out);
            }
            "response.function_call_arguments.delta" => {
                self.grow(Kind::Call, event, &raw(&event["delta"]), out);
            }
            "response.function_call_arguments.done" => self.arguments(event),
            "response.completed"
            | "response.done"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                let whole = if event["response"].is_object() { &event["response"] } else { event };
                let said = kind.strip_prefix("response.").unwrap_or(kind);
                return self.close(whole, said, out).map(|()| Flow::Done);
            }
            _ if kind == "error" || (!event["error"].is_null() && event["object"] != "response") => {
                return Err(fault::from_error(&self.asked, event));
            }
            // A whole answer from a server that does not stream.
            _ if event["object"] == "response" && event["output"].is_array() => {
                return self.close(event, "completed", out).map(|()| Flow::Done);
            }
            _ => {}
        }
        Ok(Flow::More)
    }

    fn added(&mut self, event: &Value, out: &mut Vec<Delta>) {
        let item = &event["item"];
        let Some(kind) = kind_of(item) else { return };
        let id = text(&item["id"]);
        if !id.is_empty() && self.slots.iter().any(|slot| slot.id == id) {
            return;
        }
        self.anything = true;
        let (name, call_id) = (text(&item["name"]), text(&item["call_id"]));
        if kind == Kind::Call {
            out.push(Delta::CallForming { name: name.clone(), argument_bytes: 0 });
        }
        self.slots.push(Slot { name, call_id, ..Slot::new(kind, id, event["output_index"].as_u64()) });
    }

    /// More of an item. One that was never announced begins here.
    fn grow(&mut self, kind: Kind, event: &Value, more: &str, out: &mut Vec<Delta>) {
        if more.is_empty() {
            return;
        }
        self.anything = true;
        let place = self.open(kind, event);
        let slot = &mut self.slots[place];
        slot.text.push_str(more);
        out.push(match kind {
            Kind::Message => Delta::Text(more.to_owned()),
            Kind::Reasoning => Delta::Reasoning(more.to_owned()),
            Kind::Call => Delta::CallForming { name: slot.name.clone(), argument_bytes: slot.text.len() as u64 },
        });
    }

    /// The item a piece belongs to: by its id, which some gateways change with every event; by its
    /// index, which others leave out or at zero; else the last one of its kind that is being written.
    fn open(&mut self, kind: Kind, event: &Value) -> usize {
        let (id, index) = (text(&event["item_id"]), event["output_index"].as_u64());
        let by_id = |slot: &Slot| !id.is_empty() && slot.id == id;
        let by_index = |slot: &Slot| index.is_some() && slot.index == index && !slot.done;
        let unnumbered = |slot: &Slot| (index.is_none() || slot.index.is_none()) && !slot.done;
        let tries: [&dyn Fn(&Slot) -> bool; 3] = [&by_id, &by_index, &unnumbered];
        let find = |fits: &dyn Fn(&Slot) -> bool| self.slots.iter().rposition(|slot| slot.kind == kind && fits(slot));
        let found = tries.into_iter().find_map(find);
        found.unwrap_or_else(|| {
            self.slots.push(Slot::new(kind, id, index));
            self.slots.len() - 1
        })
    }

    /// The whole arguments of a call, which count for more than their pieces.
    fn arguments(&mut self, event: &Value) {
        let whole = raw(&event["arguments"]);
        let place = self.open(Kind::Call, event);
        let slot = &mut self.slots[place];
        if !whole.is_empty() {
            slot.text = whole;
        }
        if slot.name.is_empty() {
            slot.name = text(&event["name"]);
        }
        self.anything = true;
    }

    /// An item is whole: what never came in pieces is passed on now.
    fn completed(&mut self, item: &Value, index: Option<u64>, out: &mut Vec<Delta>) {
        let Some(kind) = kind_of(item) else { return };
        let event = json!({ "item_id": item["id"], "output_index": index });
        let call_id = text(&item["call_id"]);
        let same_call = |slot: &Slot| !call_id.is_empty() && slot.call_id == call_id;
        let known = self.slots.iter().position(|slot| slot.kind == kind && same_call(slot));
        let place = known.unwrap_or_else(|| self.open(kind, &event));
        self.fill(place, item, out);
    }

    fn fill(&mut self, place: usize, item: &Value, out: &mut Vec<Delta>) {
        self.anything = true;
        let slot = &mut self.slots[place];
        slot.done = true;
        match slot.kind {
            Kind::Call => {
                for (field, key) in [(&mut slot.name, "name"), (&mut slot.call_id, "call_id")] {
                    if let Some(said) = item[key].as_str().filter(|said| !said.is_empty()) {
                        said.clone_into(field);
                    }
                }
                let whole = raw(&item["arguments"]);
                if !whole.is_empty() {
                    slot.text = whole;
                }
                out.push(Delta::CallForming { name: slot.name.clone(), argument_bytes: slot.text.len() as u64 });
            }
            Kind::Message | Kind::Reasoning => {
                let whole = written(item);
                if let Some(rest) = whole.strip_prefix(slot.text.as_str()).filter(|rest| !rest.is_empty()) {
                    out.push(match slot.kind {
                        Kind::Message => Delta::Text(rest.to_owned()),
                        _ => Delta::Reasoning(rest.to_owned()),
                    });
                    slot.text = whole;
                }
                let parts = item["content"].as_array().map(Vec::as_slice).unwrap_or_default();
                self.refused |= parts.iter().any(|part| part["type"] == "refusal");
                slot.item = item.clone();
            }
        }
    }

    /// The closing event: its output repeats every item, and any of its fields may be missing.
    fn close(&mut self, response: &Value, said: &str, out: &mut Vec<Delta>) -> Result<(), Fault> {
        let status = response["status"].as_str().filter(|status| *status != "in_progress").unwrap_or(said);
        if said == "failed" || status == "failed" || response["error"].is_object() {
            return Err(match &response["error"] {
                Value::Null => fault::protocol(&self.asked, "the response failed without a reason", ""),
                error => fault::from_error(&self.asked, error),
            });
        }
        let items = response["output"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.reconcile(items, out);
        if let Some(usage) = usage(&response["usage"]) {
            out.push(Delta::Usage(usage));
        }
        self.ended = Some(match (status, response.pointer("/incomplete_details/reason").and_then(Value::as_str)) {
            (_, Some("content_filter")) => StopReason::Refusal,
            (_, Some("max_output_tokens" | "max_tokens")) | ("incomplete", None) => StopReason::Length,
            ("incomplete", Some(other)) => StopReason::Other(other.to_owned()),
            ("cancelled", _) => StopReason::Cut,
            _ => StopReason::End,
        });
        Ok(())
    }

    /// Matches the items of the closing event with those that were streamed: by id, then in order
    /// within their kind. Those that were done are left as they are; the rest is filled in.
    fn reconcile(&mut self, items: &[Value], out: &mut Vec<Delta>) {
        let mut taken = vec![false; self.slots.len()];
        let mut open = Vec::new();
        for item in items {
            let Some(kind) = kind_of(item) else { continue };
            let (id, call_id) = (text(&item["id"]), text(&item["call_id"]));
            let same = |slot: &Slot| {
                slot.kind == kind && (!id.is_empty() && slot.id == id || !call_id.is_empty() && slot.call_id == call_id)
            };
            match self.slots.iter().position(same) {
                Some(place) => {
                    taken[place] = true;
                    if !self.slots[place].done {
                        self.fill(place, item, out);
                    }
                }
                None => open.push((kind, item)),
            }
        }
        for (kind, item) in open {
            let free = (0..taken.len()).find(|place| !taken[*place] && self.slots[*place].kind == kind);
            let place = free.unwrap_or_else(|| {
                self.slots.push(Slot::new(kind, text(&item["id"]), None));
                self.slots.len() - 1
            });
            if let Some(taken) = taken.get_mut(place) {
                *taken = true;
            }
            if !self.slots[place].done {
                self.fill(place, item, out);
            }
        }
    }

    /// The stream is over, cleanly or after [`Flow::Done`].
    pub(crate) fn end(&mut self, done: Flow, out: &mut Vec<Delta>) -> Result<(), Fault> {
        let whole =
            self.slots.iter().any(|slot| slot.kind != Kind::Reasoning) && self.slots.iter().all(|slot| slot.done);
        if self.ended.is_none() && !whole && (done == Flow::More || !self.anything) {
            return Err(fault::cut(&self.asked.provider));
        }
        let mut made = 0;
        for slot in std::mem::take(&mut self.slots) {
            match slot.kind {
                Kind::Message => {}
                Kind::Reasoning => out.push(Delta::ReasoningDone(slot.thought(made))),
                Kind::Call if slot.name.is_empty() && slot.text.trim().is_empty() => {}
                Kind::Call => {
                    made += 1;
                    let id = [slot.call_id, slot.id].into_iter().find(|id| !id.is_empty());
                    let id = id.unwrap_or_else(|| format!("call_{made}"));
                    out.push(Delta::Call(calls::finish(id, slot.name, slot.text, None)));
                }
            }
        }
        let stop = match self.ended.take() {
            Some(StopReason::End) | None if made > 0 => StopReason::ToolCalls,
            Some(StopReason::End) if self.refused => StopReason::Refusal,
            Some(reason) => reason,
            None if done == Flow::Done => StopReason::End,
            None => StopReason::Cut,
        };
        out.push(Delta::Stop(stop));
        Ok(())
    }
}

impl Slot {
    fn new(kind: Kind, id: String, index: Option<u64>) -> Self {
        let (text, call_id, name) = Default::default();
        Self { kind, id, index, text, call_id, name, item: Value::Null, done: false }
    }

    /// Without the encrypted content there is nothing that could go back.
    fn thought(self, calls_before: usize) -> ReasoningBlock {
        let Some(encrypted) = self.item["encrypted_content"].as_str().filter(|text| !text.is_empty()) else {
            return ReasoningBlock { text: self.text, signature: None, redacted: None };
        };
        // Its id names something that the provider did not keep, and is refused.
        let summary = if self.item["summary"].is_array() { self.item["summary"].clone() } else { json!([]) };
        let item = json!({ "type": "reasoning", "summary": summary, "encrypted_content": encrypted });
        let redacted = serde_json::to_string(&Kept { item, after: calls_before }).ok();
        ReasoningBlock { text: self.text, signature: None, redacted }
    }
}

/// `None` for what is not ours to run or to show: the provider's own tools and whatever comes next.
fn kind_of(item: &Value) -> Option<Kind> {
    match item["type"].as_str()? {
        "message" => Some(Kind::Message),
        "reasoning" => Some(Kind::Reasoning),
        "function_call" => Some(Kind::Call),
        _ => None,
    }
}

/// What a finished item says, in the words its pieces would have had.
fn written(item: &Value) -> String {
    let list = |key: &str| item[key].as_array().map(Vec::as_slice).unwrap_or_default();
    if item["type"] == "message" {
        return list("content")
            .iter()
            .map(|part| format!("{}{}", text(&part["text"]), text(&part["refusal"])))
            .collect();
    }
    let parts = if list("summary").is_empty() { list("content") } else { list("summary") };
    parts.iter().map(|part| text(&part["text"])).collect::<Vec<_>>().join("\n\n")
}

fn raw(arguments: &Value) -> String {
    match arguments {
        Value::String(raw) => raw.clone(),
        Value::Null => String::new(),
        // Whole arguments as JSON instead of as text.
        other => other.to_string(),
    }
}

/// `None` when there is nothing in it.
fn usage(value: &Value) -> Option<Usage> {
    let usage = Usage {
        input: number(&value["input_tokens"]),
        output: number(&value["output_tokens"]),
        cache_read: number(&value["input_tokens_details"]["cached_tokens"]),
        cache_write: number(&value["input_tokens_details"]["cache_write_tokens"]),
        reasoning: number(&value["output_tokens_details"]["reasoning_tokens"]),
        cost: value["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0),
    };
    if usage != Usage::default() { Some(usage) } else { crate::model::openai::usage(value) }
}
