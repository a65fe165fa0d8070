//! From a setup to a running session.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, UnboundedReceiver, unbounded_channel};

use super::follow::{self, Followed};
use super::inbox::Inbox;
use super::open::{self, Opened, Past, Resumed};
use super::recorder::Recorder;
use super::starting::Occasion;
use super::unheld::{self, Word};
use super::{Actor, ModelSlot, Servers, Settled};
use crate::model::History;
use crate::port::Hub;
use crate::proto::{Body, Command, Event, Level, Order, Queued, Seq, Snapshot, TapEvent, Timestamp};
use crate::session::journal::{JOURNAL, Reading};
use crate::session::rules::{Calibration, Queue, Spent};
use crate::session::seams::{Person, Pick, Resolution, Role, Setup, Tools};
use crate::session::starting::{Refused, RefusedBy};
use crate::session::supervisor::tree::Tree;
use crate::session::supervisor::wire::Wire;
use crate::session::{Handle, NOT_BEGUN, SessionEnd};
use crate::text::human;

/// Returns at once; nothing is done until `first` is over. Commands that come before the session is
/// open wait for it.
pub(in crate::session) fn launch(setup: Setup, first: impl Future<Output = ()> + Send + 'static) -> Handle {
    let (hub, commands) = Hub::new(Snapshot::default());
    let hub = Arc::new(hub);
    let port = hub.connect();
    let publisher = Arc::clone(&hub);
    let done = tokio::spawn(async move {
        first.await;
        run(setup, publisher, commands).await
    });
    Handle { port, hub, done }
}

async fn run(setup: Setup, hub: Arc<Hub>, commands: Receiver<Command>) -> SessionEnd {
    let mut commands = Inbox::new(commands);
    let (opening, screen) = (setup.clone(), Arc::clone(&hub));
    let (person, now) = (setup.person, (setup.clock)());
    if let Some(why) = setup.unheld.clone() {
        match unheld::ask(&setup, why, &hub, &mut commands).await {
            Word::GoOn => {}
            Word::Left => return SessionEnd::default(),
            Word::Stop(why) => return refused(setup.person, now, hub, commands, why).await,
        }
    }
    let roles = || Some("`octomind config --show` lists the roles.".to_owned());
    // A role that is not there is known before anything is written. That may take reading every tap, or
    // fetching one, which whoever leaves does not wait for.
    let known = tokio::select! {
        biased;
        known = known(&setup) => known,
        () = commands.unwanted() => return SessionEnd::default(),
    };
    let (source, message, hint) = match known {
        Err(refused) => (NOT_BEGUN, refused.message, refused.hint.or_else(roles)),
        Ok(()) => match tokio::task::spawn_blocking(move || {
            let at = (opening.clock)();
            open::open(&opening, &|body| screen.publish(Event { seq: Seq(1), at, order: Some(Order::default()), body }))
        })
        .await
        {
            Ok(Ok(opened)) => match first_role(&setup, &opened.past.snapshot.session.role) {
                Ok(role) => return Actor::new(setup, hub, commands, opened, role).run().await,
                Err(message) => (NOT_BEGUN, message, roles()),
            },
            Ok(Err(error)) => (NOT_BEGUN, error.to_string(), None),
            Err(error) => ("session", format!("The session could not be opened: {error}."), None),
        },
    };
    refused(person, now, hub, commands, (source, message, hint)).await
}

