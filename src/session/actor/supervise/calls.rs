//! Calls to the supervisor's model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::super::request::prefix;
use super::super::{Actor, ModelSlot, Report};
use super::{Answer, Ticket};
use crate::config::schema::ModelProfile;
use crate::model::{Delta, Message, Model, Part, Request};
use crate::proto::{Body, Effort, Fault, FaultKind, Filling, Mechanic, Purpose, RequestId, Usage};
use crate::session::rules::filling::{Weight, weigh};
use crate::session::rules::{Allowed, Tried, Verdict, believable, verdict};
use crate::session::supervisor::wire::Received;
use crate::supervisor::Ask;

/// An answer longer than this is none, bytes.
const LONGEST: usize = 256 * 1024;

#[derive(Default)]
pub(super) struct Calls {
    last: u64,
    running: BTreeMap<Ticket, Running>,
    /// The supervisor's own model, and the name it was opened by.
    own: Option<(String, Arc<dyn Model>)>,
}

struct Running {
    mechanic: Mechanic,
    request: RequestId,
    begun: Instant,
    cancel: CancellationToken,
    /// Ends with it.
    _task: Option<AbortOnDropHandle<()>>,
}

/// What the task of a call brings back.
pub(in crate::session::actor) struct Outcome {
    result: Result<(), Fault>,
    /// What came of the last try.
    text: String,
    usage: Option<Usage>,
    /// Of tries that failed, dollars.
    lost: f64,
    first_ms: u64,
}

impl Outcome {
    fn of(fault: Fault) -> Self {
        Self { result: Err(fault), text: String::new(), usage: None, lost: 0.0, first_ms: 0 }
    }
}

/// How often and how long a call is tried.
struct Patience {
    max_retries: u32,
    longest_ms: u64,
    chance: f64,
}

impl Actor {
    /// Asks the supervisor's model beside the task. What comes of it goes to the mechanic that asks, also
    /// when nothing could be sent.
    pub(super) fn ask_supervisor(&mut self, ask: Ask) -> Ticket {
        let calls = &mut self.supervise.calls;
        calls.last += 1;
        let ticket = Ticket(calls.last);
        let (mechanic, purpose) = (ask.mechanic, Purpose::Supervisor(ask.mechanic));
        let id = self.new_request();
        let (report, cancel) = (self.report.clone(), CancellationToken::new());
        let task = match self.supervisor_may_spend().and_then(|()| self.supervisor_model()) {
            Err(fault) => {
                let _ = report.send(Report::Supervised(ticket, Outcome::of(fault)));
                None
            }
            Ok(model) => {
                let profile = &self.setup.supervision.profile;
                let request = request(ask, purpose, profile, model.as_ref());
                let patience = Patience {
                    max_retries: profile.max_retries,
                    longest_ms: profile.retry_timeout.saturating_mul(1000),
                    chance: (self.setup.chance)(),
                };
                let (info, body, parts) = (model.info(), model.wire(&request), weigh(&request, &[]));
                let name = info.name;
                self.rec.emit(Body::RequestStarted {
                    request: id,
                    purpose,
                    model: name.clone(),
                    estimated_tokens: Weight::of(&parts).total(),
                    bytes: body.to_string().len() as u64,
                    tools: 0,
                    prefix: prefix(&request),
                });
                let filling = Filling { request: id, purpose, window: info.context_window, parts };
                self.rec.emit(Body::RequestFilled(Arc::new(filling)));
                self.wire_sent(id, purpose, name, body);
                let stop = cancel.clone();
                Some(AbortOnDropHandle::new(tokio::spawn(async move {
                    let outcome = tried(model.as_ref(), request, &patience, &stop).await;
                    // The session may be over; then nobody needs it.
                    let _ = report.send(Report::Supervised(ticket, outcome));
                })))
            }
        };
        let running = Running { mechanic, request: id, begun: Instant::now(), cancel, _task: task };
        self.supervise.calls.running.insert(ticket, running);
        ticket
    }

    pub(in crate::session::actor) fn supervised(&mut self, ticket: Ticket, outcome: Outcome) {
        let Some(running) = self.supervise.calls.running.remove(&ticket) else { return };
        let Running { mechanic, request, begun, .. } = running;
        let purpose = Purpose::Supervisor(mechanic);
        let elapsed_ms = begun.elapsed().as_millis() as u64;
        self.spent.session += outcome.lost + outcome.usage.and_then(|usage| usage.cost).unwrap_or(0.0);
        let received = Received {
            text: outcome.text.clone(),
            usage: outcome.usage,
            fault: outcome.result.as_ref().err().cloned(),
            ..Received::default()
        };
        self.wire_ended(request, received);
        self.rec.emit(match &outcome.result {
            Ok(()) => Body::RequestFinished {
                request,
                purpose,
                usage: outcome.usage.unwrap_or_default(),
                first_token_ms: outcome.first_ms,
                elapsed_ms,
            },
            Err(fault) => Body::RequestFailed { request, purpose, fault: fault.clone() },
        });
        let answer = Answer { request, result: outcome.result.map(|()| outcome.text) };
        match mechanic {
            Mechanic::Gate | Mechanic::Refute => self.gate_answered(ticket, answer),
            Mechanic::Plan => self.plan_answered(ticket, answer),
            Mechanic::Condense => self.condense_answered(ticket, answer),
            Mechanic::Authorizer => self.authorizer_answered(ticket, answer),
        }
    }

