//! What the capabilities of a catalogue come to in one session.
//!
//! Owns: which servers, scripts and values each capability stands for here ([`Book`]), what has a value
//! ([`Readiness`]), running scripts, to which capability a tool belongs that is not there.
//!
//! Does not own: what is decided (`crate::surface`), when, and what is told (`actor`), vectors
//! (`encoder`).
//!
//! Invariant: nothing is started here. A capability that cannot be had is an offer with its reason, never
//! one less.

mod book;
mod owners;
mod scripts;
mod vectors;

use std::collections::BTreeMap;
use std::sync::PoisonError;

pub(super) use book::Book;
pub(super) use owners::owner;
pub(super) use vectors::Vectors;

use super::server_specs::connectable;
use super::starting::Parts;
use crate::config::Env;
use crate::config::schema::Server;
use crate::mcp::ServerSpec;

/// How a value that a person is asked for is told from a variable of the environment.
pub const INPUT: &str = "INPUT:";

/// What capabilities are made from in this session.
#[derive(Debug)]
pub struct Wares {
    parts: Parts,
}

impl Wares {
    pub(super) fn new(parts: Parts) -> Self {
        Self { parts }
    }

    /// Reads the catalogue if nothing did; not for an async thread.
    pub fn book(&self, role: &str) -> Book {
        Book::new(self.parts.offers.catalogue(), &self.parts.loaded.config, role)
    }

    /// Names that `OCTOMIND_CAPABILITIES` asks for.
    pub fn wanted_by_environment(&self) -> Vec<String> {
        let env = self.parts.env.read().unwrap_or_else(PoisonError::into_inner);
        let names = env.get("OCTOMIND_CAPABILITIES").unwrap_or_default().split(',').map(str::trim);
        names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
    }

    /// What has a value now.
    pub fn readiness(&self) -> Readiness {
        self.parts.with_values(|values| Readiness { env: values.env.clone(), inputs: values.inputs.clone() })
    }

    /// Takes up what `.env` files say now; reads them.
    pub fn read_again(&self) {
        let before = self.parts.env.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (now, _) = before.read_again(&self.parts.paths, &self.parts.workdir);
        *self.parts.env.write().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// A server of a capability, ready to be started with this filter (`None` = all tools).
    ///
    /// # Errors
    /// One sentence: why it cannot be had.
    pub fn spec(&self, server: &Server, capability: &str, tools: Option<Vec<String>>) -> Result<ServerSpec, String> {
        let by = format!("capability {capability}");
        let env = self.parts.env.read().unwrap_or_else(PoisonError::into_inner);
        connectable(server, tools.unwrap_or_default(), (by.clone(), by), &env)
    }
}

/// What had a value when it was looked at.
#[derive(Debug, Clone)]
pub struct Readiness {
    env: Env,
    inputs: BTreeMap<String, String>,
}

impl Readiness {
    /// Set but empty counts as unset.
    pub fn has(&self, key: &str) -> bool {
        match key.strip_prefix(INPUT) {
            Some(input) => self.inputs.get(input).is_some_and(|value| !value.is_empty()),
            None => self.env.get(key).is_some(),
        }
    }
}

#[cfg(test)]
mod tests;
