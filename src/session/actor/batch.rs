//! The tool calls of one reply: run side by side, each with its own result.

mod results;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::approve::Held;
use super::rewind::{Ended, Guarded};
use super::supervise::{CallEnded, Class, PendingCall, Permission};
use super::turn::Phase;
use super::{Actor, Report};
use crate::mcp::{CallResult, Progress, ToolDefinition};
use crate::proto::{Body, CallId, Content, Decision, Level, Order, ToolCall, ToolOutcome, TurnOutcome};
use crate::session::checkpoint::Since;
use crate::session::rules::{Repeat, mask, nearest};
use crate::session::supervisor::tree;
use crate::supervisor::receipt::Receipt;
use results::result_key;

/// Calls of one reply that run at the same time.
const AT_ONCE: usize = 8;

/// Stands for the result of a call that was not made.
const REFUSED: &str = "refused";

pub(super) struct Batch {
    cancel: CancellationToken,
    /// May run as soon as there is room.
    pub waiting: VecDeque<Runnable>,
    /// Wait for the person.
    pub held: Box<Held>,
    running: BTreeMap<CallId, Running>,
    /// (tool, arguments, result) of what ended.
    done: Vec<(String, String, String)>,
    receipts: Vec<Receipt>,
    /// What they may change is looked at before and after.
    pub guarded: Option<Guarded>,
    /// The place before each call is free for what is said of it.
    pub spaced: bool,
}

impl Batch {
    /// A call that did not run.
    pub fn refused(&mut self, call: &CallId, tool: &str, arguments: &Value, outcome: ToolOutcome) {
        // Not the reason: it may count, and then no two rounds would be equal.
        let (class, changed, result) = (Class::Unknown, None, REFUSED);
        self.receipts.push(CallEnded { call, tool, arguments, class, changed, outcome, result }.receipt());
        self.done.push((tool.to_owned(), arguments.to_string(), REFUSED.to_owned()));
    }

    pub fn looked(&mut self, call: &CallId, changed: Option<bool>) {
        if let Some(running) = self.running.get_mut(call) {
            running.changed = changed;
        }
    }
}

pub(super) struct Runnable {
    pub id: CallId,
    pub order: Order,
    pub tool: ToolDefinition,
    pub arguments: Value,
}

impl Runnable {
    pub fn class(&self) -> Class {
        Class::of(&self.tool, &self.arguments)
    }

    pub fn pending(&self) -> PendingCall {
        PendingCall {
            id: self.id.clone(),
            server: self.tool.server.clone(),
            tool: self.tool.info.wire_name.clone(),
            arguments: self.arguments.clone(),
        }
    }
}

struct Running {
    order: Order,
    begun: Instant,
    tool: String,
    arguments: Value,
    class: Class,
    changed: Option<bool>,
    /// Server, and its own name for the tool.
    of: (String, String),
}

impl Actor {
    pub(super) fn begin_batch(&mut self, calls: Vec<ToolCall>) {
        let catalog = self.catalog();
        let spaced = self.approves();
        let places = if spaced { 2 } else { 1 };
        let first = self.rec.reserve(calls.len() as u32 * places);
        let mut batch = Batch {
            cancel: CancellationToken::new(),
            waiting: VecDeque::new(),
            held: Box::default(),
            running: BTreeMap::new(),
            done: Vec::new(),
            receipts: Vec::new(),
            guarded: None,
            spaced,
        };
        for (index, call) in (0..).zip(calls) {
            let order = Order { slot: first.slot + index * places + places - 1, ..first };
            match self.accept(&call, &catalog) {
                Ok(tool) => {
                    batch.waiting.push_back(Runnable { id: call.id, order, tool, arguments: call.arguments });
                }
                Err(reason) => {
                    batch.refused(&call.id, &call.wire_name, &call.arguments, ToolOutcome::Refused);
                    self.refuse(call, order, reason);
                }
            }
        }
        let pending: Vec<PendingCall> = batch.waiting.iter().map(Runnable::pending).collect();
        match self.authorize_batch(&pending) {
            Permission::Waits => self.hold_batch(batch),
            Permission::Runs(blocked) => self.run_batch(batch, blocked),
        }
    }

    /// Runs the calls that were accepted, but for these, which get an error each.
    pub(super) fn run_batch(&mut self, mut batch: Batch, blocked: Vec<(CallId, String)>) {
        for (id, reason) in blocked {
            let Some(at) = batch.waiting.iter().position(|waiting| waiting.id == id) else { continue };
            let Some(waiting) = batch.waiting.remove(at) else { continue };
            batch.refused(&waiting.id, &waiting.tool.info.wire_name, &waiting.arguments, ToolOutcome::Error);
            self.block(waiting, reason);
        }
        self.ask_about(&mut batch);
        let calls: Vec<_> = batch.waiting.iter().map(|one| (one.pending(), one.class())).collect();
        batch.guarded = self.guard(&calls, Since::ModelSpoke);
        self.set_phase(Phase::Tools(batch));
        self.ask_next();
        self.advance_batch();
    }

