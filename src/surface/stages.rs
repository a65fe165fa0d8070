//! Where a capability stops before it is compared. The stages are looked at in the order of [`Stage`].

use super::{Offer, Surface};
use crate::proto::{Cause, Ineligible, OfferedCapability, Stage};

/// Whether the domain may have it. Without a domain only what is for every one.
pub fn in_domain(offer: &Offer, domain: &str) -> bool {
    of_domain(&offer.capability.domains, domain)
}

pub(super) fn of_domain(domains: &[String], domain: &str) -> bool {
    domains.is_empty() || (!domain.is_empty() && domains.iter().any(|of| of == domain))
}

/// Whether a stage holds for a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope<'a> {
    /// Chosen by comparing.
    Compared,
    /// As far as that holds whatever is on.
    Listed,
    /// Named: phrases are not needed. Whether triggers are depends on by whom.
    Named(&'a Cause),
    /// Named by a skill, which may refer to what is there already.
    Held,
}

impl Surface {
    /// Those that can be compared, and where each other one stopped.
    ///
    /// `ready`: whether a variable is set and not empty. `compared`: whether every trigger of the
    /// capability has a vector.
    pub fn eligible<'a>(
        &self,
        offers: &'a [Offer],
        ready: &dyn Fn(&str) -> bool,
        compared: &dyn Fn(&str) -> bool,
    ) -> (Vec<&'a Offer>, Vec<Ineligible>) {
        let mut eligible = Vec::with_capacity(offers.len());
        let mut ineligible = Vec::new();
        for offer in offers {
            let unread = |_| if compared(offer.name()) { Ok(()) } else { Err(Stage::PhrasesUnready) };
            match self.pass(offer, Scope::Compared, ready).and_then(unread) {
                Ok(()) => eligible.push(offer),
                Err(stage) => ineligible.push(Ineligible {
                    capability: offer.name().to_owned(),
                    tap: offer.tap().to_owned(),
                    stage,
                    score: None,
                }),
            }
        }
        (eligible, ineligible)
    }

    /// Each with the stage that it does not pass whatever is said; whether it is on does not matter.
    pub fn offered(&self, offers: &[Offer], ready: &dyn Fn(&str) -> bool) -> Vec<OfferedCapability> {
        let offered = |offer: &Offer| OfferedCapability {
            name: offer.name().to_owned(),
            tap: offer.tap().to_owned(),
            title: offer.title.clone(),
            stage: self.pass(offer, Scope::Listed, ready).err(),
        };
        offers.iter().map(offered).collect()
    }

    /// The provider, or the first stage that the capability does not pass.
    pub(super) fn pass<'a>(
        &self,
        offer: &'a Offer,
        scope: Scope<'_>,
        ready: &dyn Fn(&str) -> bool,
    ) -> Result<&'a str, Stage> {
        let provider = offer.provider.as_ref().map_err(|why| Stage::Unresolved { why: why.clone() })?;
        let by_triggers = match scope {
            Scope::Compared | Scope::Listed | Scope::Named(Cause::Auto | Cause::Model) => true,
            Scope::Named(_) | Scope::Held => false,
        };
        if by_triggers && offer.capability.triggers.is_empty() {
            return Err(Stage::NoTriggers);
        }
        if !matches!(scope, Scope::Held | Scope::Listed) && self.has(offer.name()) {
            return Err(Stage::Active);
        }
        if !in_domain(offer, self.domain()) {
            let (domain, domains) = (self.role.domain.clone(), offer.capability.domains.clone());
            return Err(Stage::OutOfDomain { domain, domains });
        }
        let missing: Vec<String> = offer.environment.iter().filter(|key| !ready(key)).cloned().collect();
        if missing.is_empty() { Ok(provider) } else { Err(Stage::EnvironmentUnready { missing }) }
    }
}
