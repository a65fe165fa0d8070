//! The workbench in a real terminal: this test binary starts itself in a pty and plays a session.

mod played;
pub mod pty;

use std::time::{Duration, Instant};

use pty::{Pty, until};

const CTRL_C: &[u8] = b"\x03";

#[test]
fn starts_types_and_quits_and_leaves_the_terminal_as_it_was() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    let screen = pty.screen();
    assert!(screen.alternate_screen() && screen.bracketed_paste() && !screen.hide_cursor());
    assert_ne!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    pty.send("测试🙂".as_bytes());
    pty.wait_for("测试🙂");
    // The hardware cursor stands behind the text, wide characters counted.
    let (row, column) = pty.screen().cursor_position();
    let line = pty.row(row);
    assert!(line.contains("测试🙂"), "{line}");
    let start = pty.column_of(row, "测");
    assert_eq!(column, start + 6, "{line}");
    pty.send(CTRL_C);
    pty.wait("the line is cleared", |pty| !pty.text().contains("测试"));
    pty.send(CTRL_C);
    pty.wait_for("press ctrl-c again to leave");
    pty.send(CTRL_C);
    assert_eq!(pty.end(), Some(0));
    pty.assert_restored();
    assert!(pty.raw().contains("session brisk-otter"), "the last words come after the screen");
}

#[test]
fn a_message_is_sent_streamed_and_the_cursor_stays_at_the_caret() {
    let mut pty = Pty::start("stream", 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"hello\r");
    pty.wait_for("chunk 300");
    let (row, column) = pty.screen().cursor_position();
    assert_eq!(column, pty.column_of(row, "›") + 2);
    pty.send(b"more");
    pty.wait_for("› more");
    pty.wait_for("chunk 499");
    assert_eq!(pty.raw().matches("\x1b[2J").count(), 1, "only the first paint clears");
    let frames = pty.raw().matches("\x1b[?2026h").count();
    assert!(frames < 500, "{frames} frames for 500 chunks: they are not drawn together");
    pty.send(b"\x03\x03\x03");
    pty.end();
}

#[test]
fn idle_draws_nothing() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    pty.wait("quiet", |pty| pty.quiet_for(Duration::from_millis(300)));
    let before = pty.raw().len();
    let begun = Instant::now();
    let _ = until(Duration::from_millis(1500), || begun.elapsed() > Duration::from_millis(1400));
    assert_eq!(pty.raw().len(), before);
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

#[test]
fn signals_end_it_with_the_terminal_restored() {
    for signal in [rustix::process::Signal::TERM, rustix::process::Signal::INT, rustix::process::Signal::HUP] {
        let mut pty = Pty::start("plain", 80, 24);
        pty.wait_for("compose a message");
        pty.kill(signal);
        assert_eq!(pty.end(), Some(0), "{signal:?}");
        pty.assert_restored();
    }
}

#[test]
fn a_panic_restores_the_terminal_and_speaks_afterwards() {
    let mut pty = Pty::start("panic", 80, 24);
    pty.wait_for("compose a message");
    pty.send(b"boom\r");
    assert_ne!(pty.end(), Some(0));
    pty.assert_restored();
    let raw = pty.raw();
    let restored = raw.find("\x1b[?1049l").unwrap();
    assert!(raw.find("a panic on purpose").unwrap() > restored);
}

#[test]
fn a_panic_of_another_task_leaves_the_workbench_running() {
    let mut pty = Pty::start("task-panic", 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"boom\r");
    pty.wait_for("a part of the program failed");
    pty.send(b"still here");
    pty.wait_for("still here");
    pty.kill(rustix::process::Signal::TERM);
    assert_eq!(pty.end(), Some(0));
}

#[test]
fn a_burst_of_keys_is_one_draft_and_a_paste_shows_its_controls() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"a1\rb2\rc3");
    pty.wait_for("c3");
    assert!(pty.text().contains("a1") && pty.text().contains("b2") && !pty.text().contains("echo:"), "{}", pty.text());
    pty.send(CTRL_C);
    pty.wait("empty again", |pty| !pty.text().contains("c3"));
    pty.send(b"\x1b[200~x\x1b[201~\r\x1b[2Jy\x1b[201~");
    pty.wait_for("␛[2Jy");
    assert!(!pty.text().contains("echo:"));
    pty.send(b"\r");
    pty.wait_for("echo:");
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

