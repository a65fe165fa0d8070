//! What the agent says of itself and does, and what follows from it.

use std::borrow::Cow;

use super::super::Actor;
use crate::model::build;
use crate::proto::{
    AgentState, Body, Content, Decision, DetectionAction, PlanSignal, RequestId, RewindTo, StopReason, TurnId,
};
use crate::supervisor::detect::Watch;
use crate::supervisor::prohibit::{self, Prohibition, UserLine};
use crate::supervisor::receipt::Receipt;
use crate::supervisor::report::{INSTRUCTION, parse};

/// Whether a reply is to end with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::session::actor) enum Status {
    Asked,
    #[default]
    NotAsked,
}

/// Calls that are remembered over turns; from twice as many on the oldest go.
const EVENTS: usize = 200;

#[derive(Default)]
pub(super) struct Watching {
    /// What the person said in this session.
    pub said: Vec<UserLine>,
    /// What the last rewind took out of it, and the turn it began with.
    aside: Option<(TurnId, Vec<UserLine>)>,
    pub prohibitions: Vec<Prohibition>,
    /// Of the last reply.
    pub state: Option<AgentState>,
    /// Calls that ended, oldest first.
    pub events: Vec<Receipt>,
    /// Index of the first one of this turn.
    pub turn_from: usize,
    /// Rounds of tool calls in this turn.
    pub rounds: u32,
    detect: Watch,
    /// Notes that wait for a safe point: what they are about, and their text.
    notes: Vec<(&'static str, String)>,
}

impl Watching {
    fn new_turn(&mut self) {
        if self.events.len() > 2 * EVENTS {
            self.events.drain(..self.events.len() - EVENTS);
        }
        self.turn_from = self.events.len();
        self.rounds = 0;
        self.state = None;
        self.notes.clear();
        self.detect.new_turn();
    }

    pub fn events_of_turn(&self) -> &[Receipt] {
        self.events.get(self.turn_from..).unwrap_or_default()
    }

    /// What the person asked for in this turn.
    pub fn goal(&self, turn: u32) -> String {
        let said = self.said.iter().filter(|line| line.turn.0 == turn).map(|line| line.text.as_str());
        said.collect::<Vec<_>>().join("\n\n")
    }

    /// What is forbidden by now, in the person's own words.
    pub fn forbidden(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for said in self.prohibitions.iter().filter(|prohibition| prohibition.holds()).map(Prohibition::words) {
            if !words.contains(&said) {
                words.push(said);
            }
        }
        words
    }

    fn hear(&mut self, line: UserLine) {
        prohibit::hear(&mut self.prohibitions, &line);
        self.said.push(line);
    }
}

impl Actor {
    pub(super) fn watch_restore(&mut self, said: Vec<(u32, Content)>, aside: Option<(u32, Vec<(u32, Content)>)>) {
        let blobs = self.rec.journal.blobs();
        let text = |content: &Content| build::plain(content, &|name| blobs.get(name));
        let line = |(turn, content): &(u32, Content)| UserLine { turn: TurnId(*turn), text: text(content) };
        let watch = &mut self.supervise.watch;
        (watch.said, watch.prohibitions) = (Vec::new(), Vec::new());
        watch.aside = aside.map(|(turn, said)| (TurnId(turn), said.iter().map(line).collect()));
        said.iter().map(line).for_each(|line| watch.hear(line));
    }

    /// What was said in turns that went is not heard any more.
    pub(in crate::session::actor) fn watch_rewound(&mut self, to: RewindTo) {
        let watch = &mut self.supervise.watch;
        let (turn, back) = match (to, watch.aside.take()) {
            (RewindTo::Turn(turn), _) => (turn, Vec::new()),
            (RewindTo::Before, Some(aside)) => aside,
            (RewindTo::Before, None) => return,
        };
        let (out, stay): (Vec<_>, Vec<_>) =
            std::mem::take(&mut watch.said).into_iter().partition(|line| line.turn >= turn);
        watch.prohibitions = Vec::new();
        stay.into_iter().chain(back).for_each(|line| watch.hear(line));
        watch.aside = Some((turn, out));
    }

