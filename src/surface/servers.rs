//! Who refers to which server, and what a change does to it.

use super::state::Entry;
use super::{Effect, Surface};
use crate::proto::{ServerAction, ServerReferences, ServerStep};

/// How the role refers to its servers.
pub(super) const ROLE: &str = "role";

/// Each server that has to run, with its filter; `None` = all tools.
pub(super) type Needs = Vec<(String, Option<Vec<String>>)>;

impl Surface {
    /// Whether the role owns a server by itself or by a capability that it names.
    pub fn owns(&self, server: &str) -> bool {
        self.role.servers.iter().any(|(name, _)| name == server)
    }

    /// The role first, then capabilities and skills in the order they came, each once.
    fn referrers(&self, server: &str) -> Vec<String> {
        let mut by: Vec<String> = self.owns(server).then(|| ROLE.to_owned()).into_iter().collect();
        for entry in self.referring().filter(|entry| entry.server(server).is_some()) {
            let referrer = entry.referrer();
            if !by.contains(&referrer) {
                by.push(referrer);
            }
        }
        by
    }
}

/// Names of all servers that are referred to: the role's in its order, then the others'.
fn names(surface: &Surface) -> Vec<&str> {
    let own = surface.role.servers.iter().map(|(name, _)| name.as_str());
    let others = surface.referring().flat_map(|entry| &entry.servers).map(|server| server.name.as_str());
    let mut names: Vec<&str> = Vec::new();
    for name in own.chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn references(surface: &Surface) -> Vec<ServerReferences> {
    let refer = |name: &str| ServerReferences { server: name.to_owned(), by: surface.referrers(name), trouble: None };
    names(surface).into_iter().map(refer).collect()
}

/// What all who refer to a server ask of it together.
pub(super) fn filter(surface: &Surface, server: &str) -> Option<Option<Vec<String>>> {
    let own = surface.role.servers.iter().filter(|(name, _)| name == server).map(|(_, patterns)| patterns);
    let others = surface.referring().flat_map(|entry| &entry.servers);
    let others = others.filter(|offered| offered.name == server).map(|offered| &offered.tools);
    let mut referred = false;
    let mut union: Vec<String> = Vec::new();
    for patterns in own.chain(others) {
        referred = true;
        // No pattern, or one for everything: no filter.
        if patterns.is_empty() || patterns.iter().any(|pattern| pattern == "*") {
            return Some(None);
        }
        for pattern in patterns {
            if !union.contains(pattern) {
                union.push(pattern.clone());
            }
        }
    }
    referred.then_some(Some(union))
}

pub(super) fn needs(surface: &Surface) -> Needs {
    let need = |name: &str| Some((name.to_owned(), filter(surface, name)?));
    names(surface).into_iter().filter_map(need).collect()
}

/// What has to be done to get from one to the other: what stops, then scripts, filters, what starts.
pub(super) fn effects(before: &Needs, after: &Needs, deps: Vec<Effect>) -> Vec<Effect> {
    let find = |needs: &'_ Needs, name: &str| needs.iter().position(|(server, _)| server == name);
    let gone = before.iter().filter(|(server, _)| find(after, server).is_none());
    let mut effects: Vec<Effect> = gone.map(|(server, _)| Effect::Stop { server: server.clone() }).collect();
    effects.extend(deps);
    for (server, patterns) in after {
        let (server, patterns) = (server.clone(), patterns.clone());
        match find(before, &server) {
            Some(index) if before[index].1 == patterns => {}
            Some(_) => effects.push(Effect::Filter { server, patterns }),
            None => effects.push(Effect::Start { server, patterns }),
        }
    }
    effects
}

/// What its coming does, told before it is there.
pub(super) fn arrival(surface: &Surface, entry: &Entry) -> Vec<ServerStep> {
    steps(entry, |server| {
        let with = surface.referrers(server);
        match (surface.owns(server), with.is_empty()) {
            (true, _) => ServerAction::Extended,
            (false, true) => ServerAction::Started,
            (false, false) => ServerAction::Shared { with },
        }
    })
}

/// What its going does, told when it is gone.
pub(super) fn departure(surface: &Surface, entry: &Entry) -> Vec<ServerStep> {
    steps(entry, |server| {
        let by = surface.referrers(server);
        match (surface.owns(server), by.is_empty()) {
            (true, _) => ServerAction::Narrowed,
            (false, true) => ServerAction::Stopped,
            (false, false) => ServerAction::Kept { by },
        }
    })
}

fn steps(entry: &Entry, action: impl Fn(&str) -> ServerAction) -> Vec<ServerStep> {
    let step = |server: &super::OfferedServer| ServerStep {
        server: server.name.clone(),
        action: action(&server.name),
        tools: server.tools.clone(),
    };
    entry.servers.iter().map(step).collect()
}
