use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::ask::{self, Reply};
use super::panes;
use super::tell::Teller;
use super::typed::{self, Unseen};
use crate::port::{Delivery, Port};
use crate::proto::{AskId, Command, Share, ShellCommand, Snapshot, SubmitMode, TurnOutcome};
use crate::text::{self, human};
use crate::ui::term::{Signal, Signals};
use crate::ui::{Exit, Options, Reason};

/// Within this a second ctrl-c leaves.
const TWICE: Duration = Duration::from_secs(2);

/// How long a session that is behind may take to accept a command.
const ACCEPTED_WITHIN: Duration = Duration::from_secs(1);

/// Nothing is said for so long before the prompt is written.
const QUIET: Duration = Duration::from_millis(150);

const PROMPT: &str = "you: ";
const MORE: &str = "more: ";

/// Follows the session in plain lines until the person leaves it.
///
/// # Errors
/// Standard output cannot be written, or no thread can be started.
pub async fn run(mut port: Port, options: Options) -> io::Result<Exit> {
    let signals = Signals::new()?;
    let lines = typed::lines()?;
    let snapshot = (**port.snapshot.borrow()).clone();
    let mut reader = Reader::new(snapshot, options.draft.clone());
    reader.say("octomind in plain lines, one after the other. /help tells what can be typed.\n")?;
    options.painted.notify_one();
    let reason = reader.follow(&mut port, lines, signals).await?;
    reader.see(true);
    if reason != Reason::SessionOver {
        let _ = tokio::time::timeout(ACCEPTED_WITHIN, port.commands.send(Command::Quit)).await;
    }
    reader.end_line()?;
    let session = reader.snapshot.session.name.clone();
    let worth_resuming = reader.snapshot.turn.0 > 0;
    Ok(Exit { reason, next: None, session, worth_resuming, panics: Vec::new() })
}

struct Reader {
    snapshot: Snapshot,
    teller: Teller,
    /// Questions that were read out, and those left open.
    asked: Vec<AskId>,
    later: Vec<AskId>,
    /// Lines of a message that goes on.
    begun: String,
    /// The prompt stands at the end of what was written.
    prompted: bool,
    /// When it is written, unless something else is said before.
    prompt_at: Option<Instant>,
    busy: bool,
    armed: Option<Instant>,
    unseen: Option<Unseen>,
    /// What is typed for the person at first; it has to be sent by hand here too.
    draft: String,
}

impl Reader {
    fn new(snapshot: Snapshot, draft: String) -> Self {
        let mut teller = Teller::default();
        teller.skip(&snapshot);
        Self {
            snapshot,
            teller,
            asked: Vec::new(),
            later: Vec::new(),
            begun: String::new(),
            prompted: false,
            prompt_at: None,
            busy: false,
            armed: None,
            unseen: None,
            draft,
        }
    }

    async fn follow(
        &mut self,
        port: &mut Port,
        mut lines: mpsc::UnboundedReceiver<String>,
        mut signals: Signals,
    ) -> io::Result<Reason> {
        self.news()?;
        loop {
            tokio::select! {
                biased;
                signal = signals.next() => match signal {
                    Signal::Interrupt => if self.interrupt(port).await? { return Ok(Reason::Quit) },
                    Signal::Terminate => return Ok(Reason::Terminated),
                    Signal::Hangup => return Ok(Reason::Hangup),
                    Signal::Resize | Signal::Continue => {}
                },
                typed = lines.recv() => match typed {
                    Some(line) => self.typed(port, line).await?,
                    None => return Ok(Reason::Quit),
                },
                () = until(self.prompt_at) => self.write_prompt()?,
                delivery = port.events.next() => match delivery {
                    Some(delivery) => self.deliver(port, delivery)?,
                    None => {
                        self.say("The session is over.\n")?;
                        return Ok(Reason::SessionOver);
                    }
                },
            }
        }
    }

    fn deliver(&mut self, port: &mut Port, first: Delivery) -> io::Result<()> {
        let mut next = Some(first);
        let mut taken = 0;
        while let Some(delivery) = next {
            match delivery {
                Delivery::Event(event) => self.snapshot.apply(&event),
                Delivery::Resync { .. } => self.snapshot = (**port.snapshot.borrow()).clone(),
                Delivery::Replaced(snapshot) => self.snapshot = (*snapshot).clone(),
            }
            taken += 1;
            next = if taken < 256 { port.events.try_next() } else { None };
        }
        self.news()
    }

