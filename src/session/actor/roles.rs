//! Changing role, model, effort and session while it lives.

use std::sync::Arc;

use super::start::start_servers;
use super::starting::Occasion;
use super::{Actor, ModelSlot, Servers, Settled, open};
use crate::model::Model;
use crate::proto::{Body, Effort, Order, Seq, ServerView, Snapshot};
use crate::session::rules::{Queue, Spent};
use crate::session::seams::{Resolution, Role};

impl Actor {
    /// Changes the model from the next request on. The error is one sentence and what to do.
    pub(super) fn change_model(&mut self, name: &str) -> Result<String, String> {
        if name == "auto" {
            self.open_model(name.to_owned());
            return Ok("looking for a model that can be used here".to_owned());
        }
        let model = self.setup.models.open(name).map_err(|fault| format!("{} {}", fault.message, fault.advice))?;
        self.use_model(Arc::clone(&model));
        Ok(format!("the model is now {}", model.info().name))
    }

    pub(super) fn change_effort(&mut self, effort: Effort) {
        self.effort = effort;
        if let ModelSlot::Ready(model) = &self.model {
            let model = model.info();
            self.rec.emit(Body::ModelChanged { model, effort });
        }
    }

    /// Changes to a role of the configuration at once; an agent of a tap is made ready first.
    pub(super) fn change_role(&mut self, name: &str) -> Result<String, String> {
        match self.setup.roles.resolve(Some(name))? {
            Resolution::Ready(role) => {
                self.abandon_start();
                self.take_role(*role)
            }
            Resolution::ToPrepare(role) => {
                self.begin_starting(role.name.clone(), Occasion::Change);
                Ok(format!("to {}, as soon as it is ready", role.name))
            }
        }
    }

    /// Changes role, model profile and servers together, or nothing at all.
    pub(super) fn take_role(&mut self, role: Role) -> Result<String, String> {
        let name = role.name.clone();
        let own_model = role.profile.name != self.role.profile.name && role.profile.name != "auto";
        let model = if own_model {
            let opened = self.setup.models.open(&role.profile.name);
            let model = opened.map_err(|fault| {
                format!("The role {name} stays off, its model cannot be used: {} {}", fault.message, fault.advice)
            })?;
            Some(model)
        } else {
            None
        };
        self.effort = role.profile.reasoning_effort;
        self.set_role(role);
        let model: Option<Arc<dyn Model>> = model.or(match &self.model {
            ModelSlot::Ready(model) => Some(Arc::clone(model)),
            ModelSlot::Coming | ModelSlot::Failed(_) => None,
        });
        if let Some(model) = model {
            self.use_model(model);
        }
        Ok(format!("the role is now {}", self.role.name))
    }

    /// The role with its servers; nothing about the model.
    pub(super) fn set_role(&mut self, role: Role) {
        self.role = role;
        if self.rec.hub.snapshot().session.role != self.role.name {
            self.rec.emit(Body::RoleChanged { role: self.role.name.clone() });
        }
        self.say_of_role();
        self.replace_servers();
    }

    /// The servers of the old role stop beside the session; what they still say is not heard.
    fn replace_servers(&mut self) {
        let known: Vec<String> = self.rec.hub.snapshot().servers.iter().map(|view| view.name.clone()).collect();
        for server in known {
            self.rec.emit(Body::ServerGone { server });
        }
        let (events, tools) = start_servers(&self.setup, &self.role);
        let era = self.servers.era + 1;
        let old = std::mem::replace(&mut self.servers, Servers { tools, events, era, settled: Settled::No });
        tokio::spawn(async move { old.tools.shutdown().await });
        self.surface_of_role();
        self.show_own();
        self.await_servers();
        self.fill_prompt();
    }

    /// Ends this session and begins another with the same role, model and servers.
    pub(super) async fn begin_new(&mut self, title: &str) {
        self.interrupt_turn();
        self.cancel_all_asks();
        self.leave_children();
        let starting = self.abandon_start();
        self.clear_surface();
        let before = self.rec.hub.snapshot();
        let servers = before.servers.clone();
        let unused = self.is_unused().then(|| self.rec.folder());
        self.rec.emit(Body::SessionEnded);
        drop(self.rec.settle());
        let setup = self.setup.clone();
        let opened = match tokio::task::spawn_blocking(move || open::fresh(&setup)).await {
            Ok(opened) => opened,
            Err(error) => {
                let text = format!("A new session could not be begun: {error}.");
                return self.rec.notice(crate::proto::Level::Error, "session", text, None);
            }
        };
        self.forget(opened.name, opened.journal);
        if let Some(folder) = unused {
            super::discard(folder);
        }
        self.announce();
        if let ModelSlot::Ready(model) = &self.model {
            let (model, effort) = (model.info(), self.effort);
            self.rec.emit(Body::ModelChanged { model, effort });
        }
        for view in servers {
            self.show_server(view);
        }
        if !title.is_empty() {
            self.rec.emit(Body::TitleChanged { title: title.to_owned() });
        }
        for notice in opened.notices {
            self.rec.cell(notice);
        }
        self.rec.emit(Body::CatalogueChanged(Arc::clone(&before.catalogue)));
        self.rec.emit(Body::EncoderChanged(before.encoder.clone()));
        self.surface_anew();
        self.say_switches();
        self.say_approvals();
        self.preload_skills();
        if let Some((asked, occasion)) = starting {
            self.begin_starting(asked, occasion);
        }
        self.measure();
    }

    fn forget(&mut self, name: String, journal: crate::session::journal::Journal) {
        self.name = name;
        self.rec.journal = journal;
        self.rec.history = crate::model::History::default();
        self.rec.seq = Seq::default();
        self.rec.next = Order::default();
        self.rec.hub.replace(Snapshot::default());
        self.queue = Queue::default();
        (self.turns, self.requests) = (0, 0);
        self.spent = Spent::default();
        self.repairs.clear();
        self.came_from = None;
        self.verdicts = None;
        self.supervise = super::supervise::Supervise::new(&self.setup);
        self.approving = super::approve::Approving::new(&self.setup.approval);
        self.servers_step = None;
        self.sent = false;
        self.context_said = false;
        self.read_only = None;
        self.followed = None;
        self.unnamed = true;
    }

    fn show_server(&mut self, view: ServerView) {
        let ServerView { name, kind, state, command, stderr, tools } = view;
        self.rec.emit(Body::ServerChanged { server: name.clone(), kind, state, command, stderr });
        self.rec.emit(Body::ServerTools { server: name, tools });
    }
}
