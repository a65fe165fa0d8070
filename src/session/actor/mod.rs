//! One session: a task that owns everything and answers to commands.
//!
//! Owns: the order in which things happen. Each file holds one phase of a turn.
//!
//! Does not own: what is decided ([`super::rules`]), how it is kept ([`super::journal`]).
//!
//! Invariant: the task never waits for anything but the next step. A command is answered in any
//! phase; a phase is left in one place, so nothing of it goes on after an interrupt.

mod approve;
mod batch;
mod commands;
mod delegate;
mod egress;
mod encoder;
mod failure;
mod follow;
mod inbox;
mod lost;
mod offers;
mod open;
mod own;
mod past;
mod prepare;
mod recorder;
mod reply;
mod report;
mod request;
mod rewind;
mod roles;
mod runtime;
mod shelf;
mod shell;
mod skills;
mod slash;
mod start;
mod starting;
mod stream;
mod supervise;
mod surface;
mod trust;
mod turn;
mod unheld;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::Instant;

use super::SessionEnd;
use super::encoder::Phrases;
use super::rules::{Calibration, Queue, Spent};
use super::seams::{Person, Role, Setup, Tools};
use super::supervisor::tree::Tree;
use super::supervisor::wire::Wire;
use super::time::TimeMachine;
use super::trust::Found;
use crate::model::{Delta, Model};
use crate::proto::{AskId, Body, Command, Effort, Fault, TurnOutcome};
use follow::Followed;
use inbox::Inbox;
use recorder::Recorder;
use report::Report;
use turn::{Phase, Turn};

pub(super) use own::own_names;
pub(super) use skills::source as skill_source;
pub(super) use start::launch;

struct Actor {
    setup: Setup,
    rec: Recorder,
    name: String,
    commands: Inbox,
    reports: UnboundedReceiver<Report>,
    report: UnboundedSender<Report>,
    role: Role,
    effort: Effort,
    model: ModelSlot,
    /// `None` until it is filled in.
    prompt: Option<Prompt>,
    servers: Servers,
    calibration: Calibration,
    queue: Queue,
    turn: Option<Turn>,
    turns: u32,
    requests: u32,
    asks: u32,
    /// An agent that is being made ready.
    starting: Option<starting::Starting>,
    /// Counts what was begun to be made ready.
    starts: u32,
    servers_step: Option<starting::ServersStep>,
    /// Messages wait for the prompt of a role that was just made ready.
    holds: bool,
    /// The model was asked for, or is that of the session that was taken up: the first role changes
    /// nothing about it.
    keeps_model: bool,
    /// Skills that the environment asks for are being read; the first request waits for them.
    preloading: bool,
    /// How the rules of skills were judged last: name, activated, why not.
    verdicts: Option<Vec<(String, bool, Option<String>)>>,
    /// What was said of skills that lost against a tap's.
    lost_parts: Vec<lost::Lost>,
    /// What is on offer and not given to the encoder yet.
    phrases: Option<Phrases>,
    said_of_encoder: encoder::Said,
    live: surface::Live,
    supervise: supervise::Supervise,
    wire: Wire,
    shell: shell::Shell,
    /// Work that was handed to other agents.
    delegation: delegate::Delegation,
    tree: Arc<Tree>,
    rewinding: rewind::Rewinding,
    approving: approve::Approving,
    /// The open question about the project's content.
    trust_ask: Option<(AskId, Found)>,
    spent: Spent,
    /// What was mended in requests and has been said.
    repairs: BTreeSet<String>,
    /// What is worth knowing of roles and has been said.
    said_of_roles: BTreeSet<String>,
    /// That a secret in a message is masked has been said.
    said_of_mask: bool,
    /// The role that was resolved last, and the tap it came from.
    came_from: Option<(String, String)>,
    /// Something was sent to a model.
    sent: bool,
    /// The model was told what the welcome says of the machine.
    context_said: bool,
    /// It was said that the server of this model cuts requests.
    prompt_cut: bool,
    /// While somebody looks at the past.
    machine: Option<Arc<Mutex<TimeMachine>>>,
    read_only: Option<String>,
    /// The journal that another process writes.
    followed: Option<Followed>,
    /// Nobody chose this session's name, and it is new.
    unnamed: bool,
    end: SessionEnd,
    leaving: bool,
}

