//! What reads foreign bytes, each as one function that takes any bytes and holds what must hold of them.
//!
//! Owns: the invariants. `tests/fuzz` runs the same functions under libFuzzer, the tests beside them under
//! proptest.
//!
//! Does not own: the readers.
//!
//! Invariant: no input panics, hangs, or makes a reader point outside of what it read.

use std::path::Path;

use crate::config::{Source, SourceKind, Sources};
use crate::mcp::pipes;
use crate::mcp::process::Tail;
use crate::model::sse;
use crate::proto::RequestId;
use crate::session::journal;
use crate::supervisor::report;
use crate::tap::SkillSource;
use crate::tap::skill::front_matter::{self, Kind, Piece, Value};
use crate::tap::skill::{document, rules};
use crate::text;

/// A reader and its name, which is also that of its folder of examples.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("sse", sse),
    ("json_rpc", json_rpc),
    ("front_matter", front_matter),
    ("rules", rules),
    #[cfg(feature = "tui")]
    ("keymap", keymap),
    #[cfg(feature = "tui")]
    ("theme", theme),
    ("config", config),
    ("self_report", self_report),
    ("sanitiser", sanitiser),
    ("journal", journal),
];

/// What a terminal would act on, or a reader would not see.
fn hidden(letter: char) -> bool {
    letter != '\n' && (letter.is_control() || text::is_hidden(letter))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Events do not depend on how their bytes were cut into chunks.
pub fn sse(bytes: &[u8]) {
    let (size, bytes) = bytes.split_first().map_or((1, bytes), |(size, rest)| (usize::from(*size).max(1), rest));
    for framing in [sse::Framing::Events, sse::Framing::Lines] {
        let read = |size: usize| {
            let (mut reader, mut items) = (sse::Reader::new(framing), Vec::new());
            for chunk in bytes.chunks(size) {
                assert!(reader.push(chunk, &mut items), "no line is that long");
            }
            reader.finish(&mut items);
            items
        };
        assert_eq!(read(size), read(bytes.len().max(1)), "chunks of {size}");
    }
}

/// A line is a message, several, an error that stands for an answer, or noise that is kept.
pub fn json_rpc(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let tail = Tail::default();
        let messages = pipes::messages(line, &tail);
        assert!(messages.len() <= line.len(), "more messages than bytes");
        for shown in tail.lines() {
            assert!(!shown.contains(hidden) && !shown.contains('\n'), "{shown:?}");
        }
    }
}

/// Every place lies within the text and is one of its own.
pub fn front_matter(bytes: &[u8]) {
    let source = Source::new(SourceKind::File, "SKILL.md", lossy(bytes));
    let text = &source.text;
    for kind in [Kind::Text, Kind::List, Kind::Ignored] {
        let read = front_matter::read(text, 0..text.len(), &|_| kind);
        for field in &read.fields {
            assert!(text.get(field.key_span.clone()).is_some(), "{field:?}");
            let pieces = match &field.value {
                Value::Text(piece) => std::slice::from_ref(piece),
                Value::List(pieces) => pieces,
                Value::Nothing => &[],
            };
            for piece in pieces {
                let place = text.get(piece.span.clone());
                assert!(place.is_some_and(|place| !piece.exact || place == piece.text), "{piece:?}");
            }
        }
    }
    let (skill, findings) = document::read(&source, Path::new("/s/skill/SKILL.md"), &SkillSource::Workdir);
    assert!(skill.is_some() || !findings.is_empty(), "what is left out is named");
}

/// A line of rules gives checks whose places lie within it.
pub fn rules(bytes: &[u8]) {
    let text = lossy(bytes);
    for (number, line) in text.lines().enumerate() {
        let piece = Piece { text: line.to_owned(), span: 0..line.len(), exact: true };
        let mut remarks = Vec::new();
        let group = rules::parse(&piece, u32::try_from(number).unwrap_or(u32::MAX), &mut remarks);
        for check in &group.checks {
            assert!(line.get(check.span.clone()).is_some(), "{check:?} in {line:?}");
        }
    }
}

/// Reads a file of one's own by its name, as the workbench does.
#[cfg(feature = "tui")]
fn own_file(bytes: &[u8], read: impl FnOnce(&Path)) {
    let folder = std::env::temp_dir().join(format!("octomind-fuzz-{}", std::process::id()));
    let file = folder.join("mine.toml");
    if std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(file, bytes)).is_ok() {
        read(&folder);
    }
}

