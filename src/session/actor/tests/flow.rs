use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::mcp::Progress;
use crate::model::Delta;
use crate::proto::*;

#[tokio::test(start_paused = true)]
async fn a_message_is_answered_piece_by_piece() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("hello").await;
    let asked = stage.asked().await;
    assert_eq!(asked.request.system, "You are assistant.");
    assert_eq!(said(&asked.request), ["user: hello"]);
    assert_eq!(asked.request.tools.len(), 2);
    asked.send(Delta::Reasoning("let me see".into()));
    asked.text("Hi ");
    stage.until("the first piece", |own| own.transcript.entries().len() == 3).await;
    assert_eq!(stage.lines(), ["you: hello", "thinks: let me see", "model: Hi …"]);
    asked.text("there");
    asked.usage(12, 0.25);
    asked.stop(StopReason::End);
    stage.until_idle(1).await;
    assert_eq!(stage.lines(), ["you: hello", "thinks: let me see", "model: Hi there"]);
    assert_eq!(stage.outcome(), TurnOutcome::Done);
    assert_eq!(stage.own.totals.main.cost, Some(0.25));
    assert_eq!(stage.own.session.model.name, "fake:one");
    assert!(stage.own.totals.context_tools > 0 && stage.own.surface() == (2, 20));
    let end = stage.quit().await;
    assert_eq!((end.name.as_str(), end.outcome, end.refused), ("play", Some(TurnOutcome::Done), 0));
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_pieces_becomes_few_events_and_every_letter_arrives() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("hello").await;
    let asked = stage.asked().await;
    for number in 0..2000 {
        asked.text(&format!("{number} "));
    }
    asked.stop(StopReason::End);
    stage.until_idle(1).await;
    let deltas = stage.seen.iter().filter(|event| matches!(event.body, Body::TextDelta { .. })).count();
    assert!((1..=3).contains(&deltas), "{deltas} events");
    let whole: String = (0..2000).map(|number| format!("{number} ")).collect();
    assert_eq!(stage.lines()[1], format!("model: {whole}"));
}

#[tokio::test(start_paused = true)]
async fn parallel_calls_end_in_any_order_and_are_sent_back_in_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.text("I look.");
    for (id, tool) in [("x", "alpha"), ("x", "beta"), ("", "alpha")] {
        asked.call(id, tool, json!({"id": id}));
    }
    asked.stop(StopReason::ToolCalls);
    let (first, second, third) = (stage.called().await, stage.called().await, stage.called().await);
    assert_eq!([&first.tool, &second.tool, &third.tool], ["alpha", "beta", "alpha"]);
    third.ok("three");
    first.progress.send(Progress { note: Some("half".into()), fraction: Some(0.5) }).unwrap();
    stage.until("progress", |own| format!("{:?}", own.transcript).contains("half")).await;
    assert_eq!(stage.lines()[2..], ["alpha: runs half", "beta: runs ", "alpha: Ok three"]);
    second.end(ToolOutcome::Error, "exit 1");
    first.ok("one");
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: go", "assistant: I look. +3", "tools: one / exit 1 / three"]);
    asked.answer("done");
    stage.until_idle(1).await;
    assert_eq!(
        stage.lines(),
        [
            "you: go",
            "model: I look.",
            "alpha: Ok one",
            "beta: Error exit 1",
            "alpha: Ok three",
            "decided: changed a call id that was empty, repeated or not allowed ×2",
            "model: done"
        ]
    );
    stage.say("more").await;
    stage.asked().await.answer("again");
    stage.until_idle(2).await;
    assert_eq!(stage.lines()[7..], ["you: more", "model: again"], "what was mended is said once");
}

