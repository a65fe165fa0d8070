//! One task for each server: feeds the state machine and does what it says.

mod admission;
mod ending;

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use self::admission::not_allowed;
use self::ending::lost;
use super::hub::{Hub, Link, Server};
use super::launch::{self, Target};
use super::link::{self, Connection, Ears};
use super::machine::{Effect, Input, Machine};
use super::pipes::Pipes;
use super::process::{self, Process};
use super::trouble::{self, Trouble, Verdict};
use super::{Backend, Listing, Moved, tools};
use crate::proto::{ServerState, Timestamp};

/// How often error output is shown while a server starts.
const SHOW_STDERR: Duration = Duration::from_millis(500);

/// What others ask of a runner.
#[derive(Debug)]
pub enum Order {
    Start,
    Disable {
        by: String,
    },
    /// A call found this connection broken.
    Broken {
        ears: Arc<Ears>,
        trouble: Trouble,
    },
    /// Look at local tools again, or at whether the server may run; answered when done.
    Refresh(oneshot::Sender<()>),
}

/// A server that answered.
struct Opened {
    connection: Option<Connection>,
    backend: Option<Arc<dyn Backend>>,
    listing: Listing,
    warnings: Vec<String>,
}

type Listed = Result<(Listing, Vec<String>), Trouble>;

pub struct Runner {
    hub: Arc<Hub>,
    server: Arc<Server>,
    machine: Machine,
    orders: UnboundedReceiver<Order>,
    process: Option<Process>,
    connection: Option<Connection>,
    connecting: Option<BoxFuture<'static, Result<Opened, Trouble>>>,
    listing: Option<BoxFuture<'static, (Listed, Arc<Ears>, u64)>>,
    /// Listings in a row that brought nothing new; each doubles the wait before the next.
    idle_listings: u32,
    shown: u64,
    /// Who asked for a look at the tools that made this server start.
    looking: Vec<oneshot::Sender<()>>,
    /// The last start came to nothing because it was not allowed.
    shut: bool,
    /// What of it runs from a copy, as it was said when it was allowed last.
    moved: Moved,
}

impl Runner {
    pub fn new(hub: Arc<Hub>, server: Arc<Server>, orders: UnboundedReceiver<Order>) -> Self {
        let machine = Machine::new(hub.options.policy.delays.clone());
        Self {
            hub,
            server,
            machine,
            orders,
            process: None,
            connection: None,
            connecting: None,
            listing: None,
            idle_listings: 0,
            shown: 0,
            looking: Vec::new(),
            shut: false,
            moved: Moved::default(),
        }
    }

    /// Runs until the server is stopped for good.
    pub async fn run(mut self) {
        loop {
            let input = self.next().await;
            let last = input == Input::Shutdown;
            for effect in self.machine.step(input, now()) {
                self.apply(effect).await;
            }
            if !matches!(self.machine.state, ServerState::Starting { .. }) {
                for done in self.looking.drain(..) {
                    let _ = done.send(());
                }
            }
            if last {
                return;
            }
        }
    }

    async fn next(&mut self) -> Input {
        loop {
            let starting = matches!(self.machine.state, ServerState::Starting { .. });
            let retry_at = self.machine.retry_at();
            let ears = self.connection.as_ref().map(|connection| Arc::clone(&connection.ears));
            tokio::select! {
                biased;
                () = self.server.stop.cancelled() => return Input::Shutdown,
                order = self.orders.recv() => match order {
                    None => return Input::Shutdown,
                    Some(Order::Start) => return Input::Start,
                    Some(Order::Disable { by }) => return Input::Disable { by },
                    Some(Order::Broken { ears: broken, trouble }) => {
                        // Several calls may report one connection, the last ones after it was replaced.
                        if ears.as_ref().is_some_and(|ears| Arc::ptr_eq(ears, &broken)) {
                            return Input::Lost(self.flood().unwrap_or(trouble));
                        }
                    }
                    Some(Order::Refresh(done)) => {
                        if self.may_be_shut() {
                            match self.look_again(done).await {
                                Some(input) => return input,
                                None => continue,
                            }
                        }
                        if self.startable_now().await {
                            self.looking.push(done);
                            return Input::Start;
                        }
                        self.refresh(done).await;
                    }
                },
                opened = maybe(&mut self.connecting) => {
                    self.connecting = None;
                    match opened {
                        Ok(opened) => {
                            self.adopt(opened);
                            return Input::Connected;
                        }
                        Err(trouble) => return Input::NotConnected(self.explain(trouble).await),
                    }
                }
                trouble = lost(&mut self.process, &mut self.connection, &self.server) => {
                    let trouble = self.flood().unwrap_or(trouble);
                    return if starting { Input::NotConnected(self.last_words(trouble).await) } else { Input::Lost(trouble) };
                }
                listed = maybe(&mut self.listing) => {
                    self.listing = None;
                    let (listed, ears, said) = listed;
                    self.listed(listed);
                    ears.read_up_to(said);
                }
                () = list_changed(ears.clone()), if self.listing.is_none() => self.list_again(),
                () = until(retry_at, self.hub.options.policy.longest_delay()) => return Input::RetryDue,
                () = sleep(SHOW_STDERR), if starting => {
                    if self.server.tail.version() != self.shown {
                        self.publish();
                    }
                }
            }
        }
    }

