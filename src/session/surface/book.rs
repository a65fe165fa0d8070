//! Every capability of the catalogue as it would come onto this session's surface.

use std::collections::HashMap;
use std::sync::Arc;

use super::INPUT;
use crate::config::schema::{Config, Server, ServerType};
use crate::proto::{Offered, OfferedSkill};
use crate::session::actor::skill_source;
use crate::session::server_specs::{RUNTIME, brings};
use crate::surface::built_in::NOT_BUILT;
use crate::surface::{Offer, OfferedServer, Surface};
use crate::tap::fill::{KeyKind, Needs};
use crate::tap::resolve::{BASELINE, Choice, RESERVED, choose};
use crate::tap::{Capability, Catalogue, PartKind, Provider, Severity, Tag, Tap};

/// What there is, one for each name.
#[derive(Debug, Default)]
pub struct Book {
    pub offers: Vec<Offer>,
    /// The servers of each, in the same order.
    servers: Vec<Vec<Server>>,
    by_name: HashMap<String, usize>,
    catalogue: Arc<Catalogue>,
    providers: std::collections::BTreeMap<String, String>,
    configured: Vec<Server>,
    own: Option<Arc<Tap>>,
}

/// A capability that was asked for.
#[derive(Debug, Clone)]
pub struct Found {
    pub offer: Offer,
    pub servers: Vec<Server>,
}

impl Book {
    pub fn new(catalogue: Arc<Catalogue>, config: &Config, role: &str) -> Self {
        let own = Tag::parse(role).ok().and_then(|tag| catalogue.agent(&tag).map(|agent| Arc::clone(&agent.tap)));
        let mut book = Self {
            providers: config.capabilities.clone(),
            configured: config.mcp.servers.clone(),
            own,
            catalogue: Arc::clone(&catalogue),
            ..Self::default()
        };
        for named in catalogue.capabilities.chunk_by(|one, other| one.name == other.name) {
            let Some(first) = named.first() else { continue };
            let found = book.chosen(&first.name).unwrap_or_else(|why| unresolved(first, why));
            book.add(found);
        }
        for broken in broken(&catalogue) {
            book.add(broken);
        }
        book
    }

    fn add(&mut self, found: Found) {
        self.by_name.insert(found.offer.name().to_owned(), self.offers.len());
        self.offers.push(found.offer);
        self.servers.push(found.servers);
    }

    /// Place among the offers.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// By its name, or pinned as `owner/name` or `owner/tap/name`. Nothing when there is none of this name.
    pub fn find(&self, reference: &str) -> Option<Found> {
        let bare = reference.rsplit_once('/').map_or(reference, |(_, name)| name);
        let index = self.place(bare)?;
        let known = || Found { offer: self.offers[index].clone(), servers: self.servers[index].clone() };
        if bare == reference {
            return Some(known());
        }
        Some(self.chosen(reference).unwrap_or_else(|why| {
            let Found { offer, .. } = known();
            unresolved(&offer.capability, why)
        }))
    }

    /// The same as it was taken before: from its tap while that has it.
    pub fn find_again(&self, name: &str, tap: &str) -> Option<Found> {
        let found = self.find(name)?;
        if found.offer.tap() == tap {
            return Some(found);
        }
        let owner = tap.split('/').next().unwrap_or(tap);
        let mut pinned = [owner, BASELINE].into_iter().filter_map(|owner| self.find(&format!("{owner}/{name}")));
        let same = |one: &Found| one.offer.tap() == tap && one.offer.provider.is_ok();
        Some(pinned.find(same).unwrap_or(found))
    }

    /// Everything that may be asked about, as a record keeps it.
    pub fn offered(&self, surface: &Surface, ready: &dyn Fn(&str) -> bool) -> Offered {
        let skill = |skill: &Arc<crate::tap::Skill>| OfferedSkill {
            name: skill.name.clone(),
            source: skill_source(skill),
            file: skill.file.display().to_string(),
            domains: skill.domains.clone(),
        };
        let role = |domain: &str| {
            let agents: Vec<String> = self.catalogue.agents_of(domain).map(|agent| agent.tag.to_string()).collect();
            let chief = agents.iter().find(|tag| tag.ends_with(":chief"));
            chief.or(agents.first()).cloned()
        };
        Offered {
            capabilities: surface.offered(&self.offers, ready),
            skills: self.catalogue.skills.iter().map(skill).collect(),
            roles: self.catalogue.domains().filter_map(role).collect(),
        }
    }

    /// Other providers that `[capabilities]` could name for a capability, with their tap; none that needs
    /// this script. What was pinned to a tap is looked for there.
    pub fn other_providers(
        &self,
        capability: &str,
        present: (&str, &str),
        script: Option<&str>,
    ) -> Vec<(String, String)> {
        let all = self.catalogue.capabilities_named(capability).iter().flat_map(|one| &one.providers);
        let mut found: Vec<(String, String)> = Vec::new();
        for name in all.map(|provider| &provider.name) {
            let wanted = std::iter::once((capability.to_owned(), name.clone())).collect();
            let Ok(choice) = choose(capability, self.own.as_deref(), &self.catalogue, &wanted) else { continue };
            let one = (choice.provider_name().to_owned(), choice.capability.tap.name.clone());
            let needs = script.is_some_and(|script| choice.provider().deps.iter().any(|dep| dep == script));
            let same = (one.1.as_str(), one.0.as_str()) == present;
            if !needs && !same && !found.contains(&one) && self.found(&choice).offer.provider.is_ok() {
                found.push(one);
            }
        }
        found
    }

