//! One message against everything that can be compared.

use std::sync::Arc;

use super::{Offer, Surface, intent};
use crate::embed::Vector;
use crate::embed::gate::{self, Abstained, Candidate, MIN_INTENT_NON_WS_CHARS, Match, Rule, Score, Verdict};
use crate::proto::{
    CapabilityScore, EncoderState, Ineligible, IntentSource, RouteOutcome, RouteWait, Routing, Shared, Skip, Stage,
    TriggerScore, TurnId, Words,
};
use crate::tap::Capability;

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
    /// Vectors of the triggers of one that is not eligible; empty where there are none.
    pub near: &'a dyn Fn(&str) -> &'a [Vector],
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
            wait: RouteWait::None,
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
        for one in routing.ineligible.iter_mut().filter(|one| could_come(&one.stage)) {
            one.score = gate::nearness(message, (input.near)(&one.capability));
        }
        routing
    }
}

/// Whether it is worth knowing how near the message is: what keeps it away can be mended, or it is here. The
/// domain is a wall, and behind it nothing is measured.
fn could_come(stage: &Stage) -> bool {
    match stage {
        Stage::Active | Stage::EnvironmentUnready { .. } | Stage::Unresolved { .. } => true,
        Stage::NoTriggers | Stage::OutOfDomain { .. } | Stage::PhrasesUnready => false,
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

/// The words stay where they are: a record of hundreds costs no copy of any.
fn recorded(scores: &[Score<'_>], eligible: &[Compared<'_>]) -> Vec<CapabilityScore> {
    let record = |score: &Score<'_>| {
        let capability = &eligible.get(score.candidate)?.offer.capability;
        let words = |at: usize| Shared::of(Arc::clone(capability) as Arc<dyn Words>, at);
        let found = |found: &Match| TriggerScore { trigger: words(TRIGGERS + found.trigger), cosine: found.cosine };
        let top = score.top.iter().filter(|one| one.trigger < capability.triggers.len()).map(found).collect();
        Some(CapabilityScore { capability: words(NAME), tap: words(TAP), score: score.score, top })
    };
    let mut recorded = Vec::with_capacity(scores.len());
    recorded.extend(scores.iter().filter_map(record));
    recorded
}

/// Where the words of a capability are.
const NAME: usize = 0;
const TAP: usize = 1;
const TRIGGERS: usize = 2;

impl Words for Capability {
    fn words(&self, at: usize) -> &str {
        match at {
            NAME => &self.name,
            TAP => &self.tap.name,
            trigger => self.triggers.get(trigger - TRIGGERS).map_or("", String::as_str),
        }
    }
}
