use std::collections::BTreeSet;

use super::{State, filtered};
use crate::proto::CatalogueItem;

/// How much of what can be asked about is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Everything,
    /// Capabilities that are not on the surface.
    Absent,
}

/// What a name is of: a tool, a capability and a skill may share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    Tool,
    Capability,
    Skill,
}

impl Noun {
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Capability => "capability",
            Self::Skill => "skill",
        }
    }
}

/// Something whose presence or absence can be explained.
#[derive(Debug, Clone, PartialEq)]
pub struct WhyRow<'a> {
    /// What the explanation is asked for by.
    pub subject: &'a str,
    pub noun: Noun,
    pub here: bool,
    /// Of its domain and known, but not here.
    pub words: String,
    /// From the last comparison.
    pub score: Option<f32>,
}

impl State {
    /// What can be asked about, under a filter: what is here first, tools behind capabilities.
    pub fn why_rows(&self, reach: Reach, filter: &str) -> Vec<WhyRow<'_>> {
        let rows = match reach {
            Reach::Absent => self.absent_rows(),
            Reach::Everything => {
                let mut rows = self.present_rows();
                rows.extend(self.absent_rows());
                rows.extend(self.idle_skills());
                rows
            }
        };
        filtered(rows, filter, |row| format!("{} {} {}", row.subject, row.noun.word(), row.words))
    }

    fn present_rows(&self) -> Vec<WhyRow<'_>> {
        let surface = &self.snapshot.surface;
        let row = |subject, noun, here, words: String| WhyRow { subject, noun, here, words, score: None };
        let mut rows = Vec::new();
        for one in surface.dynamic.iter().rev().chain(&surface.held) {
            rows.push(row(one.name.as_str(), Noun::Capability, true, one.cause.word()));
        }
        for one in &surface.fixed {
            rows.push(row(&one.name, Noun::Capability, true, "of the role".to_owned()));
        }
        for skill in &self.snapshot.skills {
            rows.push(row(&skill.name, Noun::Skill, true, "active".to_owned()));
        }
        let tools = self.snapshot.servers.iter().flat_map(|server| server.tools.iter().map(move |tool| (server, tool)));
        let (here, off): (Vec<_>, Vec<_>) = tools.partition(|(_, tool)| tool.exposed());
        for (server, tool) in here.into_iter().chain(off) {
            let words = match (&tool.quarantine, &tool.filtered_by) {
                (Some(_), _) => format!("{}, kept off", server.name),
                (None, Some(filter)) => format!("{}, left out by {filter}", server.name),
                (None, None) => server.name.clone(),
            };
            rows.push(row(&tool.wire_name, Noun::Tool, tool.exposed(), words));
        }
        rows
    }

    /// Capabilities that are not here: those of the domain first, the likeliest first.
    fn absent_rows(&self) -> Vec<WhyRow<'_>> {
        let surface = &self.snapshot.surface;
        let came = surface.dynamic.iter().chain(&surface.held).map(|one| one.name.as_str());
        let mut seen: BTreeSet<&str> = came.chain(surface.fixed.iter().map(|one| one.name.as_str())).collect();
        let routing = self.snapshot.last_routing();
        let mut rows: Vec<WhyRow> = Vec::new();
        let items = self.snapshot.catalogue.capabilities.iter();
        for item in items.filter(|item| seen.insert(item.name.as_str())) {
            let name = item.name.as_str();
            let score = routing.and_then(|routing| routing.scores.iter().find(|one| one.capability == name));
            let stage = routing.and_then(|routing| routing.ineligible.iter().find(|one| one.capability == name));
            let words = match stage {
                Some(one) => one.stage.sentence(),
                None if self.fits_domain(item) => item.title.clone(),
                None => format!("is for {}", item.domains.join(", ")),
            };
            rows.push(WhyRow {
                subject: name,
                noun: Noun::Capability,
                here: false,
                words,
                score: score.map(|one| one.score),
            });
        }
        let fits = |row: &WhyRow| {
            self.snapshot.catalogue.capabilities.iter().any(|item| item.name == row.subject && self.fits_domain(item))
        };
        rows.sort_by_cached_key(|row| {
            let score = row.score.map_or(i64::MAX, |score| -(f64::from(score) * 1e6) as i64);
            (score, !fits(row), row.subject)
        });
        rows
    }

    fn fits_domain(&self, item: &CatalogueItem) -> bool {
        item.domains.is_empty() || item.domains.contains(&self.snapshot.surface.domain)
    }

    fn idle_skills(&self) -> Vec<WhyRow<'_>> {
        let active = |name: &str| self.snapshot.skills.iter().any(|skill| skill.name == name);
        let mut seen = BTreeSet::new();
        let idle = self.snapshot.catalogue.skills.iter().filter(|item| !active(&item.name) && seen.insert(&item.name));
        let row = |item: &'_ CatalogueItem| item.title.clone();
        idle.map(|item| WhyRow { subject: &item.name, noun: Noun::Skill, here: false, words: row(item), score: None })
            .collect()
    }
}
