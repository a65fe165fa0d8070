//! What is there from the beginning, and what skills bring along.

use super::effects::Waits;
use crate::proto::{Activation, Cause, Level};
use crate::session::actor::Actor;

impl Actor {
    /// Brings what is there from the beginning: of the session that is taken up, of the environment, of
    /// skills.
    pub(super) fn begin_surface(&mut self) {
        if !std::mem::replace(&mut self.live.begun, true) {
            self.settle_surface();
            let wanted = self.setup.wares.as_ref().map(|wares| wares.wanted_by_environment()).unwrap_or_default();
            for name in wanted {
                self.enable(&name, Cause::Environment, Waits::Request);
            }
        }
        for skill in self.active_skills() {
            self.hold_for(&skill);
        }
    }

    /// What the session that is taken up had on is begun again.
    fn settle_surface(&mut self) {
        let (Some(ready), Some(book)) = (self.readiness(), self.live.book.clone()) else { return };
        let mut offers = Vec::new();
        for (name, tap) in self.live.state.waiting() {
            let Some(found) = book.find_again(&name, &tap) else { continue };
            self.live.servers.insert(name, found.servers);
            offers.push(found.offer);
        }
        let skills = self.active_skills();
        let (change, back) = self.live.state.settle(&offers, &skills, &|key| ready.has(key));
        let names: Vec<&str> = back.iter().map(|told| told.capability.as_str()).collect();
        if !names.is_empty() {
            self.say_of_surface(Level::Info, format!("On again: {}.", names.join(", ")), None);
        }
        // The first request need not wait again for what was gone on without already.
        let troubled = std::mem::take(&mut self.live.troubled);
        let is_troubled = |told: &&Activation| told.servers.iter().any(|step| troubled.contains(&step.server));
        let beside: Vec<String> = back.iter().filter(is_troubled).map(|told| told.capability.clone()).collect();
        self.carry_out_with(change, back, Waits::Request);
        for name in beside {
            self.live.awaited.remove(&name);
        }
    }

    /// What an active skill declares is there as long as it is. Sentences about what came and what did not.
    pub(in crate::session::actor) fn hold_for(&mut self, skill: &str) -> Vec<String> {
        let Some(book) = self.live.book.clone().filter(|_| self.has_surface()) else { return Vec::new() };
        if !self.live.heard.insert(skill.to_owned()) {
            return Vec::new();
        }
        let cause = Cause::Skill { skill: skill.to_owned() };
        let declared = book.declared(skill).to_vec();
        declared.iter().map(|name| self.enable(name, cause.clone(), Waits::Request).sentence(name)).collect()
    }

    pub(in crate::session::actor) fn release_for(&mut self, skill: &str) {
        self.live.heard.remove(skill);
        let now = self.rec.now();
        let change = self.live.state.release(skill, now);
        self.carry_out(change, Waits::Nobody);
    }
}
