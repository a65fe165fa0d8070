use std::time::Duration;

use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::model::{Delta, Message, Part, ToolResult, ToolSpec};
use crate::proto::{Effort, Mechanic, StopReason};

fn request(messages: Vec<Message>) -> Request {
    Request {
        purpose: crate::proto::Purpose::Main,
        system: String::new(),
        tools: vec![ToolSpec {
            name: "files_view".into(),
            description: String::new(),
            schema: serde_json::json!({"type": "object"}),
        }],
        static_tools: 1,
        messages,
        effort: Effort::Medium,
        max_tokens: 100,
        temperature: 0.0,
        top_p: 1.0,
        top_k: 0,
        schema: None,
        idle_timeout: Duration::from_millis(20),
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.into())])
}

fn said(text: &str) -> Message {
    Message::Assistant { text: text.into(), reasoning: vec![], calls: vec![], model: String::new() }
}

fn answer(text: &str) -> Message {
    Message::Tools(vec![ToolResult {
        provider_id: "x".into(),
        wire_name: "files_view".into(),
        parts: vec![Part::Text(text.into())],
        error: false,
    }])
}

fn play(model: &Scripted, messages: Vec<Message>) -> Vec<Result<Delta, Fault>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(model.stream(request(messages), CancellationToken::new()).collect())
}

fn text(deltas: &[Result<Delta, Fault>]) -> String {
    let piece = |delta: &Result<Delta, Fault>| match delta {
        Ok(Delta::Text(text)) => text.clone(),
        _ => String::new(),
    };
    deltas.iter().map(piece).collect()
}

fn open(script: &str) -> Scripted {
    Scripted::parse("t.toml", script).unwrap()
}

#[test]
fn turns_answer_by_pattern_place_order_and_otherwise() {
    let model = open(
        "[[turn]]\nmatch = 'weather in (\\w+)'\n[[turn.reply]]\ntext = 'Sunny in {{1}}.'\n\
         [[turn]]\nat = 3\n[[turn.reply]]\ntext = 'third'\n\
         [[turn]]\n[[turn.reply]]\ntext = 'first in order'\n\
         [[turn]]\n[[turn.reply]]\ntext = 'second in order'\n\
         [[turn]]\notherwise = true\n[[turn.reply]]\ntext = 'else: {{message}} {{unknown}}'\n",
    );
    let ask = |texts: &[&str]| {
        let mut messages = Vec::new();
        for question in texts {
            messages.push(user(question));
            messages.push(said("x"));
        }
        messages.pop();
        text(&play(&model, messages))
    };
    assert_eq!(ask(&["what is the weather in Oslo"]), "Sunny in Oslo.");
    assert_eq!(ask(&["hi"]), "first in order");
    assert_eq!(ask(&["weather in Rome", "hi"]), "first in order");
    assert_eq!(ask(&["a", "b"]), "second in order");
    assert_eq!(ask(&["a", "b", "c"]), "third");
    assert_eq!(ask(&["a", "b", "c", "d"]), "else: d {{unknown}}");
}

#[test]
fn calls_find_their_tool_and_the_next_reply_sees_the_result() {
    let model = open(
        "[[turn]]\nmatch = 'open (.*)'\n[[turn.reply]]\nreasoning = 'I look.'\n\
         calls = [{ tool = 'view', arguments = { path = '{{1}}', deep = { n = 2 } } }, { tool = 'nowhere', raw = '{bad' }]\n\
         [[turn.reply]]\ntext = 'It says: {{last_result}}'\n",
    );
    let deltas = play(&model, vec![user("open a.txt")]);
    let calls: Vec<_> =
        deltas.iter().filter_map(|d| if let Ok(Delta::Call(call)) = d { Some(call) } else { None }).collect();
    assert_eq!(calls[0].name, "files_view");
    assert_eq!(calls[0].arguments, serde_json::json!({"path": "a.txt", "deep": {"n": 2}}));
    assert_eq!((calls[1].name.as_str(), calls[1].malformed.is_some()), ("nowhere", true));
    assert_eq!(deltas.last(), Some(&Ok(Delta::Stop(StopReason::ToolCalls))));
    let next = play(&model, vec![user("open a.txt"), said(""), answer("hello")]);
    assert_eq!(text(&next), "It says: hello");
    let over = play(&model, vec![user("open a.txt"), said(""), answer("hello"), said("x"), answer("y")]);
    assert!(over[0].as_ref().unwrap_err().message.contains("no further reply"));
}