    fn block(&mut self, waiting: Runnable, reason: String) {
        let Runnable { id, order, tool, arguments } = waiting;
        self.end.refused += 1;
        let started = Body::ToolStarted { call: id.clone(), server: tool.server, tool: tool.info.name, arguments };
        self.rec.emit_at(Some(order), started);
        self.rec.emit_at(Some(order), finished(id, ToolOutcome::Error, Content::Text(reason), 0));
    }

    /// The tool that a call names, or what the model must be told.
    fn accept(&mut self, call: &ToolCall, catalog: &[ToolDefinition]) -> Result<ToolDefinition, String> {
        let on_surface = || catalog.iter().filter(|tool| tool.info.exposed());
        let Some(tool) = on_surface().find(|tool| tool.info.wire_name == call.wire_name) else {
            if let Some(why) = self.absent_tool(&call.wire_name) {
                return Err(why);
            }
            let near = nearest(&call.wire_name, on_surface().map(|tool| tool.info.wire_name.as_str()));
            let advice = match near {
                Some(near) => format!("The nearest name is {near}."),
                None if catalog.is_empty() => "There are no tools in this session.".to_owned(),
                None => "Use only the tools of this request.".to_owned(),
            };
            return Err(format!("There is no tool called {:?}. {advice}", call.wire_name));
        };
        let Some(why) = &call.malformed else { return Ok(tool.clone()) };
        let count = self.turn.as_mut().map_or(1, |turn| {
            turn.malformed += 1;
            turn.malformed
        });
        let again = if count > 1 { format!(" This is the {count}. such call of this turn.") } else { String::new() };
        Err(format!(
            "The arguments cannot be used: {why}. Send one JSON object that fits this schema: {}.{again}",
            tool.schema
        ))
    }

    fn refuse(&mut self, call: ToolCall, order: Order, reason: String) {
        let ToolCall { id, wire_name, arguments, .. } = call;
        self.end.refused += 1;
        self.rec.emit_at(
            Some(order),
            Body::ToolStarted { call: id.clone(), server: String::new(), tool: wire_name.clone(), arguments },
        );
        self.rec.emit_at(Some(order), finished(id, ToolOutcome::Refused, Content::Text(reason.clone()), 0));
        self.rec.cell(Body::Decided(Decision::CallRefused { tool: wire_name, reason }));
    }

