//! What a request needs before it can be sent: a model, and the servers of the role.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::turn::{Phase, instructions};
use super::{Actor, ModelSlot, Prompt, Report, Settled};
use crate::model::Model;
use crate::proto::{Body, Decision, Fault, Level, ServerState, TurnId, WELCOME};
use crate::session::rules::welcome;
use crate::session::trust_desk::Looked;

/// A message waits at most so long for servers that are still starting.
pub(super) const SERVER_WAIT: Duration = Duration::from_secs(10);

/// A model that does not come in this time never will.
const MODEL_WAIT: Duration = Duration::from_secs(30);

/// A shorter wait is not worth a word.
pub(super) const TELL_AFTER: Duration = Duration::from_millis(400);

impl Actor {
    /// Goes on to the request, at once if everything is there.
    pub(super) fn prepare(&mut self) {
        self.refresh();
        if self.is_ready() {
            return self.request();
        }
        let wait = if matches!(self.model, ModelSlot::Coming) { MODEL_WAIT } else { SERVER_WAIT };
        let now = Instant::now();
        self.set_phase(Phase::Waiting { tell: Some(now + TELL_AFTER), until: now + wait });
    }

    /// Looks at tools on disk beside the task, before every request.
    fn refresh(&mut self) {
        let tools = Arc::clone(&self.servers.tools);
        let Some(turn) = &mut self.turn else { return };
        turn.refreshed = !tools.changes_on_disk();
        if !turn.refreshed {
            let (report, id) = (self.report.clone(), turn.id);
            let (desk, person) = (self.setup.trust.clone(), self.setup.person);
            tokio::spawn(async move {
                if let Some(desk) = desk {
                    // Scripts that came or changed since: decided on before they are listed.
                    let looked = tokio::task::spawn_blocking(move || desk.look(person)).await;
                    let _ = report.send(Report::Trust(looked.unwrap_or(Looked::Nothing)));
                }
                tools.refresh().await;
                let _ = report.send(Report::Refreshed(id));
            });
        }
    }

