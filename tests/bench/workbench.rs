//! How fast the workbench answers where there is much of everything: `cargo bench --bench workbench`.
//!
//! Prints one number a line. Limits: opening any overlay over a session of 10,000 events at most 16 ms, looking at
//! another theme and reading keys and colours again at most 50 ms, a search over 50,000 lines at most 30 ms, a frame
//! at 10,000 entries at most 4 ms, typing `@` among 100,000 files never holds a frame up, and over 10,000 streamed
//! turns that are cleared away memory stays within 5 %.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/played.rs"]
mod played;

use std::path::Path;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use octomind::proto::{
    Body, Content, Filled, FilledGroup, Filling, ModelInfo, Moment, Origin, Purpose, RequestId, Seq, ServerKind,
    ServerState, SessionRow, StopReason, ToolInfo, TurnId, TurnOutcome, Usage,
};
use octomind::ui::composer::Found;
use octomind::ui::file_index::FileIndex;
use octomind::ui::keys;
use octomind::ui::state::{
    ContextSide, Folder, Layer, Listing, LogFloor, Reach, Scroll, Search, Table, Tabled, ThemeRow,
};
use octomind::ui::theme::{BUILT_IN, Depth, load};
use octomind::ui::{LogLevel, LogLine};
use played::{Bench, long_session, milliseconds, percentile, report, resident};

/// Overlays are opened so often; the worst counts.
const OPENED: usize = 20;

fn fill(bench: &mut Bench) {
    let row = |number: u64| SessionRow {
        name: format!("261130-shop-0912-{number:04x}"),
        title: format!("session {number} about the orders"),
        role: "developer:chief".to_owned(),
        workdir: "/home/ada/shop".to_owned(),
        updated: 1_790_000_000_000 - number,
        turns: 9,
        ..SessionRow::default()
    };
    let rows: Vec<SessionRow> = (0..1_000).map(row).collect();
    bench.state.shelf.take(0, rows.len(), &rows);
    let part = |number: u64| (Filled::Tool(format!("server {}", number % 40), format!("tool {number}")), 100 + number);
    for request in 1..=2_000 {
        calls(bench, request);
    }
    let filling = Filling {
        request: RequestId(2_000),
        purpose: Purpose::Main,
        window: Some(200_000),
        parts: (0..300).map(part).collect(),
    };
    bench.event((9_998, 0, 0), Body::RequestFilled(Arc::new(filling)));
    for number in 0..40 {
        server(bench, number);
        bench.state.opened.insert(Folder::Server(format!("server {number}")));
    }
    bench.state.opened.insert(Folder::Group(FilledGroup::Tools));
    let line = |number: u64| LogLine {
        at: number,
        level: if number.is_multiple_of(9) { LogLevel::Warning } else { LogLevel::Info },
        target: "octomind::tap".to_owned(),
        text: format!("line {number} of what was logged"),
    };
    bench.state.log.take((0..1_000).map(line).collect());
    let theme = |(name, _): &(&str, &str)| ThemeRow { name: (*name).to_owned(), words: String::new() };
    bench.state.themes.rows = BUILT_IN.iter().map(theme).collect();
}

fn calls(bench: &mut Bench, request: u32) {
    let (request, purpose) = (RequestId(request), Purpose::Main);
    bench.event(
        (9_998, 0, 0),
        Body::RequestStarted {
            request,
            purpose,
            model: "bench:model".to_owned(),
            estimated_tokens: 12_400,
            bytes: 48_210,
            tools: 11,
            prefix: "0123456789abcdef".to_owned(),
        },
    );
    let usage = Usage { input: 12_400, output: 310, cache_read: 9_000, cost: Some(0.0123), ..Usage::default() };
    bench.event(
        (9_998, 0, 0),
        Body::RequestFinished { request, purpose, usage, first_token_ms: 400, elapsed_ms: 2_100 },
    );
}

fn server(bench: &mut Bench, number: u32) {
    let name = format!("server {number}");
    bench.event(
        (0, 0, 0),
        Body::ServerChanged {
            server: name.clone(),
            kind: ServerKind::Stdio,
            state: ServerState::Ready { since: 1 },
            command: format!("npx -y @example/server-{number}"),
            stderr: (0..20).map(|line| format!("line {line} of what it said")).collect(),
        },
    );
    let tool = |tool: u32| ToolInfo {
        name: format!("tool {tool}"),
        wire_name: format!("tool_{number}_{tool}"),
        summary: "Does one thing and does it well".to_owned(),
        tokens: 120,
        repairs: Vec::new(),
        quarantine: None,
        filtered_by: None,
    };
    bench.event((0, 0, 0), Body::ServerTools { server: name, tools: (0..20).map(tool).collect() });
}

