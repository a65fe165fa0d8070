//! Doing what a change says: servers, filters, scripts.

use std::collections::BTreeMap;

use super::pending::Pending;
use crate::mcp::ServerSpec;
use crate::proto::{Activation, Body, CallId, Decision, ServerAction, ServerState, ServerStep};
use crate::session::actor::Actor;
use crate::session::server_specs::is_own;
use crate::surface::{Change, Effect};

/// Who waits for what a change brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session::actor) enum Waits {
    /// The next request.
    Request,
    /// A call of the `capability` tool.
    Call(CallId),
    Nobody,
}

/// What has to be begun for one activation.
#[derive(Default)]
struct Begun {
    deps: Vec<String>,
    starts: Vec<(String, Option<Vec<String>>)>,
}

impl Actor {
    /// Records the change, then does what it says.
    pub(super) fn carry_out(&mut self, change: Change, waits: Waits) {
        self.carry_out_with(change, Vec::new(), waits);
    }

    /// The same; `back` came before and is begun again without a word.
    pub(super) fn carry_out_with(&mut self, change: Change, back: Vec<Activation>, waits: Waits) {
        let Change { decisions, effects } = change;
        if decisions.is_empty() && effects.is_empty() && back.is_empty() {
            return;
        }
        self.live.changed();
        let mut arrivals = self.record(decisions);
        arrivals.extend(back);
        let mut begun: BTreeMap<String, Begun> = BTreeMap::new();
        for effect in effects {
            match effect {
                Effect::Stop { server } if is_own(&server) => self.rec.emit(Body::ServerGone { server }),
                Effect::Filter { server, .. } if is_own(&server) => self.show_own_server(&server),
                Effect::Stop { server } => {
                    self.live.added.remove(&server);
                    self.servers.tools.retire(&server);
                }
                Effect::Filter { server, patterns } => self.show(&server, patterns),
                Effect::RunDeps { capability, deps } => begun.entry(capability).or_default().deps = deps,
                Effect::Start { server, patterns } => {
                    if let Some(of) = arrivals.iter().find(|arrival| starts(arrival, &server)) {
                        begun.entry(of.capability.clone()).or_default().starts.push((server, patterns));
                    }
                }
            }
        }
        self.hear_servers();
        for arrival in arrivals {
            let begun = begun.remove(&arrival.capability).unwrap_or_default();
            self.begin_activation(&arrival, begun, waits.clone());
        }
        self.look_at_pending();
    }

    /// Writes the decisions down; gives those that brought something.
    fn record(&mut self, decisions: Vec<Decision>) -> Vec<Activation> {
        let mut arrivals = Vec::new();
        for mut decision in decisions {
            if let Decision::CapabilityDeactivated(gone) = &mut decision {
                gone.servers.iter_mut().for_each(|step| self.say_what_stopped(step));
            }
            match &decision {
                Decision::CapabilityActivated(activation) => arrivals.push((**activation).clone()),
                Decision::CapabilityDeactivated(gone) if !self.live.state.has(&gone.capability) => {
                    self.drop_pending(&gone.capability);
                }
                _ => {}
            }
            self.rec.cell(Body::Decided(decision));
        }
        arrivals
    }

    /// Nothing is stopped that never came up: its scripts were still running, or it failed at its start.
    fn say_what_stopped(&self, step: &mut ServerStep) {
        let snapshot = self.rec.hub.snapshot();
        let state = snapshot.servers.iter().find(|view| view.name == step.server).map(|view| &view.state);
        let failed = matches!(state, Some(ServerState::Failed { .. } | ServerState::NeedsSignIn { .. }));
        let came_up =
            self.live.added.contains_key(&step.server) && (!failed || self.live.seen.contains_key(&step.server));
        if step.action == ServerAction::Stopped && !came_up {
            step.action = ServerAction::NeverRan;
        }
    }

    /// Whether a server runs because a capability asked for it.
    pub(in crate::session::actor) fn is_of_capability(&self, server: &str) -> bool {
        self.live.added.contains_key(server)
    }

    /// What is shown of a server for all who refer to it.
    fn show(&mut self, server: &str, patterns: Option<Vec<String>>) {
        if let Some(spec) = self.live.added.get_mut(server) {
            spec.filter = patterns.clone().unwrap_or_default();
            return self.servers.tools.show(server, Some(patterns.unwrap_or_default()));
        }
        let own = self.role.servers.iter().find(|spec| spec.name == server).map(|spec| spec.filter.as_slice());
        let all = patterns.unwrap_or_default();
        let narrowed = own.is_some_and(|own| own == all.as_slice());
        self.servers.tools.show(server, (!narrowed).then_some(all));
    }

    fn begin_activation(&mut self, arrival: &Activation, begun: Begun, waits: Waits) {
        let name = arrival.capability.clone();
        if let Some(encoder) = &self.setup.encoder {
            encoder.used(&name);
        }
        if waits == Waits::Request {
            self.live.awaited.insert(name.clone());
        }
        if self.is_pending(&name) {
            return;
        }
        let mut specs = Vec::new();
        for (server, patterns) in begun.starts {
            if is_own(&server) {
                self.show_own_server(&server);
                continue;
            }
            match self.spec_of(&name, &server, patterns) {
                Ok(spec) => specs.push(spec),
                Err(why) => return self.activation_failed(&name, why, waits),
            }
        }
        let servers = arrival.servers.iter().map(|step| step.server.clone()).collect();
        let pending = Pending::new(name.clone(), servers, waits);
        if begun.deps.is_empty() {
            self.add_servers(specs);
            self.live.pending.push(pending);
        } else {
            self.live.pending.push(pending);
            self.run_scripts(&name, &arrival.tap, begun.deps, specs);
        }
    }

    fn spec_of(&self, capability: &str, server: &str, tools: Option<Vec<String>>) -> Result<ServerSpec, String> {
        let known = self.live.servers.get(capability).and_then(|all| all.iter().find(|one| one.name == server));
        let (Some(known), Some(wares)) = (known, &self.setup.wares) else {
            return Err(format!("nothing says how the server {server} is started"));
        };
        wares.spec(known, capability, tools)
    }

    pub(super) fn add_servers(&mut self, specs: Vec<ServerSpec>) {
        for spec in specs {
            self.live.added.insert(spec.name.clone(), spec.clone());
            self.servers.tools.add(spec);
        }
        self.hear_servers();
    }

    /// The servers of another role are being started: those of what stays are started beside them.
    pub(super) fn move_servers(&mut self, mut change: Change) {
        let wanted = self.live.state.servers();
        self.live.added.retain(|name, _| wanted.iter().any(|(server, _)| server == name));
        for (server, patterns) in wanted {
            if let Some(spec) = self.live.added.get_mut(&server) {
                spec.filter = patterns.unwrap_or_default();
                self.servers.tools.add(spec.clone());
            }
        }
        let own: Vec<String> = self.role.servers.iter().map(|spec| spec.name.clone()).collect();
        for server in &own {
            if let Some(patterns) = self.live.state.filter(server) {
                self.show(server, patterns);
            }
        }
        let (added, state) = (&self.live.added, &self.live.state);
        change.effects.retain(|effect| match effect {
            Effect::RunDeps { .. } => true,
            Effect::Start { server, .. } => !state.owns(server) && !added.contains_key(server),
            Effect::Stop { .. } | Effect::Filter { .. } => false,
        });
        self.carry_out(change, Waits::Request);
    }
}

fn starts(arrival: &Activation, server: &str) -> bool {
    arrival.servers.iter().any(|step| step.server == server && step.action == ServerAction::Started)
}
