//! Beside the task: one child from its prompt to its end.

use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::Instant;

use super::{Order, TapReport};
use crate::port::{Delivery, Port};
use crate::proto::{
    Answer, Body, Child, ChildState, Command, EntryKind, Event, Order as Place, Origin, Snapshot, SubmitMode,
    TurnOutcome, Usage,
};
use crate::session::actor::Report;
use crate::session::{Handle, SessionEnd};
use crate::text;

/// How long a child may take to leave.
const LEAVE_WITHIN: Duration = Duration::from_secs(15);

/// Columns of what it said last.
const COLUMNS: usize = 100;

/// How far a child is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::session::actor) struct Progress {
    turns: u32,
    requests: u32,
    usage: Usage,
    last: String,
}

/// How it ended.
pub(in crate::session::actor) struct Over {
    pub state: ChildState,
    pub result: String,
    pub progress: Progress,
}

impl Progress {
    fn of(snapshot: &Snapshot) -> Self {
        let totals = &snapshot.totals;
        let (turns, requests, usage) = (snapshot.turn.0, totals.requests, totals.all());
        Self { turns, requests, usage, last: last_words(snapshot) }
    }

    pub fn enter(&self, child: &mut Child) {
        let Self { turns, requests, usage, last } = self;
        (child.turns, child.requests, child.usage) = (*turns, *requests, *usage);
        child.last.clone_from(last);
    }
}

/// The last line that it said, or the tool that it called after that.
fn last_words(snapshot: &Snapshot) -> String {
    let words = snapshot.transcript.entries().iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Assistant { text, .. } => text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned),
        EntryKind::Tool { server, tool, .. } => Some(format!("called {server}.{tool}")),
        _ => None,
    });
    let line = text::sanitize_line(words.unwrap_or_default().trim()).into_owned();
    text::truncate(&line, COLUMNS).into_owned()
}

/// Whom the follower tells.
pub(super) struct Teller {
    pub id: String,
    pub run: u32,
    pub report: UnboundedSender<Report>,
}

impl Teller {
    /// The session may be over; then nobody wants to know.
    fn progress(&self, progress: Progress) {
        let _ = self.report.send(Report::Tap(TapReport::Progress(self.id.clone(), self.run, progress)));
    }

    fn over(&self, over: Over) {
        let _ = self.report.send(Report::Tap(TapReport::Over(self.id.clone(), self.run, Box::new(over))));
    }
}

struct Following {
    port: Port,
    /// The end of the transcript before this run.
    before: Option<Place>,
    /// Messages that were sent, and those of them that stand in the conversation.
    sent: u32,
    said: u32,
    stopped: Option<String>,
    deadline: Option<Instant>,
    told: Option<Progress>,
}

/// Gives the prompt, answers for the person who is not there, tells how far it is and how it ended.
pub(super) async fn follow(handle: Handle, prompt: String, mut orders: UnboundedReceiver<Order>, teller: Teller) {
    let Handle { port, hub, done } = handle;
    // A session that is over must be seen to be.
    drop(hub);
    let mut one = Following { port, before: None, sent: 0, said: 0, stopped: None, deadline: None, told: None };
    one.say(prompt).await;
    loop {
        tokio::select! {
            biased;
            order = orders.recv(), if one.stopped.is_none() => match order {
                Some(Order::Say(text)) => one.say(text).await,
                Some(Order::Stop(why)) => one.stop(why).await,
                None => one.stop("the session that it worked for is gone".to_owned()).await,
            },
            delivery = one.port.events.next() => match delivery {
                Some(delivery) => one.take(&delivery, &teller).await,
                None => break,
            },
            () = at(one.deadline), if one.deadline.is_some() => break,
        }
    }
    let end = tokio::time::timeout(LEAVE_WITHIN, done).await;
    let end = end.ok().and_then(Result::ok);
    teller.over(one.over(end));
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

impl Following {
    async fn say(&mut self, text: String) {
        self.sent += 1;
        self.tell(Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Steer }).await;
    }

    /// A session that is gone says so by the end of its events.
    async fn tell(&self, command: Command) {
        let _ = tokio::time::timeout(LEAVE_WITHIN, self.port.commands.send(command)).await;
    }

    async fn stop(&mut self, why: String) {
        self.stopped = Some(why);
        self.tell(Command::Interrupt).await;
        self.leave().await;
    }

    async fn leave(&mut self) {
        if self.deadline.is_none() {
            self.deadline = Some(Instant::now() + LEAVE_WITHIN);
            self.tell(Command::Quit).await;
        }
    }

    async fn take(&mut self, delivery: &Delivery, teller: &Teller) {
        match delivery {
            Delivery::Event(event) => {
                if self.note(event) {
                    let progress = Progress::of(&self.port.snapshot.borrow());
                    if self.told.as_ref() != Some(&progress) {
                        self.told = Some(progress.clone());
                        teller.progress(progress);
                    }
                }
                // Policy decides in a child; whoever asks all the same gets a no.
                if let Body::Asked(ask) = &event.body {
                    self.tell(Command::Answer { ask: ask.id, answer: Answer::No }).await;
                }
            }
            // What was not delivered one by one was taken in.
            Delivery::Resync { .. } => self.said = self.sent,
            Delivery::Replaced(past) => {
                self.before = past.transcript.entries().last().map(|entry| entry.order);
            }
        }
        let (over, held) = {
            let snapshot = self.port.snapshot.borrow();
            let idle = !snapshot.run.busy() && snapshot.queue.is_empty() && !snapshot.awaits_children();
            (idle && self.said >= self.sent, snapshot.session.read_only.clone())
        };
        if let Some(holder) = held {
            self.stopped.get_or_insert(format!("its session is open elsewhere ({holder})"));
        }
        if over || self.stopped.is_some() {
            self.leave().await;
        }
    }

    /// Whether it tells something of how far it is.
    fn note(&mut self, event: &Event) -> bool {
        match &event.body {
            Body::UserMessage { origin: Origin::Person, .. } => {
                self.said += 1;
                false
            }
            Body::TurnStarted { .. }
            | Body::ToolStarted { .. }
            | Body::AssistantMessage { .. }
            | Body::RequestFinished { .. }
            | Body::Tap(_) => true,
            _ => false,
        }
    }

    fn over(self, end: Option<SessionEnd>) -> Over {
        let snapshot = self.port.snapshot.borrow();
        let progress = Progress::of(&snapshot);
        let entries = snapshot.transcript.entries().iter().rev();
        let mut own = entries.take_while(|entry| self.before.is_none_or(|before| entry.order > before));
        let result = own.find_map(|entry| match &entry.kind {
            EntryKind::Assistant { text, .. } if !text.trim().is_empty() => Some(text.clone()),
            _ => None,
        });
        let state = match (self.stopped, end) {
            (Some(why), _) => ChildState::Stopped { why },
            (None, None) => ChildState::Failed { why: "its session did not come to an end".to_owned() },
            (None, Some(SessionEnd { failure: Some(why), .. })) => ChildState::Failed { why },
            (None, Some(SessionEnd { outcome, verdict, .. })) => match outcome {
                Some(TurnOutcome::Done) => ChildState::Done { verdict },
                Some(TurnOutcome::Failed(why) | TurnOutcome::Stopped(why)) => ChildState::Failed { why },
                Some(TurnOutcome::Interrupted) => ChildState::Stopped { why: "it was interrupted".to_owned() },
                None => ChildState::Failed { why: "it ended before it did anything".to_owned() },
            },
        };
        Over { state, result: result.unwrap_or_default(), progress }
    }
}
