//! How long a whole registry takes to become a catalogue: `cargo bench --bench catalogue [TAP]`.
//!
//! The limits are 60 ms when its files are in memory and 150 ms when they are not. Without an
//! argument it reads the public registry's files, `OCTOMIND_SHARED` or `../shared` says where.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop and prints its numbers")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use octomind::tap::catalogue::{Places, build};
use octomind::tap::{Tap, TapKind};

const WARM: Duration = Duration::from_millis(60);
const COLD: Duration = Duration::from_millis(150);
const RUNS: usize = 15;

fn main() {
    let Some(root) = tap() else {
        println!("skipped: there is no tap to read");
        return;
    };
    let tap = Tap { name: "muvon/tap".to_owned(), kind: TapKind::Linked, root: root.clone(), unavailable: None };
    let workdir = std::env::temp_dir().join("octomind-bench-no-such-folder");
    let places = Places { taps: vec![Arc::new(tap)], workdir, user: None, generated: None };
    let first = build(&places);
    println!(
        "read      {} agents, {} capabilities, {} skills, {} findings",
        first.agents.len(),
        first.capabilities.len(),
        first.skills.len(),
        first.findings.len()
    );
    let warm = report("warm", WARM, &places, || {});
    let cold = report("cold", COLD, &places, || forget(&root));
    if !(warm && cold) {
        std::process::exit(1);
    }
}

fn tap() -> Option<PathBuf> {
    // Cargo adds `--bench` of its own.
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let shared = std::env::var_os("OCTOMIND_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let root = named.unwrap_or_else(|| shared.join("data/tap"));
    root.is_dir().then_some(root)
}

/// Prints the quickest, the middle and the slowest run; whether the middle one is within the limit.
fn report(title: &str, limit: Duration, places: &Places, before: impl Fn()) -> bool {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            before();
            let begun = Instant::now();
            std::hint::black_box(build(places));
            begun.elapsed()
        })
        .collect();
    times.sort();
    let middle = times[RUNS / 2];
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    println!(
        "{title}      {:.1} ms (from {:.1} to {:.1}), limit {:.0} ms",
        milliseconds(middle),
        milliseconds(times[0]),
        milliseconds(times[RUNS - 1]),
        milliseconds(limit)
    );
    middle <= limit
}

/// Has the system forget the contents of every file, as far as it does so on request.
fn forget(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("a folder of the tap").flatten() {
        let path = entry.path();
        if path.is_dir() {
            forget(&path);
        } else {
            forget_file(&path);
        }
    }
}

#[cfg(target_os = "linux")]
fn forget_file(path: &Path) {
    if let Ok(file) = std::fs::File::open(path) {
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    }
}

#[cfg(not(target_os = "linux"))]
fn forget_file(_path: &Path) {}
