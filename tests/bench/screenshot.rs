//! Draws `assets/screen.svg` from the real screen: `cargo bench --bench screenshot`.
//!
//! The workbench runs in a pseudo-terminal with the scripted tour; what it painted is what is drawn.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop at the first thing that is wrong")]

#[path = "support/pty.rs"]
mod pty;

use std::fmt::Write as _;
use std::time::Duration;

use portable_pty::CommandBuilder;
use pty::Program;

const COLUMNS: u16 = 120;
const ROWS: u16 = 28;
const CELL_WIDTH: f32 = 8.4;
const CELL_HEIGHT: f32 = 18.0;
const BACKGROUND: &str = "#14161b";
const FOREGROUND: &str = "#d5d8df";

fn main() {
    let project = env!("CARGO_MANIFEST_DIR");
    let home = tempfile::tempdir().expect("a folder");
    // Written beforehand, so that the screen does not tell of a folder that is gone.
    let prepared = std::process::Command::new(env!("CARGO_BIN_EXE_octomind"))
        .arg("config")
        .env("OCTOMIND_DATA_DIR", home.path())
        .output()
        .expect("the program runs");
    assert!(prepared.status.success(), "{prepared:?}");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_octomind"));
    command.args(["--model", "script:tour", "-c", "ui.theme=dark", "-c", "ui.motion=false"]);
    command.cwd(project);
    command.env("OCTOMIND_DATA_DIR", home.path());
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    let mut program = Program::start(command, COLUMNS, ROWS);
    let patience = Duration::from_secs(20);
    program.wait("surface", patience, |screen| screen.contains("tok/turn") && screen.contains("view"));
    for message in ["show me around", "next", "next", "next", "next"] {
        let before = program.text();
        program.send(message);
        program.send("\r");
        program.wait("reply", patience, |screen| screen != before && screen.contains(message));
        settle(&program);
    }
    let svg = program.with(|parser| draw(parser.screen()));
    let path = format!("{project}/assets/screen.svg");
    std::fs::write(&path, svg).expect("the picture is written");
    println!("{path}\n{}", program.text());
}

/// Waits until nothing was painted for a while.
fn settle(program: &Program) {
    let mut last = program.written();
    loop {
        std::thread::sleep(Duration::from_millis(1500));
        let now = program.written();
        if now == last {
            return;
        }
        last = now;
    }
}

fn draw(screen: &vt100::Screen) -> String {
    let (width, height) = (f32::from(COLUMNS) * CELL_WIDTH + 24.0, f32::from(ROWS) * CELL_HEIGHT + 24.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    for row in 0..ROWS {
        for run in runs(screen, row) {
            draw_run(&mut svg, row, &run);
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

#[derive(PartialEq, Clone)]
struct Look {
    fg: String,
    bg: Option<String>,
    bold: bool,
    italic: bool,
    underline: bool,
}

struct Run {
    column: u16,
    columns: u16,
    text: String,
    look: Look,
}

/// Neighbouring cells that look the same. Runs break after a wide character so that a font's idea of
/// its width moves nothing.
fn runs(screen: &vt100::Screen, row: u16) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column) else { continue };
        if cell.is_wide_continuation() {
            continue;
        }
        let (mut fg, mut bg) = (colour(cell.fgcolor()), colour(cell.bgcolor()));
        if cell.inverse() {
            (fg, bg) = (Some(bg.unwrap_or(BACKGROUND.into())), Some(fg.unwrap_or(FOREGROUND.into())));
        }
        let look = Look {
            fg: fg.unwrap_or(FOREGROUND.into()),
            bg,
            bold: cell.bold(),
            italic: cell.italic(),
            underline: cell.underline(),
        };
        let text = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
        let columns = if cell.is_wide() { 2 } else { 1 };
        match runs.last_mut() {
            Some(run) if run.look == look && columns == 1 && text.is_ascii() == run.text.is_ascii() => {
                run.text.push_str(&text);
                run.columns += columns;
            }
            _ => runs.push(Run { column, columns, text, look }),
        }
    }
    runs
}

fn draw_run(svg: &mut String, row: u16, run: &Run) {
    let (x, y) = (12.0 + f32::from(run.column) * CELL_WIDTH, 12.0 + f32::from(row) * CELL_HEIGHT);
    let width = f32::from(run.columns) * CELL_WIDTH;
    if let Some(bg) = &run.look.bg {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\" fill=\"{bg}\"/>"
        );
    }
    if run.text.trim().is_empty() {
        return;
    }
    let text = run.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut style = String::new();
    for (holds, attribute) in [
        (run.look.bold, " font-weight=\"bold\""),
        (run.look.italic, " font-style=\"italic\""),
        (run.look.underline, " text-decoration=\"underline\""),
    ] {
        if holds {
            style.push_str(attribute);
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{style}>{text}</text>",
        y + 13.5,
        run.look.fg
    );
}

fn colour(colour: vt100::Color) -> Option<String> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        vt100::Color::Idx(index) => Some(indexed(index)),
    }
}

/// The usual 256 colours.
fn indexed(index: u8) -> String {
    const BASIC: [&str; 16] = [
        "#1c1f26", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf", "#5c6370", "#e06c75",
        "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
    ];
    match index {
        0..=15 => BASIC[usize::from(index)].to_owned(),
        16..=231 => {
            let level = |value: u8| if value == 0 { 0 } else { 55 + 40 * value };
            let index = index - 16;
            format!("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6))
        }
        232..=255 => {
            let grey = 8 + 10 * (index - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}
