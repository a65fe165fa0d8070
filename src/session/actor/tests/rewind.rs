use std::path::Path;

use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;
use crate::session::Pick;

fn wanted(dir: &Path) -> Wanted {
    Wanted { checkpoints: Some(dir.join("checkpoints")), ..Wanted::default() }
}

fn resumed(dir: &Path) -> Wanted {
    Wanted { pick: Pick::Resume { name: "play".into() }, ..wanted(dir) }
}

/// A turn in which a tool does something to the folder.
async fn turn(stage: &mut Stage, number: u32, text: &str, work: impl FnOnce()) {
    stage.say(text).await;
    let asked = stage.asked().await;
    asked.call("x", "alpha", json!({ "n": number }));
    asked.stop(StopReason::ToolCalls);
    let called = stage.called().await;
    work();
    called.ok("done");
    stage.asked().await.answer(&format!("Answer {number}."));
    stage.until_idle(number).await;
    let changed = |own: &Snapshot| own.rewind.changes.iter().any(|one| one.turn == TurnId(number));
    stage.until("what it changed", changed).await;
}

/// Two turns: the second changes what the first wrote, and makes a folder.
async fn played(dir: &Path) -> Stage {
    let mut stage = Stage::open(dir, wanted(dir));
    turn(&mut stage, 1, "make it", || std::fs::write(dir.join("a.txt"), "one").unwrap()).await;
    turn(&mut stage, 2, "change it", || {
        std::fs::write(dir.join("a.txt"), "two").unwrap();
        std::fs::create_dir(dir.join("sub")).unwrap();
        std::fs::write(dir.join("sub/b.txt"), "b").unwrap();
    })
    .await;
    std::fs::write(dir.join("mine.txt"), "mine").unwrap();
    stage
}

async fn go(stage: &mut Stage, to: RewindTo, what: RewindWhat) {
    let at = |own: &Snapshot| own.notes.iter().filter(|note| note.source == "rewind").count();
    let before = at(&stage.own);
    stage.command(Command::Rewind(RewindCommand::Go { to, what, by_hand: ByHand::Leave })).await;
    stage.until("the rewind", |own| at(own) > before).await;
}

fn read(dir: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(dir.join(name)).ok()
}

const FIRST: [&str; 4] = ["user: make it", "assistant:  +1", "tools: done", "assistant: Answer 1. +0"];

