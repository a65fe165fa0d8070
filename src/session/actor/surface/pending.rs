//! Capabilities that are on and whose scripts or servers are not there yet.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::SurfaceReport;
use super::cells::{Cell, running};
use super::effects::Waits;
use super::tool::{failed, ok};
use crate::mcp::ServerSpec;
use crate::proto::{Body, CallId, Decision, Level, ServerState, Snapshot, StartStep, StepState, counted};
use crate::session::actor::turn::Phase;
use crate::session::actor::{Actor, Report};
use crate::session::server_specs::is_own;

/// A call of the `capability` tool waits so long; servers may have to be downloaded.
const CALL_WAIT: Duration = Duration::from_secs(60);

/// A capability that is on its way.
pub(super) struct Pending {
    capability: String,
    servers: Vec<String>,
    /// Started when the scripts are through.
    held: Vec<ServerSpec>,
    scripts: Scripts,
    /// The script that was begun last.
    script: Option<String>,
    call: Option<CallId>,
    pub(super) cell: Option<Cell>,
    pub(super) begun: Instant,
    /// What runs its scripts; ends with it.
    task: Option<AbortOnDropHandle<()>>,
}

enum Scripts {
    /// None, or all ran.
    Through,
    Running(CancellationToken),
}

enum Verdict {
    Coming,
    Ready,
    Broken(String),
}

impl Pending {
    pub fn new(capability: String, servers: Vec<String>, waits: Waits) -> Self {
        let call = match waits {
            Waits::Call(call) => Some(call),
            Waits::Request | Waits::Nobody => None,
        };
        let (held, cell) = (Vec::new(), None);
        let (scripts, script, begun) = (Scripts::Through, None, Instant::now());
        Self { capability, servers, held, scripts, script, call, cell, begun, task: None }
    }

    fn verdict(&self, snapshot: &Snapshot) -> Verdict {
        if matches!(self.scripts, Scripts::Running(_)) {
            return Verdict::Coming;
        }
        let mut coming = false;
        for name in self.servers.iter().filter(|name| !is_own(name)) {
            let state = snapshot.servers.iter().find(|view| view.name == *name).map(|view| &view.state);
            match state {
                Some(ServerState::Ready { .. }) => {}
                Some(ServerState::Failed { reason, .. } | ServerState::NeedsSignIn { reason }) => {
                    return Verdict::Broken(format!("its server {name} does not work: {reason}"));
                }
                Some(ServerState::Disabled { by }) => {
                    return Verdict::Broken(format!("its server {name} was switched off by {by}"));
                }
                None | Some(ServerState::Starting { .. } | ServerState::Waiting { .. } | ServerState::Stopped) => {
                    coming = true;
                }
            }
        }
        if coming { Verdict::Coming } else { Verdict::Ready }
    }
}

impl Actor {
    /// Whether some capability is on its way.
    pub(in crate::session::actor) fn awaits_servers(&self) -> bool {
        !self.live.pending.is_empty()
    }

    pub(super) fn is_pending(&self, capability: &str) -> bool {
        self.live.pending.iter().any(|pending| pending.capability == capability)
    }

