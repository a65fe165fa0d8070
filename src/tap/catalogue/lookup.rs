//! Asking the catalogue.

use std::sync::Arc;

use crate::tap::{Agent, Broken, Capability, Catalogue, PartKind, Severity, Skill, Tag, Tap};

impl Catalogue {
    pub fn agent(&self, tag: &Tag) -> Option<&Arc<Agent>> {
        let wanted = (&tag.domain, &tag.spec);
        let at = self.agents.binary_search_by(|agent| (&agent.tag.domain, &agent.tag.spec).cmp(&wanted)).ok()?;
        self.agents.get(at)
    }

    /// The agents of a domain, by tag.
    pub fn agents_of(&self, domain: &str) -> impl Iterator<Item = &Arc<Agent>> {
        let from = self.agents.partition_point(|agent| agent.tag.domain.as_str() < domain);
        self.agents[from..].iter().take_while(move |agent| agent.tag.domain == domain)
    }

    /// Domains that have an agent, by name.
    pub fn domains(&self) -> impl Iterator<Item = &str> {
        self.agents.chunk_by(|one, other| one.tag.domain == other.tag.domain).map(|of| of[0].tag.domain.as_str())
    }

    /// Every capability of this name, in order of priority.
    pub fn capabilities_named(&self, name: &str) -> &[Arc<Capability>] {
        let from = self.capabilities.partition_point(|capability| capability.name.as_str() < name);
        let count = self.capabilities[from..].iter().take_while(|capability| capability.name == name).count();
        &self.capabilities[from..from + count]
    }

    /// What a bare reference means.
    pub fn capability(&self, name: &str) -> Option<&Arc<Capability>> {
        self.capabilities_named(name).first()
    }

    pub fn skill(&self, name: &str) -> Option<&Arc<Skill>> {
        let at = self.skills.binary_search_by(|skill| skill.name.as_str().cmp(name)).ok()?;
        self.skills.get(at)
    }

    pub fn tap(&self, name: &str) -> Option<&Arc<Tap>> {
        self.taps.iter().find(|tap| tap.name == name)
    }

    /// Why a part of this name that is on disk is not in the catalogue; nothing when there is none.
    pub fn broken(&self, kind: PartKind, name: &str) -> Option<Broken> {
        let of_part = |finding: &&crate::tap::Finding| {
            finding.severity == Severity::Error && finding.part.kind == kind && finding.part.name == name
        };
        let all: Vec<_> = self.findings.iter().filter(of_part).collect();
        let first = all.iter().find(|finding| finding.problem.place.is_some()).or_else(|| all.first())?;
        let same_tap = all.iter().filter(|finding| finding.tap == first.tap && finding.problem.place.is_some());
        Some(Broken {
            name: name.to_owned(),
            tap: first.tap.clone(),
            problem: first.problem.clone(),
            more: same_tap.count().saturating_sub(1),
        })
    }
}
