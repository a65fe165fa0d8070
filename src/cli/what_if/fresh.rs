//! The surface as a new session has it, and what a message does to it.

use crate::config::Env;
use crate::embed::Beside;
use crate::proto::{Activation, Cause, Deactivation, Decision, RouteOutcome, Routing, SkillTrace, Timestamp};
use crate::surface::{Change, Offer, RoleSurface, Surface};
use crate::tap::skill::judge::{Likeness, Machine, Scene, judge};
use crate::tap::{Catalogue, Skill};

/// What a session is made from.
pub(super) struct Fresh<'a> {
    pub catalogue: &'a Catalogue,
    pub offers: &'a [Offer],
    pub ready: &'a dyn Fn(&str) -> bool,
    pub env: &'a Env,
}

/// When what the environment asks for comes, before any message.
const START: Timestamp = 1;

impl Fresh<'_> {
    /// With what the environment asks for; and the skills that are active then.
    pub fn begin(&self, role: RoleSurface, notes: &mut Vec<String>) -> (Surface, Vec<String>) {
        let mut surface = Surface::new(role);
        for (later, name) in (0..).zip(self.listed("OCTOMIND_CAPABILITIES")) {
            let bare = name.rsplit_once('/').map_or(name.as_str(), |(_, bare)| bare);
            let change = match surface.named(bare, &Cause::Environment, self.offers) {
                Ok(_) if surface.has(bare) => continue,
                Ok(offer) => surface.enable(offer, Cause::Environment, None, self.ready, START + later),
                Err(change) => change,
            };
            notes.extend(refusals(&change));
        }
        let mut active = Vec::new();
        for name in self.listed("OCTOMIND_SKILLS") {
            match self.catalogue.skill(&name) {
                Some(skill) => {
                    notes.extend(refusals(&self.hold(&mut surface, skill)));
                    active.push(name);
                }
                None => notes.push(format!("no skill is called {name}")),
            }
        }
        (surface, active)
    }

    fn listed(&self, variable: &str) -> Vec<String> {
        let names = self.env.get(variable).unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    fn hold(&self, surface: &mut Surface, skill: &Skill) -> Change {
        let declared = skill.capabilities.iter();
        let offers: Vec<&Offer> =
            declared.filter_map(|name| self.offers.iter().find(|offer| offer.name() == name)).collect();
        surface.hold(&skill.name, &offers, self.ready, START)
    }

    /// The rules of every skill in reach that is not active.
    pub fn judge(&self, scene: &Scene<'_>, active: &[String], beside: Option<Beside>) -> Vec<SkillTrace> {
        let inactive = self.catalogue.skills.iter().filter(|skill| !active.contains(&skill.name));
        let skills: Vec<&Skill> = inactive.map(AsRef::as_ref).collect();
        judge(&skills, scene, &Machine::new(scene.workdir, scene.env), &Likened(beside))
    }

    /// Brings what skills declare whose rules held; the names of what came.
    pub fn hold_for(&self, surface: &mut Surface, skills: &[SkillTrace]) -> Vec<String> {
        let held = skills.iter().filter(|trace| trace.activated);
        let held = held.filter_map(|trace| self.catalogue.skill(&trace.skill));
        let decisions = held.flat_map(|skill| self.hold(surface, skill).decisions);
        let came = decisions.filter_map(|decision| match decision {
            Decision::CapabilityActivated(activation) => Some(activation.capability),
            _ => None,
        });
        came.collect()
    }

    /// What the message brings in, and who goes for it.
    pub fn enable(&self, surface: &mut Surface, routing: &Routing) -> (Option<Activation>, Option<Deactivation>) {
        let RouteOutcome::Activated { capability } = &routing.outcome else { return (None, None) };
        let Some(offer) = self.offers.iter().find(|offer| offer.name() == capability) else { return (None, None) };
        let change = surface.enable(offer, Cause::Auto, Some(routing), self.ready, Timestamp::MAX);
        let (mut came, mut went) = (None, None);
        for decision in change.decisions {
            match decision {
                Decision::CapabilityActivated(activation) => came = Some(*activation),
                Decision::CapabilityDeactivated(gone) => went = Some(*gone),
                _ => {}
            }
        }
        (came, went)
    }
}

fn refusals(change: &Change) -> Vec<String> {
    let refused = change.decisions.iter().filter(|decision| matches!(decision, Decision::CapabilityRefused(_)));
    refused.map(|decision| decision.headline().2).collect()
}

/// A message beside the phrases of rules; nothing when no encoder was loaded for it.
struct Likened(Option<Beside>);

impl Likeness for Likened {
    fn cosine(&self, phrase: &str) -> Result<f32, String> {
        let beside = self.0.as_ref().ok_or("the message was not compared")?;
        beside.likeness(phrase).ok_or_else(|| "the model has no vector for this phrase".to_owned())
    }
}
