//! From a setup to a running session.

use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, unbounded_channel};

use super::open::{self, Opened, Past, Resumed};
use super::recorder::Recorder;
use super::{Actor, ModelSlot, Servers, Settled};
use crate::model::History;
use crate::port::Hub;
use crate::proto::{Body, Command, Event, Level, Order, Seq, Snapshot, Usage};
use crate::session::journal::Reading;
use crate::session::rules::{Calibration, Queue, Spent};
use crate::session::seams::{Person, Pick, Role, Setup, Tools};
use crate::session::{Handle, SessionEnd};

/// Returns at once; commands that come before the session is open wait for it.
pub(in crate::session) fn launch(setup: Setup) -> Handle {
    let (hub, commands) = Hub::new(Snapshot::default());
    let hub = Arc::new(hub);
    let port = hub.connect();
    let done = tokio::spawn(run(setup, Arc::clone(&hub), commands));
    Handle { port, hub, done }
}

async fn run(setup: Setup, hub: Arc<Hub>, mut commands: Receiver<Command>) -> SessionEnd {
    let opening = setup.clone();
    let opened = tokio::task::spawn_blocking(move || open::open(&opening)).await;
    let (person, now) = (setup.person, (setup.clock)());
    let (message, hint) = match opened {
        Ok(Ok(opened)) => match first_role(&setup, &opened) {
            Ok(role) => return Actor::new(setup, hub, commands, opened, role).run().await,
            Err(message) => (message, Some("`octomind config --show` lists the roles.".to_owned())),
        },
        Ok(Err(error)) => (error.to_string(), None),
        Err(error) => (format!("The session could not be opened: {error}."), None),
    };
    let body = Body::Notice { level: Level::Error, source: "session".to_owned(), text: message.clone(), hint };
    hub.publish(Event { seq: Seq(1), at: now, order: Some(Order::default()), body });
    // A person reads why and leaves; without one there is nothing to wait for.
    while person == Person::Present && !matches!(commands.recv().await, None | Some(Command::Quit)) {}
    SessionEnd { failure: Some(message), ..SessionEnd::default() }
}

/// The role asked for, or the one the session had. A person who asked for one that is not there
/// works in the usual role and is told; a program is refused.
fn first_role(setup: &Setup, opened: &Opened) -> Result<Role, String> {
    let saved = Some(opened.past.snapshot.session.role.as_str()).filter(|role| !role.is_empty());
    let wanted = setup.role.as_deref().or(saved);
    match setup.roles.resolve(wanted) {
        Err(error) if wanted.is_some() && (setup.role.is_none() || setup.person == Person::Present) => {
            let mut role = setup.roles.resolve(None)?;
            role.notices.insert(0, error);
            Ok(role)
        }
        resolved => resolved,
    }
}

impl Actor {
    fn new(setup: Setup, hub: Arc<Hub>, commands: Receiver<Command>, opened: Opened, role: Role) -> Self {
        let (report, reports) = unbounded_channel();
        let (events, servers) = start_servers(&setup, &role);
        let Opened { name, journal, past, resumed, notices } = opened;
        let rec = Recorder {
            hub,
            journal,
            history: History::default(),
            clock: Arc::clone(&setup.clock),
            mask: Arc::new(setup.mask.clone()),
            seq: Seq::default(),
            next: Order::default(),
        };
        let mut actor = Self {
            unnamed: matches!(setup.pick, Pick::New { name: None }),
            effort: role.profile.reasoning_effort,
            servers: Servers { tools: servers, events, era: 0, settled: Settled::No },
            setup,
            rec,
            name,
            commands,
            reports,
            report,
            role,
            model: ModelSlot::Coming,
            prompt: None,
            calibration: Calibration::default(),
            queue: Queue::default(),
            turn: None,
            turns: 0,
            requests: 0,
            asks: 0,
            trust_ask: None,
            spent: Spent::default(),
            repairs: Vec::new(),
            read_only: None,
            end: SessionEnd::default(),
            leaving: false,
        };
        let model = actor.take_up(past, resumed);
        actor.say_opening(notices);
        actor.await_servers();
        actor.open_model(model);
        actor.fill_prompt();
        actor.look_at_trust();
        actor
    }

    /// Goes on where the past ended; gives the name of the model to open.
    fn take_up(&mut self, mut past: Past, resumed: Option<Resumed>) -> String {
        let asked = self.setup.model.clone();
        let Some(resumed) = resumed else {
            self.announce();
            return asked.unwrap_or_else(|| self.role.profile.name.clone());
        };
        let broken_off = past.broken_off();
        let Past { snapshot, history, last_order, last_request, .. } = past;
        self.rec.seq = snapshot.seq;
        self.rec.next = Order { slot: last_order.slot + 1, ..last_order };
        self.rec.history = history;
        self.turns = snapshot.turn.0;
        self.requests = last_request;
        let cost = |usage: &Usage| usage.cost.unwrap_or(0.0);
        let spent = cost(&snapshot.totals.main) + cost(&snapshot.totals.auxiliary);
        self.spent = Spent { session: spent, at_turn: spent, at_yes: 0.0 };
        let saved = snapshot.session.clone();
        self.rec.hub.replace(snapshot);
        self.read_only.clone_from(&resumed.read_only);
        if let Some((order, body)) = broken_off {
            self.rec.emit_at(order, body);
        }
        let Reading { events, skipped, .. } = resumed.reading;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        self.rec.emit(Body::SessionResumed { events, skipped, read_only: resumed.read_only, version });
        if saved.role != self.role.name {
            self.rec.emit(Body::RoleChanged { role: self.role.name.clone() });
        } else if !saved.model.name.is_empty() {
            self.effort = saved.effort;
            return asked.unwrap_or(saved.model.name);
        }
        asked.unwrap_or_else(|| self.role.profile.name.clone())
    }

    /// The first event of a new session.
    pub(super) fn announce(&mut self) {
        self.rec.emit(Body::SessionStarted {
            name: self.name.clone(),
            role: self.role.name.clone(),
            workdir: self.setup.workdir.display().to_string(),
            folder: self.rec.folder().display().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
    }

    fn say_opening(&mut self, notices: Vec<Body>) {
        for body in notices.into_iter().chain(std::mem::take(&mut self.setup.opening)) {
            self.rec.cell(body);
        }
        for text in std::mem::take(&mut self.role.notices) {
            self.rec.notice(Level::Warning, "role", text, None);
        }
    }
}

/// Starts the role's servers; they come up beside the session.
pub(super) fn start_servers(setup: &Setup, role: &Role) -> (UnboundedReceiver<Body>, Arc<dyn Tools>) {
    let (events, receiver) = unbounded_channel();
    (receiver, setup.tools.start(role.servers.clone(), events))
}
