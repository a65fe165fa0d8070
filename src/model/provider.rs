//! Which providers there are and how each is spoken to.

use genai::adapter::AdapterKind;

use super::openai::{Carrier, Dialect, EffortStyle, Sampling};
use super::{Replay, anthropic};
use crate::config::schema::{Prices, Protocol};
use crate::config::{Config, Env};
use crate::proto::{Fault, FaultKind};

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Chat(Dialect),
    Messages,
    Ollama,
    Responses,
    Genai(AdapterKind),
}

/// A provider as the table knows it.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The prefix, then other spellings of it.
    names: &'static [&'static str],
    base_url: &'static str,
    /// Variables that may hold the key, best first; none = no key is needed.
    keys: &'static [&'static str],
    family: Family,
    /// What `auto` uses there; empty = `auto` passes it over.
    first: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Family {
    /// Chat protocol, reasoning effort as a plain word.
    Effort,
    /// Chat protocol, nothing special.
    Plain,
    OpenAi,
    OpenRouter,
    /// Chat protocol that demands reasoning back.
    Thinking,
    Messages,
    Ollama,
    Genai(AdapterKind),
}

const fn row(
    names: &'static [&'static str],
    base_url: &'static str,
    keys: &'static [&'static str],
    family: Family,
    first: &'static str,
) -> Row {
    Row { names, base_url, keys, family, first }
}

/// Addresses as the providers document them (and genai 0.7 has them).
#[rustfmt::skip]
const TABLE: &[Row] = &[
    row(&["anthropic"], "https://api.anthropic.com/v1", &["ANTHROPIC_API_KEY"], Family::Messages, "claude-sonnet-4-6"),
    row(&["openai"], "https://api.openai.com/v1", &["OPENAI_API_KEY"], Family::OpenAi, "gpt-5-mini"),
    row(&["openrouter"], "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY", "OPEN_ROUTER_API_KEY"], Family::OpenRouter, "anthropic/claude-sonnet-4.6"),
    row(&["google-studio", "gemini"], "https://generativelanguage.googleapis.com/v1beta", &["GEMINI_API_KEY", "GOOGLE_API_KEY"], Family::Genai(AdapterKind::Gemini), "gemini-2.5-flash"),
    row(&["deepseek"], "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"], Family::Thinking, "deepseek-chat"),
    row(&["octohub"], "https://hub.octomind.run/v1", &["OCTOHUB_API_KEY"], Family::Effort, "auto"),
    row(&["xai"], "https://api.x.ai/v1", &["XAI_API_KEY"], Family::Plain, "grok-4"),
    row(&["groq"], "https://api.groq.com/openai/v1", &["GROQ_API_KEY"], Family::Plain, "openai/gpt-oss-120b"),
    row(&["mistral"], "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"], Family::Plain, "mistral-large-latest"),
    row(&["cerebras"], "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"], Family::Plain, "gpt-oss-120b"),
    row(&["together"], "https://api.together.xyz/v1", &["TOGETHER_API_KEY"], Family::Plain, "openai/gpt-oss-120b"),
    row(&["fireworks"], "https://api.fireworks.ai/inference/v1", &["FIREWORKS_API_KEY"], Family::Plain, "accounts/fireworks/models/gpt-oss-120b"),
    row(&["moonshot", "kimi"], "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY", "KIMI_API_KEY"], Family::Thinking, "kimi-k2.5"),
    row(&["zai"], "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY"], Family::Thinking, "glm-5"),
    row(&["minimax"], "https://api.minimax.io/anthropic/v1", &["MINIMAX_API_KEY"], Family::Messages, "MiniMax-M2"),
    row(&["nvidia"], "https://integrate.api.nvidia.com/v1", &["NVIDIA_API_KEY"], Family::Plain, "openai/gpt-oss-120b"),
    row(&["alibaba"], "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", &["ALIBABA_API_KEY", "DASHSCOPE_API_KEY"], Family::Plain, "qwen3-max"),
    row(&["featherless"], "https://api.featherless.ai/v1", &["FEATHERLESS_API_KEY"], Family::Plain, ""),
    row(&["cohere"], "https://api.cohere.com/v1", &["COHERE_API_KEY"], Family::Genai(AdapterKind::Cohere), "command-a-03-2025"),
    row(&["ollama"], "http://localhost:11434", &[], Family::Ollama, ""),
    row(&["local"], "http://localhost:11434/v1", &[], Family::Plain, ""),
    row(&["llamacpp"], "http://localhost:8080/v1", &[], Family::Plain, ""),
    row(&["lmstudio"], "http://localhost:1234/v1", &[], Family::Plain, ""),
    row(&["vllm"], "http://localhost:8000/v1", &[], Family::Plain, ""),
];