/// The model of the session.
enum ModelSlot {
    /// Being chosen or opened.
    Coming,
    Ready(Arc<dyn Model>),
    Failed(Fault),
}

/// The servers of the role, and what they say.
struct Servers {
    tools: Arc<dyn Tools>,
    events: UnboundedReceiver<Body>,
    /// Counts the roles, so that a late report of an earlier role's servers is not heard.
    era: u32,
    settled: Settled,
}

enum Settled {
    No,
    Yes,
}

/// Texts that are filled in beside the task.
#[derive(Debug, Clone, Default)]
struct Prompt {
    system: String,
    welcome: String,
    /// The project's; `None` when there are none.
    instructions: Option<String>,
}

enum Step {
    Command(Option<Command>),
    Report(Report),
    Server(Body),
    Delta(Option<Result<Delta, Fault>>),
    Tick,
}

impl Actor {
    async fn run(mut self) -> SessionEnd {
        while !self.leaving {
            match self.next().await {
                Step::Command(Some(command)) => self.command(command).await,
                Step::Command(None) => self.leaving = true,
                Step::Report(report) => self.reported(report),
                Step::Server(body) => self.server(body),
                Step::Delta(delta) => self.delta(delta),
                Step::Tick => self.tick(),
            }
            self.tell_surface();
        }
        self.leave().await;
        self.end
    }

    async fn next(&mut self) -> Step {
        let wake = self.wake();
        let Self { commands, reports, servers, turn, .. } = self;
        tokio::select! {
            biased;
            command = commands.recv() => Step::Command(command),
            Some(report) = reports.recv() => Step::Report(report),
            Some(body) = servers.events.recv() => Step::Server(body),
            delta = next_delta(turn) => Step::Delta(delta),
            () = sleep_until(wake) => Step::Tick,
        }
    }

    /// When something is due though nothing arrives.
    fn wake(&self) -> Option<Instant> {
        let journal = self.rec.journal.due_in(self.rec.now());
        let journal = journal.map(|wait| Instant::now() + Duration::from_millis(wait));
        let phase = self.turn.as_ref().and_then(|turn| turn.phase.due());
        let followed = self.followed.as_ref().map(|followed| followed.due);
        journal.into_iter().chain(phase).chain(followed).min()
    }

