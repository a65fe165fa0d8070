//! How decisions about the tool surface are kept for explanations. Pure and total.

use std::sync::Arc;

use super::{
    Activation, Cause, Deactivation, Decision, Departure, EncoderState, Event, Level, Refusal, RefusalReason,
    RouteOutcome, Routing, Skip, Snapshot, Stage, SurfaceChange, SurfaceEvent,
};

/// Changes kept in the snapshot; older ones are in the journal.
pub const SURFACE_EVENTS: usize = 400;

impl Snapshot {
    pub(super) fn surface_decided(&mut self, event: &Event, decision: &Decision) {
        let change = match decision {
            Decision::Routed(routing) => SurfaceChange::Routed(Arc::clone(routing)),
            Decision::CapabilityActivated(activation) => SurfaceChange::Activated((**activation).clone()),
            Decision::CapabilityDeactivated(deactivation) => SurfaceChange::Deactivated((**deactivation).clone()),
            Decision::CapabilityRefused(refusal) => SurfaceChange::Refused((**refusal).clone()),
            _ => return,
        };
        if self.surface_events.len() >= SURFACE_EVENTS {
            self.surface_events.remove(0);
        }
        self.surface_events.push(Arc::new(SurfaceEvent { at: event.at, turn: self.turn, change }));
    }

    /// The last message that was compared, or was not and why.
    pub fn last_routing(&self) -> Option<&super::Routing> {
        self.surface_events.iter().rev().find_map(|event| match &event.change {
            SurfaceChange::Routed(routing) => Some(routing.as_ref()),
            _ => None,
        })
    }
}

/// What became of a capability that passed the gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Followed<'a> {
    /// Not known yet, or nothing passed.
    Nothing,
    Came,
    StaysOff(&'a Refusal),
    /// It came and failed.
    Failed(&'a Deactivation),
}

impl Snapshot {
    /// What became of the one that passed the gate last.
    pub fn followed(&self) -> Followed<'_> {
        let events = &self.surface_events;
        let routed = |event: &Arc<SurfaceEvent>| matches!(event.change, SurfaceChange::Routed(_));
        let Some(at) = events.iter().rposition(routed) else { return Followed::Nothing };
        let SurfaceChange::Routed(routing) = &events[at].change else { return Followed::Nothing };
        let RouteOutcome::Activated { capability } = &routing.outcome else { return Followed::Nothing };
        let mut followed = Followed::Nothing;
        for event in &events[at + 1..] {
            match &event.change {
                SurfaceChange::Activated(one) if one.capability == *capability => followed = Followed::Came,
                SurfaceChange::Refused(one) if one.capability == *capability && followed == Followed::Nothing => {
                    return Followed::StaysOff(one);
                }
                SurfaceChange::Deactivated(one) if one.capability == *capability => {
                    let failed = matches!(one.why, Departure::Failed { .. });
                    return if failed { Followed::Failed(one) } else { followed };
                }
                _ => {}
            }
        }
        followed
    }
}

impl Cause {
    /// As in "by you".
    pub fn word(&self) -> String {
        match self {
            Self::Role => "role".to_owned(),
            Self::Auto => "auto".to_owned(),
            Self::Person => "you".to_owned(),
            Self::Model => "model".to_owned(),
            Self::Environment => "OCTOMIND_CAPABILITIES".to_owned(),
            Self::Skill { skill } => format!("skill {skill}"),
        }
    }
}

impl Stage {
    /// One sentence without its subject: "is on the surface already".
    pub fn sentence(&self) -> String {
        match self {
            Self::Unresolved { why } => format!("cannot be used: {why}"),
            Self::NoTriggers => "has no triggers, so only a manifest or a person can name it".to_owned(),
            Self::Active => "is on the surface already".to_owned(),
            Self::OutOfDomain { domain, domains } => {
                let domain = if domain.is_empty() { "a session without a domain" } else { domain };
                format!("is for {}, not for {domain}", domains.join(", "))
            }
            Self::EnvironmentUnready { missing } => format!("needs {}, which is not set", missing.join(", ")),
            Self::PhrasesUnready => "has triggers that are not compared yet".to_owned(),
        }
    }
}

