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
        .env("OCTOMIND_TAP_HOST", "file:///nonexistent")
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
    let cases: [(&[&str], &str); 6] = [
        (&["--help"], "Exit codes:"),
        (&["tap"], "octomind/starter  starter   ready"),
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

#[test]
fn a_session_taken_up_prints_only_the_new_answer_and_is_not_written_by_two() {
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("script.toml");
    let turns = ["one", "two"]
        .map(|word| format!("[[turn]]\nmatch = \"{word}\"\n\n[[turn.reply]]\ntext = \"Answer {word}.\"\n\n"));
    std::fs::write(&script, turns.concat()).unwrap();
    let model = format!("script:{}", script.display());
    let run = |message: &str| said(&octomind(home.path(), &["run", "-n", "kept", "-m", &model], message));
    assert_eq!(run("one").1, "Answer one.\n");
    let (status, out, err) = run("two");
    assert_eq!((status, out.as_str()), (Some(0), "Answer two.\n"), "{err}");
    let jsonl = ["run", "-r", "kept", "-m", &model, "--format", "jsonl"];
    let (_, out, _) = said(&octomind(home.path(), &jsonl, "one"));
    let answers: Vec<&str> = out.lines().filter(|line| line.contains(r#""type":"assistant""#)).collect();
    assert!(answers.len() == 1 && answers[0].contains("Answer one."), "{out}");

    let folder = home.path().join("data/sessions/kept");
    let before = std::fs::read(folder.join("journal.jsonl")).unwrap();
    let held = octomind::session::journal::Lock::take(&folder).unwrap();
    let (status, out, err) = run("two");
    assert_eq!((status, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("open elsewhere") && err.contains("nothing was sent"), "{err}");
    assert_eq!(std::fs::read(folder.join("journal.jsonl")).unwrap(), before);
    drop(held);
}

#[test]
fn what_is_not_there_exits_with_2_and_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    for (words, reason) in
        [(["run", "nosuchrole"].as_slice(), "nosuchrole"), (&["run", "--resume", "nosuch"], "nosuch")]
    {
        let (status, out, err) = said(&octomind(home.path(), words, "hi"));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(reason) && !err.contains("session:"), "{err}");
        assert_eq!(
            err.matches(&format!("{reason}`")).count() + err.matches(&format!("{reason}\"")).count(),
            1,
            "{err}"
        );
    }
    let (status, _, err) = said(&octomind(home.path(), &["run", "-m", "nowhere:x"], "hi"));
    assert_eq!(status, Some(69), "{err}");
    assert_eq!(said(&octomind(home.path(), &["sessions"], "")).1, "No sessions yet. `octomind` starts one.\n");
}

#[test]
fn a_local_server_that_is_down_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = format!("providers.own.base_url=http://127.0.0.1:{port}/v1");
    let begun = std::time::Instant::now();
    let (status, out, err) = said(&octomind(home.path(), &["run", "-m", "own:x", "-c", &config], "hi"));
    assert_eq!((status, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("no connection") && !err.contains("try 1"), "{err}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{err}");
}
