use std::path::Path;

use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::model::Delta;
use crate::proto::*;
use crate::session::{Person, Pick};

fn resumed(name: &str) -> Wanted {
    Wanted { pick: Pick::Resume { name: name.into() }, ..Wanted::default() }
}

/// A session with text, tools in two rounds, an interrupt and a long result.
async fn played(dir: &Path) -> (Snapshot, Vec<String>) {
    let mut stage = Stage::open(dir, Wanted::default());
    stage.say("first").await;
    let asked = stage.asked().await;
    asked.send(Delta::Reasoning("hm".into()));
    asked.text("I look.");
    asked.call("call_1", "alpha", json!({"n": 1}));
    asked.call("call_2", "beta", json!({"n": 2}));
    asked.stop(StopReason::ToolCalls);
    let (one, two) = (stage.called().await, stage.called().await);
    two.end(ToolOutcome::Error, "exit 1");
    one.ok(&"long result\n".repeat(4000));
    stage.asked().await.answer("Seen.");
    stage.until_idle(1).await;
    stage.say("second").await;
    let asked = stage.asked().await;
    asked.call("call_1", "alpha", json!({}));
    asked.stop(StopReason::ToolCalls);
    stage.called().await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(2).await;
    stage.say("/effort high").await;
    stage.until("effort", |own| own.session.effort == Effort::High).await;
    stage.say("third").await;
    stage.asked().await.answer("Good.");
    stage.until_idle(3).await;
    let (own, lines) = (stage.own.clone(), stage.lines());
    stage.quit().await;
    (own, lines)
}

#[tokio::test(start_paused = true)]
async fn a_session_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (before, lines) = played(dir.path()).await;
    let mut stage = Stage::open(dir.path(), resumed("pla"));
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    let taken_up = "notice: Taken up again: 3 turns, last used just now.".to_owned();
    assert_eq!(stage.lines(), [lines, vec![taken_up]].concat());
    assert_eq!(stage.own.totals.main, before.totals.main);
    assert_eq!((stage.own.session.effort, stage.own.turn), (Effort::High, before.turn));
    stage.say("fourth").await;
    let asked = stage.asked().await;
    let said = said(&asked.request);
    assert_eq!(said.len(), 10);
    assert!(said[2].starts_with(&format!("tools: {}", "long result\n".repeat(4000))), "blobs are sent whole");
    assert!(said[2].ends_with("/ exit 1"));
    assert_eq!(asked.request.effort, Effort::High);
    asked.answer("Back.");
    stage.until_idle(4).await;
    assert_eq!(stage.lines().last().unwrap(), "model: Back.");
}

#[tokio::test(start_paused = true)]
async fn any_prefix_of_a_journal_can_be_resumed_and_asked_on() {
    let dir = tempfile::tempdir().unwrap();
    played(dir.path()).await;
    let folder = dir.path().join("sessions/play");
    let journal = std::fs::read(folder.join("journal.jsonl")).unwrap();
    let ends: Vec<usize> =
        journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    assert!(ends.len() > 25);
    // After every record, and in the middle of the one after it.
    for cut in ends.iter().flat_map(|end| [*end, (*end + 40).min(journal.len())]) {
        std::fs::write(folder.join("journal.jsonl"), &journal[..cut]).unwrap();
        let mut stage = Stage::open(dir.path(), resumed("play"));
        stage.until("resumed", |own| own.seq > Seq(0)).await;
        let turns = stage.own.turn.0;
        stage.say("go on").await;
        let asked = stage.asked().await;
        let calls: usize = asked
            .request
            .messages
            .iter()
            .map(|message| match message {
                crate::model::Message::Assistant { calls, .. } => calls.len(),
                _ => 0,
            })
            .sum();
        let results: usize = asked
            .request
            .messages
            .iter()
            .map(|message| match message {
                crate::model::Message::Tools(results) => results.len(),
                _ => 0,
            })
            .sum();
        assert_eq!(calls, results, "cut at {cut}");
        assert!(said(&asked.request).last().unwrap().ends_with("go on"), "cut at {cut}");
        asked.answer("ok");
        stage.until_idle(turns + 1).await;
        assert_eq!(stage.outcome(), TurnOutcome::Done, "cut at {cut}");
        let torn = stage.notices().iter().any(|text| text.contains("middle of a record"));
        assert_eq!(torn, !ends.contains(&cut), "cut at {cut}");
        stage.quit().await;
    }
}

#[tokio::test(start_paused = true)]
async fn text_that_was_streaming_when_the_process_died_is_kept_as_interrupted() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("a long ");
    stage.until("text", |own| own.transcript.len() == 2).await;
    asked.text("answer");
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    stage.until("more text", |own| format!("{:?}", own.transcript).contains("a long answer")).await;
    stage.handle.done.abort();
    assert!((&mut stage.handle.done).await.unwrap_err().is_cancelled());
    let mut stage = Stage::open(dir.path(), resumed("play"));
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    assert_eq!(stage.lines()[..2], ["you: go", "model: a long answer ⏹"]);
    stage.until("a notice", |own| own.notes.iter().any(|note| note.text.contains("The reply broke off."))).await;
    stage.say("go on").await;
    assert_eq!(said(&stage.asked().await.request), ["user: go", "assistant: a long answer +0", "user: go on"]);
}