    pub(super) fn refreshed(&mut self, id: TurnId) {
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.id == id) {
            turn.refreshed = true;
        }
        self.hear_servers();
        self.go_on_if_ready();
    }

    /// Fills in the role's prompt and the project's instructions beside the task.
    pub(super) fn fill_prompt(&mut self) {
        self.prompt = None;
        let roles = Arc::clone(&self.setup.roles);
        let (report, era, role) = (self.report.clone(), self.servers.era, self.role.clone());
        let workdir = self.setup.workdir.clone();
        tokio::spawn(async move {
            let read = tokio::task::spawn_blocking(move || instructions(&workdir)).await.unwrap_or_default();
            let raw = Prompt { system: role.system, welcome: role.welcome, instructions: read };
            let mut texts = vec![raw.system.clone(), raw.welcome.clone()];
            texts.extend(raw.instructions.clone());
            let mut filled = roles.fill(&role.name, texts).await.into_iter();
            let prompt = Prompt {
                system: filled.next().unwrap_or(raw.system),
                welcome: filled.next().unwrap_or(raw.welcome),
                instructions: raw.instructions.map(|text| filled.next().unwrap_or(text)),
            };
            let _ = report.send(Report::Prompt(era, prompt));
        });
    }

    pub(super) fn prompt_came(&mut self, era: u32, prompt: Prompt) {
        if era != self.servers.era {
            return;
        }
        let (shown, _) = welcome(&prompt.welcome);
        if self.person() && self.rec.history.is_empty() && self.turn.is_none() && !shown.is_empty() {
            self.rec.notice(Level::Info, WELCOME, shown, None);
        }
        self.prompt = Some(prompt);
        self.measure();
        self.go_on_if_ready();
        if std::mem::take(&mut self.holds) {
            self.send_waiting();
        }
    }

    /// The wait has become long enough to be noticed.
    pub(super) fn tell_what_is_missing(&mut self) {
        if let Some(Phase::Waiting { tell, .. } | Phase::Activating { tell, .. }) =
            self.turn.as_mut().map(|turn| &mut turn.phase)
        {
            *tell = None;
        }
        if !self.live_awaits_nothing() {
            // Each has a place of its own.
            return self.tell_what_is_awaited();
        }
        let mut missing = Vec::new();
        match self.starting_servers().as_slice() {
            [] => {}
            [one] => missing.push(format!("the tool server {one}")),
            more => missing.push(format!("the tool servers {}", more.join(", "))),
        }
        if matches!(self.model, ModelSlot::Coming) {
            missing.insert(0, "the model".to_owned());
        }
        if missing.is_empty() {
            let judged = self.turn.as_ref().is_none_or(|turn| turn.judged);
            missing.push(if judged { "the tools" } else { "the rules of skills" }.to_owned());
        }
        let text = format!("Waiting for {}.", missing.join(" and "));
        let hint = self.person().then(|| "Esc stops waiting.".to_owned());
        self.rec.notice(Level::Info, "start", text, hint);
    }

    fn starting_servers(&self) -> Vec<String> {
        let snapshot = self.rec.hub.snapshot();
        let starting = snapshot.servers.iter().filter(|view| matches!(view.state, ServerState::Starting { .. }));
        // What capabilities started is waited for by those who asked for them, each in its own place.
        let starting = starting.filter(|view| !self.is_of_capability(&view.name));
        starting.map(|view| view.name.clone()).collect()
    }

    /// Chooses and opens the model beside the task.
    pub(super) fn open_model(&mut self, name: String) {
        self.model = ModelSlot::Coming;
        let models = Arc::clone(&self.setup.models);
        let report = self.report.clone();
        tokio::spawn(async move {
            let (name, decision) = if name == "auto" || name.is_empty() {
                let (chosen, decision) = models.choose().await;
                (chosen, Some(decision))
            } else {
                (name, None)
            };
            // The session may be over; then nobody needs a model.
            let _ = report.send(Report::Model(models.open(&name), decision));
        });
    }

    pub(super) fn model_came(&mut self, opened: Result<Arc<dyn Model>, Fault>, decision: Option<Decision>) {
        if let Some(decision) = decision {
            self.rec.cell(Body::Decided(decision));
        }
        match opened {
            Ok(model) => self.use_model(model),
            Err(fault) => {
                // Without a person there is a turn that fails with it and says so.
                if self.person() {
                    self.rec.notice(Level::Error, "model", fault.message.clone(), Some(fault.advice.clone()));
                }
                self.model = ModelSlot::Failed(fault);
            }
        }
        self.go_on_if_ready();
    }

    pub(super) fn use_model(&mut self, model: Arc<dyn Model>) {
        let info = model.info();
        let known = self.rec.hub.snapshot();
        if known.session.model.name != info.name {
            self.calibration = crate::session::rules::Calibration::default();
            self.prompt_cut = false;
        }
        if known.session.model != info || known.session.effort != self.effort {
            self.rec.emit(Body::ModelChanged { model: info, effort: self.effort });
        }
        self.model = ModelSlot::Ready(model);
        self.measure();
    }

    /// Waits for the servers beside the task and reports when they have come to rest.
    pub(super) fn await_servers(&mut self) {
        self.servers.settled = Settled::No;
        let tools = Arc::clone(&self.servers.tools);
        let (report, era) = (self.report.clone(), self.servers.era);
        tokio::spawn(async move {
            let still = tools.settled(SERVER_WAIT).await;
            let _ = report.send(Report::Settled(era, still));
        });
    }

    pub(super) fn servers_settled(&mut self, era: u32, still: &[String]) {
        if era != self.servers.era {
            return;
        }
        self.servers.settled = Settled::Yes;
        // What they said before they settled is shown before anything is sent.
        self.hear_servers();
        self.finish_servers_step();
        if !still.is_empty() {
            let text = format!("Going on without the tools of {}: still starting.", still.join(", "));
            self.rec.notice(Level::Warning, "start", text, Some("They join when they are ready.".to_owned()));
        }
        self.measure();
        self.go_on_if_ready();
        self.want_phrases();
    }

    /// The message has waited long enough for what comes beside it.
    pub(super) fn wait_over(&mut self) {
        self.drop_awaited("Going on");
        self.stop_looking_for_taps();
        self.request();
    }

    pub(super) fn hear_servers(&mut self) {
        while let Ok(body) = self.servers.events.try_recv() {
            self.server(body);
        }
    }

    pub(super) fn go_on_if_ready(&mut self) {
        let waits = matches!(self.turn.as_ref().map(|turn| &turn.phase), Some(Phase::Waiting { .. }));
        if waits && self.is_ready() {
            self.request();
        }
    }
}
