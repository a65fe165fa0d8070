//! What a terminal may do to the real binary: huge pastes, huge sizes, storms of resizes, tmux; and what a
//! person does in it: a command for the shell, a message that is left unsent.

use std::path::{Path, PathBuf};
use std::process::Command;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use super::home::{Home, PLAIN, PROGRAM, SCRIPT};
use super::screens::assert_clean;
use crate::workbench::pty::{PATIENCE, Pty, until};

fn close(home: &Home, mut pty: Pty) {
    pty.kill(Signal::TERM);
    pty.end();
    pty.assert_restored();
    home.assert_nothing_alive();
}

#[test]
fn a_command_for_the_shell_runs_is_shown_is_kept_and_can_be_stopped() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("● files");
    pty.send(b"!echo it is $((40+2)) in $(basename \"$PWD\")");
    pty.wait_for("shell, for the model too");
    pty.send(b"\r");
    pty.wait_for("it is 42 in project");
    pty.send(b"!!echo for me; sleep 300");
    pty.wait_for("not for the model");
    pty.send(b"\r");
    home.wait_alive("sleep 300");
    pty.wait_for("for me");
    pty.send(b"\x1b");
    pty.wait("the sleep is over", |_| !home.alive().iter().any(|command| command.contains("sleep 300")));
    pty.send(b"hello\r");
    pty.wait_for("heard: ");
    let session = home.sessions().pop().unwrap();
    let shell = home.recorded(&session, "shell");
    let told = serde_json::to_string(&shell).unwrap();
    assert!(told.contains("it is 42 in project") && told.contains("for me"), "{told}");
    close(&home, pty);
}

#[test]
fn five_megabytes_pasted_are_one_chip_and_all_of_it_is_sent() {
    let home =
        Home::playing(&format!("[[turn]]\nmatch = \"^tell\"\n[[turn.reply]]\ntext = \"got it\"\n{}", &SCRIPT[10..]));
    let mut pty = home.workbench(&["-c", "max_session_tokens_threshold=2000000"], 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"tell ");
    let line = format!("{}\n", "0123456789abcdef".repeat(6));
    let lines = 5_000_000 / line.len() + 1;
    pty.send(b"\x1b[200~");
    for _ in 0..lines {
        pty.send(line.as_bytes());
    }
    pty.send(b"\x1b[201~");
    pty.wait_for("pasted");
    pty.send(b" end");
    pty.wait("what is typed after it", |pty| pty.text().contains("] end"));
    assert_clean(&pty, 100, 30);
    pty.send(b"\r");
    pty.wait_for("got it");
    let session = home.sessions().pop().unwrap();
    let folder = home.journal(&session).parent().unwrap().to_owned();
    let whole = (lines * line.len()) as u64;
    assert!(bytes_in(&folder) >= whole, "{} of {whole} bytes are kept", bytes_in(&folder));
    close(&home, pty);
}

/// What the files of a folder hold, folders below it too.
fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            if entry.path().is_dir() { bytes_in(&entry.path()) } else { entry.metadata().map_or(0, |meta| meta.len()) }
        })
        .sum()
}

#[test]
fn a_message_that_was_not_sent_is_there_after_a_kill() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("compose a message");
    pty.send("half a thought, 半分\n".trim_end().as_bytes());
    pty.wait_for("半分");
    let kept = || {
        let files = files_below(&home.data());
        files.iter().any(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("half a thought")))
    };
    assert!(until(PATIENCE, kept), "the draft was never written");
    pty.kill(Signal::KILL);
    pty.end();
    let again = home.workbench(&[], 100, 30);
    again.wait_for("half a thought, 半分");
    again.wait_for("the message you had not sent is back");
    close(&home, again);
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn a_huge_terminal_is_filled_to_its_edges() {
    let home = Home::new();
    let mut pty = home.workbench(&["-c", "auto_capabilities=false"], 300, 90);
    pty.wait_for("● files");
    pty.send(b"look here\r");
    pty.wait("the answer", |pty| pty.text().contains("I saw:") && pty.text().contains("compose a message"));
    assert_clean(&pty, 300, 90);
    // Every row of the frame ends in its border, so nothing was cut off at a smaller size.
    assert_eq!(pty.row(88).trim_end().chars().count(), 300, "{}", pty.row(88));
    close(&home, pty);
}

