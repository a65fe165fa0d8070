use std::fs;
use std::time::Duration;

use super::super::Surroundings;
use super::{Limits, Machine};
use crate::config::Env;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("Cargo.toml", "[dependencies]\ntokio = \"1\"\n"),
        ("src/deep/main.rs", "fn main() {}\n"),
        ("target/made.rs", "secret_word\n"),
        (".gitignore", "target/\n"),
        (".git/config", "secret_word\n"),
        (".github/workflows/ci.yml", "on: push\n"),
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn machine(folder: &tempfile::TempDir, limits: Limits) -> Machine {
    Machine::within(folder.path(), &Env::from_pairs([("PATH", folder.path().to_str().unwrap())]), limits)
}

fn patient() -> Limits {
    Limits { time: Duration::from_secs(60), ..Limits::default() }
}

#[test]
fn files_and_texts_are_found_ignored_ones_aside() {
    let folder = folder();
    let machine = machine(&folder, patient());
    for (glob, held) in [
        ("Cargo.toml", true),
        ("target/made.rs", true),
        ("*.toml", true),
        ("*.rs", false),
        ("**/*.rs", true),
        ("src/*/main.rs", true),
        ("src/*.rs", false),
        ("**/made.rs", false),
        (".github/workflows/*.yml", true),
        ("[", false),
    ] {
        assert_eq!(machine.file(glob).held, held, "{glob}");
    }
    for (pattern, glob, held) in [
        ("^tokio", None, true),
        ("^tokio", Some("*.toml"), true),
        ("^tokio", Some("*.rs"), false),
        ("fn main", Some("*.rs"), true),
        ("fn main", Some("src/**/*.rs"), true),
        ("fn main", Some("src/*.rs"), false),
        ("secret_word", None, false),
        ("[", None, false),
    ] {
        assert_eq!(machine.grep(pattern, glob).held, held, "{pattern} {glob:?}");
    }
    assert_eq!(machine.grep("^tokio", None).evidence, "Cargo.toml:2");
}

#[test]
fn the_search_stops_at_its_bounds_and_says_so() {
    let folder = folder();
    let one = machine(&folder, Limits { files: 1, ..patient() });
    assert!(one.file("**/none").evidence.contains("first 1"));
    let little = machine(&folder, Limits { bytes: 1, ..patient() });
    assert!(little.grep("none", None).evidence.contains("stopped"));
    let late = machine(&folder, Limits { time: Duration::ZERO, ..patient() });
    assert!(!late.file("**/*.rs").held);
}

#[cfg(unix)]
#[test]
fn a_program_is_an_executable_file_on_the_path() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let tool = folder.path().join("tool");
    fs::write(&tool, "#!/bin/sh\n").unwrap();
    let machine = machine(&folder, patient());
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(!machine.bin("tool").held);
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(machine.bin("tool").held);
    assert!(!machine.bin("src").held);
    assert!(!machine.bin("none").held);
    assert!(!machine.bin("../tool").held);
}

/// A project's ignore file may be a pipe that nobody writes: the rules are judged all the same.
#[test]
fn an_ignore_file_that_is_a_pipe_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = folder();
    mknodat(CWD, folder.path().join(".ignore"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    mknodat(CWD, folder.path().join("src/.gitignore"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(machine(&folder, patient()).grep("fn main", None).held);
}
