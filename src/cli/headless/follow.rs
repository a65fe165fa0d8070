use std::io;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, channel};
use tokio::time::Instant;

use super::verdict::Verdict;
use super::{Ending, Output, Printer, Sink};
use crate::cli::exit::Exit;
use crate::port::{Delivery, Port};
use crate::proto::{Answer, Body, Command, Event, Order, Snapshot, SubmitMode, slash};

/// How long a session may take to leave: stop its tools and servers, write its last events.
const LEAVE_PATIENCE: Duration = Duration::from_secs(10);

/// What is left for the output after a second signal.
const HURRY: Duration = Duration::from_millis(200);

/// What the outside asks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signals {
    Interrupt,
    Terminate,
}

impl Signals {
    /// From now on these signals arrive here instead of ending the process.
    ///
    /// # Errors
    /// When the system refuses a handler.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Receiver<Self>> {
        use tokio::signal::unix::{SignalKind, signal};
        let (sender, receiver) = channel(4);
        for (kind, meaning) in [
            (SignalKind::interrupt(), Self::Interrupt),
            (SignalKind::terminate(), Self::Terminate),
            (SignalKind::hangup(), Self::Terminate),
        ] {
            let mut signals = signal(kind)?;
            let sender = sender.clone();
            tokio::spawn(async move { while signals.recv().await.is_some() && sender.send(meaning).await.is_ok() {} });
        }
        Ok(receiver)
    }

    #[cfg(not(unix))]
    pub fn listen() -> io::Result<Receiver<Self>> {
        let (sender, receiver) = channel(4);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() && sender.send(Self::Interrupt).await.is_ok() {}
        });
        Ok(receiver)
    }
}

/// Submits the message, writes what happens until the turn is over, leaves.
///
/// The error is standard output's, when it failed for another reason than a reader that went away.
pub async fn follow(
    mut port: Port,
    message: String,
    printer: Printer,
    sink: Sink,
    mut signals: Receiver<Signals>,
) -> (Exit, Option<io::Error>) {
    let mut run = Run::new(&port, printer);
    let command = slash::parse(message.trim()).is_some();
    let text = if command { message.trim().to_owned() } else { message };
    run.tell(&port, Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Queue }).await;
    if command {
        // A command is no turn whose end could be waited for; what it does is done before the next.
        run.verdict.expect_command();
        run.leave(&port).await;
    }
    let mut open = true;
    loop {
        let deadline = run.deadline;
        tokio::select! {
            delivery = port.events.next() => match delivery {
                Some(delivery) => run.take(&delivery, &port, &sink).await,
                None => break,
            },
            () = sink.closed(), if open => {
                open = false;
                run.stop(Exit::OutputClosed, &port).await;
            }
            Some(signal) = signals.recv() => match signal {
                // The second one does not wait any longer.
                _ if run.stopped.is_some() => {
                    run.hurried = true;
                    break;
                }
                Signals::Interrupt => run.stop(Exit::Interrupted, &port).await,
                Signals::Terminate => run.stop(Exit::Terminated, &port).await,
            },
            () = at(deadline), if deadline.is_some() => break,
        }
    }
    run.end(sink, signals).await
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

struct Run {
    printer: Printer,
    own: Snapshot,
    /// The turn before ours, and the last reply that was written.
    before: u32,
    last: Order,
    verdict: Verdict,
    /// Why it ends before the turn does.
    stopped: Option<Exit>,
    /// It was told so twice.
    hurried: bool,
    /// Set once the session was told to leave.
    deadline: Option<Instant>,
}

impl Run {
    fn new(port: &Port, printer: Printer) -> Self {
        let mut run = Self {
            printer,
            own: Snapshot::default(),
            before: 0,
            last: Order::default(),
            verdict: Verdict::default(),
            stopped: None,
            hurried: false,
            deadline: None,
        };
        run.begin_after(&port.snapshot.borrow());
        run
    }

    /// What this snapshot holds was before this run: nothing of it is written or judged.
    fn begin_after(&mut self, past: &Snapshot) {
        self.own = past.clone();
        self.before = past.turn.0;
        self.last = past.transcript.entries().last().map_or(Order::default(), |entry| entry.order);
    }

