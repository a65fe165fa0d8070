//! How each family of events changes the snapshot. Pure and total: an event about something unknown
//! changes nothing.

use super::approval::Noted;
use super::{
    AskKind, Body, CONTEXT, CallId, Content, Decision, EntryKind, Event, Level, Mechanic, Note, Order, Origin, Purpose,
    Queued, RunState, ServerView, Snapshot, StepState, StepView, Timestamp, ToolState, WELCOME,
};

impl Snapshot {
    pub(super) fn apply_session(&mut self, event: &Event) {
        match &event.body {
            Body::SessionStarted { name, role, workdir, folder, .. } => {
                self.session.name.clone_from(name);
                self.session.role.clone_from(role);
                self.session.workdir.clone_from(workdir);
                self.session.folder.clone_from(folder);
                self.session.started_at = event.at;
                self.session.ended = false;
            }
            Body::SessionResumed { read_only, .. } => {
                self.session.read_only.clone_from(read_only);
                self.session.ended = false;
                self.settle();
            }
            Body::RoleChanged { role } => self.session.role.clone_from(role),
            Body::ModelChanged { model, effort } => {
                self.session.model = model.clone();
                self.session.effort = *effort;
            }
            Body::TitleChanged { title } => self.session.title = Some(title.clone()),
            Body::ViewCleared => self.transcript.clear(),
            Body::SessionEnded => {
                self.session.ended = true;
                self.settle();
            }
            _ => {}
        }
    }

    /// Nothing runs any more: what a process left unfinished is shown as such.
    fn settle(&mut self) {
        self.run = RunState::Idle;
        self.queue.clear();
        self.asks.clear();
        self.servers.clear();
        self.settle_model_calls();
        self.lose_shell();
        self.lose_children();
        self.close_entries(0, None);
    }

    /// Entries of this turn and later ones that still grow or run do so no more; they ran until `over`, if
    /// that is known.
    fn close_entries(&mut self, from_turn: u32, over: Option<Timestamp>) {
        let entries = self.transcript.entries().iter().rev().take_while(|entry| entry.order.turn >= from_turn);
        let unfinished = entries.filter(|entry| match &entry.kind {
            EntryKind::Assistant { streaming, .. } | EntryKind::Thinking { streaming, .. } => *streaming,
            EntryKind::Tool { state, .. } => matches!(state, ToolState::Running { .. }),
            EntryKind::StartUp { steps } => steps.iter().any(|step| step.state == StepState::Running),
            EntryKind::Asked { kind: AskKind::Approval(_), answered } => answered.is_none(),
            _ => false,
        });
        let unfinished: Vec<(Order, Timestamp)> = unfinished.map(|entry| (entry.order, entry.at)).collect();
        for (order, begun) in unfinished {
            self.transcript.edit(order, |kind| match kind {
                EntryKind::Assistant { streaming, interrupted, .. } => {
                    *streaming = false;
                    *interrupted = true;
                }
                EntryKind::Thinking { streaming, .. } => *streaming = false,
                EntryKind::Tool { state, .. } => *state = ToolState::lost(),
                EntryKind::Asked { answered, .. } => *answered = Some(false),
                EntryKind::StartUp { steps } => cancel(steps, over.map(|over| over.saturating_sub(begun))),
                _ => {}
            });
        }
    }

    pub(super) fn apply_turn(&mut self, event: &Event) {
        match &event.body {
            Body::TurnStarted { turn } => {
                self.turn = *turn;
                self.run = RunState::Waiting { since: event.at };
            }
            Body::TurnEnded { turn, outcome, elapsed_ms } => {
                self.run = RunState::Idle;
                self.close_entries(turn.0, Some(event.at));
                self.totals.last_turn = Some((outcome.clone(), *elapsed_ms));
            }
            // What a welcome says of the machine is for the model alone.
            Body::UserMessage { origin: Origin::System { kind, .. }, .. } if kind == CONTEXT => {}
            Body::UserMessage { content, attachments, origin } => {
                let text = shown(content);
                let attachments = attachments.iter().map(|attachment| attachment.name.clone()).collect();
                let origin: Origin = origin.clone();
                self.put(event, EntryKind::User { text, origin, attachments });
            }
            Body::Queued { id, text, mode } => self.queue.push(Queued { id: *id, text: text.clone(), mode: *mode }),
            Body::QueueEdited { id, text } => {
                if let Some(queued) = self.queue.iter_mut().find(|queued| queued.id == *id) {
                    queued.text.clone_from(text);
                }
            }
            Body::Unqueued { id } => self.queue.retain(|queued| queued.id != *id),
            _ => {}
        }
    }