#[test]
fn a_fault_clears_up_after_its_tries() {
    let model = open(
        "[[turn]]\n[[turn.reply]]\ntext = 'there'\nfault = { kind = 'overloaded', times = 2, retry_after_ms = 5 }\n",
    );
    let tries: Vec<_> = (0..3).map(|_| play(&model, vec![user("hi")])).collect();
    for failed in &tries[..2] {
        let fault = failed[0].as_ref().unwrap_err();
        assert_eq!((fault.kind, fault.retry_after_ms, failed.len()), (FaultKind::Overloaded, Some(5), 1));
    }
    assert_eq!(text(&tries[2]), "there");
}

#[test]
fn a_cut_and_a_stall_keep_the_text_before_them() {
    for (end, kind) in [("cut", FaultKind::Cut), ("stall", FaultKind::Stalled)] {
        let model = open(&format!("[[turn]]\n[[turn.reply]]\ntext = 'half a'\nend = '{end}'\n"));
        let deltas = play(&model, vec![user("hi")]);
        assert_eq!(text(&deltas), "half a");
        assert_eq!(deltas.last().unwrap().as_ref().unwrap_err().kind, kind);
    }
}

#[test]
fn repeat_gives_exactly_so_many_chunks() {
    let model = open("[[turn]]\n[[turn.reply]]\ntext = 'word '\nrepeat = 2000\n");
    let deltas = play(&model, vec![user("hi")]);
    assert_eq!(deltas.iter().filter(|delta| matches!(delta, Ok(Delta::Text(_)))).count(), 2000);
}

#[test]
fn a_cancelled_stream_ends_at_once() {
    let model = open("[[turn]]\n[[turn.reply]]\ndelay_ms = 60000\ntext = 'late'\n");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let cancel = CancellationToken::new();
    let stream = model.stream(request(vec![user("hi")]), cancel.clone());
    let deltas: Vec<_> = runtime.block_on(async {
        let collected = tokio::spawn(stream.collect::<Vec<_>>());
        tokio::task::yield_now().await;
        cancel.cancel();
        collected.await.unwrap()
    });
    assert_eq!(deltas[0].as_ref().unwrap_err().kind, FaultKind::Cancelled);
}

#[test]
fn a_bad_script_says_where() {
    for (script, place, words) in [
        ("[[turn]]\nmtach = 'x'\n", "2:1", "unknown field `mtach`"),
        ("[[turn]]\nmatch = '('\n[[turn.reply]]\ntext = 'x'\n", "2:9", "no regular expression"),
        ("[[turn]]\n[[turn.reply]]\ntext = 3\n", "3:8", "invalid type"),
        ("[[turn]]\n[[turn.reply]]\nfault = { kind = 'boom' }\n", "3:18", "unknown variant"),
    ] {
        let fault = Scripted::parse("t.toml", script).unwrap_err();
        assert!(fault.message.contains(&format!("at {place}:")), "{}", fault.message);
        assert!(fault.message.contains(words), "{}", fault.message);
    }
    assert!(Scripted::open("/nowhere/x.toml").unwrap_err().message.contains("/nowhere/x.toml"));
}

