//! What the records of a session say of one capability.

use crate::proto::{
    Activation, CatalogueItem, Deactivation, Decision, DynamicCapability, EntryKind, FixedCapability, Refusal,
    RefusalReason, RouteOutcome, Routing, Snapshot, Stage, SurfaceChange, TurnId,
};

/// A record and the turn it is of.
pub(super) type Told<'a, T> = (TurnId, &'a T);

#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    pub fixed: Option<&'a FixedCapability>,
    pub dynamic: Option<&'a DynamicCapability>,
    pub held: Vec<&'a DynamicCapability>,
    pub listed: Option<&'a CatalogueItem>,
    /// Why this tap and this provider, when the role names it.
    pub expanded: Option<&'a Decision>,
    /// The last message that was looked at, whatever it had to do with it.
    pub latest: Option<Told<'a, Routing>>,
    /// The last one that it was compared with.
    pub scored: Option<Told<'a, Routing>>,
    /// The one that chose it, before it came last.
    pub chosen: Option<Told<'a, Routing>>,
    /// Where it stopped, unless it was compared or came afterwards.
    pub stopped: Option<Told<'a, Stage>>,
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
    pub fn gather(snapshot: &'a Snapshot, name: &str) -> Self {
        let surface = &snapshot.surface;
        let mut facts = Self {
            fixed: surface.fixed.iter().find(|known| known.name == name),
            dynamic: surface.dynamic.iter().find(|known| known.name == name),
            held: surface.held.iter().filter(|known| known.name == name).collect(),
            listed: snapshot.catalogue.capabilities.iter().find(|known| known.name == name),
            ..Self::default()
        };
        facts.known = facts.is_here() || facts.listed.is_some();
        for entry in snapshot.transcript.entries() {
            if let EntryKind::Decision(decision @ Decision::CapabilityExpanded { capability, .. }) = &entry.kind
                && capability == name
            {
                facts.expanded = Some(decision);
                facts.known = true;
            }
        }
        for event in &snapshot.surface_events {
            facts.take(event.turn, &event.change, name);
        }
        facts
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

/// Every capability that a record names.
pub(super) fn capabilities(snapshot: &Snapshot) -> Vec<String> {
    let surface = &snapshot.surface;
    let mut names: Vec<String> = surface.fixed.iter().map(|known| known.name.clone()).collect();
    names.extend(surface.dynamic.iter().chain(&surface.held).map(|known| known.name.clone()));
    names.extend(snapshot.catalogue.capabilities.iter().map(|known| known.name.clone()));
    for event in &snapshot.surface_events {
        match &event.change {
            SurfaceChange::Routed(routing) => {
                names.extend(routing.scores.iter().map(|score| score.capability.clone()));
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
