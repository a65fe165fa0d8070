//! Small worlds to try the surface in.

use std::sync::Arc;

use super::*;
use crate::proto::{Cause, Decision, FixedCapability};
use crate::tap::{Capability, Tap, TapKind};

mod model;
mod routing;
mod tables;

pub fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

/// With one trigger, for every domain; servers with the tools that are asked for.
pub fn offer(name: &str, servers: &[(&str, &[&str])]) -> Offer {
    let tap = Tap { name: "muvon/tap".to_owned(), kind: TapKind::Linked, root: "/tap".into(), unavailable: None };
    let capability = Capability {
        name: name.to_owned(),
        tap: Arc::new(tap),
        folder: format!("/tap/capabilities/{name}").into(),
        triggers: vec![format!("do {name}")],
        domains: Vec::new(),
        providers: Vec::new(),
    };
    let server = |(name, tools): &(&str, &[&str])| OfferedServer { name: (*name).to_owned(), tools: texts(tools) };
    Offer {
        capability: Arc::new(capability),
        provider: Ok("default".to_owned()),
        title: format!("Title of {name}"),
        servers: servers.iter().map(server).collect(),
        deps: Vec::new(),
        environment: Vec::new(),
    }
}

pub fn with_capability(mut offer: Offer, change: impl FnOnce(&mut Capability)) -> Offer {
    change(Arc::make_mut(&mut offer.capability));
    offer
}

pub fn of_domains(offer: Offer, domains: &[&str]) -> Offer {
    with_capability(offer, |capability| capability.domains = texts(domains))
}

pub fn role(name: &str, servers: &[(&str, &[&str])]) -> RoleSurface {
    RoleSurface {
        role: name.to_owned(),
        domain: name.split_once(':').map_or("", |(domain, _)| domain).to_owned(),
        capabilities: Vec::new(),
        servers: servers.iter().map(|(name, tools)| ((*name).to_owned(), texts(tools))).collect(),
    }
}

pub fn fixed(name: &str, servers: &[&str]) -> FixedCapability {
    let (tap, provider) = ("muvon/tap".to_owned(), "default".to_owned());
    FixedCapability { name: name.to_owned(), tap, provider, servers: texts(servers) }
}

pub fn start(server: &str, patterns: Option<&[&str]>) -> Effect {
    Effect::Start { server: server.to_owned(), patterns: patterns.map(texts) }
}

pub fn stop(server: &str) -> Effect {
    Effect::Stop { server: server.to_owned() }
}

pub fn filter(server: &str, patterns: Option<&[&str]>) -> Effect {
    Effect::Filter { server: server.to_owned(), patterns: patterns.map(texts) }
}

pub fn ready(_: &str) -> bool {
    true
}

pub fn enable(surface: &mut Surface, offer: &Offer, now: u64) -> Change {
    surface.enable(offer, Cause::Person, None, &ready, now)
}

/// The headlines of what was decided.
pub fn told(change: &Change) -> Vec<String> {
    change.decisions.iter().map(|decision: &Decision| decision.headline().2).collect()
}

pub fn names(surface: &Surface) -> Vec<String> {
    surface.view(&[], Vec::new()).dynamic.into_iter().map(|known| known.name).collect()
}