    async fn take(&mut self, delivery: &Delivery, port: &Port, sink: &Sink) {
        let mut output = Output::default();
        let over = match delivery {
            Delivery::Event(event) => self.event(event, &mut output),
            Delivery::Resync { skipped } => self.resync(*skipped, port, &mut output),
            Delivery::Replaced(past) => {
                self.begin_after(past);
                false
            }
        };
        sink.write(output);
        if let Delivery::Event(event) = delivery
            && let Body::Asked(ask) = &event.body
        {
            self.tell(port, Command::Answer { ask: ask.id, answer: Answer::No }).await;
        }
        if over {
            self.leave(port).await;
        }
    }

    /// True when there is nothing more to wait for.
    fn event(&mut self, event: &Event, output: &mut Output) -> bool {
        self.own.apply(event);
        self.verdict.note(event);
        if !self.is_of_the_past(event) {
            self.printer.event(event, &self.own, output);
        }
        if matches!(event.body, Body::AssistantMessage { .. }) {
            self.last = self.last.max(event.order.unwrap_or_default());
        }
        match &event.body {
            Body::TurnEnded { .. } | Body::Tap(_) => self.is_over(),
            Body::SessionResumed { .. } => self.verdict.is_read_only(),
            _ => false,
        }
    }

    /// Our turn is over, and nothing follows it: what was handed to others comes back in a turn of its own.
    fn is_over(&self) -> bool {
        let idle = !self.own.run.busy() && self.own.queue.is_empty() && !self.own.awaits_children();
        idle && self.own.turn.0 > self.before
    }

    /// A reply that a process before left broken off is completed when its session is taken up.
    fn is_of_the_past(&self, event: &Event) -> bool {
        matches!(event.body, Body::AssistantMessage { .. }) && self.own.turn.0 <= self.before
    }

    fn resync(&mut self, skipped: u64, port: &Port, output: &mut Output) -> bool {
        self.own = (**port.snapshot.borrow()).clone();
        self.verdict.held_by(self.own.session.read_only.as_deref());
        let entries = self.own.transcript.entries();
        let first = entries.partition_point(|entry| entry.order <= self.last);
        self.printer.missed(skipped, &entries[first..], &self.own, output);
        if let Some(entry) = entries.last() {
            self.last = self.last.max(entry.order);
        }
        for record in self.own.supervisor.records.iter().filter(|record| record.turn.0 > self.before) {
            self.verdict.decided(&record.decision);
        }
        let over = self.is_over();
        match &self.own.totals.last_turn {
            Some((outcome, _)) if over => {
                self.verdict.ended(outcome.clone());
                true
            }
            _ => self.own.session.ended || self.verdict.is_read_only(),
        }
    }

    async fn stop(&mut self, exit: Exit, port: &Port) {
        self.stopped = Some(exit);
        self.tell(port, Command::Interrupt).await;
        self.leave(port).await;
    }

    async fn leave(&mut self, port: &Port) {
        if self.deadline.is_none() {
            self.deadline = Some(Instant::now() + LEAVE_PATIENCE);
            self.tell(port, Command::Quit).await;
        }
    }

    /// A session that is gone says so by the end of its events.
    async fn tell(&self, port: &Port, command: Command) {
        let _ = tokio::time::timeout(LEAVE_PATIENCE, port.commands.send(command)).await;
    }

    async fn end(mut self, sink: Sink, mut signals: Receiver<Signals>) -> (Exit, Option<io::Error>) {
        let (exit, reason) = match self.stopped {
            Some(exit) => (exit, exit.meaning().to_owned()),
            None => self.verdict.exit(),
        };
        let warning = self.verdict.warning().filter(|_| exit == Exit::Done);
        let ending = Ending { code: exit.code(), reason: &reason, warning, gate: self.verdict.gate() };
        let mut output = Output::default();
        self.printer.end(&ending, &self.own, &mut output);
        sink.write(output);
        // Whoever reads our output may never do so again.
        let written = tokio::select! {
            written = tokio::task::spawn_blocking(move || sink.finish()) => written.unwrap_or_else(|error| Err(error.into())),
            Some(_) = signals.recv() => return (Exit::Interrupted, None),
            () = tokio::time::sleep(HURRY), if self.hurried => return (exit, None),
        };
        match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => (Exit::OutputClosed, None),
            Err(error) => {
                let ours = matches!(exit, Exit::Done | Exit::OutputClosed);
                (if ours { Exit::Failed } else { exit }, Some(error))
            }
            Ok(()) => (exit, None),
        }
    }
}

#[cfg(test)]
mod tests;