/// The providers `auto` looks at first, by what a key in the environment usually means.
const AUTO_ORDER: [&str; 6] = ["anthropic", "openai", "openrouter", "google-studio", "deepseek", "octohub"];

/// One provider, resolved against configuration and environment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Provider {
    pub(super) name: String,
    pub(super) base_url: String,
    pub(super) speech: Speech,
    pub(super) key: Key,
    pub(super) prices: Option<Prices>,
    pub(super) context_window: Option<u64>,
    /// Whether its models take images; `None` = by the model's name.
    pub(super) images: Option<bool>,
    pub(super) place: Place,
}

/// Whose the machine is: prices and windows in our table are those of hosted models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Hosted,
    /// Served at home, or configured by hand.
    Own,
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Key {
    NotNeeded,
    Missing { variable: String },
    Found { variable: String, value: String },
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotNeeded => f.write_str("NotNeeded"),
            Self::Missing { variable } => write!(f, "Missing({variable})"),
            Self::Found { variable, .. } => write!(f, "Found({variable})"),
        }
    }
}

impl Provider {
    /// Finds the provider of `name` (`provider:model`) and gives it with the model's own name.
    pub(super) fn find(name: &str, config: &Config, env: &Env) -> Result<(Self, String), Fault> {
        let (prefix, model) = name.split_once(':').unwrap_or(("", name));
        if let Some(custom) = config.providers.get(prefix) {
            return need_model(prefix, model).map(|model| (Self::custom(prefix, custom, model, env), model.to_owned()));
        }
        let Some(row) = TABLE.iter().find(|row| row.names.contains(&prefix)) else {
            return Err(unknown(name, config));
        };
        let model = need_model(prefix, model)?;
        Ok((Self::known(row, prefix, model, env), model.to_owned()))
    }

    fn known(row: &Row, prefix: &str, model: &str, env: &Env) -> Self {
        let upper = prefix.to_uppercase().replace('-', "_");
        let given = env.get(&format!("{upper}_API_URL")).map(|url| url.trim_end_matches('/').to_owned());
        let base_url = match (prefix, given) {
            // The hub's variable is its root; all other services of it share it.
            ("octohub", Some(url)) if !url.contains("/v1") => format!("{url}/v1"),
            (_, Some(url)) => url,
            ("ollama", None) => env.get("OLLAMA_HOST").map_or_else(|| row.base_url.to_owned(), ollama_host),
            (_, None) => row.base_url.to_owned(),
        };
        // A server at home may want a key all the same.
        let own_key = format!("{upper}_API_KEY");
        let key = match row.keys {
            [] if env.get(&own_key).is_some() => key(&[&own_key], env),
            keys => key(keys, env),
        };
        Self {
            name: prefix.to_owned(),
            base_url,
            speech: speech(row.family, model),
            key,
            prices: None,
            context_window: None,
            images: None,
            place: if row.keys.is_empty() { Place::Own } else { Place::Hosted },
        }
    }