/// Who speaks, what is said, what to do.
pub(super) type Why = (&'static str, String, Option<String>);

async fn refused(
    person: Person,
    at: Timestamp,
    hub: Arc<Hub>,
    mut commands: Inbox,
    (source, message, hint): Why,
) -> SessionEnd {
    let body = Body::Notice { level: Level::Error, source: source.to_owned(), text: message.clone(), hint };
    hub.publish(Event { seq: Seq(1), at, order: Some(Order::default()), body });
    // A person reads why and leaves; without one there is nothing to wait for.
    while person == Person::Present && !matches!(commands.recv().await, None | Some(Command::Quit)) {}
    SessionEnd { failure: Some(message), ..SessionEnd::default() }
}

/// The beginning of what waits.
fn first(waiting: &[Queued]) -> String {
    let line = waiting.first().and_then(|one| one.text.lines().next()).unwrap_or_default();
    crate::text::truncate(line, 80).into_owned()
}

/// Whether there is what a program asked for. A person gets the usual role instead, and is told.
async fn known(setup: &Setup) -> Result<(), Refused> {
    let Some(name) = setup.role.as_deref() else { return Ok(()) };
    match setup.roles.resolve(Some(name)) {
        Ok(Resolution::ToPrepare(_)) if setup.person == Person::Absent => setup.roles.check(name).await,
        Ok(_) => Ok(()),
        Err(_) if setup.person == Person::Present => Ok(()),
        Err(message) => Err(Refused { by: RefusedBy::Name, message, hint: None }),
    }
}

/// The role asked for, or the one the session had. A person who asked for one that is not there
/// works in the usual role and is told; a program is refused.
fn first_role(setup: &Setup, saved: &str) -> Result<Resolution, String> {
    let saved = Some(saved).filter(|role| !role.is_empty());
    let wanted = setup.role.as_deref().or(saved);
    match setup.roles.resolve(wanted) {
        Err(error) if wanted.is_some() && (setup.role.is_none() || setup.person == Person::Present) => {
            let mut usual = setup.roles.resolve(None)?;
            let (Resolution::Ready(role) | Resolution::ToPrepare(role)) = &mut usual;
            role.notices.insert(0, (Level::Warning, error));
            Ok(usual)
        }
        resolved => resolved,
    }
}

impl Actor {
    fn new(setup: Setup, hub: Arc<Hub>, commands: Inbox, opened: Opened, first: Resolution) -> Self {
        let to_prepare = matches!(first, Resolution::ToPrepare(_));
        let role = first.into_role();
        let (report, reports) = unbounded_channel();
        let (events, servers) = start_servers(&setup, &role);
        let Opened { name, journal, past, resumed, notices } = opened;
        let live = super::surface::Live::new(&role);
        let supervise = super::supervise::Supervise::new(&setup);
        let tree = Arc::new(Tree::new(setup.workdir.clone(), setup.sessions.clone()));
        let rec = Recorder {
            hub,
            journal,
            history: History::default(),
            clock: Arc::clone(&setup.clock),
            mask: setup.mask.clone(),
            seq: Seq::default(),
            next: Order::default(),
            latest: Timestamp::default(),
        };
        let mut actor = Self {
            unnamed: matches!(setup.pick, Pick::New { name: None }),
            effort: role.profile.reasoning_effort,
            servers: Servers { tools: servers, events, era: 0, settled: Settled::No },
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
            starting: None,
            starts: 0,
            servers_step: None,
            holds: false,
            keeps_model: false,
            preloading: false,
            verdicts: None,
            lost_parts: Vec::new(),
            phrases: None,
            said_of_encoder: super::encoder::Said::default(),
            live,
            supervise,
            wire: Wire::default(),
            shell: super::shell::Shell::default(),
            delegation: super::delegate::Delegation::default(),
            tree,
            rewinding: super::rewind::Rewinding::default(),
            approving: super::approve::Approving::new(&setup.approval),
            trust_ask: None,
            spent: Spent::default(),
            repairs: BTreeSet::new(),
            said_of_roles: BTreeSet::new(),
            said_of_mask: false,
            came_from: None,
            sent: false,
            context_said: false,
            prompt_cut: false,
            machine: None,
            read_only: None,
            followed: None,
            end: SessionEnd::default(),
            leaving: false,
            setup,
        };
        actor.rewinding = actor.rewinding_of(resumed.as_ref());
        let model = actor.take_up(past, resumed);
        if actor.setup.pick == Pick::ResumeRecent {
            let text = format!("Went on with {}, the newest session of this folder.", actor.name);
            actor.rec.notice(Level::Info, "session", text, None);
        }
        actor.say_opening(notices);
        actor.say_switches();
        actor.say_approvals();
        if to_prepare {
            let asked = actor.role.name.clone();
            actor.begin_starting(asked, Occasion::First);
        } else {
            actor.show_own();
            actor.await_servers();
        }
        actor.open_model(model);
        if !to_prepare {
            actor.fill_prompt();
        }
        actor.look_at_trust();
        actor.open_book();
        actor.look_at_offers();
        actor.watch_encoder();
        actor.preload_skills();
        actor
    }

    /// Goes on where the past ended; gives the name of the model to open.
    fn take_up(&mut self, mut past: Past, resumed: Option<Resumed>) -> String {
        let asked = self.setup.model.clone();
        self.keeps_model = asked.is_some();
        let Some(resumed) = resumed else {
            self.announce();
            return asked.unwrap_or_else(|| self.role.profile.name.clone());
        };
        // What another process is still writing is not broken off.
        let broken_off = if resumed.read_only.is_none() { past.broken_off() } else { None };
        let Past {
            snapshot,
            history,
            last_order,
            last_request,
            repairs,
            came_from,
            last_at: past_end,
            end_at,
            recalled,
            waiting,
            ..
        } = past;
        let (turns, last_used) = (snapshot.turn.0, past_end);
        self.rec.seq = snapshot.seq;
        self.rec.latest = end_at;
        self.rec.next = Order { slot: last_order.slot + 1, ..last_order };
        self.rec.history = history;
        self.repairs = repairs;
        self.came_from = came_from;
        self.turns = snapshot.turn.0;
        self.context_said = self.turns > 0;
        self.requests = last_request;
        if resumed.read_only.is_none() {
            self.live.resume(&snapshot);
        }
        let spent = snapshot.totals.all().cost.unwrap_or(0.0);
        self.spent = Spent { session: spent, at_turn: spent, at_yes: 0.0 };
        let saved = snapshot.session.clone();
        let unanswered = if resumed.read_only.is_none() { super::approve::unanswered(&snapshot) } else { Vec::new() };
        let worked = snapshot.children.clone();
        self.supervise_again(recalled, &snapshot);
        self.approve_again(&snapshot.approval.standing);
        self.rec.hub.replace(snapshot);
        self.read_only.clone_from(&resumed.read_only);
        if let Some((order, body)) = broken_off {
            self.rec.emit_at(order, body);
        }
        for body in unanswered {
            self.rec.emit(body);
        }
        if saved.name.is_empty() {
            // The record that said who this is did not survive.
            self.announce();
        }
        let Reading { events, skipped, good_bytes, .. } = resumed.reading;
        if self.read_only.is_some() {
            self.rec.next = follow::after_all_of(self.turns);
            self.followed = Some(Followed::new(self.rec.folder().join(JOURNAL), good_bytes));
        }
        let version = env!("CARGO_PKG_VERSION").to_owned();
        self.rec.emit(Body::SessionResumed { events, skipped, read_only: resumed.read_only, version });
        self.say_taken_up(turns, last_used);
        self.miss_children(&worked);
        self.wait_again(waiting);
        if saved.role != self.role.name {
            self.rec.emit(Body::RoleChanged { role: self.role.name.clone() });
        } else if !saved.model.name.is_empty() {
            self.effort = saved.effort;
            self.keeps_model = true;
            return asked.unwrap_or(saved.model.name);
        }
        asked.unwrap_or_else(|| self.role.profile.name.clone())
    }

    /// Messages that waited when the last process ended wait again; a program gets none that it did not send.
    fn wait_again(&mut self, waiting: Vec<Queued>) {
        if waiting.is_empty() || self.read_only.is_some() {
            return;
        }
        let words = crate::proto::counted(u32::try_from(waiting.len()).unwrap_or(u32::MAX), "message");
        if !self.person() {
            let text = format!("Not sent: {words} that waited when this session ended, {:?}", first(&waiting));
            return self.rec.notice(Level::Warning, "session", text, None);
        }
        for Queued { text, mode, .. } in waiting {
            let id = self.queue.push(text.clone(), Vec::new(), mode);
            self.rec.emit(Body::Queued { id, text, mode });
        }
        let text = format!("Still waiting: {words} from before this session ended; your next one takes it along.");
        let hint = "Edit it or withdraw it above the composer.".to_owned();
        self.rec.notice(Level::Info, "session", text, Some(hint));
    }

    /// That this is no new session, and whether it can be written.
    fn say_taken_up(&mut self, turns: u32, last_used: Timestamp) {
        if let Some(holder) = &self.read_only {
            let text = format!("This session is open elsewhere ({holder}): here it can only be read.");
            let hint = "Nothing that is sent from here goes out. Close it there, or /new for a session of your own.";
            return self.rec.notice(Level::Warning, "session", text, Some(hint.to_owned()));
        }
        let turns = crate::proto::counted(turns, "turn");
        let ago = human::ago(self.rec.now().saturating_sub(last_used));
        self.rec.notice(Level::Info, "session", format!("Taken up again: {turns}, last used {ago}."), None);
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
        if let Some(descent) = &self.setup.descent {
            self.rec.emit(Body::Tap(TapEvent::Of { parent: descent.parent.clone() }));
        }
    }

    fn say_opening(&mut self, notices: Vec<Body>) {
        for body in notices.into_iter().chain(std::mem::take(&mut self.setup.opening)) {
            match body {
                state @ Body::Sandbox(_) => self.rec.emit(state),
                told => drop(self.rec.cell(told)),
            }
        }
        self.say_of_role();
    }

    pub(super) fn say_of_role(&mut self) {
        for (level, text) in std::mem::take(&mut self.role.notices) {
            // What is no trouble is said of the first role that has it.
            if level > Level::Info || self.said_of_roles.insert(text.clone()) {
                self.rec.notice(level, "role", text, None);
            }
        }
    }
}

/// Starts the role's servers; they come up beside the session.
pub(super) fn start_servers(setup: &Setup, role: &Role) -> (UnboundedReceiver<Body>, Arc<dyn Tools>) {
    let (events, receiver) = unbounded_channel();
    (receiver, setup.tools.start(role.servers.clone(), events))
}
