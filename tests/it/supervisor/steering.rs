//! What is said to the agent on the way: detectors, notes, recitations, and what is taken out of its words.

use octomind::proto::{AgentState, Body, Decision, Detection, DetectionAction, Detector};
use octomind::supervisor::report::INSTRUCTION;
use serde_json::{Value, json};

use super::script::{Script, status};
use super::stage::Stage;

/// The gate has its own tests.
const NO_GATE: &[&str] = &["supervisor.gate.enabled=false"];

fn view(path: &str) -> Value {
    json!({ "path": path })
}

fn detections(stage: &Stage) -> Vec<Detection> {
    let detected = |decision| match decision {
        Decision::Detected(detection) => Some(*detection),
        _ => None,
    };
    stage.decisions().into_iter().filter_map(detected).collect()
}

fn noted(detections: &[Detection], detector: Detector) -> Vec<u32> {
    let of = |one: &&Detection| one.detector == detector && matches!(one.action, DetectionAction::Noted { .. });
    detections.iter().filter(of).map(|one| one.count).collect()
}

#[tokio::test]
async fn a_loop_is_told_at_three_and_then_ever_more_seldom() {
    let rounds = |count| {
        let script = Script::default().on("look").rounds(count, "view", &view("a.txt"));
        script.says(&status("Enough.", "done"))
    };
    let mut stage = Stage::begin(rounds(2), NO_GATE);
    stage.file("a.txt", "alpha");
    stage.turn("look").await;
    assert_eq!(detections(&stage), []);

    let mut stage = Stage::begin(rounds(10), NO_GATE);
    stage.file("a.txt", "alpha");
    stage.turn("look").await;
    let found = detections(&stage);
    assert_eq!(noted(&found, Detector::Loop), [3, 4, 6, 10], "{found:#?}");
    let notes = stage.notes();
    assert_eq!(notes.len(), 4, "{notes:#?}");
    assert!(notes.iter().all(|(kind, text)| kind == "steer" && text.starts_with("<octomind-note kind=\"steer\">")));
    // The first came before the fourth request, and stays in the history.
    let requests = stage.requests(None);
    let (third, _) = stage.wire(requests[2]).await;
    let (fourth, _) = stage.wire(requests[3]).await;
    assert!(!third.contains("kind=\\\"steer\\\"") && fourth.contains("kind=\\\"steer\\\""), "{fourth}");
}

#[tokio::test]
async fn rounds_without_anything_new_are_told_at_five_unless_the_agent_explores() {
    let script = |state: &str| {
        let round = |script: Script, at: usize| {
            script.calls(&status("Again.", state), &[("view", view(["a.txt", "b.txt"][at % 2]))])
        };
        (0..7).fold(Script::default().on("look"), round).says(&status("Enough.", "done"))
    };
    for (state, wanted) in [("progressing", vec![5]), ("exploring", vec![])] {
        let mut stage = Stage::begin(script(state), NO_GATE);
        stage.file("a.txt", "alpha");
        stage.file("b.txt", "beta");
        stage.turn("look").await;
        let found = detections(&stage);
        assert_eq!(noted(&found, Detector::NoProgress), wanted, "{state}: {found:#?}");
        assert!(noted(&found, Detector::Loop).is_empty(), "{state}");
        let suppressed = found.iter().any(|one| matches!(one.action, DetectionAction::Suppressed { .. }));
        assert_eq!(suppressed, state == "exploring", "{found:#?}");
    }
}

/// A change in between is progress, whatever else repeats.
#[tokio::test]
async fn a_change_is_progress_and_failing_commands_are_told_at_three() {
    let shell = |command: &str| json!({ "command": command });
    let write = |text: &str| json!({ "path": "a.txt", "content": text, "overwrite": true });
    let script = Script::default()
        .on("changing")
        .rounds(2, "view", &view("b.txt"))
        .calls("", &[("write", write("1"))])
        .rounds(2, "view", &view("b.txt"))
        .says(&status("Enough.", "done"))
        .on("failing")
        .calls("", &[("shell", shell("exit 3"))])
        .calls("", &[("shell", shell("exit 4"))])
        .calls("", &[("shell", shell("exit 5"))])
        .says(&status("It does not work.", "blocked"));
    let mut stage = Stage::begin(script, NO_GATE);
    stage.file("b.txt", "beta");
    stage.turn("changing").await;
    assert_eq!(detections(&stage), []);
    stage.turn("failing").await;
    let found = detections(&stage);
    assert_eq!(noted(&found, Detector::Recovery), [3], "{found:#?}");
}

