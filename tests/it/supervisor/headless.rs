//! The real binary: what a script sees of the supervisor.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::script::{Script, about, status};

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn octomind(home: &Path, words: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_octomind"))
        .args(words)
        .env_clear()
        .env("OCTOMIND_DATA_DIR", home.join("data"))
        .env("OCTOMIND_TAP_HOST", "file:///nonexistent")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

/// A run of the session "s" with this script.
fn run(home: &Path, script: Script, words: &[&str], message: &str) -> Ran {
    let file = home.join("script.toml");
    std::fs::write(&file, script.text()).unwrap();
    let model = format!("script:{}", file.display());
    let first = ["run", "assistant", "-n", "s", "-m", &model, "-c", "auto_capabilities=false"];
    octomind(home, &[&first, words].concat(), message)
}

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn notes(home: &Path, words: &[&str]) -> Value {
    let ran = octomind(home, &[&["notes", "--session", "s", "--format", "json"], words].concat(), "");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    serde_json::from_str(&ran.out).unwrap()
}

fn pass() -> Value {
    json!({ "verdict": "pass", "evidence": [], "gaps": [] })
}

fn gap(finding: &str) -> Value {
    let gap = json!({
        "finding": finding, "blocking": true, "ref": "reply", "quote": "Done", "same_as": "", "forbidden_by": "",
    });
    json!({ "verdict": "gaps", "evidence": [], "gaps": [gap] })
}

#[test]
fn gaps_that_are_left_have_a_code_of_their_own_and_the_rest_is_a_success() {
    let home = tempfile::tempdir().unwrap();
    let script = || {
        let stands = json!({ "findings": [{ "id": "g1", "stands": true, "why": "so it is" }] });
        let script = Script::default()
            .on("fine")
            .says(&status("Done.", "done"))
            .on("broken")
            .says(&status("Done.", "done"))
            .on("bad");
        let script = (1..=3).fold(script, |script, look| script.says(&status(&format!("Done, {look}."), "done")));
        let script = script.judge_where("gate", &about("fine"), None, &pass().to_string()).judge_where(
            "gate",
            &about("broken"),
            None,
            "no",
        );
        let script =
            (1..=3).fold(script, |script, look| script.judge_times("gate", 1, &gap(&format!("Fault {look}."))));
        script.judge("refute", &stands)
    };
    let fine = run(home.path(), script(), &[], "fine");
    assert_eq!((fine.code, fine.out.as_str()), (Some(0), "Done.\n"), "{}", fine.err);
    assert!(fine.err.contains("gate: pass · unknown") && !fine.err.contains("warning"), "{}", fine.err);

    let broken = run(home.path(), script(), &["--format", "jsonl"], "broken");
    let last = lines(&broken.out).pop().unwrap();
    assert_eq!((broken.code, &last["data"]["verdict"]), (Some(0), &json!("indeterminate")), "{}", broken.out);
    assert!(broken.err.starts_with("warning: the gate came to no verdict"), "{}", broken.err);

    let bad = run(home.path(), script(), &[], "bad");
    assert_eq!((bad.code, bad.out.as_str()), (Some(4), "Done, 1.\nDone, 2.\nDone, 3.\n"), "{}", bad.err);
    for line in ["gate: 1 gap · sent back, time 1 of 2\n  - Fault 1.", "  - Fault 3.", "octomind: 1 gap is left"] {
        assert!(bad.err.contains(line), "{line:?} is not in {}", bad.err);
    }
    assert!(octomind(home.path(), &["--help"], "").out.contains("\n    4  answered, and the gate found gaps"));

    // All of it can be read afterwards.
    let told = notes(home.path(), &["--kind", "gate"]);
    let outcomes: Vec<&Value> =
        told["records"].as_array().unwrap().iter().map(|record| &record["decision"]["gate"]["outcome"]).collect();
    assert_eq!(outcomes, ["unknown", "indeterminate", "gaps", "gaps", "gaps"]);
    let turns: Vec<u64> =
        told["records"].as_array().unwrap().iter().map(|record| record["turn"].as_u64().unwrap()).collect();
    assert_eq!(turns, [1, 2, 3, 3, 3]);
    let text = octomind(home.path(), &["notes", "--full"], "").out;
    for word in ["status", "Fault 2.", "octomind-note", "requests"] {
        assert!(text.contains(word), "{word} is not in {text}");
    }
}

#[test]
fn one_run_without_the_gate_and_one_without_any_of_it() {
    let home = tempfile::tempdir().unwrap();
    let script = || Script::default().on("go").says(&status("Done.", "done")).judge("gate", &pass());
    for (set, replies) in [("supervisor.gate.enabled=false", "Done."), ("supervisor.enabled=false", "Done.\n<sup>")] {
        let ran = run(home.path(), script(), &["--format", "jsonl", "-c", set], "go");
        let lines = lines(&ran.out);
        let last = lines.last().unwrap();
        assert_eq!((ran.code, &last["data"]["verdict"], ran.err.as_str()), (Some(0), &Value::Null, ""), "{set}");
        let said = lines.iter().find(|line| line["type"] == "assistant").unwrap();
        assert!(said["content"].as_str().unwrap().starts_with(replies), "{said}");
        let costs: Vec<&Value> = lines.iter().filter(|line| line["type"] == "cost").collect();
        assert_eq!((costs.len(), &costs[0]["auxiliary_tokens"]), (1, &json!(0)), "{set}");
    }
    let told = notes(home.path(), &[]);
    let kinds: Vec<&str> = told["records"].as_array().unwrap().iter().map(|one| one["who"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["status"], "{told}");
    let with = run(home.path(), script(), &["--format", "jsonl"], "go");
    let costs: Vec<Value> = lines(&with.out).into_iter().filter(|line| line["type"] == "cost").collect();
    assert_eq!(costs.len(), 2, "the gate's is there too");
    assert!(costs[1]["auxiliary_tokens"].as_u64().unwrap() > 0, "{costs:?}");
}

/// The bodies of every call, for their owner alone, without secrets.
#[cfg(unix)]
#[test]
fn every_call_is_kept_on_the_wire() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let script = Script::default().on("go").says(&status("Done.", "done")).judge("gate", &pass());
    let ran = run(home.path(), script, &[], "go");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let folder = home.path().join("data/sessions/s/wire");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "{files:?}");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    assert!(files.iter().all(|file| mode(file) == 0o600));
    assert!(texts[0].contains("Done.") && texts[1].contains("verdict"), "{texts:?}");
}
