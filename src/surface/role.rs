//! What the role and active skills bring by themselves.

use super::enable::{activated, refused};
use super::stages::{Scope, of_domain};
use super::state::{Declared, Entry};
use super::{Change, Effect, Offer, RoleSurface, Surface, servers};
use crate::proto::{Cause, Decision, Departure, RefusalReason, Stage, Timestamp};

impl Surface {
    /// Changes the role. Activated capabilities that its domain may not have, and those that it names
    /// itself, go; what skills hold is looked at again. The effects are about the role's servers too, by
    /// name: one of both roles that is configured otherwise is the caller's to start again.
    pub fn set_role(
        &mut self,
        role: RoleSurface,
        offers: &[Offer],
        ready: &dyn Fn(&str) -> bool,
        now: Timestamp,
    ) -> Change {
        let before = servers::needs(self);
        self.role = role;
        let mut decisions = Vec::new();
        for dynamic in [true, false] {
            while let Some((entry, why, stage)) = self.misplaced(dynamic) {
                let why = Departure::RoleChanged { role: self.role.role.clone(), why, stage };
                decisions.push(self.gone(&entry, why));
            }
        }
        let mut deps = Vec::new();
        for Declared { skill, capabilities } in self.skills.clone() {
            let waiting = capabilities.iter().filter(|name| !self.holds(&skill, name));
            let waiting: Vec<&Offer> =
                waiting.filter_map(|name| offers.iter().find(|offer| offer.name() == name)).collect();
            for offer in waiting {
                // What stays off was said when the skill came.
                if self.pass(offer, Scope::Held, ready).is_ok() {
                    self.hold_one(&skill, offer, ready, now, &mut decisions, &mut deps);
                }
            }
        }
        Change { decisions, effects: servers::effects(&before, &servers::needs(self), deps) }
    }

    /// Takes out the first one that the role does not go with, and says why.
    fn misplaced(&mut self, dynamic: bool) -> Option<(Entry, String, Option<Stage>)> {
        let entries = if dynamic { &self.dynamic } else { &self.held };
        let (index, why, stage) = entries.iter().enumerate().find_map(|(index, entry)| {
            if !of_domain(&entry.domains, &self.role.domain) {
                let stage = Stage::OutOfDomain { domain: self.role.domain.clone(), domains: entry.domains.clone() };
                return Some((index, format!("it {}", stage.sentence()), Some(stage)));
            }
            (dynamic && self.is_fixed(&entry.name)).then(|| (index, "the role names it itself".to_owned(), None))
        })?;
        let entries = if dynamic { &mut self.dynamic } else { &mut self.held };
        Some((entries.remove(index), why, stage))
    }

    fn holds(&self, skill: &str, capability: &str) -> bool {
        let by = |entry: &Entry| matches!(&entry.cause, Cause::Skill { skill: holder } if holder == skill);
        self.held.iter().any(|entry| entry.name == capability && by(entry))
    }

    /// An active skill declares capabilities: each is there as long as the skill is, beside the four. One
    /// that may not come is refused, and comes when a later role allows it.
    pub fn hold(&mut self, skill: &str, offers: &[&Offer], ready: &dyn Fn(&str) -> bool, now: Timestamp) -> Change {
        let before = servers::needs(self);
        let (mut decisions, mut deps) = (Vec::new(), Vec::new());
        for offer in offers {
            let said = !self.declare(skill, offer.name());
            // What stays off was said when the skill came.
            let stays_off = said && self.pass(offer, Scope::Held, ready).is_err();
            if !stays_off && !self.holds(skill, offer.name()) {
                self.hold_one(skill, offer, ready, now, &mut decisions, &mut deps);
            }
        }
        Change { decisions, effects: servers::effects(&before, &servers::needs(self), deps) }
    }

    /// Whether that was new.
    pub(super) fn declare(&mut self, skill: &str, capability: &str) -> bool {
        let index = self.skills.iter().position(|declared| declared.skill == skill).unwrap_or_else(|| {
            self.skills.push(Declared { skill: skill.to_owned(), capabilities: Vec::new() });
            self.skills.len() - 1
        });
        let capabilities = &mut self.skills[index].capabilities;
        let new = !capabilities.iter().any(|known| known == capability);
        if new {
            capabilities.push(capability.to_owned());
        }
        new
    }

    fn hold_one(
        &mut self,
        skill: &str,
        offer: &Offer,
        ready: &dyn Fn(&str) -> bool,
        now: Timestamp,
        decisions: &mut Vec<Decision>,
        deps: &mut Vec<Effect>,
    ) {
        let cause = Cause::Skill { skill: skill.to_owned() };
        let provider = match self.pass(offer, Scope::Held, ready) {
            Ok(provider) => provider,
            Err(stage) => {
                return decisions.extend(refused(offer.name(), cause, RefusalReason::Stage(stage)).decisions);
            }
        };
        let entry = Entry::new(offer, provider, cause, now);
        decisions.push(activated(&entry, servers::arrival(self, &entry)));
        deps.extend(self.deps(&entry));
        self.held.push(entry);
    }

    /// The skill is forgotten; what only it held goes.
    pub fn release(&mut self, skill: &str, _now: Timestamp) -> Change {
        self.skills.retain(|declared| declared.skill != skill);
        let before = servers::needs(self);
        let mut decisions = Vec::new();
        let by = |entry: &Entry| matches!(&entry.cause, Cause::Skill { skill: holder } if holder == skill);
        while let Some(index) = self.held.iter().position(by) {
            let gone = self.held.remove(index);
            decisions.push(self.gone(&gone, Departure::SkillForgotten { skill: skill.to_owned() }));
        }
        self.after(&before, decisions)
    }
}
