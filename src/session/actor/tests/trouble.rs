use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::config::Mask;
use crate::model::{Delta, RawCall};
use crate::proto::*;
use crate::session::rules::Limits;
use crate::session::{Person, Pick};

fn alone() -> Wanted {
    Wanted { person: Person::Absent, ..Wanted::default() }
}

#[tokio::test(start_paused = true)]
async fn an_overload_is_waited_out_and_nothing_is_said_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.send(Delta::Reasoning("thinking".into()));
    asked.fail(Fault { retry_after_ms: Some(7000), ..fault(FaultKind::RateLimit) });
    stage.until("the countdown", |own| matches!(own.run, RunState::Retrying { .. })).await;
    let RunState::Retrying { until, attempt, of, .. } = stage.own.run.clone() else { panic!() };
    assert_eq!((until - stage.seen.last().unwrap().at, attempt, of), (7000, 1, 2));
    let begun = tokio::time::Instant::now();
    let asked = stage.asked().await;
    assert_eq!(begun.elapsed().as_secs(), 7);
    asked.fail(fault(FaultKind::Server));
    stage.until("the second countdown", |own| matches!(own.run, RunState::Retrying { attempt: 2, .. })).await;
    stage.command(Command::RetryNow).await;
    let begun = tokio::time::Instant::now();
    stage.asked().await.answer("at last");
    stage.until_idle(1).await;
    assert!(begun.elapsed().as_millis() < 1000);
    let answers: Vec<String> = stage.lines().into_iter().filter(|line| line.starts_with("model: ")).collect();
    assert_eq!(answers, ["model: at last"]);
    assert_eq!(stage.outcome(), TurnOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn retries_end_and_some_faults_are_not_retried() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    for _ in 0..3 {
        stage.asked().await.fail(fault(FaultKind::Overloaded));
    }
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Failed("It went wrong.".into()));
    assert_eq!(stage.lines().iter().filter(|line| line.starts_with("fault: ")).count(), 1);
    stage.say("again").await;
    stage.asked().await.fail(fault(FaultKind::WrongKey));
    stage.until_idle(2).await;
    assert_eq!(stage.quit().await.outcome, Some(TurnOutcome::Failed("It went wrong.".into())));
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_broke_after_text_asks_the_person() {
    for answer in [Answer::Yes, Answer::No] {
        let dir = tempfile::tempdir().unwrap();
        let mut stage = Stage::open(dir.path(), Wanted::default());
        stage.say("go").await;
        let asked = stage.asked().await;
        asked.text("first half");
        asked.fail(fault(FaultKind::Cut));
        stage.until("the question", |own| own.asks.len() == 1).await;
        let ask = stage.own.asks[0].0.clone();
        assert_eq!(ask.kind, AskKind::RetryCutStream { shown_chars: 10 });
        stage.command(Command::Answer { ask: ask.id, answer: answer.clone() }).await;
        if answer == Answer::Yes {
            let asked = stage.asked().await;
            assert_eq!(said(&asked.request), ["user: go"]);
            asked.answer("the whole");
            stage.until_idle(1).await;
            assert_eq!(stage.lines()[1], "model: the whole");
            assert_eq!(stage.outcome(), TurnOutcome::Done);
        } else {
            stage.until_idle(1).await;
            assert_eq!(stage.lines()[1], "model: first half ⏹");
            assert_eq!(stage.outcome(), TurnOutcome::Failed("The reply broke off.".into()));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_person_a_broken_stream_fails_honestly_and_keeps_its_text() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("first half");
    drop(asked);
    stage.until_idle(1).await;
    assert_eq!(stage.lines()[1], "model: first half ⏹");
    let TurnOutcome::Failed(why) = stage.outcome() else { panic!() };
    assert_eq!(why, "The connection ended before the reply did.");
}

#[tokio::test(start_paused = true)]
async fn unknown_tools_and_broken_arguments_are_refused_and_the_others_run() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    let broken = |id: &str| {
        Delta::Call(RawCall {
            provider_id: id.into(),
            name: "beta".into(),
            arguments: json!("{\"a\":"),
            malformed: Some("the JSON ends too early".into()),
            signature: None,
        })
    };
    let asked = stage.asked().await;
    asked.call("1", "alhpa", json!({}));
    asked.send(broken("2"));
    asked.call("3", "alpha", json!({}));
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok("ran");
    let asked = stage.asked().await;
    let results = said(&asked.request)[2].clone();
    assert!(results.contains("There is no tool called \"alhpa\". The nearest name is alpha."), "{results}");
    assert!(results.contains("The arguments cannot be used: the JSON ends too early."), "{results}");
    assert!(results.ends_with("/ ran"), "{results}");
    asked.send(broken("4"));
    asked.stop(StopReason::ToolCalls);
    let asked = stage.asked().await;
    assert!(said(&asked.request)[4].contains("This is the 2. such call"));
    asked.answer("sorry");
    stage.until_idle(1).await;
    assert_eq!(stage.quit().await.refused, 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_written_as_text_gets_one_nudge_and_is_never_called_done() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    let lost = "<tool_call>{\"name\": \"alpha\", \"arguments\": {}}</tool_call>";
    stage.asked().await.answer(lost);
    let asked = stage.asked().await;
    assert!(said(&asked.request).last().unwrap().contains("tool call written as text"));
    asked.answer(lost);
    stage.until_idle(1).await;
    assert!(matches!(stage.outcome(), TurnOutcome::Failed(_)));
    let lost: Vec<bool> = stage
        .seen
        .iter()
        .filter_map(|event| match &event.body {
            Body::Decided(Decision::LostCall { nudged, .. }) => Some(*nudged),
            _ => None,
        })
        .collect();
    assert_eq!(lost, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_repeats_itself_is_cut_in_the_stream() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("Here is the plan. ");
    for _ in 0..400 {
        asked.text("I will check the file again. ");
    }
    stage.until_idle(1).await;
    assert!(asked.cancel.is_cancelled());
    let lines = stage.lines();
    assert!(lines[1].starts_with("model: Here is the plan. I will check") && lines[1].len() < 120, "{}", lines[1]);
    assert!(lines[2].contains("over and over"));
}

#[tokio::test(start_paused = true)]
async fn the_same_round_again_and_again_is_told_and_then_ended() {
    for (supervisor, tells) in [(watched(), true), (unsupervised(), false)] {
        let dir = tempfile::tempdir().unwrap();
        let mut stage = Stage::open(dir.path(), Wanted { supervisor, ..alone() });
        stage.say("go").await;
        for round in 1..=12 {
            let asked = stage.asked().await;
            let told = said(&asked.request).iter().any(|line| line.contains("made the same calls"));
            assert_eq!(told, tells && round > 3, "round {round}");
            asked.call("1", "alpha", json!({}));
            asked.stop(StopReason::ToolCalls);
            stage.called().await.ok("same");
        }
        stage.until_idle(1).await;
        assert_eq!(stage.outcome(), TurnOutcome::Failed("The model made the same calls 12 times in a row.".into()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_reply_is_tried_again_and_never_a_success() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    for _ in 0..3 {
        stage.asked().await.stop(StopReason::End);
    }
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Failed("The model sent an empty reply.".into()));
}

#[tokio::test(start_paused = true)]
async fn limits_stop_a_program_and_ask_a_person() {
    let limits = Limits { session: 0.5, request: 0.0 };
    for person in [Person::Absent, Person::Present] {
        let dir = tempfile::tempdir().unwrap();
        let mut stage = Stage::open(dir.path(), Wanted { limits, person, ..Wanted::default() });
        stage.say("go").await;
        let asked = stage.asked().await;
        asked.call("1", "alpha", json!({}));
        asked.usage(10, 0.6);
        asked.stop(StopReason::ToolCalls);
        stage.called().await.ok("r");
        if person == Person::Absent {
            stage.until_idle(1).await;
            assert!(matches!(stage.outcome(), TurnOutcome::Stopped(_)));
            assert!(stage.lines().last().unwrap().contains("spent $0.600 of $0.500"));
            continue;
        }
        stage.until("the question", |own| own.asks.len() == 1).await;
        let ask = stage.own.asks[0].0.id;
        stage.command(Command::Answer { ask, answer: Answer::Yes }).await;
        stage.asked().await.answer("done");
        stage.until_idle(1).await;
        assert_eq!(stage.outcome(), TurnOutcome::Done);
    }
}

#[tokio::test(start_paused = true)]
async fn secrets_reach_neither_events_nor_the_journal() {
    let dir = tempfile::tempdir().unwrap();
    let secret = "sk-very-secret-0123";
    let mut stage = Stage::open(dir.path(), Wanted { mask: Mask::of([secret.into()]), ..Wanted::default() });
    stage.say(&format!("my key is {secret}")).await;
    let asked = stage.asked().await;
    asked.text("it is sk-very-");
    tokio::time::sleep(std::time::Duration::from_millis(2000)).await;
    asked.text("secret-0123 indeed");
    asked.call("1", "alpha", json!({"key": secret}));
    asked.stop(StopReason::ToolCalls);
    let call = stage.called().await;
    assert_eq!(call.arguments, json!({"key": secret}), "the tool gets the real value");
    call.ok(&format!("KEY={secret}"));
    let asked = stage.asked().await;
    asked.answer("ok");
    stage.until_idle(1).await;
    assert!(!format!("{:?}", stage.seen).contains(secret));
    let told = "A kept secret stood in your message: [masked] is what is shown, kept and sent in its place.";
    assert_eq!(stage.lines()[..2], ["you: my key is [masked]".to_owned(), format!("notice: {told}")]);
    assert_eq!(stage.lines()[2], "model: it is [masked] indeed");
    assert_eq!(stage.lines()[3], "alpha: Ok KEY=[masked]");
    stage.say(&format!("again: {secret}")).await;
    stage.asked().await.answer("ok");
    stage.until_idle(2).await;
    assert_eq!(stage.notices().iter().filter(|text| *text == told).count(), 1, "it is said once");
    stage.quit().await;
    let journal = std::fs::read_to_string(dir.path().join("sessions/play/journal.jsonl")).unwrap();
    assert!(!journal.contains("sk-very"));
}

#[tokio::test(start_paused = true)]
async fn a_session_or_role_that_is_not_there_ends_a_program_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = Wanted { pick: Pick::Resume { name: "gone".into() }, ..alone() };
    let end = Stage::open(dir.path(), wanted).handle.done.await.unwrap();
    assert!(end.failure.unwrap().contains("no session called \"gone\""));
    let end = Stage::open(dir.path(), Wanted { role: Some("missing"), ..alone() }).handle.done.await.unwrap();
    assert_eq!(end.failure.unwrap(), "There is no role missing.");
    let mut stage = Stage::open(dir.path(), Wanted { role: Some("missing"), ..Wanted::default() });
    stage.until("the usual role", |own| own.session.role == "assistant" && !own.notes.is_empty()).await;
    assert_eq!(stage.notices(), ["There is no role missing."]);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_be_opened_fails_the_turn_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { role: Some("broken"), ..alone() });
    stage.say("go").await;
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Failed("There is no model nowhere:model.".into()));
    stage.say("/model fake:one").await;
    stage.say("again").await;
    stage.asked().await.answer("hi");
    stage.until_idle(2).await;
    assert_eq!(stage.outcome(), TurnOutcome::Done);
}

#[tokio::test(start_paused = true)]
async fn broken_arguments_over_and_over_end_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), alone());
    stage.say("go").await;
    for _ in 0..12 {
        let asked = stage.asked().await;
        asked.usage(u64::MAX, 0.0);
        asked.send(Delta::Call(RawCall {
            provider_id: "1".into(),
            name: "beta".into(),
            arguments: json!("{"),
            malformed: Some("the JSON ends too early".into()),
            signature: None,
        }));
        asked.stop(StopReason::ToolCalls);
    }
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Failed("The model made the same calls 12 times in a row.".into()));
    assert!(stage.notices().iter().any(|text| text.contains("more tokens than any request has")));
    let believed = |event: &Event| match &event.body {
        Body::RequestFinished { usage, .. } => usage.input <= 100_000_000,
        _ => true,
    };
    assert!(stage.seen.iter().all(believed));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_was_never_answered_does_not_go_out_with_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    for turn in 1..3 {
        stage.say("hi").await;
        stage.asked().await.fail(fault(FaultKind::BadRequest));
        stage.until_idle(turn).await;
        stage.until("said", |own| own.notes.iter().any(|note| note.text.contains("was not answered"))).await;
    }
    stage.say("once more").await;
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: once more"]);
    asked.call("1", "alpha", json!({}));
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok("r");
    stage.asked().await.fail(fault(FaultKind::BadRequest));
    stage.until_idle(3).await;
    stage.quit().await;
    let wanted = Wanted { pick: Pick::Resume { name: "play".into() }, ..Wanted::default() };
    let mut stage = Stage::open(dir.path(), wanted);
    stage.say("go on").await;
    let sent = said(&stage.asked().await.request);
    assert_eq!(sent, ["user: once more", "assistant:  +1", "tools: r", "user: go on"], "what was answered stays");
}

