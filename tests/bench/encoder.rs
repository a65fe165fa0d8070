//! What sentences cost: `cargo bench --bench encoder`.
//!
//! Loading, one message, the index cold and warm, the gate; on tract, and in a process of its own on ONNX
//! Runtime where a library is found. Every row names its figure, its budget and whether it was met; the
//! last line tells how busy the machine was, because times grow with that.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/process.rs"]
mod process;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use octomind::config::Env;
use octomind::embed::backend::{self, Kind};
use octomind::embed::gate::{Candidate, Rule, scores, verdict};
use octomind::embed::model::{Model, ModelError};
use octomind::embed::onnx::OnnxEncoder;
use octomind::embed::service::{Options, Service, Source};
use octomind::embed::{Encoder, Vector};
use octomind::proto::EncoderState;

const MESSAGES: usize = 400;
/// As many as the public registry has.
const TRIGGERS: usize = 541;
/// Says to the program started for it which library to use.
const CHILD: &str = "OCTOMIND_BENCH_ENCODER_LIBRARY";

fn main() {
    if let Ok(library) = std::env::var(CHILD) {
        return encoder(&Env::from_pairs([("ORT_DYLIB_PATH", library)]));
    }
    // First, so that the memory that the gate's vectors leave behind is not taken for the encoder's.
    encoder(&Env::default());
    println!("── gate");
    gate();
    match backend::libraries(&Env::from_process()).first() {
        Some(library) => {
            let this = std::env::current_exe().expect("this program");
            let child = std::process::Command::new(this).env(CHILD, library).status().expect("it starts");
            assert!(child.success(), "{child}");
        }
        None => println!("── no ONNX Runtime on this machine (ORT_DYLIB_PATH names one)"),
    }
    println!("── load {}", process::load());
}

