//! From the history to a running request.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::stream::Streaming;
use super::turn::{Phase, Question};
use super::{Actor, ModelSlot};
use crate::config::schema::ModelProfile;
use crate::model::{Message, Model, Part, Request, ToolSpec, build};
use crate::proto::{Ask, AskKind, Body, Decision, Fault, FaultKind, Level, Purpose, RequestId, TurnOutcome};
use crate::session::rules::Allowed;
use crate::text::tokens;

/// Tokens a model spends on one image, roughly; providers differ.
const IMAGE_TOKENS: u64 = 1600;

/// What the parts of a request weigh, estimated tokens before any factor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub system: u64,
    pub tools: u64,
    pub history: u64,
}

impl Weight {
    pub fn of(request: &Request) -> Self {
        Self {
            system: tokens::estimate(&request.system),
            tools: request.tools.iter().map(tool_tokens).sum(),
            history: request.messages.iter().map(message_tokens).sum(),
        }
    }

    pub fn total(&self) -> u64 {
        self.system + self.tools + self.history
    }
}

fn tool_tokens(tool: &ToolSpec) -> u64 {
    tokens::estimate(&tool.name) + tokens::estimate(&tool.description) + tokens::estimate(&tool.schema.to_string())
}

fn message_tokens(message: &Message) -> u64 {
    let parts = |parts: &[Part]| parts.iter().map(part_tokens).sum::<u64>();
    match message {
        Message::User(content) => parts(content),
        Message::Assistant { text, reasoning, calls, .. } => {
            let reasoning: u64 = reasoning.iter().map(|block| tokens::estimate(&block.text)).sum();
            let calls: u64 = calls.iter().map(|call| tokens::estimate(&call.arguments.to_string()) + 8).sum();
            tokens::estimate(text) + reasoning + calls
        }
        Message::Tools(results) => results.iter().map(|result| parts(&result.parts)).sum(),
    }
}

fn part_tokens(part: &Part) -> u64 {
    match part {
        Part::Text(text) => tokens::estimate(text),
        Part::Media { .. } => IMAGE_TOKENS,
    }
}

impl Actor {
    /// Begins a new round: limits, the messages that steer, the request.
    pub(super) fn request(&mut self) {
        if !self.may_spend() {
            return;
        }
        self.rec.begin_round();
        for message in self.queue.take_steering() {
            self.rec.emit(Body::Unqueued { id: message.id });
            self.say(crate::proto::Content::Text(message.text), message.attachments, crate::proto::Origin::Person);
        }
        self.send(Try::First);
    }

    /// The same round once more.
    pub(super) fn send_again(&mut self) {
        self.send(Try::Again);
    }

    fn send(&mut self, which: Try) {
        let model = match &self.model {
            ModelSlot::Ready(model) => Arc::clone(model),
            ModelSlot::Failed(fault) => return self.cannot_send(fault.clone()),
            ModelSlot::Coming => {
                let fault = Fault::new(
                    FaultKind::Network,
                    "The model is still not ready.",
                    "Try again, or choose another with /model.",
                );
                return self.cannot_send(fault);
            }
        };
        let (request, decisions) = self.built(model.as_ref());
        if matches!(which, Try::First) {
            self.say_repairs(decisions);
            self.take_place();
        }
        let weight = Weight::of(&request);
        self.measured(weight, model.info().context_window);
        let id = self.new_request();
        self.rec.emit(Body::RequestStarted {
            request: id,
            purpose: Purpose::Main,
            model: model.info().name,
            estimated_tokens: self.calibration.apply(weight.total()),
            bytes: model.wire(&request).to_string().len() as u64,
            tools: request.tools.len() as u32,
            prefix: prefix(&request),
        });
        let cancel = CancellationToken::new();
        let source = model.stream(request, cancel.clone());
        self.set_phase(Phase::Streaming(Box::new(Streaming::new(source, cancel, id, weight.total()))));
    }

    /// What was mended is said once, not with every later request that is mended in the same way.
    fn say_repairs(&mut self, repairs: Vec<Decision>) {
        for repair in &repairs {
            if !self.repairs.contains(repair) {
                self.rec.cell(Body::Decided(repair.clone()));
            }
        }
        self.repairs = repairs;
    }

