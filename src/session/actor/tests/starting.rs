use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::fakes::Stage;
use super::fakes::*;
use crate::config::Mask;
use crate::proto::*;
use crate::session::{Person, Pick, Refused, RefusedBy};

fn agent(prepares: bool) -> Wanted {
    Wanted { role: Some("developer:general"), prepares, ..Wanted::default() }
}

fn steps(stage: &Stage) -> Vec<(StartStep, StepState, String)> {
    let cells = stage.own.transcript.entries().iter().filter_map(|entry| match &entry.kind {
        EntryKind::StartUp { steps } => Some(steps),
        _ => None,
    });
    cells.flatten().map(|step| (step.step, step.state.clone(), step.detail.clone())).collect()
}

fn role(name: &str) -> crate::session::Role {
    FakeRoles::default().role(name)
}

#[tokio::test(start_paused = true)]
async fn messages_wait_while_an_agent_is_made_ready_and_go_out_then() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    let preparing = stage.preparing().await;
    assert_eq!(preparing.name, "developer:general");
    let step = preparing.telling.begin(StartStep::Deps, "org/tool");
    step.output("Fetching things".to_owned());
    stage.say("hello").await;
    stage.say("and this").await;
    stage.until("both wait", |own| own.queue.len() == 2).await;
    // The workbench answers meanwhile.
    stage.say("/info").await;
    stage
        .until("answered", |own| {
            own.transcript.entries().iter().any(|entry| matches!(&entry.kind, EntryKind::Command { .. }))
        })
        .await;
    assert!(stage.asked.try_recv().is_err(), "nothing is sent before");
    step.done("org/tool");
    preparing.over(Ok(role("developer:general")));
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: hello | and this"]);
    assert_eq!(asked.request.system, "You are developer:general.");
    asked.answer("done");
    stage.until_idle(1).await;
    assert_eq!(stage.own.session.role, "developer:general");
    let cells = stage.own.transcript.entries().iter().filter(|e| matches!(e.kind, EntryKind::StartUp { .. })).count();
    assert_eq!(cells, 1);
    let steps = steps(&stage);
    assert_eq!(steps[0], (StartStep::Deps, StepState::Done, "org/tool".to_owned()));
    assert_eq!(steps[1], (StartStep::Servers, StepState::Done, "1 ready, 2 tools".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_secret_is_asked_for_reaches_no_event_and_is_masked_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    let mask = Mask::default();
    let mut stage = Stage::open(dir.path(), Wanted { mask: mask.clone(), ..agent(true) });
    let preparing = stage.preparing().await;
    let telling = preparing.telling.clone();
    let kind = AskKind::Secret { key: "TOKEN".into(), wanted_by: "agent x".into(), kept_in: "./.env".into() };
    let answer = tokio::spawn(async move { telling.ask(kind).await });
    stage.until("the question", |own| own.asks.len() == 1).await;
    let ask = stage.own.asks[0].0.id;
    stage.command(Command::Answer { ask, answer: Answer::Text("s3cret-value".into()) }).await;
    assert_eq!(answer.await.unwrap(), Answer::Text("s3cret-value".into()));
    mask.add("TOKEN", "s3cret-value");
    preparing.telling.notice(Level::Info, "it is s3cret-value", None);
    preparing.over(Ok(role("developer:general")));
    stage.until("the role", |own| own.notes.iter().any(|note| note.text.contains("it is"))).await;
    stage.say("my s3cret-value").await;
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: my [TOKEN masked]"]);
    asked.answer("fine");
    stage.until_idle(1).await;
    let all = format!("{:?}", stage.seen);
    assert!(!all.contains("s3cret-value"), "{all}");
    let journal = std::fs::read_to_string(dir.path().join("sessions/play/journal.jsonl")).unwrap();
    assert!(!journal.contains("s3cret-value"));
}

#[tokio::test(start_paused = true)]
async fn esc_stops_the_script_and_the_session_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    let preparing = stage.preparing().await;
    let script = CancellationToken::new();
    preparing.telling.running(&script);
    stage.say("go").await;
    stage.until("it waits", |own| own.queue.len() == 1).await;
    stage.command(Command::Interrupt).await;
    tokio::time::timeout(Duration::from_secs(5), script.cancelled()).await.expect("it was stopped");
    preparing.telling.rested();
    preparing.telling.begin(StartStep::Deps, "").end(StepState::Cancelled, "cancelled");
    preparing.over(Ok(role("developer:general")));
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: go"]);
    asked.answer("went");
    stage.until_idle(1).await;
    assert_eq!(steps(&stage)[0].1, StepState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_cannot_be_had_costs_a_person_only_the_agent() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    stage.preparing().await.over(Err(no_agent("developer:general")));
    stage.say("hello").await;
    stage.asked().await.answer("hi");
    stage.until_idle(1).await;
    assert_eq!(stage.own.session.role, "assistant");
    assert!(stage.notices().iter().any(|text| text.contains("no tap has an agent developer:general")));

    stage.say("/role other:one").await;
    let preparing = stage.preparing().await;
    assert_eq!(preparing.name, "other:one");
    preparing.over(Err(no_agent("other:one")));
    stage.until("it stays", |own| own.notes.iter().any(|note| note.text.contains("The role stays assistant"))).await;
    assert_eq!(stage.own.session.role, "assistant");
}

#[tokio::test(start_paused = true)]
async fn changing_to_an_agent_stops_the_old_servers_and_a_second_wish_drops_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { prepares: true, ..Wanted::default() });
    stage.until("ready", |own| !own.servers.is_empty()).await;
    stage.say("/role one:a").await;
    let first = stage.preparing().await;
    stage.say("/role one:b").await;
    let second = stage.preparing().await;
    first.telling.notice(Level::Error, "too late", None);
    first.over(Ok(role("one:a")));
    second.over(Ok(role("one:b")));
    stage.until("the second", |own| own.session.role == "one:b" && steps_done(own)).await;
    assert!(!stage.notices().iter().any(|text| text == "too late"));
    assert!(!stage.seen.iter().any(|event| matches!(&event.body, Body::RoleChanged { role } if role == "one:a")));
    let gone = stage.seen.iter().filter(|event| matches!(&event.body, Body::ServerGone { .. })).count();
    assert_eq!(gone, 1);
    stage.until("settled", |own| own.servers.len() == 1).await;
    assert!(*stage.down.lock().unwrap() >= 1);
}