    fn custom(name: &str, custom: &crate::config::schema::Provider, model: &str, env: &Env) -> Self {
        let speech = match custom.protocol {
            Protocol::Openai if custom.reasoning.unwrap_or_else(|| takes_effort_by_name(model)) => {
                Speech::Chat(Dialect {
                    effort: EffortStyle::Plain,
                    carrier: carrier_by_name(model),
                    ..Dialect::plain()
                })
            }
            Protocol::Openai => speech(Family::Plain, model),
            Protocol::Anthropic => Speech::Messages,
            Protocol::Responses => Speech::Responses,
            Protocol::Ollama => Speech::Ollama,
        };
        Self {
            name: name.to_owned(),
            base_url: custom.base_url.clone(),
            speech,
            key: custom.api_key_env.as_deref().map_or(Key::NotNeeded, |variable| key(&[variable], env)),
            prices: custom.prices,
            context_window: custom.context_window,
            images: Some(custom.images),
            place: Place::Own,
        }
    }

    pub(super) fn replay(&self) -> Replay {
        match self.speech {
            Speech::Chat(Dialect { carrier: Carrier::ReasoningContent, .. }) => Replay::Demanded,
            Speech::Chat(Dialect { carrier: Carrier::Absent, .. }) => Replay::Never,
            Speech::Chat(_) | Speech::Messages | Speech::Ollama | Speech::Responses | Speech::Genai(_) => {
                Replay::Welcome
            }
        }
    }

    /// Whether an effort that is asked for reaches the model.
    pub(super) fn takes_effort(&self, model: &str) -> bool {
        match self.speech {
            Speech::Chat(dialect) => dialect.effort != EffortStyle::Absent,
            Speech::Messages => anthropic::Abilities::of(model).thinks(),
            _ => true,
        }
    }

    pub(super) fn structured_output(&self, model: &str) -> bool {
        match self.speech {
            Speech::Messages => anthropic::Abilities::of(model).structured_output(),
            Speech::Chat(_) | Speech::Ollama | Speech::Responses | Speech::Genai(_) => true,
        }
    }
}

/// A provider that `auto` can use when one of the variables is set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed {
    pub(super) provider: &'static str,
    pub(super) keys: &'static [&'static str],
    pub(super) model: &'static str,
}

/// In the order `auto` looks.
pub(super) fn keyed() -> Vec<Keyed> {
    let first = AUTO_ORDER.iter().filter_map(|name| TABLE.iter().find(|row| row.names[0] == *name));
    let rest = TABLE.iter().filter(|row| !AUTO_ORDER.contains(&row.names[0]));
    first
        .chain(rest)
        .filter(|row| !row.keys.is_empty() && !row.first.is_empty())
        .map(|row| Keyed { provider: row.names[0], keys: row.keys, model: row.first })
        .collect()
}

/// Where a provider without a key is, by the environment.
pub(super) fn address(prefix: &str, env: &Env) -> String {
    let row = TABLE.iter().find(|row| row.names.contains(&prefix));
    row.map(|row| Provider::known(row, prefix, "", env).base_url).unwrap_or_default()
}

fn speech(family: Family, model: &str) -> Speech {
    let plain = Dialect::plain();
    match family {
        Family::Plain => Speech::Chat(Dialect { carrier: carrier_by_name(model), ..plain }),
        Family::Effort => Speech::Chat(Dialect { effort: EffortStyle::Plain, ..plain }),
        Family::Thinking => Speech::Chat(Dialect {
            effort: EffortStyle::Thinking,
            carrier: Carrier::ReasoningContent,
            sampling: if model.starts_with("kimi") { Sampling::Never } else { Sampling::UnlessThinking },
            ..plain
        }),
        Family::OpenRouter => Speech::Chat(Dialect {
            effort: EffortStyle::Nested,
            carrier: Carrier::Details,
            cache_marks: model.starts_with("anthropic/"),
            asks_cost: true,
            top_k: true,
            ..plain
        }),
        // The newest models take tools with reasoning only on the responses protocol.
        Family::OpenAi if responses_only(model) => Speech::Responses,
        Family::OpenAi if model.starts_with('o') && model[1..].starts_with(|c: char| c.is_ascii_digit()) => {
            Speech::Chat(Dialect {
                effort: EffortStyle::Plain,
                reasoning_model: true,
                sampling: Sampling::Never,
                ..plain
            })
        }
        Family::OpenAi => Speech::Chat(plain),
        Family::Messages => Speech::Messages,
        Family::Ollama => Speech::Ollama,
        Family::Genai(kind) => Speech::Genai(kind),
    }
}