    /// Where the reply will stand: its reasoning one place before its text.
    fn take_place(&mut self) {
        let mut place = self.rec.reserve(2);
        place.slot += 1;
        if let Some(turn) = &mut self.turn {
            turn.place = place;
            turn.retries = 0;
        }
    }

    pub(super) fn new_request(&mut self) -> RequestId {
        self.requests += 1;
        RequestId(self.requests)
    }

    /// The request that the history makes now, and what had to be mended.
    pub(super) fn built(&self, model: &dyn Model) -> (Request, Vec<Decision>) {
        let catalog = self.servers.tools.catalog();
        let tools: Vec<ToolSpec> = catalog
            .iter()
            .filter(|tool| tool.info.exposed())
            .map(|tool| ToolSpec {
                name: tool.info.wire_name.clone(),
                description: tool.description.clone(),
                schema: tool.schema.clone(),
            })
            .collect();
        let profile = ModelProfile { reasoning_effort: self.effort, ..self.role.profile.clone() };
        let info = model.info();
        let frame = build::Frame {
            model: &info.name,
            traits: model.traits(),
            system: self.prompt.as_ref().map_or(&self.role.system, |prompt| &prompt.system),
            tools: &tools,
            static_tools: tools.len(),
            profile: &profile,
            schema: self.setup.schema.as_ref(),
        };
        let blobs = self.rec.journal.blobs();
        build::request(&self.rec.history, &frame, &|hash| blobs.text(hash))
    }

    /// Tells what the next request would hold.
    pub(super) fn measure(&mut self) {
        let ModelSlot::Ready(model) = &self.model else { return };
        let model = Arc::clone(model);
        let (request, _) = self.built(model.as_ref());
        self.measured(Weight::of(&request), model.info().context_window);
    }

    fn measured(&mut self, weight: Weight, window: Option<u64>) {
        let calibrated = |raw| self.calibration.apply(raw);
        self.rec.emit(Body::ContextMeasured {
            tokens: calibrated(weight.total()),
            window,
            system: calibrated(weight.system),
            tools: calibrated(weight.tools),
            history: calibrated(weight.history),
        });
    }

    /// A request that could not even be sent is a failed one.
    fn cannot_send(&mut self, fault: Fault) {
        let request = self.new_request();
        let message = fault.message.clone();
        self.rec.cell(Body::RequestFailed { request, purpose: Purpose::Main, fault });
        self.finish(TurnOutcome::Failed(message));
    }

    /// False when a limit stopped the turn or the person is asked.
    fn may_spend(&mut self) -> bool {
        let (decision, ask) = match self.setup.limits.check(self.spent) {
            Allowed::Yes => return true,
            Allowed::Stop(decision) => (decision, false),
            Allowed::Ask(decision) => (decision, self.person()),
        };
        let Decision::Spending { spent, limit, ref scope, .. } = decision else { return true };
        let sentence = format!("The {scope} limit of ${limit:.2} is reached: ${spent:.2} spent.");
        if ask {
            let kind = AskKind::Spending { spent: format!("{spent:.2}"), limit: format!("{limit:.2}") };
            self.ask(kind, Question::Spending);
        } else {
            self.rec.cell(Body::Decided(decision));
            self.finish(TurnOutcome::Stopped(sentence));
        }
        false
    }

    pub(super) fn ask(&mut self, kind: AskKind, about: Question) {
        let ask = self.new_ask();
        self.rec.cell(Body::Asked(Ask { id: ask, kind }));
        self.set_phase(Phase::Asking { ask, about });
    }

    pub(super) fn spending_answered(&mut self, yes: bool) {
        if yes {
            self.spent.at_yes = self.spent.session;
            self.rec.notice(Level::Info, "spending", "The session limit counts from here.", None);
            return self.request();
        }
        let limit = self.setup.limits.session;
        self.finish(TurnOutcome::Stopped(format!("The session limit of ${limit:.2} is reached.")));
    }
}

/// Whether a request begins a round or is tried once more in it.
enum Try {
    First,
    Again,
}

/// First 16 hex digits of what stays the same from request to request.
fn prefix(request: &Request) -> String {
    let mut hasher = Sha256::new();
    hasher.update(request.system.as_bytes());
    for tool in request.tools.iter().take(request.static_tools) {
        hasher.update(tool.name.as_bytes());
        hasher.update(tool.description.as_bytes());
        hasher.update(tool.schema.to_string().as_bytes());
    }
    hasher.finalize().iter().take(8).fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
