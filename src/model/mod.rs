//! Language models behind one small trait.
//!
//! Owns: [`Model`] and what goes in ([`Request`]) and comes out ([`Delta`], `Fault`); providers,
//! through `genai` and our own reading of the most used protocols; the scripted model; choosing
//! a model for `auto`; prices; building and repairing a request from history; token calibration.
//!
//! Does not own: the turn loop, retries in time, or anything shown on a screen.
//!
//! Invariant: a provider's stream, however broken, ends in either a finished message or one
//! `Fault` with a plain sentence. It never panics, hangs past its idle time, or loses text that
//! was already passed on.

mod anthropic;
pub mod build;
mod calls;
mod choose;
mod fault;
mod history;
mod hosted;
mod http;
mod ollama;
mod openai;
mod prices;
mod provider;
mod request;
mod responses;
pub mod script;
pub(crate) mod sse;
mod stream;
mod through_genai;
mod wire;

use std::sync::Arc;

pub use choose::{HttpProbe, LocalServer, Otherwise, Probe, choose};
pub use history::{History, HistoryItem, Voice};
pub use ollama::{ollama_context, prompt_was_cut};
pub use prices::cost;
pub use request::{Message, Part, Request, ToolResult, ToolSpec};
pub use stream::{Delta, DeltaStream, Model, RawCall, Replay, Traits};

use crate::config::{Config, Env};
use crate::proto::{Fault, FaultKind};

/// Providers whose models can be named here: own endpoints, then those whose key is set.
pub fn providers(config: &Config, env: &Env) -> Vec<String> {
    let set = |keys: &[&str]| keys.iter().any(|key| env.get(key).is_some());
    let keyed = provider::keyed().into_iter().filter(|row| set(row.keys)).map(|row| row.provider.to_owned());
    let mut names: Vec<String> = config.providers.keys().cloned().collect();
    names.extend(keyed);
    names.push("ollama".to_owned());
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Models that can be named in full here: `auto`, those of the configuration, and one of each provider
/// whose key is set.
pub fn named(config: &Config, env: &Env) -> Vec<String> {
    let set = |keys: &[&str]| keys.iter().any(|key| env.get(key).is_some());
    let roles = config.roles.iter().map(|role| &role.model);
    let overridden = roles.chain([&config.supervisor.model]).filter_map(|model| model.name.clone());
    let keyed = provider::keyed().into_iter().filter(|row| set(row.keys));
    let keyed = keyed.map(|row| format!("{}:{}", row.provider, row.model));
    let own = ["auto".to_owned(), config.model.name.clone()];
    let mut seen = std::collections::BTreeSet::new();
    let names = own.into_iter().chain(overridden).chain(keyed);
    names.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect()
}

/// Opens `provider:model`. `auto` must have been resolved before; the empty name is what it resolves to
/// when nothing is usable. Nothing is sent yet; a key that is
/// not there is a fault already.
pub fn open(name: &str, config: &Config, env: &Env) -> Result<Arc<dyn Model>, Fault> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Fault::new(
            FaultKind::NoKey,
            "No usable model was found: no key in the environment, no model server on this machine.",
            "Set a key such as ANTHROPIC_API_KEY, start a local server, or name a model with --model provider:model.",
        ));
    }
    if let Some(rest) = name.strip_prefix("script:") {
        return Ok(Arc::new(script::Scripted::open(rest)?));
    }
    let (provider, model) = provider::Provider::find(name, config, env)?;
    if let provider::Key::Missing { .. } = provider.key {
        return Err(fault::no_key(&hosted::asked(&provider, &model)));
    }
    Ok(match provider.speech {
        provider::Speech::Genai(kind) => Arc::new(through_genai::Through::new(name, model, provider, kind)),
        _ => Arc::new(hosted::Hosted::new(name, model, provider)),
    })
}