fn responses_only(model: &str) -> bool {
    let newest = ["gpt-5", "gpt-6", "gpt-7"].iter().any(|head| model.starts_with(head));
    newest && !model.contains("chat") || model.contains("codex") || model.ends_with("-pro")
}

/// Open models keep their habits wherever they are served.
fn carrier_by_name(model: &str) -> Carrier {
    let lower = model.to_lowercase();
    let demands = ["kimi-k2", "deepseek-v3.2", "deepseek-v4", "deepseek-reasoner"];
    if demands.iter().any(|name| lower.contains(name)) { Carrier::ReasoningContent } else { Carrier::Absent }
}

/// Reasoning models that take an effort wherever they are served over the chat protocol.
fn takes_effort_by_name(model: &str) -> bool {
    let lower = model.to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or_default();
    ["gpt-5", "gpt-oss", "o1", "o3", "o4"].iter().any(|head| name.starts_with(head))
}

fn key(variables: &[&str], env: &Env) -> Key {
    let found = variables.iter().find_map(|name| env.get(name).map(|value| (*name, value)));
    match (found, variables.first()) {
        (Some((name, value)), _) => Key::Found { variable: name.to_owned(), value: value.trim().to_owned() },
        (None, Some(name)) => Key::Missing { variable: (*name).to_owned() },
        (None, None) => Key::NotNeeded,
    }
}

/// `OLLAMA_HOST` may lack scheme and port, and `0.0.0.0` is where a server listens, not where it is.
fn ollama_host(value: &str) -> String {
    let value = value.trim().trim_end_matches('/');
    let (scheme, rest) = value.split_once("://").unwrap_or(("http", value));
    let rest = if rest.starts_with(':') { format!("localhost{rest}") } else { rest.to_owned() };
    let rest = rest.replacen("0.0.0.0", "localhost", 1);
    let port = rest.rsplit(':').next().is_some_and(|port| port.parse::<u16>().is_ok());
    if port || scheme == "https" { format!("{scheme}://{rest}") } else { format!("{scheme}://{rest}:11434") }
}

fn need_model<'a>(prefix: &str, model: &'a str) -> Result<&'a str, Fault> {
    match model.trim() {
        "" => Err(Fault::new(
            FaultKind::UnknownModel,
            format!("{prefix}: names no model."),
            format!("Write {prefix}:<model>, with the model's name at {prefix}."),
        )),
        model => Ok(model),
    }
}

fn unknown(name: &str, config: &Config) -> Fault {
    let (prefix, model) = name.split_once(':').unwrap_or((name, "<model>"));
    let custom = config.providers.keys().map(String::as_str);
    let names: Vec<&str> =
        TABLE.iter().flat_map(|row| row.names.iter().copied()).chain(["script"]).chain(custom).collect();
    let message = match name.contains(':') {
        true => format!("There is no provider {prefix} for {name}."),
        false => format!("{name} names no provider."),
    };
    let advice = match (prefix, nearest(prefix, &names)) {
        ("google", _) => format!("Write google-studio:{model}."),
        (_, Some(near)) => format!("Did you mean {near}:{model}? Known: {}.", names.join(", ")),
        (_, None) => format!("Write provider:model, or add [providers.{prefix}]. Known: {}.", names.join(", ")),
    };
    Fault::new(FaultKind::UnknownModel, message, advice)
}

/// The known name with the smallest edit distance, when it is small enough to be a slip.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let best = names.iter().map(|known| (strsim::levenshtein(name, known), *known)).min()?;
    (best.0 <= 1 + name.len() / 4).then_some(best.1)
}

#[cfg(test)]
mod tests;
