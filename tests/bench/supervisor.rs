//! What watching costs: `cargo bench --bench supervisor`.
//!
//! Taking the status out of a reply that arrives token by token (plain, full of tags, made to be slow),
//! reading it, the detectors after a round of 20 calls late in a long turn, receipts of that round, what
//! the person forbade in a long session, what is said again. Every row names its figure, its budget and
//! whether it was met.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

use std::hint::black_box;
use std::time::Instant;

use octomind::proto::{AgentState, CallId, PlanView, RequestId, ToolOutcome, TurnId};
use octomind::supervisor::detect::Watch;
use octomind::supervisor::prohibit::{UserLine, find};
use octomind::supervisor::receipt::{Kind, Receipt, fingerprint, line, target};
use octomind::supervisor::recite::{Live, Verification, recite};
use octomind::supervisor::report::{Stripper, parse};
use serde_json::json;

const RUNS: usize = 101;
/// Bytes of a token, about.
const TOKEN: usize = 4;
const STATUS: &str = "<sup>{\"state\":\"progressing\",\"focus\":\"the gate\",\"next\":\"its tests\",\"carry\":[\"port 8080\"],\
                      \"plan\":null,\"memories\":[],\"behaviors\":[]}</sup>";

fn main() {
    println!("── stripping, each token of {TOKEN} bytes");
    let prose = "The function adds up what it is given, in one pass; it never allocates.\n".repeat(300);
    strip("prose and a status", &format!("{prose}\n\n{STATUS}"));
    strip("html, a tag every few words", &"x<sup>2</sup> + <b>y</b> < z ".repeat(800));
    strip("statuses only", &STATUS.repeat(150));
    strip("openings that never close", &"<sup>{\"".repeat(3000));
    strip("closings in strings", &"<sup>{\"</sup>".repeat(2000));
    strip("broken ones that begin anew", &"<sup>{\"a\" x <sup>".repeat(1500));
    strip("one endless string", &format!("<sup>{{\"state\":\"{}", "a ".repeat(15_000)));
    strip("spaces", &" ".repeat(30_000));
    println!("── a round of 20 calls");
    let raw = [STATUS.to_owned()];
    row("reading a status", median(|| parse(RequestId(1), &raw)), None);
    let round = |number: usize| (0..20).map(|call| receipt(number, call)).collect::<Vec<_>>();
    let mut watch = Watch::default();
    for number in 0..190 {
        let _ = watch.round(&round(number), Some(AgentState::Progressing));
    }
    let (fresh, same) = (round(190), round(189));
    let detectors = |round: &[Receipt]| {
        let mut watch = watch.clone();
        let begun = Instant::now();
        let found = black_box(watch.round(round, Some(AgentState::Progressing)));
        let time = begun.elapsed().as_secs_f64() * 1e6;
        drop(found);
        time
    };
    row("detectors, all calls new", middle(|| detectors(&fresh)), Some(50.0));
    row("detectors, all calls known", middle(|| detectors(&same)), Some(50.0));
    row("20 receipts of 2 KB results", median(|| round(7)), None);
    println!("── what the person said");
    let said =
        "Please fix the parser and add a case for empty input. Don't run the e2e tests, they are slow. ".repeat(4);
    let messages: Vec<UserLine> = (1..=100).map(|turn| UserLine { turn: TurnId(turn), text: said.clone() }).collect();
    row("one message of 380 bytes", median(|| find(&messages[..1])), None);
    row("100 of them", median(|| find(&messages)), None);
    let (prohibitions, plan) = (find(&messages), PlanView::default());
    let verification = Verification::Gate;
    let live =
        Live { goal: &said, plan: &plan, prohibitions: &prohibitions, verification, rounds: 3, distance_tokens: 9000 };
    row("what is said again", median(|| recite(&live)), None);
}

fn receipt(round: usize, call: usize) -> Receipt {
    let (tool, kind) = match call % 3 {
        0 => ("shell", Kind::Command { changed_tree: false }),
        1 => ("view", Kind::Read),
        _ => ("search", Kind::Unknown),
    };
    let arguments = json!({"command": format!("cargo test --lib part_{round}_{call} 2>&1"), "description": "again"});
    let result = format!("line {round} of {call}: something was found after 0.03 s\n").repeat(40);
    let outcome = if call.is_multiple_of(7) { ToolOutcome::Error } else { ToolOutcome::Ok };
    Receipt {
        call: CallId(format!("c{round}-{call}")),
        tool: tool.to_owned(),
        target: target(&arguments),
        line: line(tool, &arguments),
        result: fingerprint(&result),
        outcome,
        kind,
    }
}

/// Microseconds for a token, the text cut into tokens.
fn strip(name: &str, text: &str) {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = text.ceil_char_boundary(at + TOKEN);
        pieces.push(&text[at..end]);
        at = end;
    }
    let whole = median(|| {
        let mut stripper = Stripper::default();
        let shown: usize = pieces.iter().map(|piece| stripper.push(piece).len()).sum();
        (shown, stripper.finish())
    });
    row(name, whole / pieces.len() as f64, Some(2.0));
}

fn row(figure: &str, found: f64, budget: Option<f64>) {
    let verdict = match budget {
        Some(budget) if found <= budget => format!("≤ {budget} µs: met"),
        Some(budget) => format!("≤ {budget} µs: MISSED, {:.2} times", found / budget),
        None => String::new(),
    };
    println!("{figure:<44} {found:>10.3} µs  {verdict}");
}

fn median<T>(mut run: impl FnMut() -> T) -> f64 {
    middle(|| {
        let begun = Instant::now();
        let made = black_box(run());
        let time = begun.elapsed().as_secs_f64() * 1e6;
        drop(made);
        time
    })
}

fn middle(run: impl FnMut() -> f64) -> f64 {
    let mut times: Vec<f64> = std::iter::repeat_with(run).take(RUNS).collect();
    times.sort_unstable_by(f64::total_cmp);
    times[RUNS / 2]
}
