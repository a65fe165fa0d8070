//! The tool servers of a role: its own, the project's scripts, and those that plugins bring along.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::plugin_servers::Plugins;
use super::seams::Tools;
use super::server_specs::{local_tools, with_environment};
use super::start::{lock, read, write};
use super::starting::Parts;
use crate::config::{Env, Paths};
use crate::mcp::{self, CallResult, Progress, ServerSpec, ToolDefinition};
use crate::proto::Body;

#[derive(Debug)]
pub(super) struct RealTools {
    connections: mcp::Servers,
    specs: Mutex<Vec<ServerSpec>>,
    /// The project's scripts have their server.
    local: Mutex<bool>,
    env: Arc<RwLock<Env>>,
    paths: Paths,
    workdir: PathBuf,
    plugins: Arc<Plugins>,
    events: UnboundedSender<Body>,
}

impl RealTools {
    /// Returns at once; servers of plugins follow as soon as it is known which there are.
    pub fn start(
        servers: Vec<ServerSpec>,
        events: UnboundedSender<Body>,
        options: mcp::Options,
        plugins: Plugins,
        parts: &Parts,
    ) -> Arc<Self> {
        let options = mcp::Options { admit: Some(plugins.admit()), ..options };
        let connections = mcp::Servers::new(events.clone(), options);
        connections.start(servers.clone());
        Arc::new(Self {
            local: Mutex::new(servers.iter().any(|server| server.name == mcp::local::SERVER)),
            plugins: Arc::new(plugins.beside(&servers)),
            specs: Mutex::new(servers),
            env: Arc::clone(&parts.env),
            paths: parts.paths.clone(),
            workdir: parts.workdir.clone(),
            connections,
            events,
        })
    }

    /// Servers of plugins as they are now. True when one was started.
    async fn start_plugins(&self) -> bool {
        let env = read(&self.env).clone();
        let Some(change) = self.plugins.look(env).await else { return false };
        for name in &change.gone {
            lock(&self.specs).retain(|spec| spec.name != *name);
            self.connections.remove(name);
        }
        for body in change.notices {
            // The session may be over.
            let _ = self.events.send(body);
        }
        let started = !change.start.is_empty();
        let mut specs = lock(&self.specs);
        specs.retain(|known| change.start.iter().all(|spec| spec.name != known.name));
        specs.extend(change.start.iter().cloned());
        drop(specs);
        self.connections.start(change.start);
        started
    }

    /// The scripts that came after the start get the server they would have had.
    async fn start_local(&self) {
        let spec = {
            let mut started = lock(&self.local);
            let Some(spec) = local_tools(&self.workdir).filter(|_| !*started) else { return };
            *started = true;
            spec
        };
        lock(&self.specs).push(spec.clone());
        self.connections.start(vec![spec]);
        self.connections.settled(LOCAL_START).await;
    }
}

/// Listing a folder takes no longer than this.
const LOCAL_START: Duration = Duration::from_secs(5);

/// Servers that came during the session are waited for so long.
const PLUGIN_START: Duration = Duration::from_secs(10);

#[async_trait]
impl Tools for RealTools {
    fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        self.connections.catalog()
    }

    async fn settled(&self, within: Duration) -> Vec<String> {
        let begun = Instant::now();
        // What plugins bring along is part of the start, unless finding it takes all the time there is.
        let _ = timeout(within, self.start_plugins()).await;
        self.connections.settled(within.saturating_sub(begun.elapsed())).await
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
        *lock(&self.local)
            || local_tools(&self.workdir).is_some()
            || self.plugins.may_change()
            || self.connections.is_stale()
    }

    async fn refresh(&self) {
        self.start_local().await;
        let started = self.start_plugins().await;
        self.connections.refresh().await;
        if started {
            self.connections.settled(PLUGIN_START).await;
        }
    }

    fn add(&self, server: ServerSpec) {
        lock(&self.specs).push(server.clone());
        self.connections.start_late(vec![server]);
    }

    fn retire(&self, server: &str) {
        lock(&self.specs).retain(|spec| spec.name != server);
        self.connections.retire(server);
    }

    fn show(&self, server: &str, tools: Option<Vec<String>>) {
        self.connections.show(server, tools);
    }

    /// With what `.env` files say now: a token may have been renewed.
    async fn restart(&self, server: &str) {
        let before = read(&self.env).clone();
        let (now, _) = before.read_again(&self.paths, &self.workdir);
        *write(&self.env) = now.clone();
        let spec = {
            let mut specs = lock(&self.specs);
            let spec = specs.iter_mut().find(|spec| spec.name == server);
            spec.map(|spec| {
                *spec = with_environment(spec.clone(), &before, &now);
                spec.clone()
            })
        };
        match spec {
            Some(spec) if before != now => self.connections.start(vec![spec]),
            _ => {
                self.connections.restart(server);
            }
        }
    }

    async fn disable(&self, server: &str) {
        self.connections.disable(server);
    }

    async fn shutdown(&self) {
        self.connections.shutdown().await;
    }
}
