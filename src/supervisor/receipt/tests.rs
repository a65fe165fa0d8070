use serde_json::{Value, json};

use super::*;

fn command(command: &str, outcome: ToolOutcome, changed_tree: bool) -> Receipt {
    call("shell", &json!({"command": command}), outcome, Kind::Command { changed_tree })
}

fn call(tool: &str, arguments: &Value, outcome: ToolOutcome, kind: Kind) -> Receipt {
    Receipt {
        call: CallId("c1".to_owned()),
        tool: tool.to_owned(),
        target: target(arguments),
        line: line(tool, arguments),
        result: fingerprint("ok"),
        outcome,
        kind,
    }
}

#[test]
fn the_same_call_in_other_words_has_the_same_target() {
    let long = "x".repeat(600);
    let table = [
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}), true),
        (json!({"path": "a", "reason": "to see"}), json!({"path": "a", "reason": "to look"}), true),
        (json!({"path": "a", "explanation": "x", "limit": null}), json!({"path": "a"}), true),
        (json!({"path": "a"}), json!({"path": "b"}), false),
        (json!({"command": "ls  -la # again"}), json!({"command": " ls -la"}), true),
        (json!({"command": "ls -la"}), json!({"command": "ls -l"}), false),
        (json!({"command": "echo 'a  b'"}), json!({"command": "echo 'a b'"}), false),
        (json!({"command": "echo '# a'"}), json!({"command": "echo '# b'"}), false),
        (json!({"command": "a\n\n# third try\nb"}), json!({"command": "a\nb"}), true),
        // The only thing that a call says is not left out.
        (json!({"title": "a"}), json!({"title": "b"}), false),
        (json!({"title": "a", "limit": null}), json!({"title": "b"}), false),
        // Not prose when it is no text.
        (json!({"a": 1, "reason": {"b": 1}}), json!({"a": 1, "reason": {"b": 2}}), false),
        (json!({"content": long}), json!({"content": format!("{long}y")}), false),
        (json!({"content": long.clone()}), json!({"content": long}), true),
        (json!("{broken"), json!("{broken too"), false),
    ];
    for (one, other, same) in table {
        assert_eq!(target(&one) == target(&other), same, "{one} | {other}");
    }
    assert!(target(&json!({"content": long})).len() < 100);
}

#[test]
fn what_differs_from_run_to_run_makes_no_new_result() {
    let table = [
        ("ok in 0.03s", "ok in 1.20s", true),
        ("[exit 0, 0.1 s]", "[exit 0, 12.9 s]", true),
        ("finished in 12 ms", "finished in 9 ms", true),
        ("2026-11-30T20:15:00Z up", "2026-11-30T20:15:07Z up", true),
        ("20:15:00 up", "20:16:00 up", true),
        ("at 0x7f3a90c0", "at 0x7f3a91d0", true),
        ("12 tests", "13 tests", false),
        ("line 12", "line 13", false),
        ("exit 1", "exit 2", false),
        ("5 stars", "6 stars", false),
        ("v1.2.3", "v1.2.4", false),
        ("a1s", "a2s", false),
        ("0x12", "0x13", false),
        ("", " ", false),
        ("größe 3", "größe 4", false),
    ];
    for (one, other, same) in table {
        assert_eq!(fingerprint(one) == fingerprint(other), same, "{one} | {other}");
    }
}

#[test]
fn a_line_is_for_people() {
    assert_eq!(line("shell", &json!({"command": "cargo test\n--lib"})), "shell cargo test --lib");
    assert_eq!(line("list", &json!({})), "list");
    assert_eq!(line("view", &json!({"path": "a\u{1b}[31m"})), "view {\"path\":\"a\\u001b[31m\"}");
    assert!(line("write", &json!({"content": "x".repeat(500)})).ends_with('…'));
}

