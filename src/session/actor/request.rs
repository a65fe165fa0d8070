//! From the history to a running request.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::failure::retry_notes;
use super::stream::Streaming;
use super::turn::{Phase, Question};
use super::{Actor, ModelSlot};
use crate::config::schema::ModelProfile;
use crate::mcp::{Layer, ToolDefinition};
use crate::model::{HistoryItem, Model, Request, ToolSpec, build};
use crate::proto::{
    Ask, AskKind, Body, CONTEXT, Content, Decision, Fault, FaultKind, Filled, Filling, Level, Purpose, RequestId,
    TurnOutcome, WELCOME,
};
use crate::session::rules::filling::{Weight, calibrated, weigh};
use crate::session::rules::{Allowed, Full, Room, welcome};
use crate::text::{human, tokens};

impl Actor {
    /// Begins a new round: limits, the messages that steer, the request.
    pub(super) fn request(&mut self) {
        if !self.may_spend() {
            return;
        }
        self.rec.begin_round();
        self.safe_point();
        self.say_context();
        let mut said = Vec::new();
        let steering = self.queue.take_steering();
        if !steering.is_empty() {
            self.tell_of_shell();
        }
        for message in steering {
            self.rec.emit(Body::Unqueued { id: message.id });
            self.heard(&message.text);
            said.push(message.text.clone());
            self.say_of_person(message);
        }
        self.judge_skills(said.join("\n"));
        self.route();
    }

    /// The request of this round, with the tools that are there now.
    pub(super) fn send_first(&mut self) {
        self.send(Try::First);
    }