#[test]
fn two_hundred_resizes_while_a_reply_streams_end_in_one_clean_frame() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 120, 40);
    pty.wait_for("compose a message");
    pty.send(b"stream\r");
    pty.wait_for("drip drop");
    for step in 0..200u16 {
        // Also below the smallest size that is drawn.
        pty.resize(30 + (step * 7) % 190, 8 + (step * 5) % 50);
    }
    pty.resize(110, 33);
    pty.send(b"typed");
    pty.wait_for("› typed");
    pty.wait("the last size wins", |pty| {
        pty.row(32).trim_end().chars().count() == 110 && pty.text().matches('›').count() == 1
    });
    assert_clean(&pty, 110, 33);
    close(&home, pty);
}

/// A tmux server of the test's own; ended with it.
struct Tmux {
    folder: tempfile::TempDir,
}

impl Tmux {
    /// `None`, told, where there is no tmux.
    fn new() -> Option<Self> {
        match Command::new("tmux").arg("-V").output() {
            Ok(output) if output.status.success() => Some(Self { folder: tempfile::tempdir().unwrap() }),
            _ => {
                println!("skipped: there is no tmux on this machine");
                None
            }
        }
    }

    fn socket(&self) -> String {
        self.folder.path().join("socket").display().to_string()
    }

    fn says(&self, words: &[&str]) -> String {
        let output = Command::new("tmux").args(["-S", &self.socket()]).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.says(&["kill-server"]);
    }
}

#[test]
fn inside_tmux_it_starts_types_copies_scrolls_resizes_and_leaves() {
    let Some(tmux) = Tmux::new() else { return };
    let home = Home::new();
    let settings = tmux.folder.path().join("tmux.conf");
    // A shell stays in the window, so that what is left of the screen can be seen.
    std::fs::write(&settings, "set -g status off\nset -g mouse on\nset -g set-clipboard on\nset -sg escape-time 10\n")
        .unwrap();
    let mut command = CommandBuilder::new("tmux");
    let (socket, settings) = (tmux.socket(), settings.display().to_string());
    command.args(["-S", &socket, "-f", &settings, "new-session", "env", "PS1=prompt> ", "sh"]);
    let plain = home.command(&[]);
    command.env_clear();
    for (name, value) in plain.get_envs() {
        command.env(name, value.unwrap());
    }
    command.env("LANG", "C.UTF-8");
    command.env("LC_ALL", "C.UTF-8");
    command.cwd(home.path("project"));
    let mut pty = Pty::open(command, 110, 32);
    pty.wait_for("prompt>");
    let start = format!(
        "{PROGRAM} --model {} -c {PLAIN} -c supervisor.enabled=false -c auto_capabilities=false\r",
        home.model()
    );
    pty.send(start.as_bytes());
    pty.wait_for("● files");
    pty.wait_for("compose a message");
    assert_clean(&pty, 110, 32);
    pty.send("look here, 测试🙂\r".as_bytes());
    pty.wait("the answer", |pty| pty.text().contains("I saw:") && pty.text().contains("测试🙂"));
    pty.wait_for("compose a message");
    pty.send(b"\x1bOP");
    pty.wait_for("First of all");
    pty.send(b"\x1b");
    pty.wait("help is gone", |pty| !pty.text().contains("First of all"));
    pty.send(b"/copy\r");
    pty.wait("the answer is in tmux's buffer", |_| tmux.says(&["show-buffer"]).contains("I saw:"));
    pty.resize(84, 26);
    pty.wait("the new size", |pty| pty.row(25).starts_with('└') && pty.row(25).ends_with('┘'));
    assert_clean(&pty, 84, 26);
    pty.send(b"\x1a");
    pty.wait("the shell is back", |pty| pty.text().contains("prompt>") && !pty.text().contains("compose a message"));
    pty.send(b"fg\r");
    pty.wait_for("compose a message");
    pty.send(b"/exit\r");
    pty.wait("it left", |pty| pty.text().contains("--resume") && !pty.text().contains("compose a message"));
    assert!(pty.text().contains("prompt>"), "what was on the screen is there again\n{}", pty.text());
    drop(tmux);
    pty.end();
    home.assert_nothing_alive();
}
