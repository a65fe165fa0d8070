//! A fresh message against the capabilities, before the request.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::SurfaceReport;
use super::effects::Waits;
use super::hearing::Hearing;
use crate::embed::Beside;
use crate::proto::{Body, Cause, Decision, EncoderState, IntentSource, RouteOutcome, RouteWait, Routing, Skip, TurnId};
use crate::session::actor::prepare::{SERVER_WAIT, TELL_AFTER};
use crate::session::actor::turn::Phase;
use crate::session::actor::{Actor, Report};
use crate::session::encoder::{self, Patience};
use crate::surface::{Attempt, Compared as Candidate, Offer, RouteInput, intent, skip};

/// Comparing keeps to times of its own; this is for what was never foreseen.
const COMPARE_WAIT: Duration = Duration::from_secs(30);

/// A message and what it can be compared with.
pub(in crate::session::actor) struct Compared {
    turn: TurnId,
    intent: String,
    beside: Result<(Beside, u64), EncoderState>,
    wait: RouteWait,
}

/// Whether a message is compared for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    First,
    Again,
}

impl Actor {
    /// What the person said is compared before the request that answers it.
    pub(in crate::session::actor) fn heard(&mut self, text: &str) {
        let Some(turn) = &mut self.turn else { return };
        match &mut turn.fresh {
            Some(fresh) => {
                fresh.push('\n');
                fresh.push_str(text);
            }
            None => turn.fresh = Some(text.to_owned()),
        }
    }

    /// Looks beside the task whether a tap was connected elsewhere; the next request waits for that.
    pub(in crate::session::actor) fn look_for_taps(&mut self) {
        let Some(offers) = self.setup.offers.clone().filter(|_| self.person() && self.has_surface()) else { return };
        self.live.looks += 1;
        let (number, report) = (self.live.looks, self.report.clone());
        tokio::spawn(async move {
            let changed = tokio::task::spawn_blocking(move || offers.look_if_connected()).await.unwrap_or_default();
            let _ = report.send(Report::Surface(SurfaceReport::Looked(number, changed)));
        });
    }

    pub(super) fn looked_for_taps(&mut self, number: u32, changed: bool) {
        if changed {
            self.open_book();
        }
        self.live.looked = self.live.looked.max(number);
        self.go_on_if_ready();
    }

    /// Whether it is known which taps are connected now.
    pub(super) fn knows_taps(&self) -> bool {
        self.live.looked == self.live.looks
    }

    /// Goes on with those that are known.
    pub(in crate::session::actor) fn stop_looking_for_taps(&mut self) {
        self.live.looked = self.live.looks;
    }

    /// Compares what was said since the last request, and what could not be compared then, then sends.
    pub(in crate::session::actor) fn route(&mut self) {
        let fresh = self.turn.as_mut().and_then(|turn| Some((turn.id, turn.fresh.take()?)));
        if !self.has_surface() {
            return self.judge_owed();
        }
        if let Some((turn, message)) = fresh {
            return self.compare(turn, message, Time::First);
        }
        let Some(turn) = self.turn.as_ref().map(|turn| turn.id) else { return };
        match self.comparable_owed() {
            Some(message) => self.compare(turn, message, Time::Again),
            None => self.judge_owed(),
        }
    }

    fn compare(&mut self, turn: TurnId, message: String, time: Time) {
        let intent = intent::clean(&message);
        let attempt = if self.compares() { Attempt::Wanted } else { Attempt::Off };
        let (eligible, phrases) = self.comparable();
        if skip(attempt, &intent, eligible).is_some() {
            let routing = self.routing(turn, IntentSource::Message, &intent, attempt, Err(EncoderState::Idle));
            return self.routed(routing);
        }
        let (encoder, report) = (self.setup.encoder.clone(), self.report.clone());
        let patience = Patience::from(self.setup.person);
        let hearing = Hearing::new(message, time);
        let stop = hearing.stop.clone();
        self.live.hearing = Some(hearing);
        self.set_phase(Phase::Routing { intent: intent.clone(), until: Instant::now() + COMPARE_WAIT });
        tokio::spawn(async move {
            let (beside, wait) = {
                let heard = encoder::compare_when_read(encoder.as_deref(), &intent, phrases, patience, &stop);
                tokio::pin!(heard);
                tokio::select! {
                    biased;
                    heard = &mut heard => heard,
                    () = tokio::time::sleep(TELL_AFTER) => {
                        let _ = report.send(Report::Surface(SurfaceReport::Reading(turn)));
                        heard.await
                    }
                }
            };
            let compared = Compared { turn, intent, beside, wait };
            let _ = report.send(Report::Surface(SurfaceReport::Compared(compared)));
        });
    }

    pub(super) fn compared(&mut self, compared: Compared) {
        let Compared { turn, intent, beside, wait } = compared;
        let waits = matches!(&self.turn, Some(running) if running.id == turn
            && matches!(&running.phase, Phase::Routing { intent: asked, .. } if *asked == intent));
        if waits {
            let mut routing = self.routing(turn, IntentSource::Message, &intent, Attempt::Wanted, beside);
            routing.wait = wait;
            self.routed(routing);
        }
    }