    fn tick(&mut self) {
        self.rec.flush_deltas();
        self.follow_writer();
        let now = Instant::now();
        match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Waiting { until, .. }) if *until <= now => self.wait_over(),
            Some(Phase::Waiting { tell: Some(tell), .. }) if *tell <= now => self.tell_what_is_missing(),
            Some(Phase::Routing { until, .. }) if *until <= now => self.compare_overdue(),
            Some(Phase::Activating { until, .. }) if *until <= now => self.give_up_waiting("Going on after 10 s"),
            Some(Phase::Activating { tell: Some(tell), .. }) if *tell <= now => self.tell_what_is_missing(),
            Some(Phase::Retrying { until }) if *until <= now => self.send_again(),
            Some(Phase::Supervising(waits)) if waits.due() <= now => self.supervise_overdue(),
            Some(Phase::Streaming(_)) => self.show_deltas(now),
            _ => {}
        }
    }

    fn reported(&mut self, report: Report) {
        match report {
            Report::Model(opened, decision) => self.model_came(opened, decision),
            Report::Settled(era, still) => self.servers_settled(era, &still),
            Report::Prompt(era, prompt) => self.prompt_came(era, prompt),
            Report::Refreshed(turn) => self.refreshed(turn),
            Report::Trust(looked) => self.trust_looked(looked),
            Report::Start(era, told) => self.start_told(era, told),
            Report::Offered(offered) => self.offered(offered),
            Report::Skill(report) => self.skill_reported(report),
            Report::Tap(report) => self.tap_reported(report),
            Report::Encoder(state) => self.encoder_changed(state),
            Report::Surface(report) => self.surface_reported(report),
            Report::Supervised(ticket, outcome) => self.supervised(ticket, outcome),
            Report::Artifacts(turn, found) => self.look_at_stop(turn, &found),
            Report::Observed(revision, seen) => self.assumptions_seen(revision, seen),
            Report::Past(answer) => self.past_folded(answer),
            Report::Shelf(answer) => self.rec.emit(Body::Shelf(answer)),
            Report::Wire(request, (sent, received)) => self.rec.emit(Body::Wire { request, sent, received }),
            Report::Rewind(report) => self.rewind_reported(report),
            Report::Previewed(call, seen) => self.previewed(&call, seen),
            Report::Looked(call, changed) => self.tree_looked(&call, changed),
            Report::Progress(call, progress) => self.call_progressed(call, progress),
            Report::Called(call, result) => self.call_ended(&call, result),
            Report::Shell(order, told) => self.shell_told(order, told),
        }
    }

    fn server(&mut self, body: Body) {
        match body {
            decided @ Body::Decided(_) => {
                self.rec.cell(decided);
            }
            notice @ Body::Notice { .. } => {
                self.rec.cell(notice);
            }
            state => {
                let tools = matches!(state, Body::ServerTools { .. });
                match &state {
                    Body::ServerTools { server, tools } => self.tools_seen(server, tools),
                    Body::ServerChanged { server, .. } => self.server_seen(server),
                    Body::ServerGone { server } => self.server_gone(server),
                    _ => {}
                }
                self.rec.emit(state);
                if self.awaits_servers() {
                    self.look_at_pending();
                }
                // What the tools cost is known before the first message is sent.
                if tools && self.turn.is_none() {
                    self.measure();
                }
            }
        }
    }

    fn person(&self) -> bool {
        self.setup.person == Person::Present
    }

    fn new_ask(&mut self) -> AskId {
        self.asks += 1;
        AskId(self.asks)
    }

    /// Everything comes to rest: the turn, the journal, the servers.
    async fn leave(&mut self) {
        self.stop_children("the session that it worked for ended");
        self.end_shell().await;
        self.interrupt_turn();
        self.cancel_all_asks();
        self.looks_settle().await;
        self.abandon_start();
        self.children_end().await;
        let unused = self.is_unused();
        self.rec.emit(Body::SessionEnded);
        let synced = self.rec.settle();
        // Servers end by themselves within their grace period; this is the last word.
        let _ = tokio::time::timeout(Duration::from_secs(10), self.servers.tools.shutdown()).await;
        if let Some(synced) = synced {
            let _ = synced.await;
        }
        let wire = std::mem::take(&mut self.wire);
        // What was given to it is written or has failed.
        let _ = tokio::task::spawn_blocking(move || wire.close()).await;
        if unused {
            discard(self.rec.folder());
        }
        self.end.name.clone_from(&self.name);
    }

    /// Nobody named this session, and nothing was said in it. What a program said and never reached
    /// a model is nothing either: the program is told and says it again.
    fn is_unused(&self) -> bool {
        let nothing = self.turns == 0 || (!self.person() && !self.sent);
        self.unnamed && nothing && self.shell.ran == 0 && self.rec.journal.writes()
    }

    fn ended_turn(&mut self, outcome: TurnOutcome) {
        self.end.outcome = Some(outcome);
    }
}

/// A session in which nothing was said leaves nothing behind.
fn discard(folder: PathBuf) {
    // What cannot be removed is an empty session in the list, no more.
    let _ = std::fs::remove_dir_all(folder);
}

async fn next_delta(turn: &mut Option<Turn>) -> Option<Result<Delta, Fault>> {
    match turn {
        Some(Turn { phase: Phase::Streaming(streaming), .. }) => streaming.source.next().await,
        _ => std::future::pending().await,
    }
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