#[tokio::test(start_paused = true)]
async fn steering_lands_at_the_tool_boundary_and_the_queue_after_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("go").await;
    let asked = stage.asked().await;
    for (text, mode) in [
        ("later", SubmitMode::Queue),
        ("now", SubmitMode::Steer),
        ("never", SubmitMode::Steer),
        ("last", SubmitMode::Queue),
    ] {
        stage.submit(text, mode).await;
    }
    stage.until("four wait", |own| own.queue.len() == 4).await;
    let ids: Vec<QueueId> = stage.own.queue.iter().map(|queued| queued.id).collect();
    stage.command(Command::EditQueued { id: ids[1], text: "right now".into() }).await;
    stage.command(Command::WithdrawQueued { id: ids[2] }).await;
    stage.until("withdrawn", |own| own.queue.len() == 3 && own.queue[1].text == "right now").await;
    asked.call("1", "alpha", json!({}));
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok("r");
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: go", "assistant:  +1", "tools: r", "user: right now"]);
    asked.answer("one");
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request).last().unwrap(), "user: later");
    asked.answer("two");
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request).last().unwrap(), "user: last");
    asked.answer("three");
    stage.until_idle(3).await;
    assert!(stage.own.queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_message_before_the_servers_are_ready_waits_and_then_goes_on_without_the_slow_one() {
    let dir = tempfile::tempdir().unwrap();
    let wanted = Wanted { held: true, still: vec!["slow".into()], ..Wanted::default() };
    let mut stage = Stage::open(dir.path(), wanted);
    stage.say("hello").await;
    stage.until("waiting", |own| own.run.busy() && !own.notes.is_empty()).await;
    assert_eq!(stage.notices(), ["Waiting for the tool server fake."]);
    assert!(stage.asked.try_recv().is_err());
    let before = tokio::time::Instant::now();
    stage.asked().await.answer("hi");
    assert!(before.elapsed().as_secs() <= 10);
    stage.until_idle(1).await;
    assert!(stage.notices()[1].contains("without the tools of slow"), "{:?}", stage.notices());
}

#[tokio::test(start_paused = true)]
async fn long_results_are_cut_and_the_whole_is_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { result_limit: 500, ..Wanted::default() });
    stage.say("go").await;
    let asked = stage.asked().await;
    asked.call("1", "alpha", json!({}));
    asked.stop(StopReason::ToolCalls);
    let whole: String = (0..3000).map(|line| format!("line {line}\n")).collect();
    stage.called().await.ok(&whole);
    let asked = stage.asked().await;
    let sent = said(&asked.request)[2].clone();
    assert!(sent.contains("line 0\n") && sent.contains("line 2999\n") && sent.len() < 4000);
    asked.answer("ok");
    stage.until_idle(1).await;
    let spill = stage.seen.iter().find_map(|event| match &event.body {
        Body::ToolFinished { spill, full_bytes, .. } => Some((spill.clone().unwrap(), *full_bytes)),
        _ => None,
    });
    let (file, bytes) = spill.unwrap();
    assert_eq!((std::fs::read_to_string(file).unwrap(), bytes), (whole.clone(), whole.len() as u64));
    assert!(stage.lines().iter().any(|line| line.contains("whole kept in a file")));
}

#[tokio::test(start_paused = true)]
async fn the_projects_instructions_open_the_conversation_once() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("AGENTS.md"), "Use tabs, {{ROLE}}.").unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    for turn in 1..=2 {
        stage.say("hello").await;
        let asked = stage.asked().await;
        assert!(said(&asked.request)[0].contains("Use tabs, "));
        assert_eq!(format!("{:?}", said(&asked.request)).matches("Use tabs").count(), 1);
        asked.answer("hi");
        stage.until_idle(turn).await;
    }
}

#[tokio::test(start_paused = true)]
async fn commands_answer_and_change_what_they_say() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    for line in ["/help", "/model", "/effort high", "/role", "/context", "/info", "/mcp full", "/effort odd"] {
        let before = stage.own.transcript.len();
        stage.say(line).await;
        stage.until(line, |own| own.transcript.len() > before).await;
    }
    let lines = stage.lines();
    assert!(lines[0].contains("hold [all|assistant|user|tool|system|large]"), "{}", lines[0]);
    assert!(lines[2].ends_with("the effort is now high") && lines[3].contains("▸  assistant"));
    assert!(lines[7].contains("One of none, low, medium, high, xhigh, max"));
    assert_eq!(stage.own.session.effort, Effort::High);
    stage.say("/model nowhere:x").await;
    stage.until("refused", |own| own.transcript.len() == 9).await;
    assert!(stage.lines()[8].contains("stays as it is. There is no model nowhere:x."));
    stage.say("/model fake:two").await;
    stage.until("changed", |own| own.session.model.name == "fake:two").await;
    stage.say("/role broken").await;
    stage.until("refused", |own| own.transcript.len() == 11).await;
    assert_eq!((stage.own.session.role.as_str(), stage.own.session.model.name.as_str()), ("assistant", "fake:two"));
    assert!(stage.lines()[10].contains("The role stays assistant. The role broken stays off"));
    stage.say("/role expert").await;
    stage.until("changed", |own| own.session.role == "expert" && own.session.model.name == "fake:expert").await;
    stage.say("/clear").await;
    stage.until("cleared", |own| own.transcript.is_empty()).await;
    stage.say("/modle x").await;
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: /modle x"], "an unknown command is ordinary input");
    stage.say("/hepl").await;
    asked.answer("?");
    stage.until("a hint", |own| own.notes.iter().any(|note| note.text.contains("/hepl is no command"))).await;
    assert!(stage.quit().await.outcome.is_some());
}

