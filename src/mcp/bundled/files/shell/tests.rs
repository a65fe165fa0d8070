use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;
use tokio::time::Instant;

use super::super::limits::{SHELL_BYTES, SHELL_SECONDS_MOST};
use super::output::Output;
use super::plain::readable;
use super::*;
use crate::mcp::bundled::files::probe::{number_in, running, until, until_gone};

struct Bench {
    folder: tempfile::TempDir,
    root: Root,
    shells: Arc<Shells>,
    cancel: CancellationToken,
    closing: CancellationToken,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::new(folder.path()).unwrap();
        Self {
            folder,
            root,
            shells: Arc::default(),
            cancel: CancellationToken::new(),
            closing: CancellationToken::new(),
        }
    }

    async fn try_run(&self, arguments: serde_json::Value) -> Result<(String, bool), Refusal> {
        let mut args = Args::new("shell", arguments.as_object().cloned());
        let stop = Stop { cancel: self.cancel.clone(), closing: self.closing.clone() };
        let answer = run(&self.shells, &self.root, &mut args, None, stop).await?;
        Ok((answer.content[0].as_text().unwrap().text.clone(), answer.failed))
    }

    async fn run(&self, command: &str) -> (String, bool) {
        self.try_run(json!({"command": command})).await.unwrap()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }
}

#[tokio::test]
async fn output_comes_in_order_and_the_exit_code_is_always_said() {
    let bench = Bench::new();
    let (text, failed) = bench.run("echo one; echo two >&2; echo three; exit 3").await;
    assert!(text.starts_with("one\ntwo\nthree\n[exit 3, ") && failed, "{text}");
    let (text, failed) = bench.run("true").await;
    assert!(text.starts_with("(no output)\n[exit 0, ") && !failed, "{text}");
    let (text, failed) = bench.run("kill -9 $$").await;
    assert!(text.contains("[ended by signal 9, ") && failed, "{text}");
    let (text, _) = bench.run("printf 'no newline'").await;
    assert!(text.starts_with("no newline\n[exit 0"), "{text}");
    let (text, _) = bench.run("read line || echo no input; echo $TERM $PAGER $GIT_TERMINAL_PROMPT; tty").await;
    assert!(text.starts_with("no input\ndumb cat 0\nnot a tty\n"), "{text}");
}

#[tokio::test]
async fn cwd_and_arguments_are_checked() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("sub")).unwrap();
    std::fs::write(bench.path("file"), "").unwrap();
    let (text, _) = bench.try_run(json!({"cmd": "basename $PWD", "cwd": "sub"})).await.unwrap();
    assert!(text.starts_with("sub\n"), "{text}");
    for (arguments, reason) in [
        (json!({}), "shell needs `command`"),
        (json!({"command": "  "}), "is empty"),
        (json!({"command": "true", "cwd": "absent"}), "There is no absent"),
        (json!({"command": "true", "cwd": "file"}), "is not a folder"),
        (json!({"command": "true", "timeout_seconds": 0}), "must be from 1"),
        (json!({"command": "true", "timeout_seconds": SHELL_SECONDS_MOST + 1}), "must be from 1"),
        (json!({"command": "true", "timeout_seconds": "soon"}), "a whole number"),
    ] {
        let refusal = bench.try_run(arguments.clone()).await.unwrap_err();
        assert!(refusal.to_string().contains(reason), "{arguments}: {refusal}");
    }
}

#[tokio::test]
async fn a_timeout_ends_the_whole_group_and_keeps_the_output() {
    let bench = Bench::new();
    let command = "echo before; (trap '' TERM; sh -c 'echo $$ > pid; trap \"\" TERM; sleep 300; sleep 300')";
    let (text, failed) = bench.try_run(json!({"command": command, "timeout_seconds": 1})).await.unwrap();
    assert!(text.starts_with("before\n") && text.contains("timed out after 1 s") && failed, "{text}");
    until_gone(number_in(&bench.path("pid")).await).await;
}

#[tokio::test]
async fn a_cancel_ends_grandchildren() {
    let bench = Bench::new();
    let watch = async {
        let pid = number_in(&bench.path("pid")).await;
        bench.cancel.cancel();
        pid
    };
    let ((text, failed), pid) = tokio::join!(bench.run("sh -c 'sh -c \"echo \\$\\$ > pid; sleep 300\"; true'"), watch);
    assert!(text.contains("[cancelled after ") && failed, "{text}");
    until_gone(pid).await;
}

