//! How long a journal of 100 MB takes to become a session again: `cargo bench --bench resume`.
//!
//! The limit is 1.5 s. The journal is made of turns as they are: a question, a request, streamed
//! text that was kept, tool calls with results of a few kilobytes, an answer.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop and prints its numbers")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use octomind::model::History;
use octomind::proto::{
    Body, CallId, Content, Event, Order, Origin, Purpose, RequestId, Seq, Snapshot, StopReason, ToolCall, ToolOutcome,
    TurnId, TurnOutcome, Usage,
};
use octomind::session::journal;

const BYTES: u64 = 100_000_000;
const LIMIT: Duration = Duration::from_millis(1500);
const RUNS: usize = 3;

fn main() {
    let folder = std::env::temp_dir().join(format!("octomind-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the journal");
    let path = folder.join(journal::JOURNAL);
    let events = write(&path);
    let bytes = fs::metadata(&path).expect("the journal").len();
    println!("journal   {:.1} MB, {events} events", bytes as f64 / 1e6);
    let best = (0..RUNS).map(|_| resume(&path, events)).min().unwrap_or_default();
    println!(
        "resume    {:.0} ms (limit {} ms), {:.0} MB/s",
        ms(best),
        LIMIT.as_millis(),
        bytes as f64 / 1e3 / ms(best)
    );
    fs::remove_dir_all(&folder).expect("the folder can be removed");
    assert!(best < LIMIT, "resuming took {:.0} ms", ms(best));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn resume(path: &Path, events: u64) -> Duration {
    let begun = Instant::now();
    let mut snapshot = Snapshot::default();
    let mut history = History::default();
    let reading = journal::read(path, |event| {
        snapshot.apply(&event);
        history.apply(&event.body);
    });
    let reading = reading.expect("the journal can be read");
    let time = begun.elapsed();
    assert_eq!((reading.events, reading.skipped, reading.torn_bytes), (events, 0, 0));
    assert!(!history.is_empty() && !snapshot.transcript.is_empty());
    time
}

fn write(path: &Path) -> u64 {
    let mut file = BufWriter::new(File::create(path).expect("the journal can be made"));
    let mut seq = 0;
    let mut written = 0;
    for turn in 1.. {
        for (order, body) in turn_of(turn) {
            seq += 1;
            let event = Event { seq: Seq(seq), at: 1_800_000_000_000 + seq, order: Some(order), body };
            let mut line = serde_json::to_vec(&event).expect("events are JSON");
            line.push(b'\n');
            file.write_all(&line).expect("the disk has room");
            written += line.len() as u64;
        }
        if written >= BYTES {
            break;
        }
    }
    file.flush().expect("the disk has room");
    seq
}

fn turn_of(turn: u32) -> Vec<(Order, Body)> {
    let at = |round, slot| Order { turn, round, slot };
    let request = RequestId(turn * 2);
    let question = format!("Question {turn}: why is \"this\" slow?\nLook at src/main.rs.");
    let result = "fn main() {\n\tlet café = \"naïve\"; // \u{1F980}\n}\n".repeat(80);
    let mut events = vec![
        (at(0, 0), Body::TurnStarted { turn: TurnId(turn) }),
        (
            at(0, 0),
            Body::UserMessage { content: Content::Text(question), attachments: Vec::new(), origin: Origin::Person },
        ),
        (at(1, 1), started(request)),
        (at(1, 1), delta(request)),
        (at(1, 1), reply(request, turn, 4)),
    ];
    for call in 0..4 {
        let id = CallId(format!("c{}-{call}", request.0));
        let arguments = serde_json::json!({"path": "src/main.rs", "range": [1, 80]});
        let (server, tool) = ("files".to_owned(), "view".to_owned());
        events.push((at(1, 2 + call), Body::ToolStarted { call: id.clone(), server, tool, arguments }));
        let content = Content::Text(result.clone());
        let full_bytes = content.bytes();
        let outcome = ToolOutcome::Ok;
        events.push((
            at(1, 2 + call),
            Body::ToolFinished { call: id, outcome, content, full_bytes, spill: None, elapsed_ms: 3 },
        ));
    }
    let next = RequestId(request.0 + 1);
    events.push((at(2, 1), started(next)));
    events.push((at(2, 1), reply(next, turn, 0)));
    let usage = Usage { input: 5000, output: 300, cost: Some(0.0123), ..Usage::default() };
    events.push((
        at(2, 1),
        Body::RequestFinished { request: next, purpose: Purpose::Main, usage, first_token_ms: 9, elapsed_ms: 90 },
    ));
    events.push((at(2, 1), Body::TurnEnded { turn: TurnId(turn), outcome: TurnOutcome::Done, elapsed_ms: 100 }));
    events
}

fn started(request: RequestId) -> Body {
    Body::RequestStarted {
        request,
        purpose: Purpose::Main,
        model: "test:model".to_owned(),
        estimated_tokens: 5000,
        bytes: 20_000,
        tools: 6,
        prefix: "0123456789abcdef".to_owned(),
    }
}

fn delta(request: RequestId) -> Body {
    Body::TextDelta { request, offset: 0, text: "I will look at the file first. ".repeat(20) }
}

fn reply(request: RequestId, turn: u32, calls: u32) -> Body {
    let call = |position| ToolCall {
        id: CallId(format!("c{}-{position}", request.0)),
        provider_id: format!("call_{turn}_{position}"),
        wire_name: "view".to_owned(),
        arguments: serde_json::json!({"path": "src/main.rs", "range": [1, 80]}),
        malformed: None,
        signature: None,
    };
    Body::AssistantMessage {
        request,
        text: "The **loop** allocates on every turn; see `src/main.rs:17`.\n\n".repeat(12),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: (0..calls).map(call).collect(),
        stop: if calls > 0 { StopReason::ToolCalls } else { StopReason::End },
        scripted: false,
        model: "test:model".to_owned(),
    }
}
