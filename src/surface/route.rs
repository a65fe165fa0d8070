//! One message against everything that can be compared.

use std::collections::HashMap;

use super::{Offer, Surface, intent};
use crate::embed::Vector;
use crate::embed::gate::{self, Abstained, Candidate, MIN_INTENT_NON_WS_CHARS, Rule, Score, Verdict};
use crate::proto::{
    CapabilityScore, EncoderState, Ineligible, IntentSource, RouteOutcome, Routing, Skip, TriggerScore, TurnId,
};

/// Whether a message is to be compared at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Wanted,
    /// `auto_capabilities = false`.
    Off,
    /// No fresh message of the person.
    NotFresh,
}

/// An eligible capability with the vectors of its triggers, one for each in their order.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    pub offer: &'a Offer,
    pub phrases: &'a [Vector],
}

pub struct RouteInput<'a> {
    pub turn: TurnId,
    pub source: IntentSource,
    pub attempt: Attempt,
    /// As [`intent::clean`] leaves it.
    pub intent: &'a str,
    /// Of the intent with secrets masked; [`intent::excerpt`] makes it.
    pub excerpt: String,
    /// As [`Surface::eligible`] gives them.
    pub eligible: &'a [Compared<'a>],
    pub ineligible: Vec<Ineligible>,
    /// The message's, or what the encoder is doing instead of making one.
    pub vector: Result<&'a Vector, EncoderState>,
    /// Name and backend of the encoder; empty when there is none.
    pub model: &'a str,
    pub backend: &'a str,
    /// Microseconds that the vector took.
    pub encoding_us: u64,
}

/// Why no vector is needed for a message, in the order it is looked at.
pub fn skip(attempt: Attempt, intent: &str, eligible: usize) -> Option<Skip> {
    match attempt {
        Attempt::Off => return Some(Skip::Off),
        Attempt::NotFresh => return Some(Skip::NotFresh),
        Attempt::Wanted => {}
    }
    let characters = intent::characters(intent);
    if characters < MIN_INTENT_NON_WS_CHARS {
        return Some(Skip::TooShort { characters: u32::try_from(characters).unwrap_or(u32::MAX) });
    }
    (eligible == 0).then_some(Skip::NothingEligible)
}

impl Surface {
    /// Which capability a message asks for. Changes nothing; `deciding_us` is the caller's to measure.
    pub fn route(&self, input: RouteInput<'_>) -> Routing {
        let rule = Rule::ACTIVATE;
        let eligible = input.eligible;
        let mut routing = Routing {
            turn: input.turn,
            source: input.source,
            message_hash: intent::hash(input.intent),
            excerpt: input.excerpt,
            domain: self.domain().to_owned(),
            model: input.model.to_owned(),
            backend: input.backend.to_owned(),
            threshold: rule.threshold,
            needed_margin: rule.margin,
            scores: Vec::new(),
            margin: 0.0,
            ineligible: input.ineligible,
            outcome: RouteOutcome::Skipped(Skip::NothingEligible),
            encoding_us: input.encoding_us,
            deciding_us: 0,
        };
        if let Some(skip) = skip(input.attempt, input.intent, eligible.len()) {
            routing.outcome = RouteOutcome::Skipped(skip);
            return routing;
        }
        let message = match input.vector {
            Ok(message) => message,
            Err(encoder) => {
                routing.outcome = RouteOutcome::Skipped(Skip::EncoderNotReady { encoder });
                return routing;
            }
        };
        let candidates: Vec<Candidate<'_>> = eligible
            .iter()
            .map(|compared| Candidate { name: compared.offer.name(), phrases: compared.phrases })
            .collect();
        let scores = gate::scores(message, &candidates);
        let verdict = gate::verdict(&scores, rule);
        routing.margin = verdict.standing().margin;
        routing.outcome = outcome(&verdict);
        routing.scores = recorded(&scores, eligible);
        routing
    }
}

fn outcome(verdict: &Verdict<'_>) -> RouteOutcome {
    match verdict {
        Verdict::Activate { name, .. } => RouteOutcome::Activated { capability: (*name).to_owned() },
        Verdict::Abstain { reason: Abstained::NothingEligible, .. } => RouteOutcome::Skipped(Skip::NothingEligible),
        Verdict::Abstain { reason: Abstained::BelowThreshold, .. } => RouteOutcome::BelowThreshold,
        Verdict::Abstain { reason: Abstained::NarrowMargin, .. } => RouteOutcome::NarrowMargin,
    }
}

fn recorded(scores: &[Score<'_>], eligible: &[Compared<'_>]) -> Vec<CapabilityScore> {
    let by_name: HashMap<&str, &Offer> =
        eligible.iter().map(|compared| (compared.offer.name(), compared.offer)).collect();
    let record = |score: &Score<'_>| {
        let offer = by_name.get(score.name)?;
        let triggers = &offer.capability.triggers;
        let top = score.top.iter().filter_map(|found| {
            Some(TriggerScore { trigger: triggers.get(found.trigger)?.clone(), cosine: found.cosine })
        });
        Some(CapabilityScore {
            capability: score.name.to_owned(),
            tap: offer.tap().to_owned(),
            score: score.score,
            top: top.collect(),
        })
    };
    scores.iter().filter_map(record).collect()
}
