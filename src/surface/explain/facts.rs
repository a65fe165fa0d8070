//! What the records of a session say of one capability.

use super::records::Records;
use crate::proto::{
    Activation, Deactivation, Departure, DynamicCapability, FixedCapability, OfferedCapability, Refusal, RefusalReason,
    RouteOutcome, Routing, Stage, SurfaceChange, TurnId,
};

/// A record and the turn it is of.
pub(super) type Told<'a, T> = (TurnId, &'a T);

#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    pub fixed: Option<&'a FixedCapability>,
    pub dynamic: Option<&'a DynamicCapability>,
    pub held: Vec<&'a DynamicCapability>,
    /// What there is of it now, and what stands in its way whatever is said.
    pub listed: Option<&'a OfferedCapability>,
    /// What there is was told, and it is not among it.
    pub lost: bool,
    /// Why this tap and this provider, when the role names it.
    pub expanded: Option<&'a str>,
    /// The last message that was looked at, whatever it had to do with it.
    pub latest: Option<Told<'a, Routing>>,
    /// The last one that it was compared with.
    pub scored: Option<Told<'a, Routing>>,
    /// The one that chose it, before it came last.
    pub chosen: Option<Told<'a, Routing>>,
    /// Where it stopped, unless it was compared or came afterwards.
    pub stopped: Option<Told<'a, Stage>>,
    /// How near the last message was to it that was measured though it had stopped before.
    pub near: Option<(Told<'a, Routing>, f32)>,
    pub activation: Option<Told<'a, Activation>>,
    /// Since it came last.
    pub departure: Option<Told<'a, Deactivation>>,
    pub refusal: Option<Told<'a, Refusal>>,
    /// The tap that a routing names.
    routed_of: Option<&'a str>,
    /// Any record names it.
    pub known: bool,
}

impl<'a> Facts<'a> {
    pub fn gather(records: Records<'a>, name: &str) -> Self {
        let surface = records.surface;
        let mut facts = Self {
            fixed: surface.fixed.iter().find(|known| known.name == name),
            dynamic: surface.dynamic.iter().find(|known| known.name == name),
            held: surface.held.iter().filter(|known| known.name == name).collect(),
            listed: surface.offered(name),
            ..Self::default()
        };
        facts.lost = surface.offered.is_some() && facts.listed.is_none() && !facts.is_here();
        facts.known = facts.is_here() || facts.listed.is_some();
        facts.expanded = records.past.expanded.get(name).map(String::as_str);
        facts.known |= facts.expanded.is_some();
        for event in records.surface_events {
            facts.take(event.turn, &event.change, name);
        }
        facts
    }