impl Activation {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let by = match (&self.cause, self.score) {
            (Cause::Auto, Some(score)) => format!("auto {score:.2}"),
            (cause, _) => cause.word(),
        };
        if let Some(failed) = &self.back_for {
            return (Level::Info, "surface", format!("{} is on again: {failed} did not work", self.capability));
        }
        let evicted = self.evicted.as_ref().map(|gone| format!(", {gone} went")).unwrap_or_default();
        (Level::Info, "surface", format!("{} is on ({by}){evicted}", self.capability))
    }
}

impl Deactivation {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let (level, why) = match &self.why {
            Departure::Evicted { newcomer, .. } => (Level::Info, format!("least recently used, for {newcomer}")),
            Departure::Person => (Level::Info, "you".to_owned()),
            Departure::Model => (Level::Info, "model".to_owned()),
            Departure::RoleChanged { role, why, .. } => (Level::Info, format!("{role}: {why}")),
            Departure::SkillForgotten { skill } => (Level::Info, format!("skill {skill} is off")),
            Departure::Failed { why } => (Level::Warning, why.clone()),
        };
        (level, "surface", format!("{} is off ({why})", self.capability))
    }
}

impl Refusal {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let name = &self.capability;
        let text = match &self.why {
            RefusalReason::Unknown { .. } => format!("no tap has a capability called {name}"),
            RefusalReason::Stage(stage) => format!("{name} {}", stage.sentence()),
            RefusalReason::AllPinned { pinned } => {
                format!("{name} stays off: {} are pinned and there are no more places", pinned.join(", "))
            }
            RefusalReason::Failed { why, .. } => format!("{name} stays off: {why}"),
            RefusalReason::NotDynamic { owned_by_role: true } => format!("{name} belongs to the role and stays"),
            RefusalReason::NotDynamic { owned_by_role: false } => format!("{name} is not on"),
            RefusalReason::HeldBySkill { skills } => {
                format!("{name} stays on: {} declares it", skills.join(", "))
            }
        };
        (Level::Warning, "surface", text)
    }
}

impl Routing {
    pub fn headline(&self) -> (Level, &'static str, String) {
        let best = self.scores.first().map(|best| format!("{} {:.3}", best.capability, best.score));
        let text = match &self.outcome {
            RouteOutcome::Activated { capability } => {
                format!(
                    "{capability} passed the gate: {:.3}, lead {:.3}",
                    self.scores.first().map_or(0.0, |best| best.score),
                    self.margin
                )
            }
            RouteOutcome::BelowThreshold => {
                format!("no capability: {} is below {:.2}", best.unwrap_or_default(), self.threshold)
            }
            RouteOutcome::NarrowMargin => {
                let second = self.scores.get(1).map_or("", |second| second.capability.as_str());
                format!(
                    "no capability: {} leads {second} by {:.3} of {:.2}",
                    best.unwrap_or_default(),
                    self.margin,
                    self.needed_margin
                )
            }
            RouteOutcome::Skipped(skip) => format!("no capability: {}", skip.sentence()),
        };
        let text = match self.wait.words() {
            Some(words) => format!("{text}; {words}"),
            None => text,
        };
        (Level::Info, "surface", text)
    }
}

impl Skip {
    pub fn sentence(&self) -> String {
        match self {
            Self::Off => "auto_capabilities is off".to_owned(),
            Self::NotFresh => "no fresh message of the person".to_owned(),
            Self::TooShort { characters: 0 } => {
                "nothing is left to compare: XML blocks and white space do not count".to_owned()
            }
            Self::TooShort { characters } => format!("{characters} of 8 characters, too little to compare"),
            Self::NothingEligible => "nothing was eligible".to_owned(),
            Self::EncoderNotReady { encoder } => match encoder {
                EncoderState::Failed { why, .. } => format!("there is no sentence model: {why}"),
                EncoderState::Downloading { .. } => "the sentence model is being downloaded".to_owned(),
                EncoderState::Ready { .. } => "the message had no vector in time: the machine is busy".to_owned(),
                _ => "the sentence model is not ready".to_owned(),
            },
        }
    }
}
