//! What `auto` means on this machine.

use std::time::Duration;

use async_trait::async_trait;
use futures::future::join_all;

use super::provider::{self, Keyed};
use super::{http, wire};
use crate::config::Env;
use crate::proto::{Decision, ModelCandidate};

/// How long local servers may take to answer.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is left when nothing is usable.
const LAST: &str = "script:tour";

/// A server that may run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The prefix its models get.
    pub provider: &'static str,
    /// Its address, for people.
    pub address: String,
    /// Where it lists its models.
    pub list_url: String,
}

/// Asks local servers for their models.
#[async_trait]
pub trait Probe: Send + Sync {
    /// The models of the server, or why there are none, in a few words.
    async fn models(&self, server: &LocalServer) -> Result<Vec<String>, String>;
}

/// What `auto` means when neither a key nor a local server is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// The scripted tour: someone is there to see that it is a script.
    Tour,
    /// Nothing. A run that nobody watches must not take a script for an answer.
    Nothing,
}

/// Finds the model that `auto` stands for: the first key in the environment, else a local server,
/// else what `otherwise` says; the name is empty when that is nothing. Takes at most 200 ms.
pub async fn choose(env: &Env, probe: &dyn Probe, otherwise: Otherwise) -> (String, Decision) {
    let mut candidates = Vec::new();
    let mut chosen: Option<String> = None;
    for Keyed { provider, keys, model } in provider::keyed() {
        let found = keys.iter().find(|key| env.get(key).is_some());
        let name = format!("{provider}:{model}");
        let why = match (found, &chosen) {
            (None, _) => "not set".to_owned(),
            (Some(_), None) => "set, and first in the order".to_owned(),
            (Some(_), Some(first)) => format!("set, but {first} comes first"),
        };
        let source = (*found.or(keys.first()).unwrap_or(&"")).to_owned();
        candidates.push(ModelCandidate { source, model: name.clone(), usable: found.is_some(), why });
        if found.is_some() && chosen.is_none() {
            chosen = Some(name);
        }
    }
    let servers = servers(env);
    match &chosen {
        Some(_) => candidates.extend(servers.into_iter().map(|server| ModelCandidate {
            source: server.address,
            model: String::new(),
            usable: false,
            why: "not asked, because there is a key".to_owned(),
        })),
        None => {
            let answers = join_all(servers.iter().map(|server| ask(probe, server))).await;
            for (server, answer) in servers.into_iter().zip(answers) {
                let candidate = local(&server, answer, chosen.as_deref());
                if candidate.usable && chosen.is_none() {
                    chosen = Some(candidate.model.clone());
                }
                candidates.push(candidate);
            }
        }
    }
    let chosen = chosen.unwrap_or_else(|| {
        let (usable, name, why) = match otherwise {
            Otherwise::Tour => (true, LAST, "no key and no local server was found"),
            Otherwise::Nothing => (false, "", "a script is no answer where nobody watches"),
        };
        let (source, why) = ("built in".to_owned(), why.to_owned());
        candidates.push(ModelCandidate { source, model: LAST.to_owned(), usable, why });
        name.to_owned()
    });
    (chosen.clone(), Decision::ModelChosen { chosen, candidates })
}

fn servers(env: &Env) -> Vec<LocalServer> {
    ["ollama", "llamacpp", "lmstudio", "vllm"]
        .into_iter()
        .map(|provider| {
            let address = provider::address(provider, env);
            let path = if provider == "ollama" { "/api/tags" } else { "/models" };
            let list_url = format!("{}{path}", address.trim_end_matches('/'));
            LocalServer { provider, address, list_url }
        })
        .collect()
}

async fn ask(probe: &dyn Probe, server: &LocalServer) -> Result<Vec<String>, String> {
    match wire::within(PATIENCE, probe.models(server)).await {
        Some(answer) => answer,
        None => Err(format!("no answer in {} ms", PATIENCE.as_millis())),
    }
}

fn local(server: &LocalServer, answer: Result<Vec<String>, String>, before: Option<&str>) -> ModelCandidate {
    let none =
        |why: String| ModelCandidate { source: server.address.clone(), model: String::new(), usable: false, why };
    let models = match answer {
        Ok(models) => models,
        Err(why) => return none(why),
    };
    // Servers list models for embedding beside those that can talk.
    let talks = |model: &&String| !model.to_lowercase().contains("embed") && !model.to_lowercase().contains("rerank");
    let Some(model) = models.iter().find(talks) else {
        return none(format!("answers, but has no chat model among its {}", models.len()));
    };
    let why = match before {
        None => format!("answers with {} models, and is first in the order", models.len()),
        Some(first) => format!("answers, but {first} comes first"),
    };
    let model = format!("{}:{model}", server.provider);
    ModelCandidate { source: server.address.clone(), model, usable: true, why }
}

/// Asks over HTTP.
#[derive(Debug, Clone, Copy, Default)]
pub struct HttpProbe;