    /// Starts what may run now; when nothing is left, goes on with the turn.
    pub(super) fn advance_batch(&mut self) {
        loop {
            let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) else { return };
            if batch.running.len() >= AT_ONCE || batch.guarded.as_ref().is_some_and(Guarded::looks) {
                return;
            }
            let Some(next) = batch.waiting.pop_front() else { break };
            let Runnable { id, order, tool, arguments } = next;
            let running = Running {
                order,
                begun: Instant::now(),
                tool: tool.info.wire_name.clone(),
                class: Class::of(&tool, &arguments),
                changed: None,
                arguments: arguments.clone(),
                of: (tool.server.clone(), tool.name.clone()),
            };
            let (cancel, class) = (batch.cancel.child_token(), running.class);
            batch.running.insert(id.clone(), running);
            let (server, name) = (tool.server.clone(), tool.info.name.clone());
            self.watch_egress(&name, &arguments);
            self.rec.emit_at(
                Some(order),
                Body::ToolStarted { call: id.clone(), server, tool: name, arguments: arguments.clone() },
            );
            if !self.run_own(&id, &tool, &arguments) {
                self.run_call(id, tool, arguments, class, cancel);
            }
        }
        let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) else { return };
        if !batch.running.is_empty() {
            return;
        }
        if batch.held.is_empty() {
            return self.batch_done();
        }
        // What the person changes while they are waited for is theirs.
        let guarded = batch.guarded.take();
        self.look_after(guarded, Ended::ByItself);
    }

    fn run_call(&self, id: CallId, tool: ToolDefinition, arguments: Value, class: Class, cancel: CancellationToken) {
        let tools = Arc::clone(&self.servers.tools);
        let report = self.report.clone();
        let (progress, mut progressed) = unbounded_channel();
        let (tree, looked, called) = (self.tree_of(class), self.report.clone(), id.clone());
        let call = tokio::spawn(async move {
            let Some(tree) = tree else { return tools.call(&tool, arguments, progress, cancel).await };
            let before = tree.before().await;
            if cancel.is_cancelled() {
                let content = Content::Text("Cancelled before it ran.".to_owned());
                return CallResult { outcome: ToolOutcome::Cancelled, content };
            }
            let result = tools.call(&tool, arguments, progress, cancel).await;
            let _ = looked.send(Report::Looked(called, tree::changed(before, tree.after().await)));
            result
        });
        tokio::spawn(async move {
            while let Some(step) = progressed.recv().await {
                let _ = report.send(Report::Progress(id.clone(), step));
            }
            let result = call.await.unwrap_or_else(|error| CallResult {
                outcome: ToolOutcome::Lost,
                content: Content::Text(format!("The call ended by a fault of this program: {error}.")),
            });
            // The session may be over; then nobody needs the result.
            let _ = report.send(Report::Called(id, result));
        });
    }

    /// Whether a call of this reply runs.
    pub(super) fn call_runs(&self, call: &CallId) -> bool {
        let phase = self.turn.as_ref().map(|turn| &turn.phase);
        matches!(phase, Some(Phase::Tools(batch)) if batch.running.contains_key(call))
    }

    pub(super) fn call_progressed(&mut self, call: CallId, progress: Progress) {
        let Some(Phase::Tools(batch)) = self.turn.as_ref().map(|turn| &turn.phase) else { return };
        let Some(order) = batch.running.get(&call).map(|running| running.order) else { return };
        self.rec.emit_at(Some(order), Body::ToolProgress { call, note: progress.note, fraction: progress.fraction });
    }

    pub(super) fn call_ended(&mut self, id: &CallId, result: CallResult) {
        let Some(Phase::Tools(batch)) = self.turn.as_mut().map(|turn| &mut turn.phase) else { return };
        let Some(running) = batch.running.remove(id) else { return };
        let of = (result.outcome == ToolOutcome::Ok).then(|| running.of.clone());
        let key = format!("{:?} {}", result.outcome, result_key(&result.content));
        let ended = CallEnded {
            call: id,
            tool: &running.tool,
            arguments: &running.arguments,
            class: running.class,
            changed: running.changed,
            outcome: result.outcome,
            result: &key,
        };
        batch.receipts.push(ended.receipt());
        batch.done.push((running.tool, running.arguments.to_string(), key));
        let (tool, arguments) = (running.of.1, running.arguments);
        let elapsed_ms = running.begun.elapsed().as_millis() as u64;
        let full_bytes = result.content.bytes();
        let content = mask::content(&self.rec.mask, result.content);
        if of.is_some() {
            // What is masked is hardly ever as long as what stands for it.
            self.read_secret(&tool, &arguments, content.bytes() != full_bytes);
        }
        let (content, cut) = self.fitted(id, content);
        let spill = cut.as_ref().map(|(file, _)| file.clone());
        self.rec.emit_at(
            Some(running.order),
            Body::ToolFinished { call: id.clone(), outcome: result.outcome, content, full_bytes, spill, elapsed_ms },
        );
        if let Some((_, decision)) = cut {
            self.rec.cell(Body::Decided(decision));
        }
        if let Some((server, tool)) = of {
            self.tool_used(&server, &tool);
        }
        self.advance_batch();
    }

    fn batch_done(&mut self) {
        let Some(Phase::Tools(mut batch)) = self.take_phase() else { return };
        self.look_after(batch.guarded.take(), Ended::ByItself);
        let Some(turn) = &mut self.turn else { return };
        match turn.rounds.add(batch.done) {
            Repeat::Fine => self.round_over(batch.receipts),
            Repeat::Stop(times) => {
                let text = format!("The model made the same calls {times} times in a row.");
                self.rec.notice(Level::Error, "loop", text.clone(), None);
                self.finish(TurnOutcome::Failed(text));
            }
            Repeat::TooMany(rounds) => {
                let text = format!("The turn was ended after {rounds} rounds of tool calls.");
                let hint = Some("Send a message to let it go on.".to_owned());
                self.rec.notice(Level::Error, "loop", text.clone(), hint);
                self.finish(TurnOutcome::Failed(text));
            }
        }
    }

    /// Every call that did not end is cancelled, on the server too, and says so.
    pub(super) fn cancel_batch(&mut self, mut batch: Batch) {
        batch.cancel.cancel();
        self.look_after(batch.guarded.take(), Ended::Cancelled);
        self.cancel_held(*std::mem::take(&mut batch.held));
        for (id, running) in batch.running {
            let elapsed_ms = running.begun.elapsed().as_millis() as u64;
            let content = Content::Text("Cancelled by the person while it ran.".to_owned());
            self.rec.emit_at(Some(running.order), finished(id, ToolOutcome::Cancelled, content, elapsed_ms));
        }
        for waiting in batch.waiting {
            let content = Content::Text("Cancelled by the person before it ran.".to_owned());
            let started = Body::ToolStarted {
                call: waiting.id.clone(),
                server: waiting.tool.server,
                tool: waiting.tool.info.name,
                arguments: waiting.arguments,
            };
            self.rec.emit_at(Some(waiting.order), started);
            self.rec.emit_at(Some(waiting.order), finished(waiting.id, ToolOutcome::Cancelled, content, 0));
        }
    }
}

pub(super) fn finished(call: CallId, outcome: ToolOutcome, content: Content, elapsed_ms: u64) -> Body {
    let full_bytes = content.bytes();
    Body::ToolFinished { call, outcome, content, full_bytes, spill: None, elapsed_ms }
}
