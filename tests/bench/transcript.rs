//! How fast the transcript draws: `cargo bench --bench transcript`.
//!
//! Prints one number a line. Limits: a frame while scrolling 50,000 lines at most 4 ms, opening any overlay
//! over it at most 16 ms, no more than 80 MB for that transcript, and streaming must cost about the same for each delta however long the
//! message is.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use octomind::proto::{
    Body, CallId, Content, Event, Filled, FilledGroup, Filling, Order, Origin, Purpose, RequestId, Seq, SessionRow,
    Snapshot, StopReason, ToolOutcome, TurnId,
};
use octomind::ui::keys;
use octomind::ui::state::{
    ContextSide, Folder, Layer, Listing, LogFloor, Reach, ScrollBy, Settings, State, Table, Tabled,
};
use octomind::ui::theme::{Depth, Theme, load};
use octomind::ui::view::{Cache, draw, prepare};
use octomind::ui::{LogLevel, LogLine};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

const SIZE: (u16, u16) = (120, 40);

struct Bench {
    state: State,
    cache: Cache,
    terminal: Terminal<TestBackend>,
    theme: Theme,
    seq: u64,
}

impl Bench {
    fn new() -> Self {
        let settings = Settings { mouse: true, motion: true, notifications: true, transcript_ratio: 0.52 };
        let keymap = Arc::new(keys::load("default", None).keymap.unwrap_or_default());
        let Some(theme) = load("dark", None, Depth::Full).theme else { unreachable!("the dark theme is built in") };
        Self {
            state: State::new(Snapshot::default(), keymap, settings, Depth::Full),
            cache: Cache::default(),
            terminal: Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap(),
            theme,
            seq: 0,
        }
    }

    fn event(&mut self, order: (u32, u32, u32), body: Body) {
        self.seq += 1;
        self.state.now += 7;
        let event = Event { seq: Seq(self.seq), at: self.state.now, order: Some(Order::from(order)), body };
        self.state.snapshot.apply(&event);
    }

    fn frame(&mut self) -> Duration {
        let begun = Instant::now();
        let layout = prepare(&mut self.state, &mut self.cache, Rect::new(0, 0, SIZE.0, SIZE.1));
        let (state, cache, theme) = (&self.state, &self.cache, &self.theme);
        self.terminal.draw(|frame| draw(state, cache, &layout, theme, frame)).unwrap();
        begun.elapsed()
    }
}

/// Time this thread was on a processor, in steps of a few milliseconds, so that a busy machine changes
/// little; the clock where the system does not tell.
fn processor() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGUN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// About 50,000 rows in turns of a prompt, an answer with code and a list, and a tool call.
fn long_session(bench: &mut Bench) {
    for turn in 1..=1700u32 {
        let text = Content::Text(format!("question {turn}: what does the function in module {turn} do?"));
        bench.event((turn, 0, 1), Body::TurnStarted { turn: TurnId(turn) });
        bench.event((turn, 0, 2), Body::UserMessage { content: text, attachments: Vec::new(), origin: Origin::Person });
        let call = CallId(format!("call-{turn}"));
        let arguments = serde_json::json!({"path": format!("src/module_{turn}.rs")});
        let (server, tool) = ("filesystem".to_owned(), "view".to_owned());
        bench.event((turn, 1, 2), Body::ToolStarted { call: call.clone(), server, tool, arguments });
        let output = "fn compute(values: &[u64]) -> u64 {\n    values.iter().sum()\n}\n".repeat(8);
        bench.event(
            (turn, 1, 2),
            Body::ToolFinished {
                call,
                outcome: ToolOutcome::Ok,
                full_bytes: output.len() as u64,
                content: Content::Text(output),
                spill: None,
                elapsed_ms: 12,
            },
        );
        let answer = format!(
            "Module **{turn}** adds up what it is given. It does so in one pass, which is as fast as it gets, and it \
             never allocates.\n\n## Details\n\n- takes a slice of `u64`\n- returns the sum\n- wraps on overflow in \
             release builds, which may surprise\n\n```rust\nfn compute(values: &[u64]) -> u64 {{\n    // run {turn}\n    \
             values.iter().sum()\n}}\n```\n\nCall it with anything that derefs to a slice; an empty one gives zero. \
             There is no state, so it may run on any thread.\n\n> Sums of large values overflow silently.\n\nThat is all.\n"
        );
        bench.event(
            (turn, 2, 2),
            Body::AssistantMessage {
                request: RequestId(turn),
                text: answer,
                reasoning: Vec::new(),
                reasoning_ms: 0,
                calls: Vec::new(),
                stop: StopReason::End,
                scripted: false,
                model: "bench:model".to_owned(),
            },
        );
    }
}

/// Resident memory, bytes. Zero where the system does not tell.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn report(name: &str, value: f64, unit: &str) {
    println!("{name:<44} {value:>10.3} {unit}");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn percentile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len() - 1) as f64 * share) as usize;
    milliseconds(times[at])
}

