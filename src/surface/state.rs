//! What the surface is made of, and how it looks from outside.

use super::{Offer, OfferedServer, RoleSurface, servers};
use crate::config::allows;
use crate::proto::{Cause, DynamicCapability, LruPlace, SurfaceTool, SurfaceView, Timestamp};

/// The tool surface of one session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    pub(super) role: RoleSurface,
    /// In the order they came.
    pub(super) dynamic: Vec<Entry>,
    /// One for each skill and capability, in the order they came.
    pub(super) held: Vec<Entry>,
    /// What active skills declare, whether it could come or not.
    pub(super) skills: Vec<Declared>,
}

/// A capability that is there for one reason beside the role.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub name: String,
    pub title: String,
    pub tap: String,
    pub provider: String,
    pub domains: Vec<String>,
    pub servers: Vec<OfferedServer>,
    pub deps: Vec<String>,
    pub cause: Cause,
    pub score: Option<f32>,
    pub margin: Option<f32>,
    pub activated: Timestamp,
    /// Last successful use of a tool of it.
    pub used: Option<Timestamp>,
    pub pinned: bool,
    /// Who went for it.
    pub evicted: Option<String>,
    /// The same as it was, until it is known that this one works.
    pub instead_of: Option<Box<Entry>>,
    /// Of a session that is taken up, and not looked at since: nothing of it runs.
    pub waiting: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub skill: String,
    pub capabilities: Vec<String>,
}

impl Entry {
    pub fn new(offer: &Offer, provider: &str, cause: Cause, now: Timestamp) -> Self {
        Self {
            name: offer.name().to_owned(),
            title: offer.title.clone(),
            tap: offer.tap().to_owned(),
            provider: provider.to_owned(),
            domains: offer.capability.domains.clone(),
            servers: offer.servers.clone(),
            deps: offer.deps.clone(),
            cause,
            score: None,
            margin: None,
            activated: now,
            used: None,
            pinned: false,
            evicted: None,
            instead_of: None,
            waiting: false,
        }
    }

    /// As whom it refers to servers.
    pub fn referrer(&self) -> String {
        match &self.cause {
            Cause::Skill { skill } => format!("skill {skill}"),
            _ => self.name.clone(),
        }
    }

    pub fn server(&self, name: &str) -> Option<&OfferedServer> {
        self.servers.iter().find(|server| server.name == name)
    }

    fn asks_for(&self, server: &str, tool: &str) -> bool {
        self.server(server).is_some_and(|server| allows(&server.tools, tool))
    }

    pub fn place(&self) -> LruPlace {
        let Self { name, used, activated, pinned, .. } = self;
        LruPlace { capability: name.clone(), used: *used, activated: *activated, pinned: *pinned }
    }

    fn view(&self) -> DynamicCapability {
        DynamicCapability {
            name: self.name.clone(),
            title: self.title.clone(),
            tap: self.tap.clone(),
            provider: self.provider.clone(),
            cause: self.cause.clone(),
            score: self.score,
            margin: self.margin,
            activated: self.activated,
            used: self.used,
            pinned: self.pinned,
            servers: self.servers.iter().map(|server| (server.name.clone(), server.tools.clone())).collect(),
            deps: self.deps.clone(),
        }
    }
}

impl Surface {
    pub fn new(role: RoleSurface) -> Self {
        Self { role, ..Self::default() }
    }

    pub fn domain(&self) -> &str {
        &self.role.domain
    }

    /// Whether the role names it, it was activated, or a skill holds it.
    pub fn has(&self, capability: &str) -> bool {
        self.is_fixed(capability) || self.entries().any(|entry| entry.name == capability)
    }

    /// The tap that the one that is on comes from.
    pub fn tap_of(&self, capability: &str) -> Option<&str> {
        let fixed = self.role.capabilities.iter().find(|one| one.name == capability).map(|one| one.tap.as_str());
        fixed.or_else(|| self.entries().find(|entry| entry.name == capability).map(|entry| entry.tap.as_str()))
    }

    /// The latest time that anything here bears.
    pub fn latest(&self) -> Timestamp {
        self.entries().map(|entry| entry.used.unwrap_or_default().max(entry.activated)).max().unwrap_or_default()
    }