fn overlays(bench: &mut Bench) {
    fill(bench);
    report("events of the session", bench.seq as f64, "");
    let mut open = |name: &str, layer: &dyn Fn() -> Layer| {
        let mut times: Vec<Duration> = (0..OPENED)
            .map(|_| {
                bench.state.layers = vec![layer()];
                let begun = bench.frame();
                bench.state.layers.clear();
                bench.frame();
                begun
            })
            .collect();
        report(&format!("opening {name}, worst of {OPENED}"), percentile(&mut times, 1.0), "ms");
    };
    for (name, of) in [
        ("the context", Tabled::Context(ContextSide::Parts)),
        ("its requests, 2,000", Tabled::Context(ContextSide::Requests)),
        ("the servers, 40 with 800 tools", Tabled::Servers),
        ("the sessions, 1,000", Tabled::Sessions),
        ("the log, 1,000 lines", Tabled::Log(LogFloor(LogLevel::Debug))),
        ("the wire, 2,000 calls", Tabled::Calls),
        ("the switches", Tabled::Switches),
        ("the prompts to rewind to, 1,700", Tabled::Rewind),
        ("the themes", Tabled::Themes),
        ("time", Tabled::Time),
    ] {
        open(name, &|| Layer::Table(Table::new(of)));
    }
    for (name, of) in [
        ("help", Listing::Help),
        ("the palette", Listing::Palette),
        ("the messages, 1,700", Listing::Prompts),
        ("why", Listing::Why(Reach::Everything)),
    ] {
        open(name, &|| Layer::picker(of));
    }
}

/// A moment of the past in every pane, as an answer of the session brings it.
fn past(bench: &mut Bench) {
    let moment = |index: u64| Moment {
        index,
        total: 10_000,
        seq: Seq(index + 1),
        at: 1_790_000_000_000,
        name: "a turn ended".to_owned(),
        turns: Arc::new((1..1_700).map(|turn| (TurnId(turn), u64::from(turn) * 5)).collect()),
        snapshot: Arc::new(bench.state.snapshot.clone()),
    };
    let moments: Vec<Arc<Moment>> = (0..OPENED as u64).map(|index| Arc::new(moment(index * 400))).collect();
    bench.state.layers = vec![Layer::Table(Table::new(Tabled::Time))];
    let mut times: Vec<Duration> = moments
        .iter()
        .map(|moment| {
            let begun = Instant::now();
            bench.state.show_moment(moment);
            bench.frame();
            begun.elapsed()
        })
        .collect();
    report("another moment of the past, worst", percentile(&mut times, 1.0), "ms");
    bench.state.layers.clear();
    bench.state.leave_past();
    bench.frame();
}

fn looks(bench: &mut Bench) {
    let mut times: Vec<Duration> = (0..3)
        .flat_map(|_| BUILT_IN)
        .map(|(name, _)| {
            let begun = Instant::now();
            bench.theme = load(name, None, Depth::Full).theme.unwrap();
            bench.frame();
            begun.elapsed()
        })
        .collect();
    report("looking at another theme, worst", percentile(&mut times, 1.0), "ms");
    let mut times: Vec<Duration> = (0..5)
        .flat_map(|_| keys::BUILT_IN)
        .map(|(name, _)| {
            let begun = Instant::now();
            bench.state.keymap = Arc::new(keys::load(name, None).keymap.unwrap());
            bench.theme = load("dark", None, Depth::Full).theme.unwrap();
            bench.frame();
            begun.elapsed()
        })
        .collect();
    report("reading keys and colours again, worst", percentile(&mut times, 1.0), "ms");
}

/// From the last key of the query until every match is counted.
fn searching(bench: &mut Bench) {
    for (query, hits) in [("module 1699 adds", 1), ("never allocates", 1_700), ("e", usize::MAX)] {
        let mut times: Vec<Duration> = Vec::new();
        let mut frames = 0;
        let mut worst = Duration::ZERO;
        for _ in 0..5 {
            bench.state.transcript.search = None;
            bench.frame();
            bench.state.transcript.search = Some(Search { query: query.to_owned(), editing: true });
            let begun = Instant::now();
            let (mut before, mut still) = (0, 0);
            frames = 0;
            while still < 2 {
                worst = worst.max(bench.frame());
                frames += 1;
                let found = bench.cache.matches();
                still = if found == before { still + 1 } else { 0 };
                before = found;
                if found >= hits {
                    break;
                }
            }
            times.push(begun.elapsed());
        }
        report(&format!("searching 50,000 lines for {query:?}"), percentile(&mut times, 0.5), "ms");
        report("  frames it took", f64::from(frames), "");
        report("  worst of them", milliseconds(worst), "ms");
    }
    bench.state.transcript.search = None;
}

fn many_entries() {
    let mut bench = Bench::new();
    for turn in 1..=5_000 {
        streamed_turn(&mut bench, turn);
    }
    report("entries of the transcript", bench.state.snapshot.transcript.entries().len() as f64, "");
    bench.frame();
    bench.state.transcript.scroll = Scroll::Follow;
    let mut times: Vec<Duration> = (0..300)
        .map(|letter: u32| {
            bench.state.composer.type_char(char::from(b'a' + (letter % 26) as u8));
            bench.frame()
        })
        .collect();
    report("a key among 10,000 entries, median", percentile(&mut times, 0.5), "ms");
    report("a key among 10,000 entries, 99th percentile", percentile(&mut times, 0.99), "ms");
}