    async fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Connect => self.connect().await,
            Effect::Disconnect => self.disconnect().await,
            Effect::Publish => self.publish(),
            Effect::Report { trouble, next } => self.hub.report(&self.server, trouble, next),
        }
    }

    fn publish(&mut self) {
        self.shown = self.server.tail.version();
        self.hub.publish(&self.server, self.machine.state.clone());
    }

    async fn connect(&mut self) {
        self.server.tail.clear();
        let opening = match self.admitted().await {
            Ok(()) => self.open(),
            Err(trouble) => Err(trouble),
        };
        self.connecting = Some(match opening {
            Ok(opening) => opening,
            Err(trouble) => Box::pin(ready(Err(trouble))),
        });
    }

    fn open(&mut self) -> Result<BoxFuture<'static, Result<Opened, Trouble>>, Trouble> {
        let options = &self.hub.options;
        let patience = options.policy.connect.max(self.server.spec.timeout);
        let tail = Arc::clone(&self.server.tail);
        let ears = Ears::new(Arc::clone(&tail), options.version.clone());
        match launch::target(&self.server.spec, options)? {
            Target::Process(launch) => {
                let command = launch.command.display().to_string();
                let (process, stdin, stdout) = process::spawn(&launch.moved(&self.moved), &tail)
                    .map_err(|error| trouble::not_started(&command, Some(&launch.cwd), &error))?;
                self.process = Some(process);
                let pipes = Pipes::new(stdin, stdout, tail);
                Ok(Box::pin(bounded(
                    patience,
                    async move { opened(Connection::open(pipes, ears).await?, patience).await },
                )))
            }
            Target::Http { url, headers } => Ok(Box::pin(bounded(patience, async move {
                let transport = launch::http(&url, headers)?;
                opened(Connection::open(transport, ears).await?, patience).await
            }))),
            Target::Local(folder) => {
                let open = options.open_local.as_ref().ok_or_else(|| {
                    Trouble::new(Verdict::Final, "this program runs no scripts here", "remove the server")
                })?;
                let backend = open(&folder);
                Ok(Box::pin(bounded(patience, async move {
                    let listing = backend.list().await.map_err(not_allowed)?;
                    Ok(Opened { connection: None, backend: Some(backend), listing, warnings: Vec::new() })
                })))
            }
        }
    }

    fn adopt(&mut self, opened: Opened) {
        let (listed, more) = tools::prepare(opened.listing);
        self.hub.set_tools(&self.server, listed, opened.warnings.into_iter().chain(more).collect());
        let remote = opened
            .connection
            .as_ref()
            .map(|connection| Link::Remote { peer: connection.peer.clone(), ears: Arc::clone(&connection.ears) });
        self.server.set_link(remote.or_else(|| opened.backend.map(Link::Local)));
        self.connection = opened.connection;
        self.idle_listings = 0;
    }

    async fn disconnect(&mut self) {
        let grace = self.hub.options.policy.grace;
        self.server.set_link(None);
        self.listing = None;
        self.connecting = None;
        if let Some(connection) = self.connection.take() {
            connection.close(grace).await;
        }
        if let Some(process) = self.process.take() {
            process.stop(grace).await;
        }
    }

    /// Reads the list again a moment later, so that a burst of notices costs one reading.
    fn list_again(&mut self) {
        let Some(connection) = &self.connection else { return };
        let policy = &self.hub.options.policy;
        let wait = policy.debounce * 2u32.saturating_pow(self.idle_listings.min(8));
        let (peer, patience, ears) = (connection.peer.clone(), policy.connect, Arc::clone(&connection.ears));
        self.listing = Some(Box::pin(async move {
            sleep(wait).await;
            let said = ears.said();
            let listed = link::list(&peer, patience).await;
            (listed, ears, said)
        }));
    }

    fn listed(&mut self, listed: Listed) {
        match listed {
            Ok((listing, warnings)) => {
                let (listed, more) = tools::prepare(listing);
                let changed = self.hub.set_tools(&self.server, listed, warnings.into_iter().chain(more).collect());
                self.idle_listings = if changed { 0 } else { self.idle_listings + 1 };
            }
            // The tools known so far stay; a connection that is down shows by itself.
            Err(trouble) => {
                self.server.tail.push(&format!("octomind: {}", trouble.reason));
            }
        }
    }

    async fn refresh(&mut self, done: oneshot::Sender<()>) {
        if let Some(Link::Local(backend)) = self.server.link() {
            let listed = timeout(self.hub.options.policy.connect, backend.list()).await;
            if let Ok(listed) = listed {
                self.listed(listed.map(|listing| (listing, Vec::new())).map_err(not_allowed));
            }
        }
        let _ = done.send(());
    }
}

async fn opened(connection: Connection, patience: Duration) -> Result<Opened, Trouble> {
    let (listing, warnings) = link::list(&connection.peer, patience).await?;
    Ok(Opened { connection: Some(connection), backend: None, listing, warnings })
}

async fn bounded<T>(patience: Duration, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    timeout(patience, work).await.unwrap_or_else(|_| Err(trouble::silent(patience)))
}

async fn list_changed(ears: Option<Arc<Ears>>) {
    match ears {
        Some(ears) => ears.list_changed.notified().await,
        None => pending().await,
    }
}

async fn maybe<T>(future: &mut Option<BoxFuture<'static, T>>) -> T {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

/// A clock that went back does not make the wait longer than any that was meant.
async fn until(at: Option<Timestamp>, longest: Duration) {
    match at {
        Some(at) => sleep(Duration::from_millis(at.saturating_sub(now())).min(longest)).await,
        None => pending().await,
    }
}

pub fn now() -> Timestamp {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as Timestamp)
}

#[cfg(test)]
mod tests;