    /// What the welcome says of the machine, once in a conversation; before the first message if it is
    /// filled in by then.
    pub(super) fn say_context(&mut self) {
        let Some(prompt) = self.prompt.as_ref().filter(|_| !self.context_said) else { return };
        let (_, context) = welcome(&prompt.welcome);
        self.context_said = true;
        if !context.is_empty() {
            self.say_as_system(CONTEXT, WELCOME, format!("{CONTEXT_TAG}{context}\n</context>"));
        }
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
                    "Try again, or choose another model with /model.",
                );
                return self.cannot_send(fault);
            }
        };
        let build::Built { mut request, decisions, voices } = self.built(model.as_ref());
        self.recite(&mut request);
        let parts = weigh(&request, &voices);
        let weight = Weight::of(&parts);
        self.measured(weight, model.info().context_window);
        if matches!(which, Try::First) {
            self.say_repairs(decisions);
            if let Some(full) = self.room(model.info().context_window).check(self.calibration.apply(weight.total())) {
                return self.is_full(full, weight);
            }
            self.take_place();
        }
        let id = self.new_request();
        let body = model.wire(&request);
        self.sent = true;
        self.rec.emit(Body::RequestStarted {
            request: id,
            purpose: Purpose::Main,
            model: model.info().name,
            estimated_tokens: self.calibration.apply(weight.total()),
            bytes: body.to_string().len() as u64,
            tools: request.tools.len() as u32,
            prefix: prefix(&request),
        });
        self.say_filling(id, &parts, model.info().context_window);
        self.wire_sent(id, Purpose::Main, model.info().name, body);
        let status = self.status_asked();
        let cancel = CancellationToken::new();
        let source = model.stream(request, cancel.clone());
        self.set_phase(Phase::Streaming(Box::new(Streaming::new(source, cancel, id, weight.total(), status))));
        self.look_first();
    }

    fn room(&self, window: Option<u64>) -> Room {
        Room { threshold: self.setup.request_limit, window }
    }

    /// Nothing is sent that cannot be answered: the turn ends with what fills the request.
    fn is_full(&mut self, full: Full, weight: Weight) {
        let calibrated = |raw| human::tokens(self.calibration.apply(raw));
        let (sentence, hint) = match full {
            Full::Threshold(limit) => (
                format!(
                    "The request would have {} tokens; max_session_tokens_threshold is {}.",
                    calibrated(weight.total()),
                    human::tokens(limit)
                ),
                "Begin anew with /new, or raise max_session_tokens_threshold.",
            ),
            Full::Window(limit) => (
                format!(
                    "The request would have {} tokens; the model takes {}.",
                    calibrated(weight.total()),
                    human::tokens(limit)
                ),
                "Begin anew with /new, or choose a model with a larger window with /model.",
            ),
        };
        let mut parts = vec![
            format!("system prompt {}", calibrated(weight.system)),
            format!("tools {}", calibrated(weight.tools)),
            format!("messages {}", calibrated(weight.history)),
        ];
        parts.extend(self.largest().iter().map(|(what, tokens)| format!("{what} {}", calibrated(*tokens))));
        let text = format!("{sentence} Nothing was sent. It is filled by: {}.", parts.join(", "));
        self.rec.notice(Level::Warning, "context", text, Some(hint.to_owned()));
        self.finish(TurnOutcome::Stopped(sentence));
    }

    /// The messages that take most room, with their raw estimates.
    fn largest(&self) -> Vec<(String, u64)> {
        const NAMED: usize = 3;
        let blobs = self.rec.journal.blobs();
        let load = |name: &str| blobs.get(name);
        let size = |content: &Content| tokens::estimate(&build::plain(content, &load));
        let mut sizes: Vec<(String, u64)> = Vec::new();
        for (place, item) in self.rec.history.items().iter().enumerate() {
            let (kind, tokens) = match item {
                HistoryItem::User { content, attachments, .. } => {
                    ("user", size(content) + attachments.iter().map(|file| size(&file.content)).sum::<u64>())
                }
                HistoryItem::Assistant { text, .. } => ("assistant", tokens::estimate(text)),
                HistoryItem::Result { content, .. } => ("tool", size(content)),
            };
            sizes.push((format!("largest: message {} ({kind})", place + 1), tokens));
        }
        sizes.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
        sizes.truncate(NAMED);
        for (name, _) in sizes.iter_mut().skip(1) {
            *name = name.replacen("largest: ", "", 1);
        }
        sizes
    }

    /// What was mended is said once in a session, however often it is mended again.
    fn say_repairs(&mut self, repairs: Vec<Decision>) {
        for repair in repairs {
            if self.repairs.insert(repair_name(&repair)) {
                self.rec.cell(Body::Decided(repair));
            }
        }
    }

    /// Where the reply will stand: after what is said of retries, its reasoning one place before its
    /// text.
    fn take_place(&mut self) {
        let notes = retry_notes(self.role.profile.max_retries);
        let mut place = self.rec.reserve(notes + 2);
        place.slot += notes + 1;
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
    pub(super) fn built(&self, model: &dyn Model) -> build::Built {
        let catalog = self.catalog();
        let tools: Vec<ToolSpec> = catalog
            .iter()
            .filter(|tool| tool.info.exposed())
            .map(|tool| ToolSpec {
                name: tool.info.wire_name.clone(),
                description: tool.description.clone(),
                schema: tool.schema.clone(),
            })
            .collect();
        let fixed = |tool: &&ToolDefinition| tool.info.exposed() && tool.layer == Layer::Static;
        let fixed = catalog.iter().filter(fixed).count();
        let profile = ModelProfile { reasoning_effort: self.effort, ..self.role.profile.clone() };
        let info = model.info();
        let system = self.prompt.as_ref().map_or(&self.role.system, |prompt| &prompt.system);
        let frame = build::Frame {
            model: &info.name,
            traits: model.traits(),
            system: &self.with_instruction(system),
            tools: &tools,
            static_tools: fixed,
            profile: &profile,
            schema: self.setup.schema.as_ref(),
        };
        let blobs = self.rec.journal.blobs();
        build::build(&self.rec.history, &frame, &|name| blobs.get(name))
    }

    /// Tells what the next request would hold.
    pub(super) fn measure(&mut self) {
        let ModelSlot::Ready(model) = &self.model else { return };
        let model = Arc::clone(model);
        let built = self.built(model.as_ref());
        self.measured(Weight::of(&weigh(&built.request, &built.voices)), model.info().context_window);
    }

    /// What the request that just started is made of, its tools by the servers they are of.
    fn say_filling(&mut self, request: RequestId, parts: &[(Filled, u64)], window: Option<u64>) {
        let catalog = self.catalog();
        let named = |what: Filled| match what {
            Filled::Tool(_, wire_name) => match catalog.iter().find(|tool| tool.info.wire_name == wire_name) {
                Some(tool) => Filled::Tool(tool.server.clone(), tool.info.name.clone()),
                None => Filled::Tool(String::new(), wire_name),
            },
            other => other,
        };
        let parts = calibrated(parts, |raw| self.calibration.apply(raw));
        let parts = parts.into_iter().map(|(what, tokens)| (named(what), tokens)).collect();
        self.rec.emit(Body::RequestFilled(Arc::new(Filling { request, purpose: Purpose::Main, window, parts })));
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

/// Whether it is what the welcome says of the machine.
pub(super) fn is_context(item: &HistoryItem) -> bool {
    matches!(item, HistoryItem::User { content: Content::Text(text), .. } if text.starts_with(CONTEXT_TAG))
}

const CONTEXT_TAG: &str = "<context>\n";

/// Repairs that differ only in their number are the same.
pub(super) fn repair_name(repair: &Decision) -> String {
    match repair {
        Decision::RequestRepaired { kind, detail, .. } => format!("{kind:?} {detail}"),
        other => format!("{other:?}"),
    }
}

/// Whether a request begins a round or is tried once more in it.
enum Try {
    First,
    Again,
}

/// First 16 hex digits of what stays the same from request to request.
pub(super) fn prefix(request: &Request) -> String {
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