fn row(figure: &str, found: f64, budget: Option<f64>, unit: &str) {
    let verdict = match budget {
        Some(budget) if found <= budget => format!("≤ {budget} {unit}: met"),
        Some(budget) => format!("≤ {budget} {unit}: MISSED, {:.2} times", found / budget),
        None => String::new(),
    };
    println!("{figure:<44} {found:>10.3} {unit:<3} {verdict}");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mebibytes() -> f64 {
    process::resident(std::process::id()) as f64 / 1024.0 / 1024.0
}

/// Text that looks like triggers; each number gives another one.
fn phrase(number: usize) -> String {
    const VERBS: [&str; 13] = [
        "query",
        "list",
        "create",
        "delete",
        "search",
        "summarize",
        "send",
        "deploy",
        "restart",
        "compare",
        "export",
        "schedule",
        "review",
    ];
    const THINGS: [&str; 43] = [
        "the orders table",
        "open pull requests",
        "a calendar event",
        "old docker images",
        "the error logs",
        "customer emails",
        "kubernetes pods",
        "a slack message",
        "the sales report",
        "unit tests",
        "failed builds",
        "invoices of last month",
        "the staging database",
        "a new branch",
        "dns records",
        "ssl certificates",
        "the weather",
        "flight prices",
        "a spreadsheet",
        "release notes",
        "feature flags",
        "the cache",
        "background jobs",
        "user accounts",
        "a pdf file",
        "photos of the trip",
        "the shopping list",
        "meeting notes",
        "the api schema",
        "a python script",
        "rust crates",
        "terraform plans",
        "s3 buckets",
        "the message queue",
        "search results",
        "a tweet",
        "the stock price",
        "recipes with lentils",
        "my bookmarks",
        "the firewall rules",
        "ssh keys",
        "disk usage",
        "the changelog",
    ];
    format!("{} {}", VERBS[number % VERBS.len()], THINGS[number / VERBS.len() % THINGS.len()])
}

fn encoder(env: &Env) {
    let model = match Model::embedded() {
        Ok(model) => model,
        Err(ModelError::NotInBuild) => return println!("── this build comes without a sentence model"),
        Err(error) => panic!("{error}"),
    };
    let before = mebibytes();
    let begun = Instant::now();
    let chosen = backend::choose(env);
    let loaded = OnnxEncoder::load(model, chosen).expect("the model loads");
    let load = begun.elapsed();
    println!("── {} {:?}", chosen.name, chosen.passed_over);
    let fast = chosen.kind == Kind::OnnxRuntime;
    row("load", milliseconds(load), Some(1000.0), "ms");
    let (median, late) = if fast { (1.5, None) } else { (6.0, Some(12.0)) };
    messages("one short message", &loaded, "could you check which pods keep restarting?", median, late);
    messages(
        "one of two sentences",
        &loaded,
        &[phrase(3), phrase(77), phrase(400)].join(" and then, please, "),
        99.0,
        None,
    );
    row("resident, for the loaded encoder", mebibytes() - before, Some(90.0), "MiB");
    index(Arc::new(loaded), if fast { 1000.0 } else { 5000.0 });
}

fn messages(name: &str, encoder: &OnnxEncoder, message: &str, median: f64, late: Option<f64>) {
    let mut times: Vec<Duration> = (0..MESSAGES)
        .map(|_| {
            let begun = Instant::now();
            black_box(encoder.encode(message).expect("a vector"));
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    row(&format!("{name}, p50"), milliseconds(times[MESSAGES / 2]), Some(median), "ms");
    row(&format!("{name}, p99"), milliseconds(times[MESSAGES * 99 / 100]), late, "ms");
}

fn index(encoder: Arc<OnnxEncoder>, budget: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let cold = wanted(&encoder, folder.path());
    row("index of 541 phrases, cold", milliseconds(cold), Some(budget), "ms");
    let mut warm: Vec<Duration> = (0..9).map(|_| wanted(&encoder, folder.path())).collect();
    warm.sort_unstable();
    row("index of 541 phrases, warm, median of 9", milliseconds(warm[4]), Some(20.0), "ms");
}

/// From asking for the phrases until all are there.
fn wanted(encoder: &Arc<OnnxEncoder>, folder: &Path) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let encoder: Arc<dyn Encoder> = encoder.clone();
    let source = Source::Made(Box::new(move || Ok(encoder)));
    let service = Service::new(Options { source, vectors: Some(folder.to_path_buf()) });
    runtime.block_on(async {
        service.start();
        let mut state = service.state();
        let ready = |state: &EncoderState| matches!(state, EncoderState::Ready { .. });
        state.wait_for(ready).await.expect("it loads");
        let begun = Instant::now();
        service.want((0..TRIGGERS).map(phrase).collect());
        let all = |state: &EncoderState| ready(state) && service.index().len() == TRIGGERS;
        state.wait_for(all).await.expect("they are there");
        begun.elapsed()
    })
}

/// Deterministic numbers between −1 and 1.
fn vector(seed: &mut u64) -> Vector {
    let mut number = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    Vector::new((0..384).map(|_| number()).collect()).expect("a vector")
}

fn gate() {
    let mut seed = 7;
    let message = vector(&mut seed);
    let names: Vec<String> = (0..5000).map(|number| format!("capability-{number}")).collect();
    let phrases: Vec<Vec<Vector>> = names.iter().map(|_| (0..12).map(|_| vector(&mut seed)).collect()).collect();
    let candidates: Vec<Candidate<'_>> =
        names.iter().zip(&phrases).map(|(name, phrases)| Candidate { name, phrases }).collect();
    let mut before = None;
    for (count, budget) in [(50, None), (500, Some(0.2)), (5000, None)] {
        let mut times: Vec<Duration> = (0..200)
            .map(|_| {
                let begun = Instant::now();
                let scores = scores(black_box(&message), black_box(&candidates[..count]));
                black_box(verdict(&scores, Rule::ACTIVATE));
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        let time = milliseconds(times[100]);
        row(&format!("{count} capabilities with 12 triggers, p50"), time, budget, "ms");
        if let Some(before) = before.replace(time) {
            row("  for ten times as many", time / before, None, "×");
        }
    }
}
