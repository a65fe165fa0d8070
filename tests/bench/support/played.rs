//! The workbench without a terminal, played by a benchmark: events in, frames out.

#![allow(dead_code, reason = "each benchmark uses a part")]

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use octomind::proto::{
    Body, CallId, Content, Event, Order, Origin, RequestId, Seq, Snapshot, StopReason, ToolOutcome, TurnId,
};
use octomind::ui::keys;
use octomind::ui::state::{Settings, State};
use octomind::ui::theme::{Depth, Theme, load};
use octomind::ui::view::{Cache, draw, prepare};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

pub const SIZE: (u16, u16) = (120, 40);

pub struct Bench {
    pub state: State,
    pub cache: Cache,
    pub terminal: Terminal<TestBackend>,
    pub theme: Theme,
    pub seq: u64,
}

impl Bench {
    pub fn new() -> Self {
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

    pub fn event(&mut self, order: (u32, u32, u32), body: Body) {
        self.seq += 1;
        self.state.now += 7;
        let event = Event { seq: Seq(self.seq), at: self.state.now, order: Some(Order::from(order)), body };
        self.state.snapshot.apply(&event);
    }

    pub fn frame(&mut self) -> Duration {
        let begun = Instant::now();
        let layout = prepare(&mut self.state, &mut self.cache, Rect::new(0, 0, SIZE.0, SIZE.1));
        let (state, cache, theme) = (&self.state, &self.cache, &self.theme);
        self.terminal.draw(|frame| draw(state, cache, &layout, theme, frame)).unwrap();
        begun.elapsed()
    }
}

/// Time this thread was on a processor, in steps of a few milliseconds, so that a busy machine changes
/// little; the clock where the system does not tell.
pub fn processor() -> Duration {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| BEGUN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// About 50,000 rows in turns of a prompt, an answer with code and a list, and a tool call.
pub fn long_session(bench: &mut Bench) {
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
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

pub fn report(name: &str, value: f64, unit: &str) {
    println!("{name:<44} {value:>10.3} {unit}");
}

pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub fn percentile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    let at = ((times.len() - 1) as f64 * share) as usize;
    milliseconds(times[at])
}
