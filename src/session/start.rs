//! A session out of the real parts: configuration, environment, providers, servers.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::rules::{Limits, Mask};
use super::seams::{Models, Person, Pick, Role, Roles, Setup, StartTools, Tools};
use super::server_specs::{local_tools, spec};
use super::trust::TrustFlag;
use super::trust_desk::TrustDesk;
use super::{Handle, launch};
use crate::config::{self, Env, Loaded, Paths, prompt};
use crate::mcp::{self, CallResult, Progress, ServerSpec, ToolDefinition};
use crate::model::{self, HttpProbe, Model, Otherwise};
use crate::proto::{Body, Decision, Fault, Level, Timestamp};

/// What a front end gives to start a session.
#[derive(Debug, Clone)]
pub struct Start {
    pub loaded: Arc<Loaded>,
    pub paths: Paths,
    pub env: Env,
    pub workdir: PathBuf,
    pub role: Option<String>,
    /// `provider:model`; wins over the role's and the saved one.
    pub model: Option<String>,
    pub pick: Pick,
    /// Someone is there to be asked; without one, policy decides and says so.
    pub person: bool,
    /// What the project brings along may run (`--trust`).
    pub trust: bool,
    /// JSON Schema the replies must follow.
    pub schema: Option<Value>,
}

/// Starts a session; returns at once. Must be called within a Tokio runtime.
pub fn start(start: Start) -> Handle {
    let Start { loaded, paths, env, workdir, role, model, pick, person, trust, schema } = start;
    let secrets = env.iter().filter(|(name, _)| config::looks_secret(name)).map(|(_, value)| value.to_owned());
    let mask = Mask::new(secrets);
    let (person, otherwise) =
        if person { (Person::Present, Otherwise::Tour) } else { (Person::Absent, Otherwise::Nothing) };
    let trust = if trust { TrustFlag::Given } else { TrustFlag::Absent };
    let desk = Arc::new(TrustDesk::new(workdir.clone(), paths.trust_file.clone(), trust));
    let config = &loaded.config;
    let limits =
        Limits { session: config.max_session_spending_threshold, request: config.max_request_spending_threshold };
    let parts =
        Arc::new(Parts { loaded: Arc::clone(&loaded), paths, env, workdir, desk: Arc::clone(&desk), otherwise });
    launch(Setup {
        models: Arc::clone(&parts) as Arc<dyn Models>,
        tools: Arc::clone(&parts) as Arc<dyn StartTools>,
        roles: Arc::clone(&parts) as Arc<dyn Roles>,
        clock: Arc::new(now),
        chance: Arc::new(chance),
        sessions: parts.paths.sessions.clone(),
        workdir: parts.workdir.clone(),
        role,
        model,
        pick,
        person,
        mask,
        limits,
        result_limit: config.mcp_response_tokens_threshold,
        schema,
        opening: opening(&loaded),
        trust: Some(desk),
    })
}

fn now() -> Timestamp {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

/// From the keys that the standard library draws for its hash maps.
fn chance() -> f64 {
    (RandomState::new().hash_one(now()) >> 11) as f64 / (1u64 << 53) as f64
}

/// What is wrong in the configuration, and what is worth knowing of it.
fn opening(loaded: &Loaded) -> Vec<Body> {
    let notice = |level, text: String, hint| Body::Notice { level, source: "config".to_owned(), text, hint };
    let problems = loaded.problems.iter().map(|problem| {
        let place = match &problem.place {
            Some(place) => format!("{}:{}:{}: ", problem.file, place.line, place.column),
            None => format!("{}: ", problem.file),
        };
        notice(Level::Error, format!("{place}{}", problem.message), problem.hint.clone())
    });
    let notices = loaded.notices.iter().map(|found| notice(Level::Info, found.to_string(), None));
    problems.chain(notices).collect()
}

#[derive(Debug)]
struct Parts {
    loaded: Arc<Loaded>,
    paths: Paths,
    env: Env,
    workdir: PathBuf,
    desk: Arc<TrustDesk>,
    otherwise: Otherwise,
}

#[async_trait]
impl Models for Parts {
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, Fault> {
        model::open(name, &self.loaded.config, &self.env)
    }

    async fn choose(&self) -> (String, Decision) {
        model::choose(&self.env, &HttpProbe, self.otherwise).await
    }
}

#[async_trait]
impl Roles for Parts {
    fn resolve(&self, name: Option<&str>) -> Result<Role, String> {
        let config = &self.loaded.config;
        let mut notices = Vec::new();
        let name = match name {
            Some(name) => name.to_owned(),
            None => {
                let (role, notice) = config::default_role(config).map_err(|error| error.to_string())?;
                notices.extend(notice.map(|notice| notice.to_string()));
                role.name.clone()
            }
        };
        let resolved = config::resolve_role(config, &name).map_err(|error| error.to_string())?;
        notices.extend(resolved.notices.iter().map(ToString::to_string));
        let mut servers = Vec::new();
        for choice in &resolved.servers {
            match spec(choice, &name, &self.env) {
                Ok(spec) => servers.push(spec),
                Err(why) => notices.push(why),
            }
        }
        servers.extend(local_tools(&self.workdir));
        Ok(Role {
            name: resolved.name,
            system: resolved.system,
            welcome: resolved.welcome,
            profile: resolved.profile,
            servers,
            notices,
        })
    }

    fn names(&self) -> Vec<String> {
        self.loaded.config.roles.iter().map(|role| role.name.clone()).collect()
    }

    async fn fill(&self, role: &str, texts: Vec<String>) -> Vec<String> {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let context = prompt::gather(&borrowed, role, &self.workdir, &self.env, SystemTime::now()).await;
        texts.iter().map(|text| prompt::fill(text, &context)).collect()
    }
}

impl StartTools for Parts {
    fn start(&self, servers: Vec<ServerSpec>, events: UnboundedSender<Body>) -> Arc<dyn Tools> {
        let env = self.env.clone();
        let expand: mcp::Expand =
            Arc::new(move |text| config::expand::expand(text, &env).map_err(|error| error.to_string()));
        let options = mcp::Options {
            logs: Some(self.paths.logs.clone()),
            open_local: Some(mcp::local::opener(self.desk.gate.allowed())),
            ..mcp::Options::new(self.workdir.clone(), expand)
        };
        let connections = mcp::Servers::new(events, options);
        let local = servers.iter().any(|server| matches!(server.transport, mcp::Transport::Local { .. }));
        connections.start(servers);
        Arc::new(RealTools { connections, local })
    }
}

#[derive(Debug)]
struct RealTools {
    connections: mcp::Servers,
    local: bool,
}

#[async_trait]
impl Tools for RealTools {
    fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        self.connections.catalog()
    }

    async fn settled(&self, within: Duration) -> Vec<String> {
        self.connections.settled(within).await
    }

    async fn call(
        &self,
        tool: &ToolDefinition,
        arguments: Value,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult {
        self.connections.call(&tool.server, &tool.name, arguments, progress, cancel).await
    }

    fn changes_on_disk(&self) -> bool {
        self.local
    }

    async fn refresh(&self) {
        self.connections.refresh().await;
    }

    async fn restart(&self, server: &str) {
        self.connections.restart(server);
    }

    async fn disable(&self, server: &str) {
        self.connections.disable(server);
    }

    async fn shutdown(&self) {
        self.connections.shutdown().await;
    }
}
