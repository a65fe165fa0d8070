//! The supervisor's place in the turn loop.
//!
//! Owns: when each mechanic is asked, what the turn waits for, the calls to the supervisor's model.
//!
//! Does not own: what is decided ([`crate::supervisor`]), reading disks and folders
//! ([`crate::session::supervisor`]).
//!
//! Invariant: with the supervisor off nothing here sends, says or changes anything. What a mechanic of a
//! turn that is over still brings is not heard.

mod authorize;
mod calls;
mod condense;
mod evidence;
mod gate;
mod plan;
mod receipts;
mod recite;
mod switches;
mod watch;
mod wire;

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::Actor;
use super::batch::Batch;
use super::turn::Phase;
use crate::config::schema;
use crate::proto::{
    Body, CallId, Content, Decision, Fault, Mechanic, Origin, RequestId, RewindEvent, RewindTo, SwitchedHow,
};
use crate::session::seams::Setup;

pub(super) use authorize::Permission;
pub(super) use calls::Outcome;
pub(super) use plan::Seen;
pub(super) use receipts::{Class, Ended as CallEnded};
pub(super) use watch::Status;
pub(super) use wire::Ended;

/// The batch waits so long for the authorizer; after that it runs.
pub(super) const AUTHORIZER_WAIT: Duration = Duration::from_secs(30);

/// A look at a stop takes so long at the most, with all its calls. Source: ours.
pub(super) const GATE_WAIT: Duration = Duration::from_secs(120);

/// The results of a round wait so long for being narrowed; after that they stay whole. Source: ours.
pub(super) const CONDENSE_WAIT: Duration = Duration::from_secs(60);

/// What the supervisor has of this session.
pub(super) struct Supervise {
    /// Every switch of `[supervisor]` as it stands now.
    pub values: schema::Supervisor,
    calls: calls::Calls,
    watch: watch::Watching,
    recite: recite::Reciting,
    gate: gate::Gating,
    condense: condense::Condensing,
    plan: plan::Planning,
    authorize: authorize::Authorizing,
    switches: switches::Switching,
}

impl Supervise {
    pub fn new(setup: &Setup) -> Self {
        Self {
            values: setup.supervision.config.clone(),
            calls: calls::Calls::default(),
            watch: watch::Watching::default(),
            recite: recite::Reciting::default(),
            gate: gate::Gating::default(),
            condense: condense::Condensing::default(),
            plan: plan::Planning::default(),
            authorize: authorize::Authorizing::default(),
            switches: switches::Switching::new(setup),
        }
    }
}

/// Names a call to the supervisor's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Ticket(u64);

/// What came of a call.
pub(super) struct Answer {
    pub request: RequestId,
    pub result: Result<String, Fault>,
}

/// What the turn waits for.
pub(super) struct Supervising {
    about: About,
    /// When it goes on without.
    until: Instant,
}

pub(super) enum About {
    /// These calls, which have not begun.
    Authorizer(Box<Batch>),
    /// The results of a round that is over.
    Condense,
    /// The stop of the turn.
    Gate,
}

impl Supervising {
    pub fn due(&self) -> Instant {
        self.until
    }
}

/// A call of a batch before it runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PendingCall {
    pub id: CallId,
    pub server: String,
    /// Its name on the wire.
    pub tool: String,
    pub arguments: serde_json::Value,
}

/// What a past holds that the supervisor goes on with.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Recalled {
    /// The person's messages, with their turn.
    pub said: Vec<(u32, Content)>,
    /// What the last rewind took out of them, and the turn it began with.
    pub aside: Option<(u32, Vec<(u32, Content)>)>,
    /// Switches that were flipped in this session, as they stood last.
    pub flipped: BTreeMap<String, bool>,
}

impl Recalled {
    /// Folds one event of the past in.
    pub fn take(&mut self, turn: u32, body: &Body) {
        match body {
            Body::UserMessage { content, origin: Origin::Person, .. } => self.said.push((turn, content.clone())),
            Body::Decided(Decision::Switched(switched)) => match switched.what {
                SwitchedHow::Flipped => {
                    self.flipped.insert(switched.key.clone(), switched.to);
                }
                // From then on the file says it.
                SwitchedHow::Saved { .. } => drop(self.flipped.remove(&switched.key)),
                SwitchedHow::Refused { .. } => {}
            },
            Body::Rewind(RewindEvent::Rewound(rewound)) if rewound.what.conversation() => self.rewind(rewound.to),
            _ => {}
        }
    }