#[test]
fn a_paste_and_an_enter_at_once_submit_once() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    let body = "word ".repeat(400);
    pty.send(format!("\x1b[200~{body}\x1b[201~\r").as_bytes());
    pty.wait_for("echo: 2000 bytes");
    pty.wait_for("compose a message");
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

#[test]
fn a_storm_of_resizes_ends_in_one_clean_frame() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    for step in 0..30 {
        pty.resize(68 + step, 20 + step % 7);
    }
    pty.resize(119, 40);
    pty.wait("the last size wins", |pty| {
        let corner = pty.row(39);
        corner.trim_end().chars().count() >= 118 && pty.text().matches("compose a message").count() == 1
    });
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

#[test]
fn suspending_gives_the_terminal_back_and_coming_back_draws_all() {
    for key in [&b"\x1a"[..], b"\x1b[122;5u"] {
        let mut pty = Pty::start_in_shell("plain", 100, 30);
        pty.wait_for("compose a message");
        // A terminal that speaks the kitty protocol.
        pty.send(b"\x1b[?0u\x1b[?62c");
        pty.wait("flags are pushed", |pty| pty.raw().contains("\x1b[>1u"));
        pty.send(key);
        pty.wait_for("the shell is back");
        pty.assert_restored();
        assert!(pty.raw().contains("\x1b[<u"), "flags are popped");
        let before = pty.raw().len();
        pty.send(b"\n");
        pty.wait("a whole frame", |pty| {
            let raw = pty.raw();
            raw[before..].contains("\x1b[2J") && raw[before..].contains("\x1b[>1u") && pty.text().contains("compose")
        });
        pty.send(b"alive");
        pty.wait_for("alive");
        for _ in 0..3 {
            pty.send(CTRL_C);
            pty.wait("seen", |pty| pty.quiet_for(Duration::from_millis(30)));
        }
        assert_eq!(pty.end(), Some(0));
        assert!(pty.text().contains("the job is over"));
        pty.assert_restored();
    }
}

#[test]
fn the_editor_gets_the_terminal_and_its_text_comes_back() {
    let mut pty = Pty::start("plain", 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"draft\x07");
    pty.wait_for("draft edited");
    assert!(pty.raw().contains("the editor speaks"));
    assert!(pty.screen().alternate_screen());
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

/// Time from a key to its echo. Printed; the bound is wide, as tests share the machine.
#[test]
fn keys_are_echoed_at_once_while_a_model_streams() {
    let mut pty = Pty::start("stream", 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"go\r");
    pty.wait_for("chunk 20");
    let mut times = Vec::new();
    for letter in "abcdefghijklmnopqrstuvwxyz".chars() {
        let seen = pty.raw().len();
        let begun = Instant::now();
        pty.send(letter.to_string().as_bytes());
        assert!(until(Duration::from_secs(2), || pty.raw()[seen..].contains(letter)), "{letter}");
        times.push(begun.elapsed());
    }
    times.sort();
    println!("median {:?}, worst {:?}", times[times.len() / 2], times[times.len() - 1]);
    assert!(times[times.len() / 2] < Duration::from_millis(60), "{times:?}");
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
}

#[test]
fn an_agent_is_picked_on_the_whole_screen_and_its_file_opens() {
    const F3: &[u8] = b"\x1bOR";
    let mut pty = Pty::start("taps", 120, 32);
    pty.wait_for("developer:general ready · 11 tools");
    pty.send(b"draft");
    pty.wait_for("› draft");
    pty.send(F3);
    pty.wait_for("type to filter");
    let shown = pty.text();
    assert!(shown.contains("Everyday assistant") && shown.contains("muvon/tap"), "{shown}");
    pty.send(b"rust");
    pty.wait("only one is left", |pty| !pty.text().contains("Everyday") && pty.text().contains("Rust engineering"));
    let (row, column) = pty.screen().cursor_position();
    assert_eq!(column, pty.column_of(row, "›") + 6, "the cursor stands behind the filter");
    pty.send(b"\x05");
    pty.wait("the editor had the terminal", |pty| pty.raw().contains("the editor speaks"));
    pty.wait_for("Rust engineering");
    pty.send(b"\r");
    pty.wait_for("/role developer:rust");
    pty.wait_for("› draft");
    pty.kill(rustix::process::Signal::TERM);
    assert_eq!(pty.end(), Some(0));
    pty.assert_restored();
}

/// Not a test: what [`Pty::start`] runs in the terminal.
#[test]
#[ignore = "started by the other tests"]
fn child() {
    if let Ok(play) = std::env::var("OCTOMIND_TEST_PLAY") {
        played::play(&play);
    }
}
