//! The built-in server `orchestration`: work that is handed to other agents.
//!
//! Owns: the tool `tap`, which agent a task goes to, the sessions that were started for it, and how what
//! they hand back reaches this one.
//!
//! Does not own: likeness and its rule (`crate::session::encoder`, `embed`), how a session is made
//! (`crate::session::children`).
//!
//! Invariant: nobody is started who did not pass the rule. A child sees its prompt and nothing else of this
//! session, asks nobody, and does not outlive it; what it hands back is data, in a turn of its own.

mod arrive;
mod follow;
mod run;
mod tool;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::{Actor, Report};
use crate::proto::{Body, Child, ChildState, TapEvent};
use follow::{Over, Progress};

pub(super) use tool::{TAP, definition};

/// Children that work at the same time, by how deep the session that has them stands itself. Who stands
/// deeper hands nothing on.
const AT_ONCE: [usize; 2] = [4, 2];

/// How long leaving waits for children.
const END_WITHIN: Duration = Duration::from_secs(4);

/// What is handed on, and what came back.
#[derive(Default)]
pub(super) struct Delegation {
    running: BTreeMap<String, Running>,
    /// Counts what was begun, so that what is told of an earlier run is not heard.
    runs: u32,
    /// Whose results the agent was not told of yet, in the order they came.
    arrived: VecDeque<String>,
    held: Held,
}

/// Whether results wait for the next message of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Held {
    #[default]
    No,
    Yes,
}

struct Running {
    run: u32,
    orders: UnboundedSender<Order>,
    task: JoinHandle<()>,
    /// Whether the agent is told when it is over.
    tells: Tells,
}

/// What happens with a result when it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tells {
    /// A turn begins with it.
    AtOnce,
    /// It goes with the person's next message.
    WithNext,
    Nobody,
}

/// What is asked of whoever follows a child. That nobody can ask any more means: stop.
enum Order {
    Say(String),
    Stop(String),
}

/// What work beside the task brings back.
pub(super) enum TapReport {
    Compared(Box<run::Compared>),
    Progress(String, u32, Progress),
    Over(String, u32, Box<Over>),
}

impl Actor {
    pub(super) fn tap_reported(&mut self, report: TapReport) {
        match report {
            TapReport::Compared(compared) => self.agents_compared(*compared),
            TapReport::Progress(id, run, progress) => {
                if self.is_run(&id, run) {
                    self.child_progressed(&id, &progress);
                }
            }
            TapReport::Over(id, run, over) => {
                if self.is_run(&id, run) {
                    self.child_over(&id, *over);
                }
            }
        }
    }

    fn is_run(&self, id: &str, run: u32) -> bool {
        self.delegation.running.get(id).is_some_and(|running| running.run == run)
    }

    /// As it was told last.
    fn child(&self, id: &str) -> Option<Child> {
        let snapshot = self.rec.hub.snapshot();
        snapshot.children.iter().find(|child| child.id == id).map(|child| (**child).clone())
    }

    fn tell_child(&mut self, child: Child) {
        self.rec.emit(Body::Tap(TapEvent::Child(Arc::new(child))));
    }

    fn child_progressed(&mut self, id: &str, progress: &Progress) {
        let Some(mut child) = self.child(id) else { return };
        let before = child.clone();
        let cost = |child: &Child| child.usage.cost.unwrap_or(0.0);
        progress.enter(&mut child);
        let spent = cost(&child) - cost(&before);
        // It counts for the session, not for the turn that runs here.
        self.spent.session += spent;
        self.spent.at_turn += spent;
        if child != before {
            self.tell_child(child);
        }
        let limit = self.setup.limits.session;
        if limit > 0.0 && self.spent.session - self.spent.at_yes >= limit {
            self.stop_children("the spending limit of the session is reached");
        }
    }

    fn child_over(&mut self, id: &str, over: Over) {
        self.child_progressed(id, &over.progress);
        let (Some(running), Some(mut child)) = (self.delegation.running.remove(id), self.child(id)) else { return };
        child.state = over.state;
        child.ended = self.rec.now();
        if running.tells == Tells::Nobody {
            return self.tell_child(child);
        }
        child.result = Some(self.fitted_result(id, over.result));
        self.tell_child(child);
        self.delegation.arrived.push_back(id.to_owned());
        match running.tells {
            Tells::WithNext => self.hold_arrived(),
            Tells::AtOnce | Tells::Nobody => self.begin_with_arrived(),
        }
    }

    /// Asks one to end. False when it does not run.
    fn stop_child(&mut self, id: &str, why: &str, tells: Tells) -> bool {
        let Some(running) = self.delegation.running.get_mut(id) else { return false };
        running.tells = tells;
        running.orders.send(Order::Stop(why.to_owned())).is_ok()
    }

    /// Asks all of them to end.
    pub(super) fn stop_children(&mut self, why: &str) {
        let ids: Vec<String> = self.delegation.running.keys().cloned().collect();
        for id in ids {
            self.stop_child(&id, why, Tells::AtOnce);
        }
    }

    /// Waits until those that were asked to end did, and writes down how they stand.
    pub(super) async fn children_end(&mut self) {
        let until = Instant::now() + END_WITHIN;
        let tasks: Vec<_> = self.delegation.running.values_mut().map(|running| &mut running.task).collect();
        for task in tasks {
            let _ = tokio::time::timeout_at(until, task).await;
        }
        while let Ok(report) = self.reports.try_recv() {
            if let Report::Tap(report @ (TapReport::Progress(..) | TapReport::Over(..))) = report {
                self.tap_reported(report);
            }
        }
        self.give_up_children("the session that it worked for ended");
    }

    /// Another session begins here: those of this one end by themselves.
    pub(super) fn leave_children(&mut self) {
        self.give_up_children("the session that it worked for was left");
        self.delegation = Delegation::default();
    }

    fn give_up_children(&mut self, why: &str) {
        for id in std::mem::take(&mut self.delegation.running).into_keys() {
            let Some(mut child) = self.child(&id) else { continue };
            child.state = ChildState::Stopped { why: why.to_owned() };
            child.ended = self.rec.now();
            self.tell_child(child);
        }
    }
}
