//! Models over real sockets: a loopback endpoint that plays bytes as told.

mod endpoint;
mod http;
mod live;
mod through;

use std::time::Duration;

use futures::StreamExt;
use octomind::config::{Config, Env};
use octomind::model::{Delta, Message, Model, Part, Request, ToolSpec};
use octomind::proto::{Effort, Fault};
use tokio_util::sync::CancellationToken;

/// A configuration with one provider `acme` at this address.
fn config(base_url: &str, protocol: &str) -> Config {
    let mut config = Config::template();
    let provider = format!("base_url = '{base_url}'\nprotocol = '{protocol}'\napi_key_env = 'ACME_API_KEY'\n");
    config.providers.insert("acme".to_owned(), toml::from_str(&provider).unwrap());
    config
}

fn env() -> Env {
    Env::from_pairs([("ACME_API_KEY", "sk-very-secret-key-0123456789")])
}

fn request(text: &str) -> Request {
    Request {
        purpose: octomind::proto::Purpose::Main,
        system: "be brief".into(),
        tools: vec![ToolSpec {
            name: "ls".into(),
            description: "lists".into(),
            schema: serde_json::json!({"type": "object", "properties": {"p": {"type": "string"}}}),
        }],
        static_tools: 1,
        messages: vec![Message::User(vec![Part::Text(text.into())])],
        effort: Effort::Medium,
        max_tokens: 1000,
        temperature: 0.3,
        top_p: 0.9,
        top_k: 0,
        schema: None,
        idle_timeout: Duration::from_secs(20),
    }
}

async fn collect(model: &dyn Model, request: Request) -> (Vec<Delta>, Option<Fault>) {
    let mut stream = model.stream(request, CancellationToken::new());
    let (mut deltas, mut fault) = (Vec::new(), None);
    while let Some(item) = stream.next().await {
        match item {
            Ok(Delta::Alive | Delta::CallForming { .. }) => {}
            Ok(delta) => deltas.push(delta),
            Err(error) => fault = Some(error),
        }
    }
    (deltas, fault)
}

fn text(deltas: &[Delta]) -> String {
    deltas.iter().filter_map(|delta| if let Delta::Text(text) = delta { Some(text.as_str()) } else { None }).collect()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(30), work).await.expect("took too long") })
}
