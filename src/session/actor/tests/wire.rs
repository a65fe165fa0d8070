use super::fakes::Stage;
use super::fakes::*;
use crate::proto::*;
use crate::session::supervisor::wire::FOLDER;

fn bodies(stage: &Stage, wanted: u32) -> Option<(String, String)> {
    stage.seen.iter().rev().find_map(|event| match &event.body {
        Body::Wire { request, sent, received } if request.0 == wanted => Some((sent.clone(), received.clone())),
        _ => None,
    })
}

// On the real clock: the bodies are written and read by a thread that it knows nothing of.
#[tokio::test]
async fn what_went_over_the_wire_can_be_seen() {
    let dir = tempfile::tempdir().unwrap();
    let mask = crate::config::Mask::of(["hunter2hunter2".to_owned()]);
    let mut stage = Stage::open(dir.path(), Wanted { supervisor: watched(), mask, ..Wanted::default() });
    stage.say("hello").await;
    let asked = stage.asked().await;
    asked.text("I say hunter2hunter2.\n");
    asked.text("<sup>{\"state\":\"done\"}</sup>");
    asked.stop(StopReason::End);
    stage.until_idle(1).await;
    stage.command(Command::Wire { request: RequestId(1) }).await;
    let mut seen = None;
    while seen.is_none() {
        stage.until_next().await;
        seen = bodies(&stage, 1);
    }
    let (sent, received) = seen.unwrap();
    assert!(sent.contains("fake:one") && sent.contains("user: hello"), "{sent}");
    assert!(received.contains("I say [masked].\\n<sup>"), "as it came: {received}");
    stage.say("again").await;
    let asked = stage.asked().await;
    asked.fail(fault(FaultKind::BadRequest));
    stage.until_idle(2).await;
    stage.quit().await;
    let kept = std::fs::read_to_string(dir.path().join("sessions/play").join(FOLDER).join("2.json")).unwrap();
    assert!(kept.contains("\"fault\"") && kept.contains("user: again") && !kept.contains("hunter2"), "{kept}");
}
