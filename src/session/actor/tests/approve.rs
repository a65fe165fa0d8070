//! Calls that wait for the person.

use std::path::Path;

use serde_json::{Value, json};

use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;
use crate::session::{Approval as Configured, Person, Pick};

fn wanted(mode: ApprovalMode) -> Wanted {
    Wanted {
        approval: Configured { mode, origin: "config.toml:9".into() },
        tools: vec![
            bundled("view", true),
            bundled("edit", false),
            bundled("write", false),
            bundled("shell", false),
            tool("alpha"),
        ],
        ..Wanted::default()
    }
}

fn writes() -> Wanted {
    wanted(ApprovalMode::Writes)
}

/// The model makes these calls.
async fn calls(stage: &mut Stage, calls: &[(&str, Value)]) {
    let asked = stage.asked().await;
    for (index, (name, arguments)) in calls.iter().enumerate() {
        asked.call(&format!("p{index}"), name, arguments.clone());
    }
    asked.stop(StopReason::ToolCalls);
}

fn shell(command: &str) -> (&'static str, Value) {
    ("shell", json!({ "command": command }))
}

/// The open question about a call.
async fn question(stage: &mut Stage) -> (AskId, std::sync::Arc<ApprovalRequest>) {
    stage.until("the question", Snapshot::awaits_approval).await;
    match &stage.own.asks[0].0 {
        Ask { id, kind: AskKind::Approval(request) } => (*id, std::sync::Arc::clone(request)),
        other => panic!("{other:?}"),
    }
}

async fn answer(stage: &mut Stage, answer: Answer) {
    let (ask, _) = question(stage).await;
    stage.command(Command::Answer { ask, answer }).await;
    stage.until("the answer", |own| own.asks.iter().all(|(open, _)| open.id != ask)).await;
}

/// The turn ends; gives what the model was told last.
async fn over(stage: &mut Stage) -> String {
    let asked = stage.asked().await;
    asked.answer("Over.");
    let turn = stage.own.turn.0.max(1);
    stage.until_idle(turn).await;
    said(&asked.request).join("\n")
}

fn decided(stage: &Stage) -> Vec<(String, ApprovalOutcome)> {
    stage.own.approval.recent.iter().map(|(_, one)| (one.about.clone(), one.outcome)).collect()
}

fn runs_nothing(stage: &mut Stage) {
    assert!(stage.calls.try_recv().is_err(), "nothing may run before its answer");
}

#[tokio::test(start_paused = true)]
async fn once_lets_this_call_run_and_asks_again_for_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    for round in 0..2 {
        calls(&mut stage, &[shell("ls && cargo publish")]).await;
        let (_, request) = question(&mut stage).await;
        assert!(matches!(stage.own.run, RunState::Approving { .. }), "{:?}", stage.own.run);
        runs_nothing(&mut stage);
        assert!(!stage.lines().iter().any(|line| line.starts_with("shell: runs")), "what is shown as running runs");
        assert_eq!(request.parts.len(), 2);
        assert_eq!(request.remembers, ["`cargo publish` with any arguments"]);
        answer(&mut stage, Answer::Yes).await;
        let call = stage.called().await;
        assert_eq!(call.arguments, json!({ "command": "ls && cargo publish" }), "round {round}");
        call.ok("done");
    }
    over(&mut stage).await;
    assert_eq!(decided(&stage), vec![("ls && cargo publish".to_owned(), ApprovalOutcome::Once); 2]);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn session_covers_its_like_and_can_be_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("cargo test a")]).await;
    answer(&mut stage, Answer::Session).await;
    stage.called().await.ok("done");
    calls(&mut stage, &[shell("cargo test b"), shell("ls")]).await;
    stage.called().await.ok("done");
    stage.called().await.ok("done");
    stage.until("it is remembered", |own| own.approval.standing.rules.len() == 1).await;
    let id = stage.own.approval.standing.rules[0].id;
    stage.say(&format!("/approvals forget {id}")).await;
    stage.until("it is taken back", |own| own.approval.standing.rules.is_empty()).await;
    calls(&mut stage, &[shell("cargo test c")]).await;
    answer(&mut stage, Answer::No).await;
    over(&mut stage).await;
    let outcomes: Vec<ApprovalOutcome> = decided(&stage).into_iter().map(|(_, outcome)| outcome).collect();
    use ApprovalOutcome::{ByRule, Free, Refused, Session};
    assert_eq!(outcomes, [Session, ByRule, Free, Refused]);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn never_tells_the_model_and_is_not_asked_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("git push origin")]).await;
    answer(&mut stage, Answer::Never).await;
    // Another way of writing it, and with approval switched off.
    stage.say("/approvals off").await;
    stage.until("it is off", |own| own.approval.standing.mode == ApprovalMode::Off).await;
    calls(&mut stage, &[shell("cd x && git push --force")]).await;
    let told = over(&mut stage).await;
    assert!(told.contains("the person refuses `git push` with any arguments for this session"), "{told}");
    assert!(told.contains("It is not asked again"), "{told}");
    runs_nothing(&mut stage);
    let outcomes: Vec<ApprovalOutcome> = decided(&stage).into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [ApprovalOutcome::Never, ApprovalOutcome::RefusedByRule]);
    assert_eq!(stage.quit().await.refused, 2);
}

