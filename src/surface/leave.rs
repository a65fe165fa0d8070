//! A capability goes.

use super::enable::{activation, refused};
use super::servers::{self, Needs};
use super::stages::of_domain;
use super::state::Entry;
use super::{Change, Surface};
use crate::proto::{Activation, Cause, Deactivation, Decision, Departure, RefusalReason, Timestamp};

impl Surface {
    /// Takes an activated capability off. What skills hold of it stays.
    pub fn disable(&mut self, capability: &str, why: Departure, _now: Timestamp) -> Change {
        let Some(index) = self.find(capability) else { return self.not_dynamic(capability, &why) };
        let before = servers::needs(self);
        let gone = self.dynamic.remove(index);
        let decision = self.gone(&gone, why);
        self.after(&before, vec![decision])
    }

    /// Its scripts or servers failed, so it goes, for whatever reason it was there beside the role's. Who
    /// was evicted for it comes back as it was, unless it may not be there any more; either is said.
    pub fn failed(&mut self, capability: &str, why: &str, _now: Timestamp) -> Change {
        let before = servers::needs(self);
        let mut decisions = Vec::new();
        while let Some(mut gone) = self.take(capability) {
            let back = gone.instead_of.take().filter(|entry| self.may_return(entry));
            let told = match (&gone.evicted, &back) {
                (Some(evicted), Some(_)) => format!("{why}; {evicted}, which went for it, is back"),
                (Some(evicted), None) if !self.has(evicted) => {
                    format!("{why}; {evicted} went for it and is off too, enable it again if it is needed")
                }
                _ => why.to_owned(),
            };
            let returned = back.map(|entry| self.put_back(*entry, &gone));
            decisions.push(self.gone(&gone, Departure::Failed { why: told }));
            decisions.extend(returned);
        }
        self.after(&before, decisions)
    }

    fn may_return(&self, entry: &Entry) -> bool {
        !entry.waiting && !self.has(&entry.name) && of_domain(&entry.domains, self.domain())
    }

    /// The record of its coming back, told while `failed` is still there: what they share runs on for it.
    fn put_back(&mut self, mut entry: Entry, failed: &Entry) -> Decision {
        let at = self.dynamic.partition_point(|one| one.activated <= entry.activated);
        self.dynamic.insert(at, failed.clone());
        let steps = servers::arrival(self, &entry);
        entry.evicted = None;
        let record = Activation { back_for: Some(failed.name.clone()), ..activation(&entry, steps) };
        self.dynamic[at] = entry;
        Decision::CapabilityActivated(Box::new(record))
    }

    fn take(&mut self, capability: &str) -> Option<Entry> {
        if let Some(index) = self.find(capability) {
            return Some(self.dynamic.remove(index));
        }
        let index = self.held.iter().position(|entry| entry.name == capability)?;
        Some(self.held.remove(index))
    }

    /// The record of one that was taken out.
    pub(super) fn gone(&self, entry: &Entry, why: Departure) -> Decision {
        let servers = servers::departure(self, entry);
        Decision::CapabilityDeactivated(Box::new(Deactivation { capability: entry.name.clone(), why, servers }))
    }

    pub(super) fn after(&self, before: &Needs, decisions: Vec<Decision>) -> Change {
        Change { decisions, effects: servers::effects(before, &servers::needs(self), Vec::new()) }
    }

    fn not_dynamic(&self, capability: &str, why: &Departure) -> Change {
        let cause = match why {
            Departure::Model => Cause::Model,
            _ => Cause::Person,
        };
        let holders = self.held.iter().filter(|entry| entry.name == capability);
        let skills: Vec<String> = holders.map(Entry::referrer).collect();
        let reason = match (self.is_fixed(capability), skills.is_empty()) {
            (false, false) => RefusalReason::HeldBySkill { skills },
            (owned_by_role, _) => RefusalReason::NotDynamic { owned_by_role },
        };
        refused(capability, cause, reason)
    }
}
