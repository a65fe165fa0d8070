use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::hub::{Hub, Link, Server};
use super::link::{self, Call, Ears};
use super::runner::{Order, Runner, now};
use super::{CallResult, Layer, Options, Progress, ServerSpec, ToolDefinition, arguments, denied, names, visible};
use crate::proto::{Body, ServerKind, ServerState, ToolOutcome};

/// A list that changed is waited for so long before a request goes out with the one before.
const RELISTED: Duration = Duration::from_secs(1);

/// The servers of one session. Cheap to clone; all clones are one.
///
/// What happens to them is told as [`Body::ServerChanged`], [`Body::ServerTools`],
/// [`Body::ServerGone`], [`Body::Decided`] and [`Body::Notice`].
#[derive(Debug, Clone)]
pub struct Servers {
    hub: Arc<Hub>,
    /// Ends everything when the last clone is gone.
    _guard: Arc<DropGuard>,
}

impl Servers {
    /// Must be called within a Tokio runtime.
    pub fn new(events: UnboundedSender<Body>, options: Options) -> Self {
        let hub = Arc::new(Hub::new(events, options));
        let guard = Arc::new(hub.shutdown.clone().drop_guard());
        Self { hub, _guard: guard }
    }

    /// Connects to all of them at the same time and returns at once. A server whose name is known
    /// already takes the place of the earlier one.
    pub fn start(&self, specs: Vec<ServerSpec>) {
        self.begin(specs, Layer::Static);
    }

    /// The same for servers of capabilities: their tools come after all others and leave them their
    /// names.
    pub fn start_late(&self, specs: Vec<ServerSpec>) {
        self.begin(specs, Layer::Dynamic);
    }

    fn begin(&self, specs: Vec<ServerSpec>, layer: Layer) {
        for spec in specs {
            if self.hub.shutdown.is_cancelled() {
                return;
            }
            let (orders, receiver) = unbounded_channel();
            let server =
                Arc::new(Server::new(spec, self.hub.options.mask.clone(), orders, self.hub.shutdown.child_token()));
            if let Some(earlier) = self.hub.add(Arc::clone(&server), layer) {
                earlier.stop.cancel();
            }
            let _ = server.orders.send(Order::Start);
            // Said here, so that the order on screen is that of the list.
            self.hub.publish(&server, ServerState::Starting { since: now(), attempt: 1 });
            self.hub.tasks.spawn(Runner::new(Arc::clone(&self.hub), server, receiver).run());
        }
    }