/// Gives the long session back.
fn scrolling() -> Bench {
    let before = resident();
    let mut bench = Bench::new();
    long_session(&mut bench);
    let _ = processor();
    report("first frame of the long session", milliseconds(bench.frame()), "ms");
    let mut times = Vec::new();
    for step in 0..3000 {
        let rows = if step % 3 == 0 { -18 } else { -3 };
        bench.state.transcript.pending.push(ScrollBy::Lines(rows));
        times.push(bench.frame());
    }
    report("scrolling up, median frame", percentile(&mut times, 0.5), "ms");
    report("scrolling up, 99th percentile", percentile(&mut times, 0.99), "ms");
    report("scrolling up, worst", percentile(&mut times, 1.0), "ms");
    bench.state.transcript.pending.push(ScrollBy::Top);
    report("jump to the top", milliseconds(bench.frame()), "ms");
    let mut still: Vec<Duration> = (0..200).map(|_| bench.frame()).collect();
    report("nothing changed, median frame", percentile(&mut still, 0.5), "ms");
    let mut pages = 0;
    let begun = processor();
    loop {
        bench.state.transcript.pending.push(ScrollBy::Pages(1));
        bench.frame();
        pages += 1;
        if bench.state.transcript.scroll == octomind::ui::state::Scroll::Follow {
            break;
        }
    }
    report("pages from top to end", f64::from(pages), "frames");
    report("mean frame paging through all of it", milliseconds(processor() - begun) / f64::from(pages), "ms");
    report("rows in it, about", f64::from(pages) * 35.0, "rows");
    report("rendered rows kept", bench.cache.kept_rows() as f64, "rows");
    report("memory for session and cache", (resident().saturating_sub(before)) as f64 / 1e6, "MB");
    bench
}

/// Streams a message of so many deltas, a frame for every eighth. Returns the time all of it took.
fn stream(deltas: u32, code: bool) -> Duration {
    let mut bench = Bench::new();
    bench.event((1, 0, 1), Body::TurnStarted { turn: TurnId(1) });
    let mut offset = 0u64;
    let begun = processor();
    for index in 0..deltas {
        let text = match (code, index % 40) {
            (true, 0) if index == 0 => "```rust\n".to_owned(),
            (true, 9 | 19 | 29 | 39) => ";\n".to_owned(),
            (true, _) => format!(" v{index} +"),
            (false, 39) => ".\n\n".to_owned(),
            (false, 19) => " and **bold** `code`,".to_owned(),
            (false, _) => format!(" word{index}"),
        };
        let length = text.len() as u64;
        bench.event((1, 1, 2), Body::TextDelta { request: RequestId(1), offset, text });
        offset += length;
        if index % 8 == 0 {
            bench.frame();
        }
    }
    processor() - begun
}

fn streaming() {
    for (name, code) in [("prose", false), ("one block of code", true)] {
        let tenth = stream(8_000, code);
        let whole = stream(80_000, code);
        report(&format!("streaming {name}, 8,000 deltas"), milliseconds(tenth), "ms");
        report(&format!("streaming {name}, 80,000 deltas"), milliseconds(whole), "ms");
        report("  growth (10 is linear)", whole.as_secs_f64() / tenth.as_secs_f64(), "×");
    }
}

/// Opens each list over the panes where it has much to list; the worst frame of several.
fn overlays(mut bench: Bench) {
    let row = |number: u64| SessionRow {
        name: format!("261130-shop-0912-{number:04x}"),
        title: format!("session {number} about the orders"),
        role: "developer:chief".to_owned(),
        workdir: "/home/ada/shop".to_owned(),
        updated: 1_790_000_000_000 - number,
        turns: 9,
        ..SessionRow::default()
    };
    let rows: Vec<SessionRow> = (0..2_000).map(row).collect();
    bench.state.shelf.take(0, rows.len(), &rows);
    let part = |number: u64| (Filled::Tool(format!("server {}", number % 12), format!("tool {number}")), 100 + number);
    let parts = (0..300).map(part).collect();
    let filling = Filling { request: RequestId(1), purpose: Purpose::Main, window: Some(200_000), parts };
    bench.event((9_999, 0, 0), Body::RequestFilled(Arc::new(filling)));
    for folder in 0..12 {
        bench.state.opened.insert(Folder::Server(format!("server {folder}")));
    }
    bench.state.opened.insert(Folder::Group(FilledGroup::Tools));
    let line = |number: u64| LogLine {
        at: number,
        level: if number.is_multiple_of(9) { LogLevel::Warning } else { LogLevel::Info },
        target: "octomind::tap".to_owned(),
        text: format!("line {number} of what was logged"),
    };
    bench.state.log.take((0..1_000).map(line).collect());
    let tables = [
        ("context", Tabled::Context(ContextSide::Parts)),
        ("requests", Tabled::Context(ContextSide::Requests)),
        ("servers", Tabled::Servers),
        ("sessions, 2,000 of them", Tabled::Sessions),
        ("log, 1,000 lines", Tabled::Log(LogFloor(LogLevel::Debug))),
        ("wire", Tabled::Calls),
        ("switches", Tabled::Switches),
    ];
    let mut open = |name: &str, make: &dyn Fn() -> Layer| {
        let mut times: Vec<Duration> = (0..20)
            .map(|_| {
                bench.state.layers = vec![make()];
                bench.frame()
            })
            .collect();
        report(&format!("opening {name}, worst"), percentile(&mut times, 1.0), "ms");
        bench.state.layers.clear();
    };
    for (name, of) in tables {
        open(name, &|| Layer::Table(Table::new(of)));
    }
    let pickers =
        [("help", Listing::Help), ("the palette", Listing::Palette), ("why", Listing::Why(Reach::Everything))];
    for (name, of) in pickers {
        open(name, &|| Layer::picker(of));
    }
    let begun = Instant::now();
    bench.state.shelf.filter("1999 orders");
    report("finding one of 2,000 sessions", milliseconds(begun.elapsed()), "ms");
}

fn main() {
    overlays(scrolling());
    streaming();
}