#[async_trait]
impl Probe for HttpProbe {
    async fn models(&self, server: &LocalServer) -> Result<Vec<String>, String> {
        let client = http::client().map_err(|fault| fault.message)?;
        let answer = client.get(&server.list_url).send().await;
        let response = answer.map_err(|_| "nothing listens there".to_owned())?;
        if !response.status().is_success() {
            return Err(format!("answers with status {}", response.status().as_u16()));
        }
        let body = response.bytes().await.map_err(|_| "the answer broke off".to_owned())?;
        let value: serde_json::Value =
            serde_json::from_slice(&body).map_err(|_| "answers, but not as a model server".to_owned())?;
        names(&value).ok_or_else(|| "answers, but not as a model server".to_owned())
    }
}

/// Ollama's list has `models[].name`, all others `data[].id`.
fn names(value: &serde_json::Value) -> Option<Vec<String>> {
    let (list, key) = match value["models"].as_array() {
        Some(list) => (list, "name"),
        None => (value["data"].as_array()?, "id"),
    };
    Some(list.iter().filter_map(|model| model[key].as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers for some providers; hangs for the one called "hang".
    struct Played(&'static [(&'static str, &'static [&'static str])], &'static str);

    #[async_trait]
    impl Probe for Played {
        async fn models(&self, server: &LocalServer) -> Result<Vec<String>, String> {
            if server.provider == self.1 {
                std::future::pending::<()>().await;
            }
            let found = self.0.iter().find(|(provider, _)| *provider == server.provider);
            found
                .map(|(_, models)| models.iter().map(|model| (*model).to_owned()).collect())
                .ok_or_else(|| "nothing listens there".to_owned())
        }
    }

    fn run(env: &[(&str, &str)], probe: &Played) -> (String, Vec<ModelCandidate>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let env = Env::from_pairs(env.iter().copied());
        let (name, decision) = runtime.block_on(choose(&env, probe, Otherwise::Tour));
        let Decision::ModelChosen { chosen, candidates } = decision else { panic!("{decision:?}") };
        assert_eq!(chosen, name);
        (name, candidates)
    }

    const NOBODY: Played = Played(&[], "");

    #[test]
    fn keys_are_taken_in_the_decided_order_and_the_others_are_named() {
        let both = [("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k"), ("XAI_API_KEY", "k")];
        let (name, candidates) = run(&both, &NOBODY);
        assert_eq!(name, "anthropic:claude-sonnet-4-6");
        let sources: Vec<&str> = candidates[..6].iter().map(|candidate| candidate.source.as_str()).collect();
        let order = [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "OPENROUTER_API_KEY",
            "GEMINI_API_KEY",
            "DEEPSEEK_API_KEY",
            "OCTOHUB_API_KEY",
        ];
        assert_eq!(sources, order);
        assert_eq!(candidates[1].why, "set, but anthropic:claude-sonnet-4-6 comes first");
        assert_eq!(candidates[2].why, "not set");
        assert!(candidates.iter().any(|c| c.source.contains(":11434") && c.why.starts_with("not asked")));
        assert_eq!(run(&[("OPENAI_API_KEY", ""), ("MISTRAL_API_KEY", "k")], &NOBODY).0, "mistral:mistral-large-latest");
    }

    #[test]
    fn without_a_key_a_local_server_is_used_and_a_slow_one_holds_nobody_up() {
        let played = Played(&[("lmstudio", &["nomic-embed", "qwen3"]), ("vllm", &["big"])], "ollama");
        let (name, candidates) = run(&[], &played);
        assert_eq!(name, "lmstudio:qwen3");
        let why = |part: &str| &candidates.iter().find(|c| c.source.contains(part)).unwrap().why;
        assert_eq!(why(":11434"), "no answer in 200 ms");
        assert_eq!(why(":8080"), "nothing listens there");
        assert_eq!(why(":8000"), "answers, but lmstudio:qwen3 comes first");
    }

    #[test]
    fn where_nobody_watches_a_script_is_no_answer() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let env = Env::from_pairs(Vec::<(&str, &str)>::new());
        let (name, decision) = runtime.block_on(choose(&env, &NOBODY, Otherwise::Nothing));
        assert_eq!(name, "");
        let Decision::ModelChosen { chosen, candidates } = decision else { panic!("{decision:?}") };
        assert_eq!(chosen, "");
        assert!(candidates.iter().all(|candidate| !candidate.usable));
    }

    #[test]
    fn with_nothing_at_all_there_is_the_tour() {
        let (name, candidates) = run(&[("OLLAMA_HOST", "box:9")], &Played(&[("ollama", &["nomic-embed-text"])], ""));
        assert_eq!(name, "script:tour");
        assert_eq!(candidates.last().map(|c| (c.model.as_str(), c.usable)), Some(("script:tour", true)));
        let ollama = candidates.iter().find(|c| c.source == "http://box:9").unwrap();
        assert_eq!(ollama.why, "answers, but has no chat model among its 1");
    }
}
