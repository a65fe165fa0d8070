//! However it ends, the terminal is as it was found and no child lives.

use std::time::Duration;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use super::home::{Home, PROGRAM};
use crate::workbench::pty::{Pty, SHELL, until};

const CTRL_C: &[u8] = b"\x03";

fn ready(home: &Home) -> Pty {
    let pty = home.workbench(&[], 100, 30);
    pty.wait_for("● files");
    assert!(pty.screen().alternate_screen() && pty.screen().bracketed_paste());
    home.wait_alive("mcp files");
    pty
}

/// A tool that would go on for long runs below the server.
fn working(home: &Home) -> Pty {
    let mut pty = ready(home);
    pty.send(b"run sleep 300\r");
    home.wait_alive("sleep 300");
    pty
}

#[test]
fn two_ctrl_c_leave() {
    let home = Home::new();
    let mut pty = ready(&home);
    assert!(!pty.settings().contains("ICANON"), "raw while it runs: {}", pty.settings());
    pty.send(CTRL_C);
    pty.wait_for("press ctrl-c again to leave");
    pty.send(CTRL_C);
    assert_eq!(pty.end(), Some(0));
    pty.assert_restored();
    home.assert_nothing_alive();
}

#[test]
fn exit_is_a_command_and_says_how_to_come_back() {
    let home = Home::new();
    let mut pty = ready(&home);
    pty.send(b"hello there\r");
    pty.wait_for("heard: hello there");
    pty.send(b"/exit\r");
    assert_eq!(pty.end(), Some(0));
    pty.assert_restored();
    let raw = pty.raw();
    let restored = raw.rfind("\x1b[?1049l").unwrap();
    assert!(raw[restored..].contains("octomind run --resume "), "{}", &raw[restored..]);
    home.assert_nothing_alive();
}

#[test]
fn signals_in_the_middle_of_a_tool_leave_nothing_behind() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 143), (Signal::INT, 130)] {
        let home = Home::new();
        let mut pty = working(&home);
        pty.kill(signal);
        assert_eq!(pty.end(), Some(code), "{signal:?}");
        pty.assert_restored();
        home.assert_nothing_alive();
        let session = home.sessions().pop().expect("a session");
        assert_eq!(home.recorded(&session, "turn_ended").len(), 1, "the turn is closed in the journal");
    }
}

/// The window is closed: whoever holds the terminal's other side is gone at once.
#[test]
fn a_terminal_that_goes_away_ends_it() {
    let home = Home::new();
    let mut holder = home.command(&[]);
    let own = std::env::current_exe().unwrap();
    let words = ["process::leaving::holder", "--exact", "--ignored", "--nocapture", "--test-threads=1"];
    let environment: Vec<_> =
        holder.get_envs().map(|(name, value)| (name.to_owned(), value.unwrap().to_owned())).collect();
    holder = std::process::Command::new(own);
    holder.args(words).env_clear().envs(environment).env("OCTOMIND_TEST_HOLD", home.model());
    let mut holder = holder.current_dir(home.path("project")).stdout(std::process::Stdio::null()).spawn().unwrap();
    home.wait_alive("sleep 300");
    holder.kill().unwrap();
    holder.wait().unwrap();
    home.assert_nothing_alive();
    let session = home.sessions().pop().expect("a session");
    assert_eq!(home.recorded(&session, "turn_ended").len(), 1, "the turn is closed in the journal");
}

/// Not a test: holds a terminal with a workbench whose tool runs, until it is killed.
#[test]
#[ignore = "started by another test"]
fn holder() {
    let Ok(model) = std::env::var("OCTOMIND_TEST_HOLD") else { return };
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["--model", &model]);
    command.cwd(std::env::current_dir().unwrap());
    let mut pty = Pty::open(command, 100, 30);
    pty.wait_for("● files");
    pty.send(b"run sleep 300\r");
    pty.wait("the end of time", |_| false);
}

#[cfg(debug_assertions)]
#[test]
fn a_panic_gives_the_terminal_back_and_leaves_no_child() {
    let home = Home::new();
    let trigger = home.path("panic");
    let set = format!("OCTOMIND_TEST_PANIC={}", trigger.display());
    let mut pty = home.in_terminal(&["env", &set], &[], 100, 30);
    pty.wait_for("● files");
    pty.send(b"run sleep 300\r");
    home.wait_alive("sleep 300");
    std::fs::write(&trigger, "").unwrap();
    assert_eq!(pty.end(), Some(101));
    pty.assert_restored();
    let raw = pty.raw();
    let restored = raw.rfind("\x1b[?1049l").unwrap();
    assert!(raw[restored..].contains("a panic on purpose"), "{}", &raw[restored..]);
    home.assert_nothing_alive();
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_draws_all() {
    let home = Home::new();
    let mut pty = home.in_terminal(&SHELL, &[], 100, 30);
    pty.wait_for("● files");
    pty.send(b"half a message");
    pty.wait_for("half a message");
    pty.send(b"\x1a");
    pty.wait_for("the shell is back");
    pty.assert_restored();
    let before = pty.raw().len();
    pty.send(b"\n");
    pty.wait("a whole frame", |pty| pty.raw()[before..].contains("\x1b[2J") && pty.text().contains("half a message"));
    pty.send(b" more");
    pty.wait_for("half a message more");
    for _ in 0..3 {
        pty.send(CTRL_C);
        pty.wait("seen", |pty| pty.quiet_for(Duration::from_millis(50)));
    }
    assert_eq!(pty.end(), Some(0));
    assert!(until(Duration::from_secs(5), || pty.text().contains("the job is over")), "{}", pty.text());
    pty.assert_restored();
    home.assert_nothing_alive();
}