#[tokio::test]
async fn a_background_process_does_not_hold_the_call_and_ends_with_the_server() {
    let bench = Bench::new();
    let started = Instant::now();
    let (text, failed) =
        bench.run("echo begun; (exec sh -c 'echo $$ > pid; while sleep 0.02; do echo tick; done') &").await;
    assert!(started.elapsed() < Duration::from_secs(5) && !failed);
    assert!(text.contains("begun\n") && text.contains("still running in the background"), "{text}");
    let path = text.split("its output goes to ").nth(1).unwrap().split(';').next().unwrap();
    let pid = number_in(&bench.path("pid")).await;
    let ticks = || std::fs::read_to_string(path).unwrap_or_default().matches("tick").count();
    let seen = ticks();
    until(|| ticks() > seen + 2).await;
    assert!(running(pid));
    bench.shells.end().await;
    until_gone(pid).await;
    assert!(!Path::new(path).exists(), "kept outputs go with the server");
}

#[tokio::test]
async fn a_flood_from_the_background_does_not_hide_the_end() {
    let bench = Bench::new();
    let (text, failed) = bench.try_run(json!({"command": "yes & echo $! > pid", "timeout_seconds": 60})).await.unwrap();
    assert!(!failed && text.contains("[exit 0, ") && text.contains("still running"), "{text}");
    bench.shells.end().await;
    until_gone(number_in(&bench.path("pid")).await).await;
}

#[tokio::test]
async fn a_background_process_with_its_own_output_is_known_too() {
    let bench = Bench::new();
    let (text, _) = bench.run("sleep 300 > log 2>&1 & echo $! > pid").await;
    assert!(text.contains("[still running in the background; stop it with: kill -- -"), "{text}");
    let pid = number_in(&bench.path("pid")).await;
    assert!(running(pid));
    let Bench { shells, .. } = bench;
    shells.end().await;
    until_gone(pid).await;
}

#[tokio::test]
async fn long_output_keeps_head_and_tail_and_the_whole_in_a_file() {
    let bench = Bench::new();
    let (text, _) = bench.run("seq 1 20000").await;
    assert!(text.len() < SHELL_BYTES + 500, "{}", text.len());
    assert!(text.starts_with("1\n2\n") && text.contains("\n20000\n[exit 0"), "head and tail");
    let whole: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    let path = text.split("bytes are in ").nth(1).unwrap().split(']').next().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), whole);
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    let hidden: usize = text.split(" bytes not shown").next().unwrap().rsplit('[').next().unwrap().parse().unwrap();
    let (head, tail) = text.split_once(" bytes not shown").unwrap();
    let shown = head.rsplit_once("\n[").unwrap().0.len()
        + 1
        + tail.split_once("]\n").unwrap().1.split("[exit").next().unwrap().len();
    assert_eq!(shown + hidden, whole.len(), "every byte is shown or counted");
}

#[tokio::test]
async fn progress_lines_split_characters_and_binary_are_told_apart() {
    let bench = Bench::new();
    let (text, _) = bench.run("printf '10%%\\r20%%\\r100%%\\n'; printf 'a\\r\\nb\\n'").await;
    assert!(text.starts_with("100%\na\nb\n[exit"), "{text}");
    let (text, _) = bench.run("printf '\\342'; sleep 0.05; printf '\\200\\224\\n'").await;
    assert!(text.starts_with("—\n"), "{text}");
    let (text, _) = bench.run("head -c 4096 /dev/urandom").await;
    assert!(text.starts_with("[binary output, 4096 bytes; all 4096 bytes are in /"), "{text}");
    let (text, _) = bench.run("printf 'caf\\351 is fine, and more text that decodes\\n'").await;
    assert!(text.starts_with("caf\u{fffd} is fine"), "{text}");
    let (text, _) = bench.run("printf '\\033[31mred\\033[0m\\t\\033]0;title\\007x\\n'").await;
    assert!(text.starts_with("red\tx\n"), "{text}");
}

#[test]
fn escape_sequences_never_swallow_a_line() {
    for (raw, plain) in [
        ("\x1b]0;unfinished\nnext", "]0;unfinished\nnext"),
        ("\x1b[1;31mred\x1b[m", "red"),
        ("\x1b(Bx\x1b=y\x1b", "xy"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("bell\x07 \u{9b}x", "bell x"),
    ] {
        assert_eq!(readable(raw.as_bytes()), plain, "{raw:?}");
    }
}

proptest! {
    #[test]
    fn output_is_the_same_however_it_is_cut_into_reads(
        text in "([a-z é—\t]{0,9}(\r|\n|\r\n)?){0,20}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let none = || Err(std::io::Error::other("no file"));
        let mut whole = Output::default();
        whole.push(text.as_bytes(), &none);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut pieces = Output::default();
        for pair in cuts.windows(2) {
            pieces.push(&text.as_bytes()[pair[0]..pair[1]], &none);
        }
        let said = whole.finish(&none);
        prop_assert_eq!(&said, &pieces.finish(&none));
        // What a terminal would show at the end of each line.
        let shown: Vec<String> = text.split('\n').map(|line| {
            line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default().to_owned()
        }).collect();
        prop_assert_eq!(said, shown.join("\n"));
    }
}
