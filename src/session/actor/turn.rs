//! A turn from its message to its outcome.

use std::borrow::Cow;
use std::path::Path;

use tokio::time::Instant;

use super::batch::Batch;
use super::reply::Reply;
use super::stream::Streaming;
use super::supervise::{Ended, Supervising};
use super::{Actor, ModelSlot, Settled};
use crate::proto::{
    Answer, AskId, Attachment, Body, Content, Level, Order, Origin, QueueId, StopReason, TurnId, TurnOutcome,
};
use crate::session::rules::{Egress, Rounds, Waiting};

/// A project's instructions longer than this are cut, bytes.
const INSTRUCTIONS_MAX: usize = 64 * 1024;

pub(super) struct Turn {
    pub id: TurnId,
    pub begun: Instant,
    pub phase: Phase,
    pub rounds: Rounds,
    /// Calls with arguments that could not be used.
    pub malformed: u32,
    /// A lost call was pointed out once already.
    pub nudged: bool,
    pub egress: Egress,
    /// Tools on disk were looked at for the next request.
    pub refreshed: bool,
    /// The rules of skills were judged for its message.
    pub judged: bool,
    /// What the person said since the last request.
    pub fresh: Option<String>,
    /// Retries of the request that is tried now.
    pub retries: u32,
    /// Where the running request's reasoning and text stand.
    pub place: Order,
}

pub(super) enum Phase {
    /// For the model, or for servers that are still starting.
    Waiting {
        /// When the person is told; `None` when they were.
        tell: Option<Instant>,
        until: Instant,
    },
    /// For the vector of what the person said.
    Routing {
        intent: String,
        until: Instant,
    },
    /// For the servers of capabilities that were just brought.
    Activating {
        /// When the person is told; `None` when they were.
        tell: Option<Instant>,
        until: Instant,
    },
    Streaming(Box<Streaming>),
    Tools(Batch),
    /// For what the supervisor says.
    Supervising(Supervising),
    Retrying {
        until: Instant,
    },
    Asking {
        ask: AskId,
        about: Question,
    },
    /// Between two phases; never seen by a step.
    Moving,
}

pub(super) enum Question {
    /// The reply that broke off, to be kept if the person does not want to try again.
    CutStream(Box<Reply>),
    Spending,
}

impl Phase {
    pub fn due(&self) -> Option<Instant> {
        match self {
            Self::Waiting { tell, until } | Self::Activating { tell, until } => {
                Some(tell.map_or(*until, |tell| tell.min(*until)))
            }
            Self::Retrying { until } | Self::Routing { until, .. } => Some(*until),
            Self::Streaming(streaming) => streaming.due(),
            Self::Supervising(waits) => Some(waits.due()),
            Self::Tools(_) | Self::Asking { .. } | Self::Moving => None,
        }
    }
}

impl Actor {
    /// Begins a turn with these messages.
    pub(super) fn begin_turn(&mut self, messages: Vec<Waiting>) {
        let arrived = self.take_arrived(!messages.is_empty());
        if messages.is_empty() && arrived.is_empty() {
            return;
        }
        self.look_for_taps();
        self.turns += 1;
        self.rec.begin_turn(self.turns);
        self.spent.at_turn = self.spent.session;
        let id = TurnId(self.turns);
        self.rec.emit(Body::TurnStarted { turn: id });
        if self.rec.history.is_empty() {
            self.read_instructions();
        }
        self.say_context();
        self.tell_of_shell();
        let said: Vec<String> = messages.iter().map(|message| message.text.clone()).collect();
        self.supervise_turn();
        if !said.is_empty() {
            self.plan_heard(&said.join("\n"));
        }
        for id in arrived {
            self.hand_over(&id);
        }
        for message in messages {
            self.say_of_person(message);
        }
        self.turn = Some(Turn {
            id,
            begun: Instant::now(),
            phase: Phase::Moving,
            rounds: Rounds::default(),
            malformed: 0,
            nudged: false,
            egress: Egress::default(),
            refreshed: false,
            judged: true,
            fresh: None,
            retries: 0,
            place: Order::default(),
        });
        // What the runtime says is no intent of anybody's.
        if !said.is_empty() {
            let said = said.join("\n");
            self.heard(&said);
            self.judge_skills(said);
        }
        self.prepare();
    }

    pub(super) fn say(&mut self, content: Content, attachments: Vec<Attachment>, origin: Origin) {
        self.rec.cell(Body::UserMessage { content, attachments, origin });
    }

    /// A message as it is sent: what is kept secret is not in it, which its author must know.
    pub(super) fn say_of_person(&mut self, message: Waiting) {
        let masked = matches!(self.rec.mask.text(&message.text), Cow::Owned(_));
        self.person_said(&message.text);
        self.say(Content::Text(message.text), message.attachments, Origin::Person);
        if masked && !std::mem::replace(&mut self.said_of_mask, true) {
            let text = "A kept secret stood in your message: [masked] is what is shown, kept and sent in its place.";
            self.rec.notice(Level::Info, "secret", text, None);
        }
    }

