//! A capability comes.

use super::stages::Scope;
use super::state::Entry;
use super::{Change, Effect, MAX_DYNAMIC_CAPABILITIES, Offer, Surface, servers};
use crate::config::nearest_name;
use crate::proto::{
    Activation, Cause, Deactivation, Decision, Departure, Refusal, RefusalReason, Routing, ServerStep, Timestamp,
};

impl Surface {
    /// Brings a capability in; the least recently used one goes for it when there are four. Every stage
    /// but the comparison holds for every cause.
    ///
    /// `why`: the routing that chose it. `ready`: whether a variable is set and not empty.
    pub fn enable(
        &mut self,
        offer: &Offer,
        cause: Cause,
        why: Option<&Routing>,
        ready: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Change {
        if let Cause::Skill { skill } = &cause {
            return self.hold(skill, &[offer], ready, now);
        }
        let passed = self.pass(offer, Scope::Named(&cause), ready).map_err(RefusalReason::Stage);
        let provider = match passed.and_then(|provider| self.place_left().map(|()| provider)) {
            Ok(provider) => provider,
            Err(why) => return refused(offer.name(), cause, why),
        };
        let mut entry = Entry::new(offer, provider, cause, now);
        if let Some(routing) = why {
            let scored = routing.scores.iter().position(|score| score.capability == entry.name);
            entry.score = scored.map(|index| routing.scores[index].score);
            entry.margin = (scored == Some(0)).then_some(routing.margin);
        }
        self.bring(entry, now)
    }

    /// There is a capability of this name, or what to say of there being none.
    ///
    /// # Errors
    /// The change that refuses it, with the nearest names of the domain.
    pub fn named<'o>(&self, name: &str, cause: &Cause, offers: &'o [Offer]) -> Result<&'o Offer, Change> {
        offers.iter().find(|offer| offer.name() == name).ok_or_else(|| {
            let open = offers.iter().filter(|offer| super::in_domain(offer, self.domain()));
            let nearest = nearest_name(name, open.map(Offer::name)).map(str::to_owned).into_iter().collect();
            refused(name, cause.clone(), RefusalReason::Unknown { nearest })
        })
    }

    /// Who would have to go if one more came now; nothing while there is a place, or when all are pinned.
    pub fn next_out(&self) -> Option<&str> {
        if self.dynamic.len() < MAX_DYNAMIC_CAPABILITIES {
            return None;
        }
        let first = self.lru().into_iter().map(|index| &self.dynamic[index]).find(|entry| !entry.pinned);
        first.map(|entry| entry.name.as_str())
    }

    fn place_left(&self) -> Result<(), RefusalReason> {
        if self.dynamic.len() < MAX_DYNAMIC_CAPABILITIES || self.next_out().is_some() {
            return Ok(());
        }
        Err(RefusalReason::AllPinned { pinned: self.dynamic.iter().map(|entry| entry.name.clone()).collect() })
    }

    fn bring(&mut self, mut entry: Entry, now: Timestamp) -> Change {
        let before = servers::needs(self);
        let mut decisions = Vec::new();
        let order: Vec<_> = self.lru().into_iter().map(|index| self.dynamic[index].place()).collect();
        let victim = self.next_out().and_then(|name| self.find(name));
        let steps = servers::arrival(self, &entry);
        entry.evicted = victim.map(|index| self.dynamic[index].name.clone());
        entry.activated = now;
        let gone = victim.map(|index| self.dynamic.remove(index));
        entry.instead_of = gone.clone().map(|gone| Box::new(Entry { instead_of: None, ..gone }));
        let deps = self.deps(&entry);
        let activation = activated(&entry, steps);
        let newcomer = entry.name.clone();
        self.dynamic.push(entry);
        if let Some(gone) = gone {
            // Told with the newcomer there: what they share is kept for it.
            let servers = servers::departure(self, &gone);
            let why = Departure::Evicted { newcomer, order };
            let record = Deactivation { capability: gone.name, why, servers };
            decisions.push(Decision::CapabilityDeactivated(Box::new(record)));
        }
        decisions.push(activation);
        let effects = servers::effects(&before, &servers::needs(self), deps);
        Change { decisions, effects }
    }

    /// Its scripts, unless it is there for another reason and they were run.
    pub(super) fn deps(&self, entry: &Entry) -> Vec<Effect> {
        if entry.deps.is_empty() || self.has(&entry.name) {
            return Vec::new();
        }
        vec![Effect::RunDeps { capability: entry.name.clone(), deps: entry.deps.clone() }]
    }
}

pub(super) fn activated(entry: &Entry, servers: Vec<ServerStep>) -> Decision {
    Decision::CapabilityActivated(Box::new(activation(entry, servers)))
}

pub(super) fn activation(entry: &Entry, servers: Vec<ServerStep>) -> Activation {
    Activation {
        capability: entry.name.clone(),
        title: entry.title.clone(),
        tap: entry.tap.clone(),
        provider: entry.provider.clone(),
        cause: entry.cause.clone(),
        score: entry.score,
        margin: entry.margin,
        servers,
        deps: entry.deps.clone(),
        evicted: entry.evicted.clone(),
        back_for: None,
    }
}

pub(super) fn refused(capability: &str, cause: Cause, why: RefusalReason) -> Change {
    Change::of(Decision::CapabilityRefused(Box::new(Refusal { capability: capability.to_owned(), cause, why })))
}
