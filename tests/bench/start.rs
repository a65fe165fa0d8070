//! How the workbench feels: `cargo bench --bench start`.
//!
//! The release binary in a pseudo-terminal, driven by keys and a scripted model. Every row names its
//! figure, its budget and whether it was met; the last lines tell how busy the machine was, because
//! times (not processor times) grow with that. Arguments choose parts: `start keys stream long resume`.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/process.rs"]
mod process;
#[path = "support/pty.rs"]
mod pty;
#[path = "support/session.rs"]
mod session;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use process::Spent;
use pty::Program;

const SIZE: (u16, u16) = (120, 36);
const STARTS: usize = 15;
const KEYS: usize = 200;
const CHUNKS: usize = 2000;
const LINES: usize = 50_000;
const STEPS: usize = 60;
const PATIENCE: Duration = Duration::from_secs(30);
/// What the composer shows while it is empty.
const READY: &str = "compose a message";

struct Home {
    _folder: tempfile::TempDir,
    data: PathBuf,
    project: PathBuf,
    script: String,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (data, project) = (folder.path().join("data"), folder.path().join("project"));
        std::fs::create_dir_all(&project).expect("a folder");
        let script = folder.path().join("script.toml");
        std::fs::write(&script, script_text()).expect("a script");
        Self { data, project, script: format!("script:{}", script.display()), _folder: folder }
    }

    fn run(&self, arguments: &[&str]) -> Program {
        let mut command = CommandBuilder::new(program());
        command.arg("run");
        command.args(["--model", &self.script]);
        command.args(arguments);
        command.cwd(&self.project);
        command.env("OCTOMIND_DATA_DIR", &self.data);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        Program::start(command, SIZE.0, SIZE.1)
    }

    /// A session that has started: all servers are up, the screen is at rest.
    fn open(&self, arguments: &[&str]) -> Program {
        let program = self.run(arguments);
        program.wait("composer", PATIENCE, |screen| screen.contains(READY) && lists_tools(screen));
        program.quiet(Duration::from_millis(700));
        program
    }
}

/// `OCTOMIND_BENCH_BINARY` measures another build.
fn program() -> String {
    std::env::var("OCTOMIND_BENCH_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_octomind").to_owned())
}

/// A reply of [`CHUNKS`] chunks as models send them: a word each, paragraphs, lists, some code.
fn script_text() -> String {
    let mut text = String::new();
    for index in 0..CHUNKS {
        let end = match index % 60 {
            59 => ".\n\n",
            29 => ":\n- ",
            _ => " ",
        };
        let _ = match index % 400 {
            390 => write!(text, "\n\n```rust\n"),
            391..399 => write!(text, "let_value_{index}=compute({index}); "),
            399 => write!(text, "done\n```\n\n"),
            _ => write!(text, "word{index}{end}"),
        };
    }
    format!("[[turn]]\notherwise = true\n[[turn.reply]]\nwords = 1\npace_ms = 5\ntext = '''\n{text}'''\n")
}

#[derive(Default)]
struct Table(Vec<(String, String, String, bool)>);

impl Table {
    fn row(&mut self, figure: &str, value: f64, unit: &str, budget: Option<f64>) {
        let met = budget.is_none_or(|budget| value <= budget);
        let said = budget.map_or_else(String::new, |budget| format!("≤ {budget} {unit}"));
        let mark = match budget {
            None => " ",
            Some(_) if met => "✔",
            Some(_) => "✘",
        };
        println!("{mark} {figure:<58} {value:>10.3} {unit:<6} {said}");
        self.0.push((figure.to_owned(), format!("{value:.3} {unit}"), said, met));
    }

