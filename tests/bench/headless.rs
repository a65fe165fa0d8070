//! Headless cost of one session against an instant endpoint on loopback, beside a peer if there is one.
//!
//! `cargo bench --bench headless` runs the release binary; `OCTOMIND_BENCH_CODEX=/path/to/codex` adds
//! that program to the same run and prints ratios; `OCTOMIND_BENCH_BINARY` measures another build of ours. Medians of [`RUNS`] runs in turn.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/endpoint.rs"]
mod endpoint;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use endpoint::{Endpoint, Exchange, Plan};
use serde_json::json;

const RUNS: usize = 7;
const CALLS: usize = 20;

struct Run {
    wall: Duration,
    exchanges: Vec<Exchange>,
}

fn main() {
    let chosen = std::env::var("OCTOMIND_BENCH_BINARY");
    let ours = chosen.as_deref().unwrap_or(env!("CARGO_BIN_EXE_octomind"));
    let codex = std::env::var("OCTOMIND_BENCH_CODEX").ok();
    let shell = [
        ("list".to_owned(), json!({"path": ".", "depth": "{n}"})),
        ("exec_command".to_owned(), json!({"cmd": "true {n}"})),
        ("shell_command".to_owned(), json!({"command": "true {n}"})),
        ("shell".to_owned(), json!({"command": ["true", "run {n}"]})),
    ];
    let plans = [
        ("one reply", Plan::one_shot()),
        ("20 sequential calls", Plan { calls: CALLS, tool: shell.to_vec(), chunks: 1 }),
    ];
    for (name, plan) in plans {
        let endpoint = Endpoint::start(plan).expect("a loopback port");
        let (mut us, mut peer) = (Vec::new(), Vec::new());
        for _ in 0..=RUNS {
            us.push(run_ours(ours, &endpoint));
            if let Some(codex) = &codex {
                peer.push(run_codex(codex, &endpoint));
            }
        }
        report(name, "octomind", &us);
        if !peer.is_empty() {
            report(name, "codex", &peer);
            println!("{name:22} ratio    {:.3} of codex's wall time", median(&us, wall) / median(&peer, wall));
        }
    }
}

fn run_ours(binary: &str, endpoint: &Endpoint) -> Run {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(binary);
    command
        .args(["run", "--format", "plain", "--model", "bench:instant"])
        .args(["-c", &format!("providers.bench.base_url={}", endpoint.base_url)])
        .env("OCTOMIND_DATA_DIR", home.path());
    finish(command, home.path(), endpoint)
}

fn run_codex(binary: &str, endpoint: &Endpoint) -> Run {
    let home = tempfile::tempdir().expect("a folder");
    let provider = format!(
        "model_providers.bench={{name=\"bench\",base_url=\"{}\",wire_api=\"responses\",env_key=\"BENCH_KEY\"}}",
        endpoint.base_url
    );
    let mut command = Command::new(binary);
    command
        .args(["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"])
        .args(["-c", &provider, "-c", "model_provider=bench", "-m", "gpt-5", "-"])
        .env("CODEX_HOME", home.path())
        .env("BENCH_KEY", "key");
    finish(command, home.path(), endpoint)
}

fn finish(mut command: Command, folder: &Path, endpoint: &Endpoint) -> Run {
    use std::io::Write;
    endpoint.take();
    let begun = Instant::now();
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(b"hello\n").expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    let wall = begun.elapsed();
    let exchanges = endpoint.take();
    if !output.status.success() || exchanges.is_empty() {
        println!("failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        std::process::exit(1);
    }
    Run { wall, exchanges }
}

fn report(plan: &str, who: &str, runs: &[Run]) {
    let first = &runs[0].exchanges[0];
    println!(
        "{plan:22} {who:9} wall {:7.1} ms   before first request {:6.1} ms   between calls {:5.2} ms   first request {} B, {} tools, {} exchanges",
        median(runs, wall),
        median(runs, |run| run.wall.as_secs_f64() * 1e3 - served(run)),
        median(runs, between),
        first.bytes,
        first.tools,
        runs[0].exchanges.len(),
    );
}

fn wall(run: &Run) -> f64 {
    run.wall.as_secs_f64() * 1e3
}

/// Milliseconds from the first request's arrival to the last reply's end.
fn served(run: &Run) -> f64 {
    match (run.exchanges.first(), run.exchanges.last()) {
        (Some(first), Some(last)) => (last.answered - first.arrived).as_secs_f64() * 1e3,
        _ => 0.0,
    }
}

/// Median milliseconds from a reply's end to the next request's arrival: the tool round trip.
fn between(run: &Run) -> f64 {
    let mut gaps: Vec<f64> = run
        .exchanges
        .windows(2)
        .map(|pair| pair[1].arrived.saturating_duration_since(pair[0].answered).as_secs_f64() * 1e3)
        .collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(0.0)
}

/// The first run warms up and does not count.
fn median(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().skip(1).map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