    pub(super) fn say_as_system(&mut self, kind: &str, label: &str, text: String) {
        let origin = Origin::System { kind: kind.to_owned(), label: label.to_owned() };
        self.say(Content::Text(text), Vec::new(), origin);
    }

    /// The project's `AGENTS.md`, if there is one, opens the conversation.
    fn read_instructions(&mut self) {
        let text = match &self.prompt {
            Some(prompt) => prompt.instructions.clone(),
            // Not filled in yet; a message is not held back for it.
            None => instructions(&self.setup.workdir),
        };
        if let Some(text) = text {
            self.say_as_system("instructions", "AGENTS.md", text);
        }
    }

    /// Takes the phase out of the running turn, to be replaced by another.
    pub(super) fn take_phase(&mut self) -> Option<Phase> {
        Some(std::mem::replace(&mut self.turn.as_mut()?.phase, Phase::Moving))
    }

    pub(super) fn set_phase(&mut self, phase: Phase) {
        if let Some(turn) = &mut self.turn {
            turn.phase = phase;
        }
    }

    /// Ends the running turn and begins the next if a message waits for it. After an interrupt nothing
    /// begins by itself: what waits goes with the next message, or is withdrawn.
    pub(super) fn finish(&mut self, outcome: TurnOutcome) {
        let Some(turn) = self.turn.take() else { return };
        self.ended_turn(outcome.clone());
        self.forget_awaited();
        let interrupted = outcome == TurnOutcome::Interrupted;
        let unanswered = matches!(outcome, TurnOutcome::Failed(_)) && self.rec.history.has_unanswered();
        let elapsed_ms = turn.begun.elapsed().as_millis() as u64;
        self.rec.emit(Body::TurnEnded { turn: turn.id, outcome, elapsed_ms });
        if unanswered && self.person() {
            let text = "Your message was not answered; it does not go out again with the next one.";
            self.rec.notice(Level::Info, "session", text, Some("Send it again to ask once more.".to_owned()));
        }
        self.plan_lands();
        self.switches_safe_point();
        drop(self.rec.settle());
        self.measure();
        if interrupted {
            self.hold_arrived();
        }
        if self.leaving || interrupted {
            return;
        }
        let next = self.queue.take_next();
        self.begin_waiting(next);
    }

    /// Begins a turn with messages that waited.
    pub(super) fn begin_waiting(&mut self, messages: Vec<Waiting>) {
        for message in messages.iter().filter(|message| message.id != QueueId(0)) {
            self.rec.emit(Body::Unqueued { id: message.id });
        }
        self.begin_turn(messages);
    }

    /// Stops whatever the turn is doing, keeps what it has, and lets nothing of it go on.
    pub(super) fn interrupt_turn(&mut self) {
        let Some(phase) = self.take_phase() else { return };
        match phase {
            Phase::Streaming(streaming) => {
                let reply = streaming.stop(&self.rec.mask);
                self.wire_received(&reply, Ended::Stopped(&StopReason::Interrupted));
                self.keep_interrupted(reply);
            }
            Phase::Tools(batch) => self.cancel_batch(batch),
            Phase::Supervising(waits) => self.supervising_stopped(waits),
            Phase::Asking { ask, about } => {
                self.rec.emit(Body::Answered { ask, answer: Answer::No });
                if let Question::CutStream(reply) = about {
                    self.keep_interrupted(*reply);
                }
            }
            Phase::Waiting { .. }
            | Phase::Routing { .. }
            | Phase::Activating { .. }
            | Phase::Retrying { .. }
            | Phase::Moving => {}
        }
        self.cancel_all_asks();
        self.finish(TurnOutcome::Interrupted);
    }

    /// Whether everything a request needs is there.
    pub(super) fn is_ready(&self) -> bool {
        let refreshed = self.turn.as_ref().is_none_or(|turn| turn.refreshed);
        let judged = self.turn.as_ref().is_none_or(|turn| turn.judged);
        refreshed
            && judged
            && !self.preloading
            && self.surface_is_ready()
            && self.prompt.is_some()
            && !matches!(self.model, ModelSlot::Coming)
            && matches!(self.servers.settled, Settled::Yes)
    }
}

/// What the project's `AGENTS.md` says, with a line about where it comes from. A file that cannot be
/// read says so itself: the model should know that there is one.
pub(super) fn instructions(workdir: &Path) -> Option<String> {
    let text = match std::fs::read(workdir.join("AGENTS.md")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => format!("[the file cannot be read: {error}]"),
    };
    if text.trim().is_empty() {
        return None;
    }
    let kept = &text[..text.floor_char_boundary(INSTRUCTIONS_MAX)];
    let cut = if kept.len() < text.len() { "\n[the rest of AGENTS.md is left out]" } else { "" };
    Some(format!("Instructions of this project (AGENTS.md):\n\n{kept}{cut}"))
}
