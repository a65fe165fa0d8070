//! From a response's bytes to deltas: time-outs, framing, decoding, and ending exactly once.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use futures::{Stream, StreamExt};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fault::{self, Asked};
use super::sse::{Framing, Item, Reader};
use super::{Delta, DeltaStream, anthropic, ollama, openai, responses};
use crate::proto::Fault;

/// How long a reply that said it is over may still bring its usage.
const AFTERGLOW: Duration = Duration::from_secs(3);

/// How long a finished response may take to close so that its connection can be used again.
const DRAIN: Duration = Duration::from_secs(2);

/// Of an error's body nobody needs more bytes.
const ERROR_BODY: usize = 64 * 1024;

/// Whether more is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    More,
    Done,
}

/// The protocols we read ourselves.
#[derive(Debug)]
pub(super) enum Decoder {
    Chat(openai::Decoder),
    Messages(anthropic::Decoder),
    Ollama(ollama::Decoder),
    Responses(responses::Decoder),
}

impl Decoder {
    fn event(&mut self, name: &str, data: &str, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        match self {
            Self::Chat(decoder) => decoder.event(name, data, out),
            Self::Messages(decoder) => decoder.event(name, data, out),
            Self::Ollama(decoder) => decoder.event(data, out),
            Self::Responses(decoder) => decoder.event(name, data, out),
        }
    }

    fn end(&mut self, done: Flow, out: &mut Vec<Delta>) -> Result<(), Fault> {
        match self {
            Self::Chat(decoder) => decoder.end(done, out),
            Self::Messages(decoder) => decoder.end(done, out),
            Self::Ollama(decoder) => decoder.end(out),
            Self::Responses(decoder) => decoder.end(done, out),
        }
    }

    fn finished(&self) -> bool {
        match self {
            Self::Chat(decoder) => decoder.finished(),
            Self::Messages(decoder) => decoder.finished(),
            Self::Ollama(decoder) => decoder.finished(),
            Self::Responses(decoder) => decoder.finished(),
        }
    }
}

/// Bytes to deltas, without any I/O: the part that tests replay.
#[derive(Debug)]
pub(super) struct Machine {
    asked: Asked,
    reader: Reader,
    decoder: Decoder,
    items: Vec<Item>,
}

impl Machine {
    pub(super) fn new(asked: Asked, decoder: Decoder) -> Self {
        let framing = if matches!(decoder, Decoder::Ollama(_)) { Framing::Lines } else { Framing::Events };
        Self { asked, reader: Reader::new(framing), decoder, items: Vec::new() }
    }

    pub(super) fn push(&mut self, bytes: &[u8], out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        if !self.reader.push(bytes, &mut self.items) {
            return Err(fault::protocol(&self.asked, "a line without end", ""));
        }
        let flow = self.decode(out)?;
        if out.is_empty() && flow == Flow::More {
            out.push(Delta::Alive);
        }
        Ok(flow)
    }

    /// The bytes are over.
    pub(super) fn finish(&mut self, done: Flow, out: &mut Vec<Delta>) -> Result<(), Fault> {
        if done == Flow::Done {
            return self.decoder.end(done, out);
        }
        self.reader.finish(&mut self.items);
        let flow = self.decode(out)?;
        self.decoder.end(flow, out)
    }

    fn decode(&mut self, out: &mut Vec<Delta>) -> Result<Flow, Fault> {
        let mut flow = Flow::More;
        for item in std::mem::take(&mut self.items) {
            match item {
                Item::Comment => {}
                _ if flow == Flow::Done => {}
                Item::Event { name, data } => flow = self.decoder.event(&name, &data, out)?,
                // A whole JSON answer, or an error page, where a stream was asked for.
                Item::Stray(text) if text.trim_start().starts_with('{') => flow = self.decoder.event("", &text, out)?,
                Item::Stray(text) if !self.decoder.finished() => {
                    return Err(fault::protocol(&self.asked, "no event stream", &text));
                }
                Item::Stray(_) => {}
            }
        }
        Ok(flow)
    }
}

type Bytes = Pin<Box<dyn Stream<Item = reqwest::Result<tokio_util::bytes::Bytes>> + Send>>;

/// The request to send in place of one that the provider refused.
pub(super) struct Instead {
    /// What the refusal says when this is the answer to it.
    pub(super) when: &'static str,
    pub(super) make: Box<dyn FnOnce() -> Result<reqwest::RequestBuilder, Fault> + Send>,
}

enum Phase {
    Send(Box<reqwest::RequestBuilder>),
    Read(Bytes),
    Over,
}

