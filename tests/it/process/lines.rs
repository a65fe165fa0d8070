//! The session in plain lines, and terminals that can do little or answer late.

use rustix::process::Signal;

use super::home::Home;
use crate::workbench::pty::Pty;

/// What a terminal that can do nothing would show: nothing but text may be sent, so nothing above can ever
/// be written over.
#[track_caller]
fn assert_plain(pty: &Pty) {
    let raw = pty.raw();
    // The line discipline turns ends of lines into two bytes, and rubs out what is typed by backspaces.
    let stray: Vec<char> =
        raw.chars().filter(|letter| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')).collect();
    assert!(stray.is_empty(), "{stray:?} in {raw:?}");
    for line in raw.split('\n') {
        let body = line.strip_suffix('\r').unwrap_or(line);
        assert!(!body.contains('\r'), "a line is begun anew: {line:?}");
    }
    assert!(!raw.contains(['│', '┌', '─', '⠋', '✔', '✘', '⚒', '◆']), "{raw}");
}

fn said(pty: &Pty, words: &str) {
    pty.wait(words, |pty| pty.raw().contains(words));
}

#[test]
fn lines_are_only_ever_added_and_say_everything_in_words() {
    let home = Home::new();
    let mut pty = home.lines(&[], &["run", "--linear", "-c", "auto_capabilities=false"]);
    pty.send(b"look here\n");
    said(&pty, "Tool list of ");
    said(&pty, "finished after");
    said(&pty, "Assistant, scripted: I saw:");
    said(&pty, "poem.txt");
    said(&pty, "The turn is done after");
    for (typed, wanted) in [
        ("/surface\n", "Server files, ready"),
        ("/scores\n", "compared"),
        ("/notes\n", "not"),
        ("/why list\n", "Stage"),
        ("/plan\n", "plan"),
        ("/help\n", "In this mode there are also"),
        ("/read 1\n", "I saw"),
    ] {
        let before = pty.raw().len();
        pty.send(typed.as_bytes());
        pty.wait(typed, |pty| pty.raw()[before..].contains(wanted) && pty.raw().ends_with("you: "));
    }
    pty.send(b"one \\\n");
    said(&pty, "more: ");
    pty.send(b"two\n");
    said(&pty, "heard: one");
    pty.wait("the turn is over", |pty| pty.raw().ends_with("you: "));
    assert_plain(&pty);
    pty.send(b"\x04");
    assert_eq!(pty.end(), Some(0));
    said(&pty, "resume with: octomind run --resume");
    pty.assert_restored();
    home.assert_nothing_alive();
}

#[test]
fn a_turn_is_stopped_by_one_press_and_the_session_left_by_two() {
    let home = Home::new();
    let mut pty = home.lines(&["env", "OCTOMIND_LINEAR=1"], &[]);
    pty.send(b"stream\n");
    said(&pty, "drip drop");
    pty.send(b"\x03");
    said(&pty, "Stopping the turn.");
    said(&pty, "The turn was stopped.");
    pty.wait("a prompt", |pty| pty.raw().ends_with("you: "));
    // The press that stopped the turn may be long ago on a slow machine: two more leave in any case.
    for _ in 0..4 {
        let before = pty.raw().len();
        pty.send(b"\x03");
        pty.wait("an answer", |pty| {
            pty.raw()[before..].contains("Press ctrl-c again") || pty.raw()[before..].contains("resume with")
        });
        if pty.raw().contains("resume with") {
            break;
        }
    }
    assert_eq!(pty.end(), Some(0));
    pty.assert_restored();
    home.assert_nothing_alive();
}

#[test]
fn what_a_project_would_run_is_asked_in_words() {
    let home = Home::new();
    let tools = home.path("project/.agents/tools");
    std::fs::create_dir_all(&tools).unwrap();
    let tool = tools.join("hello");
    std::fs::write(&tool, "#!/bin/sh\n# @description Says hello.\necho harmless words\n").unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut pty = home.lines(&[], &["run", "--linear"]);
    said(&pty, "Question: ");
    said(&pty, "Type yes, no, show");
    pty.send(b"what?\n");
    said(&pty, "That is no answer.");
    pty.send(b"show\n");
    said(&pty, "echo harmless words");
    pty.send(b"no\n");
    said(&pty, "Answered no.");
    pty.send(b"hello\n");
    said(&pty, "heard: hello");
    assert_plain(&pty);
    pty.kill(Signal::TERM);
    pty.end();
    pty.assert_restored();
}

#[test]
fn a_terminal_that_can_do_nothing_gets_lines() {
    for before in [&["env", "TERM=dumb"][..], &["env", "-u", "TERM"], &["env", "TERM="]] {
        let home = Home::new();
        let mut pty = home.lines(before, &[]);
        said(&pty, "octomind in plain lines");
        pty.send(b"hi\n");
        said(&pty, "heard: hi");
        assert_plain(&pty);
        pty.kill(Signal::TERM);
        pty.end();
        pty.assert_restored();
    }
}

#[test]
fn without_colours_the_screen_has_none() {
    let home = Home::new();
    let mut pty = home.in_terminal(&["env", "NO_COLOR=1"], &[], 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"hello\r");
    pty.wait_for("heard: hello");
    let raw = pty.raw();
    for part in raw.split("\x1b[").skip(1) {
        let Some(end) = part.find(|letter: char| !letter.is_ascii_digit() && letter != ';') else { continue };
        if !part[end..].starts_with('m') {
            continue;
        }
        // Back to the terminal's own colours is no colour.
        for number in part[..end].split(';').filter_map(|number| number.parse::<u32>().ok()) {
            let colour = matches!(number, 30..=38 | 40..=48 | 58 | 90..=97 | 100..=107);
            assert!(!colour, "{number} in {:?}", &part[..end]);
        }
    }
    pty.kill(Signal::TERM);
    pty.end();
    pty.assert_restored();
}

#[test]
fn a_terminal_that_answers_nothing_or_late_holds_nobody_up() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    // Nothing was answered yet, and typing works.
    pty.wait_for("compose a message");
    pty.send(b"typed before");
    pty.wait_for("typed before");
    // The answers come late, in pieces, in the middle of typing.
    for piece in [&b"\x1b[?99"[..], b"7;1n\x1b]11;rgb:ffff/ff", b"ff/ffff\x1b\\\x1b[?0", b"u\x1b[?62;2", b"2c"] {
        pty.send(piece);
        pty.wait("the piece is read", |pty| pty.quiet_for(std::time::Duration::from_millis(60)));
    }
    pty.wait("the answers are known", |pty| pty.raw().contains("\x1b[>1u"));
    pty.send(b" and after");
    pty.wait_for("typed before and after");
    pty.kill(Signal::TERM);
    pty.end();
    pty.assert_restored();
    home.assert_nothing_alive();
}

