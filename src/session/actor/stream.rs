//! A reply while it arrives.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Actor;
use super::reply::Reply;
use super::supervise::{Ended, Status};
use super::turn::Phase;
use crate::config::Mask;
use crate::model::{Delta, DeltaStream, RawCall};
use crate::proto::{Body, Fault, FaultKind, Level, Order, ReasoningBlock, RequestId, StopReason, Usage};
use crate::session::rules::{Coalescer, Repetition, believable};
use crate::supervisor::report::Stripper;

pub(super) struct Streaming {
    pub source: DeltaStream,
    pub cancel: CancellationToken,
    pub request: RequestId,
    /// The estimate before any factor.
    pub estimated: u64,
    begun: Instant,
    first: Option<Duration>,
    text: Growing,
    reasoning: Growing,
    /// Reasoning since the last complete block.
    open_block: String,
    blocks: Vec<ReasoningBlock>,
    thinking_since: Option<Instant>,
    thought: Duration,
    calls: Vec<RawCall>,
    usage: Option<Usage>,
    repetition: Repetition,
    /// Takes statuses out, while the reply is asked to have one.
    stripper: Option<Stripper>,
    /// The text as it came, when something may be taken out of it.
    came: String,
}

/// A text that grows, masked, with what of it was shown.
#[derive(Default)]
struct Growing {
    whole: String,
    /// An end that may be the beginning of a secret.
    held: String,
    out: Coalescer,
}

impl Growing {
    fn push(&mut self, mask: &Mask, piece: &str) {
        self.held.push_str(piece);
        let shown = mask.drain(&mut self.held);
        self.whole.push_str(&shown);
        self.out.push(&shown);
    }

    fn finish(&mut self, mask: &Mask) -> String {
        self.whole.push_str(&mask.text(&std::mem::take(&mut self.held)));
        std::mem::take(&mut self.whole)
    }
}

impl Streaming {
    pub fn new(
        source: DeltaStream,
        cancel: CancellationToken,
        request: RequestId,
        estimated: u64,
        status: Status,
    ) -> Self {
        Self {
            source,
            cancel,
            request,
            estimated,
            begun: Instant::now(),
            first: None,
            text: Growing::default(),
            reasoning: Growing::default(),
            open_block: String::new(),
            blocks: Vec::new(),
            thinking_since: None,
            thought: Duration::ZERO,
            calls: Vec::new(),
            usage: None,
            repetition: Repetition::default(),
            stripper: (status == Status::Asked).then(Stripper::default),
            came: String::new(),
        }
    }

    pub fn due(&self) -> Option<Instant> {
        self.text.out.due().into_iter().chain(self.reasoning.out.due()).min()
    }

    fn thinks(&mut self, now: Instant) {
        self.thinking_since.get_or_insert(now);
    }

    fn stops_thinking(&mut self, now: Instant) {
        if let Some(since) = self.thinking_since.take() {
            self.thought += now - since;
        }
    }

    /// Gives what of the piece can be seen.
    fn visible(&mut self, piece: String) -> String {
        let Some(stripper) = &mut self.stripper else { return piece };
        self.came.push_str(&piece);
        stripper.push(&piece)
    }

    fn close_block(&mut self, mask: &Mask, block: ReasoningBlock) {
        self.open_block.clear();
        self.blocks.push(block);
        self.reasoning.push(mask, "\n\n");
    }

    /// Closes the connection and gives what came.
    pub fn stop(mut self: Box<Self>, mask: &Mask) -> Reply {
        self.cancel.cancel();
        let now = Instant::now();
        self.stops_thinking(now);
        let reasoning_shown = !self.reasoning.finish(mask).is_empty();
        let mut reasoning = self.blocks;
        if !self.open_block.trim().is_empty() {
            reasoning.push(ReasoningBlock { text: self.open_block, ..ReasoningBlock::default() });
        }
        let status = if self.stripper.is_some() { Status::Asked } else { Status::NotAsked };
        let (rest, statuses) = self.stripper.take().map(Stripper::finish).unwrap_or_default();
        self.text.push(mask, &rest);
        Reply {
            request: self.request,
            text: self.text.finish(mask),
            came: self.came,
            status,
            statuses,
            reasoning,
            reasoning_shown,
            reasoning_ms: self.thought.as_millis() as u64,
            calls: self.calls,
            usage: self.usage,
            estimated: self.estimated,
            first_ms: self.first.unwrap_or_else(|| now - self.begun).as_millis() as u64,
            elapsed_ms: (now - self.begun).as_millis() as u64,
            repeats_from: None,
        }
    }
}

