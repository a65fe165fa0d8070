//! Which capability a reference means, and which of its providers.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::nearest_name;
use crate::tap::{Broken, Capability, Catalogue, PartKind, Provider, Tap, TapKind};

/// The provider that is taken when nothing else is said.
const DEFAULT: &str = "default";
/// A pin to this owner means the built-in tap, or the starter tap for what that has not.
pub const BASELINE: &str = "octomind";

/// What a reference came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// As written: `shell` or `octomind/shell`.
    pub reference: String,
    pub capability: Arc<Capability>,
    /// Index into the capability's providers.
    pub provider_index: usize,
    /// One sentence: why this tap and this provider.
    pub why: String,
    /// A provider that `[capabilities]` names and that nobody has.
    pub ignored: Option<String>,
}

impl Choice {
    pub fn provider(&self) -> &Provider {
        &self.capability.providers[self.provider_index]
    }

    /// What the provider is called, links followed.
    pub fn provider_name(&self) -> &str {
        let provider = self.provider();
        provider.links_to.as_deref().unwrap_or(&provider.name)
    }
}

/// Why a reference means nothing that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityError {
    #[error("no tap has a capability `{name}`{hint}")]
    Unknown { name: String, hint: String },
    /// It is there, and cannot be used.
    #[error("the capability {0}")]
    Broken(Box<Broken>),
    #[error("`{owner}` has no capability `{name}`{hint}")]
    NotInTap { owner: String, name: String, hint: String },
    #[error("no connected tap is of `{owner}`, which `{owner}/{name}` is pinned to; connect it with `octomind tap`")]
    NoSuchOwner { owner: String, name: String },
    #[error("capability `{name}` of {tap} has no default provider; name one of {providers} in [capabilities]")]
    NoProvider { name: String, tap: String, providers: String },
}

/// Finds the capability and the provider.
///
/// A pin, `octomind/<name>`, `<owner>/<name>` or `<owner>/<tap>/<name>`, is looked up in that tap only. A bare name is looked
/// up in the tap of the agent that refers to it, then in all taps in order. The provider is what
/// `[capabilities]` says for the bare name, in that capability or, when it has none of that name, in
/// the next tap's capability of the same name that has; otherwise the default.
///
/// # Errors
/// When there is no such capability, or none of its providers can be chosen.
pub fn choose(
    reference: &str,
    own: Option<&Tap>,
    catalogue: &Catalogue,
    providers: &BTreeMap<String, String>,
) -> Result<Choice, CapabilityError> {
    let (candidates, of) = candidates(reference, own, catalogue)?;
    let name = bare(reference);
    let wanted = providers.get(name).map(String::as_str);
    let choice = |capability: &Arc<Capability>, provider_index, why, ignored| Choice {
        reference: reference.to_owned(),
        capability: capability.clone(),
        provider_index,
        why,
        ignored,
    };
    if let Some(wanted) = wanted {
        for capability in &candidates {
            if let Some(index) = capability.providers.iter().position(|provider| provider.name == wanted) {
                let first = capability.tap.name == candidates[0].tap.name;
                let instead = match first {
                    true => String::new(),
                    false => format!("; {} has no such provider", candidates[0].tap.name),
                };
                let why = format!("[capabilities] names the provider `{wanted}`{instead}");
                return Ok(choice(capability, index, why, None));
            }
        }
    }
    let capability = &candidates[0];
    let index = capability.providers.iter().position(|provider| provider.name == DEFAULT).ok_or_else(|| {
        CapabilityError::NoProvider {
            name: name.to_owned(),
            tap: capability.tap.name.clone(),
            providers: names(capability),
        }
    })?;
    let ignored = wanted.map(|wanted| {
        format!(
            "[capabilities] names the provider `{wanted}` for `{name}`, which no tap has; its default was taken, there are: {}",
            names(capability)
        )
    });
    Ok(choice(capability, index, format!("{of}; its default provider"), ignored))
}

/// The name without its pin.
pub(super) fn bare(reference: &str) -> &str {
    reference.rsplit_once('/').map_or(reference, |(_, name)| name)
}

/// The capabilities that may be meant, the first is; and why. Never empty.
fn candidates<'catalogue>(
    reference: &str,
    own: Option<&Tap>,
    catalogue: &'catalogue Catalogue,
) -> Result<(Vec<&'catalogue Arc<Capability>>, String), CapabilityError> {
    let Some((owner, name)) = reference.rsplit_once('/') else { return by_priority(reference, own, catalogue) };
    let of_owner = |tap: &Tap| match owner {
        BASELINE => matches!(tap.kind, TapKind::BuiltIn { .. } | TapKind::Starter),
        _ => tap.owner() == owner || tap.name == owner,
    };
    let found: Vec<_> = catalogue.capabilities_named(name).iter().filter(|one| of_owner(&one.tap)).collect();
    if !found.is_empty() {
        return Ok((found, format!("pinned to `{owner}`")));
    }
    let of_that_owner = |broken: &Broken| catalogue.tap(&broken.tap).is_some_and(|tap| of_owner(tap));
    if let Some(broken) = catalogue.broken(PartKind::Capability, name).filter(of_that_owner) {
        return Err(CapabilityError::Broken(Box::new(broken)));
    }
    if !catalogue.taps.iter().any(|tap| of_owner(tap)) {
        return Err(CapabilityError::NoSuchOwner { owner: owner.to_owned(), name: name.to_owned() });
    }
    let hint = near(name, catalogue.capabilities.iter().filter(|one| of_owner(&one.tap)));
    Err(CapabilityError::NotInTap { owner: owner.to_owned(), name: name.to_owned(), hint })
}

fn by_priority<'catalogue>(
    name: &str,
    own: Option<&Tap>,
    catalogue: &'catalogue Catalogue,
) -> Result<(Vec<&'catalogue Arc<Capability>>, String), CapabilityError> {
    let mut found: Vec<_> = catalogue.capabilities_named(name).iter().collect();
    let is_own = |one: &&Arc<Capability>| own.is_some_and(|own| own.name == one.tap.name);
    // A stable sort: the agent's own tap first, the others as they are.
    found.sort_by_key(|one| !is_own(one));
    match found.first() {
        Some(first) if is_own(first) => {
            let why = format!("from the agent's own tap {}", first.tap.name);
            Ok((found, why))
        }
        Some(first) => {
            let why = format!("{} is the first tap that has it", first.tap.name);
            Ok((found, why))
        }
        None => {
            if let Some(broken) = catalogue.broken(PartKind::Capability, name) {
                return Err(CapabilityError::Broken(Box::new(broken)));
            }
            let hint = near(name, catalogue.capabilities.iter());
            Err(CapabilityError::Unknown { name: name.to_owned(), hint })
        }
    }
}

fn near<'one>(name: &str, among: impl Iterator<Item = &'one Arc<Capability>>) -> String {
    nearest_name(name, among.map(|one| one.name.as_str()))
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn names(capability: &Capability) -> String {
    capability.providers.iter().map(|provider| provider.name.as_str()).collect::<Vec<_>>().join(", ")
}
