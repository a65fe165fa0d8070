use std::time::{Duration, Instant};

use octomind::proto::{Content, ServerState, ToolOutcome};
use serde_json::json;
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use super::rig::Rig;
use crate::fake_server::spec;

#[tokio::test]
async fn progress_keeps_a_call_alive_and_is_passed_on() {
    let mut slow = spec("s", "ok");
    slow.timeout = Duration::from_millis(400);
    let rig = Rig::start(vec![slow]).await;
    let (sender, mut progress) = unbounded_channel();
    let arguments = json!({"steps": 8, "ms": 100});
    let result = rig.servers.call("s", "work", arguments, sender, CancellationToken::new()).await;
    assert_eq!(result.outcome, ToolOutcome::Ok, "{result:?}");
    let mut notes = Vec::new();
    while let Ok(progress) = progress.try_recv() {
        notes.push((progress.note.unwrap(), progress.fraction.unwrap()));
    }
    // The last one may be overtaken by the answer.
    assert!(notes.len() >= 7, "{notes:?}");
    assert_eq!(notes[3], ("step 4".to_owned(), 0.5));
    rig.end().await;
}

#[tokio::test]
async fn a_silent_call_ends_and_a_busy_one_ends_at_the_cap_with_both_numbers() {
    let mut short = spec("s", "ok");
    short.timeout = Duration::from_millis(100);
    let rig = Rig::start(vec![short]).await;
    let (outcome, words) = rig.words("s", "hang", json!({})).await;
    assert_eq!(outcome, ToolOutcome::TimedOut);
    assert!(words.contains("no progress for 0.1 s (the absolute limit is 2 s)"), "{words}");
    let (outcome, words) = rig.words("s", "work", json!({"steps": 1000, "ms": 20})).await;
    assert_eq!(outcome, ToolOutcome::TimedOut);
    assert!(words.contains("after 2 s, the absolute limit (the limit without progress is 0.1 s)"), "{words}");
    assert!(rig.words("s", "status", json!({})).await.1.starts_with("cancelled 2 "), "the server was told both times");
    rig.end().await;
}

#[tokio::test]
async fn a_stopped_call_is_cancelled_at_the_server_which_stays() {
    let rig = Rig::start(vec![spec("s", "ok")]).await;
    let before = rig.pid("s").await;
    let stop = CancellationToken::new();
    let (sender, _keep) = unbounded_channel();
    let call = rig.servers.call("s", "hang", json!({}), sender, stop.clone());
    let (result, ()) = tokio::join!(call, async {
        tokio::task::yield_now().await;
        stop.cancel();
    });
    assert_eq!(result.outcome, ToolOutcome::Cancelled);
    assert_eq!(rig.pid("s").await, before, "the same process still answers");
    assert!(rig.words("s", "status", json!({})).await.1.starts_with("cancelled 1 "));
    rig.end().await;
}

#[tokio::test]
async fn calls_of_one_server_run_side_by_side() {
    let rig = Rig::start(vec![spec("s", "ok")]).await;
    let began = Instant::now();
    let calls = (0..8).map(|_| rig.words("s", "nap", json!({"ms": 400})));
    let results = futures::future::join_all(calls).await;
    assert!(results.iter().all(|(outcome, words)| *outcome == ToolOutcome::Ok && words == "rested"));
    assert!(began.elapsed() < Duration::from_millis(8 * 400), "{:?}", began.elapsed());
    rig.end().await;
}

#[tokio::test]
async fn bad_arguments_are_refused_in_words_a_model_can_act_on() {
    let rig = Rig::start(vec![spec("s", "badargs")]).await;
    let (outcome, words) = rig.words("s", "read_file", json!({"paht": "x"})).await;
    assert_eq!(outcome, ToolOutcome::Refused);
    assert!(words.contains("`path` is missing") && words.contains("did you mean `path`?"), "{words}");
    let (outcome, words) = rig.words("s", "read_flie", json!({})).await;
    assert_eq!(outcome, ToolOutcome::Refused);
    assert_eq!(words, "Server s has no tool read_flie. Did you mean read_file?");
    let (outcome, words) = rig.words("t", "read_file", json!({})).await;
    assert_eq!((outcome, words.starts_with("There is no server t.")), (ToolOutcome::Refused, true));
    rig.end().await;
}

#[tokio::test]
async fn results_of_all_kinds_come_as_what_they_are() {
    let rig = Rig::start(vec![spec("s", "noise")]).await;
    let image = rig.call("s", "image", json!({})).await;
    let Content::Parts(parts) = image.content else { panic!("{image:?}") };
    assert_eq!(parts[1], Content::Media { media_type: "image/png".into(), base64: "iVBORw0KGgo=".into() });
    let (_, words) = rig.words("s", "binary", json!({})).await;
    assert_eq!(words, "[binary data, 4.1 KB]");
    assert_eq!(rig.words("s", "fail", json!({})).await, (ToolOutcome::Error, "the disk is full".to_owned()));
    assert_eq!(rig.words("s", "refuse", json!({})).await, (ToolOutcome::Error, "refuse failed: bad luck".to_owned()));
    rig.end().await;
}

#[tokio::test]
async fn a_crash_loses_the_call_and_the_server_comes_back_without_a_replay() {
    let mut rig = Rig::start(vec![spec("s", "ok")]).await;
    let (outcome, words) = rig.words("s", "crash", json!({})).await;
    assert_eq!(outcome, ToolOutcome::Lost);
    assert!(words.contains("not known"), "{words}");
    let down = rig.state("s", "the crash", |state| matches!(state, ServerState::Waiting { .. })).await;
    let ServerState::Waiting { reason, .. } = down else { unreachable!() };
    assert_eq!(reason, "it exited with code 3; it said: fatal: out of luck");
    let (_, status) = rig.words("s", "status", json!({})).await;
    assert!(status.starts_with("cancelled 0 calls 1 "), "the call was not made again: {status}");
    let (_, text, _) = rig.notice("went down").await;
    assert!(text.contains("code 3"), "{text}");
    rig.end().await;
}