    /// A turn begins.
    pub(in crate::session::actor) fn supervise_turn(&mut self) {
        self.end.verdict = None;
        self.supervise.watch.new_turn();
        self.supervise.gate.new_turn();
    }

    pub(in crate::session::actor) fn person_said(&mut self, text: &str) {
        let text = self.rec.mask.owned(text.to_owned());
        self.supervise.watch.hear(UserLine { turn: TurnId(self.turns), text });
        self.supervise.recite.begins_at(self.rec.history.items().len());
    }

    /// Replies that must follow a schema cannot have a status beside it.
    pub(in crate::session::actor) fn status_asked(&self) -> Status {
        if self.is_supervised() && self.setup.schema.is_none() { Status::Asked } else { Status::NotAsked }
    }

    /// The system prompt with what asks for the status.
    pub(in crate::session::actor) fn with_instruction<'a>(&self, system: &'a str) -> Cow<'a, str> {
        match self.status_asked() {
            Status::NotAsked => Cow::Borrowed(system),
            Status::Asked if system.is_empty() => Cow::Borrowed(INSTRUCTION),
            Status::Asked => Cow::Owned(format!("{}\n\n{INSTRUCTION}", system.trim_end())),
        }
    }

    /// A reply is written down; gives what it wants of the plan. Of one that was cut short nothing is
    /// expected.
    pub(in crate::session::actor) fn status_came(
        &mut self,
        request: RequestId,
        status: Status,
        statuses: &[String],
        stop: &StopReason,
    ) -> Option<PlanSignal> {
        let whole = !matches!(stop, StopReason::Interrupted | StopReason::Cut | StopReason::Length);
        self.supervise.watch.state = None;
        if status == Status::NotAsked || (statuses.is_empty() && !whole) {
            return None;
        }
        let reported = parse(request, statuses);
        self.supervise.watch.state = reported.report.as_ref().map(|report| report.state);
        let signal = reported.report.as_ref().and_then(|report| report.plan.clone());
        self.rec.emit(Body::Decided(Decision::Reported(Box::new(reported))));
        signal.filter(|_| whole)
    }

    /// Notes that wait for a safe point go into the conversation.
    pub(super) fn say_steering(&mut self) {
        let notes = std::mem::take(&mut self.supervise.watch.notes);
        if !self.is_supervised() {
            return;
        }
        for (label, text) in notes {
            self.say_as_system("steer", label, text);
        }
    }

    /// The agent says that there is more to do and does nothing, and nobody can answer. True when it is
    /// told to go on.
    pub(super) fn say_idle(&mut self) -> bool {
        let watch = &mut self.supervise.watch;
        let Some(note) = watch.detect.idle_note(watch.state) else { return false };
        self.say_as_system("steer", "idle", note);
        true
    }

    /// The results of a round are there; the turn goes on.
    pub(in crate::session::actor) fn round_over(&mut self, receipts: Vec<Receipt>) {
        if self.is_supervised() {
            self.watch_round(receipts);
        }
        if self.condense_round() {
            return self.wait_for(super::About::Condense, super::CONDENSE_WAIT);
        }
        self.prepare();
    }

    fn watch_round(&mut self, receipts: Vec<Receipt>) {
        let watch = &mut self.supervise.watch;
        let found = watch.detect.round(&receipts, watch.state);
        watch.events.extend(receipts);
        watch.rounds += 1;
        for detection in found {
            let detector = detection.detector;
            let noted = match &detection.action {
                DetectionAction::Noted { text } => Some(text.clone()),
                DetectionAction::Suppressed { .. } | DetectionAction::BackedOff { .. } => None,
            };
            let body = Body::Decided(Decision::Detected(Box::new(detection)));
            // What was not said to the model is in the notes only.
            match noted {
                Some(text) => {
                    self.rec.cell(body);
                    self.supervise.watch.notes.push((detector.word(), text));
                }
                None => self.rec.emit(body),
            }
        }
    }
}
