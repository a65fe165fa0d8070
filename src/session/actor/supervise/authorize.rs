//! Calls are looked at before they run.

use super::super::Actor;
use super::{Answer, PendingCall, Ticket};
use crate::proto::{Authorized, Body, CallId, Decision, Mechanic, RequestId};
use crate::supervisor::Ask;
use crate::supervisor::authorize::{Batch, Check, Known, Pending, Step, error};

#[derive(Default)]
pub(super) struct Authorizing {
    /// Denials of this process.
    known: Known,
    running: Option<Running>,
}

/// A batch that is looked at.
struct Running {
    ticket: Ticket,
    check: Check,
    requests: Vec<RequestId>,
}

/// What becomes of a batch.
pub(in crate::session::actor) enum Permission {
    /// It runs, but for these calls; each with the error that the model gets for it.
    Runs(Vec<(CallId, String)>),
    /// [`Actor::batch_authorized`] lets it go on, at most [`super::AUTHORIZER_WAIT`] later.
    Waits,
}

impl Actor {
    pub(in crate::session::actor) fn authorize_batch(&mut self, calls: &[PendingCall]) -> Permission {
        if calls.is_empty() || !self.has_mechanic(Mechanic::Authorizer) {
            return Permission::Runs(Vec::new());
        }
        let (check, step) = self.check_of(calls);
        match step {
            Step::Ask(ask) => {
                let ticket = self.ask_masked(ask);
                self.supervise.authorize.running = Some(Running { ticket, check, requests: Vec::new() });
                Permission::Waits
            }
            Step::Done(authorized) => Permission::Runs(self.say_authorized(*authorized)),
        }
    }

    fn check_of(&self, calls: &[PendingCall]) -> (Check, Step) {
        let pending = |call: &PendingCall| Pending {
            call: call.id.clone(),
            tool: call.tool.clone(),
            arguments: self.rec.mask.value(&call.arguments),
        };
        let calls: Vec<Pending> = calls.iter().map(pending).collect();
        let batch = Batch { calls: &calls, role: self.role_text(), users: &self.supervise.watch.said, ancestors: &[] };
        Check::new(&batch, &self.supervise.authorize.known)
    }

    fn ask_masked(&mut self, ask: Ask) -> Ticket {
        let text = self.rec.mask.owned(ask.text);
        self.ask_supervisor(Ask { text, ..ask })
    }

    pub(super) fn authorizer_answered(&mut self, ticket: Ticket, answer: Answer) {
        let authorizing = &mut self.supervise.authorize;
        let Some(running) = authorizing.running.as_mut().filter(|running| running.ticket == ticket) else { return };
        running.requests.push(answer.request);
        let reply = answer.result.as_deref().map_err(|fault| fault.message.as_str());
        match running.check.answered(reply, &mut authorizing.known) {
            Step::Ask(ask) => {
                let ticket = self.ask_masked(ask);
                if let Some(running) = &mut self.supervise.authorize.running {
                    running.ticket = ticket;
                }
            }
            Step::Done(authorized) => {
                let requests = self.supervise.authorize.running.take().map(|running| running.requests);
                let authorized = Authorized { requests: requests.unwrap_or_default(), ..*authorized };
                let blocked = self.say_authorized(authorized);
                self.batch_authorized(blocked);
            }
        }
    }

    /// A batch that all of may run is worth no line of the transcript.
    fn say_authorized(&mut self, authorized: Authorized) -> Vec<(CallId, String)> {
        let blocked = authorized.blocked.iter().map(|blocked| (blocked.call.clone(), error(blocked))).collect();
        let quiet = authorized.blocked.is_empty() && authorized.unavailable.is_none() && authorized.dropped.is_empty();
        let body = Body::Decided(Decision::Authorized(Box::new(authorized)));
        if quiet {
            self.rec.emit(body);
        } else {
            self.rec.cell(body);
        }
        blocked
    }

    /// There was no answer in time: the calls run, but for denials that were known before.
    pub(super) fn authorize_overdue(&mut self) {
        self.cancel_asks(|mechanic| mechanic == Mechanic::Authorizer);
        let authorizing = &mut self.supervise.authorize;
        let blocked = match authorizing.running.take() {
            None => Vec::new(),
            Some(Running { mut check, requests, .. }) => {
                let why = format!("no answer within {} s", super::AUTHORIZER_WAIT.as_secs());
                match check.answered(Err(&why), &mut authorizing.known) {
                    Step::Done(authorized) => self.say_authorized(Authorized { requests, ..*authorized }),
                    // Without an answer there is nothing to confirm.
                    Step::Ask(_) => Vec::new(),
                }
            }
        };
        self.batch_authorized(blocked);
    }
}
