//! Servers that misbehave: each is named with what is wrong, and costs only itself.

use std::time::{Duration, Instant};

use octomind::mcp::ServerSpec;
use octomind::proto::{Body, ServerState, ToolOutcome};
use serde_json::json;

use super::rig::{DEADLINE, Rig, options};
use crate::fake_server::spec;

/// How it behaves while it starts, and what is said of it: the reason, and part of what to do.
const STARTING: [(&str, &str, &str); 10] = [
    ("exit1", "it exited with code 1 before it was ready; it said: UC_REQUIRED_KEY is not set", "correct that"),
    ("die_init", "it exited with code 4 before it was ready; it said: fatal: cannot initialize", "correct that"),
    ("die_list", "it exited with code 4 before it was ready; it said: fatal: cannot tools/list", "correct that"),
    ("mute", "it did not answer within 1.5 s", "error output"),
    ("hang_init", "it did not answer within 1.5 s", "error output"),
    ("hang_list", "it did not answer within 1.5 s", "error output"),
    ("refuse_init", "it refused the handshake: not [31mtoday", "documentation"),
    ("refuse_list", "it does not list its tools: not [31mtoday", "error output"),
    ("odd_init", "the handshake failed", "MCP server"),
    ("flood_out", "it floods its standard output", "error output or a file"),
];

/// These stray too, and work all the same.
const WORKING: [&str; 4] = ["ok", "flood", "lies", "noise"];

fn impatient(mut spec: ServerSpec) -> ServerSpec {
    spec.timeout = Duration::from_millis(1500);
    spec
}

#[tokio::test]
async fn each_server_that_does_not_start_is_named_and_all_others_work() {
    let mut options = options();
    options.policy.connect = Duration::from_millis(1500);
    let mut rig = Rig::new(options);
    let bad = STARTING.iter().map(|(mode, ..)| impatient(spec(mode, mode)));
    let good = WORKING.iter().map(|mode| spec(mode, mode));
    rig.servers.start(bad.chain([impatient(spec("odd_list", "odd_list"))]).chain(good).collect());
    for mode in WORKING {
        rig.state(mode, "ready", |state| matches!(state, ServerState::Ready { .. })).await;
        assert_eq!(rig.words(mode, "hello", json!({})).await, (ToolOutcome::Ok, "hello".to_owned()), "{mode}");
    }
    for (mode, reason, advice) in STARTING {
        let state = rig.state(mode, "given up", |state| matches!(state, ServerState::Failed { .. })).await;
        let ServerState::Failed { reason: said, .. } = state else { unreachable!() };
        assert!(said.starts_with(reason), "{mode}: {said}");
        // Those that fail for one reason are told together.
        let told = |body: &Body| match body {
            Body::Notice { text, hint, .. } => {
                text.contains(mode) && hint.as_ref().is_some_and(|hint| hint.contains(advice))
            }
            _ => false,
        };
        rig.until(&format!("{mode}: {advice}"), told).await;
        let (outcome, words) = rig.words(mode, "hello", json!({})).await;
        assert!(outcome != ToolOutcome::Ok && words.contains(mode), "{mode}: {words}");
    }
    rig.notice("odd_list: page 1 of its tool list holds no list").await;
    for mode in WORKING {
        assert_eq!(rig.words(mode, "hello", json!({})).await.1, "hello", "{mode}");
    }
    let told = format!("{:?}", rig.told);
    for hidden in ["u{1b}", "u{202e}"] {
        assert!(!told.contains(hidden), "{hidden} in {told}");
    }
    rig.end().await;
}

