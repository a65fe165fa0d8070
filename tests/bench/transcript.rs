//! How fast the transcript draws: `cargo bench --bench transcript`.
//!
//! Prints one number a line. Limits: a frame while scrolling 50,000 lines at most 4 ms, no more than 80 MB for
//! that transcript, and streaming must cost about the same for each delta however long the message is.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/played.rs"]
mod played;

use std::time::Duration;

use octomind::proto::{Body, RequestId, TurnId};
use octomind::ui::state::ScrollBy;
use played::{Bench, long_session, milliseconds, percentile, processor, report, resident};

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

fn main() {
    drop(scrolling());
    streaming();
}