struct Reply {
    phase: Phase,
    machine: Machine,
    ready: VecDeque<Result<Delta, Fault>>,
    idle: Duration,
    cancel: CancellationToken,
    instead: Option<Instead>,
}

/// Sends the request and streams the reply.
pub(super) fn stream(
    request: reqwest::RequestBuilder,
    instead: Option<Instead>,
    machine: Machine,
    idle: Duration,
    cancel: CancellationToken,
) -> DeltaStream {
    let phase = Phase::Send(Box::new(request));
    let reply = Reply { phase, machine, ready: VecDeque::new(), idle, cancel, instead };
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

    /// One piece of work. What it yields goes to `ready`; an error ends the stream after it.
    async fn advance(&mut self, phase: Phase) -> Result<Phase, Fault> {
        match phase {
            Phase::Over => Ok(Phase::Over),
            Phase::Send(request) => {
                let response = within(self.idle, request.send()).await.ok_or_else(|| fault::stalled(self.idle))?;
                let response = response.map_err(|error| fault::network(&self.machine.asked, &error))?;
                if !response.status().is_success() {
                    return self.refused(response).await;
                }
                Ok(Phase::Read(Box::pin(response.bytes_stream())))
            }
            Phase::Read(bytes) => self.read(bytes).await,
        }
    }

    async fn read(&mut self, mut bytes: Bytes) -> Result<Phase, Fault> {
        let over = self.machine.decoder.finished();
        let limit = match (over, self.idle.is_zero()) {
            (true, true) => AFTERGLOW,
            (true, false) => AFTERGLOW.min(self.idle),
            (false, _) => self.idle,
        };
        let mut out = Vec::new();
        match within(limit, bytes.next()).await {
            Some(Some(Ok(chunk))) => {
                let flow = self.machine.push(&chunk, &mut out);
                self.ready.extend(out.drain(..).map(Ok));
                if flow? == Flow::More {
                    return Ok(Phase::Read(bytes));
                }
                // The rest is read aside so that the connection is used again and nobody waits.
                tokio::spawn(
                    async move { within(DRAIN, async { while let Some(Ok(_)) = bytes.next().await {} }).await },
                );
                self.finish(Flow::Done)
            }
            Some(None) => self.finish(Flow::More),
            Some(Some(Err(_))) | None if over => self.finish(Flow::More),
            Some(Some(Err(error))) => Err(Fault {
                detail: Some(fault::shorten(&error.to_string())),
                ..fault::cut(&self.machine.asked.provider)
            }),
            None => Err(fault::stalled(self.idle)),
        }
    }

    async fn refused(&mut self, response: reqwest::Response) -> Result<Phase, Fault> {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = beginning(response.bytes_stream()).await;
        if let Some(instead) = self.instead.take_if(|instead| status == 400 && body.contains(instead.when)) {
            return (instead.make)().map(|request| Phase::Send(Box::new(request)));
        }
        Err(fault::from_status(&self.machine.asked, status, &headers, &body, SystemTime::now()))
    }

    fn finish(&mut self, done: Flow) -> Result<Phase, Fault> {
        let mut out = Vec::new();
        let end = self.machine.finish(done, &mut out);
        self.ready.extend(out.into_iter().map(Ok));
        end.map(|()| Phase::Over)
    }
}

/// The beginning of a body: what came in time, and no more than is of use.
async fn beginning<Chunk: AsRef<[u8]>>(bytes: impl Stream<Item = reqwest::Result<Chunk>>) -> String {
    let mut bytes = std::pin::pin!(bytes);
    let mut body = Vec::new();
    within(AFTERGLOW, async {
        while body.len() < ERROR_BODY
            && let Some(Ok(chunk)) = bytes.next().await
        {
            body.extend_from_slice(chunk.as_ref());
        }
    })
    .await;
    body.truncate(ERROR_BODY);
    String::from_utf8_lossy(&body).into_owned()
}

/// `None` when the time is over; zero = no limit.
pub(super) async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    if limit.is_zero() {
        return Some(work.await);
    }
    tokio::time::timeout(limit, work).await.ok()
}

/// The JSON values in an event's data: one, or one a line where a server leaves out the empty lines
/// between events.
pub(super) fn each_json(data: &str) -> Vec<Result<Value, String>> {
    match serde_json::from_str(data) {
        Ok(value) => vec![Ok(value)],
        Err(error) if !data.contains('\n') => vec![Err(error.to_string())],
        Err(_) => data
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line).map_err(|error| error.to_string()))
            .collect(),
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A count, also where a server sends it as a float or a text.
pub(super) fn number(value: &Value) -> u64 {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|float| float.max(0.0) as u64)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
    .unwrap_or(0)
}

#[cfg(test)]
mod tests;
