//! What a command can be given where the caret stands.

use super::completion::{MAX_CANDIDATES, takes_at};
use super::{Candidate, Composer, Offer, Offered};
use crate::proto::slash_takes::Takes;
use crate::ui::state::filtered;

/// One thing that can be given.
struct Given {
    name: String,
    doc: String,
    /// Nothing has to follow it.
    whole: bool,
    /// The part after the colon begins it too: that is what one remembers of it.
    inner: bool,
}

impl Given {
    fn fits(&self, lower: &str) -> bool {
        let name = self.name.to_lowercase();
        let inner = self.inner
            && name.split_once(':').is_some_and(|(_, rest)| rest.split('/').any(|part| part.starts_with(lower)));
        (name.starts_with(lower) || inner) && (self.whole || name != lower)
    }
}

impl Composer {
    /// What is typed already and means something stands first, so that enter does not make another of it.
    pub(super) fn arguments(&self, query: &str) -> Vec<Candidate> {
        let before = &self.draft.text[..self.draft.caret];
        let Some(takes) = takes_at(before) else { return Vec::new() };
        let lower = query.to_lowercase();
        let mut given: Vec<Given> = takes.iter().flat_map(|takes| self.givens(*takes, query)).collect();
        if !takes.contains(&Takes::Session) {
            given.retain(|one| one.fits(&lower));
        }
        given.sort_by_key(|one| one.name.to_lowercase() != lower);
        let candidate = |Given { name, doc, whole, .. }| Candidate {
            label: name.clone(),
            detail: String::new(),
            doc,
            insert: name,
            whole,
        };
        given.into_iter().map(candidate).collect()
    }

    fn givens(&self, takes: Takes, query: &str) -> Vec<Given> {
        let told = |one: &Offered| Given { name: one.name.clone(), doc: one.title.clone(), whole: true, inner: false };
        let offers = |offer: Offer| self.offers.get(&offer).map(Vec::as_slice).unwrap_or_default();
        match takes {
            Takes::Words(words) => {
                let given = |word: &crate::proto::slash_takes::Word| Given {
                    name: word.word.to_owned(),
                    doc: word.doc.to_owned(),
                    whole: !word.more,
                    inner: false,
                };
                words.iter().map(given).collect()
            }
            Takes::Model => self.models(),
            Takes::Role => self.roles().iter().map(|role| Given { inner: true, ..told(role) }).collect(),
            Takes::Skill => self.skills.iter().map(told).collect(),
            Takes::Capability => self.capabilities.iter().map(told).collect(),
            Takes::Switch => self.switches.iter().map(told).collect(),
            Takes::Turn => offers(Offer::Turns).iter().map(told).collect(),
            Takes::Theme => offers(Offer::Themes).iter().map(told).collect(),
            Takes::Session => {
                // Names are made of dates; what a session is about is what one remembers.
                let words = |one: &&Offered| format!("{} {}", one.name, one.title);
                let rows = offers(Offer::Sessions).iter().collect();
                filtered(rows, query, words).into_iter().take(MAX_CANDIDATES).map(told).collect()
            }
        }
    }

    /// Providers first: after one of them a model's name is typed.
    fn models(&self) -> Vec<Given> {
        let given = |name: String, whole: bool| Given { name, doc: String::new(), whole, inner: whole };
        let providers = self.names.providers.iter().map(|name| given(format!("{name}:"), false));
        let models = self.names.models.iter().map(|name| given(name.clone(), true));
        providers.chain(models).collect()
    }

    /// Roles, domains that have a chief, and agents.
    fn roles(&self) -> Vec<Offered> {
        let agent = |name: &str| self.agents.iter().any(|agent| agent.name == name);
        let roles = self.names.roles.iter().filter(|role| !agent(role));
        let roles = roles.map(|name| Offered { name: name.clone(), title: "a role of the configuration".to_owned() });
        let domains = self.agents.iter().filter_map(|agent| {
            let domain = agent.name.strip_suffix(":chief")?;
            let known = self.names.roles.iter().any(|role| role == domain);
            (!known).then(|| Offered { name: domain.to_owned(), title: agent.title.clone() })
        });
        roles.chain(domains).chain(self.agents.iter().cloned()).collect()
    }
}
