//! `kill -9` at random points over many sessions: no journal is unreadable, nothing that was said is lost,
//! nothing runs twice.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

use serde_json::Value;

use super::home::Home;

/// Every call leaves one line behind, so that what ran can be counted.
const SCRIPT: &str = r#"
words = 1

[[turn]]
match = "^(go\\s*)+$"
[[turn.reply]]
text = "one two three"
pace_ms = 2
calls = [{ tool = "shell", arguments = { command = "echo a >> effects" } }]
[[turn.reply]]
text = "four"
calls = [{ tool = "shell", arguments = { command = "echo b >> effects; sleep 0.02" } }, { tool = "shell", arguments = { command = "echo c >> effects" } }]
[[turn.reply]]
text = "five six seven"
pace_ms = 2
calls = [{ tool = "shell", arguments = { command = "sleep 0.02; echo d >> effects; seq 1 9000" } }]
[[turn.reply]]
text = "all of it is done"
pace_ms = 2

[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

/// Kills of one session before another begins.
const OF_ONE: usize = 10;

fn random(limit: u64) -> u64 {
    RandomState::new().hash_one(()) % limit
}

/// What a killed run had said on its output: whole lines.
fn said(child: &mut Child) -> std::thread::JoinHandle<Vec<Value>> {
    let out = child.stdout.take().unwrap();
    std::thread::spawn(move || {
        let lines = BufReader::new(out).lines().map_while(Result::ok);
        lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
    })
}

#[derive(Default)]
struct Seen {
    results: BTreeSet<String>,
    texts: Vec<String>,
}

impl Seen {
    fn add(&mut self, lines: &[Value]) {
        for line in lines {
            match line["type"].as_str() {
                Some("tool_result") => drop(self.results.insert(line["tool_id"].as_str().unwrap().to_owned())),
                Some("assistant") => self.texts.push(line["content"].as_str().unwrap().to_owned()),
                _ => {}
            }
        }
    }
}

/// The whole journal is readable, holds what was said, and every call ran once at the most.
fn check(home: &Home, name: &str, seen: &Seen, delays: &[u64]) {
    let journal = fs::read_to_string(home.journal(name)).unwrap_or_default();
    let events: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{delays:?}: {error}: {line}")))
        .collect();
    let mut last = 0;
    let (mut started, mut finished, mut texts) = (Vec::new(), BTreeSet::new(), Vec::new());
    for event in &events {
        let seq = event["seq"].as_u64().unwrap();
        assert!(seq > last, "{delays:?}: {seq} after {last}");
        last = seq;
        let body = &event["body"];
        if let Some(call) = body.pointer("/tool_started/call").and_then(Value::as_str) {
            started.push(call.to_owned());
        }
        if let Some(call) = body.pointer("/tool_finished/call").and_then(Value::as_str) {
            assert!(started.iter().any(|known| known == call), "{delays:?}: {call} ended and never began");
            assert!(finished.insert(call.to_owned()), "{delays:?}: {call} ended twice");
        }
        if let Some(text) = body.pointer("/assistant_message/text").and_then(Value::as_str) {
            texts.push(text.to_owned());
        }
    }
    let once: BTreeSet<&String> = started.iter().collect();
    assert_eq!(once.len(), started.len(), "{delays:?}: a call began twice");
    let lost: Vec<&String> = seen.results.difference(&finished).collect();
    assert!(lost.is_empty(), "{delays:?}: results that were told are gone: {lost:?}");
    for text in &seen.texts {
        let at = texts.iter().position(|known| known == text);
        texts.remove(at.unwrap_or_else(|| panic!("{delays:?}: told and gone: {text}")));
    }
    let effects = fs::read_to_string(home.path("project/effects")).unwrap_or_default().lines().count();
    assert!(effects <= started.len(), "{delays:?}: {effects} effects of {} calls", started.len());
    let ok = events.iter().filter(|event| event["body"].pointer("/tool_finished/outcome") == Some(&"ok".into()));
    assert!(ok.count() <= effects, "{delays:?}: more calls succeeded than had an effect");
}

/// Kills so many runs, and looks at what each session holds after every one.
fn kill(runs: usize) {
    let (mut within, mut amid) = (400, 0);
    for first in (0..runs).step_by(OF_ONE) {
        let home = Home::playing(SCRIPT);
        let (mut seen, mut delays) = (Seen::default(), Vec::new());
        for _ in first..runs.min(first + OF_ONE) {
            let mut child = home.spawn(&["--name", "victim", "--format", "jsonl"], "go");
            let lines = said(&mut child);
            let delay = random(within);
            delays.push(delay);
            // The moment of the kill is the point of the test.
            std::thread::park_timeout(Duration::from_millis(delay));
            let whole = matches!(child.try_wait(), Ok(Some(_)));
            let begun = fs::metadata(home.journal("victim")).is_ok();
            amid += usize::from(begun && !whole);
            let _ = child.kill();
            child.wait().unwrap();
            // Kills that mostly come after the end, or before the beginning, would show little.
            within = if whole { (within * 9 / 10).max(120) } else { (within + 8).min(3000) };
            home.assert_nothing_alive();
            seen.add(&lines.join().unwrap());
            check_torn(&home, &seen, &delays);
        }
        let mut child = home.spawn(&["--name", "victim", "--format", "jsonl"], "and now?");
        let lines = said(&mut child);
        let status = child.wait().unwrap();
        let lines = lines.join().unwrap();
        assert_eq!(status.code(), Some(0), "{delays:?}: {lines:?}");
        seen.add(&lines);
        check(&home, "victim", &seen, &delays);
        home.assert_nothing_alive();
    }
    println!("{amid} of {runs} kills met a session at work");
    // A dozen on a slow machine may all come too early.
    assert!(runs < 100 || amid * 4 >= runs, "most kills came too early or too late: {amid} of {runs}");
}

/// Right after a kill the last line may be half a record; all before it is whole.
fn check_torn(home: &Home, seen: &Seen, delays: &[u64]) {
    let path = home.journal("victim");
    let Ok(bytes) = fs::read(&path) else {
        assert!(seen.results.is_empty() && seen.texts.is_empty(), "{delays:?}: told, and no journal");
        return;
    };
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let whole = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut torn = 0;
    for line in whole.lines() {
        torn += usize::from(serde_json::from_str::<Value>(line).is_err());
    }
    assert_eq!(torn, 0, "{delays:?}: unreadable records in the middle");
    for call in &seen.results {
        assert!(whole.contains(&format!("\"{call}\"")), "{delays:?}: {call} was told and is not written down");
    }
}

#[test]
fn a_dozen_kills_lose_nothing_that_was_said_and_run_nothing_twice() {
    kill(12);
}

#[test]
#[ignore = "takes five minutes and more"]
fn a_thousand_kills_lose_nothing_that_was_said_and_run_nothing_twice() {
    kill(1000);
}
