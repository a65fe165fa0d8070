//! A request that failed: wait and try again, ask, or end the turn honestly.

use std::time::Duration;

use tokio::time::Instant;

use super::Actor;
use super::reply::Reply;
use super::supervise::Ended;
use super::turn::{Phase, Question};
use crate::proto::{AskKind, Body, Decision, Fault, Order, Purpose, TurnOutcome, clause};
use crate::session::rules::{Tried, Verdict, verdict};

impl Actor {
    pub(super) fn reply_failed(&mut self, fault: Fault) {
        if let Some(reply) = self.take_reply() {
            self.wire_received(&reply, Ended::Failed(&fault));
            self.failed(reply, fault);
        }
    }

    pub(super) fn failed(&mut self, reply: Reply, fault: Fault) {
        let retries = self.turn.as_ref().map_or(0, |turn| turn.retries);
        let tried = Tried {
            retries,
            max_retries: self.role.profile.max_retries,
            text_shown: !reply.text.trim().is_empty(),
            person: self.person(),
        };
        let longest_ms = self.role.profile.retry_timeout.saturating_mul(1000);
        match verdict(&fault, tried, longest_ms, (self.setup.chance)()) {
            Verdict::Wait { ms, asked_by_provider } => {
                self.charge(&reply);
                self.wait_and_retry(&reply, &fault, ms, asked_by_provider);
            }
            Verdict::Ask => {
                self.charge(&reply);
                let shown_chars = reply.text.chars().count() as u64;
                self.rec.notice(crate::proto::Level::Warning, "model", fault.message, Some(fault.advice));
                self.ask(AskKind::RetryCutStream { shown_chars }, Question::CutStream(Box::new(uncharged(reply))));
            }
            Verdict::GiveUp => self.give_up(reply, fault),
        }
    }

    /// A failed try may have cost something too.
    fn charge(&mut self, reply: &Reply) {
        self.spent.session += reply.usage.and_then(|usage| usage.cost).unwrap_or(0.0);
    }

    fn wait_and_retry(&mut self, reply: &Reply, fault: &Fault, ms: u64, asked_by_provider: bool) {
        let Some(turn) = &mut self.turn else { return };
        turn.retries += 1;
        let (attempt, of) = (turn.retries, self.role.profile.max_retries);
        turn.phase = Phase::Retrying { until: Instant::now() + Duration::from_millis(ms) };
        // Before the reply that this try may still bring.
        let back = 2 + retry_notes(of) - attempt.min(retry_notes(of));
        let place = Order { slot: turn.place.slot.saturating_sub(back), ..turn.place };
        let reason = clause(&fault.message).to_owned();
        let retry = Decision::Retry { attempt, of, wait_ms: ms, reason: reason.clone(), asked_by_provider };
        self.rec.emit_at(Some(place), Body::Decided(retry));
        let at = self.rec.now() + ms;
        self.rec.emit(Body::RetryScheduled { request: reply.request, at, attempt, of, reason });
    }

    fn give_up(&mut self, reply: Reply, fault: Fault) {
        let (request, message) = (reply.request, fault.message.clone());
        self.keep_cut(reply);
        self.rec.cell(Body::RequestFailed { request, purpose: Purpose::Main, fault });
        self.finish(TurnOutcome::Failed(message));
    }

    /// The person decides about a reply that broke off.
    pub(super) fn cut_stream_answered(&mut self, reply: Reply, yes: bool) {
        if yes {
            return self.send_again();
        }
        self.keep_cut(reply);
        self.finish(TurnOutcome::Failed("The reply broke off.".to_owned()));
    }
}

/// Places kept for what is said of retries, before the reply.
pub(super) fn retry_notes(most: u32) -> u32 {
    most.min(64)
}

/// Its cost was counted when it failed.
fn uncharged(reply: Reply) -> Reply {
    Reply { usage: reply.usage.map(|usage| crate::proto::Usage { cost: None, ..usage }), ..reply }
}