/// A prompt and a reply in five pieces.
fn streamed_turn(bench: &mut Bench, turn: u32) {
    let content = Content::Text(format!("question {turn}"));
    bench.event((turn, 0, 0), Body::TurnStarted { turn: TurnId(turn) });
    bench.event((turn, 0, 1), Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
    let request = RequestId(turn);
    let mut reply = String::new();
    for piece in 0..5 {
        let text = format!("Piece {piece} of the answer to question {turn}, in **words**. ");
        let offset = reply.len() as u64;
        reply.push_str(&text);
        bench.event((turn, 1, 2), Body::TextDelta { request, offset, text });
    }
    bench.event(
        (turn, 1, 2),
        Body::AssistantMessage {
            request,
            text: reply,
            reasoning: Vec::new(),
            reasoning_ms: 0,
            calls: Vec::new(),
            stop: StopReason::End,
            scripted: true,
            model: "bench:model".to_owned(),
        },
    );
    bench.event((turn, 1, 3), Body::TurnEnded { turn: TurnId(turn), outcome: TurnOutcome::Done, elapsed_ms: 9 });
}

/// What is cleared away every hundred turns is given back; what is kept costs what it is long.
fn turns(cleared: bool) {
    let mut bench = Bench::new();
    let mut marks = Vec::new();
    for turn in 1..=10_000 {
        streamed_turn(&mut bench, turn);
        bench.frame();
        if cleared && turn % 100 == 0 {
            bench.event((turn, 2, 0), Body::ViewCleared);
        }
        if turn % 2_000 == 0 {
            marks.push(resident());
        }
    }
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let (first, last) = (marks[0], marks[marks.len() - 1]);
    if cleared {
        report("memory after 2,000 turns, cleared", megabytes(first), "MB");
        report("memory after 10,000 turns, cleared", megabytes(last), "MB");
        report("  grew by", (last as f64 / first as f64 - 1.0) * 100.0, "%");
    } else {
        report("memory of a turn that is kept", last.saturating_sub(first) as f64 / 8_000.0, "bytes");
        report("rendered rows kept", bench.cache.kept_rows() as f64, "rows");
    }
}

fn many_files(folder: &Path) {
    for part in 0..100 {
        let folder = folder.join(format!("part{part}/src"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..1_000 {
            std::fs::File::create(folder.join(format!("module_{file}.rs"))).unwrap();
        }
    }
}

fn files() {
    let folder = tempfile::tempdir().unwrap();
    many_files(folder.path());
    let (tell, told) = mpsc::channel::<(Instant, Found)>();
    let tell = Mutex::new(tell);
    let index = FileIndex::new(folder.path(), move |found| {
        let _ = tell.lock().unwrap().send((Instant::now(), found));
    });
    let mut bench = Bench::new();
    let begun = Instant::now();
    let mut asked: Vec<Duration> = Vec::new();
    let mut frames: Vec<Duration> = Vec::new();
    let mut first = None;
    let mut query = String::new();
    for letter in "@part77module_999".chars() {
        bench.state.composer.type_char(letter);
        if letter != '@' {
            query.push(letter);
        }
        let asking = Instant::now();
        index.find(query.clone());
        asked.push(asking.elapsed());
        // As fast as anyone types.
        let next = Instant::now() + Duration::from_millis(60);
        while Instant::now() < next {
            frames.push(bench.frame());
            while let Ok((at, found)) = told.try_recv() {
                first = first.or_else(|| (!found.paths.is_empty()).then(|| at - begun));
                bench.state.composer.set_found(found);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let wanted = "part77/src/module_999.rs";
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        let Ok((_, found)) = told.recv_timeout(Duration::from_secs(60)) else { break };
        if found.paths.first().is_some_and(|path| path == wanted) {
            break;
        }
    }
    report("100,000 files, first offer after", first.map_or(f64::NAN, milliseconds), "ms");
    report("100,000 files, asking, worst", percentile(&mut asked, 1.0), "ms");
    report("100,000 files, a frame meanwhile, worst", percentile(&mut frames, 1.0), "ms");
    let asking = Instant::now();
    index.find("part5 module_50".to_owned());
    let (at, _) = told.recv_timeout(Duration::from_secs(60)).unwrap();
    report("100,000 files, an answer when all are known", milliseconds(at - asking), "ms");
}

fn main() {
    // First, so that nothing else has touched the memory.
    turns(true);
    turns(false);
    many_entries();
    let mut bench = Bench::new();
    let model =
        ModelInfo { name: "bench:model".to_owned(), context_window: Some(200_000), scripted: false, priced: true };
    bench.state.snapshot.session.model = model;
    long_session(&mut bench);
    bench.frame();
    overlays(&mut bench);
    past(&mut bench);
    looks(&mut bench);
    searching(&mut bench);
    files();
}
