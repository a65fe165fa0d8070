//! The real binary: exit codes and what is said where.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the binary with its data in `home`.
fn octomind(home: &Path, words: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_octomind"))
        .args(words)
        .env_clear()
        .env("OCTOMIND_DATA_DIR", home.join("data"))
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that is refused by its flags does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn refusals_say_why_and_leave_nothing_behind() {
    let home = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str, i32, &str); 6] = [
        (&["run"], "", 2, "Standard input is empty."),
        (&["run", "--format", "jsonl"], " \n", 2, "Standard input is empty."),
        (&["run", "fix the bug"], "", 2, "standard input: echo"),
        (&["run", "--format", "xml"], "hi", 2, "possible values: plain, jsonl"),
        (&["nonsense"], "", 2, "unrecognized subcommand"),
        (&["run", "--schema", "none.json"], "hi", 2, "none.json"),
    ];
    for (words, input, code, reason) in cases {
        let (status, out, err) = said(&octomind(home.path(), words, input));
        assert_eq!((status, out.as_str()), (Some(code), ""), "{words:?}: {err}");
        assert!(err.contains(reason), "{words:?}: {err}");
    }
    assert!(!home.path().join("data").exists());
}

#[test]
fn help_and_lists_go_to_standard_output() {
    let home = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str); 5] = [
        (&["--help"], "Exit codes:"),
        (&["--version"], env!("CARGO_PKG_VERSION")),
        (&["sessions"], "No sessions yet."),
        (&["vars"], "CWD"),
        (&["config", "--path"], "data/config/config.toml"),
    ];
    for (words, text) in cases {
        let (status, out, err) = said(&octomind(home.path(), words, ""));
        assert_eq!((status, err.as_str()), (Some(0), ""), "{words:?}");
        assert!(out.contains(text), "{words:?}: {out}");
    }
}

#[test]
fn a_bad_configuration_exits_with_78() {
    let home = tempfile::tempdir().unwrap();
    let (_, _, _) = said(&octomind(home.path(), &["config"], ""));
    let file = home.path().join("data/config/config.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("colour = 1\n{text}")).unwrap();
    let (status, out, err) = said(&octomind(home.path(), &["run"], "hi"));
    assert_eq!((status, out.as_str()), (Some(78), ""), "{err}");
    assert!(err.contains("config.toml:1:1") && err.contains("nothing was sent"), "{err}");
}