#[tokio::test(start_paused = true)]
async fn conversation_and_files_go_back_and_forth() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stage = played(dir).await;
    let whole = stage.lines();
    stage.command(Command::Rewind(RewindCommand::Preview { to: RewindTo::Turn(TurnId(2)) })).await;
    let is_preview = |event: &Event| match &event.body {
        Body::Rewind(RewindEvent::Previewed(preview)) => Some(std::sync::Arc::clone(preview)),
        _ => None,
    };
    while stage.seen.iter().find_map(is_preview).is_none() {
        stage.until_next().await;
    }
    let preview = stage.seen.iter().find_map(is_preview).unwrap();
    let told: Vec<_> = preview.files.iter().map(|file| (file.path.as_str(), file.fate.clone())).collect();
    assert_eq!(told, [("a.txt", FileFate::Changed), ("sub/b.txt", FileFate::Deleted)]);
    assert_eq!((preview.messages, preview.refused.as_deref()), (3, None));
    go(&mut stage, RewindTo::Turn(TurnId(2)), RewindWhat::Both).await;
    assert_eq!((read(dir, "a.txt").as_deref(), read(dir, "mine.txt").as_deref()), (Some("one"), Some("mine")));
    assert!(!dir.join("sub").exists());
    assert_eq!(stage.lines()[..3], whole[..3]);
    assert_eq!(
        stage.lines()[3..],
        ["rewound: back to before turn 2 · 3 messages dropped · 2 files restored".to_owned()]
    );
    stage.say("another way").await;
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), [&FIRST[..], &["user: another way"]].concat());
    asked.answer("Other.");
    stage.until_idle(3).await;
    // What was dropped is there again, and what was said since is set aside.
    go(&mut stage, RewindTo::Before, RewindWhat::Both).await;
    assert_eq!((read(dir, "a.txt").as_deref(), read(dir, "sub/b.txt").as_deref()), (Some("two"), Some("b")));
    let undone = "rewound: the rewind is undone · 3 messages back · 2 files restored".to_owned();
    assert_eq!(stage.lines(), [whole, vec![undone]].concat());
    stage.say("go on").await;
    let asked = stage.asked().await;
    let second = ["user: change it", "assistant:  +1", "tools: done", "assistant: Answer 2. +0", "user: go on"];
    assert_eq!(said(&asked.request), [&FIRST[..], &second].concat());
    asked.answer("On.");
    stage.until_idle(4).await;
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_rewound_comes_back_rewound_and_can_be_undone() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stage = played(dir).await;
    let whole = stage.lines();
    go(&mut stage, RewindTo::Turn(TurnId(1)), RewindWhat::Both).await;
    assert_eq!(read(dir, "a.txt"), None);
    let (lines, view) = (stage.lines(), std::sync::Arc::clone(&stage.own.rewind));
    stage.quit().await;
    let mut stage = Stage::open(dir, resumed(dir));
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    assert_eq!(stage.lines()[..lines.len()], lines);
    let known = |view: &RewindView| {
        let before = view.before.as_ref().unwrap();
        (view.points.clone(), view.changes.clone(), before.files.clone(), before.prompt().map(str::to_owned))
    };
    assert_eq!(known(&stage.own.rewind), known(&view));
    stage.say("/rewind undo").await;
    stage.until("undone", |own| own.notes.iter().any(|note| note.text.starts_with("the rewind is undone"))).await;
    assert_eq!((read(dir, "a.txt").as_deref(), read(dir, "sub/b.txt").as_deref()), (Some("two"), Some("b")));
    assert_eq!(stage.lines()[..whole.len()], whole);
    stage.say("again").await;
    assert_eq!(said(&stage.asked().await.request).len(), 9);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn one_half_can_be_gone_back_in_without_the_other() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stage = played(dir).await;
    let whole = stage.lines();
    go(&mut stage, RewindTo::Turn(TurnId(2)), RewindWhat::Files).await;
    assert_eq!(read(dir, "a.txt").as_deref(), Some("one"));
    assert_eq!(stage.lines()[..whole.len()], whole);
    go(&mut stage, RewindTo::Turn(TurnId(2)), RewindWhat::Conversation).await;
    assert_eq!(stage.lines().len(), 4);
    // The file that the first turn made is still the session's to take back.
    std::fs::write(dir.join("a.txt"), "by hand").unwrap();
    go(&mut stage, RewindTo::Turn(TurnId(1)), RewindWhat::Both).await;
    assert_eq!(read(dir, "a.txt").as_deref(), Some("by hand"));
    let left = "back to before turn 1 · 3 messages dropped · 0 files restored · 1 file left alone";
    assert_eq!(stage.notices().last().unwrap(), left);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn over_a_damaged_journal_and_in_a_running_turn_nothing_goes_back() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut stage = played(dir).await;
    stage.say("more").await;
    let asked = stage.asked().await;
    go(&mut stage, RewindTo::Turn(TurnId(1)), RewindWhat::Both).await;
    assert!(stage.notices().last().unwrap().contains("a turn runs"));
    asked.answer("More.");
    stage.until_idle(3).await;
    stage.quit().await;
    let journal = dir.join("sessions/play/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let torn: Vec<&str> = text.lines().enumerate().map(|(at, line)| if at == 6 { "{torn" } else { line }).collect();
    std::fs::write(&journal, torn.join("\n") + "\n").unwrap();
    let mut stage = Stage::open(dir, resumed(dir));
    stage.until("taken up", |own| own.notes.iter().any(|note| note.text.starts_with("Taken up again"))).await;
    go(&mut stage, RewindTo::Turn(TurnId(1)), RewindWhat::Both).await;
    assert!(stage.notices().last().unwrap().contains("1 line of its journal could not be read"));
    assert_eq!(read(dir, "a.txt").as_deref(), Some("two"));
    stage.quit().await;
}