#[tokio::test(start_paused = true)]
async fn what_waited_when_the_process_died_waits_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let _asked = stage.asked().await;
    for text in ["typed meanwhile", "taken back"] {
        stage.submit(text, SubmitMode::Queue).await;
    }
    stage.until("both wait", |own| own.queue.len() == 2).await;
    let ids: Vec<QueueId> = stage.own.queue.iter().map(|queued| queued.id).collect();
    stage.command(Command::EditQueued { id: ids[0], text: "edited".into() }).await;
    stage.command(Command::WithdrawQueued { id: ids[1] }).await;
    stage.until("one waits", |own| own.queue.len() == 1 && own.queue[0].text == "edited").await;
    stage.handle.done.abort();
    assert!((&mut stage.handle.done).await.unwrap_err().is_cancelled());
    for again in 0..2 {
        let mut stage = Stage::open(dir.path(), resumed("play"));
        stage.until("it waits again", |own| own.queue.len() == 1 && own.queue[0].text == "edited").await;
        stage
            .until("a notice", |own| own.notes.iter().any(|note| note.text.contains("Still waiting: 1 message")))
            .await;
        if again == 1 {
            stage.say("go on").await;
            let said = said(&stage.asked().await.request).join("\n");
            assert!(said.contains("edited") && said.contains("go on"), "{said}");
            stage.until("nothing waits", |own| own.queue.is_empty()).await;
        }
        stage.quit().await;
    }
    let mut stage = Stage::open(dir.path(), Wanted { person: Person::Absent, ..resumed("play") });
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    assert!(stage.own.queue.is_empty(), "it was sent");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_second_process_reads_and_says_who_writes() {
    let dir = tempfile::tempdir().unwrap();
    let mut first = Stage::open(dir.path(), Wanted::default());
    first.say("go").await;
    first.asked().await.answer("hi");
    first.until_idle(1).await;
    let mut second = Stage::open(dir.path(), resumed("play"));
    second.until("read only", |own| own.session.read_only.is_some()).await;
    let me = format!("process {}", std::process::id());
    assert_eq!(second.own.session.read_only.as_deref(), Some(me.as_str()));
    second.until("told", |own| own.notes.iter().any(|note| note.text.contains("it can only be read"))).await;
    assert_eq!(second.lines()[..2], ["you: go", "model: hi"]);
    second.say("mine too").await;
    second.until("refused", |own| own.notes.iter().any(|note| note.text.starts_with("Not sent: "))).await;
    assert!(second.asked.try_recv().is_err());
    first.say("still mine").await;
    first.asked().await.answer("yes");
    first.until_idle(2).await;
    second.until("followed", |own| own.turn.0 == 2 && !own.run.busy()).await;
    let lines = second.lines();
    assert!(lines.contains(&"you: still mine".to_owned()) && lines.contains(&"model: yes".to_owned()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("notice: Not sent: ")), "our own words stay: {lines:?}");
    first.quit().await;
    assert!(!second.own.session.ended);
    second.quit().await;
    let mut third = Stage::open(dir.path(), resumed("play"));
    third.until("resumed", |own| own.turn.0 == 2).await;
    assert_eq!(third.own.session.read_only, None);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_exists_is_resumed_and_the_last_of_a_folder_is_found() {
    let dir = tempfile::tempdir().unwrap();
    played(dir.path()).await;
    for pick in [Pick::New { name: Some("play".into()) }, Pick::ResumeRecent] {
        let mut stage = Stage::open(dir.path(), Wanted { pick, person: Person::Absent, ..Wanted::default() });
        stage.until("resumed", |own| own.turn.0 == 3).await;
        stage.quit().await;
    }
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_folder_that_cannot_be_written_leaves_a_session_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("sessions"), "a file where the folder should be").unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    stage.asked().await.answer("hi");
    stage.until_idle(1).await;
    assert!(stage.notices()[0].contains("kept in memory only"), "{:?}", stage.notices());
    assert_eq!(stage.outcome(), TurnOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_first_record_is_gone_knows_its_name() {
    let dir = tempfile::tempdir().unwrap();
    played(dir.path()).await;
    let journal = dir.path().join("sessions/play/journal.jsonl");
    let whole = std::fs::read(&journal).unwrap();
    // Half a record and nothing else; or all but the first.
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for left in [&whole[..first / 2], &whole[first + 1..]] {
        std::fs::write(&journal, left).unwrap();
        let mut stage = Stage::open(dir.path(), resumed("play"));
        stage.until("a name", |own| own.session.name == "play" && !own.session.workdir.is_empty()).await;
        stage.say("go on").await;
        stage.asked().await.answer("ok");
        stage.until("an answer", |own| own.totals.last_turn.is_some() && !own.run.busy()).await;
        stage.quit().await;
    }
}