/// One question after the other, in the order of the calls; the others go on meanwhile.
#[tokio::test(start_paused = true)]
async fn calls_of_one_reply_are_asked_in_order_and_the_free_ones_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    let view = ("view", json!({ "path": "a" }));
    calls(&mut stage, &[shell("rm one"), view, shell("rm two"), ("alpha", json!({}))]).await;
    let free = stage.called().await;
    assert_eq!(free.tool, "view");
    let (_, first) = question(&mut stage).await;
    assert_eq!((first.number, first.of, first.arguments.clone()), (1, 3, json!({ "command": "rm one" })));
    stage.until("the free one runs", |own| matches!(own.run, RunState::Tools { running: 1, .. })).await;
    free.ok("text");
    stage.until("only the person is waited for", |own| matches!(own.run, RunState::Approving { .. })).await;
    answer(&mut stage, Answer::No).await;
    let (_, second) = question(&mut stage).await;
    assert_eq!((second.number, second.arguments.clone()), (2, json!({ "command": "rm two" })));
    runs_nothing(&mut stage);
    answer(&mut stage, Answer::Yes).await;
    let approved = stage.called().await;
    assert_eq!(approved.arguments, json!({ "command": "rm two" }));
    let (_, third) = question(&mut stage).await;
    assert_eq!((third.number, third.tool.as_str()), (3, "alpha"));
    approved.ok("removed");
    answer(&mut stage, Answer::Yes).await;
    stage.called().await.ok("alpha ran");
    let told = over(&mut stage).await;
    assert!(told.contains("[approval] Not run: the person refused this call"), "{told}");
    assert!(told.contains("text") && told.contains("removed") && told.contains("alpha ran"), "{told}");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_for_the_session_settles_what_still_waits() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("cargo fmt"), shell("cargo fmt --check"), shell("rm x")]).await;
    answer(&mut stage, Answer::Session).await;
    stage.called().await.ok("one");
    stage.called().await.ok("two");
    let (_, left) = question(&mut stage).await;
    assert_eq!(left.arguments, json!({ "command": "rm x" }));
    // What is switched off asks no more from the next call on; the open question stays open.
    stage.command(Command::Approval(ApprovalCommand::Mode(ApprovalMode::Off))).await;
    stage.until("off", |own| own.approval.standing.mode == ApprovalMode::Off).await;
    assert!(stage.own.awaits_approval());
    runs_nothing(&mut stage);
    answer(&mut stage, Answer::Yes).await;
    stage.called().await.ok("three");
    calls(&mut stage, &[shell("rm y")]).await;
    stage.called().await.ok("four");
    over(&mut stage).await;
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_typed_meanwhile_waits_and_the_question_stays() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("rm x")]).await;
    question(&mut stage).await;
    stage.say("y").await;
    stage.until("it waits", |own| own.queue.len() == 1).await;
    assert!(stage.own.awaits_approval(), "it is no answer");
    runs_nothing(&mut stage);
    answer(&mut stage, Answer::No).await;
    let told = over(&mut stage).await;
    assert!(told.contains("user: y"), "why not reaches the model with the refusal: {told}");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn stopping_the_turn_refuses_what_waits() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("rm one"), shell("rm two")]).await;
    let (ask, _) = question(&mut stage).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Interrupted);
    assert!(stage.own.asks.is_empty());
    assert_eq!(decided(&stage), [("rm one".to_owned(), ApprovalOutcome::Interrupted)]);
    let not_run = "shell: Cancelled Not run: it waited for the person's approval, and they stopped the turn.";
    assert_eq!(stage.lines().iter().filter(|line| *line == not_run).count(), 2, "{:#?}", stage.lines());
    // A late answer is to nothing.
    stage.command(Command::Answer { ask, answer: Answer::Yes }).await;
    stage.say("again").await;
    over(&mut stage).await;
    runs_nothing(&mut stage);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn without_a_person_it_is_refused_and_said_how_to_allow_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { person: Person::Absent, ..writes() });
    stage.say("go").await;
    calls(&mut stage, &[shell("rm x"), shell("ls")]).await;
    let call = stage.called().await;
    assert_eq!(call.arguments, json!({ "command": "ls" }));
    call.ok("files");
    let told = over(&mut stage).await;
    assert!(told.contains("[approval] Not run: it may change something, so it needs a person's yes here"), "{told}");
    runs_nothing(&mut stage);
    let notices = stage.notices();
    assert!(notices.iter().any(|note| note.contains("[ui] approval = \"writes\", config.toml:9")), "{notices:#?}");
    assert!(!stage.seen.iter().any(|event| matches!(event.body, Body::Asked(_))));
    assert_eq!(stage.quit().await.refused, 1);
}

