use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::mcp::group::alive;
use crate::tap::{Tap, TapKind};

struct Fixture {
    dir: tempfile::TempDir,
    tap: Tap,
}

fn fixture(scripts: &[(&str, &str)]) -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("tap");
    for (name, text) in scripts {
        let file = root.join("deps").join(format!("{name}.sh"));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    std::fs::create_dir_all(&root).unwrap();
    let tap = Tap { name: "me/tap".into(), kind: TapKind::Linked, root, unavailable: None };
    Fixture { dir, tap }
}

impl Fixture {
    async fn run(
        &self,
        name: &str,
        limit: Duration,
        cancel: &CancellationToken,
    ) -> (Result<Done, ScriptError>, Vec<String>) {
        let script = find(&self.tap, name).unwrap();
        let env = BTreeMap::from([("GIVEN".to_owned(), "a value".to_owned())]);
        let mut lines = Vec::new();
        let running = Running { workdir: self.dir.path(), env: &env, limit };
        let outcome = run(&script, running, |line| lines.push(line), cancel).await;
        (outcome, lines)
    }
}

const ENOUGH: Duration = Duration::from_secs(20);

#[tokio::test]
async fn output_comes_line_by_line_and_safe_to_show() {
    let fixture = fixture(&[(
        "org/tool",
        "printf 'out \\033[31mred\\033[0m\\n10%%\\r20%%\\r'; echo \"$GIVEN in $PWD\"; printf 'no end'\nread -r x; echo \"[$x]\"",
    )]);
    let (outcome, lines) = fixture.run("org/tool", ENOUGH, &CancellationToken::new()).await;
    assert!(outcome.is_ok(), "{outcome:?}");
    let here = fixture.dir.path().canonicalize().unwrap().display().to_string();
    assert_eq!(lines, ["out red", "10%", "20%", &format!("a value in {here}"), "no end[]"]);
}

#[tokio::test]
async fn what_went_wrong_is_told_with_the_last_words_on_standard_error() {
    let fixture = fixture(&[
        ("a/b", "echo chatter; for i in $(seq 30); do echo \"line $i\" >&2; done; exit 3"),
        ("a/quiet", "echo only this; exit 1"),
        ("a/killed", "kill -9 $$"),
    ]);
    let (outcome, _) = fixture.run("a/b", ENOUGH, &CancellationToken::new()).await;
    let Err(ScriptError::Failed { status, said, tap, .. }) = &outcome else { panic!("{outcome:?}") };
    assert_eq!((status.as_str(), tap.as_str(), said.len()), ("exit code 3", "me/tap", 12));
    assert_eq!(said.last().map(String::as_str), Some("line 30"));
    assert!(outcome.unwrap_err().to_string().starts_with("deps/a/b.sh of me/tap ended with exit code 3 after 0 s:\n"));
    let (outcome, _) = fixture.run("a/quiet", ENOUGH, &CancellationToken::new()).await;
    assert!(outcome.unwrap_err().to_string().ends_with(":\nonly this"));
    let (outcome, _) = fixture.run("a/killed", ENOUGH, &CancellationToken::new()).await;
    assert_eq!(outcome.unwrap_err().to_string(), "deps/a/killed.sh of me/tap ended with signal 9 after 0 s");
}

