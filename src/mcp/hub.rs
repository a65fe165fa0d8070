//! What the servers of a session share: the catalogue, the state of each, and the way to tell.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::catalog::{self, Part};
use super::machine::Next;
use super::names::Standing;
use super::notices::{self, Report};
use super::process::Tail;
use super::remembered::Named;
use super::runner::Order;
use super::tools::{self, Listed};
use super::trouble::Trouble;
use super::{Backend, Layer, Options, ServerSpec, ToolDefinition, Transport, link, mask, redescribed, remembered};
use crate::config::Mask;
use crate::proto::{Body, Decision, Level, ServerKind, ServerState, ToolInfo};

/// One server as others see it; its runner alone changes it.
#[derive(Debug)]
pub struct Server {
    pub spec: ServerSpec,
    pub kind: ServerKind,
    pub command: String,
    pub tail: Arc<Tail>,
    pub orders: UnboundedSender<Order>,
    pub stop: CancellationToken,
    status: Mutex<(ServerState, Option<Link>)>,
    /// What was published last.
    told: Mutex<Option<Body>>,
    /// Calls that run.
    calls: watch::Sender<usize>,
}

/// A call that runs on a server.
#[derive(Debug)]
pub struct Running<'a>(&'a Server);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.calls.send_modify(|count| *count -= 1);
    }
}

/// The way to a server's tools while it is ready.
#[derive(Debug, Clone)]
pub enum Link {
    Remote { peer: rmcp::service::Peer<rmcp::RoleClient>, ears: Arc<link::Ears> },
    Local(Arc<dyn Backend>),
}

impl Server {
    pub fn new(spec: ServerSpec, mask: Mask, orders: UnboundedSender<Order>, stop: CancellationToken) -> Self {
        let kind = match &spec.transport {
            Transport::Stdio { .. } => ServerKind::Stdio,
            Transport::Http { .. } => ServerKind::Http,
            Transport::Bundled { .. } => ServerKind::Builtin,
            Transport::Local { .. } => ServerKind::Local,
        };
        let command = mask::shown(&spec.transport);
        let status = Mutex::new((ServerState::Stopped, None));
        Self {
            spec,
            kind,
            command,
            tail: Arc::new(Tail::new(mask)),
            orders,
            stop,
            status,
            told: Mutex::default(),
            calls: watch::Sender::new(0),
        }
    }

    pub fn state(&self) -> ServerState {
        lock(&self.status).0.clone()
    }

    pub fn link(&self) -> Option<Link> {
        lock(&self.status).1.clone()
    }

    /// Takes no more calls over this connection.
    pub fn drop_link(&self, broken: &Arc<link::Ears>) {
        let mut status = lock(&self.status);
        if matches!(&status.1, Some(Link::Remote { ears, .. }) if Arc::ptr_eq(ears, broken)) {
            status.1 = None;
        }
    }