    pub(super) fn apply_request(&mut self, event: &Event) {
        self.model_called(event);
        match &event.body {
            Body::RequestStarted { purpose: Purpose::Main, .. } => self.run = RunState::Waiting { since: event.at },
            // The planner works beside the turn; the others are waited for.
            Body::RequestStarted { purpose: Purpose::Supervisor(mechanic), .. }
                if self.run.busy() && *mechanic != Mechanic::Plan =>
            {
                self.run = RunState::Checking { since: event.at, mechanic: *mechanic };
            }
            Body::TextDelta { offset, text, .. } => {
                self.run_as(RunState::Answering { since: event.at });
                self.extend_text(event, *offset, text);
            }
            Body::ReasoningDelta { offset, text, .. } => {
                self.run_as(RunState::Thinking { since: event.at });
                self.extend_reasoning(event, *offset, text);
            }
            Body::CallForming { tool, argument_bytes, .. } => {
                let since = match &self.run {
                    RunState::Forming { since, .. } => *since,
                    _ => event.at,
                };
                self.run = RunState::Forming { since, tool: tool.clone(), argument_bytes: *argument_bytes };
            }
            Body::AssistantMessage { .. } => self.complete_message(event),
            Body::RequestFinished { purpose, usage, .. } => {
                self.totals.requests += 1;
                match purpose {
                    Purpose::Main => self.totals.main.add(usage),
                    Purpose::Supervisor(_) | Purpose::Compression => self.totals.auxiliary.add(usage),
                }
            }
            Body::RequestFailed { fault, purpose: Purpose::Main, .. } => {
                self.put(event, EntryKind::Fault(fault.clone()));
            }
            Body::RetryScheduled { at, attempt, of, reason, .. } => {
                self.run = RunState::Retrying {
                    since: event.at,
                    until: *at,
                    attempt: *attempt,
                    of: *of,
                    reason: reason.clone(),
                };
            }
            _ => {}
        }
    }

    /// Changes the running state unless it is of that kind already, so that `since` stays.
    fn run_as(&mut self, state: RunState) {
        if std::mem::discriminant(&self.run) != std::mem::discriminant(&state) {
            self.run = state;
        }
    }

    pub(super) fn apply_tool(&mut self, event: &Event) {
        match &event.body {
            Body::ToolStarted { call, server, tool, arguments } => {
                self.totals.tool_calls += 1;
                let running = match &self.run {
                    RunState::Tools { running, .. } => running + 1,
                    _ => 1,
                };
                let since = match &self.run {
                    RunState::Tools { since, .. } => *since,
                    _ => event.at,
                };
                self.run = RunState::Tools { since, running };
                let state = ToolState::Running { since: event.at, note: None, fraction: None };
                self.put(
                    event,
                    EntryKind::Tool {
                        call: call.clone(),
                        server: server.clone(),
                        tool: tool.clone(),
                        arguments: arguments.clone(),
                        state,
                    },
                );
            }
            Body::ToolProgress { call, note, fraction } => self.edit_call(event, call, |state| {
                if let ToolState::Running { note: shown, fraction: done, .. } = state {
                    shown.clone_from(note);
                    *done = *fraction;
                }
            }),
            Body::ToolFinished { call, outcome, content, full_bytes, spill, elapsed_ms } => {
                if let RunState::Tools { running, .. } = &mut self.run {
                    *running = running.saturating_sub(1);
                }
                self.edit_call(event, call, |state| {
                    *state = ToolState::Finished {
                        outcome: *outcome,
                        elapsed_ms: *elapsed_ms,
                        content: content.clone(),
                        full_bytes: *full_bytes,
                        spill: spill.clone(),
                        narrowed: None,
                    };
                });
            }
            _ => {}
        }
    }

    fn edit_call(&mut self, event: &Event, call: &CallId, change: impl FnOnce(&mut ToolState)) {
        let Some(order) = event.order.or_else(|| self.transcript.find_call(call)) else { return };
        self.transcript.edit(order, |kind| {
            if let EntryKind::Tool { call: id, state, .. } = kind
                && id == call
            {
                change(state);
            }
        });
    }