#[test]
fn what_counts_as_a_check() {
    let passes = [
        "cargo test",
        "cd app && cargo test",
        "cargo test && echo ok",
        "cargo fmt --check && cargo clippy",
        "(cd app && npm test)",
        "RUST_LOG=debug cargo test --lib",
        "timeout 60 cargo test",
        "set -o pipefail; cargo test | tail -5",
        "set -euo pipefail\ncargo test | tee log\necho done",
        "cargo test || exit 1",
        "bash -c 'cargo test'",
        "bash -lc \"cd x && make check\"",
        "test -f out.png",
        "[ -s out.png ]",
        "test \"$(wc -l < out)\" = 3",
        "python3 -c 'import app; app.check()'",
        "cargo test \\\n  --lib",
        "grep -q needle file",
        "grep needle file",
        "cat file | grep needle",
        "rg needle src",
        "make check",
        "make -j4 -C sub check",
        "python3 -c 'import sys, app; app.check(sys.argv)'",
        "git diff --exit-code",
        "diff a b",
        "./check.sh",
        "cargo test 2>&1",
        "pytest -q # all of them",
        "pytest -v",
        "go test -v ./...",
        "npm run list-check",
        "npm test",
        "python -m pytest",
        "echo '{}' | ./app --check",
        "printf %s \"$OUT\" | grep ok",
        "cat log | grep ok",
        "diff a b > /dev/null",
        "diff <(./app) expected.txt",
        "test a.txt -nt b.txt",
        "grep ok <<< $(./app)",
        "docker build .",
        "cargo build",
    ];
    for text in passes {
        assert_eq!(command(text, ToolOutcome::Ok, false).check(), Check::Passed, "{text}");
        assert_eq!(command(text, ToolOutcome::Error, false).check(), Check::Failed, "{text}");
        assert_eq!(command(text, ToolOutcome::TimedOut, false).check(), Check::Failed, "{text}");
        assert_eq!(command(text, ToolOutcome::Lost, false).check(), Check::None, "{text}");
        assert_eq!(command(text, ToolOutcome::Ok, true).check(), Check::None, "{text}: it changed something");
    }
    let proves_nothing = [
        "true",
        "echo 'all tests pass'",
        "ls -la",
        "cat out.txt",
        "git status",
        "git diff",
        "cargo test || true",
        "cargo test || echo failed",
        "cargo test || exit 0",
        "cargo test; echo $?",
        "cargo test; true",
        "cargo test | tail -5",
        "cargo test |& head",
        "cargo test &",
        "! cargo test",
        "if cargo test; then echo ok; fi",
        "cargo test || { echo failed; exit 1; }",
        "for f in *; do cargo test; done",
        "{ cargo test; true; }",
        "cargo --version",
        "pytest --collect-only",
        "bash -c 'cargo test || true'",
        "# cargo test",
        "[ 1 = 1 ]",
        "test ok",
        "python3 -c 'print(\"all tests pass\")'",
        "node -e 0",
        "sh -c true",
        "PATH=/tmp/fake:$PATH cargo test",
        "alias cargo=true; cargo test",
        "cargo() { true; }; cargo test",
        "cargo () { :; }\ncargo test",
        "cat <<EOF\ncargo test\nEOF",
        "cargo test && false || true",
        "cargo test & wait",
        "echo cargo test",
        "grep needle file || true",
        "grep needle file | head",
        "make -n",
        "make -kn check",
        "make --just-print check",
        "cargo publish --dry-run",
        "cat out.txt | python3 -c 'import sys; print(sys.stdin.read())'",
        "sleep 5",
        "exit 0",
        "echo 'all tests passed' | grep passed",
        "printf ok | grep ok",
        "echo ok | tr a-z A-Z | grep OK",
        "grep ok <<< ok",
        "npm -v",
        "node -v",
        "go version",
        "make help",
        "npm help test",
        "npm ls",
        "npm install",
        "pip install -q x",
        "cargo tree",
        "cargo -q metadata",
        "rustup show",
        "diff o.txt o.txt",
        "diff -u o.txt ./o.txt > /dev/null",
        "cmp o.txt o.txt",
        "[ a.txt = a.txt ]",
        "test \"$x\" = \"$x\"",
        "",
    ];
    for text in proves_nothing {
        let check = command(text, ToolOutcome::Ok, false).check();
        assert!(matches!(check, Check::Unusable(_)), "{text}: {check:?}");
    }
    let argv = |words: Value| {
        call("shell", &json!({"command": words}), ToolOutcome::Ok, Kind::Command { changed_tree: false })
    };
    assert_eq!(argv(json!(["cargo", "test", "it's"])).check(), Check::Passed);
    assert_eq!(argv(json!(["bash", "-lc", "cd a && cargo test"])).check(), Check::Passed);
    for words in [json!(["true"]), json!(["bash", "-c", "cargo test || true"]), json!([]), json!({"run": "cargo test"})]
    {
        assert!(matches!(argv(words.clone()).check(), Check::Unusable(_)), "{words}");
    }
    // A command that only shows something does not fail a check either.
    assert_eq!(command("ls nowhere", ToolOutcome::Error, false).check(), Check::None);
    assert_eq!(command("cargo test | tail", ToolOutcome::Error, false).check(), Check::Failed);
    for kind in [Kind::Read, Kind::Mutation, Kind::Unknown] {
        assert_eq!(call("shell", &json!({"command": "cargo test"}), ToolOutcome::Ok, kind).check(), Check::None);
    }
}
