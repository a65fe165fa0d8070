use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures::StreamExt;
use genai::chat::{ChatOptions, ChatRequest, ChatStream, ChatStreamEvent, ContentPart, StreamEnd};
use genai::webc::StreamTimeout;
use genai::{Client, ServiceTarget};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::model::fault::{self, Asked};
use crate::model::{Delta, DeltaStream, RawCall, calls};
use crate::proto::{Fault, ReasoningBlock, StopReason, Usage};

/// Looks at the frames that genai reads, for errors it passes over.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    asked: Asked,
    idle: Duration,
    error: Arc<Mutex<Option<Value>>>,
}

impl Watch {
    pub(super) fn new(asked: Asked, idle: Duration) -> Self {
        Self { asked, idle, error: Arc::default() }
    }

    pub(super) fn with(&self, options: ChatOptions) -> ChatOptions {
        let seen = Arc::clone(&self.error);
        options.with_raw_frame_fn(move |_, frame| {
            // Text that merely talks of errors is common; an error object at the top is not.
            if !frame.data.contains("\"error\"") {
                return;
            }
            let Some(value) = frame.json() else { return };
            if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
                *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
            }
        })
    }

    fn seen(&self) -> Option<Fault> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(fault::from_error(&self.asked, &error))
    }

    /// genai wraps the real cause in layers that differ by protocol.
    pub(super) fn fault(&self, error: &genai::Error) -> Fault {
        match error {
            genai::Error::WebStream { error, .. } => self.boxed(error.as_ref()),
            genai::Error::ChatResponse { body, .. } => fault::from_error(&self.asked, body),
            genai::Error::HttpError { status, body, headers, .. } => {
                fault::from_status(&self.asked, status.as_u16(), headers, body, SystemTime::now())
            }
            genai::Error::StreamParse { serde_error, .. } => {
                fault::protocol(&self.asked, "a piece of the stream is not JSON", &serde_error.to_string())
            }
            other => fault::protocol(&self.asked, "the reply could not be read", &other.to_string()),
        }
    }

    fn boxed(&self, error: &(dyn std::error::Error + Send + Sync + 'static)) -> Fault {
        if error.downcast_ref::<StreamTimeout>().is_some() {
            return fault::stalled(self.idle);
        }
        if let Some(inner) = error.downcast_ref::<genai::Error>() {
            return self.fault(inner);
        }
        match error.downcast_ref::<reqwest::Error>() {
            Some(inner) if inner.is_body() || inner.is_decode() => fault::cut(&self.asked.provider),
            Some(inner) => fault::network(&self.asked, inner),
            None => fault::protocol(&self.asked, "the stream could not be read", &error.to_string()),
        }
    }
}

enum Phase {
    Send(Box<(Client, ServiceTarget, ChatRequest, ChatOptions)>),
    Read(Box<ChatStream>),
    Over,
}

struct Reply {
    phase: Phase,
    ready: VecDeque<Result<Delta, Fault>>,
    watch: Watch,
    anything: bool,
    cancel: CancellationToken,
}

pub(super) fn stream(
    client: Client,
    target: ServiceTarget,
    request: ChatRequest,
    options: ChatOptions,
    watch: Watch,
    cancel: CancellationToken,
) -> DeltaStream {
    let phase = Phase::Send(Box::new((client, target, request, options)));
    let reply = Reply { phase, ready: VecDeque::new(), watch, anything: false, cancel };
    Box::pin(futures::stream::unfold(reply, |mut reply| async move {
        loop {
            if let Some(delta) = reply.ready.pop_front() {
                return Some((delta, reply));
            }
            match std::mem::replace(&mut reply.phase, Phase::Over) {
                Phase::Over => return None,
                phase => reply.step(phase).await,
            }
        }
    }))
}

impl Reply {
    async fn step(&mut self, phase: Phase) {
        let cancel = self.cancel.clone();
        match cancel.run_until_cancelled(self.advance(phase)).await {
            None => self.ready.push_back(Err(fault::cancelled())),
            Some(Err(fault)) => self.ready.push_back(Err(fault)),
            Some(Ok(phase)) => self.phase = phase,
        }
    }

