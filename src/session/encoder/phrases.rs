//! Which phrases of a catalogue messages are likened to, and which of them are read first.

use std::collections::HashSet;

use crate::tap::skill::judge::in_reach;
use crate::tap::skill::rules::CheckKind;
use crate::tap::{Capability, Catalogue, Skill};

/// Phrases by whom they belong to, and the domain they are wanted in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrases {
    of: Vec<Owned>,
    domain: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Owned {
    name: String,
    domains: Vec<String>,
    texts: Vec<String>,
}

/// Of no owner: read in the order given.
impl From<Vec<String>> for Phrases {
    fn from(texts: Vec<String>) -> Self {
        Self { of: vec![Owned { texts, ..Owned::default() }], domain: String::new() }
    }
}

/// When an owner's phrases are read; what is less comes first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// How many were used since.
    Used(usize),
    /// Named by the owner.
    OfDomain,
    OpenToAll,
    /// They become of use in another role.
    OfOthers,
}

impl Phrases {
    /// Whether it is known whose they are.
    pub fn are_owned(&self) -> bool {
        self.of.iter().any(|owned| !owned.name.is_empty())
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.clone().in_order(&[]).len()
    }

    #[cfg(test)]
    pub fn owner_of(&self, text: &str) -> Option<String> {
        let owned = self.of.iter().find(|owned| owned.texts.iter().any(|own| own == text));
        owned.map(|owned| owned.name.clone())
    }

    /// Those of this domain before the rest.
    pub fn near(mut self, domain: &str) -> Self {
        domain.clone_into(&mut self.domain);
        self
    }

    /// What was used last, then what is of the domain, then the rest; each phrase once, and otherwise in
    /// the order it had. `used` has the latest first.
    pub fn in_order(self, used: &[String]) -> Vec<String> {
        let Self { mut of, domain } = self;
        of.sort_by_cached_key(|owned| owned.rank(used, &domain));
        once(of.iter().flat_map(|owned| &owned.texts).map(String::as_str))
    }
}

impl Owned {
    fn rank(&self, used: &[String], domain: &str) -> Rank {
        if let Some(since) = used.iter().position(|name| *name == self.name) {
            return Rank::Used(since);
        }
        if !domain.is_empty() && self.domains.iter().any(|of| of == domain) {
            return Rank::OfDomain;
        }
        match self.domains.is_empty() || self.domains.iter().any(|of| of == ANY) {
            true => Rank::OpenToAll,
            false => Rank::OfOthers,
        }
    }
}

/// A skill that is in reach everywhere says so.
const ANY: &str = "*";

/// Those of skills first: every message is likened to them.
pub fn phrases(catalogue: &Catalogue) -> Phrases {
    let of_skill = |skill: &Skill| Owned {
        name: skill.name.clone(),
        domains: skill.domains.clone(),
        texts: semantic(skill).map(str::to_owned).collect(),
    };
    let of_capability = |capability: &Capability| Owned {
        name: capability.name.clone(),
        domains: capability.domains.clone(),
        texts: capability.triggers.clone(),
    };
    let skills = catalogue.skills.iter().map(|skill| of_skill(skill));
    let capabilities = catalogue.capabilities.iter().map(|capability| of_capability(capability));
    let of = skills.chain(capabilities).filter(|owned| !owned.texts.is_empty()).collect();
    Phrases { of, domain: String::new() }
}

/// Those that the rules of skills in reach of the domain, and not active, ask for.
pub fn in_question(catalogue: &Catalogue, domain: &str, active: &[String]) -> Vec<String> {
    let skills = catalogue.skills.iter().filter(|skill| !active.contains(&skill.name) && in_reach(skill, domain));
    once(skills.flat_map(|skill| semantic(skill)))
}

fn semantic(skill: &Skill) -> impl Iterator<Item = &str> {
    skill.rules.iter().flat_map(|group| &group.checks).filter_map(|check| match &check.kind {
        CheckKind::Semantic { phrase, .. } => Some(phrase.as_str()),
        _ => None,
    })
}

fn once<'a>(phrases: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    phrases.filter(|phrase| !phrase.trim().is_empty() && seen.insert(*phrase)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(name: &str, domains: &[&str], texts: &[&str]) -> Owned {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Owned { name: name.to_owned(), domains: own(domains), texts: own(texts) }
    }

    fn offered() -> Phrases {
        let of = vec![
            owned("tea", &["*"], &["tea 1", "shared"]),
            owned("mail", &[], &["mail 1", "mail 2", " "]),
            owned("ships", &["sea"], &["ships 1"]),
            owned("pans", &["kitchen"], &["pans 1", "shared"]),
            owned("maps", &["sea", "kitchen"], &["maps 1"]),
        ];
        Phrases { of, domain: String::new() }
    }

    #[test]
    fn what_was_used_last_comes_first_then_the_domain_s_then_the_rest() {
        let cases: [(&[&str], &str, &str); 7] = [
            (&[], "", "tea 1, shared, mail 1, mail 2, ships 1, pans 1, maps 1"),
            (&[], "kitchen", "pans 1, shared, maps 1, tea 1, mail 1, mail 2, ships 1"),
            (&[], "nowhere", "tea 1, shared, mail 1, mail 2, ships 1, pans 1, maps 1"),
            (&["mail"], "sea", "mail 1, mail 2, ships 1, maps 1, tea 1, shared, pans 1"),
            (&["ships", "tea"], "kitchen", "ships 1, tea 1, shared, pans 1, maps 1, mail 1, mail 2"),
            (&["tea", "ships"], "kitchen", "tea 1, shared, ships 1, pans 1, maps 1, mail 1, mail 2"),
            (&["gone", "maps", "maps"], "", "maps 1, tea 1, shared, mail 1, mail 2, ships 1, pans 1"),
        ];
        for (used, domain, expected) in cases {
            let used: Vec<String> = used.iter().map(|name| (*name).to_owned()).collect();
            let found = offered().near(domain).in_order(&used).join(", ");
            assert_eq!(found, expected, "used {used:?} in {domain:?}");
        }
    }

    #[test]
    fn phrases_of_nobody_keep_their_order() {
        let plain = vec!["b".to_owned(), "a".to_owned(), "b".to_owned()];
        assert_eq!(Phrases::from(plain).in_order(&[String::new()]), ["b", "a"]);
    }
}