impl Actor {
    /// One step of the stream.
    pub(super) fn delta(&mut self, delta: Option<Result<Delta, Fault>>) {
        match delta {
            Some(Ok(Delta::Stop(stop))) => self.reply_complete(stop),
            Some(Ok(delta)) => self.delta_came(delta),
            Some(Err(fault)) => self.reply_failed(fault),
            None => self.reply_failed(Fault::new(
                FaultKind::Cut,
                "The connection ended before the reply did.",
                "Send the message again.",
            )),
        }
    }

    /// A count beyond belief is cut, and that is said.
    fn believed(&mut self, usage: Usage) -> Usage {
        let sane = believable(usage);
        if sane != usage && self.streaming().is_some_and(|streaming| streaming.usage != Some(sane)) {
            let text = "The server reports more tokens than any request has; its counts cannot be relied on.";
            self.rec.notice(Level::Warning, "model", text, None);
        }
        sane
    }

    fn delta_came(&mut self, delta: Delta) {
        let now = Instant::now();
        let delta = match delta {
            Delta::Usage(usage) => Delta::Usage(self.believed(usage)),
            other => other,
        };
        let place = self.place();
        let Some(streaming) = self.streaming() else { return };
        if !matches!(delta, Delta::Alive | Delta::Usage(_)) {
            let begun = streaming.begun;
            streaming.first.get_or_insert_with(|| now - begun);
        }
        let mask = &self.rec.mask.clone();
        let Some(streaming) = self.streaming() else { return };
        match delta {
            Delta::Text(piece) => {
                streaming.stops_thinking(now);
                let visible = streaming.visible(piece);
                streaming.text.push(mask, &visible);
                if let Some(keep) = streaming.repetition.check(&streaming.text.whole) {
                    return self.reply_repeats(keep);
                }
            }
            Delta::Reasoning(piece) => {
                streaming.thinks(now);
                streaming.open_block.push_str(&piece);
                streaming.reasoning.push(mask, &piece);
            }
            Delta::ReasoningDone(block) => streaming.close_block(mask, block),
            Delta::CallForming { name, argument_bytes } => {
                streaming.stops_thinking(now);
                let body = Body::CallForming { request: streaming.request, tool: name, argument_bytes };
                self.rec.emit_at(Some(place), body);
                self.look_ahead();
            }
            Delta::Call(call) => streaming.calls.push(call),
            Delta::Usage(usage) => streaming.usage = Some(usage),
            Delta::Alive | Delta::Stop(_) => {}
        }
        self.show_deltas(now);
    }

    /// Hands out the pieces whose time has come.
    pub(super) fn show_deltas(&mut self, now: Instant) {
        let place = self.place();
        let Some(streaming) = self.streaming() else { return };
        let request = streaming.request;
        let reasoning = streaming.reasoning.out.take(now);
        let text = streaming.text.out.take(now);
        if let Some((offset, text)) = reasoning {
            self.rec.emit_at(place.before(), Body::ReasoningDelta { request, offset, text });
        }
        if let Some((offset, text)) = text {
            self.rec.emit_at(Some(place), Body::TextDelta { request, offset, text });
        }
    }

    fn streaming(&mut self) -> Option<&mut Streaming> {
        match self.turn.as_mut().map(|turn| &mut turn.phase) {
            Some(Phase::Streaming(streaming)) => Some(streaming),
            _ => None,
        }
    }

    /// Where the text of the running request stands; its reasoning stands just before.
    pub(super) fn place(&self) -> Order {
        self.turn.as_ref().map(|turn| turn.place).unwrap_or_default()
    }

    /// Takes the reply out of the running stream and closes it.
    pub(super) fn take_reply(&mut self) -> Option<Reply> {
        match self.take_phase()? {
            Phase::Streaming(streaming) => Some(streaming.stop(&self.rec.mask)),
            other => {
                self.set_phase(other);
                None
            }
        }
    }

    fn reply_repeats(&mut self, keep: usize) {
        let Some(mut reply) = self.take_reply() else { return };
        reply.repeats_from = Some(keep);
        reply.calls.clear();
        self.wire_received(&reply, Ended::Stopped(&StopReason::Cut));
        self.reply_taken(reply, StopReason::Cut);
    }

    fn reply_complete(&mut self, stop: StopReason) {
        if let Some(reply) = self.take_reply() {
            self.wire_received(&reply, Ended::Stopped(&stop));
            self.reply_taken(reply, stop);
        }
    }
}
