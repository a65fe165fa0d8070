//! An intent of the agent's, `tap(action="capability")`: through the same gate as a message, and by nothing
//! else.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::SurfaceReport;
use super::ask::Answered;
use super::effects::Waits;
use super::tool::{CAPABILITY, failed, ok};
use crate::embed::Beside;
use crate::proto::{
    Body, CallId, Cause, Decision, EncoderState, IntentSource, RouteOutcome, RouteWait, Routing, TurnId,
};
use crate::session::actor::{Actor, Report};
use crate::session::encoder::{self, Patience};
use crate::session::server_specs::RUNTIME;
use crate::surface::{Attempt, intent, skip};

/// An intent and what it can be compared with.
pub(in crate::session::actor) struct Pushed {
    call: CallId,
    intent: String,
    beside: Result<(Beside, u64), EncoderState>,
    wait: RouteWait,
}

impl Actor {
    /// Ends the call by a report, once what passed the gate is there.
    pub(in crate::session::actor) fn push_intent(&mut self, call: &CallId, wanted: &str) {
        if !self.has_surface() {
            let text = "Capabilities do not come and go in this session.".to_owned();
            return drop(self.report.send(Report::Called(call.clone(), failed(text))));
        }
        let intent = intent::clean(wanted);
        let attempt = if self.compares() { Attempt::Wanted } else { Attempt::Off };
        let (eligible, phrases) = self.comparable();
        if skip(attempt, &intent, eligible).is_some() {
            let turn = TurnId(self.turns);
            let routing = self.routing(turn, IntentSource::Model, &intent, attempt, Err(EncoderState::Idle));
            return self.intent_routed(call, routing);
        }
        let (encoder, report, call) = (self.setup.encoder.clone(), self.report.clone(), call.clone());
        let patience = Patience::from(self.setup.person);
        tokio::spawn(async move {
            // The wait is bounded by the encoder's own times.
            let stop = CancellationToken::new();
            let (beside, wait) =
                encoder::compare_when_read(encoder.as_deref(), &intent, phrases, patience, &stop).await;
            let pushed = Pushed { call, intent, beside, wait };
            let _ = report.send(Report::Surface(SurfaceReport::Pushed(pushed)));
        });
    }

    /// Nothing comes for a call that was stopped meanwhile.
    pub(super) fn intent_compared(&mut self, pushed: Pushed) {
        let Pushed { call, intent, beside, wait } = pushed;
        if !self.call_runs(&call) {
            return;
        }
        let turn = TurnId(self.turns);
        let mut routing = self.routing(turn, IntentSource::Model, &intent, Attempt::Wanted, beside);
        routing.wait = wait;
        self.intent_routed(&call, routing);
    }

    fn intent_routed(&mut self, call: &CallId, routing: Routing) {
        let routing = Arc::new(routing);
        self.rec.cell(Body::Decided(Decision::Routed(Arc::clone(&routing))));
        let result = match &routing.outcome {
            RouteOutcome::Activated { capability } => {
                let waits = Waits::Call(call.clone());
                match self.enable_routed(capability, Cause::Auto, Some(&routing), waits) {
                    // Ends when its server is there.
                    Answered::On | Answered::Coming(_) => return self.call_waits(call),
                    Answered::Already => ok(format!("{capability} is on already.")),
                    Answered::Refused(why) => failed(why),
                }
            }
            RouteOutcome::BelowThreshold | RouteOutcome::NarrowMargin | RouteOutcome::Skipped(_) => {
                ok(self.nothing_came(&routing))
            }
        };
        let _ = self.report.send(Report::Called(call.clone(), result));
    }

    /// Why nothing came, and what else can be done.
    fn nothing_came(&self, routing: &Routing) -> String {
        let (_, _, headline) = routing.headline();
        let catalog = self.catalog();
        let other = catalog.iter().find(|known| known.server == RUNTIME && known.name == CAPABILITY);
        let other = match other {
            Some(tool) => format!(" {} lists and enables capabilities by name.", tool.info.wire_name),
            None => String::new(),
        };
        format!("Nothing was activated: {headline}. Say in one plain sentence what is to be done.{other}")
    }
}