#[tokio::test(start_paused = true)]
async fn what_is_said_of_a_retry_stands_before_the_reply_it_brought() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    stage.asked().await.fail(fault(FaultKind::Overloaded));
    stage.asked().await.fail(fault(FaultKind::Overloaded));
    stage.asked().await.answer("at last");
    stage.until_idle(1).await;
    let lines = stage.lines();
    assert_eq!(lines[1], "decided: It went wrong; try 1 of 2 in 1.0 s");
    assert!(lines[2].starts_with("decided: It went wrong; try 2 of 2 in "), "{lines:?}");
    assert_eq!(lines[3], "model: at last");
}

#[tokio::test(start_paused = true)]
async fn what_is_mended_is_named_once_also_after_a_resume() {
    let dir = tempfile::tempdir().unwrap();
    let repairs = |stage: &Stage| stage.lines().iter().filter(|line| line.contains("a call id that was")).count();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    for turn in 1..4 {
        stage.say("go").await;
        let asked = stage.asked().await;
        asked.call("", "alpha", json!({}));
        asked.stop(StopReason::ToolCalls);
        stage.called().await.ok("r");
        stage.asked().await.answer("done");
        stage.until_idle(turn).await;
    }
    assert_eq!(repairs(&stage), 1, "{:#?}", stage.lines());
    stage.quit().await;
    let wanted = Wanted { pick: Pick::Resume { name: "play".into() }, ..Wanted::default() };
    let mut stage = Stage::open(dir.path(), wanted);
    stage.say("again").await;
    stage.asked().await.answer("yes");
    stage.until_idle(4).await;
    assert_eq!(repairs(&stage), 1, "{:#?}", stage.lines());
}

