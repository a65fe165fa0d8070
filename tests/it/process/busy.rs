//! Keys, pastes and resizes while something runs.

use std::time::{Duration, Instant};

use super::home::Home;
use super::screens::assert_clean;
use crate::workbench::pty::Pty;

const ESC: &[u8] = b"\x1b";

fn leave(home: &Home, mut pty: Pty) {
    pty.kill(rustix::process::Signal::TERM);
    assert_eq!(pty.end(), Some(143));
    pty.assert_restored();
    home.assert_nothing_alive();
}

fn session(home: &Home) -> String {
    home.sessions().pop().unwrap_or_default()
}

#[test]
fn a_storm_of_resizes_while_a_model_streams_ends_in_one_clean_frame() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("compose a message");
    pty.send(b"stream\r");
    pty.wait_for("drip");
    for step in 0..60 {
        pty.resize(40 + step * 2, 12 + step % 29);
    }
    pty.resize(120, 40);
    pty.send(ESC);
    pty.wait("one clean frame", |pty| {
        let text = pty.text();
        pty.quiet_for(Duration::from_millis(200))
            && text.matches("compose a message").count() == 1
            && text.matches("1 Transcript").count() == 1
            && pty.row(39).ends_with('┘')
    });
    assert_clean(&pty, 120, 40);
    leave(&home, pty);
}

#[test]
fn a_paste_of_two_kilobytes_and_enter_at_once_submits_once() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("compose a message");
    let body = "word and word\n".repeat(146);
    pty.send(format!("\x1b[200~{body}\x1b[201~\r").as_bytes());
    // The reply says it all again, so its beginning is above the screen.
    pty.wait("the turn is over", |_| home.recorded(&session(&home), "turn_ended").len() == 1);
    pty.send(b"and now\r");
    pty.wait_for("heard: and now");
    let sent = home.recorded(&session(&home), "user_message");
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert_eq!(sent[0]["content"]["text"].as_str().map(str::trim_end), Some(body.trim_end()));
    leave(&home, pty);
}

#[test]
fn a_paste_of_a_megabyte_is_folded_sent_and_kept_whole() {
    let home = Home::playing("[[turn]]\notherwise = true\n[[turn.reply]]\ntext = 'it was long'\n");
    // It is more than a session may hold unless it is told otherwise.
    let mut pty = home.workbench(&["-c", "max_session_tokens_threshold=0"], 100, 30);
    pty.wait_for("compose a message");
    let line = "0123456789 abcdefghij 测试 ABCDEFGHIJ\n";
    let body = line.repeat(1_000_000 / line.len());
    let begun = Instant::now();
    pty.send(b"\x1b[200~");
    pty.send(body.as_bytes());
    pty.send(b"\x1b[201~");
    pty.wait_for("[pasted");
    pty.send(b"\r");
    pty.wait_for("it was long");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_clean(&pty, 100, 30);
    let name = session(&home);
    let sent = home.recorded(&name, "user_message");
    assert_eq!(sent.len(), 1);
    // A body of this size stands beside the journal.
    let whole = sent[0]["content"]["text"].as_str().map(str::len);
    let aside = sent[0]["content"]["blob"]["bytes"].as_u64().map(|bytes| bytes as usize);
    assert!(whole.or(aside).is_some_and(|bytes| bytes + 1 >= body.len()), "{whole:?} {aside:?}");
    leave(&home, pty);
}

#[test]
fn esc_stops_a_stream_a_tool_and_a_wait() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("● files");

    pty.send(b"stream\r");
    pty.wait_for("drip");
    pty.send(ESC);
    pty.wait_for("compose a message");
    pty.wait("the stream is over", |_| home.recorded(&session(&home), "turn_ended").len() == 1);
    let kept = home.recorded(&session(&home), "assistant_message");
    assert!(kept.last().is_some_and(|kept| kept["stop"] == "interrupted"), "{kept:?}");

    pty.send(b"run sleep 300\r");
    home.wait_alive("sleep 300");
    pty.send(ESC);
    pty.wait("the tool is over", |_| home.recorded(&session(&home), "turn_ended").len() == 2);
    pty.wait("its process is gone", |_| !home.alive().iter().any(|command| command.contains("sleep 300")));
    assert!(home.alive().iter().any(|command| command.contains("mcp files")), "its server goes on");

    pty.send(b"crowded\r");
    pty.wait("the wait is counted down", |pty| pty.text().contains("busy"));
    pty.wait("it waits", |_| {
        home.recorded(&session(&home), "decided").iter().any(|record| record.to_string().contains("retry"))
    });
    pty.send(ESC);
    pty.wait("the wait is over", |_| home.recorded(&session(&home), "turn_ended").len() == 3);
    let ends = home.recorded(&session(&home), "turn_ended");
    assert!(ends.iter().all(|end| end["outcome"] == "interrupted"), "{ends:?}");

    pty.send(b"still here\r");
    // The message whose answer was not waited for goes out with the next one.
    pty.wait_for("heard: crowded");
    leave(&home, pty);
}

#[test]
fn a_message_typed_while_a_tool_runs_lands_after_it() {
    let home = Home::new();
    let mut pty = home.workbench(&[], 100, 30);
    pty.wait_for("● files");
    let gate = home.path("go");
    pty.send(format!("run until [ -e {} ]; do sleep 0.02; done; echo over\r", gate.display()).as_bytes());
    home.wait_alive("until [");
    pty.send(b"also this\r");
    pty.wait_for("also this");
    pty.wait_for("1 queued");
    assert_eq!(home.recorded(&session(&home), "user_message").len(), 1, "it waits for the tool");
    std::fs::write(&gate, "").unwrap();
    pty.wait_for("heard: also this");
    let sent = home.recorded(&session(&home), "user_message");
    assert_eq!(sent.len(), 2, "{sent:?}");
    leave(&home, pty);
}