    fn missed(&self) -> usize {
        self.0.iter().filter(|row| !row.3).count()
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |part: &str| chosen.is_empty() || chosen.iter().any(|word| word == part);
    let mut table = Table::default();
    println!("{} · load {}", program(), process::load());
    if wants("start") {
        starts(&mut table);
    }
    if wants("keys") {
        keys(&mut table);
    }
    if wants("stream") {
        stream(&mut table);
    }
    if wants("long") {
        long(&mut table);
    }
    if wants("resume") {
        resume(&mut table);
    }
    let bytes = std::fs::metadata(program()).map_or(0, |about| about.len());
    table.row("size of the binary", bytes as f64 / 1e6, "MB", None);
    println!("load {} · {} over budget", process::load(), table.missed());
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn percentile(times: &mut [Duration], share: f64) -> f64 {
    times.sort_unstable();
    times.get(((times.len().max(1) - 1) as f64 * share).round() as usize).copied().map_or(f64::NAN, milliseconds)
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// From the call that starts the process to the last byte of the first whole frame.
fn first_paint(home: &Home) -> (Duration, Duration, Program) {
    let begun = Instant::now();
    let program = home.run(&[]);
    let painted = program.watch(|screen, frames| frames > 0 && screen.contents().contains(READY));
    let painted = painted.recv_timeout(PATIENCE).expect("a first frame") - begun;
    let ready = program.watch(|screen, _| lists_tools(&screen.contents()));
    let ready = ready.recv_timeout(PATIENCE).expect("the tools come up") - begun;
    (painted, ready, program)
}

/// The surface pane has the tools of the bundled server.
fn lists_tools(screen: &str) -> bool {
    screen.contains("● files")
}

fn starts(table: &mut Table) {
    let mut fresh = Vec::new();
    for _ in 0..5 {
        fresh.push(first_paint(&Home::new()).0);
    }
    let home = Home::new();
    let (mut painted, mut ready) = (Vec::new(), Vec::new());
    drop(first_paint(&home));
    for _ in 0..STARTS {
        let (first, all, _program) = first_paint(&home);
        painted.push(first);
        ready.push(all);
    }
    table.row("start to first paint, median of 15", percentile(&mut painted, 0.5), "ms", Some(50.0));
    table.row("start to first paint, worst of 15", percentile(&mut painted, 1.0), "ms", None);
    table.row("the very first start (writes its configuration)", percentile(&mut fresh, 0.5), "ms", Some(50.0));
    table.row("start to all tools listed, median", percentile(&mut ready, 0.5), "ms", None);
    let program = home.open(&[]);
    table.row("resident memory after start", megabytes(process::resident(program.id())), "MB", Some(40.0));
    table.row("threads after start", Spent::by_now(program.id()).threads() as f64, "", None);
    let children: u64 = process::children(program.id()).into_iter().map(process::resident).sum();
    table.row("resident memory of the tool server", megabytes(children), "MB", None);
}

/// The caret's place, once the screen is at rest.
fn caret(program: &Program) -> (u16, u16) {
    program.with(|parser| parser.screen().cursor_position())
}

/// The beginning of a row, where the composer says what it is for while it is empty.
fn start_of(screen: &vt100::Screen, row: u16) -> String {
    screen.rows(0, 24).nth(row.into()).unwrap_or_default()
}

/// Types letters one by one and measures until each is on the screen.
fn echoes(
    program: &mut Program,
    (row, column): (u16, u16),
    mut goes_on: impl FnMut(&Program) -> bool,
) -> Vec<Duration> {
    let mut times = Vec::new();
    let mut at = column;
    let empty = program.with(|parser| start_of(parser.screen(), row));
    while times.len() < KEYS && goes_on(program) {
        let letter = char::from(b'a' + (times.len() % 26) as u8);
        let (x, wanted) = (at, letter.to_string());
        let seen = move |screen: &vt100::Screen, _| screen.cell(row, x).is_some_and(|cell| cell.contents() == wanted);
        times.push(program.answer(&letter.to_string(), seen).expect("the key is echoed"));
        at += 1;
        if at >= column + 40 {
            let before = empty.clone();
            let gone = move |screen: &vt100::Screen, _| start_of(screen, row) == before;
            program.answer(&"\x7f".repeat(40), gone).expect("the draft is cleared");
            at = column;
        }
        // Nobody types faster; uneven, so that it does not keep step with the frames.
        std::thread::sleep(Duration::from_millis(24 + times.len() as u64 % 11));
    }
    times
}

fn keys(table: &mut Table) {
    let home = Home::new();
    let mut program = home.open(&[]);
    let place = caret(&program);
    let mut times = echoes(&mut program, place, |_| true);
    table.row("keystroke to echo, idle, median of 200", percentile(&mut times, 0.5), "ms", None);
    table.row("keystroke to echo, idle, p99", percentile(&mut times, 0.99), "ms", Some(8.0));
}

const LAST: &str = "word1989";

fn stream(table: &mut Table) {
    let home = Home::new();
    let mut program = home.open(&[]);
    let before = (Spent::by_now(program.id()), process::user_and_system(program.id()), program.frames());
    let begun = Instant::now();
    program.send("go\r");
    program.wait("end of the reply", Duration::from_secs(120), |screen| screen.contains(LAST));
    let wall = begun.elapsed();
    program.quiet(Duration::from_millis(500));
    let spent = Spent::by_now(program.id()).since(&before.0);
    let ticks = process::user_and_system(program.id()) - before.1;
    let frames = program.frames() - before.2;
    table.row("2,000 chunks: processor time (utime + stime)", ticks.as_secs_f64(), "s", Some(0.5));
    table.row("2,000 chunks: processor time (scheduler)", spent.as_secs_f64(), "s", None);
    table.row("2,000 chunks: wall time at 5 ms a chunk", wall.as_secs_f64(), "s", None);
    table.row("2,000 chunks: frames", frames as f64, "", None);
    drop(program);
    let mut program = home.open(&[]);
    let place = caret(&program);
    program.send("go\r");
    program.wait("begin of the reply", PATIENCE, |screen| screen.contains("word"));
    let mut times = echoes(&mut program, place, |program| !program.text().contains(LAST));
    table.row("keystroke to echo, streaming: keys", times.len() as f64, "", None);
    table.row("keystroke to echo, streaming, median", percentile(&mut times, 0.5), "ms", None);
    table.row("keystroke to echo, streaming, p99", percentile(&mut times, 0.99), "ms", Some(8.0));
}

fn long(table: &mut Table) {
    let home = Home::new();
    let (rows, bytes) = session::write(&home.data.join("sessions").join("long"), &home.project, LINES, 1);
    println!("  a session of {rows} lines, {:.1} MB of journal", megabytes(bytes));
    let begun = Instant::now();
    let mut program = home.run(&["--resume", "long"]);
    let painted = program.watch(|screen, _| screen.contents().contains(READY));
    let painted = painted.recv_timeout(PATIENCE).expect("a first frame") - begun;
    let there = program.wait("end of the transcript", PATIENCE, |screen| screen.contains(session::LAST)) - begun;
    table.row("resuming 50,000 lines: first paint", milliseconds(painted), "ms", Some(50.0));
    table.row("resuming 50,000 lines: the end is on the screen", milliseconds(there), "ms", None);
    program.wait("tools", PATIENCE, lists_tools);
    program.quiet(Duration::from_secs(2));
    rest(table, &program);
    table.row("resident memory with 50,000 lines", megabytes(process::resident(program.id())), "MB", Some(120.0));
    scroll(table, &mut program, "PgUp", "\x1b[5~", STEPS);
    scroll(table, &mut program, "wheel", "\x1b[<64;20;10M", STEPS);
    scroll(table, &mut program, "PgDn", "\x1b[6~", STEPS);
    whole(table, &mut program);
    table.row("resident memory after scrolling", megabytes(process::resident(program.id())), "MB", Some(120.0));
}

/// A journal of 100 MB, most of it tool results, from start to the last words on the screen.
fn resume(table: &mut Table) {
    let home = Home::new();
    let (_, bytes) = session::write(&home.data.join("sessions").join("big"), &home.project, 450_000, 28);
    println!("  a journal of {:.1} MB", megabytes(bytes));
    let mut times = Vec::new();
    for _ in 0..3 {
        let begun = Instant::now();
        let program = home.run(&["--resume", "big"]);
        times.push(program.wait("end of the transcript", PATIENCE, |screen| screen.contains(session::LAST)) - begun);
    }
    table.row(
        "resuming 100 MB: the end is on the screen, median of 3",
        percentile(&mut times, 0.5),
        "ms",
        Some(1500.0),
    );
}

fn rest(table: &mut Table, program: &Program) {
    // Longer than a toast stands: taking one away is a frame that something asked for.
    program.quiet(Duration::from_secs(6));
    let before = (Spent::by_now(program.id()), program.frames(), program.written());
    let pause = Duration::from_secs(10);
    std::thread::sleep(pause);
    let spent = Spent::by_now(program.id()).since(&before.0);
    let share = spent.as_secs_f64() / pause.as_secs_f64() * 100.0;
    table.row("idle 10 s with 50,000 lines: processor", share, "%", Some(0.1));
    table.row("idle 10 s with 50,000 lines: frames", (program.frames() - before.1) as f64, "", Some(0.0));
    table.row("idle 10 s with 50,000 lines: bytes", (program.written() - before.2) as f64, "B", Some(0.0));
}

fn scroll(table: &mut Table, program: &mut Program, name: &str, keys: &str, steps: usize) {
    let begun = (Spent::by_now(program.id()), program.frames());
    let mut times = Vec::new();
    for step in 0..steps {
        let before = program.frames();
        let drawn = program.answer(keys, move |_, frames| frames > before);
        times.push(drawn.expect("scrolling draws a frame"));
        std::thread::sleep(Duration::from_millis(12 + step as u64 % 5));
    }
    program.quiet(Duration::from_millis(200));
    let spent = Spent::by_now(program.id()).since(&begun.0);
    let frames = (program.frames() - begun.1).max(1) as u32;
    table.row(&format!("{name}: key to frame, median"), percentile(&mut times, 0.5), "ms", Some(4.0));
    table.row(&format!("{name}: key to frame, p90"), percentile(&mut times, 0.9), "ms", None);
    table.row(&format!("{name}: processor time a frame"), milliseconds(spent / frames), "ms", Some(4.0));
}

/// Thousands of pages, so that what is kept of all that came into sight is seen in the memory.
fn whole(table: &mut Table, program: &mut Program) {
    let begun = Spent::by_now(program.id());
    let mut pages = 0;
    for _ in 0..LINES / 25 {
        let before = program.frames();
        let drawn = program.answer("\x1b[5~", move |_, frames| frames > before);
        if drawn.is_none() {
            break;
        }
        pages += 1;
    }
    let spent = Spent::by_now(program.id()).since(&begun);
    table.row("paging through all of it: pages", f64::from(pages), "", None);
    table.row(
        "paging through all of it: processor time a page",
        milliseconds(spent) / f64::from(pages),
        "ms",
        Some(4.0),
    );
}