/// What is wrong is named, and whoever reads it has a keymap or keeps the old one.
#[cfg(feature = "tui")]
pub fn keymap(bytes: &[u8]) {
    own_file(bytes, |folder| {
        let loaded = crate::ui::keys::load("mine", Some(folder));
        assert!(loaded.keymap.is_some() || !loaded.problems.is_empty());
    });
}

#[cfg(feature = "tui")]
pub fn theme(bytes: &[u8]) {
    use crate::ui::theme::{Depth, load};
    own_file(bytes, |folder| {
        for depth in [Depth::None, Depth::Sixteen, Depth::Full] {
            let loaded = load("mine", Some(folder), depth);
            assert!(loaded.theme.is_some() || !loaded.problems.is_empty());
        }
    });
}

/// A configuration comes out whatever the files say, and every problem can be shown.
pub fn config(bytes: &[u8]) {
    let text = lossy(bytes);
    let source = |kind, label: &str| Source::new(kind, label, text.clone());
    let loaded = crate::config::load(&Sources {
        files: vec![source(SourceKind::File, "config.toml")],
        project: Some(source(SourceKind::Project, "octomind.toml")),
        command_line: text.lines().take(3).map(str::to_owned).collect(),
        ..Sources::default()
    });
    for problem in &loaded.problems {
        let shown = problem.to_string();
        assert!(!shown.contains(hidden), "{shown:?}");
    }
    // It is complete: a second reading of it would need nothing else.
    assert!(toml::to_string(&loaded.config).is_ok());
}

/// How a reply is cut makes no difference, and no status stays in what is shown.
pub fn self_report(bytes: &[u8]) {
    let (size, bytes) = bytes.split_first().map_or((1, bytes), |(size, rest)| (usize::from(*size).max(1), rest));
    let text = lossy(bytes);
    let letters: Vec<char> = text.chars().collect();
    let read = |size: usize| {
        let mut stripper = report::Stripper::default();
        let mut shown = String::new();
        for piece in letters.chunks(size) {
            shown.push_str(&stripper.push(&piece.iter().collect::<String>()));
        }
        let (rest, reports) = stripper.finish();
        (shown + &rest, reports)
    };
    let (shown, reports) = read(letters.len().max(1));
    assert_eq!(read(size), (shown.clone(), reports.clone()), "pieces of {size}");
    assert!(shown.len() <= text.len());
    let reported = report::parse(RequestId::default(), &reports);
    assert!(reported.report.is_some() || reported.trouble.is_some());
}

/// Nothing that a terminal acts on or that hides comes out, and cleaning twice changes nothing.
pub fn sanitiser(bytes: &[u8]) {
    let foreign = lossy(bytes);
    let clean = text::sanitize(&foreign);
    assert!(!clean.contains(hidden), "{clean:?}");
    assert_eq!(text::sanitize(&clean), clean, "twice");
    let line = text::sanitize_line(&foreign);
    assert!(!line.contains(hidden) && !line.contains('\n'), "{line:?}");
    assert!(!text::reveal(&foreign).contains(hidden));
    let head = &foreign[..text::clean_prefix(&foreign)];
    assert!(!head.contains(hidden) && text::sanitize(head) == head);
    for width in [0, 1, 2, 7, 80] {
        assert!(text::width(&text::truncate(&line, width)) <= width, "{width}");
        for row in text::wrap(&clean, width.max(2)) {
            assert!(clean.get(row).is_some());
        }
    }
    let json = serde_json::Value::from(foreign.as_str()).to_string();
    let safe = text::in_json(&json);
    assert!(!safe.contains(hidden));
    assert_eq!(serde_json::from_str::<String>(&safe).ok().as_deref(), Some(foreign.as_str()));
}

/// Each line is an event or a reason, and an event that was read is written as it was.
pub fn journal(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        if let journal::Line::Event(event) = journal::parse(line) {
            let Ok(written) = serde_json::to_vec(&event) else { panic!("an event that cannot be written") };
            let mut own = crate::proto::Snapshot::default();
            own.apply(&event);
            assert_eq!(journal::parse(&written), journal::Line::Event(event));
        }
    }
}

#[cfg(test)]
mod tests;
