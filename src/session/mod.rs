//! Sessions: one actor each, writing what happens and acting on what is asked.
//!
//! Owns: the turn loop, the queue, interrupt and retry, slash commands, the journal, its lock, blobs
//! and resume, spending limits, cutting of results.
//!
//! Does not own: provider protocols (`model`), tool servers (`mcp`), anything on a screen.
//!
//! Invariant: an event is in the journal before anyone is shown it. A process killed at any byte
//! loses at most the event it was writing, and the next one says so.

mod actor;
pub(crate) mod checkpoint;
mod children;
pub mod encoder;
pub mod journal;
mod not_run;
mod plugin_servers;
mod real_tools;
pub mod rules;
mod seams;
mod server_specs;
pub mod shelf;
mod shell;
mod start;
mod starting;
pub mod store;
mod supervisor;
mod surface;
pub mod time;
pub mod trust;
mod trust_desk;

use std::sync::Arc;

use tokio::task::JoinHandle;

pub use seams::{
    Approval, Assignment, Children, Clock, Descent, Models, Person, Pick, Resolution, Role, Roles, Setup, StartTools,
    Supervision, Switch, Tools,
};
pub use start::{Start, start, start_after};
pub use starting::{Offers, Refused, RefusedBy, Step, Telling};
pub use surface::{INPUT, Wares};
pub use trust_desk::TrustDesk;

use crate::config::schema::Config;
use crate::port::{Hub, Port};
use crate::proto::{GateOutcome, TurnOutcome};
use crate::surface::Offer;
use crate::tap::Catalogue;

/// Who speaks when a session cannot begin as it was asked for: its name or its role is not there.
pub const NOT_BEGUN: &str = "start";

/// Who speaks when a value is missing that nobody can be asked for.
pub const MISSING_VALUE: &str = "values";

/// A running session.
#[derive(Debug)]
pub struct Handle {
    pub port: Port,
    /// For further ports.
    pub hub: Arc<Hub>,
    pub done: JoinHandle<SessionEnd>,
}

/// How a session ended; what an exit code is made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionEnd {
    pub name: String,
    /// Of the last turn; `None` when there was none.
    pub outcome: Option<TurnOutcome>,
    /// What the supervisor made of its stop; `None` when nobody looked.
    pub verdict: Option<GateOutcome>,
    /// Calls that were refused before they ran.
    pub refused: u32,
    /// Why the session could not be begun at all.
    pub failure: Option<String>,
}

/// What the capabilities of a catalogue come to for a role, as its surface is offered them. Keys of the
/// environment that begin with [`INPUT`] are answers of a person. Starts nothing.
pub fn offers(catalogue: Arc<Catalogue>, config: &Config, role: &str) -> Vec<Offer> {
    surface::Book::new(catalogue, config, role).offers
}

/// Starts a session with everything given; returns at once.
pub fn launch(setup: Setup) -> Handle {
    actor::launch(setup, std::future::ready(()))
}