    /// The tools a model may be shown: servers in their order, tools by name.
    pub fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        self.hub.catalog()
    }

    /// Where a server stands; `None` when there is none of that name.
    pub fn state(&self, name: &str) -> Option<ServerState> {
        Some(self.hub.server(name)?.state())
    }

    /// Starts a server afresh, whatever its state. False when there is none of that name.
    pub fn restart(&self, name: &str) -> bool {
        self.order(name, Order::Start)
    }

    /// Stops a server until [`Self::restart`]. False when there is none of that name.
    pub fn disable(&self, name: &str) -> bool {
        self.order(name, Order::Disable { by: "the person".to_owned() })
    }

    fn order(&self, name: &str, order: Order) -> bool {
        self.hub.server(name).is_some_and(|server| server.orders.send(order).is_ok())
    }

    /// Stops a server and forgets it.
    pub fn remove(&self, name: &str) -> bool {
        let removed = self.hub.remove(name);
        if let Some(server) = &removed {
            server.stop.cancel();
        }
        removed.is_some()
    }

    /// Takes a server and its tools out at once; it is stopped when the calls that run on it are over.
    pub fn retire(&self, name: &str) -> bool {
        let Some(server) = self.hub.remove(name) else { return false };
        self.hub.tasks.spawn(async move {
            tokio::select! {
                () = server.at_rest() => {}
                () = server.stop.cancelled() => {}
            }
            server.stop.cancel();
        });
        true
    }

    /// Changes which tools capabilities ask of a server: beside the role's filter when it is the role's,
    /// otherwise instead of its own. Empty = all; `None` = what its own filter says.
    pub fn show(&self, name: &str, tools: Option<Vec<String>>) {
        self.hub.show(name, tools);
    }

    /// Whether a server said that its tools changed and was not read again since.
    pub fn is_stale(&self) -> bool {
        self.stale().next().is_some()
    }

    fn stale(&self) -> impl Iterator<Item = Arc<Ears>> {
        let links = self.hub.servers().into_iter().filter_map(|server| server.link());
        links.filter_map(|link| match link {
            Link::Remote { ears, .. } => (!ears.is_read()).then_some(ears),
            Link::Local(_) => None,
        })
    }

    /// Looks at the scripts of the project again, and at whether servers may run as they are now, and waits for
    /// lists that are being read again; to be called before a request is built.
    pub async fn refresh(&self) {
        let stale: Vec<Arc<Ears>> = self.stale().collect();
        let read = futures::future::join_all(stale.iter().map(|ears| ears.read()));
        let _ = timeout(RELISTED, read).await;
        let guarded = self.hub.options.admit.is_some();
        for server in self.hub.servers() {
            let guarded = guarded && matches!(server.kind, ServerKind::Stdio | ServerKind::Http);
            if guarded || server.kind == ServerKind::Local {
                let (sender, done) = oneshot::channel();
                if server.orders.send(Order::Refresh(sender)).is_ok() {
                    let _ = done.await;
                }
            }
        }
    }

    /// Waits until no server is starting, or until the time is over. Names those that still are.
    pub async fn settled(&self, patience: Duration) -> Vec<String> {
        let mut changes = self.hub.changes.subscribe();
        let starting = |server: &Arc<Server>| matches!(server.state(), ServerState::Starting { .. });
        let wait = async {
            while self.hub.servers_of_role().iter().any(starting) {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = timeout(patience, wait).await;
        self.hub
            .servers_of_role()
            .iter()
            .filter(|server| starting(server))
            .map(|server| server.spec.name.clone())
            .collect()
    }

    /// Ends all servers and their processes, within the grace of [`super::Policy`] and a little
    /// more. Nothing is started any more afterwards.
    pub async fn shutdown(&self) {
        self.hub.shutdown.cancel();
        self.hub.close_reports();
        self.hub.tasks.close();
        self.hub.tasks.wait().await;
    }

    /// Calls a tool by the server's own name for it. Never fails otherwise than by its result, and
    /// never sends a call twice.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult {
        let refused = |words: String| CallResult::plain(ToolOutcome::Refused, words);
        let Some(target) = self.hub.server(server) else {
            let servers = self.hub.servers();
            let near = names::nearest(server, servers.iter().map(|server| server.spec.name.as_str()));
            return refused(format!("There is no server {}.{}", visible::line(server, 80), suggestion(&near)));
        };
        let _running = target.running();
        let link = match self.link(&target, &cancel).await {
            Ok(link) => link,
            Err(result) => return result,
        };
        let Some((listed, info)) = self.hub.tool(server, tool) else { return refused(self.unknown(server, tool)) };
        let usable = match listed.usable {
            Ok(usable) => usable,
            Err(quarantine) => return refused(format!("{tool} cannot be used: {}.", quarantine.reason)),
        };
        if let Some(filter) = info.filtered_by {
            return refused(format!("{tool} is left out by {filter}."));
        }
        let arguments = match arguments::check(&info.wire_name, arguments, &usable.schema, &usable.validator) {
            Ok(arguments) => arguments,
            Err(words) => return refused(words),
        };
        match link {
            Link::Local(backend) => backend.call(tool, arguments, progress, cancel).await,
            Link::Remote { peer, ears } => {
                let idle = target.spec.timeout;
                let call = Call { server, tool, arguments, idle, progress, cancel };
                let (result, trouble) = link::call(&peer, &ears, call).await;
                if trouble.is_some() || peer.is_transport_closed() {
                    // So that the next call waits for the new connection, and is not lost with this one.
                    target.drop_link(&ears);
                }
                if let Some(trouble) = trouble {
                    let _ = target.orders.send(Order::Broken { ears, trouble });
                }
                denied::explained(result)
            }
        }
    }

    /// The way to a server; waits a while for one that is just being connected.
    async fn link(&self, server: &Arc<Server>, cancel: &CancellationToken) -> Result<Link, CallResult> {
        let mut changes = self.hub.changes.subscribe();
        let until = Instant::now() + self.hub.options.policy.patience;
        loop {
            let state = server.state();
            if let (ServerState::Ready { .. }, Some(link)) = (&state, server.link()) {
                return Ok(link);
            }
            let left = until.saturating_duration_since(Instant::now());
            let coming =
                matches!(state, ServerState::Starting { .. } | ServerState::Waiting { .. } | ServerState::Ready { .. });
            if !coming || state.is_held() || left.is_zero() {
                return Err(CallResult::plain(ToolOutcome::Refused, absent(&server.spec.name, &state)));
            }
            tokio::select! {
                _ = timeout(left, changes.changed()) => {}
                () = cancel.cancelled() => {
                    return Err(CallResult::plain(ToolOutcome::Cancelled, "The call was stopped before it began."));
                }
            }
        }
    }

    fn unknown(&self, server: &str, tool: &str) -> String {
        let catalog = self.hub.catalog();
        let here: Vec<&str> =
            catalog.iter().filter(|known| known.server == server).map(|known| known.info.wire_name.as_str()).collect();
        let near = names::nearest(tool, here.iter().copied());
        format!("Server {server} has no tool {}.{}", visible::line(tool, 80), suggestion(&near))
    }
}

fn suggestion(near: &[&str]) -> String {
    if near.is_empty() { String::new() } else { format!(" Did you mean {}?", near.join(" or ")) }
}

/// Why a server takes no calls now.
fn absent(server: &str, state: &ServerState) -> String {
    match state {
        ServerState::Starting { .. } => format!("Server {server} is still starting. Try again later."),
        ServerState::Ready { .. } => format!("Server {server} is being connected again. Try again later."),
        ServerState::Waiting { reason, retry_at: 0, .. } => format!("Server {server} waits: {reason}"),
        ServerState::Waiting { reason, .. } => format!("Server {server} is down ({reason}) and will be tried again."),
        ServerState::Failed { reason, advice } => {
            format!("Server {server} does not work: {reason}. A person can: {advice}.")
        }
        ServerState::NeedsSignIn { reason } => format!("Server {server} cannot be used: {reason}."),
        ServerState::Disabled { by } => format!("Server {server} was switched off by {by}."),
        ServerState::Stopped => format!("Server {server} is stopped."),
    }
}