/// Walks the whole tour as a session would, answering every call and every fault.
#[test]
fn the_tour_can_be_walked_to_its_end() {
    let mut tour = Scripted::open("tour").unwrap();
    tour.script.pace_ms = 0;
    tour.script.turns.iter_mut().flat_map(|turn| &mut turn.replies).for_each(|reply| reply.delay_ms = 0);
    assert!(tour.info().scripted);
    let mut messages = Vec::new();
    let (mut tools, mut faults) = (Vec::new(), 0);
    for stop in 0..8 {
        messages.push(user("next"));
        loop {
            let deltas = play(&tour, messages.clone());
            if let Some(Err(fault)) = deltas.last() {
                assert_eq!((fault.kind, fault.retry_after_ms), (FaultKind::Overloaded, Some(3000)));
                faults += 1;
                continue;
            }
            messages.push(said(&text(&deltas)));
            let calls: Vec<_> = deltas
                .iter()
                .filter_map(|delta| if let Ok(Delta::Call(call)) = delta { Some(call.name.clone()) } else { None })
                .collect();
            if calls.is_empty() {
                break;
            }
            tools.extend(calls);
            messages.push(answer("x"));
        }
        assert!(stop < 7 || text(&play(&tour, messages[..messages.len() - 1].to_vec())).contains("tour is over"));
    }
    assert_eq!(tools, ["list", "search", "files_view", "files_view", "list"]);
    assert_eq!(faults, 1);
}

fn asks(model: &Scripted, mechanic: Mechanic, question: &str) -> Vec<Result<Delta, Fault>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let request = Request { purpose: Purpose::Supervisor(mechanic), ..request(vec![user(question)]) };
    runtime.block_on(model.stream(request, CancellationToken::new()).collect())
}

#[test]
fn the_supervisor_gets_its_own_answers() {
    let model = open(
        r#"
        [[turn]]
        [[turn.reply]]
        text = "hello"
        [[supervise]]
        asks = "gate"
        match = 'call:(\S+)'
        times = 1
        reply = '{"ref":"{{1}}"}'
        [[supervise]]
        asks = "gate"
        delay_ms = 1
        reply = "second"
        [[supervise]]
        asks = "refute"
        fault = { kind = "overloaded" }
        "#,
    );
    assert_eq!(text(&asks(&model, Mechanic::Gate, "no reference")), "second");
    assert_eq!(text(&asks(&model, Mechanic::Gate, "see call:c1-1 there")), r#"{"ref":"c1-1"}"#);
    assert_eq!(text(&asks(&model, Mechanic::Gate, "see call:c1-1 there")), "second", "once is enough");
    assert_eq!(asks(&model, Mechanic::Refute, "x")[0].clone().unwrap_err().kind, FaultKind::Overloaded);
    let fault = asks(&model, Mechanic::Condense, "x")[0].clone().unwrap_err();
    assert_eq!(
        (fault.kind, fault.message.as_str()),
        (FaultKind::BadRequest, "The script has no answer for the condense.")
    );
    assert_eq!(text(&play(&model, vec![user("hi")])), "hello", "turns are played as before");
    let bad = Scripted::parse("bad", "turn = []\n[[supervise]]\nasks = \"gate\"\nmatch = \"(\"\n").unwrap_err();
    assert!(bad.message.contains("at 4:9: the pattern"), "{}", bad.message);
}

#[test]
fn what_the_runtime_says_is_no_message_to_answer() {
    let model = open(
        r#"
        [[turn]]
        [[turn.reply]]
        text = "first"
        [[turn.reply]]
        text = "after the note"
        [[turn]]
        [[turn.reply]]
        text = "second"
        "#,
    );
    let note = "<octomind-note kind=\"gate\">\nmore\n</octomind-note>";
    assert_eq!(text(&play(&model, vec![user("hi"), said("first"), user(note)])), "after the note");
    let both = Message::User(vec![Part::Text(note.into()), Part::Text("go on".into())]);
    assert_eq!(text(&play(&model, vec![user("hi"), said("first"), both.clone()])), "second");
    let recited = Message::User(vec![Part::Text("hi".into()), Part::Text(note.into())]);
    assert_eq!(text(&play(&model, vec![recited])), "first");
}

#[test]
fn a_status_is_only_said_when_it_is_asked_for() {
    let model = open("[[turn]]\n[[turn.reply]]\ntext = \"hi\"\nstatus = '{\"state\":\"done\"}'\n");
    assert_eq!(text(&play(&model, vec![user("x")])), "hi");
    let asking = Request { system: "End with <sup>{}</sup>.".into(), ..request(vec![user("x")]) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let deltas = runtime.block_on(model.stream(asking, CancellationToken::new()).collect::<Vec<_>>());
    assert_eq!(text(&deltas), "hi\n<sup>{\"state\":\"done\"}</sup>");
}
