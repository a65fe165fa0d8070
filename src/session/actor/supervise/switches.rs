//! Switches that are flipped while the session lives.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::Actor;
use crate::config::save;
use crate::config::{Config, Origins};
use crate::proto::{Body, Decision, Mechanic, SwitchView, Switched};
use crate::session::seams::{Setup, Switch};
use crate::supervisor::switch::{self, Board, Taken};

pub(super) struct Switching {
    board: Board,
}

impl Switching {
    pub fn new(setup: &Setup) -> Self {
        let supervision = &setup.supervision;
        let (mut config, origins) = match &supervision.loaded {
            Some(loaded) => (loaded.config.clone(), loaded.origins.clone()),
            None => (Config::template(), Origins::default()),
        };
        config.supervisor = supervision.config.clone();
        Self { board: Board::new(&config, &origins) }
    }
}

impl Actor {
    /// Before every request, before a stop is looked at, and when a turn is over.
    pub(in crate::session::actor) fn switches_safe_point(&mut self) {
        let flipped = self.supervise.switches.board.settle();
        let idle = self.look_at_idle();
        if flipped.is_empty() && !idle {
            return;
        }
        if !flipped.is_empty() {
            flipped.into_iter().for_each(|switched| self.tell_switched(switched));
            self.apply_switches();
        }
        self.show_switches();
    }

    /// What is in force is what the switches say; what is off asks nothing any more.
    fn apply_switches(&mut self) {
        let board = &self.supervise.switches.board;
        let values = &mut self.supervise.values;
        values.enabled = board.is_on(switch::SUPERVISOR);
        values.gate.enabled = board.is_on(switch::GATE);
        values.plan.enabled = board.is_on(switch::PLAN);
        values.condense.enabled = board.is_on(switch::CONDENSE);
        values.condense.adaptive = board.is_on(switch::ADAPTIVE);
        values.authorizer.enabled = board.is_on(switch::AUTHORIZER);
        let as_switch = |key| if board.is_on(key) { Switch::On } else { Switch::Off };
        self.setup.skill_rules = as_switch(switch::SKILL_RULES);
        self.setup.auto_capabilities = as_switch(switch::CAPABILITIES);
        let kept = [Mechanic::Gate, Mechanic::Refute, Mechanic::Plan, Mechanic::Condense, Mechanic::Authorizer]
            .map(|mechanic| (mechanic, self.has_mechanic(mechanic)));
        self.cancel_asks(|mechanic| kept.contains(&(mechanic, false)));
        self.plan_switched();
    }

    /// The session begins; says how the switches stand.
    pub(in crate::session::actor) fn say_switches(&mut self) {
        self.apply_switches();
        self.look_at_idle();
        self.show_switches();
    }

    fn show_switches(&mut self) {
        let view = Arc::new(self.supervise.switches.board.view());
        self.rec.emit(Body::SwitchesChanged(view));
    }

    /// Why a mechanic that is on does nothing in this role. True when that is new.
    fn look_at_idle(&mut self) -> bool {
        let why = self.condense_idle();
        self.supervise.switches.board.set_idle(switch::CONDENSE, why)
    }

    fn tell_switched(&mut self, switched: Switched) {
        self.rec.cell(Body::Decided(Decision::Switched(Box::new(switched))));
    }

    /// A session is taken up in which these were flipped.
    pub(super) fn switches_restore(&mut self, flipped: &BTreeMap<String, bool>) {
        for (key, on) in flipped {
            self.supervise.switches.board.restore(key, *on);
        }
    }

    /// Takes a wish to flip; it comes true at the next safe point, which is now when no turn runs or a stop is
    /// looked at.
    pub(in crate::session::actor) fn switch(&mut self, key: &str, on: bool) {
        let board = &mut self.supervise.switches.board;
        let taken = match &self.read_only {
            Some(holder) => {
                let why = format!("this session is open elsewhere ({holder}) and can only be read here");
                Taken::Refused(board.refused(key, on, why))
            }
            None => board.flip(key, on),
        };
        match taken {
            Taken::Refused(switched) => self.tell_switched(switched),
            // While a stop is looked at, the agent does nothing.
            Taken::Pending if self.turn.is_none() || self.waits_for_gate() => {
                self.switches_safe_point();
                if self.waits_for_gate() && !self.has_mechanic(Mechanic::Gate) {
                    self.gate_switched_off();
                }
                // The instruction for the status comes and goes with the supervisor.
                self.measure();
            }
            Taken::Pending | Taken::Withdrawn => self.show_switches(),
        }
    }

    /// Switches that this session has otherwise than what is saved, in the order in which to save them.
    pub(in crate::session::actor) fn flipped_switches(&self) -> Vec<&'static str> {
        self.supervise.switches.board.flipped()
    }

    /// Writes the value to the configuration; gives what came of it.
    pub(in crate::session::actor) async fn save_switch(&mut self, key: &str) -> Option<Switched> {
        let board = &self.supervise.switches.board;
        let to = match board.to_save(key) {
            Ok(to) => to,
            Err(switched) => {
                self.tell_switched(switched.clone());
                return Some(switched);
            }
        };
        let written = match self.setup.supervision.loaded.clone() {
            None => Err("there is no configuration file in this session".to_owned()),
            Some(loaded) => {
                let (main, key) = (self.setup.supervision.config_file.clone(), key.to_owned());
                let written = tokio::task::spawn_blocking(move || save(&loaded, &main, &key, to)).await;
                written.unwrap_or_else(|error| Err(format!("it could not be written: {error}")))
            }
        };
        let board = &mut self.supervise.switches.board;
        let switched = match written {
            Ok(saved) => board.saved(key, to, &saved.file, saved.origin),
            Err(why) => Some(board.refused(key, to, why)),
        };
        if let Some(switched) = &switched {
            self.tell_switched(switched.clone());
        }
        self.show_switches();
        switched
    }

    /// How a switch stands.
    pub(in crate::session::actor) fn switch_view(&self, key: &str) -> Option<SwitchView> {
        self.supervise.switches.board.view().into_iter().find(|view| view.key == key)
    }
}
