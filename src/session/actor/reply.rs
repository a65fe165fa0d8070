//! What becomes of a reply: written down, and then tools, a nudge, or the end of the turn.

use super::supervise::Status;
use super::{Actor, ModelSlot};
use crate::model::{RawCall, ollama_context, prompt_was_cut};
use crate::proto::{
    Body, CallId, Decision, Fault, FaultKind, Level, PlanSignal, Purpose, ReasoningBlock, RequestId, StopReason,
    ToolCall, TurnOutcome, Usage,
};
use crate::session::rules::lost_call;
use crate::text::human;

/// A reply that is not growing any more.
pub(super) struct Reply {
    pub request: RequestId,
    /// What of it can be seen.
    pub text: String,
    /// As it came, when that may differ.
    pub came: String,
    pub status: Status,
    /// What the agent said of itself, as it came.
    pub statuses: Vec<String>,
    pub reasoning: Vec<ReasoningBlock>,
    pub reasoning_shown: bool,
    pub reasoning_ms: u64,
    pub calls: Vec<RawCall>,
    pub usage: Option<Usage>,
    pub estimated: u64,
    pub first_ms: u64,
    pub elapsed_ms: u64,
    /// The text fell into a loop; so much of it is worth keeping.
    pub repeats_from: Option<usize>,
}

impl Reply {
    fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// Calls with ids that are ours and unique, whatever the provider sent.
    fn tool_calls(&self) -> Vec<ToolCall> {
        let call = |(position, raw): (usize, &RawCall)| ToolCall {
            id: CallId(format!("c{}-{}", self.request.0, position + 1)),
            provider_id: raw.provider_id.clone(),
            wire_name: raw.name.clone(),
            arguments: raw.arguments.clone(),
            malformed: raw.malformed.clone(),
            signature: raw.signature.clone(),
        };
        self.calls.iter().enumerate().map(call).collect()
    }
}

impl Actor {
    /// The reply is whole, or as whole as it will be.
    pub(super) fn reply_taken(&mut self, reply: Reply, stop: StopReason) {
        let only_status = reply.is_empty() && !reply.statuses.is_empty();
        if reply.is_empty() && reply.repeats_from.is_none() && !only_status {
            let fault = Fault::new(FaultKind::Cut, "The model sent an empty reply.", "Send the message again.");
            return self.failed(reply, fault);
        }
        let calls = reply.tool_calls();
        let repeats = reply.repeats_from.is_some();
        let lost = if calls.is_empty() { lost_call(&reply.text, &self.tool_names()) } else { None };
        let signal = self.write_down(reply, calls.clone(), stop.clone());
        if let Some(turn) = &mut self.turn {
            turn.retries = 0;
        }
        if repeats {
            let text = "The model said the same over and over; its reply was cut.";
            self.rec.notice(Level::Warning, "model", text, Some("Say it differently, or change the model.".to_owned()));
            return self.finish(TurnOutcome::Failed("The model repeated itself.".to_owned()));
        }
        if let Some(signal) = signal {
            self.plan_signalled(&signal);
        }
        if !calls.is_empty() {
            return self.begin_batch(calls);
        }
        if let Some(excerpt) = lost {
            return self.call_was_lost(excerpt);
        }
        if only_status {
            self.rec.notice(Level::Info, "model", "The model gave its status and no words.", None);
        }
        self.say_why_it_stopped(&stop);
        self.stopped();
    }

