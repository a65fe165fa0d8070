use super::State;
use super::fuzzy::{Words, named_or_told};
use crate::proto::CatalogueItem;
use crate::text;
use crate::ui::composer::Offered;

/// An agent or role that a session can take on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AgentRow<'a> {
    /// What `/role` takes.
    pub tag: &'a str,
    /// Where it stands in the list; empty for what the configuration defines.
    pub domain: &'a str,
    /// `None` for a role of the configuration.
    pub item: Option<&'a CatalogueItem>,
    /// The session has it now.
    pub current: bool,
}

impl State {
    /// Takes up what `/role` and `/skill` can be completed to.
    pub fn know_agents(&mut self) {
        let offered = |item: &CatalogueItem| {
            let words = if item.title.trim().is_empty() { &item.description } else { &item.title };
            let clean = |words: &str| text::sanitize_line(words).into_owned();
            Offered { name: clean(&item.name), title: clean(words) }
        };
        let catalogue = &self.snapshot.catalogue;
        self.composer.agents = catalogue.agents.iter().map(offered).collect();
        self.composer.capabilities = catalogue.capabilities.iter().map(offered).collect();
        self.composer.skills = catalogue.skills.iter().map(offered).collect();
    }

    /// Agents and roles under a filter: by domain, of each the chief first; under a filter the best
    /// first.
    pub fn agent_rows(&self, filter: &str) -> Vec<AgentRow<'_>> {
        let snapshot = &self.snapshot;
        let current = |tag: &str| tag == snapshot.session.role;
        let mut rows: Vec<AgentRow> = Vec::new();
        for item in &snapshot.catalogue.agents {
            let tag = item.name.as_str();
            let domain = tag.split_once(':').map(|(domain, _)| domain);
            let domain = domain.or(item.domains.first().map(String::as_str)).unwrap_or_default();
            rows.push(AgentRow { tag, domain, item: Some(item), current: current(tag) });
        }
        let known = |tag: &str| snapshot.catalogue.agents.iter().any(|item| item.name == tag);
        let roles = self.composer.names.roles.iter().filter(|role| !known(role));
        rows.extend(roles.map(|role| AgentRow { tag: role, domain: "", item: None, current: current(role) }));
        rows.sort_by_key(|row| (row.domain, !row.tag.ends_with(":chief"), row.tag));
        let words = |row: &AgentRow| {
            let of = |pick: fn(&CatalogueItem) -> String| row.item.map(pick).unwrap_or_default();
            Words {
                name: row.tag.to_owned(),
                title: of(|item| item.title.clone()),
                whole: of(|item| format!("{} {}", item.domains.join(" "), item.tap)),
                told: of(|item| item.description.clone()),
            }
        };
        let mut rows = named_or_told(rows, filter, words);
        let start = filter.trim().to_lowercase();
        if !start.is_empty() {
            let begins = |tag: &str| tag.starts_with(&start) || tag.contains(&format!(":{start}"));
            rows.sort_by_key(|row| !begins(row.tag));
        }
        rows
    }
}