    /// Says what came, and asks for the next line where one is waited for.
    fn news(&mut self) -> io::Result<()> {
        if self.teller.is_new(&self.snapshot) {
            self.greet()?;
        }
        let words = self.teller.tell(&self.snapshot);
        self.say(&words)?;
        self.questions()?;
        let busy = self.snapshot.run.busy();
        if std::mem::replace(&mut self.busy, busy) && !busy {
            let words = self.turn_over();
            self.say(&words)?;
        }
        self.prompt();
        Ok(())
    }

    /// Which session this is. What was said in it before is there to be read.
    fn greet(&mut self) -> io::Result<()> {
        let session = &self.snapshot.session;
        let name = text::sanitize_line(&session.name).into_owned();
        let mut words = format!("Session {name}");
        for (what, value) in [("role", &session.role), ("model", &session.model.name)] {
            if !value.is_empty() {
                words.push_str(&format!(", {what} {}", text::sanitize_line(value)));
            }
        }
        words.push_str(".\n");
        if let Some(holder) = &session.read_only {
            words.push_str(&format!("It can only be read: {}.\n", text::sanitize_line(holder)));
        }
        if self.snapshot.turn.0 > 0 {
            let entries = self.snapshot.transcript.len();
            words.push_str(&format!(
                "It is taken up again after turn {}. /read {} tells what was said.\n",
                self.snapshot.turn.0,
                entries.min(10)
            ));
            self.teller.skip(&self.snapshot);
        } else {
            self.teller = Teller::default();
            self.teller.name(&self.snapshot);
        }
        let draft = std::mem::take(&mut self.draft);
        if !draft.is_empty() {
            words.push_str(&format!("Not sent yet, to be typed again: {}\n", text::sanitize(&draft)));
        }
        self.say(&words)
    }

    fn turn_over(&self) -> String {
        let totals = panes::totals(&self.snapshot);
        match &self.snapshot.totals.last_turn {
            Some((TurnOutcome::Done, elapsed)) => {
                format!("The turn is done after {}, {totals}.\n", human::duration_ms(*elapsed))
            }
            Some((TurnOutcome::Interrupted, _)) => "The turn was stopped.\n".to_owned(),
            Some((TurnOutcome::Failed(why) | TurnOutcome::Stopped(why), _)) => {
                format!("The turn ended early: {}\n", text::sanitize_line(why))
            }
            None => String::new(),
        }
    }

    fn questions(&mut self) -> io::Result<()> {
        let open: Vec<AskId> = self.snapshot.asks.iter().map(|(ask, _)| ask.id).collect();
        self.asked.retain(|id| open.contains(id));
        self.later.retain(|id| open.contains(id));
        // One at a time, so that it is clear what a line answers.
        if let Some((id, kind)) = self.current() {
            if !self.asked.contains(&id) {
                let words = ask::question(&kind);
                self.asked.push(id);
                self.say(&words)?;
            }
            self.see(!ask::is_secret(&kind));
        } else {
            self.see(true);
        }
        Ok(())
    }

    /// The question that the next line answers.
    fn current(&self) -> Option<(AskId, crate::proto::AskKind)> {
        let open = self.snapshot.asks.iter().map(|(ask, _)| ask).find(|ask| !self.later.contains(&ask.id))?;
        Some((open.id, open.kind.clone()))
    }

    /// Whether what is typed is seen.
    fn see(&mut self, seen: bool) {
        match (seen, &self.unseen) {
            (true, Some(_)) => self.unseen = None,
            (false, None) => self.unseen = Unseen::begin(),
            _ => {}
        }
    }

