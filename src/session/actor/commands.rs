//! What a front end asks for.

use std::sync::Arc;

use super::Actor;
use super::turn::{Phase, Question};
use crate::proto::{Answer, AskId, Attachment, Body, Command, Level, QueueId, SubmitMode, slash};
use crate::session::rules::{Waiting, near_command};

impl Actor {
    pub(super) async fn command(&mut self, command: Command) {
        match command {
            Command::Submit { text, attachments, mode } => self.submit(text, attachments, mode).await,
            Command::EditQueued { id, text } => {
                if self.queue.edit(id, &text) {
                    self.rec.emit(Body::QueueEdited { id, text });
                }
            }
            Command::WithdrawQueued { id } => {
                if self.queue.withdraw(id) {
                    self.rec.emit(Body::Unqueued { id });
                }
            }
            Command::Interrupt => {
                if !self.stop_script() && !self.go_without() && !self.go_without_servers() && !self.stop_idle_script() {
                    self.interrupt_turn();
                }
            }
            Command::RetryNow => match self.turn.as_ref().map(|turn| &turn.phase) {
                Some(Phase::Retrying { .. }) => self.send_again(),
                Some(Phase::Activating { .. } | Phase::Routing { .. }) => drop(self.go_without_servers()),
                _ => {}
            },
            Command::Answer { ask, answer } => self.answered(ask, answer),
            Command::RestartServer { name } => {
                let tools = Arc::clone(&self.servers.tools);
                tokio::spawn(async move { tools.restart(&name).await });
            }
            Command::DisableServer { name } => {
                let tools = Arc::clone(&self.servers.tools);
                tokio::spawn(async move { tools.disable(&name).await });
            }
            Command::Surface(command) => self.surface_command(command).await,
            Command::WhatIf { id, text } => self.suppose(id, text),
            Command::Switch { key, on } => self.switch(&key, on),
            Command::SaveSwitch { key } => {
                self.save_switch(&key).await;
            }
            Command::Approval(command) => self.approval_command(command),
            Command::Shell(command) => self.shell_command(command),
            Command::Wire { request } => self.show_wire(request),
            Command::Shelf(command) => self.shelf(command),
            Command::Time(command) => self.time(command),
            Command::Rewind(command) => self.rewind_command(command),
            Command::Quit => self.leaving = true,
        }
    }

    async fn submit(&mut self, text: String, attachments: Vec<Attachment>, mode: SubmitMode) {
        if text.trim().is_empty() && attachments.is_empty() {
            return;
        }
        // What an agent says to another one is never a command.
        let by_agent = self.setup.descent.is_some();
        if let Some((command, arguments)) = slash::parse(text.trim_end()).filter(|_| !by_agent) {
            let arguments = arguments.to_owned();
            return self.slash(command, &text, &arguments).await;
        }
        if let Some(holder) = &self.read_only {
            let text = format!("Not sent: this session is open elsewhere ({holder}) and can only be read here.");
            let hint = "Close it there, or /new for a session of your own.".to_owned();
            return self.rec.notice(Level::Error, "session", text, Some(hint));
        }
        if let Some(near) = near_command(&text).filter(|_| !by_agent) {
            let text = format!("{} is no command and goes to the model as it is.", text.trim());
            self.rec.notice(Level::Info, "command", text, Some(format!("Did you mean /{near}?")));
        }
        if self.turn.is_some() || self.starting.is_some() || self.holds || self.rewinding.restoring {
            self.look_for_taps();
            let id = self.queue.push(text.clone(), attachments, mode);
            self.rec.emit(Body::Queued { id, text, mode });
            return;
        }
        let mut messages = self.queue.take_all();
        messages.push(Waiting { id: QueueId(0), text, attachments, mode });
        self.begin_waiting(messages);
    }

    fn answered(&mut self, ask: AskId, answer: Answer) {
        if self.trust_answered(ask, &answer)
            || self.start_answered(ask, &answer)
            || self.approval_answered(ask, &answer)
        {
            return;
        }
        let waits = match self.turn.as_ref().map(|turn| &turn.phase) {
            Some(Phase::Asking { ask: open, .. }) => *open == ask,
            _ => false,
        };
        if !waits {
            return;
        }
        let Some(Phase::Asking { about, .. }) = self.take_phase() else { return };
        let yes = answer.agrees();
        let answer = if yes { Answer::Yes } else { Answer::No };
        self.rec.emit(Body::Answered { ask, answer });
        match about {
            Question::CutStream(reply) => self.cut_stream_answered(*reply, yes),
            Question::Spending => self.spending_answered(yes),
        }
    }
}
