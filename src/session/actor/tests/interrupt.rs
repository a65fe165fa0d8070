use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;
use crate::session::rules::Limits;

/// The next turn is accepted at once and the request is whole.
async fn goes_on(mut stage: Stage, turn: u32, said_before: &[&str]) {
    stage.say("again").await;
    let asked = stage.asked().await;
    let mut wanted: Vec<String> = said_before.iter().map(|line| (*line).to_owned()).collect();
    match wanted.last_mut() {
        Some(last) if last.starts_with("user: ") => last.push_str(" | again"),
        _ => wanted.push("user: again".into()),
    }
    assert_eq!(said(&asked.request), wanted);
    asked.answer("fine");
    stage.until_idle(turn).await;
    assert_eq!(stage.outcome(), TurnOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn while_waiting_for_servers() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { held: true, ..Wanted::default() });
    stage.say("go").await;
    stage.until("waiting", |own| own.run.busy()).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Interrupted);
    stage.settles.notify_one();
    goes_on(stage, 2, &["user: go"]).await;
}

#[tokio::test(start_paused = true)]
async fn before_the_first_byte() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert!(asked.cancel.is_cancelled());
    assert_eq!(stage.lines(), ["you: go"]);
    asked.text("too late");
    goes_on(stage, 2, &["user: go"]).await;
}

#[tokio::test(start_paused = true)]
async fn in_the_middle_of_the_text() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("half of it");
    asked.call("1", "alpha", json!({}));
    stage.until("text", |own| own.transcript.len() == 2).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert_eq!(stage.lines(), ["you: go", "model: half of it ⏹"]);
    assert!(stage.calls.try_recv().is_err(), "no call of a stopped reply runs");
    goes_on(stage, 2, &["user: go", "assistant: half of it +0"]).await;
}

#[tokio::test(start_paused = true)]
async fn while_tools_run_all_are_cancelled_and_no_turn_begins() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    for id in 0..10 {
        asked.call(&id.to_string(), "alpha", json!({"n": id}));
    }
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok("done before");
    let running = [stage.called().await, stage.called().await];
    stage.until("one result", |own| format!("{:?}", own.transcript).contains("done before")).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert!(running.iter().all(|call| call.cancel.is_cancelled()));
    let [one, two] = running;
    one.ok("late");
    drop(two);
    let ended = stage.lines().iter().filter(|line| line.contains("Cancelled by the person")).count();
    assert_eq!(ended, 9, "{:#?}", stage.lines());
    assert!(!format!("{:?}", stage.own.transcript).contains("late"));
    assert!(stage.asked.try_recv().is_err());
    let results: Vec<String> = (0..10)
        .map(|call| match call {
            0 => "done before",
            1..8 => "Cancelled by the person while it ran.",
            8 => "Cancelled by the person while it ran.",
            _ => "Cancelled by the person before it ran.",
        })
        .map(str::to_owned)
        .collect();
    let tools = format!("tools: {}", results.join(" / "));
    goes_on(stage, 2, &["user: go", "assistant:  +10", &tools]).await;
}

#[tokio::test(start_paused = true)]
async fn in_the_retry_wait() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    stage.asked().await.fail(fault(FaultKind::Overloaded));
    stage.until("the countdown", |own| matches!(own.run, RunState::Retrying { .. })).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Interrupted);
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert!(stage.asked.try_recv().is_err(), "the countdown is over too");
    goes_on(stage, 2, &["user: go"]).await;
}

#[tokio::test(start_paused = true)]
async fn while_the_person_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { session: 0.1, request: 0.0 };
    let mut stage = Stage::open(dir.path(), Wanted { limits, ..Wanted::default() });
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("dear");
    asked.usage(5, 0.2);
    asked.stop(StopReason::End);
    stage.until_idle(1).await;
    stage.say("more").await;
    stage.until("the question", |own| own.asks.len() == 1).await;
    stage.say("typed meanwhile").await;
    stage.until("queued", |own| own.queue.len() == 1 && own.asks.len() == 1).await;
    let id = stage.own.queue[0].id;
    stage.command(Command::WithdrawQueued { id }).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(2).await;
    assert!(stage.own.asks.is_empty());
    assert_eq!(stage.outcome(), TurnOutcome::Interrupted);
}

#[tokio::test(start_paused = true)]
async fn what_is_queued_waits_for_the_next_message_or_is_withdrawn() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("half");
    stage.say("do this instead").await;
    stage.until("queued", |own| own.queue.len() == 1 && own.transcript.len() == 2).await;
    stage.submit("and never this", SubmitMode::Queue).await;
    stage.until("both queued", |own| own.queue.len() == 2).await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert!(stage.asked.try_recv().is_err(), "no turn begins by itself");
    assert_eq!(stage.own.queue.len(), 2);
    let id = stage.own.queue[1].id;
    stage.command(Command::WithdrawQueued { id }).await;
    stage.say("and that").await;
    let asked = stage.asked().await;
    let wanted = ["user: go", "assistant: half +0", "user: do this instead | and that"];
    assert_eq!(said(&asked.request), wanted);
    stage.until("nothing waits", |own| own.queue.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn when_nothing_runs_it_does_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let stage = Stage::open(dir.path(), Wanted::default());
    stage.command(Command::Interrupt).await;
    stage.command(Command::RetryNow).await;
    stage.command(Command::Answer { ask: AskId(7), answer: Answer::Yes }).await;
    stage.command(Command::WithdrawQueued { id: QueueId(7) }).await;
    goes_on(stage, 1, &[]).await;
}