    /// Tap and provider of a capability that was activated or is held.
    pub fn came_from(&self, capability: &str) -> Option<(&str, &str)> {
        let entry = self.entries().find(|entry| entry.name == capability)?;
        Some((entry.tap.as_str(), entry.provider.as_str()))
    }

    pub(super) fn is_fixed(&self, capability: &str) -> bool {
        self.role.capabilities.iter().any(|fixed| fixed.name == capability)
    }

    pub(super) fn find(&self, capability: &str) -> Option<usize> {
        self.dynamic.iter().position(|entry| entry.name == capability)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.dynamic.iter().chain(&self.held)
    }

    /// Those that refer to servers.
    pub(super) fn referring(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| !entry.waiting)
    }

    /// Indices into the dynamic ones, the one that goes next first; pinned ones last, for they do not go.
    /// Those never used go first, the older ones of them before.
    pub(super) fn lru(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.dynamic.len()).collect();
        order.sort_by_key(|index| {
            let Entry { pinned, used, activated, name, .. } = &self.dynamic[*index];
            (*pinned, *used, *activated, name.as_str())
        });
        order
    }

    /// A tool was used and did not fail. Nothing when no activated capability asks for it.
    pub fn used(&mut self, server: &str, tool: &str, now: Timestamp) -> Option<super::Change> {
        let mut any = false;
        for entry in self.dynamic.iter_mut().chain(&mut self.held).filter(|entry| entry.asks_for(server, tool)) {
            entry.used = entry.used.max(Some(now));
            any = true;
        }
        any.then(super::Change::default)
    }

    /// What an activated capability needs is there: whoever went for it does not come back by itself.
    pub fn works(&mut self, capability: &str) {
        for entry in self.dynamic.iter_mut().filter(|entry| entry.name == capability) {
            entry.instead_of = None;
        }
    }

    /// Keeps a capability from being evicted in this session, or no longer. Nothing when it is not
    /// activated or is so already.
    pub fn pin(&mut self, capability: &str, pinned: bool) -> Option<super::Change> {
        let index = self.find(capability)?;
        let entry = &mut self.dynamic[index];
        (std::mem::replace(&mut entry.pinned, pinned) != pinned).then(super::Change::default)
    }

    /// Servers that have to run for other reasons than the role, with their filter (`None` = all tools).
    pub fn servers(&self) -> Vec<(String, Option<Vec<String>>)> {
        let all = servers::needs(self).into_iter();
        all.filter(|(server, _)| !self.owns(server)).collect()
    }

    /// What of a server is shown: `None` when nobody refers to it, `Some(None)` = all tools.
    pub fn filter(&self, server: &str) -> Option<Option<Vec<String>>> {
        servers::filter(self, server)
    }

    /// Capabilities and skills that ask for a tool, `role` among them.
    pub fn askers(&self, server: &str, tool: &str) -> Vec<String> {
        let own = |(name, patterns): &(String, Vec<String>)| name == server && allows(patterns, tool);
        let role = self.role.servers.iter().any(own).then(|| servers::ROLE.to_owned());
        let others = self.entries().filter(|entry| entry.asks_for(server, tool)).map(Entry::referrer);
        role.into_iter().chain(others).collect()
    }

    /// Whether a capability that is on, by itself or held, asks for a tool.
    pub fn brings(&self, capability: &str, server: &str, tool: &str) -> bool {
        self.entries().any(|entry| entry.name == capability && entry.asks_for(server, tool))
    }

    /// `offers` are those of the catalogue, `tools` what the servers show now; who asks for each is filled
    /// in here.
    pub fn view(&self, offers: &[Offer], mut tools: Vec<SurfaceTool>) -> SurfaceView {
        for tool in &mut tools {
            tool.by = self.askers(&tool.server, &tool.tool);
        }
        let absent =
            offers.iter().filter(|offer| super::in_domain(offer, self.domain()) && !self.has(offer.name())).count();
        SurfaceView {
            domain: self.role.domain.clone(),
            fixed: self.role.capabilities.clone(),
            fixed_servers: self.role.servers.iter().map(|(name, _)| name.clone()).collect(),
            dynamic: self.lru().into_iter().map(|index| self.dynamic[index].view()).collect(),
            held: self.held.iter().map(Entry::view).collect(),
            references: servers::references(self),
            tools,
            absent: u32::try_from(absent).unwrap_or(u32::MAX),
            offered: None,
        }
    }
}