#[tokio::test(start_paused = true)]
async fn new_ends_the_old_session_and_begins_another_with_the_same_servers() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("one").await;
    stage.asked().await.answer("1");
    stage.until_idle(1).await;
    stage.say("/new a title").await;
    stage.until("the new session", |own| own.session.title.as_deref() == Some("a title")).await;
    assert_ne!(stage.own.session.name, "play");
    assert_eq!((stage.own.turn.0, stage.own.surface().0), (0, 2));
    assert_eq!(stage.own.session.model.name, "fake:one");
    stage.say("two").await;
    let asked = stage.asked().await;
    assert_eq!(said(&asked.request), ["user: two"]);
    asked.answer("2");
    stage.until_idle(1).await;
    let down = std::sync::Arc::clone(&stage.down);
    let end = stage.quit().await;
    assert_eq!(*down.lock().unwrap(), 1);
    let sessions = crate::session::store::list(&dir.path().join("sessions")).unwrap();
    let names: Vec<&str> = sessions.iter().map(|session| session.name.as_str()).collect();
    assert_eq!(names, [end.name.as_str(), "play"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_in_which_nothing_was_said_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage =
        Stage::open(dir.path(), Wanted { pick: crate::session::Pick::New { name: None }, ..Wanted::default() });
    stage.until("open", |own| !own.session.model.name.is_empty()).await;
    stage.quit().await;
    assert!(crate::session::store::list(&dir.path().join("sessions")).unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_fills_each_request_is_recorded_and_adds_up_to_its_estimate() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted::default());
    stage.say("look at the orders").await;
    let asked = stage.asked().await;
    asked.text("I look.");
    asked.call("1", "alpha", json!({ "id": "orders" }));
    // Reported as twice the estimate, so that the next one is bent.
    asked.usage(9_000, 0.1);
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok(&"a long line of the orders table\n".repeat(900));
    let asked = stage.asked().await;
    asked.usage(30_000, 0.1);
    asked.answer("There they are.");
    stage.until_idle(1).await;
    stage.say("and now?").await;
    stage.asked().await.answer("Done.");
    stage.until_idle(2).await;
    let started: Vec<(RequestId, u64)> = stage
        .seen
        .iter()
        .filter_map(|event| match &event.body {
            Body::RequestStarted { request, estimated_tokens, .. } => Some((*request, *estimated_tokens)),
            _ => None,
        })
        .collect();
    let filled: Vec<(RequestId, u64)> = stage
        .seen
        .iter()
        .filter_map(|event| match &event.body {
            Body::RequestFilled(filling) => Some((filling.request, filling.tokens())),
            _ => None,
        })
        .collect();
    assert_eq!(started.len(), 3);
    assert_eq!(filled, started, "every request, to the token");
    let last = stage.own.filling(Purpose::Main).unwrap().clone();
    assert_eq!(last.window, Some(100_000));
    let server = |what: &Filled| matches!(what, Filled::Tool(server, tool) if !server.is_empty() && tool == "alpha");
    assert!(last.parts.iter().any(|(what, _)| server(what)), "{last:?}");
    assert!(last.of_group(FilledGroup::Results) > last.of_group(FilledGroup::Own));
    stage.quit().await;
    let again = Wanted { pick: crate::session::Pick::Resume { name: "play".into() }, ..Wanted::default() };
    let mut again = Stage::open(dir.path(), again);
    again.until("taken up", |own| !own.fillings.is_empty()).await;
    assert_eq!(**again.own.filling(Purpose::Main).unwrap(), *last);
    again.quit().await;
}
