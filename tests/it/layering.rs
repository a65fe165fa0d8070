//! The layout is held by reading the source: layers, their crates, file sizes, module headers.

use std::fmt::Write as _;
use std::path::Path;

mod check;
mod source;

use check::{Rules, check};
use source::Source;

/// Most lines a file may have, tests aside; from [`WATCH_LINES`] on it is listed.
const MOST_LINES: usize = 500;
const WATCH_LINES: usize = 400;
const WATCH_FUNCTION: usize = 60;

fn tree() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                sources.push(Source::new(&name, &std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

#[test]
fn every_file_stays_in_its_layer() {
    let sources = tree();
    assert!(sources.len() > 20, "the source tree was not found");
    let faults: Vec<String> = sources.iter().flat_map(|source| check(&Rules::ours(), source)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn files_stay_small() {
    let mut over = String::new();
    for source in tree().iter().filter(|source| !source.is_test()) {
        let lines = source.text.lines().count();
        if lines > WATCH_LINES {
            println!("{lines:5} lines  {}", source.path);
        }
        if lines > MOST_LINES {
            writeln!(over, "{}: {lines} lines, {MOST_LINES} at the most", source.path).unwrap();
        }
        for (line, name, length) in source.long_functions(WATCH_FUNCTION) {
            println!("{length:5} lines  {}:{line} fn {name}", source.path);
        }
    }
    assert!(over.is_empty(), "\n{over}");
}

/// Each pair: a file that breaks one rule, and what the checker must say about it.
#[test]
fn the_checker_sees_what_it_should() {
    let cases = [
        ("src/ui/view/x.rs", "use crate::session::start;\n", "src/ui/view/x.rs:1: ui uses session"),
        (
            "src/ui/x.rs",
            "\nuse crate::{\n    proto::Event,\n    mcp::{types, Servers},\n};",
            "src/ui/x.rs:4: ui uses mcp",
        ),
        ("src/ui/x.rs", "fn f() { crate::model::open(); }", "src/ui/x.rs:1: ui uses model"),
        ("src/ui/view/x.rs", "use super::super::super::model::open;", "src/ui/view/x.rs:1: ui uses model"),
        ("src/serve/mod.rs", "//! x\nuse super::session::start;", "src/serve/mod.rs:2: serve uses session"),
        ("src/proto/x.rs", "use crate::text::width;", "src/proto/x.rs:1: proto uses text"),
        ("src/config/x.rs", "use crate::model::open;", "src/config/x.rs:1: config uses model"),
        ("src/mcp/x.rs", "use crate::session::Handle;", "src/mcp/x.rs:1: mcp uses session"),
        ("src/session/x.rs", "use crate::ui::run;", "src/session/x.rs:1: session uses ui"),
        ("src/main.rs", "fn main() { octomind::session::start() }", "src/main.rs:1: main uses session"),
        ("src/proto/x.rs", "use tokio::sync::mpsc;", "src/proto/x.rs:1: proto must not name tokio"),
        ("src/proto/x.rs", "fn f() { std::fs::read(p); }", "src/proto/x.rs:1: proto must not name std::fs"),
        ("src/session/x.rs", "use ratatui::text::Line;", "src/session/x.rs:1: session must not name ratatui"),
        ("src/text/x.rs", "use crossterm::event;", "src/text/x.rs:1: text must not name crossterm"),
        ("src/session/x.rs", "use genai::Client;", "src/session/x.rs:1: session must not name genai"),
        ("src/ui/view/x.rs", "a(Color::Red)", "src/ui/view/x.rs:1: Color:: only in src/ui/theme"),
        ("src/ui/update/x.rs", "KeyCode::Esc => 1", "src/ui/update/x.rs:1: KeyCode:: only in src/ui/keys, src/ui/term"),
        ("src/ui/view/x.rs", "let t = Instant::now();", "src/ui/view/x.rs:1: Instant::now not here: time is passed in"),
        (
            "src/surface/x.rs",
            "std::time::SystemTime::now()",
            "src/surface/x.rs:1: SystemTime::now not here: time is passed in",
        ),
        ("src/ui/mod.rs", "mod x;", "src/ui/mod.rs:1: a mod.rs opens with what the module owns (//!)"),
    ];
    for (path, text, fault) in cases {
        let found = check(&Rules::ours(), &Source::new(path, text));
        assert_eq!(found, [fault], "{path}: {text}");
    }
}

#[test]
fn the_checker_lets_good_files_pass() {
    let cases = [
        (
            "src/ui/view/x.rs",
            "use crate::{proto::Event, port::Port, config::schema::Ui, text, ui::state};\nuse super::state;",
        ),
        ("src/ui/theme/x.rs", "Color::Red"),
        (
            "src/ui/view/x.rs",
            "// crate::session is not used\nlet s = \"crate::mcp\"; /* Color::Red */ let c = '\"'; RoleColor::Red;",
        ),
        ("src/ui/view/x.rs", "let s = r#\"Color::Red \" \"#; let t: &'static str = \"\\\" KeyCode::Esc\";"),
        ("src/ui/keys/x.rs", "KeyCode::Esc"),
        ("src/ui/run.rs", "Instant::now()"),
        ("src/session/x.rs", "use crate::{mcp::Servers, model, proto, text};"),
        ("src/cli/x.rs", "use crate::{session, ui, mcp};"),
        ("src/text/width/tests.rs", "use ratatui::buffer::Buffer;"),
        ("src/main.rs", "fn main() { octomind::cli::main() }"),
    ];
    for (path, text) in cases {
        assert_eq!(check(&Rules::ours(), &Source::new(path, text)), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn long_functions_are_found() {
    let body = "    x();\n".repeat(61);
    let source =
        Source::new("src/x.rs", &format!("fn short() {{}}\n\npub async fn long<T>(t: T) -> i32 {{\n{body}}}\n"));
    assert_eq!(source.long_functions(60), [(3, "long".to_owned(), 63)]);
}