    /// What it still waits for, in words; nothing when it is there.
    pub(super) fn awaited_by(&self, capability: &str) -> Option<&'static str> {
        let pending = self.live.pending.iter().find(|pending| pending.capability == capability)?;
        Some(match (&pending.scripts, pending.servers.len()) {
            (Scripts::Running(_), _) => "what it needs is being installed",
            (Scripts::Through, 1) => "its server is still starting",
            (Scripts::Through, _) => "its servers are still starting",
        })
    }

    pub(super) fn pending(&mut self, capability: &str) -> Option<&mut Pending> {
        self.live.pending.iter_mut().find(|pending| pending.capability == capability)
    }

    /// The capability is gone; nothing of it goes on.
    pub(super) fn drop_pending(&mut self, capability: &str) {
        self.live.awaited.remove(capability);
        let Some(at) = self.live.pending.iter().position(|pending| pending.capability == capability) else { return };
        let pending = self.live.pending.remove(at);
        self.end_cell(&pending, StepState::Cancelled, format!("{capability} is not wanted any more"));
        if let Some(call) = pending.call {
            self.call_ended(&call, failed(format!("{capability} was taken off before it was there.")));
        }
    }

    pub(super) fn run_scripts(&mut self, capability: &str, tap: &str, deps: Vec<String>, held: Vec<ServerSpec>) {
        let tap = self.live.book.as_ref().and_then(|book| book.catalogue().tap(tap).cloned());
        let (Some(tap), Some(wares)) = (tap, self.setup.wares.clone()) else {
            return self.scripts_over(capability, Err("nothing says where its scripts are".to_owned()));
        };
        let cancel = CancellationToken::new();
        let (report, name, stop) = (self.report.clone(), capability.to_owned(), cancel.clone());
        if let Some(pending) = self.pending(capability) {
            (pending.scripts, pending.held) = (Scripts::Running(cancel), held);
        }
        self.open_cell(capability, StartStep::Deps, format!("{} for {capability}", deps.join(", ")));
        let task = tokio::spawn(async move {
            let say = |script: &str, line: Option<String>| {
                let told = SurfaceReport::Script(name.clone(), script.to_owned(), line);
                let _ = report.send(Report::Surface(told));
            };
            let outcome = wares.run_scripts(&tap, &deps, say, &stop).await;
            let _ = report.send(Report::Surface(SurfaceReport::Scripts(name, outcome)));
        });
        if let Some(pending) = self.pending(capability) {
            pending.task = Some(AbortOnDropHandle::new(task));
        }
    }

    pub(super) fn script_says(&mut self, capability: &str, script: &str, line: Option<String>) {
        let Some(pending) = self.pending(capability) else { return };
        pending.script = Some(script.to_owned());
        let Some(cell) = &pending.cell else { return };
        let order = Some(cell.order);
        match line {
            Some(line) => self.rec.emit_at(order, Body::StartOutput { step: StartStep::Deps, line }),
            None => {
                let step = running(cell, format!("{script} for {capability}"));
                self.rec.emit_at(order, Body::StartStep { step });
            }
        }
    }

    pub(super) fn scripts_over(&mut self, capability: &str, outcome: Result<(), String>) {
        let Some(pending) = self.pending(capability) else { return };
        pending.scripts = Scripts::Through;
        let held = std::mem::take(&mut pending.held);
        let Some(at) = self.live.pending.iter().position(|pending| pending.capability == capability) else { return };
        let cell = self.live.pending[at].cell.take();
        match outcome {
            Ok(()) => {
                if let Some(cell) = cell {
                    self.end_step(&cell, StepState::Done, capability.to_owned());
                }
                self.add_servers(held);
            }
            Err(why) => {
                if let Some(cell) = cell {
                    let first = why.lines().next().unwrap_or_default().to_owned();
                    self.end_step(&cell, StepState::Failed, first);
                }
                let pending = self.live.pending.remove(at);
                let why = self.with_others(capability, why, pending.script.as_deref());
                let waits = pending.call.map_or(Waits::Nobody, Waits::Call);
                return self.activation_failed(capability, why, waits);
            }
        }
        self.look_at_pending();
    }

    /// Looks which of them are there now, or will never be.
    pub(in crate::session::actor) fn look_at_pending(&mut self) {
        loop {
            let snapshot = self.rec.hub.snapshot();
            let settled =
                self.live.pending.iter().enumerate().find_map(|(at, pending)| match pending.verdict(&snapshot) {
                    Verdict::Coming => None,
                    verdict => Some((at, verdict)),
                });
            let Some((at, verdict)) = settled else { break };
            let pending = self.live.pending.remove(at);
            match verdict {
                Verdict::Broken(why) => {
                    self.end_cell(&pending, StepState::Failed, why.clone());
                    let why = self.with_others(&pending.capability, why, None);
                    let waits = pending.call.map_or(Waits::Nobody, Waits::Call);
                    self.activation_failed(&pending.capability, why, waits);
                }
                Verdict::Ready | Verdict::Coming => self.activation_done(pending),
            }
        }
        self.go_on_without_waiting();
    }

    fn activation_done(&mut self, pending: Pending) {
        let name = pending.capability.clone();
        self.live.awaited.remove(&name);
        self.live.state.works(&name);
        let tools = self.tools_of(&name);
        self.end_cell(&pending, StepState::Done, format!("{name}: {}", counted(tools.len(), "tool")));
        if tools.is_empty() && !pending.servers.is_empty() {
            let text =
                format!("{name} is on, but {} offers none of the tools it asks for.", pending.servers.join(", "));
            self.say_of_surface(Level::Warning, text, Some("Its allowed_tools and the server do not fit.".to_owned()));
        }
        if let Some(call) = pending.call {
            let text = match tools.as_slice() {
                [] => format!("{name} is on. It brings no tools of its own."),
                tools => format!("{name} is on. Its tools: {}.", tools.join(", ")),
            };
            self.call_ended(&call, ok(text));
        }
        self.measure();
    }

    /// Names on the wire of what a capability asks for and gets.
    fn tools_of(&self, capability: &str) -> Vec<String> {
        let catalog = self.catalog();
        let asks = |tool: &&crate::mcp::ToolDefinition| self.live.state.brings(capability, &tool.server, &tool.name);
        catalog.iter().filter(|tool| tool.info.exposed()).filter(asks).map(|tool| tool.info.wire_name.clone()).collect()
    }

    /// What failed, and who else provides the capability.
    fn with_others(&self, capability: &str, why: String, script: Option<&str>) -> String {
        let others = self.live.book.as_ref().zip(self.live.state.came_from(capability));
        let others = others.map(|(book, present)| book.other_providers(capability, present, script));
        let Some((provider, tap)) = others.unwrap_or_default().into_iter().next() else { return why };
        let why = why.trim_end_matches(['.', '\n']);
        let between = if why.contains('\n') { "\n" } else { "; " };
        format!(
            "{why}{between}{tap} has another provider, {provider}: put {capability} = \"{provider}\" under \
             [capabilities] in the configuration and start again to have that one"
        )
    }

    pub(super) fn activation_failed(&mut self, capability: &str, why: String, waits: Waits) {
        let awaited = self.live.awaited.remove(capability);
        let now = self.rec.now();
        let change = self.live.state.failed(capability, &why, now);
        let back = change.decisions.iter().find_map(|decision| match decision {
            Decision::CapabilityActivated(one) => Some(format!(" {} is on again.", one.capability)),
            _ => None,
        });
        // What went for it is there again for the request that waited.
        self.carry_out(change, if awaited { Waits::Request } else { Waits::Nobody });
        if let Waits::Call(call) = waits {
            let back = back.unwrap_or_default();
            self.call_ended(&call, failed(format!("{capability} stays off: {why}.{back}")));
        }
        self.go_on_without_waiting();
    }

    /// Whoever waited for what is there now goes on.
    pub(in crate::session::actor) fn go_on_without_waiting(&mut self) {
        if !self.may_send() {
            return;
        }
        match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Activating { .. }) => self.send_first(),
            Some(Phase::Waiting { .. }) => self.go_on_if_ready(),
            _ => {}
        }
    }

    /// The call goes on; what it asked for joins later.
    pub(super) fn call_is_late(&mut self, call: &CallId) {
        let waiting = |pending: &&mut Pending| pending.call.as_ref() == Some(call);
        let Some(pending) = self.live.pending.iter_mut().find(waiting) else { return };
        pending.call = None;
        let name = pending.capability.clone();
        self.call_ended(
            call,
            ok(format!("{name} is on; its server is still starting. Its tools join when it is ready.")),
        );
    }

    pub(super) fn call_waits(&self, call: &CallId) {
        let (report, call) = (self.report.clone(), call.clone());
        tokio::spawn(async move {
            tokio::time::sleep(CALL_WAIT).await;
            let _ = report.send(Report::Surface(SurfaceReport::Late(call)));
        });
    }

    /// The wait has become long enough to be shown.
    pub(in crate::session::actor) fn tell_what_is_awaited(&mut self) {
        let awaited: Vec<String> = self.live.awaited.iter().cloned().collect();
        for name in awaited {
            let Some(pending) = self.pending(&name) else { continue };
            let (servers, untold) = (pending.servers.join(", "), pending.cell.is_none());
            if untold {
                let text = format!("{servers} for {name}; Esc goes on without");
                self.open_cell(&name, StartStep::Servers, text);
            }
        }
    }

    /// The request goes out without what it waited for. False when it waits for nothing else.
    pub(in crate::session::actor) fn go_without_servers(&mut self) -> bool {
        if self.stop_hearing() {
            return true;
        }
        let waits = match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Activating { .. }) => true,
            Some(Phase::Waiting { .. }) => !self.live.awaited.is_empty(),
            _ => false,
        };
        if waits {
            self.give_up_waiting("As you wish: going on");
        }
        waits
    }

    /// Names what is not there yet and goes on.
    pub(in crate::session::actor) fn give_up_waiting(&mut self, begin: &str) {
        self.drop_awaited(begin);
        self.go_on_without_waiting();
    }

    /// Whether the next request waits for no capability.
    pub(in crate::session::actor) fn live_awaits_nothing(&self) -> bool {
        self.live.awaited.is_empty()
    }

    /// The turn is over, and with it who waited.
    pub(in crate::session::actor) fn forget_awaited(&mut self) {
        self.live.awaited.clear();
        self.forget_hearing();
    }

    /// Names what is not there yet; nobody waits for it any more.
    pub(in crate::session::actor) fn drop_awaited(&mut self, begin: &str) {
        if let Some(turn) = &mut self.turn {
            turn.judged = true;
        }
        let names: Vec<String> = std::mem::take(&mut self.live.awaited).into_iter().collect();
        for name in &names {
            let Some(pending) = self.pending(name) else { continue };
            let servers = pending.servers.join(", ");
            let Some(cell) = pending.cell.take() else { continue };
            if cell.step == StartStep::Servers {
                let detail = format!("{servers} for {name} is not ready yet; its tools join when it is");
                self.end_step(&cell, StepState::Doubtful, detail);
            }
            if let Some(pending) = self.pending(name) {
                pending.cell = Some(cell);
            }
        }
        if !names.is_empty() {
            let text = format!("{begin} without the tools of {}.", names.join(", "));
            self.say_of_surface(Level::Info, text, Some("They join when they are ready.".to_owned()));
        }
    }

    /// Stops a script that runs for a capability while no turn does. False when there is none.
    pub(in crate::session::actor) fn stop_idle_script(&mut self) -> bool {
        if self.turn.is_some() {
            return false;
        }
        let running = self.live.pending.iter().find_map(|pending| match &pending.scripts {
            Scripts::Running(cancel) if !cancel.is_cancelled() => Some(cancel.clone()),
            _ => None,
        });
        running.map(|cancel| cancel.cancel()).is_some()
    }
}
