//! `kill -9` at any time: the session comes back with all that was finished, says what was not, and
//! nothing it had started lives on.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::process::Child;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::endpoint::{Endpoint, Plan};
use super::home::{Home, ended};
use crate::workbench::pty::{PATIENCE, until};

/// Eight rounds of one call each.
const ROUNDS: &str = r#"
words = 1

[[turn]]
match = "^(go\\s*)+$"
[[turn.reply]]
text = "one two three"
pace_ms = 3
calls = [{ tool = "shell", arguments = { command = "echo first" } }]
[[turn.reply]]
text = "four"
calls = [{ tool = "list", arguments = { path = "." } }, { tool = "view", arguments = { path = "poem.txt" } }]
[[turn.reply]]
calls = [{ tool = "shell", arguments = { command = "sleep 0.03; echo third" } }]
[[turn.reply]]
text = "five six"
pace_ms = 3
calls = [{ tool = "shell", arguments = { command = "sleep 0.03; echo fourth" } }]
[[turn.reply]]
text = "all of it is done"
pace_ms = 3

[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

/// Below `limit`, different every time.
fn random(limit: u64) -> u64 {
    RandomState::new().hash_one(()) % limit
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn events(home: &Home, session: &str) -> Vec<Value> {
    let text = fs::read_to_string(home.journal(session)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Whole records, in order, every call finished at most once and never without its start.
fn assert_sound(home: &Home, session: &str) {
    let events = events(home, session);
    let mut last = 0;
    let mut open: Vec<Value> = Vec::new();
    for event in &events {
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > last, "{seq} after {last}");
        last = seq;
        let body = &event["body"];
        if let Some(call) = body.pointer("/tool_started/call") {
            open.push(call.clone());
        }
        if let Some(call) = body.pointer("/tool_finished/call") {
            let at = open.iter().position(|known| known == call);
            open.remove(at.unwrap_or_else(|| panic!("{call} finished without a start")));
        }
    }
}

#[test]
fn twenty_kills_at_random_times_lose_nothing_that_was_finished() {
    let home = Home::playing(ROUNDS);
    let mut finished = 0;
    let mut delays = Vec::new();
    for round in 0..20 {
        let child = home.spawn(&["--name", "victim"], "go");
        let delay = Duration::from_millis(random(260));
        delays.push(delay);
        // The time to kill at is the point of the test.
        std::thread::park_timeout(delay);
        kill(child);
        home.assert_nothing_alive();
        let now = home.recorded("victim", "tool_finished").len();
        assert!(now >= finished, "round {round} of {delays:?}: {now} finished calls, {finished} before");
        finished = now;
    }
    let said = home.run(&["--name", "victim"], "go");
    assert_eq!(said.code, Some(0), "{delays:?}: {said:?}");
    assert!(said.out.contains("all of it is done"), "{said:?}");
    assert_sound(&home, "victim");
    assert_eq!(home.recorded("victim", "tool_finished").len(), finished + 5, "{delays:?}");
    home.assert_nothing_alive();
}

#[test]
fn a_kill_in_the_middle_of_a_tool_keeps_the_call_before_it() {
    let home = Home::new();
    // The first call ends, the second does not.
    let command = "if [ -e first ]; then sleep 300; fi; touch first; echo the first is done";
    let tool = vec![("shell".to_owned(), json!({ "command": command }))];
    let endpoint = Endpoint::start(Plan { calls: 2, tool, chunks: 2 }).unwrap();
    let provider = format!("providers.fake.base_url={}", endpoint.base_url);
    let words = ["run", "--model", "fake:instant", "-c", &provider, "--name", "victim"];
    let child = super::home::started(home.command(&words), "do it");
    home.wait_alive("sleep 300");
    assert!(until(PATIENCE, || home.recorded("victim", "tool_started").len() == 2), "two calls");
    kill(child);
    home.assert_nothing_alive();
    endpoint.take();

    let said = ended(super::home::started(home.command(&words), "and now?"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let sent = endpoint.take();
    let messages = sent[0].request["messages"].as_array().unwrap().clone();
    let results: Vec<String> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].to_string())
        .collect();
    assert_eq!(results.len(), 2, "{messages:#?}");
    assert!(results[0].contains("the first is done") && !results[0].contains("Interrupted"), "{results:?}");
    assert!(results[1].contains("Interrupted"), "{results:?}");
    let lost = said.err.contains("in the middle of turn 1") && said.err.contains("files.shell");
    assert!(lost, "what was lost is said: {said:?}");
    assert_sound(&home, "victim");
    home.assert_nothing_alive();
}

#[test]
fn a_kill_in_the_middle_of_a_tool_is_seen_in_the_workbench_that_takes_it_up() {
    let home = Home::new();
    let mut pty = home.workbench(&["--name", "victim"], 100, 30);
    pty.wait_for("● files");
    pty.send(b"look around\r");
    pty.wait_for("I saw:");
    pty.send(b"run sleep 300\r");
    home.wait_alive("sleep 300");
    pty.kill(Signal::KILL);
    pty.end();
    home.assert_nothing_alive();

    let mut pty = home.workbench(&["--resume", "victim"], 100, 30);
    pty.wait_for("lost");
    let text = pty.text();
    let row =
        |wanted: &str| text.lines().find(|line| line.contains(wanted)).unwrap_or_else(|| panic!("{wanted}: {text}"));
    assert!(row("files.list").contains(" ok "), "{text}");
    assert!(row("files.shell").contains("lost"), "{text}");
    pty.send(b"go on\r");
    pty.wait_for("heard: go on");
    pty.kill(Signal::TERM);
    pty.end();
    home.assert_nothing_alive();
}

#[test]
fn a_kill_in_the_middle_of_a_stream_keeps_what_was_read() {
    let home = Home::new();
    let mut pty = home.workbench(&["--name", "victim"], 100, 30);
    pty.wait_for("● files");
    pty.send(b"stream\r");
    assert!(until(PATIENCE, || !home.recorded("victim", "text_delta").is_empty()), "text is kept while it streams");
    pty.kill(Signal::KILL);
    pty.end();
    home.assert_nothing_alive();

    let mut pty = home.workbench(&["--resume", "victim"], 100, 30);
    pty.wait_for("drip drop");
    pty.wait("what was lost", |pty| pty.text().contains("interrupted") && pty.text().contains("in the middle of turn"));
    pty.send(b"go on\r");
    pty.wait_for("heard: go on");
    let kept = home.recorded("victim", "assistant_message");
    assert_eq!(kept[0]["stop"], "interrupted");
    assert!(kept[0]["text"].as_str().is_some_and(|text| text.starts_with("drip drop")), "{kept:?}");
    pty.kill(Signal::TERM);
    pty.end();
    assert_sound(&home, "victim");
}

#[test]
fn a_journal_cut_at_any_byte_is_taken_up() {
    let home = Home::playing(ROUNDS);
    assert_eq!(home.run(&["--name", "victim"], "go").code, Some(0));
    let whole = fs::read(home.journal("victim")).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() as u64 + 1;
    for _ in 0..10 {
        let cut = (first + random(whole.len() as u64 - first)) as usize;
        fs::write(home.journal("victim"), &whole[..cut]).unwrap();
        let torn = whole[cut - 1] != b'\n';
        let said = home.run(&["--resume", "victim"], "hello");
        // A message that got no answer goes out with the next one.
        let answered = said.out.starts_with("heard:") && said.out.trim().ends_with("hello");
        assert!(said.code == Some(0) && answered, "cut at {cut}: {said:?}");
        assert_eq!(said.err.contains("middle of a record"), torn, "cut at {cut}: {said:?}");
        assert_sound(&home, "victim");
    }
    // Nothing but half of the first record.
    fs::write(home.journal("victim"), &whole[..first as usize / 2]).unwrap();
    let said = home.run(&["--resume", "victim"], "hello");
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard: hello"), "{said:?}");
    assert!(said.err.contains("middle of a record"), "{said:?}");
    home.assert_nothing_alive();
}
