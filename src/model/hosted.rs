//! A model behind one of the protocols we read ourselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fault::{self, Asked};
use super::prices::Facts;
use super::provider::{Key, Provider, Speech};
use super::responses::{self, Summaries};
use super::wire::{self, Decoder, Instead, Machine};
use super::{DeltaStream, Model, Request, Traits, anthropic, http, ollama, openai, prices};
use crate::proto::{Fault, ModelInfo};

/// The version of the messages protocol we write.
const ANTHROPIC_VERSION: &str = "2023-06-01";

#[derive(Debug, Clone)]
pub(super) struct Hosted {
    name: String,
    model: String,
    provider: Provider,
    asked: Asked,
    facts: Facts,
    /// The account is not let have summaries of the reasoning.
    no_summaries: Arc<AtomicBool>,
}

impl Hosted {
    pub(super) fn new(name: &str, model: String, provider: Provider) -> Self {
        let facts = prices::facts(&provider, &model);
        let asked = asked(&provider, &model);
        Self { name: name.to_owned(), model, provider, asked, facts, no_summaries: Arc::default() }
    }

    fn body(&self, request: &Request) -> Value {
        match &self.provider.speech {
            Speech::Chat(dialect) => openai::body(dialect, &self.model, request),
            Speech::Ollama => ollama::body(&self.model, request, self.facts.context_window),
            Speech::Responses => responses::body(&self.model, request, self.summaries()),
            _ => anthropic::body(&self.model, request),
        }
    }

    fn summaries(&self) -> Summaries {
        if self.no_summaries.load(Ordering::Relaxed) { Summaries::LeftOut } else { Summaries::Asked }
    }

    /// What to send when the account is refused summaries; it is not asked again after that.
    fn without_summaries(&self, request: &Request) -> Option<Instead> {
        if self.provider.speech != Speech::Responses || self.summaries() == Summaries::LeftOut {
            return None;
        }
        let (hosted, request) = (self.clone(), request.clone());
        let make = move || {
            hosted.no_summaries.store(true, Ordering::Relaxed);
            hosted.prepare(&request)
        };
        Some(Instead { when: "reasoning.summary", make: Box::new(make) })
    }

    fn prepare(&self, request: &Request) -> Result<reqwest::RequestBuilder, Fault> {
        let body = serde_json::to_vec(&self.body(request))
            .map_err(|error| fault::protocol(&self.asked, &error.to_string(), ""))?;
        let mut post = http::client()?.post(self.url()).header(CONTENT_TYPE, "application/json").body(body);
        if let Key::Found { value, variable } = &self.provider.key {
            let secret = |text: String| {
                let mut header = HeaderValue::from_str(&text).map_err(|_| bad_key(&self.asked, variable))?;
                header.set_sensitive(true);
                Ok::<_, Fault>(header)
            };
            post = match self.provider.speech {
                Speech::Messages => post.header("x-api-key", secret(value.clone())?),
                _ => post.header(AUTHORIZATION, secret(format!("Bearer {value}"))?),
            };
        }
        if self.provider.speech == Speech::Messages {
            post = post.header("anthropic-version", ANTHROPIC_VERSION);
        }
        Ok(post)
    }

    fn url(&self) -> String {
        let base = self.provider.base_url.trim_end_matches('/');
        match self.provider.speech {
            Speech::Messages if base.ends_with("/messages") => base.to_owned(),
            Speech::Messages if versioned(base) => format!("{base}/messages"),
            Speech::Messages => format!("{base}/v1/messages"),
            Speech::Ollama => format!("{base}/api/chat"),
            Speech::Responses if base.ends_with("/responses") => base.to_owned(),
            Speech::Responses => format!("{base}/responses"),
            _ if base.ends_with("/chat/completions") => base.to_owned(),
            _ => format!("{base}/chat/completions"),
        }
    }
}

/// Whether the address ends in a version, as in `/v1`.
fn versioned(base: &str) -> bool {
    let last = base.rsplit('/').next().unwrap_or_default();
    last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn bad_key(asked: &Asked, variable: &str) -> Fault {
    Fault::new(
        crate::proto::FaultKind::WrongKey,
        format!("The key for {} holds characters that no key has.", asked.provider),
        format!("Set {variable} anew, without line breaks or quotes inside."),
    )
}

pub(super) fn asked(provider: &Provider, model: &str) -> Asked {
    let key_variable = match &provider.key {
        Key::NotNeeded => None,
        Key::Missing { variable } | Key::Found { variable, .. } => Some(variable.clone()),
    };
    let host = reqwest::Url::parse(&provider.base_url)
        .ok()
        .and_then(|url| {
            let host = url.host_str()?.to_owned();
            Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
        })
        .unwrap_or_default();
    Asked { provider: provider.name.clone(), model: model.to_owned(), key_variable, host }
}

impl Model for Hosted {
    fn info(&self) -> ModelInfo {
        self.facts.info(&self.name)
    }

    fn traits(&self) -> Traits {
        self.facts.traits(&self.provider, &self.model)
    }

    fn takes_effort(&self) -> bool {
        self.provider.takes_effort(&self.model)
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> DeltaStream {
        let decoder = match self.provider.speech {
            Speech::Messages => Decoder::Messages(anthropic::Decoder::new(self.asked.clone())),
            Speech::Ollama => Decoder::Ollama(ollama::Decoder::new(self.asked.clone())),
            Speech::Responses => Decoder::Responses(responses::Decoder::new(self.asked.clone())),
            _ => Decoder::Chat(openai::Decoder::new(self.asked.clone())),
        };
        match self.prepare(&request) {
            Ok(post) => {
                let machine = Machine::new(self.asked.clone(), decoder);
                let deltas =
                    wire::stream(post, self.without_summaries(&request), machine, request.idle_timeout, cancel);
                prices::priced(deltas, self.facts.prices)
            }
            Err(fault) => Box::pin(futures::stream::iter([Err(fault)])),
        }
    }

    fn wire(&self, request: &Request) -> Value {
        self.body(request)
    }
}