#[tokio::test(start_paused = true)]
async fn what_could_not_begin_or_reached_no_model_leaves_no_session() {
    let dir = tempfile::tempdir().unwrap();
    let new = Pick::New { name: None };
    let wanted = Wanted { role: Some("missing"), pick: new.clone(), ..alone() };
    Stage::open(dir.path(), wanted).handle.done.await.unwrap();
    let named = Wanted { role: Some("missing"), ..alone() };
    Stage::open(dir.path(), named).handle.done.await.unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { role: Some("broken"), pick: new, ..alone() });
    stage.say("go").await;
    stage.until_idle(1).await;
    stage.quit().await;
    assert_eq!(crate::session::store::list(&dir.path().join("sessions")).unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_role_that_is_not_there_is_refused_in_whole_sentences() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("/role missing").await;
    stage.until("the answer", |own| !own.transcript.is_empty()).await;
    assert_eq!(stage.lines(), ["/role missing → The role stays assistant. There is no role missing."]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_cuts_the_request_is_said_once_with_the_fix() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    let long = "many words of a long message ".repeat(3000);
    for turn in 1..=2 {
        stage.say(&long).await;
        let asked = stage.asked().await;
        asked.usage(2051, 0.0);
        asked.answer("what?");
        stage.until_idle(turn).await;
    }
    let said: Vec<&Note> = stage.own.notes.iter().filter(|note| note.text.contains("cut the beginning")).collect();
    assert_eq!(said.len(), 1, "{:?}", stage.notices());
    assert!(said[0].text.contains("The server read only 2"), "{}", said[0].text);
    let fix = |event: &Event| matches!(&event.body, Body::Notice { hint: Some(hint), .. } if hint.contains("OLLAMA_CONTEXT_LENGTH="));
    assert!(stage.seen.iter().any(fix));
    assert!(!stage.seen.iter().any(|event| matches!(event.body, Body::Decided(Decision::Calibrated { .. }))));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_outgrew_the_limit_is_not_sent_and_what_fills_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { request_limit: 3000, ..Wanted::default() });
    stage.say("short").await;
    stage.asked().await.answer("fine");
    stage.until_idle(1).await;
    stage.say(&"many words of a long message ".repeat(3000)).await;
    stage.until_idle(2).await;
    let TurnOutcome::Stopped(why) = stage.outcome() else { panic!("{:?}", stage.outcome()) };
    assert!(why.contains("max_session_tokens_threshold is 3"), "{why}");
    let said = stage.notices().into_iter().find(|text| text.contains("Nothing was sent")).unwrap();
    assert!(said.contains("tools ") && said.contains("largest: message 3 (user)"), "{said}");
    assert!(stage.asked.try_recv().is_err());
    // A way out that needs no restart.
    stage.say("/new").await;
    stage.until("the new session", |own| own.session.name != "play" && own.turn.0 == 0).await;
    stage.say("short again").await;
    stage.asked().await.answer("fine");
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Done);
}
