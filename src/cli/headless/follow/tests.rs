use std::io::Write;
use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::Sender;

use super::*;
use crate::cli::args::Format;
use crate::port::{Hub, MAX_WAITING};
use crate::proto::{
    Ask, AskId, AskKind, Child, ChildState, Content, Decision, GateOutcome, GateThen, GateVerdict, Level, Origin,
    RequestId, Seq, StopReason, TapEvent, TurnId, TurnOutcome,
};

/// A session that is played by the test.
struct Played {
    hub: Hub,
    commands: tokio::sync::mpsc::Receiver<Command>,
    seq: u64,
}

impl Played {
    fn new() -> Self {
        let (hub, commands) = Hub::new(Snapshot::default());
        Self { hub, commands, seq: 0 }
    }

    fn say(&mut self, slot: Option<u32>, body: Body) {
        self.seq += 1;
        let order = slot.map(|slot| Order { turn: 1, round: 1, slot });
        self.hub.publish(Event { seq: Seq(self.seq), at: self.seq, order, body });
    }

    /// A session with an answered turn is taken up.
    fn take_up(&mut self, read_only: Option<String>) {
        let mut past = Snapshot::default();
        let kept = std::mem::replace(&mut self.hub, Hub::new(Snapshot::default()).0);
        self.begin();
        self.answer("Of the past.");
        self.end(TurnOutcome::Done);
        past.clone_from(&self.hub.snapshot());
        self.hub = kept;
        self.hub.replace(past);
        self.answer("Broken off.");
        self.say(None, Body::SessionResumed { events: 1, skipped: 0, read_only, version: String::new() });
    }