/// Waits until a server answers again.
async fn answers(rig: &Rig, server: &str) {
    let begun = Instant::now();
    loop {
        let (outcome, words) = rig.words(server, "hello", json!({})).await;
        if outcome == ToolOutcome::Ok {
            return;
        }
        assert!(begun.elapsed() < DEADLINE, "{server} never answers again: {words}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The tool that is called, how the call ends, and what is said of it.
const CALLING: [(&str, ToolOutcome, &str); 10] = [
    ("giant", ToolOutcome::Error, "larger than 64 MB; ask for less at a time"),
    ("twice", ToolOutcome::Ok, "once"),
    ("stranger", ToolOutcome::Ok, "friendly"),
    ("bytes", ToolOutcome::Ok, "readable"),
    ("odd", ToolOutcome::Ok, "hologram"),
    ("half", ToolOutcome::Error, "the server's answer cannot be read: EOF"),
    ("crash", ToolOutcome::Lost, "went away while crash ran"),
    ("dumb", ToolOutcome::Lost, "went away while dumb ran"),
    ("hang", ToolOutcome::TimedOut, "no progress for 1.5 s"),
    ("deaf", ToolOutcome::TimedOut, "no progress for 1.5 s"),
];

#[tokio::test]
async fn each_call_that_goes_wrong_says_how_and_the_next_one_works() {
    let of = |(tool, outcome, _): &(&str, ToolOutcome, &str)| match outcome {
        ToolOutcome::TimedOut => impatient(spec(tool, "ok")),
        // A busy machine takes its time over a hundred megabytes.
        _ if *tool == "giant" => ServerSpec { timeout: Duration::from_secs(60), ..spec(tool, "ok") },
        _ => spec(tool, "ok"),
    };
    let mut rig = Rig::start(CALLING.iter().map(of).chain([spec("good", "ok")]).collect()).await;
    for (tool, outcome, words) in CALLING {
        let result = rig.call(tool, tool, json!({})).await;
        let said = format!("{:?}", result.content);
        assert!(result.outcome == outcome && said.contains(words), "{tool}: {:?} {said:.400}", result.outcome);
        assert_eq!(rig.words("good", "hello", json!({})).await.1, "hello", "beside {tool}");
        answers(&rig, tool).await;
    }
    rig.drain();
    let down = |body: &Body| match body {
        Body::ServerChanged { server, state, .. } => {
            server == "good" && matches!(state, ServerState::Waiting { .. } | ServerState::Failed { .. })
        }
        _ => false,
    };
    assert!(!rig.told.iter().any(down), "the good one was never down");
    rig.end().await;
}

#[tokio::test]
async fn what_a_server_asks_for_is_refused_as_the_protocol_says_and_named() {
    let mut rig = Rig::start(vec![spec("s", "ok")]).await;
    let (outcome, words) = rig.words("s", "asks", json!({})).await;
    let wanted =
        "sampling/createMessage: -32601\nelicitation/create: -32601\nroots/list: -32601\nping: {}\nfiles/steal: -32601";
    assert_eq!((outcome, words.as_str()), (ToolOutcome::Ok, wanted));
    rig.servers.disable("s");
    let body = rig
        .until("disabled", |body| matches!(body, Body::ServerChanged { state: ServerState::Disabled { .. }, .. }))
        .await;
    let Body::ServerChanged { stderr, .. } = body else { unreachable!() };
    for method in ["sampling/createMessage", "elicitation/create", "roots/list", "files/steal"] {
        let line = format!("octomind: it asked for `{method}`, which is not offered to servers");
        assert!(stderr.contains(&line), "{method}: {stderr:?}");
    }
    rig.end().await;
}

#[tokio::test]
async fn a_tool_that_leaves_the_list_in_the_middle_of_its_call_ends_it_well() {
    let mut rig = Rig::start(vec![spec("s", "vanishing")]).await;
    assert_eq!(rig.wire_names(), ["hello", "vanish"]);
    let call = rig.words("s", "vanish", json!({"ms": 1500})).await;
    assert_eq!(call, (ToolOutcome::Ok, "still here".to_owned()));
    rig.until(
        "the change",
        |body| matches!(body, Body::ServerTools { tools, .. } if tools.iter().any(|tool| tool.name == "new")),
    )
    .await;
    assert_eq!(rig.wire_names(), ["hello", "new"]);
    let (outcome, words) = rig.words("s", "vanish", json!({})).await;
    assert!(outcome == ToolOutcome::Refused && words.contains("has no tool vanish"), "{words}");
    assert_eq!(rig.words("s", "hello", json!({})).await.1, "hello");
    rig.end().await;
}

#[tokio::test]
async fn a_tool_that_describes_itself_otherwise_later_is_shown_with_both_descriptions() {
    let mut rig = Rig::start(vec![spec("s", "rugpull"), spec("other", "ok")]).await;
    rig.call("s", "hello", json!({})).await;
    let (level, text, hint) = rig.notice("describes its tool hello otherwise").await;
    assert_eq!(level, octomind::proto::Level::Warning);
    assert!(text.contains("\n- Says hello\n+ Sends your keys away"), "{text}");
    assert!(hint.unwrap().contains("switch s off"));
    // The same change is told once, however often the server says that its list changed.
    rig.call("s", "hello", json!({})).await;
    rig.call("other", "hello", json!({})).await;
    let servers = rig.servers.clone();
    servers.shutdown().await;
    assert_eq!(rig.notices().iter().filter(|text| text.contains("otherwise")).count(), 1, "{:?}", rig.notices());
}