    async fn typed(&mut self, port: &Port, line: String) -> io::Result<()> {
        // The terminal echoed the line and its end.
        self.prompted = false;
        self.armed = None;
        if let Some((id, kind)) = self.current() {
            match ask::reply(&kind, &line) {
                Reply::Answer(answer) => {
                    self.see(true);
                    self.send(port, Command::Answer { ask: id, answer }).await?;
                }
                Reply::Show => self.say(&ask::details(&kind))?,
                Reply::Later => {
                    self.later.push(id);
                    self.say("The question stays open; /ask tells it again.\n")?;
                    self.questions()?;
                }
                Reply::Unclear if line.trim().starts_with('/') => self.command(port, &line).await?,
                Reply::Unclear => self.say(&format!("That is no answer. {}", ask::question(&kind)))?,
            }
            self.prompt();
            return Ok(());
        }
        if let Some(more) = line.strip_suffix('\\') {
            self.begun.push_str(more);
            self.begun.push('\n');
            return self.write_prompt();
        }
        let whole = std::mem::take(&mut self.begun) + &line;
        if !whole.trim().is_empty() {
            self.command(port, &whole).await?;
        }
        self.prompt();
        Ok(())
    }

    /// A message, or one of the commands.
    async fn command(&mut self, port: &Port, typed: &str) -> io::Result<()> {
        if let Some(words) = panes::answer(&self.snapshot, typed) {
            return self.say(&words);
        }
        match typed.trim() {
            "/stop" => return self.send(port, Command::Interrupt).await,
            "/retry" => return self.send(port, Command::RetryNow).await,
            "/ask" => {
                self.later.clear();
                self.asked.clear();
                if self.snapshot.asks.is_empty() {
                    self.say("No question is open.\n")?;
                }
                return self.questions();
            }
            "/help" => self.say(panes::HELP)?,
            _ => {}
        }
        if let Some(command) = typed.trim_start().strip_prefix('!') {
            let (command, share) = match command.strip_prefix('!') {
                Some(own) => (own, Share::Person),
                None => (command, Share::Model),
            };
            let command = command.trim().to_owned();
            return self.send(port, Command::Shell(ShellCommand::Run { command, share })).await;
        }
        if self.busy {
            self.say("It lands at the next step of the running turn.\n")?;
        }
        let text = typed.to_owned();
        self.send(port, Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Steer }).await
    }

    async fn send(&mut self, port: &Port, command: Command) -> io::Result<()> {
        match tokio::time::timeout(ACCEPTED_WITHIN, port.commands.send(command)).await {
            Ok(Ok(())) => Ok(()),
            _ => self.say("The session could not take that now; try again.\n"),
        }
    }

    /// True when it was the second one and nothing runs.
    async fn interrupt(&mut self, port: &Port) -> io::Result<bool> {
        self.begun.clear();
        // The terminal showed ^C in the middle of a line.
        self.prompted = true;
        if self.armed.take().is_some_and(|at| at.elapsed() < TWICE) {
            return Ok(true);
        }
        if self.snapshot.shell.is_some() {
            self.say("Stopping the command.\n")?;
            self.send(port, Command::Shell(ShellCommand::Stop)).await?;
        } else if self.snapshot.run.busy() {
            self.say("Stopping the turn.\n")?;
            self.send(port, Command::Interrupt).await?;
        } else {
            self.say("Press ctrl-c again to leave.\n")?;
        }
        self.armed = Some(Instant::now());
        self.prompt();
        Ok(false)
    }

    /// Ends a prompt that nobody typed at.
    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.prompted) { write("\n") } else { Ok(()) }
    }

    fn say(&mut self, words: &str) -> io::Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        self.end_line()?;
        write(words)
    }

    /// Has the prompt written after a moment in which nothing is said: it would stand alone in its line.
    fn prompt(&mut self) {
        if !self.prompted {
            self.prompt_at = Some(Instant::now() + QUIET);
        }
    }

    fn write_prompt(&mut self) -> io::Result<()> {
        self.prompt_at = None;
        let waits = !self.snapshot.run.busy() || self.current().is_some();
        if waits && !self.prompted && !self.teller.in_line() {
            write(if self.begun.is_empty() { PROMPT } else { MORE })?;
            self.prompted = true;
        }
        Ok(())
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Nothing but text, tabs and ends of lines leaves here, whoever wrote it.
fn write(words: &str) -> io::Result<()> {
    let plain: String = words.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
    let mut out = io::stdout().lock();
    out.write_all(plain.as_bytes())?;
    out.flush()
}
