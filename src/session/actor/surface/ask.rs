//! What a person asks of the surface.

use super::effects::Waits;
use crate::proto::{Cause, Decision, Departure, Level, Refusal, RefusalReason, Routing, SurfaceChange, SurfaceCommand};
use crate::session::actor::Actor;
use crate::surface::{Change, Offer};

/// What came of asking for a capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session::actor) enum Answered {
    /// It is on and there.
    On,
    /// It is on, and what it waits for.
    Coming(&'static str),
    Already,
    /// Why not, one sentence.
    Refused(String),
}

impl Answered {
    pub fn sentence(&self, name: &str) -> String {
        match self {
            Self::On => format!("{name} is on."),
            Self::Coming(what) => format!("{name} is on; {what}."),
            Self::Already => format!("{name} is on already."),
            Self::Refused(why) => why.clone(),
        }
    }
}

impl Actor {
    pub(in crate::session::actor) async fn surface_command(&mut self, command: SurfaceCommand) {
        if !self.has_surface() {
            let text = "The surface of this session cannot be changed here.".to_owned();
            return self.say_of_surface(Level::Warning, text, None);
        }
        match command {
            SurfaceCommand::Enable { name } => {
                if self.ask_for(&name).await == Answered::Already {
                    self.say_of_surface(Level::Info, format!("{name} is on already."), None);
                }
            }
            SurfaceCommand::Disable { name } => {
                self.disable(&name, Departure::Person);
            }
            SurfaceCommand::Pin { name, pinned } => {
                if !self.pin(&name, pinned) {
                    let text = format!("{name} is not among the capabilities that come and go.");
                    self.say_of_surface(Level::Info, text, None);
                }
            }
            SurfaceCommand::Restart { server } => {
                let tools = std::sync::Arc::clone(&self.servers.tools);
                tokio::spawn(async move { tools.restart(&server).await });
            }
        }
    }

    /// A person asks for it, who may just have set a variable for it.
    pub(in crate::session::actor) async fn ask_for(&mut self, name: &str) -> Answered {
        if let Some(wares) = self.setup.wares.clone() {
            // What cannot be read now is as it was.
            let _ = tokio::task::spawn_blocking(move || wares.read_again()).await;
        }
        self.enable(name, Cause::Person, Waits::Nobody)
    }

    pub(super) fn pin(&mut self, name: &str, pinned: bool) -> bool {
        let Some(change) = self.live.state.pin(name, pinned) else { return false };
        self.live.changed();
        self.carry_out(change, Waits::Nobody);
        true
    }

    /// By its name or a pinned reference.
    pub(in crate::session::actor) fn enable(&mut self, reference: &str, cause: Cause, waits: Waits) -> Answered {
        self.enable_routed(reference, cause, None, waits)
    }

    pub(super) fn enable_routed(
        &mut self,
        reference: &str,
        cause: Cause,
        why: Option<&Routing>,
        waits: Waits,
    ) -> Answered {
        let Some(ready) = self.readiness() else { return Answered::Refused("There are no capabilities.".to_owned()) };
        let book = self.live.book.clone().unwrap_or_default();
        let Some(found) = book.find(reference) else {
            let change = match self.live.state.named(reference, &cause, &book.offers) {
                Err(change) => change,
                // It was just not found.
                Ok(_) => Change::default(),
            };
            return self.answer(change, waits);
        };
        let name = found.offer.name().to_owned();
        let by_skill = matches!(cause, Cause::Skill { .. });
        if !by_skill && self.live.state.has(&name) {
            return self.other_is_on(reference, &found.offer).map_or(Answered::Already, Answered::Refused);
        }
        if !self.live.state.has(&name) {
            self.live.servers.insert(name, found.servers);
        }
        let now = self.stamp();
        let change = self.live.state.enable(&found.offer, cause, why, &|key| ready.has(key), now);
        self.answer(change, waits)
    }

    /// Why a pinned one is not what is on under its name; nothing when it is.
    fn other_is_on(&self, reference: &str, asked: &Offer) -> Option<String> {
        let name = asked.name();
        if reference == name {
            return None;
        }
        let tap = self.live.state.tap_of(name)?;
        match &asked.provider {
            Err(why) => Some(format!("{reference} is not there: {why}. What is on is {name} of {tap}.")),
            Ok(_) if tap != asked.tap() => {
                Some(format!("{name} of {tap} is on. Turn it off first, then {reference} can take its place."))
            }
            Ok(_) => None,
        }
    }

    pub(in crate::session::actor) fn disable(&mut self, name: &str, why: Departure) -> Answered {
        let now = self.rec.now();
        let change = self.live.state.disable(name, why, now);
        self.answer(change, Waits::Nobody)
    }

    /// Does it, and gives it in words.
    fn answer(&mut self, change: Change, waits: Waits) -> Answered {
        let refused = change.decisions.iter().find_map(|decision| match decision {
            Decision::CapabilityRefused(refusal) => Some(words(refusal)),
            _ => None,
        });
        let came = change.decisions.iter().find_map(|decision| match decision {
            Decision::CapabilityActivated(came) => Some(came.capability.clone()),
            _ => None,
        });
        self.carry_out(change, waits);
        match (refused, came) {
            (Some(why), _) => Answered::Refused(why),
            (None, Some(name)) if !self.live.state.has(&name) => Answered::Refused(self.why_it_left(&name)),
            (None, Some(name)) => self.awaited_by(&name).map_or(Answered::On, Answered::Coming),
            (None, None) => Answered::On,
        }
    }

    /// Of one that came and could not be made to work at once.
    fn why_it_left(&self, name: &str) -> String {
        let snapshot = self.rec.hub.snapshot();
        let left = snapshot.surface_events.iter().rev().find_map(|event| match &event.change {
            SurfaceChange::Deactivated(gone) if gone.capability == name => Some(gone.headline().2),
            _ => None,
        });
        left.map_or_else(|| format!("{name} did not come."), |told| format!("{told}."))
    }
}

/// One sentence, and what may have been meant.
fn words(refusal: &Refusal) -> String {
    let (_, _, text) = refusal.headline();
    let mut letters = text.chars();
    let head: String = letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect();
    match &refusal.why {
        RefusalReason::Unknown { nearest } if !nearest.is_empty() => {
            format!("{head}. Did you mean {}?", nearest.join(" or "))
        }
        _ => format!("{head}."),
    }
}
