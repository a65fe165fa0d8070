//! What is said again at the end of a request, and only there.

use super::super::Actor;
use crate::model::{HistoryItem, Message, Part, Request, build};
use crate::proto::{Body, Content, Decision, Mechanic};
use crate::supervisor::recite::{Live, Verification, recite};
use crate::text::tokens;

#[derive(Default)]
pub(super) struct Reciting {
    /// What was said last.
    last: String,
    distance: Distance,
}

/// How far the person's last message lies back.
#[derive(Default)]
struct Distance {
    /// Items of the history up to here are counted.
    upto: usize,
    /// Estimated.
    tokens: u64,
}

impl Reciting {
    /// The next item of the history is a message of the person's.
    pub fn begins_at(&mut self, item: usize) {
        self.distance = Distance { upto: item + 1, tokens: 0 };
    }
}

impl Actor {
    /// Puts it at the end of the request, if it is time; the history stays without it. Recorded when it
    /// says something new.
    pub(in crate::session::actor) fn recite(&mut self, request: &mut Request) {
        if !self.is_supervised() {
            return;
        }
        self.measure_distance();
        let snapshot = self.rec.hub.snapshot();
        let watch = &self.supervise.watch;
        let gate = self.has_mechanic(Mechanic::Gate);
        let live = Live {
            goal: &watch.goal(self.turns),
            plan: &snapshot.supervisor.plan,
            prohibitions: &watch.prohibitions,
            verification: if gate { Verification::Gate } else { Verification::Nobody },
            rounds: watch.rounds,
            distance_tokens: self.supervise.recite.distance.tokens,
        };
        let Some(recitation) = recite(&live) else { return };
        let part = Part::Text(recitation.text.clone());
        // Chat templates of local models refuse two user messages in a row.
        match request.messages.last_mut() {
            Some(Message::User(parts)) => parts.push(part),
            _ => request.messages.push(Message::User(vec![part])),
        }
        if self.supervise.recite.last != recitation.text {
            self.supervise.recite.last.clone_from(&recitation.text);
            self.rec.emit(Body::Decided(Decision::Recited(Box::new(recitation))));
        }
    }

    /// Counts what came since the last request.
    fn measure_distance(&mut self) {
        let blobs = self.rec.journal.blobs();
        let size = |content: &Content| tokens::estimate(&build::plain(content, &|name| blobs.get(name)));
        let items = self.rec.history.items();
        let distance = &mut self.supervise.recite.distance;
        for item in items.get(distance.upto..).unwrap_or_default() {
            distance.tokens += match item {
                HistoryItem::User { content, .. } | HistoryItem::Result { content, .. } => size(content),
                HistoryItem::Assistant { text, calls, .. } => {
                    let calls: u64 = calls.iter().map(|call| tokens::estimate(&call.arguments.to_string())).sum();
                    tokens::estimate(text) + calls
                }
            };
        }
        distance.upto = items.len();
    }
}