#[tokio::test]
async fn what_was_forbidden_is_said_again_at_the_tail_and_nowhere_else() {
    let words = "Do not touch b.txt.";
    let script = Script::default()
        .on("change")
        .calls("", &[("view", view("a.txt"))])
        .says(&status("Seen.", "done"))
        .on("next")
        .says(&status("Nothing more.", "done"));
    let mut stage = Stage::begin(script, NO_GATE);
    stage.file("a.txt", "alpha");
    stage.turn(&format!("Please change a.txt. {words}")).await;
    let recited: Vec<Vec<String>> = stage
        .decisions()
        .into_iter()
        .filter_map(|decision| match decision {
            Decision::Recited(recitation) => Some(recitation.prohibitions.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(recited.len(), 1, "{recited:?}");
    assert!(recited[0].len() == 1 && recited[0][0].contains(words), "{recited:?}");
    let requests = stage.requests(None);
    let (first, second) = (stage.wire(requests[0]).await.0, stage.wire(requests[1]).await.0);
    let mark = "<octomind-note kind=\\\"recite\\\">";
    assert_eq!((first.matches(mark).count(), second.matches(mark).count()), (0, 1), "{second}");
    let body: Value = serde_json::from_str(&second).unwrap();
    let last = body["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(last.contains(mark), "{last}");
    assert_eq!(stage.notes(), [], "it is no part of the history");
    // What goes before is the same to the byte, so the provider's cache holds.
    let messages = |text: &str| serde_json::from_str::<Value>(text).unwrap()["messages"].as_array().unwrap().clone();
    let (before, after) = (messages(&first), messages(&second));
    assert_eq!(before[..], after[..before.len()]);
}

#[tokio::test]
async fn a_status_is_asked_for_recorded_and_never_shown_or_kept() {
    let secret = ["sk", "live", "abcdefghijklmnop1234"].join("_");
    let carry = format!("<sup>{{\"state\":\"progressing\",\"carry\":[\"key {secret}\",\"port 8080\"]}}</sup>");
    let script = Script::default()
        .on("one")
        .calls(&format!("First x<sup>2</sup>. {carry}"), &[("view", view("a.txt"))])
        .says(&status("Done: <sup>{n}</sup> stays.", "done"))
        .on("two")
        .says("Only <sup>{\"state\":\"done\"");
    let mut stage = Stage::begin(script, NO_GATE);
    stage.file("a.txt", "alpha");
    stage.turn("one").await;
    stage.turn("two").await;
    assert_eq!(stage.replies(), ["First x<sup>2</sup>.", "Done: <sup>{n}</sup> stays.", "Only"]);
    let reported: Vec<_> = stage
        .decisions()
        .into_iter()
        .filter_map(|decision| match decision {
            Decision::Reported(reported) => Some(*reported),
            _ => None,
        })
        .collect();
    let states: Vec<_> = reported.iter().map(|one| one.report.as_ref().map(|report| report.state)).collect();
    assert_eq!(states, [Some(AgentState::Progressing), Some(AgentState::Done), None]);
    assert_eq!(reported[0].report.as_ref().unwrap().carry, ["port 8080"]);
    assert!(reported[0].dropped.len() == 1 && reported[2].trouble.is_some(), "{reported:#?}");
    let sent = stage.last_sent().await;
    let instruction = serde_json::to_string(INSTRUCTION).unwrap();
    assert_eq!(sent.matches(instruction.trim_matches('"')).count(), 1);
    assert!(!sent.contains("\"carry\\\":[\\\"port") && !sent.contains("scripted\\\""), "the history holds no status");
    let journal = std::fs::read_to_string(stage.folder().join("journal.jsonl")).unwrap();
    assert!(!journal.contains(&secret), "a credential is nowhere");
    let streamed: String = stage
        .events()
        .iter()
        .filter_map(|event| match &event.body {
            Body::TextDelta { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(!streamed.contains("\"state\""), "{streamed}");
}
