//! Writing down what happens: mask, journal, projection, readers, in this order.

use std::path::PathBuf;
use std::sync::Arc;

use super::super::journal::{Journal, Trouble};
use super::super::rules::mask;
use super::super::seams::Clock;
use crate::config::Mask;
use crate::model::History;
use crate::port::Hub;
use crate::proto::{Attachment, Body, Event, Level, Order, Seq, ShellBody, Timestamp};
use crate::text::human;

/// The only place where events are made.
pub(super) struct Recorder {
    pub hub: Arc<Hub>,
    pub journal: Journal,
    pub history: History,
    pub clock: Clock,
    pub mask: Mask,
    /// Of the last event.
    pub seq: Seq,
    /// The next free place in the transcript.
    pub next: Order,
    /// When the last event was, by the clock of this machine.
    pub latest: Timestamp,
}

/// A clock is set right by less than this without anybody noticing, milliseconds.
const SET_RIGHT: u64 = 60_000;

impl Recorder {
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Places for the next entries of the running round.
    pub fn reserve(&mut self, slots: u32) -> Order {
        let order = self.next;
        self.next.slot += slots;
        order
    }

    pub fn begin_turn(&mut self, turn: u32) {
        self.next = Order { turn, round: 0, slot: 0 };
    }

    pub fn begin_round(&mut self) {
        self.next = Order { turn: self.next.turn, round: self.next.round + 1, slot: 0 };
    }

    /// An event that has no entry of its own.
    pub fn emit(&mut self, body: Body) {
        self.emit_at(None, body);
    }

    /// An event with a new entry at the next free place.
    pub fn cell(&mut self, body: Body) -> Order {
        let order = self.reserve(1);
        self.emit_at(Some(order), body);
        order
    }

    pub fn emit_at(&mut self, order: Option<Order>, body: Body) {
        let body = self.masked(body);
        self.history.apply(&body);
        let body = self.offloaded(body);
        self.seq = Seq(self.seq.0 + 1);
        let at = self.now();
        let event = Event { seq: self.seq, at, order, body };
        let written = self.journal.record(&event);
        self.hub.publish(event);
        self.report(written);
        self.watch_clock(at);
    }

    /// Events are in order by their number; a person reads times.
    fn watch_clock(&mut self, at: Timestamp) {
        let back = self.latest.saturating_sub(at);
        self.latest = at;
        if back > SET_RIGHT {
            let text = format!(
                "The clock of this machine went back by {}: times from here on are earlier than those above. What is kept \
                 stays in its order, and nothing is lost.",
                human::duration_ms(back)
            );
            self.notice(Level::Warning, "clock", text, None);
        }
    }

    /// What is shown and never kept, made of records that were masked when they were written.
    pub fn show(&mut self, body: Body) {
        self.seq = Seq(self.seq.0 + 1);
        self.hub.publish(Event { seq: self.seq, at: self.now(), order: None, body });
    }

    pub fn notice(&mut self, level: Level, source: &str, text: impl Into<String>, hint: Option<String>) {
        self.cell(Body::Notice { level, source: source.to_owned(), text: text.into(), hint });
    }

    /// Writes deltas that waited long enough.
    pub fn flush_deltas(&mut self) {
        if self.journal.due_in(self.now()) == Some(0) {
            let written = self.journal.flush_deltas();
            self.report(written);
        }
    }

    /// A turn is over: what was written becomes durable, off this task.
    pub fn settle(&mut self) -> Option<tokio::task::JoinHandle<()>> {
        let (written, file) = self.journal.settle();
        self.report(written);
        let file = file?;
        // A sync that fails leaves the records with the operating system, as before.
        Some(tokio::task::spawn_blocking(move || drop(file.sync_data())))
    }

    pub fn folder(&self) -> PathBuf {
        self.journal.folder().to_owned()
    }

    fn report(&mut self, written: Result<(), Trouble>) {
        let Err(trouble) = written else { return };
        let (level, hint) = match &trouble {
            Trouble::Failing(_) => (
                Level::Error,
                Some(format!(
                    "Free space or fix access to {}; writing is tried again after every turn.",
                    self.folder().display()
                )),
            ),
            Trouble::Recovered => (Level::Info, None),
            Trouble::Gap(_) => (Level::Warning, None),
        };
        self.notice(level, "journal", trouble.to_string(), hint);
    }

    /// Deltas are masked where they are made, because a secret may be cut in two.
    fn masked(&self, body: Body) -> Body {
        if matches!(body, Body::TextDelta { .. } | Body::ReasoningDelta { .. }) {
            return body;
        }
        mask::body(&self.mask, body)
    }

    fn offloaded(&self, body: Body) -> Body {
        match body {
            Body::ToolFinished { call, outcome, content, full_bytes, spill, elapsed_ms } => {
                let content = self.journal.offload(content);
                Body::ToolFinished { call, outcome, content, full_bytes, spill, elapsed_ms }
            }
            Body::UserMessage { content, attachments, origin } => {
                let content = self.journal.offload(content);
                let offload = |file: Attachment| Attachment { content: self.journal.offload(file.content), ..file };
                Body::UserMessage { content, attachments: attachments.into_iter().map(offload).collect(), origin }
            }
            Body::ResultNarrowed { call, content, spill } => {
                let content = self.journal.offload(content);
                Body::ResultNarrowed { call, content, spill }
            }
            Body::Shell(ShellBody::Finished { end, content, full_bytes, spill, elapsed_ms }) => {
                let content = self.journal.offload(content);
                Body::Shell(ShellBody::Finished { end, content, full_bytes, spill, elapsed_ms })
            }
            other => other,
        }
    }
}