#[test]
fn links_are_made_where_the_terminal_makes_them_and_only_there() {
    let address = "https://a.example/a/long/way/to/go/and/it/does/not/fit/in/one/row/of/a/narrow/screen";
    let script = format!("words = 2\n[[turn]]\notherwise = true\n[[turn.reply]]\ntext = \"see {address} there\"\n");
    for (before, makes) in [(&["env", "TERM=xterm-kitty"][..], true), (&["env", "TERM=xterm-256color"], false)] {
        let home = Home::playing(&script);
        let mut pty = home.in_terminal(before, &[], 60, 24);
        pty.wait_for("compose a message");
        pty.send(b"go\r");
        pty.wait("the reply stands", |pty| pty.text().contains("screen there"));
        let raw = pty.raw();
        let opened: Vec<&str> =
            raw.split("\x1b]8;id=").skip(1).filter_map(|part| part.split("\x1b\\").next()).collect();
        assert_eq!(opened.is_empty(), !makes, "{opened:?}");
        if makes {
            assert!(raw.contains("\x1b]8;;\x1b\\"));
            let whole: Vec<&str> = opened.iter().copied().filter(|link| link.ends_with("screen")).collect();
            assert!(whole.len() > 1 && whole.iter().all(|link| *link == whole[0]), "each row, one id: {opened:?}");
            assert!(whole[0].ends_with(address), "{whole:?}");
            assert_eq!(opened.len(), raw.matches("\x1b]8;;\x1b\\").count(), "each is closed");
        }
        pty.kill(Signal::TERM);
        pty.end();
        pty.assert_restored();
    }
}