    fn begin(&mut self) {
        self.say(None, Body::TurnStarted { turn: TurnId(1) });
        let content = Content::Text("hi".to_owned());
        self.say(Some(0), Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
    }

    fn answer(&mut self, text: &str) {
        self.say(
            Some(1),
            Body::AssistantMessage {
                request: RequestId(1),
                text: text.to_owned(),
                reasoning: Vec::new(),
                reasoning_ms: 0,
                calls: Vec::new(),
                stop: StopReason::End,
                scripted: false,
                model: String::new(),
            },
        );
    }

    fn end(&mut self, outcome: TurnOutcome) {
        self.say(None, Body::TurnEnded { turn: TurnId(1), outcome, elapsed_ms: 1 });
    }

    async fn expect(&mut self, wanted: &Command) {
        let command = tokio::time::timeout(Duration::from_secs(5), self.commands.recv()).await;
        assert_eq!(command.expect("a command in time").as_ref(), Some(wanted));
    }

    async fn expect_submit(&mut self, text: &str) {
        self.expect(&Command::Submit { text: text.to_owned(), attachments: Vec::new(), mode: SubmitMode::Queue }).await;
    }
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A run over the played session, its signals, and its standard error.
fn run<Out: Write + Send + 'static>(
    played: &Played,
    message: &str,
    out: Out,
) -> (impl Future<Output = (Exit, Option<io::Error>)> + use<Out>, Sender<Signals>, Shared) {
    let err = Shared::default();
    let sink = Sink::new(out, err.clone()).unwrap();
    let (sender, signals) = channel(4);
    let port = played.hub.connect();
    let message = message.to_owned();
    (follow(port, message, Printer::new(Format::Plain, false), sink, signals), sender, err)
}

#[tokio::test]
async fn the_answer_is_written_and_the_session_told_to_leave() {
    let mut played = Played::new();
    let out = Shared::default();
    let (run, _signals, _) = run(&played, "hi\n", out.clone());
    let session = async move {
        played.expect_submit("hi\n").await;
        played.begin();
        played.say(Some(1), Body::TextDelta { request: RequestId(1), offset: 0, text: "Hel".to_owned() });
        played.answer("Hello");
        played.end(TurnOutcome::Done);
        played.expect(&Command::Quit).await;
    };
    let ((exit, error), ()) = tokio::join!(run, session);
    assert_eq!((exit, error.is_none(), out.text().as_str()), (Exit::Done, true, "Hello\n"));
}

#[tokio::test]
async fn an_interrupt_stops_the_turn_and_leaves() {
    for (signal, exit) in [(Signals::Interrupt, Exit::Interrupted), (Signals::Terminate, Exit::Terminated)] {
        let mut played = Played::new();
        let (run, signals, _) = run(&played, "hi", Shared::default());
        let session = async move {
            played.expect_submit("hi").await;
            played.begin();
            signals.send(signal).await.unwrap();
            played.expect(&Command::Interrupt).await;
            played.expect(&Command::Quit).await;
            played.end(TurnOutcome::Interrupted);
        };
        let (ended, ()) = tokio::join!(run, session);
        assert_eq!(ended.0, exit);
    }
}

#[tokio::test]
async fn a_second_interrupt_does_not_wait_for_a_session_that_hangs() {
    let played = Played::new();
    let (run, signals, _) = run(&played, "hi", Shared::default());
    for _ in 0..2 {
        signals.send(Signals::Interrupt).await.unwrap();
    }
    let ended = tokio::time::timeout(Duration::from_secs(5), run).await.expect("it ends");
    assert_eq!(ended.0, Exit::Interrupted);
    drop(played);
}

#[tokio::test]
async fn a_closed_output_ends_quietly_and_a_full_disk_does_not() {
    for (kind, exit, told) in
        [(io::ErrorKind::BrokenPipe, Exit::OutputClosed, false), (io::ErrorKind::StorageFull, Exit::Failed, true)]
    {
        let mut played = Played::new();
        let (run, _signals, err) = run(&played, "hi", Broken(kind));
        let session = async move {
            played.expect_submit("hi").await;
            played.begin();
            played.answer("Hello");
            played.expect(&Command::Interrupt).await;
            played.expect(&Command::Quit).await;
        };
        let ((ended, error), ()) = tokio::join!(run, session);
        assert_eq!((ended, error.is_some()), (exit, told), "{kind:?}");
        assert_eq!(err.text(), "");
    }
}

#[tokio::test]
async fn a_question_that_slips_through_is_declined() {
    let mut played = Played::new();
    let (run, _signals, _) = run(&played, "hi", Shared::default());
    let session = async move {
        played.expect_submit("hi").await;
        played.begin();
        let kind = AskKind::Spending { spent: "1".to_owned(), limit: "1".to_owned() };
        played.say(Some(2), Body::Asked(Ask { id: AskId(4), kind }));
        played.expect(&Command::Answer { ask: AskId(4), answer: Answer::No }).await;
        played.end(TurnOutcome::Stopped("$1 spent".to_owned()));
        played.expect(&Command::Quit).await;
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!(ended.0, Exit::Denied);
}

#[tokio::test]
async fn falling_behind_loses_no_answer() {
    let mut played = Played::new();
    let out = Shared::default();
    let (run, _signals, err) = run(&played, "hi", out.clone());
    let session = async move {
        played.expect_submit("hi").await;
        played.begin();
        // Nothing is awaited in here, so the reader cannot keep up.
        for _ in 0..=MAX_WAITING {
            let text = "tick".to_owned();
            played.say(None, Body::Notice { level: Level::Info, source: "x".to_owned(), text, hint: None });
        }
        played.answer("Hello");
        played.end(TurnOutcome::Done);
        played.expect(&Command::Quit).await;
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!((ended.0, out.text().as_str()), (Exit::Done, "Hello\n"));
    assert!(err.text().contains("not delivered one by one"), "{}", err.text());
}

#[tokio::test]
async fn falling_behind_loses_no_verdict() {
    let mut played = Played::new();
    let (run, _signals, err) = run(&played, "hi", Shared::default());
    let session = async move {
        played.expect_submit("hi").await;
        played.begin();
        played.answer("Hello");
        played.say(None, Body::Decided(given_up()));
        for _ in 0..=MAX_WAITING {
            let text = "tick".to_owned();
            played.say(None, Body::Notice { level: Level::Info, source: "x".to_owned(), text, hint: None });
        }
        played.end(TurnOutcome::Done);
        played.expect(&Command::Quit).await;
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!(ended.0, Exit::Gaps, "{}", err.text());
}

fn given_up() -> Decision {
    Decision::Gate(Arc::new(GateVerdict {
        attempt: 3,
        of: 3,
        claim: None,
        outcome: GateOutcome::Gaps,
        why: String::new(),
        mutations: Vec::new(),
        checks: Vec::new(),
        prohibitions: Vec::new(),
        evidence: Vec::new(),
        gaps: Vec::new(),
        then: GateThen::Ended { why: "no runs are left".to_owned() },
        requests: Vec::new(),
        model: String::new(),
        elapsed_ms: 1,
    }))
}

/// The message, its answer and its end in the second turn, each an event of its own.
fn second_turn(played: &mut Played, notes: usize) {
    played.say(None, Body::TurnStarted { turn: TurnId(2) });
    for _ in 0..notes {
        let text = "tick".to_owned();
        played.say(None, Body::Notice { level: Level::Info, source: "x".to_owned(), text, hint: None });
    }
    played.seq += 1;
    let order = Some(Order { turn: 2, round: 1, slot: 1 });
    let body = Body::AssistantMessage {
        request: RequestId(2),
        text: "Hello".to_owned(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: String::new(),
    };
    played.hub.publish(Event { seq: Seq(played.seq), at: played.seq, order, body });
    played.say(None, Body::TurnEnded { turn: TurnId(2), outcome: TurnOutcome::Done, elapsed_ms: 1 });
}

#[tokio::test]
async fn a_session_that_is_taken_up_says_only_what_is_new() {
    for format in [Format::Plain, Format::Jsonl] {
        for notes in [0, MAX_WAITING + 1] {
            let mut played = Played::new();
            let out = Shared::default();
            let sink = Sink::new(out.clone(), Shared::default()).unwrap();
            let (_signals, receiver) = channel(4);
            let run = follow(played.hub.connect(), "hi".to_owned(), Printer::new(format, false), sink, receiver);
            let session = async move {
                played.expect_submit("hi").await;
                played.take_up(None);
                second_turn(&mut played, notes);
                played.expect(&Command::Quit).await;
            };
            let (ended, ()) = tokio::join!(run, session);
            assert_eq!(ended.0, Exit::Done);
            let out = out.text();
            assert!(out.contains("Hello") && !out.contains("Of the past") && !out.contains("Broken off"), "{out}");
        }
    }
}

#[tokio::test]
async fn turns_of_the_past_are_not_taken_for_ours_when_another_writes_the_session() {
    for notes in [0, MAX_WAITING + 1] {
        let mut played = Played::new();
        let out = Shared::default();
        let (run, _signals, err) = run(&played, "hi", out.clone());
        let session = async move {
            played.expect_submit("hi").await;
            played.take_up(Some("process 7".to_owned()));
            for _ in 0..notes {
                let text = "tick".to_owned();
                played.say(None, Body::Notice { level: Level::Info, source: "x".to_owned(), text, hint: None });
            }
            played.expect(&Command::Quit).await;
        };
        let (ended, ()) = tokio::join!(run, session);
        assert_eq!((ended.0, out.text().as_str()), (Exit::Failed, ""), "{}", err.text());
        assert!(err.text().contains("process 7"), "{}", err.text());
    }
}

#[tokio::test]
async fn a_slash_command_is_no_turn() {
    let mut played = Played::new();
    let out = Shared::default();
    let (run, _signals, _) = run(&played, "/info\n", out.clone());
    let session = async move {
        played.expect_submit("/info").await;
        played.expect(&Command::Quit).await;
        played.say(Some(1), Body::CommandOutput { line: "/info".to_owned(), output: "all well".to_owned() });
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!((ended.0, out.text().as_str()), (Exit::Done, "all well\n"));
}

#[tokio::test]
async fn a_session_that_goes_away_is_a_failure() {
    let mut played = Played::new();
    let (run, _signals, err) = run(&played, "hi", Shared::default());
    let session = async move {
        played.expect_submit("hi").await;
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!(ended.0, Exit::Failed);
    assert!(err.text().contains("ended before the turn did"), "{}", err.text());
}

#[tokio::test]
async fn a_session_that_is_open_elsewhere_is_left_at_once() {
    let mut played = Played::new();
    let (run, _signals, _) = run(&played, "hi", Shared::default());
    let session = async move {
        let read_only = Some("process 7".to_owned());
        played.say(None, Body::SessionResumed { events: 1, skipped: 0, read_only, version: String::new() });
        played.expect_submit("hi").await;
        played.expect(&Command::Quit).await;
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!(ended.0, Exit::Failed);
}

#[tokio::test]
async fn an_output_that_nobody_reads_can_be_left() {
    struct Stuck(std::sync::mpsc::Receiver<()>);
    impl Write for Stuck {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (release, stuck) = std::sync::mpsc::channel();
    let mut played = Played::new();
    let (run, signals, _) = run(&played, "hi", Stuck(stuck));
    let session = async move {
        played.expect_submit("hi").await;
        played.begin();
        played.answer("Hello");
        played.end(TurnOutcome::Done);
        played.expect(&Command::Quit).await;
        drop(played);
        // One may still be taken by the loop that reads events.
        for _ in 0..2 {
            let _ = signals.send(Signals::Interrupt).await;
        }
    };
    let (ended, ()) = tokio::join!(run, session);
    assert_eq!(ended.0, Exit::Interrupted);
    drop(release);
}

/// How somebody stands who was handed work; `result` is what the agent was not told of yet.
fn handed(state: ChildState, result: Option<&str>) -> Body {
    let child = Child {
        id: "tap-a-b-000001".to_owned(),
        role: "a:b".to_owned(),
        title: String::new(),
        workdir: String::new(),
        task: String::new(),
        state,
        begun: 1,
        turn: TurnId(1),
        ended: 0,
        turns: 1,
        requests: 1,
        usage: crate::proto::Usage::default(),
        last: String::new(),
        result: result.map(str::to_owned),
    };
    Body::Tap(TapEvent::Child(Arc::new(child)))
}

#[tokio::test]
async fn a_run_waits_for_what_was_handed_on() {
    let done = || ChildState::Done { verdict: None };
    let stopped = || ChildState::Stopped { why: "enough".to_owned() };
    // Told in a turn of its own, or stopped by the agent itself, of which no turn comes.
    for told in [true, false] {
        let mut played = Played::new();
        let sink = Sink::new(Shared::default(), Shared::default()).unwrap();
        let (_signals, receiver) = channel(4);
        let printer = Printer::new(Format::Plain, false);
        let run = follow(played.hub.connect(), "hi".to_owned(), printer, sink, receiver);
        let play = async {
            played.expect_submit("hi").await;
            played.begin();
            played.say(None, handed(ChildState::Running, None));
            played.end(TurnOutcome::Done);
            // Whatever is to be done about that end would be done before what comes now.
            played.say(Some(5), Body::Notice { level: Level::Info, source: "x".into(), text: "x".into(), hint: None });
            tokio::task::yield_now().await;
            assert!(played.commands.try_recv().is_err(), "it goes on");
            if told {
                played.say(None, handed(done(), Some("it is done")));
                played.say(None, Body::TurnStarted { turn: TurnId(2) });
                played.say(None, handed(done(), None));
                played.say(None, Body::TurnEnded { turn: TurnId(2), outcome: TurnOutcome::Done, elapsed_ms: 1 });
            } else {
                played.say(None, handed(stopped(), None));
            }
            played.expect(&Command::Quit).await;
            drop(played);
        };
        let ((exit, _), ()) = tokio::join!(run, play);
        assert_eq!(exit, Exit::Done);
    }
}
