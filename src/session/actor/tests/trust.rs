use std::path::Path;
use std::sync::Arc;

use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;
use crate::session::trust::TrustFlag;
use crate::session::{Person, TrustDesk};

fn desk(dir: &Path) -> Arc<TrustDesk> {
    Arc::new(TrustDesk::new(dir.to_owned(), dir.join("trust.jsonl"), TrustFlag::Absent))
}

fn project(dir: &Path) {
    let tools = dir.join(".agents/tools");
    std::fs::create_dir_all(&tools).unwrap();
    std::fs::write(tools.join("deploy"), "#!/bin/sh\n# @description Deploys.\n").unwrap();
}

fn decided(stage: &Stage) -> Vec<(bool, String)> {
    let trust = |event: &Event| match &event.body {
        Body::Decided(Decision::Trust { trusted, by, .. }) => Some((*trusted, by.clone())),
        _ => None,
    };
    stage.seen.iter().filter_map(trust).collect()
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_once_for_each_content_and_never_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    project(dir.path());
    let gate = desk(dir.path());
    let mut stage = Stage::open(dir.path(), Wanted { trust: Some(Arc::clone(&gate)), ..Wanted::default() });
    stage.until("the question", |own| own.asks.len() == 1).await;
    let ask = stage.own.asks[0].0.clone();
    assert!(matches!(&ask.kind, AskKind::Trust { items, .. } if items.len() == 1));
    stage.say("meanwhile").await;
    stage.asked().await.answer("fine");
    stage.until_idle(1).await;
    assert!(gate.gate.check().is_err() && stage.own.asks.len() == 1);
    stage.command(Command::Answer { ask: ask.id, answer: Answer::Yes }).await;
    stage.until("answered", |own| own.asks.is_empty() && own.notes.iter().any(|note| note.source == "trust")).await;
    assert_eq!(decided(&stage), [(true, "the person".to_owned())]);
    assert!(gate.gate.check().is_ok());
    stage.quit().await;

    let gate = desk(dir.path());
    let mut stage = Stage::open(dir.path(), Wanted { trust: Some(Arc::clone(&gate)), ..Wanted::default() });
    stage.until("said", |own| own.notes.iter().filter(|note| note.source == "trust").count() == 2).await;
    assert_eq!(decided(&stage), [(true, "an earlier answer".to_owned())]);
    assert!(gate.gate.check().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_no_is_kept_and_nobody_is_never_asked() {
    let dir = tempfile::tempdir().unwrap();
    project(dir.path());
    let alone = Wanted { trust: Some(desk(dir.path())), person: Person::Absent, ..Wanted::default() };
    let mut stage = Stage::open(dir.path(), alone);
    stage.until("said", |own| own.notes.len() == 2).await;
    assert_eq!(decided(&stage), [(false, "policy".to_owned())]);
    assert!(stage.own.asks.is_empty());
    stage.quit().await;

    let gate = desk(dir.path());
    let mut stage = Stage::open(dir.path(), Wanted { trust: Some(Arc::clone(&gate)), ..Wanted::default() });
    stage.until("the question", |own| own.asks.len() == 1).await;
    let ask = stage.own.asks[0].0.id;
    stage.command(Command::Answer { ask, answer: Answer::No }).await;
    stage.until("answered", |own| own.asks.is_empty()).await;
    assert!(gate.gate.check().unwrap_err().reason().contains("declined"));
}

#[tokio::test(start_paused = true)]
async fn what_comes_or_changes_during_a_session_is_asked_about_once_before_the_next_request() {
    let dir = tempfile::tempdir().unwrap();
    let gate = desk(dir.path());
    let mut stage = Stage::open(dir.path(), Wanted { trust: Some(Arc::clone(&gate)), ..Wanted::default() });
    stage.say("one").await;
    stage.asked().await.answer("fine");
    stage.until_idle(1).await;
    assert!(stage.own.asks.is_empty());
    project(dir.path());
    for (turn, text) in [(2, "two"), (3, "three")] {
        stage.say(text).await;
        stage.asked().await.answer("fine");
        stage.until_idle(turn).await;
    }
    stage.until("the question", |own| own.asks.len() == 1).await;
    let first = stage.own.asks[0].0.id;
    std::fs::write(dir.path().join(".agents/tools/deploy"), "#!/bin/sh\n# @description Other.\n").unwrap();
    stage.say("four").await;
    stage.asked().await.answer("fine");
    stage.until("the question about what is there now", |own| own.asks.len() == 1 && own.asks[0].0.id != first).await;
    let ask = stage.own.asks[0].0.id;
    stage.command(Command::Answer { ask, answer: Answer::Yes }).await;
    stage.until("answered", |own| own.asks.is_empty() && own.notes.iter().any(|note| note.source == "trust")).await;
    assert!(gate.gate.check().is_ok());
    assert_eq!(decided(&stage), [(true, "the person".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn without_a_person_what_comes_during_a_session_is_denied_and_said_once() {
    let dir = tempfile::tempdir().unwrap();
    let alone = Wanted { trust: Some(desk(dir.path())), person: Person::Absent, ..Wanted::default() };
    let mut stage = Stage::open(dir.path(), alone);
    stage.say("one").await;
    stage.asked().await.answer("fine");
    stage.until_idle(1).await;
    project(dir.path());
    for (turn, text) in [(2, "two"), (3, "three")] {
        stage.say(text).await;
        stage.asked().await.answer("fine");
        stage.until_idle(turn).await;
    }
    assert_eq!(decided(&stage), [(false, "policy".to_owned())]);
    assert_eq!(stage.notices().iter().filter(|text| text.contains("nobody can be asked")).count(), 1);
}
