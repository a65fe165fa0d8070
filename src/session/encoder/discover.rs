//! Looking through the capabilities of a catalogue for one that does what is wanted.

use crate::embed::discover::{self, Entry, Method};
use crate::embed::{Beside, Vector};
use crate::tap::{self, Catalogue};

/// What was found, and how it was looked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    pub method: Method,
    /// Why words were compared and not meaning; one clause.
    pub fallback: Option<String>,
    /// Best first.
    pub found: Vec<Capability>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Capability {
    pub name: String,
    pub title: String,
    pub description: String,
    pub score: f32,
}

impl Discovered {
    /// One sentence: how it was looked for.
    pub fn sentence(&self) -> String {
        match &self.fallback {
            None => "Compared by meaning.".to_owned(),
            Some(why) => format!("Compared by words: {why}."),
        }
    }
}

/// Searches what is open to the domain; capabilities without triggers are named by manifests only.
/// `query` beside the phrases of the index, or why there is none.
pub fn discover(
    catalogue: &Catalogue,
    domain: &str,
    query: &str,
    beside: Result<&Beside, &dyn std::fmt::Display>,
) -> Discovered {
    let open = open_to(catalogue, domain);
    let vectors: Vec<Vec<Vector>> = open
        .iter()
        .map(|capability| {
            let triggers = capability.triggers.iter().map(String::as_str);
            beside.as_ref().map(|beside| beside.index.all(triggers)).unwrap_or_default()
        })
        .collect();
    let unread = vectors.iter().filter(|known| known.is_empty()).count();
    let (intent, fallback) = match beside {
        Err(why) => (None, Some(why.to_string())),
        // One without a vector would never be found, and nobody would know.
        Ok(_) if unread > 0 => (None, Some(format!("the triggers of {unread} of {} are not read yet", open.len()))),
        Ok(beside) => (Some(&beside.message), None),
    };
    let entries: Vec<Entry<'_>> =
        open.iter().zip(&vectors).map(|(capability, known)| entry(capability, known)).collect();
    let found = discover::discover(query, intent, &entries);
    let hits = found.hits.iter().filter_map(|hit| {
        let entry = entries.iter().find(|entry| entry.name == hit.name)?;
        Some(Capability {
            name: entry.name.to_owned(),
            title: entry.title.to_owned(),
            description: entry.description.to_owned(),
            score: hit.score,
        })
    });
    let fallback = fallback.filter(|_| found.method == Method::Words);
    Discovered { method: found.method, fallback, found: hits.collect() }
}

/// The first of each name; none of another domain.
fn open_to<'c>(catalogue: &'c Catalogue, domain: &str) -> Vec<&'c tap::Capability> {
    let named = catalogue.capabilities.chunk_by(|one, other| one.name == other.name);
    let firsts = named.filter_map(|of_name| of_name.first()).map(AsRef::as_ref);
    let open = |capability: &&tap::Capability| {
        let domains = &capability.domains;
        domains.is_empty() || (!domain.is_empty() && domains.iter().any(|of| of == domain))
    };
    firsts.filter(open).filter(|capability| !capability.triggers.is_empty()).collect()
}

fn entry<'c>(capability: &'c tap::Capability, phrases: &'c [Vector]) -> Entry<'c> {
    let provider = capability.providers.iter().find(|provider| provider.name == "default");
    let provider = provider.or_else(|| capability.providers.first());
    Entry {
        name: &capability.name,
        title: provider.map_or("", |provider| provider.title.as_str()),
        description: provider.map_or("", |provider| provider.description.as_str()),
        triggers: &capability.triggers,
        phrases,
    }
}