    /// Nothing of these calls is waited for any more.
    pub(super) fn cancel_asks(&mut self, of: impl Fn(Mechanic) -> bool) {
        let running = std::mem::take(&mut self.supervise.calls.running);
        for (ticket, running) in running {
            if !of(running.mechanic) {
                self.supervise.calls.running.insert(ticket, running);
                continue;
            }
            running.cancel.cancel();
            let fault = Fault::new(FaultKind::Cancelled, "It was stopped.", "Nothing needs to be done.");
            let purpose = Purpose::Supervisor(running.mechanic);
            let received = Received { fault: Some(fault.clone()), ..Received::default() };
            self.wire_ended(running.request, received);
            self.rec.emit(Body::RequestFailed { request: running.request, purpose, fault });
        }
    }

    /// The name of the supervisor's model; empty when there is none yet.
    pub(super) fn supervisor_model_name(&mut self) -> String {
        self.supervisor_model().map(|model| model.info().name).unwrap_or_default()
    }

    /// That of `[supervisor.model]`, or the session's own when none is named.
    fn supervisor_model(&mut self) -> Result<Arc<dyn Model>, Fault> {
        let named = self.supervise.values.model.name.clone().filter(|name| !name.is_empty() && name != "auto");
        let Some(name) = named else {
            return match &self.model {
                ModelSlot::Ready(model) => Ok(Arc::clone(model)),
                ModelSlot::Failed(fault) => Err(fault.clone()),
                ModelSlot::Coming => {
                    Err(Fault::new(FaultKind::Network, "The model is not ready yet.", "Send the message again."))
                }
            };
        };
        if let Some((opened, model)) = &self.supervise.calls.own
            && *opened == name
        {
            return Ok(Arc::clone(model));
        }
        let model = self.setup.models.open(&name)?;
        self.supervise.calls.own = Some((name, Arc::clone(&model)));
        Ok(model)
    }

    fn supervisor_may_spend(&self) -> Result<(), Fault> {
        match self.setup.limits.check(self.spent) {
            Allowed::Yes => Ok(()),
            Allowed::Ask(_) | Allowed::Stop(_) => Err(Fault::new(
                FaultKind::OutOfCredit,
                "The spending limit is reached, so the supervisor asked nothing.",
                "Raise max_session_spending_threshold or max_request_spending_threshold.",
            )),
        }
    }
}

/// The call as a request. A provider that cannot be held to a schema is told of it in words.
fn request(ask: Ask, purpose: Purpose, profile: &ModelProfile, model: &dyn Model) -> Request {
    let Ask { mut system, text, schema, max_tokens, .. } = ask;
    let held = model.traits().structured_output;
    if !held {
        system.push_str("\n\nAnswer with one JSON object and nothing else. It follows this JSON Schema:\n");
        system.push_str(&schema.to_string());
    }
    Request {
        purpose,
        system,
        tools: Vec::new(),
        static_tools: 0,
        messages: vec![Message::User(vec![Part::Text(text)])],
        effort: profile.reasoning_effort,
        // What a model thinks counts as well.
        max_tokens: if profile.reasoning_effort == Effort::None {
            max_tokens.min(profile.max_tokens)
        } else {
            profile.max_tokens
        },
        temperature: profile.temperature,
        top_p: profile.top_p,
        top_k: profile.top_k,
        schema: held.then_some(schema),
        idle_timeout: Duration::from_secs(profile.request_timeout_seconds),
    }
}

/// One reply, tried again as its profile says.
async fn tried(model: &dyn Model, request: Request, patience: &Patience, cancel: &CancellationToken) -> Outcome {
    let (mut retries, mut lost) = (0, 0.0);
    loop {
        let mut outcome = once(model, request.clone(), cancel).await;
        outcome.lost = lost;
        let Err(fault) = &outcome.result else { return outcome };
        let so_far = Tried { retries, max_retries: patience.max_retries, text_shown: false, person: false };
        let Verdict::Wait { ms, .. } = verdict(fault, so_far, patience.longest_ms, patience.chance) else {
            return outcome;
        };
        lost += outcome.usage.and_then(|usage| usage.cost).unwrap_or(0.0);
        retries += 1;
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }
}

async fn once(model: &dyn Model, request: Request, cancel: &CancellationToken) -> Outcome {
    let begun = Instant::now();
    let mut source = model.stream(request, cancel.clone());
    let mut outcome = Outcome { result: Ok(()), text: String::new(), usage: None, lost: 0.0, first_ms: 0 };
    let ended = loop {
        match source.next().await {
            Some(Ok(Delta::Text(piece))) => {
                if outcome.text.is_empty() {
                    outcome.first_ms = begun.elapsed().as_millis() as u64;
                }
                outcome.text.push_str(&piece);
                if outcome.text.len() > LONGEST {
                    let why = "The supervisor's model wrote without an end.";
                    break Err(Fault::new(FaultKind::Protocol, why, "Choose another model in [supervisor.model]."));
                }
            }
            Some(Ok(Delta::Usage(usage))) => outcome.usage = Some(believable(usage)),
            Some(Ok(Delta::Stop(_))) => break Ok(()),
            Some(Ok(_)) => {}
            Some(Err(fault)) => break Err(fault),
            None => {
                let why = "The connection ended before the reply did.";
                break Err(Fault::new(FaultKind::Cut, why, "It is tried again with the next stop."));
            }
        }
    };
    outcome.result = ended;
    outcome
}