    /// The first stage that keeps it away now. What is here passed all of them.
    pub fn stop(&self, domain: &str) -> Option<&'a Stage> {
        if self.is_here() {
            return None;
        }
        if let Some(listed) = self.listed {
            // Who came once without triggers was asked for by name, and is away for another reason.
            let asked = self.activation.is_some() || self.refusal.is_some();
            let stage = listed.stage.as_ref().filter(|stage| **stage != Stage::NoTriggers || !asked);
            return stage.or_else(|| self.recorded_stop().filter(|stage| **stage == Stage::PhrasesUnready));
        }
        self.recorded_stop().filter(|stage| match stage {
            Stage::OutOfDomain { domain: of, .. } => of == domain,
            _ => true,
        })
    }

    /// What a refusal, a departure or the last routing that looked at it names.
    pub fn recorded_stop(&self) -> Option<&'a Stage> {
        let refused = self.refusal.and_then(|(turn, refusal)| match &refusal.why {
            RefusalReason::Stage(stage) => Some((turn, stage)),
            _ => None,
        });
        // It left because the new role may not have it: that stage is the answer until it is looked at again.
        let left = self.departure.and_then(|(turn, gone)| match &gone.why {
            Departure::RoleChanged { stage: Some(stage), .. } => Some((turn, stage)),
            _ => None,
        });
        let refused = left.or(refused);
        let latest = match (refused, self.stopped) {
            // Compared since it was refused: the routing knows better.
            (Some((turn, _)), None) if self.scored.is_some_and(|(scored, _)| scored > turn) => None,
            (Some(refused), Some(stopped)) => Some(if stopped.0 > refused.0 { stopped } else { refused }),
            (refused, stopped) => refused.or(stopped),
        };
        latest.map(|(_, stage)| stage)
    }

    /// It passes the stages that hold whatever is said, as far as a record tells.
    pub fn passes(&self) -> bool {
        self.is_here()
            || match self.listed.map(|listed| &listed.stage) {
                Some(stage) => matches!(stage, None | Some(Stage::NoTriggers | Stage::PhrasesUnready)),
                None => self.scored.is_some() || self.activation.is_some(),
            }
    }

    pub fn is_here(&self) -> bool {
        self.fixed.is_some() || self.dynamic.is_some() || !self.held.is_empty()
    }

    fn take(&mut self, turn: TurnId, change: &'a SurfaceChange, name: &str) {
        match change {
            SurfaceChange::Routed(routing) => self.routed(turn, routing, name),
            SurfaceChange::Activated(activation) if activation.capability == name => {
                self.known = true;
                self.activation = Some((turn, activation));
                (self.departure, self.refusal, self.stopped) = (None, None, None);
            }
            SurfaceChange::Deactivated(gone) if gone.capability == name => {
                self.known = true;
                self.departure = Some((turn, gone));
            }
            SurfaceChange::Refused(refusal) if refusal.capability == name => {
                let asked_off =
                    matches!(refusal.why, RefusalReason::NotDynamic { .. } | RefusalReason::HeldBySkill { .. });
                let unknown = matches!(refusal.why, RefusalReason::Unknown { .. });
                self.known |= !unknown;
                // It was there then; the surface tells whether it is now.
                let active = matches!(refusal.why, RefusalReason::Stage(Stage::Active));
                if !asked_off && !active {
                    self.refusal = Some((turn, refusal));
                }
            }
            _ => {}
        }
    }

    fn routed(&mut self, turn: TurnId, routing: &'a Routing, name: &str) {
        self.latest = Some((turn, routing));
        if let Some(score) = routing.scores.iter().find(|score| score.capability == name) {
            self.known = true;
            self.routed_of = Some(&score.tap);
            self.scored = Some((turn, routing));
            self.stopped = None;
            if matches!(&routing.outcome, RouteOutcome::Activated { capability } if capability == name) {
                self.chosen = Some((turn, routing));
            }
        }
        if let Some(found) = routing.ineligible.iter().find(|known| known.capability == name) {
            self.known = true;
            self.routed_of = Some(&found.tap);
            self.stopped = (found.stage != Stage::Active).then_some((turn, &found.stage));
            self.near = found.score.map(|score| ((turn, routing), score)).or(self.near);
        }
    }

    /// The tap it is of, as far as a record tells.
    pub fn tap(&self) -> Option<&'a str> {
        let here = self.dynamic.or(self.held.first().copied());
        here.map(|known| known.tap.as_str())
            .or_else(|| self.fixed.map(|known| known.tap.as_str()))
            .or_else(|| self.activation.map(|(_, activation)| activation.tap.as_str()))
            .or(self.routed_of)
            .or_else(|| self.listed.map(|item| item.tap.as_str()))
    }

    pub fn provider(&self) -> Option<&'a str> {
        let here = self.dynamic.or(self.held.first().copied());
        here.map(|known| known.provider.as_str())
            .or_else(|| self.fixed.map(|known| known.provider.as_str()))
            .or_else(|| self.activation.map(|(_, activation)| activation.provider.as_str()))
    }
}

/// The turn in which a name was asked for that no tap had, and who asked.
pub(super) fn refused_as_unknown(records: Records<'_>, name: &str) -> Option<(TurnId, String)> {
    records.surface_events.iter().rev().find_map(|event| match &event.change {
        SurfaceChange::Refused(Refusal { capability, cause, why: RefusalReason::Unknown { .. } })
            if capability == name =>
        {
            Some((event.turn, cause.word()))
        }
        _ => None,
    })
}

/// Every capability that a record names.
pub(super) fn capabilities(records: Records<'_>) -> Vec<String> {
    let surface = records.surface;
    let mut names: Vec<String> = surface.fixed.iter().map(|known| known.name.clone()).collect();
    names.extend(surface.dynamic.iter().chain(&surface.held).map(|known| known.name.clone()));
    let offered = surface.offered.iter().flat_map(|offered| &offered.capabilities);
    names.extend(offered.map(|known| known.name.clone()));
    for event in records.surface_events {
        match &event.change {
            SurfaceChange::Routed(routing) => {
                names.extend(routing.scores.iter().map(|score| score.capability.to_string()));
                names.extend(routing.ineligible.iter().map(|known| known.capability.clone()));
            }
            SurfaceChange::Activated(activation) => names.push(activation.capability.clone()),
            SurfaceChange::Deactivated(gone) => names.push(gone.capability.clone()),
            SurfaceChange::Refused(_) => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}
