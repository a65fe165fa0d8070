//! Models whose protocol `genai` speaks for us: Gemini, Cohere.
//!
//! genai builds the request, sends it over our client, and reads the stream. What we add, each with
//! the case that needs it: an error object inside a 200 stream is passed over by genai's Gemini reader
//! (`error200`), so every frame is looked at; a stream that ends without its last event looks complete
//! (`cut`).

mod convert;
mod reply;

use genai::adapter::AdapterKind;
use genai::chat::ChatOptions;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fault::Asked;
use super::prices::{self, Facts};
use super::provider::{Key, Provider};
use super::{DeltaStream, Model, Request, Traits, hosted, http};
use crate::proto::ModelInfo;
use reply::Watch;

#[derive(Debug)]
pub(super) struct Through {
    name: String,
    model: String,
    provider: Provider,
    kind: AdapterKind,
    asked: Asked,
    facts: Facts,
}

impl Through {
    pub(super) fn new(name: &str, model: String, provider: Provider, kind: AdapterKind) -> Self {
        let facts = prices::facts(&provider, &model);
        let asked = hosted::asked(&provider, &model);
        Self { name: name.to_owned(), model, provider, kind, asked, facts }
    }

    fn target(&self) -> ServiceTarget {
        // genai joins paths to the address, so it must end in a slash.
        let address = format!("{}/", self.provider.base_url.trim_end_matches('/'));
        let key = match &self.provider.key {
            Key::Found { value, .. } => value.clone(),
            Key::NotNeeded | Key::Missing { .. } => "none".to_owned(),
        };
        ServiceTarget {
            endpoint: Endpoint::from_owned(address),
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.kind, self.model.clone()),
        }
    }

    fn options(&self, request: &Request) -> ChatOptions {
        convert::options(self.kind, &self.model, request)
    }
}

impl Model for Through {
    fn info(&self) -> ModelInfo {
        self.facts.info(&self.name)
    }

    fn traits(&self) -> Traits {
        self.facts.traits(&self.provider, &self.model)
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> DeltaStream {
        let client = match http::client() {
            Ok(client) => Client::builder().with_reqwest(client).build(),
            Err(fault) => return Box::pin(futures::stream::iter([Err(fault)])),
        };
        let watch = Watch::new(self.asked.clone(), request.idle_timeout);
        let client = match client {
            Ok(client) => client,
            Err(error) => return Box::pin(futures::stream::iter([Err(watch.fault(&error))])),
        };
        let options = watch.with(self.options(&request));
        let deltas = reply::stream(client, self.target(), convert::request(&request), options, watch, cancel);
        prices::priced(deltas, self.facts.prices)
    }

    /// What is handed to genai; the provider's own JSON is made inside it.
    fn wire(&self, request: &Request) -> Value {
        let mut body = serde_json::to_value(convert::request(request)).unwrap_or_default();
        body["model"] = self.model.clone().into();
        body
    }
}
