use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::proto::{Answer, AskKind, Body, Decision, Level, StartStep, StepState, StepView};
use crate::session::seams::Role;

/// What preparing a role tells the session, in order.
#[derive(Debug)]
pub enum Told {
    Step(StepView),
    Output(StartStep, String),
    /// A record or a word with a place of its own.
    Say(Body),
    Ask(AskKind, oneshot::Sender<Answer>),
    /// Something runs that can be stopped by this; `None` when it is over.
    Running(Option<CancellationToken>),
    Over(Result<Box<Role>, Refused>),
}

/// The role cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub by: RefusedBy,
    /// One sentence; the lines after the first say more.
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBy {
    /// There is no such role or agent.
    Name,
    /// What is there cannot be used: a manifest with mistakes, say.
    Content,
    /// A value is missing and nobody can be asked for it.
    MissingValue,
}

/// The way from preparing a role to the session.
#[derive(Debug, Clone)]
pub struct Telling(pub(in crate::session) UnboundedSender<Told>);

impl Telling {
    /// The session may be over; then nobody listens.
    fn tell(&self, told: Told) {
        let _ = self.0.send(told);
    }

    pub fn begin(&self, step: StartStep, detail: impl Into<String>) -> Step {
        let begun = Step { step, begun: Instant::now(), telling: self.clone() };
        begun.now(detail);
        begun
    }

    pub fn say(&self, body: Body) {
        self.tell(Told::Say(body));
    }

    pub fn decided(&self, decision: Decision) {
        self.say(Body::Decided(decision));
    }

    pub fn notice(&self, level: Level, text: impl Into<String>, hint: Option<String>) {
        self.say(Body::Notice { level, source: "role".to_owned(), text: text.into(), hint });
    }

    /// The person's answer; no when there is none to be had.
    pub async fn ask(&self, kind: AskKind) -> Answer {
        let (sender, answer) = oneshot::channel();
        self.tell(Told::Ask(kind, sender));
        answer.await.unwrap_or(Answer::No)
    }

    pub fn running(&self, stop: &CancellationToken) {
        self.tell(Told::Running(Some(stop.clone())));
    }

    pub fn rested(&self) {
        self.tell(Told::Running(None));
    }
}

/// A step that is being done.
#[derive(Debug)]
pub struct Step {
    step: StartStep,
    begun: Instant,
    telling: Telling,
}

impl Step {
    /// What is being done now.
    pub fn now(&self, detail: impl Into<String>) {
        self.tell(StepState::Running, detail.into());
    }

    pub fn output(&self, line: String) {
        self.telling.tell(Told::Output(self.step, line));
    }

    pub fn done(self, detail: impl Into<String>) {
        self.end(StepState::Done, detail);
    }

    pub fn end(self, state: StepState, detail: impl Into<String>) {
        self.tell(state, detail.into());
    }

    fn tell(&self, state: StepState, detail: String) {
        let elapsed_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let step = StepView { step: self.step, state, detail, elapsed_ms, output: Vec::new() };
        self.telling.tell(Told::Step(step));
    }
}