    fn rewind(&mut self, to: RewindTo) {
        let (from, back) = match (to, self.aside.take()) {
            (RewindTo::Turn(turn), _) => (turn.0, Vec::new()),
            (RewindTo::Before, Some(aside)) => aside,
            (RewindTo::Before, None) => return,
        };
        let (out, stay): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.said).into_iter().partition(|(turn, _)| *turn >= from);
        self.said = stay.into_iter().chain(back).collect();
        self.aside = Some((from, out));
    }
}

impl Actor {
    /// Whether any of it is on.
    pub(super) fn is_supervised(&self) -> bool {
        self.supervise.values.enabled
    }

    /// Whether the mechanic may send anything.
    pub(super) fn has_mechanic(&self, mechanic: Mechanic) -> bool {
        let values = &self.supervise.values;
        values.enabled
            && match mechanic {
                Mechanic::Gate | Mechanic::Refute => values.gate.enabled,
                Mechanic::Plan => values.plan.enabled,
                Mechanic::Condense => values.condense.enabled,
                Mechanic::Authorizer => values.authorizer.enabled,
            }
    }

    /// Goes on where a session that is taken up stood.
    pub(super) fn supervise_again(&mut self, recalled: Recalled, snapshot: &crate::proto::Snapshot) {
        self.switches_restore(&recalled.flipped);
        self.plan_restore(&snapshot.supervisor.plan);
        self.watch_restore(recalled.said, recalled.aside);
    }

    /// The calls wait for the authorizer.
    pub(super) fn hold_batch(&mut self, batch: Batch) {
        self.wait_for(About::Authorizer(Box::new(batch)), AUTHORIZER_WAIT);
    }

    /// The turn waits; nothing of the phase before may be running any more.
    fn wait_for(&mut self, about: About, longest: Duration) {
        self.set_phase(Phase::Supervising(Supervising { about, until: Instant::now() + longest }));
    }

    fn waits_for_gate(&self) -> bool {
        let phase = self.turn.as_ref().map(|turn| &turn.phase);
        matches!(phase, Some(Phase::Supervising(Supervising { about: About::Gate, .. })))
    }

    /// The person stopped the turn while it waited.
    pub(super) fn supervising_stopped(&mut self, waits: Supervising) {
        match waits.about {
            About::Authorizer(batch) => self.cancel_batch(*batch),
            About::Condense => self.condense_stopped("stopped by you"),
            About::Gate => self.gate_stopped(),
        }
    }

    pub(super) fn cancel_all_asks(&mut self) {
        self.cancel_asks(|_| true);
    }

    /// The time that the turn waits is over.
    pub(super) fn supervise_overdue(&mut self) {
        match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Supervising(Supervising { about: About::Authorizer(_), .. })) => self.authorize_overdue(),
            Some(Phase::Supervising(Supervising { about: About::Condense, .. })) => self.condense_overdue(),
            Some(Phase::Supervising(Supervising { about: About::Gate, .. })) => self.gate_overdue(),
            _ => {}
        }
    }

    /// Before every request: what was decided beside the turn takes effect.
    pub(super) fn safe_point(&mut self) {
        self.switches_safe_point();
        self.plan_safe_point();
        self.say_steering();
    }

    /// The results of the round are as the model gets them.
    pub(super) fn round_condensed(&mut self) {
        if matches!(
            self.turn.as_ref().map(|turn| &turn.phase),
            Some(Phase::Supervising(Supervising { about: About::Condense, .. }))
        ) {
            self.prepare();
        }
    }

    /// The batch runs, but for these calls; each with the error that the model gets for it.
    pub(super) fn batch_authorized(&mut self, blocked: Vec<(CallId, String)>) {
        match self.take_phase() {
            Some(Phase::Supervising(Supervising { about: About::Authorizer(batch), .. })) => {
                self.run_batch(*batch, blocked);
            }
            Some(other) => self.set_phase(other),
            None => {}
        }
    }
}