/// Waits until a process wrote its group to the file, and gives it.
async fn group_in(file: &std::path::Path) -> i32 {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(group) = std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()) {
            return group;
        }
        assert!(Instant::now() < end, "the script never started");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn gone(group: i32) {
    let end = Instant::now() + Duration::from_secs(5);
    while alive(group) {
        assert!(Instant::now() < end, "something of the script is left");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn cancelling_leaves_nothing_behind() {
    let stubborn = "trap '' TERM; (trap '' TERM; exec sleep 300) & echo $$ > group; echo started; wait; sleep 300";
    let fixture = fixture(&[("a/b", stubborn)]);
    let cancel = CancellationToken::new();
    let file = fixture.dir.path().join("group");
    let (ran, group) = tokio::join!(fixture.run("a/b", ENOUGH, &cancel), async {
        let group = group_in(&file).await;
        cancel.cancel();
        group
    });
    assert!(matches!(ran.0, Err(ScriptError::Cancelled { .. })), "{ran:?}");
    gone(group).await;
    let (outcome, lines) = fixture.run("a/b", ENOUGH, &cancel).await;
    assert!(matches!(outcome, Err(ScriptError::Cancelled { .. })));
    assert!(lines.is_empty(), "a script that is cancelled beforehand never starts");
}

#[tokio::test]
async fn a_script_that_hangs_is_ended() {
    let fixture = fixture(&[("a/b", "echo $$ > group; echo waiting >&2; sleep 300")]);
    let (outcome, _) = fixture.run("a/b", Duration::from_millis(300), &CancellationToken::new()).await;
    assert!(matches!(outcome, Err(ScriptError::TimedOut { .. })), "{outcome:?}");
    gone(group_in(&fixture.dir.path().join("group")).await).await;
}

#[tokio::test]
async fn what_a_script_leaves_running_holds_nobody_up() {
    let fixture = fixture(&[("a/b", "echo $$ > group; sleep 300 & echo done")]);
    let begun = Instant::now();
    let (outcome, lines) = fixture.run("a/b", ENOUGH, &CancellationToken::new()).await;
    assert!(outcome.is_ok() && begun.elapsed() < Duration::from_secs(5), "{outcome:?}");
    assert_eq!(lines, ["done"]);
    gone(group_in(&fixture.dir.path().join("group")).await).await;
}

/// Waits until the daemon is in a session of its own.
const DAEMON: &str = "setsid sh -c 'echo $$ > group.new; mv group.new group; exec sleep 300' >/dev/null 2>&1 & until [ -s group ]; do sleep 0.01; done; ";

#[tokio::test]
async fn a_daemon_that_a_script_leaves_is_named() {
    let fixture = fixture(&[("a/b", &format!("{DAEMON} sleep 301 & echo done"))]);
    let (outcome, _) = fixture.run("a/b", ENOUGH, &CancellationToken::new()).await;
    let group = group_in(&fixture.dir.path().join("group")).await;
    let _ends = crate::mcp::group::KillOnDrop(group);
    let left = outcome.unwrap().left;
    assert_eq!(left.iter().map(|one| one.pid).collect::<Vec<_>>(), [group], "{left:?}");
    assert!(left[0].command.contains("sleep 300"), "{left:?}");
    assert!(alive(group));
}

#[tokio::test]
async fn a_daemon_of_a_script_that_goes_wrong_is_ended() {
    let fixture = fixture(&[("a/fails", &format!("{DAEMON} exit 3")), ("a/hangs", &format!("{DAEMON} sleep 300"))]);
    let file = fixture.dir.path().join("group");
    let (outcome, _) = fixture.run("a/fails", ENOUGH, &CancellationToken::new()).await;
    assert!(matches!(outcome, Err(ScriptError::Failed { .. })), "{outcome:?}");
    gone(group_in(&file).await).await;

    std::fs::remove_file(&file).unwrap();
    let cancel = CancellationToken::new();
    let (ran, group) = tokio::join!(fixture.run("a/hangs", ENOUGH, &cancel), async {
        let group = group_in(&file).await;
        cancel.cancel();
        group
    });
    assert!(matches!(ran.0, Err(ScriptError::Cancelled { .. })), "{ran:?}");
    gone(group).await;

    std::fs::remove_file(&file).unwrap();
    let never = CancellationToken::new();
    let group = tokio::select! {
        _ = fixture.run("a/hangs", ENOUGH, &never) => panic!("it hangs"),
        group = group_in(&file) => group,
    };
    gone(group).await;
}

#[test]
fn only_scripts_inside_the_tap_are_run() {
    let fixture = fixture(&[("a/b", "true")]);
    let outside = fixture.dir.path().join("evil.sh");
    std::fs::write(&outside, "true").unwrap();
    let deps = fixture.tap.root.join("deps");
    std::os::unix::fs::symlink(&outside, deps.join("a/linked.sh")).unwrap();
    std::os::unix::fs::symlink(deps.join("a/b.sh"), deps.join("a/alias.sh")).unwrap();
    std::os::unix::fs::symlink(fixture.dir.path(), deps.join("away")).unwrap();
    std::fs::create_dir(deps.join("a/folder.sh")).unwrap();
    for bad in ["b", "a/b/c", "../a/b", "a/../b", "/etc/passwd", "a/", "/b", "a/b\n", "a/.b", "", "a\\b/c", "a/b;ls"] {
        assert_eq!(find(&fixture.tap, bad), Err(FindError::Name(bad.to_owned())), "{bad:?}");
    }
    for out in ["a/linked", "away/evil"] {
        assert!(matches!(find(&fixture.tap, out), Err(FindError::Outside { .. })), "{out}");
    }
    for missing in ["a/none", "none/b", "a/folder"] {
        assert!(matches!(find(&fixture.tap, missing), Err(FindError::Missing { .. })), "{missing}");
    }
    let expected: PathBuf = deps.join("a/b.sh").canonicalize().unwrap();
    assert_eq!(find(&fixture.tap, "a/b").unwrap().file, expected);
    assert_eq!(find(&fixture.tap, "a/alias").unwrap().file, expected);
}

#[tokio::test]
async fn a_flood_is_told_in_part_and_counted() {
    let fixture = fixture(&[("a/flood", "yes flooding | head -c 2000000; echo the end >&2; exit 1")]);
    let (outcome, lines) = fixture.run("a/flood", ENOUGH, &CancellationToken::new()).await;
    assert!(outcome.unwrap_err().to_string().ends_with(":\nthe end"));
    let counted = lines.iter().filter_map(|line| line.strip_prefix("… ")?.split(' ').next()?.parse::<usize>().ok());
    let counted: Vec<usize> = counted.collect();
    let told = lines.len() - counted.len();
    assert!(told < 3_000, "{told}");
    assert_eq!(told + counted.iter().sum::<usize>(), 2_000_000 / 9 + 2);
}

/// What a script writes to the terminal would reach the screen as it is.
#[tokio::test]
async fn a_script_has_no_terminal() {
    let fixture =
        fixture(&[("a/tty", "ps -o sid= -p $$ | tr -d ' '; echo $$; : 2>/dev/null >/dev/tty && echo reached")]);
    let (_, lines) = fixture.run("a/tty", ENOUGH, &CancellationToken::new()).await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(lines[0], lines[1]);
}