    /// No answer came in time; the message goes out all the same.
    pub(in crate::session::actor) fn compare_overdue(&mut self) {
        let Some(turn) = &self.turn else { return };
        let Phase::Routing { intent, .. } = &turn.phase else { return };
        let (turn, intent) = (turn.id, intent.clone());
        let state = self.rec.hub.snapshot().encoder.clone();
        let mut routing = self.routing(turn, IntentSource::Message, &intent, Attempt::Wanted, Err(state));
        routing.wait = RouteWait::Overdue { ms: u64::try_from(COMPARE_WAIT.as_millis()).unwrap_or(u64::MAX) };
        self.routed(routing);
    }

    /// How many a message could be compared with, and the triggers of those of them that are not read.
    pub(super) fn comparable(&mut self) -> (usize, Vec<String>) {
        let (Some(ready), Some(book)) = (self.readiness(), self.live.book.clone()) else { return Default::default() };
        if let Some(encoder) = &self.setup.encoder {
            self.live.vectors.bring(&encoder.service().index(), &book);
        }
        let (eligible, _) = self.live.state.eligible(&book.offers, &|key| ready.has(key), &|_| true);
        let unread =
            |offer: &&&Offer| book.place(offer.name()).is_none_or(|place| self.live.vectors.of(place).is_empty());
        let triggers = eligible.iter().filter(unread).flat_map(|offer| &offer.capability.triggers);
        (eligible.len(), triggers.cloned().collect())
    }

    pub(super) fn routing(
        &mut self,
        turn: TurnId,
        source: IntentSource,
        intent: &str,
        attempt: Attempt,
        beside: Result<(Beside, u64), EncoderState>,
    ) -> Routing {
        let identity = self.setup.encoder.as_ref().and_then(|encoder| encoder.service().identity());
        let (model, backend) = match (&beside, identity) {
            (Ok(_), Some(identity)) => (identity.name, identity.backend),
            _ => Default::default(),
        };
        let begun = Instant::now();
        let book = self.live.book.clone().unwrap_or_default();
        let ready = self.readiness();
        if let Ok((beside, _)) = &beside {
            self.live.vectors.bring(&beside.index, &book);
        }
        let vectors = &self.live.vectors;
        let place = |offer: &Offer| book.place(offer.name()).unwrap_or(usize::MAX);
        let read = |name: &str| {
            // Without a vector of the message, theirs are not what is missing.
            beside.is_err() || book.place(name).is_some_and(|place| !vectors.of(place).is_empty())
        };
        let has = |key: &str| ready.as_ref().is_some_and(|ready| ready.has(key));
        let (eligible, ineligible) = self.live.state.eligible(&book.offers, &has, &read);
        let eligible: Vec<Candidate<'_>> =
            eligible.into_iter().map(|offer| Candidate { offer, phrases: vectors.of(place(offer)) }).collect();
        let encoding_us = beside.as_ref().map_or(0, |(_, micros)| *micros);
        let vector = beside.as_ref().map(|(beside, _)| &beside.message).map_err(Clone::clone);
        let near = |name: &str| book.place(name).map_or(&[][..], |place| vectors.of(place));
        let excerpt = intent::excerpt(&self.rec.mask.text(intent));
        let (model, backend) = (model.as_str(), backend.as_str());
        let input = RouteInput {
            turn,
            source,
            attempt,
            intent,
            excerpt,
            eligible: &eligible,
            ineligible,
            near: &near,
            vector,
            model,
            backend,
            encoding_us,
        };
        let mut routing = self.live.state.route(input);
        routing.deciding_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        routing
    }

    /// Records how the message stood and brings what it asks for.
    fn routed(&mut self, mut routing: Routing) {
        let hearing = self.live.hearing.take();
        if hearing.as_ref().is_some_and(|hearing| hearing.time == Time::Again) {
            routing.wait = RouteWait::Again;
        }
        let routing = Arc::new(routing);
        let off = RouteOutcome::Skipped(Skip::Off);
        let said =
            routing.outcome == off && self.rec.hub.snapshot().last_routing().is_some_and(|last| last.outcome == off);
        if !said {
            self.rec.emit(Body::Decided(Decision::Routed(Arc::clone(&routing))));
        }
        if let Some(hearing) = hearing {
            self.heard_out(hearing, &routing);
        }
        if let RouteOutcome::Activated { capability } = &routing.outcome {
            self.enable_routed(capability, Cause::Auto, Some(&routing), Waits::Request);
        }
        self.route();
    }

    /// Sends, unless something that was just brought is not there yet.
    pub(super) fn send_or_wait(&mut self) {
        if self.may_send() {
            return self.send_first();
        }
        let now = Instant::now();
        self.set_phase(Phase::Activating { tell: Some(now + TELL_AFTER), until: now + SERVER_WAIT });
    }

    /// Nothing that the messages of this turn asked for is still on its way.
    pub(super) fn may_send(&self) -> bool {
        self.live.awaited.is_empty() && self.turn.as_ref().is_none_or(|turn| turn.judged)
    }
}