    pub fn running(&self) -> Running<'_> {
        self.calls.send_modify(|count| *count += 1);
        Running(self)
    }

    /// Returns when no call runs. Every call has a time of its own after which it ends.
    pub async fn at_rest(&self) {
        // The sender is this server's own, so it is not gone.
        let _ = self.calls.subscribe().wait_for(|count| *count == 0).await;
    }

    pub fn set_link(&self, link: Option<Link>) {
        lock(&self.status).1 = link;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tell {
    Changes,
    Nothing,
}

#[derive(Debug)]
pub struct Hub {
    pub options: Options,
    pub tasks: TaskTracker,
    pub shutdown: CancellationToken,
    events: UnboundedSender<Body>,
    reports: Mutex<Option<UnboundedSender<Report>>>,
    /// Grows with every change of a state.
    pub changes: watch::Sender<u64>,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    servers: Vec<Arc<Server>>,
    /// One for each server, in the same order.
    parts: Vec<Part>,
    infos: Vec<Vec<ToolInfo>>,
    catalog: Arc<Vec<ToolDefinition>>,
    /// Decisions that were told, so that a restart does not tell them again.
    told: BTreeSet<String>,
}

impl Hub {
    pub fn new(events: UnboundedSender<Body>, options: Options) -> Self {
        let (reports, receiver) = unbounded_channel();
        let tasks = TaskTracker::new();
        tasks.spawn(notices::run(receiver, events.clone(), options.policy.group));
        Self {
            options,
            tasks,
            shutdown: CancellationToken::new(),
            events,
            reports: Mutex::new(Some(reports)),
            changes: watch::Sender::new(0),
            shared: Mutex::default(),
        }
    }

    pub fn servers(&self) -> Vec<Arc<Server>> {
        lock(&self.shared).servers.clone()
    }

    /// Those of the role alone, which a session begins with.
    pub fn servers_of_role(&self) -> Vec<Arc<Server>> {
        let shared = lock(&self.shared);
        let own = shared.servers.iter().zip(&shared.parts).filter(|(_, part)| part.layer == Layer::Static);
        own.map(|(server, _)| Arc::clone(server)).collect()
    }

    pub fn server(&self, name: &str) -> Option<Arc<Server>> {
        lock(&self.shared).servers.iter().find(|server| server.spec.name == name).cloned()
    }

    pub fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::clone(&lock(&self.shared).catalog)
    }

    /// A tool of a server by its own name, with what the surface says of it.
    pub fn tool(&self, server: &str, tool: &str) -> Option<(Listed, ToolInfo)> {
        let shared = lock(&self.shared);
        let index = shared.position(server)?;
        let position = shared.parts[index].tools.iter().position(|listed| listed.name == tool)?;
        let info = shared.infos[index].get(position)?;
        Some((shared.parts[index].tools[position].clone(), info.clone()))
    }

    /// Adds a server, or puts it in the place of the one with its name, which is returned; that one's
    /// layer and what is shown of it stay.
    pub fn add(&self, server: Arc<Server>, layer: Layer) -> Option<Arc<Server>> {
        let mut shared = lock(&self.shared);
        let known = shared.position(&server.spec.name).map(|index| &shared.parts[index]);
        let (layer, shown) = known.map_or((layer, None), |part| (part.layer, part.shown.clone()));
        let part = Part {
            layer,
            shown,
            server: server.spec.name.clone(),
            standing: if server.kind == ServerKind::Local { Standing::Yields } else { Standing::Regular },
            filter: server.spec.filter.clone(),
            filter_origin: server.spec.filter_origin.clone(),
            offered: false,
            tools: Vec::new(),
        };
        match shared.position(&server.spec.name) {
            Some(index) => {
                shared.parts[index] = part;
                shared.infos[index] = Vec::new();
                Some(std::mem::replace(&mut shared.servers[index], server))
            }
            None => {
                shared.servers.push(server);
                shared.parts.push(part);
                shared.infos.push(Vec::new());
                None
            }
        }
    }

    /// Changes what is shown of a server for capabilities; `None` = what its own filter says.
    pub fn show(&self, name: &str, shown: Option<Vec<String>>) {
        let mut shared = lock(&self.shared);
        let Some(index) = shared.position(name) else { return };
        if shared.parts[index].shown != shown {
            shared.parts[index].shown = shown;
            self.rebuild(&mut shared);
        }
    }

    /// Takes a server out of everything.
    pub fn remove(&self, name: &str) -> Option<Arc<Server>> {
        let mut shared = lock(&self.shared);
        let index = shared.position(name)?;
        shared.parts.remove(index);
        shared.infos.remove(index);
        let server = shared.servers.remove(index);
        self.rebuild(&mut shared);
        self.send(Body::ServerGone { server: name.to_owned() });
        Some(server)
    }

    /// Whether this is still the server of its name.
    fn current(shared: &Shared, server: &Arc<Server>) -> Option<usize> {
        shared.position(&server.spec.name).filter(|index| Arc::ptr_eq(&shared.servers[*index], server))
    }

    /// Sets and publishes a state.
    pub fn publish(&self, server: &Arc<Server>, state: ServerState) {
        let mut shared = lock(&self.shared);
        let Some(index) = Self::current(&shared, server) else { return };
        lock(&server.status).0 = state.clone();
        let body = Body::ServerChanged {
            server: server.spec.name.clone(),
            kind: server.kind,
            // Tools of a server that is coming back stay offered, so that the prompt stays the same.
            command: server.command.clone(),
            stderr: server.tail.lines(),
            state: state.clone(),
        };
        let mut told = lock(&server.told);
        if told.as_ref() != Some(&body) {
            *told = Some(body.clone());
            self.send(body);
        }
        drop(told);
        let offered =
            matches!(state, ServerState::Ready { .. } | ServerState::Waiting { .. } | ServerState::Starting { .. });
        if shared.parts[index].offered != offered {
            shared.parts[index].offered = offered;
            self.rebuild(&mut shared);
        }
        drop(shared);
        self.changes.send_modify(|count| *count += 1);
    }

    /// Takes a server's new list; tells what changed since the last one.
    pub fn set_tools(self: &Arc<Self>, server: &Arc<Server>, listed: Vec<Listed>, warnings: Vec<String>) -> bool {
        let mut shared = lock(&self.shared);
        let Some(index) = Self::current(&shared, server) else { return false };
        let name = &server.spec.name;
        for warning in warnings {
            if shared.told.insert(format!("{name}\0{warning}")) {
                self.send(Body::Notice {
                    level: Level::Warning,
                    source: name.clone(),
                    text: format!("{name}: {warning}"),
                    hint: None,
                });
            }
        }
        let first = shared.parts[index].tools.is_empty();
        let change = tools::difference(&shared.parts[index].tools, &listed);
        let changed = !change.is_empty();
        for warning in redescribed::warnings(name, &shared.parts[index].tools, &listed) {
            if shared.told.insert(format!("{warning:?}")) {
                self.send(warning);
            }
        }
        if changed || first {
            // A change within the session was told just now.
            let tell = if first { Tell::Changes } else { Tell::Nothing };
            self.compare_with_before(server, &listed, tell);
        }
        shared.parts[index].tools = listed;
        if changed && !first {
            self.send(Body::Decided(Decision::ToolsChanged {
                server: name.clone(),
                added: change.added,
                removed: change.removed,
                changed: change.changed,
            }));
        }
        if changed || first {
            self.rebuild(&mut shared);
        }
        changed
    }

    /// Says beside the runner what a server's tools say otherwise than in an earlier session. What comes
    /// with the program changes with it, and the project's own scripts are accepted by their content.
    fn compare_with_before(self: &Arc<Self>, server: &Arc<Server>, listed: &[Listed], tell: Tell) {
        let Some(folder) = self.options.described.clone() else { return };
        if !matches!(server.kind, ServerKind::Stdio | ServerKind::Http) || listed.is_empty() {
            return;
        }
        let (server, listed) = (Arc::clone(server), listed.to_vec());
        let hub = Arc::clone(self);
        self.tasks.spawn_blocking(move || {
            let named = Named { server: &server.spec.name, command: &server.command };
            let told = remembered::compare(&folder, named, &listed, &hub.options.mask);
            for told in told.into_iter().filter(|_| tell == Tell::Changes) {
                if lock(&hub.shared).told.insert(format!("{told:?}")) {
                    hub.send(told);
                }
            }
        });
    }

    /// Computes the catalogue afresh and tells which servers' tools look different now.
    fn rebuild(&self, shared: &mut Shared) {
        let catalog = catalog::build(&shared.parts, &self.options.reserved);
        for (index, infos) in catalog.infos.into_iter().enumerate() {
            if shared.infos[index] == infos {
                continue;
            }
            let part = &shared.parts[index];
            self.send(Body::ServerTools { server: part.server.clone(), tools: infos.clone() });
            for decision in catalog::decisions(part, &infos) {
                if shared.told.insert(format!("{decision:?}")) {
                    self.send(Body::Decided(decision));
                }
            }
            shared.infos[index] = infos;
        }
        if *shared.catalog != catalog.definitions {
            shared.catalog = Arc::new(catalog.definitions);
        }
    }

    pub fn report(&self, server: &Server, trouble: Trouble, next: Next) {
        if let Some(reports) = &*lock(&self.reports) {
            let _ = reports.send(Report { server: server.spec.name.clone(), trouble, next });
        }
    }

    /// What waits to be told is told now; later reports are for nobody.
    pub fn close_reports(&self) {
        lock(&self.reports).take();
    }

    /// Nobody listens any more when this fails, and then nothing needs to be told.
    fn send(&self, body: Body) {
        let _ = self.events.send(body);
    }
}

impl Shared {
    fn position(&self, name: &str) -> Option<usize> {
        self.servers.iter().position(|server| server.spec.name == name)
    }
}

/// Nothing here can leave the values half changed, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
