//! A session that is taken up again.

use super::enable::activation;
use super::stages::Scope;
use super::state::Entry;
use super::{Change, Offer, OfferedServer, Surface, servers};
use crate::proto::{Activation, Cause, Departure, DynamicCapability, Snapshot, Stage, SurfaceChange};

impl Surface {
    /// What was on is on as it was: who brought it, its score, its last use. Nothing is decided anew, so
    /// that the records of its coming stay the last word. Nothing of it runs until [`Surface::settle`].
    pub fn resume(&mut self, snapshot: &Snapshot) {
        let evicted = |name: &str| {
            snapshot.surface_events.iter().rev().find_map(|event| match &event.change {
                SurfaceChange::Activated(told) if told.capability == name => Some(told.evicted.clone()),
                _ => None,
            })
        };
        let entry = |known: &DynamicCapability| Entry::known(known, evicted(&known.name).flatten());
        self.dynamic = snapshot.surface.dynamic.iter().map(entry).collect();
        // In the order they came; the view has them in the order they go.
        self.dynamic.sort_by_key(|entry| entry.activated);
        self.held = snapshot.surface.held.iter().map(entry).collect();
        let active = |skill: &str| snapshot.skills.iter().any(|known| known.name == skill);
        for event in &snapshot.surface_events {
            let (capability, cause) = match &event.change {
                SurfaceChange::Activated(told) => (&told.capability, &told.cause),
                SurfaceChange::Refused(told) => (&told.capability, &told.cause),
                SurfaceChange::Deactivated(_) | SurfaceChange::Routed(_) => continue,
            };
            if let Cause::Skill { skill } = cause
                && active(skill)
            {
                self.declare(skill, capability);
            }
        }
    }

    /// What was on and was not looked at since, with its tap.
    pub fn waiting(&self) -> Vec<(String, String)> {
        let waiting = self.dynamic.iter().chain(&self.held).filter(|entry| entry.waiting);
        waiting.map(|entry| (entry.name.clone(), entry.tap.clone())).collect()
    }

    /// Looks at what was on with what there is now: what may stay is started, what may not leaves with the
    /// reason. The activations are those that are carried out again; they are no records.
    pub fn settle(
        &mut self,
        offers: &[Offer],
        skills: &[String],
        ready: &dyn Fn(&str) -> bool,
    ) -> (Change, Vec<Activation>) {
        let before = servers::needs(self);
        let (mut decisions, mut deps, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for dynamic in [true, false] {
            while let Some((index, entry)) = self.take_waiting(dynamic) {
                match self.stays(&entry, dynamic, offers, skills, ready) {
                    Ok(entry) => {
                        back.push(activation(&entry, servers::arrival(self, &entry)));
                        deps.extend(self.deps(&entry));
                        let entries = if dynamic { &mut self.dynamic } else { &mut self.held };
                        entries.insert(index, entry);
                    }
                    Err(why) => decisions.push(self.gone(&entry, why)),
                }
            }
        }
        let effects = servers::effects(&before, &servers::needs(self), deps);
        (Change { decisions, effects }, back)
    }

    fn take_waiting(&mut self, dynamic: bool) -> Option<(usize, Entry)> {
        let entries = if dynamic { &mut self.dynamic } else { &mut self.held };
        let index = entries.iter().position(|entry| entry.waiting)?;
        Some((index, entries.remove(index)))
    }

    /// As it is now, or why it goes.
    fn stays(
        &self,
        entry: &Entry,
        dynamic: bool,
        offers: &[Offer],
        skills: &[String],
        ready: &dyn Fn(&str) -> bool,
    ) -> Result<Entry, Departure> {
        if let Cause::Skill { skill } = &entry.cause
            && !skills.contains(skill)
        {
            return Err(Departure::SkillForgotten { skill: skill.clone() });
        }
        let role = self.role.role.clone();
        if dynamic && self.is_fixed(&entry.name) {
            return Err(Departure::RoleChanged { role, why: "the role names it itself".to_owned(), stage: None });
        }
        let Some(offer) = offers.iter().find(|offer| offer.name() == entry.name) else {
            return Err(Departure::Failed { why: "no connected tap has it any more".to_owned() });
        };
        let provider = self.pass(offer, Scope::Held, ready).map_err(|stage| {
            let why = format!("it {}", stage.sentence());
            match stage {
                Stage::OutOfDomain { .. } => Departure::RoleChanged { role, why, stage: Some(stage) },
                _ => Departure::Failed { why },
            }
        })?;
        let now = Entry::new(offer, provider, entry.cause.clone(), entry.activated);
        Ok(Entry {
            score: entry.score,
            margin: entry.margin,
            used: entry.used,
            pinned: entry.pinned,
            evicted: entry.evicted.clone(),
            ..now
        })
    }
}

impl Entry {
    fn known(known: &DynamicCapability, evicted: Option<String>) -> Self {
        let server = |(name, tools): &(String, Vec<String>)| OfferedServer { name: name.clone(), tools: tools.clone() };
        Self {
            name: known.name.clone(),
            title: known.title.clone(),
            tap: known.tap.clone(),
            provider: known.provider.clone(),
            domains: Vec::new(),
            servers: known.servers.iter().map(server).collect(),
            deps: known.deps.clone(),
            cause: known.cause.clone(),
            score: known.score,
            margin: known.margin,
            activated: known.activated,
            used: known.used,
            pinned: known.pinned,
            evicted,
            instead_of: None,
            waiting: true,
        }
    }
}