#[tokio::test(start_paused = true)]
async fn off_asks_and_records_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(ApprovalMode::Off));
    stage.say("go").await;
    calls(&mut stage, &[shell("rm x")]).await;
    stage.called().await.ok("done");
    over(&mut stage).await;
    assert!(stage.own.approval.recent.is_empty());
    assert!(!stage.seen.iter().any(|event| matches!(event.body, Body::Approvals(_))));
    stage.quit().await;
}

fn edit(old: &str, new: &str) -> (&'static str, Value) {
    ("edit", json!({ "path": "a.txt", "old": old, "new": new }))
}

fn put(dir: &Path, text: &str) {
    std::fs::write(dir.join("a.txt"), text).unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_edit_shows_its_diff_and_is_asked_again_when_the_file_changed() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "one\ntwo\nthree\n");
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[edit("two", "2")]).await;
    let (_, request) = question(&mut stage).await;
    let preview = request.preview.clone().unwrap();
    assert_eq!((preview.path.as_str(), preview.added, preview.removed, preview.creates), ("a.txt", 1, 1, false));
    assert!(preview.diff.contains("\n-two\n+2\n"), "{}", preview.diff);
    put(dir.path(), "zero\none\ntwo\nthree\n");
    answer(&mut stage, Answer::Yes).await;
    let (_, again) = question(&mut stage).await;
    runs_nothing(&mut stage);
    assert!(again.warnings[0].contains("changed since you were asked"), "{:?}", again.warnings);
    assert!(again.preview.clone().unwrap().diff.contains(" zero\n"));
    answer(&mut stage, Answer::Session).await;
    stage.called().await.ok("edited");
    // The same file is not asked about again; another one is.
    calls(&mut stage, &[edit("three", "3"), ("write", json!({ "path": "b.txt", "content": "new\n" }))]).await;
    stage.called().await.ok("edited");
    let (_, other) = question(&mut stage).await;
    let preview = other.preview.clone().unwrap();
    assert_eq!((preview.path.as_str(), preview.creates), ("b.txt", true));
    answer(&mut stage, Answer::No).await;
    over(&mut stage).await;
    use ApprovalOutcome::{ByRule, Outdated, Refused, Session};
    let outcomes: Vec<ApprovalOutcome> = decided(&stage).into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [Outdated, Session, ByRule, Refused]);
    assert!(!dir.path().join("b.txt").exists(), "a preview writes nothing");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_would_fail_says_so_in_the_question() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "one\n");
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[edit("nowhere", "x")]).await;
    let (_, request) = question(&mut stage).await;
    assert!(request.preview.is_none());
    assert!(request.warnings.iter().any(|warning| warning.contains("would fail")), "{:?}", request.warnings);
    answer(&mut stage, Answer::No).await;
    over(&mut stage).await;
    stage.quit().await;
}