#[tokio::test(start_paused = true)]
async fn without_a_person_a_missing_value_ends_the_run_with_nothing_sent() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = Wanted { person: Person::Absent, pick: Pick::New { name: None }, ..agent(true) };
    let mut stage = Stage::open(dir.path(), wanted);
    stage.say("hello").await;
    let preparing = stage.preparing().await;
    let telling = preparing.telling.clone();
    let kind = AskKind::Secret { key: "K".into(), wanted_by: String::new(), kept_in: String::new() };
    assert_eq!(telling.ask(kind).await, Answer::No, "nobody is asked");
    let message = "{{ENV:K}} has no value".to_owned();
    preparing.over(Err(Refused { by: RefusedBy::MissingValue, message: message.clone(), hint: None }));
    stage.until("said", |own| own.notes.iter().any(|note| note.source == crate::session::MISSING_VALUE)).await;
    let end = stage.handle.done.await.unwrap();
    assert_eq!(end.failure, Some(message));
    assert!(stage.asked.try_recv().is_err());
    assert_eq!(std::fs::read_dir(dir.path().join("sessions")).unwrap().count(), 0, "nothing is left behind");
}

#[tokio::test(start_paused = true)]
async fn a_program_learns_of_a_missing_agent_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = Wanted { role: Some("developer:none"), person: Person::Absent, ..Wanted::default() };
    let stage = Stage::open(dir.path(), wanted);
    let end = stage.handle.done.await.unwrap();
    assert_eq!(end.failure.as_deref(), Some("no tap has an agent developer:none"));
    assert!(!dir.path().join("sessions").exists());
}