    /// What a skill declares.
    pub fn declared(&self, skill: &str) -> &[String] {
        self.catalogue.skill(skill).map(|skill| skill.capabilities.as_slice()).unwrap_or_default()
    }

    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The error is one clause.
    fn chosen(&self, reference: &str) -> Result<Found, String> {
        let choice = choose(reference, self.own.as_deref(), &self.catalogue, &self.providers)
            .map_err(|error| error.to_string())?;
        Ok(self.found(&choice))
    }

    fn found(&self, choice: &Choice) -> Found {
        let provider = choice.provider();
        let mut offer = Offer {
            capability: Arc::clone(&choice.capability),
            provider: Ok(choice.provider_name().to_owned()),
            title: if provider.title.is_empty() { choice.capability.name.clone() } else { provider.title.clone() },
            servers: Vec::new(),
            deps: provider.deps.clone(),
            environment: Vec::new(),
        };
        let mut servers = Vec::new();
        for reference in &provider.server_refs {
            match self.server(provider, reference) {
                Ok(server) => {
                    let Some(tools) = allowed(provider, server) else { continue };
                    offer.servers.push(OfferedServer { name: server.name.clone(), tools });
                    servers.push(server.clone());
                }
                Err(why) => {
                    offer.provider = Err(why);
                    return Found { offer, servers: Vec::new() };
                }
            }
        }
        if servers.is_empty() && offer.deps.is_empty() {
            offer.provider = Err("it has neither a tool nor a script".to_owned());
        }
        offer.environment = keys(&servers);
        Found { offer, servers }
    }

    /// The configuration's of this name, or the provider's own.
    fn server<'s>(&'s self, provider: &'s Provider, name: &str) -> Result<&'s Server, String> {
        let configured = self.configured.iter().find(|server| server.name == name);
        let own = || provider.servers.iter().find(|server| server.name == name);
        let Some(server) = configured.or_else(own) else {
            return Err(format!("it refers to the server {name}, which nobody declares"));
        };
        match (&server.kind, configured.is_some()) {
            (ServerType::Builtin, _) if name == RUNTIME => {
                Err(format!("its server {name} is the session's own, which only a role can name"))
            }
            (ServerType::Builtin, _) if !brings(name) => Err(format!("its server {name} {NOT_BUILT}")),
            (ServerType::Builtin, _) | (_, true) => Ok(server),
            _ if RESERVED.contains(&name) => Err(format!("the name of its server {name} belongs to octomind")),
            _ => Ok(server),
        }
    }
}

/// What a provider asks of one of its servers, empty = all; `None` when it allows nothing of it.
fn allowed(provider: &Provider, server: &Server) -> Option<Vec<String>> {
    if provider.allowed_tools.is_empty() {
        return Some(server.tools.clone());
    }
    let of_server = |pattern: &String| match pattern.split_once(':') {
        Some((name, tool)) => (name == server.name).then(|| tool.to_owned()),
        None => Some(pattern.clone()),
    };
    let mut tools: Vec<String> = provider.allowed_tools.iter().filter_map(of_server).collect();
    if tools.is_empty() {
        return None;
    }
    if tools.iter().any(|tool| tool == "*") {
        return Some(server.tools.clone());
    }
    let mut seen = std::collections::HashSet::new();
    tools.retain(|tool| seen.insert(tool.clone()));
    Some(tools)
}

fn keys(servers: &[Server]) -> Vec<String> {
    let mut needs = Needs::default();
    servers.iter().for_each(|server| needs.server(server, ""));
    let key = |need: &crate::tap::fill::Need| match need.key.kind {
        KeyKind::Env => need.key.name.clone(),
        KeyKind::Input => format!("{INPUT}{}", need.key.name),
    };
    needs.all().iter().map(key).collect()
}

fn unresolved(capability: &Arc<Capability>, why: String) -> Found {
    let offer = Offer {
        capability: Arc::clone(capability),
        provider: Err(why),
        title: capability.name.clone(),
        servers: Vec::new(),
        deps: Vec::new(),
        environment: Vec::new(),
    };
    Found { offer, servers: Vec::new() }
}

/// Those that are on disk and could not be read.
fn broken(catalogue: &Catalogue) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    let faults = catalogue.findings.iter();
    for fault in faults.filter(|fault| fault.severity == Severity::Error && fault.part.kind == PartKind::Capability) {
        let name = fault.part.name.as_str();
        let known = !catalogue.capabilities_named(name).is_empty() || all.iter().any(|one| one.offer.name() == name);
        let (Some(tap), false) = (catalogue.tap(&fault.tap), known) else { continue };
        let capability = Capability {
            name: name.to_owned(),
            tap: Arc::clone(tap),
            folder: tap.root.join("capabilities").join(name),
            triggers: Vec::new(),
            domains: Vec::new(),
            providers: Vec::new(),
        };
        all.push(unresolved(&Arc::new(capability), fault.problem.headline()));
    }
    all
}