    pub(super) fn apply_server(&mut self, event: &Event) {
        match &event.body {
            Body::ServerChanged { server, kind, state, command, stderr } => {
                let view = ServerView {
                    name: server.clone(),
                    kind: *kind,
                    state: state.clone(),
                    command: command.clone(),
                    stderr: stderr.clone(),
                    tools: Vec::new(),
                };
                match self.servers.iter_mut().find(|known| known.name == *server) {
                    Some(known) => {
                        let tools = std::mem::take(&mut known.tools);
                        *known = ServerView { tools, ..view };
                    }
                    None => self.servers.push(view),
                }
            }
            Body::ServerTools { server, tools } => {
                if let Some(known) = self.servers.iter_mut().find(|known| known.name == *server) {
                    known.tools.clone_from(tools);
                }
            }
            Body::ServerGone { server } => self.servers.retain(|known| known.name != *server),
            _ => {}
        }
    }

    pub(super) fn apply_record(&mut self, event: &Event) {
        match &event.body {
            Body::Decided(decision) => {
                self.surface_decided(event, decision);
                self.supervisor_decided(event, decision);
                if let Decision::Matched(matching) = decision {
                    self.matched(event, matching);
                }
                if self.approval_decided(event, decision) == Noted::Yes {
                    let (level, source, text) = decision.headline();
                    self.note(event, level, source.to_owned(), text);
                }
                self.put(event, EntryKind::Decision(decision.clone()));
            }
            Body::Notice { level, source, text, hint } => {
                if *level == Level::Error {
                    self.told_once(text);
                }
                // A greeting is part of the conversation and nothing to note.
                if source != WELCOME {
                    self.note(event, *level, source.clone(), text.clone());
                }
                self.put(
                    event,
                    EntryKind::Notice { level: *level, source: source.clone(), text: text.clone(), hint: hint.clone() },
                );
            }
            Body::CommandOutput { line, output } => {
                self.put(event, EntryKind::Command { line: line.clone(), output: output.clone() });
            }
            Body::Asked(ask) => {
                self.asks.push((ask.clone(), event.order));
                self.put(event, EntryKind::Asked { kind: ask.kind.clone(), answered: None });
            }
            Body::Answered { ask, answer } => {
                let Some(index) = self.asks.iter().position(|(open, _)| open.id == *ask) else { return };
                let (_, order) = self.asks.remove(index);
                let Some(order) = order else { return };
                self.transcript.edit(order, |kind| {
                    if let EntryKind::Asked { answered, .. } = kind {
                        *answered = Some(answer.agrees());
                    }
                });
            }
            Body::ContextMeasured { tokens, window, system, tools, history } => {
                self.totals.context_tokens = *tokens;
                self.totals.context_system = *system;
                self.totals.context_tools = *tools;
                self.totals.context_history = *history;
                if window.is_some() {
                    self.session.model.context_window = *window;
                }
            }
            _ => {}
        }
    }

    /// Puts an entry at the event's order; an event without one has no cell.
    pub(super) fn put(&mut self, event: &Event, kind: EntryKind) {
        if let Some(order) = event.order {
            self.transcript.put(order, event.at, kind);
        }
    }

    pub(super) fn note(&mut self, event: &Event, level: Level, source: String, text: String) {
        if self.notes.len() >= super::snapshot::MAX_NOTES {
            self.notes.remove(0);
        }
        self.notes.push(Note {
            at: event.at,
            turn: self.turn,
            level,
            source,
            text,
            order: event.order,
            seq: event.seq,
        });
    }
}

/// What runs does no more, after so long since the first step began. Where that is not known, because the
/// process was killed, no time is better than that of the last word of it.
pub(super) fn cancel(steps: &mut [StepView], elapsed_ms: Option<u64>) {
    let mut before = 0;
    for step in steps {
        if step.state == StepState::Running {
            step.state = StepState::Cancelled;
            step.elapsed_ms = elapsed_ms.map_or(0, |elapsed| step.elapsed_ms.max(elapsed.saturating_sub(before)));
        }
        before += step.elapsed_ms;
    }
}

/// What of a message is shown in its cell.
fn shown(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { preview, .. } => preview.clone(),
        Content::Media { media_type, .. } => format!("[{media_type}]"),
        Content::Parts(parts) => parts.iter().map(shown).collect::<Vec<_>>().join("\n"),
    }
}
