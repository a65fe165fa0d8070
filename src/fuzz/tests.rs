use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// Seconds for each target; about one without it.
const SECONDS: &str = "OCTOMIND_FUZZ_SECONDS";

/// What makes readers stumble, whatever they read.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\0",
    "\u{1b}[2J",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}",
    "\u{2028}",
    "é",
    "🙂",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "'",
    "\\",
    ":",
    ",",
    "=",
    "#",
    "---",
    "|",
    ">-",
    "data:",
    "event:",
    "null",
    "<sup>",
    "</sup>",
    "{\"state\":\"done\"}",
    "content(",
    "match(",
    "9999999999999999999",
    "-1",
    "1e999",
    " ",
];

fn examples(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let all: Vec<Vec<u8>> = entries.map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect();
    assert!(!all.is_empty(), "{name} has no examples");
    all
}

/// Noise, pieces, and examples with something cut out, put in or written twice.
fn inputs(examples: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let piece = || select(PIECES).prop_map(|piece: &str| piece.as_bytes().to_vec());
    let changed =
        (select(examples), vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), piece(), 0..4u8), 0..6));
    let changed = changed.prop_map(|(mut bytes, changes)| {
        for (from, to, piece, what) in changes {
            let (one, other) = (from.index(bytes.len() + 1), to.index(bytes.len() + 1));
            let (from, to) = (one.min(other), one.max(other));
            match what {
                0 => drop(bytes.splice(from..from, piece)),
                1 => drop(bytes.splice(from..to.min(from + 20), [])),
                2 => {
                    let again = bytes[from..to].to_vec();
                    drop(bytes.splice(to..to, again));
                }
                _ => drop(bytes.splice(from..to, piece)),
            }
            bytes.truncate(20_000);
        }
        bytes
    });
    prop_oneof![
        1 => vec(any::<u8>(), 0..200),
        2 => vec(piece(), 0..60).prop_map(|pieces| pieces.concat()),
        4 => changed,
    ]
}

fn smoke(name: &str) {
    let (_, target) = TARGETS.iter().find(|(target, _)| *target == name).unwrap();
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse::<f32>().ok()).unwrap_or(0.7);
    let end = Instant::now() + Duration::from_secs_f32(seconds);
    let examples = examples(name);
    for example in &examples {
        target(example);
    }
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    let strategy = inputs(examples);
    let mut count = 0u64;
    while Instant::now() < end {
        let input = strategy.new_tree(&mut runner).unwrap().current();
        count += 1;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&input))) {
            // Kept as an example it is tried first from then on.
            eprintln!("{name}: fails with {:?}", String::from_utf8_lossy(&input));
            std::panic::resume_unwind(panic);
        }
    }
    println!("{name}: {count} inputs");
    assert!(count > 0);
}

macro_rules! smokes {
    ($($name:ident),*) => {
        $(#[test] fn $name() { smoke(stringify!($name)); })*

        #[test]
        fn each_target_is_tried() {
            let all = [$(stringify!($name)),*];
            assert!(TARGETS.iter().all(|(name, _)| all.contains(name)) && TARGETS.len() == all.len());
        }
    };
}

#[cfg(feature = "tui")]
smokes!(sse, json_rpc, front_matter, rules, keymap, theme, config, self_report, sanitiser, journal);
