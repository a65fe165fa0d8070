//! What a message would do, while it is being typed. Nothing is changed, sent or written down.

use std::sync::Arc;

use tokio_util::task::AbortOnDropHandle;

use super::SurfaceReport;
use crate::config::allows;
use crate::embed::Beside;
use crate::proto::{Body, Cause, Decision, EncoderState, IntentSource, RouteOutcome, SkillTrace, Snapshot, ToolInfo};
use crate::session::actor::{Actor, Report};
use crate::session::encoder::{self, Patience, liken};
use crate::session::seams::Switch;
use crate::surface::{Attempt, Offer, Surface, intent};

/// A message that is only supposed.
pub(in crate::session::actor) struct Supposed {
    id: u64,
    intent: String,
    beside: Result<(Beside, u64), EncoderState>,
    skills: Vec<SkillTrace>,
}

impl Actor {
    /// Answers the newest question; one that waits is dropped for it.
    pub(in crate::session::actor) fn suppose(&mut self, id: u64, text: String) {
        if self.live.book_came != self.live.books {
            self.live.early = Some((id, text));
            return;
        }
        self.look_for_taps();
        let (_, phrases) = self.comparable();
        let (encoder, offers, report) = (self.setup.encoder.clone(), self.setup.offers.clone(), self.report.clone());
        let rules = self.setup.skill_rules == Switch::On;
        let (domain, session) = (self.live.state.domain().to_owned(), self.name.clone());
        let active = self.active_skills();
        let offers = offers.filter(|_| rules && !text.trim().is_empty());
        let task = tokio::spawn(async move {
            let intent = intent::clean(&text);
            loop {
                let read = encoder.as_ref().is_none_or(|encoder| encoder.are_read(&phrases));
                let beside = encoder::compare(encoder.as_deref(), &intent, Patience::Now).await;
                let skills = match offers.clone() {
                    Some(offers) => {
                        let (place, active) = (domain.clone(), active.clone());
                        let near = (domain.as_str(), active.as_slice());
                        let likened = liken(encoder.as_deref(), &offers, &text, near, Patience::Now).await;
                        let (text, session) = (text.clone(), session.clone());
                        let judged = tokio::task::spawn_blocking(move || {
                            offers.judge(&text, &place, &session, &active, &likened)
                        });
                        judged.await.unwrap_or_default()
                    }
                    None => Vec::new(),
                };
                let supposed = Supposed { id, intent: intent.clone(), beside, skills };
                let _ = report.send(Report::Surface(SurfaceReport::Supposed(supposed)));
                let Some(encoder) = encoder.as_ref().filter(|_| !read) else { return };
                // Answered once more when there is more to say.
                encoder.read(phrases.clone()).await;
            }
        });
        self.live.what_if = Some(AbortOnDropHandle::new(task));
    }

    pub(super) fn supposed(&mut self, supposed: Supposed) {
        let Supposed { id, intent, beside, skills } = supposed;
        let turn = crate::proto::TurnId(self.turns);
        let attempt = if self.compares() { Attempt::Wanted } else { Attempt::Off };
        // As in a turn: what rules bring is there before the message is compared.
        let (mut after, would_hold) = self.held_by(&skills);
        std::mem::swap(&mut self.live.state, &mut after);
        let routing = self.routing(turn, IntentSource::Question, &intent, attempt, beside);
        std::mem::swap(&mut self.live.state, &mut after);
        let (mut would_evict, mut refused) = (None, None);
        if let (RouteOutcome::Activated { capability }, Some(ready)) = (&routing.outcome, self.readiness()) {
            let offer = self.live.offers().iter().find(|offer| offer.name() == capability);
            let now = self.rec.now();
            let change =
                offer.map(|offer| after.enable(offer, Cause::Auto, Some(&routing), &|key| ready.has(key), now));
            for decision in change.into_iter().flat_map(|change| change.decisions) {
                match decision {
                    Decision::CapabilityActivated(activation) => would_evict = activation.evicted,
                    Decision::CapabilityRefused(refusal) => refused = Some(refusal.headline().2),
                    _ => {}
                }
            }
        }
        let tokens_after = self.tokens_with(&after, &self.rec.hub.snapshot());
        let routing = Arc::new(routing);
        self.rec.emit(Body::WhatIf { id, routing, would_evict, tokens_after, skills, would_hold, refused });
    }

    /// The surface with what skills would bring whose rules held, and the names of that.
    fn held_by(&self, skills: &[SkillTrace]) -> (Surface, Vec<String>) {
        let (mut after, mut names) = (self.live.state.clone(), Vec::new());
        let (Some(ready), Some(book)) = (self.readiness(), &self.live.book) else { return (after, names) };
        for trace in skills.iter().filter(|trace| trace.activated) {
            let declared = book.declared(&trace.skill).iter().filter_map(|name| book.place(name));
            let offers: Vec<&Offer> = declared.map(|place| &book.offers[place]).collect();
            let change = after.hold(&trace.skill, &offers, &|key| ready.has(key), self.rec.now());
            names.extend(change.decisions.into_iter().filter_map(|decision| match decision {
                Decision::CapabilityActivated(activation) => Some(activation.capability),
                _ => None,
            }));
        }
        (after, names)
    }

    /// What all tools would cost per request with this surface; nothing while one of its servers was never
    /// listed.
    fn tokens_with(&self, surface: &Surface, snapshot: &Snapshot) -> Option<u64> {
        let mut servers: Vec<&str> = snapshot.servers.iter().map(|view| view.name.as_str()).collect();
        let running = servers.len();
        let wanted = surface.servers();
        for (name, _) in &wanted {
            if !servers.contains(&name.as_str()) {
                servers.push(name);
            }
        }
        let mut all = 0;
        for (place, name) in servers.into_iter().enumerate() {
            let listed: &[ToolInfo] = match snapshot.servers.iter().find(|view| view.name == name) {
                Some(view) => &view.tools,
                None => self.live.seen.get(name)?,
            };
            let filter = match surface.filter(name) {
                Some(filter) => filter.unwrap_or_default(),
                // Nobody would refer to it any more.
                None if self.live.added.contains_key(name) => continue,
                None => Vec::new(),
            };
            if place >= running && listed.is_empty() {
                return None;
            }
            let shown = listed.iter().filter(|tool| tool.quarantine.is_none() && allows(&filter, &tool.name));
            all += shown.map(|tool| u64::from(tool.tokens)).sum::<u64>();
        }
        Some(all)
    }
}