/// What the person changes while they are waited for is not the session's to take back.
#[tokio::test(start_paused = true)]
async fn a_rewind_never_takes_what_the_person_changed_while_asked() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let checkpoints = Some(dir.join("checkpoints"));
    let mut stage = Stage::open(dir, Wanted { checkpoints, ..writes() });
    stage.say("go").await;
    calls(&mut stage, &[("alpha", json!({})), shell("make")]).await;
    answer(&mut stage, Answer::Yes).await;
    let alpha = stage.called().await;
    std::fs::write(dir.join("agent.txt"), "by the agent").unwrap();
    alpha.ok("done");
    let changed = |own: &Snapshot, path: &str| own.rewind.changes.iter().any(|one| one.change.path == path);
    stage.until("what the first call changed", |own| changed(own, "agent.txt")).await;
    question(&mut stage).await;
    std::fs::write(dir.join("mine.txt"), "by the person").unwrap();
    answer(&mut stage, Answer::Yes).await;
    let make = stage.called().await;
    std::fs::write(dir.join("built.txt"), "by the agent").unwrap();
    make.ok("done");
    over(&mut stage).await;
    stage.until("what the second call changed", |own| changed(own, "built.txt")).await;
    assert!(!changed(&stage.own, "mine.txt"), "{:#?}", stage.own.rewind.changes);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_a_killed_process_left_is_interrupted_and_nothing_is_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), writes());
    stage.say("go").await;
    calls(&mut stage, &[shell("cargo test")]).await;
    answer(&mut stage, Answer::Session).await;
    stage.called().await.ok("done");
    calls(&mut stage, &[shell("git push")]).await;
    answer(&mut stage, Answer::Never).await;
    stage.say("/approvals all").await;
    stage.until("all", |own| own.approval.standing.mode == ApprovalMode::All).await;
    calls(&mut stage, &[shell("rm x")]).await;
    question(&mut stage).await;
    // The process is gone without a word.
    stage.handle.done.abort();
    let _ = stage.handle.done.await;
    let resume = Wanted { pick: Pick::Resume { name: "play".into() }, ..writes() };
    let mut stage = Stage::open(dir.path(), resume);
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    stage.until("the rules", |own| own.approval.standing.rules.len() == 1).await;
    assert!(stage.own.asks.is_empty(), "nobody can answer it any more");
    assert!(stage.lines().contains(&"asked: Some(false)".to_owned()), "{:#?}", stage.lines());
    let standing = &stage.own.approval.standing;
    assert_eq!((standing.mode, standing.rules[0].says), (ApprovalMode::All, ApprovalSays::Refuse));
    runs_nothing(&mut stage);
    stage.say("go on").await;
    calls(&mut stage, &[shell("cargo test")]).await;
    answer(&mut stage, Answer::No).await;
    let told = over(&mut stage).await;
    assert!(told.contains("Not run: it waited for the person's approval when the session was interrupted"), "{told}");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn what_others_call_read_only_is_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    let tools = vec![annotated("alpha", true)];
    let mut stage = Stage::open(dir.path(), Wanted { tools, ..writes() });
    stage.say("go").await;
    calls(&mut stage, &[("alpha", json!({ "id": 1 }))]).await;
    let (_, request) = question(&mut stage).await;
    assert!(request.why.contains("the server's word"), "{}", request.why);
    assert_eq!(request.remembers, ["every call of fake.alpha"]);
    answer(&mut stage, Answer::Session).await;
    stage.called().await.ok("done");
    calls(&mut stage, &[("alpha", json!({ "id": 2 }))]).await;
    stage.called().await.ok("done");
    over(&mut stage).await;
    stage.quit().await;
}