#[tokio::test(start_paused = true)]
async fn leaving_and_new_sessions_take_a_start_along() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    let first = stage.preparing().await;
    stage.say("/new").await;
    let again = stage.preparing().await;
    assert_eq!(again.name, "developer:general");
    drop(first);
    again.over(Ok(role("developer:general")));
    stage.until("the servers", steps_done).await;
    stage.quit().await;

    let mut stage = Stage::open(dir.path(), agent(true));
    let preparing = stage.preparing().await;
    stage.quit().await;
    // Nobody waits for it any more.
    assert_eq!(preparing.telling.ask(AskKind::RetryCutStream { shown_chars: 0 }).await, Answer::No);
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_goes_on_without_the_value_that_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let mask = Mask::default();
    let mut stage = Stage::open(dir.path(), Wanted { mask: mask.clone(), ..agent(true) });
    let preparing = stage.preparing().await;
    let telling = preparing.telling.clone();
    let kind = AskKind::Secret { key: "TOKEN".into(), wanted_by: "agent x".into(), kept_in: "./.env".into() };
    let answer = tokio::spawn(async move { telling.ask(kind).await });
    stage.until("the question", |own| own.asks.len() == 1).await;
    stage.command(Command::Interrupt).await;
    assert_eq!(answer.await.unwrap(), Answer::No);
    stage.until("no question", |own| own.asks.is_empty()).await;
    preparing.over(Ok(role("developer:general")));
    stage.until("the servers", steps_done).await;
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_replaced_ends_as_cancelled_and_stands_below_its_command() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    let first = stage.preparing().await;
    let step = first.telling.begin(StartStep::Placeholders, "waiting for TOKEN");
    stage
        .until("it waits", |own| own.transcript.entries().iter().any(|e| matches!(e.kind, EntryKind::StartUp { .. })))
        .await;
    stage.say("/role one:b").await;
    let second = stage.preparing().await;
    let tag = second.telling.begin(StartStep::Tag, "one:b");
    tag.done("one:b");
    second.over(Ok(role("one:b")));
    stage.until("the second", |own| own.session.role == "one:b" && steps_done(own)).await;
    let text = "developer:general is not wanted any more".to_owned();
    assert_eq!(steps(&stage)[0], (StartStep::Placeholders, StepState::Cancelled, text));
    let kinds = stage.own.transcript.entries().iter().filter_map(|entry| match &entry.kind {
        EntryKind::StartUp { .. } => Some("start"),
        EntryKind::Command { .. } => Some("command"),
        _ => None,
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["start", "command", "start"]);
    drop(step);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_comes_from_another_tap_than_before_is_said_when_taken_up() {
    let dir = tempfile::tempdir().unwrap();
    let resolved = |tap: &str| Decision::RoleResolved {
        asked: "developer:general".into(),
        role: "developer:general".into(),
        tap: tap.into(),
        file: String::new(),
        tried: Vec::new(),
    };
    for (turn, tap, said) in [(1, "ann/kit", false), (2, "ann/kit", false), (3, "octomind/starter", true)] {
        let mut stage = Stage::open(dir.path(), agent(true));
        let preparing = stage.preparing().await;
        preparing.telling.decided(resolved(tap));
        preparing.over(Ok(role("developer:general")));
        stage.until("the servers", steps_done).await;
        stage.say("hello").await;
        stage.asked().await.answer("hi");
        stage.until_idle(turn).await;
        let text = "developer:general comes from octomind/starter now; before, it came from ann/kit.";
        assert_eq!(stage.notices().iter().any(|notice| notice == text), said, "{tap}");
        stage.quit().await;
    }
}

fn steps_done(own: &Snapshot) -> bool {
    own.transcript.entries().iter().any(|entry| match &entry.kind {
        EntryKind::StartUp { steps } => steps.iter().any(|step| step.state == StepState::Done),
        _ => false,
    })
}

#[tokio::test(start_paused = true)]
async fn what_is_worth_knowing_of_roles_is_said_once_and_trouble_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), agent(true));
    let noted = |name: &str| {
        let notices = vec![(Level::Info, "Not part of it yet.".to_owned()), (Level::Warning, "It is bad.".to_owned())];
        crate::session::Role { notices, welcome: "Hello from here.".to_owned(), ..role(name) }
    };
    stage.preparing().await.over(Ok(noted("developer:general")));
    stage.until("the first", |own| own.notes.iter().any(|note| note.text == "It is bad.")).await;
    stage.say("/role data:chief").await;
    stage.preparing().await.over(Ok(noted("data:chief")));
    let now = |own: &Snapshot| own.notes.iter().any(|note| note.text == "The role is now data:chief.");
    stage.until("the second", now).await;
    let said = |words: &str| stage.lines().iter().filter(|line| **line == format!("notice: {words}")).count();
    assert_eq!((said("Not part of it yet."), said("It is bad.")), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_does_not_wait_for_a_name_to_be_looked_up() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = Wanted { role: Some("developer:slow"), person: Person::Absent, ..Wanted::default() };
    let stage = Stage::open(dir.path(), wanted);
    stage.say("hello").await;
    stage.handle.port.commands.send(Command::Quit).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), stage.handle.done).await;
    assert_eq!(ended.expect("it ends at once").unwrap().failure, None);
}