    /// The message, what it cost, and what it taught about counting tokens. Gives what the agent wants of
    /// the plan.
    fn write_down(&mut self, reply: Reply, calls: Vec<ToolCall>, stop: StopReason) -> Option<PlanSignal> {
        let (scripted, model) = self.written_by();
        let mut text = reply.text;
        if let Some(keep) = reply.repeats_from {
            text.truncate(text.floor_char_boundary(keep));
        }
        let place = self.place();
        self.rec.emit_at(
            Some(place),
            Body::AssistantMessage {
                request: reply.request,
                text,
                reasoning: reply.reasoning,
                reasoning_ms: reply.reasoning_ms,
                calls,
                stop: stop.clone(),
                scripted,
                model: model.clone(),
            },
        );
        let signal = self.status_came(reply.request, reply.status, &reply.statuses, &stop);
        if let Some(usage) = reply.usage {
            let cut = self.say_prompt_was_cut(reply.estimated, usage.input.saturating_add(usage.cache_read));
            // What a server cut teaches nothing about how it counts.
            if !cut && let Some(decision) = self.calibration.learn(&model, reply.estimated, usage.input) {
                self.rec.cell(Body::Decided(decision));
            }
            self.spent.session += usage.cost.unwrap_or(0.0);
        }
        self.rec.emit(Body::RequestFinished {
            request: reply.request,
            purpose: Purpose::Main,
            usage: reply.usage.unwrap_or_default(),
            first_token_ms: reply.first_ms,
            elapsed_ms: reply.elapsed_ms,
        });
        signal
    }

    /// True when the server counted far less than was sent; said once for each model.
    fn say_prompt_was_cut(&mut self, estimated: u64, reported: u64) -> bool {
        if !prompt_was_cut(estimated, reported) {
            return false;
        }
        if !std::mem::replace(&mut self.prompt_cut, true) {
            let text = format!(
                "The server read only {} of about {} tokens, so it cut the beginning of the request: \
                 the model may know neither its instructions nor its tools.",
                human::tokens(reported),
                human::tokens(estimated)
            );
            let context = ollama_context(estimated * 3, self.role.profile.max_tokens, None);
            let hint = format!(
                "Give the server a larger context: OLLAMA_CONTEXT_LENGTH={context} for Ollama (and name the model \
                 ollama:…), -c {context} for llama.cpp, Context Length in LM Studio."
            );
            self.rec.notice(Level::Warning, "model", text, Some(hint));
        }
        true
    }

    /// What came before the person stopped it. Calls that did not run are not part of it.
    pub(super) fn keep_interrupted(&mut self, reply: Reply) {
        if !reply.text.is_empty() || reply.reasoning_shown || reply.usage.is_some() {
            self.write_down(Reply { calls: Vec::new(), ..reply }, Vec::new(), StopReason::Interrupted);
        }
    }

    /// What came before the connection broke.
    pub(super) fn keep_cut(&mut self, reply: Reply) {
        if !reply.text.is_empty() || reply.usage.is_some() {
            self.write_down(Reply { calls: Vec::new(), ..reply }, Vec::new(), StopReason::Cut);
        }
    }

    fn written_by(&self) -> (bool, String) {
        match &self.model {
            ModelSlot::Ready(model) => {
                let info = model.info();
                (info.scripted, info.name)
            }
            ModelSlot::Coming | ModelSlot::Failed(_) => (false, String::new()),
        }
    }

    fn tool_names(&self) -> Vec<String> {
        let catalog = self.catalog();
        catalog.iter().flat_map(|tool| [tool.info.wire_name.clone(), tool.name.clone()]).collect()
    }

    fn call_was_lost(&mut self, excerpt: String) {
        let nudged = self.turn.as_mut().is_some_and(|turn| !std::mem::replace(&mut turn.nudged, true));
        self.rec.cell(Body::Decided(Decision::LostCall { excerpt, nudged }));
        if nudged {
            let text = "Your last message contains a tool call written as text, so nothing was run. Call the tool \
                        through the tool interface, or answer in plain words.";
            self.say_as_system("nudge", "lost call", text.to_owned());
            return self.prepare();
        }
        let why = "The model writes its tool calls as text; nothing was run.";
        self.finish(TurnOutcome::Failed(why.to_owned()));
    }

    fn say_why_it_stopped(&mut self, stop: &StopReason) {
        let (level, text, hint) = match stop {
            StopReason::Length => (
                Level::Warning,
                "The reply reached the limit of output tokens and is not complete.",
                Some("Ask to go on, or raise max_tokens in [model].".to_owned()),
            ),
            StopReason::Refusal => (Level::Warning, "The model declined to answer.", None),
            StopReason::Cut => (Level::Warning, "The provider did not say that the reply is complete.", None),
            StopReason::End | StopReason::ToolCalls | StopReason::Interrupted | StopReason::Other(_) => return,
        };
        self.rec.notice(level, "model", text, hint);
    }
}