    async fn advance(&mut self, phase: Phase) -> Result<Phase, Fault> {
        match phase {
            Phase::Over => Ok(Phase::Over),
            Phase::Send(parts) => {
                let (client, target, request, options) = *parts;
                let opened = client.exec_chat_stream(target, request, Some(&options)).await;
                let response = opened.map_err(|error| self.watch.fault(&error))?;
                Ok(Phase::Read(Box::new(response.stream)))
            }
            Phase::Read(mut chat) => {
                let event = chat.next().await;
                if let Some(fault) = self.watch.seen() {
                    return Err(fault);
                }
                let Some(event) = event else { return Err(fault::cut(&self.watch.asked.provider)) };
                match self.take(event.map_err(|error| self.watch.fault(&error))?) {
                    Some(end) => self.finish(end).map(|()| Phase::Over),
                    None => Ok(Phase::Read(chat)),
                }
            }
        }
    }

    /// `Some` at the end of the reply.
    fn take(&mut self, event: ChatStreamEvent) -> Option<StreamEnd> {
        let delta = match event {
            ChatStreamEvent::End(end) => return Some(end),
            ChatStreamEvent::Chunk(chunk) if !chunk.content.is_empty() => Delta::Text(chunk.content),
            ChatStreamEvent::ReasoningChunk(chunk) if !chunk.content.is_empty() => Delta::Reasoning(chunk.content),
            ChatStreamEvent::ToolCallChunk(chunk) => Delta::CallForming {
                argument_bytes: raw(&chunk.tool_call.fn_arguments).len() as u64,
                name: chunk.tool_call.fn_name,
            },
            _ => Delta::Alive,
        };
        self.anything |= delta != Delta::Alive;
        self.ready.push_back(Ok(delta));
        None
    }

    fn finish(&mut self, end: StreamEnd) -> Result<(), Fault> {
        let StreamEnd { captured_usage, captured_stop_reason, captured_content, captured_reasoning_content, .. } = end;
        if captured_stop_reason.is_none() && captured_usage.is_none() {
            return Err(fault::cut(&self.watch.asked.provider));
        }
        let parts = captured_content.map(|content| content.into_parts()).unwrap_or_default();
        let mut found = Vec::new();
        let mut proofs = Vec::new();
        for part in parts {
            match part {
                ContentPart::ToolCall(call) => found.push(call),
                ContentPart::Text(_) => {}
                proof => proofs.push(proof),
            }
        }
        let redacted = if proofs.is_empty() { None } else { serde_json::to_string(&proofs).ok() };
        let text = captured_reasoning_content.unwrap_or_default();
        if redacted.is_some() || !text.is_empty() {
            self.say(Delta::ReasoningDone(ReasoningBlock { text, signature: None, redacted }));
        }
        let any_calls = !found.is_empty();
        for (index, call) in found.into_iter().enumerate() {
            self.say(Delta::Call(finished(call, index)));
        }
        if let Some(usage) = captured_usage {
            self.say(Delta::Usage(totals(&usage)));
        }
        self.say(Delta::Stop(reason(captured_stop_reason, any_calls)));
        Ok(())
    }

    fn say(&mut self, delta: Delta) {
        self.ready.push_back(Ok(delta));
    }
}

fn raw(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn finished(call: genai::chat::ToolCall, index: usize) -> RawCall {
    let id = if call.call_id.is_empty() { format!("call_{}", index + 1) } else { call.call_id };
    let signature = call.thought_signatures.and_then(|list| list.into_iter().next());
    calls::finish(id, call.fn_name, raw(&call.fn_arguments), signature)
}

fn totals(usage: &genai::chat::Usage) -> Usage {
    let count = |number: Option<i32>| number.unwrap_or(0).max(0) as u64;
    let prompt = usage.prompt_tokens_details.as_ref();
    let reply = usage.completion_tokens_details.as_ref();
    Usage {
        input: count(usage.prompt_tokens),
        output: count(usage.completion_tokens),
        cache_read: count(prompt.and_then(|details| details.cached_tokens)),
        cache_write: count(prompt.and_then(|details| details.cache_creation_tokens)),
        reasoning: count(reply.and_then(|details| details.reasoning_tokens)),
        cost: None,
    }
}

fn reason(reason: Option<genai::chat::StopReason>, any_calls: bool) -> StopReason {
    use genai::chat::StopReason as Theirs;
    match reason {
        Some(Theirs::MaxTokens(_)) => StopReason::Length,
        Some(Theirs::ContentFilter(_)) => StopReason::Refusal,
        _ if any_calls => StopReason::ToolCalls,
        Some(Theirs::Other(other)) => StopReason::Other(other),
        _ => StopReason::End,
    }
}
