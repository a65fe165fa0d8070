//! Other sessions and the past, from the workbench of the real binary.

use super::home::Home;
use crate::workbench::pty::Pty;

const CTRL_S: &[u8] = b"\x13";
const CTRL_T: &[u8] = b"\x14";

fn said(home: &Home, name: &str, message: &str) -> Pty {
    let mut pty = home.workbench(&["-n", name, "-c", "auto_capabilities=false"], 110, 34);
    pty.wait_for("compose a message");
    pty.send(format!("{message}\r").as_bytes());
    pty.wait_for(&format!("heard: {message}"));
    pty.wait("the turn is over", |pty| !pty.text().contains("esc stops"));
    pty
}

fn leave(mut pty: Pty) {
    pty.kill(rustix::process::Signal::TERM);
    pty.end();
    pty.assert_restored();
}

#[test]
fn another_session_is_gone_to_forked_deleted_and_put_back() {
    let home = Home::new();
    leave(said(&home, "alpha", "first things"));
    let mut pty = said(&home, "beta", "second things");
    pty.send(CTRL_S);
    pty.wait_for("Sessions · 2");
    pty.wait_for("● second things");
    pty.send(b"j");
    // The last messages of the other one.
    pty.wait_for("heard: first things");
    pty.send(b"f");
    pty.wait_for("fork of first things");
    pty.wait_for("Sessions · 3");
    let fork = home.sessions().into_iter().find(|name| name != "alpha" && name != "beta").expect("a fork");
    pty.send(b"d");
    pty.wait("it is deleted", |pty| pty.text().contains("Sessions · 2") && pty.text().contains("is deleted;"));
    assert!(!home.sessions().contains(&fork));
    pty.send(b"u");
    pty.wait_for("Sessions · 3");
    assert!(home.sessions().contains(&fork), "put back");
    pty.send(b"\r");
    pty.wait("the fork is open", |pty| {
        let text = pty.text();
        text.contains("heard: first things") && text.contains("Taken up again") && !text.contains("Sessions ·")
    });
    pty.send(b"and on\r");
    pty.wait_for("heard: and on");
    let messages = |name: &str| home.recorded(name, "user_message").len();
    pty.wait("what is said goes to the fork", |_| messages(&fork) == 2);
    assert_eq!((messages("alpha"), messages("beta")), (1, 1), "and to no other");
    let beta = std::fs::read_to_string(home.journal("beta")).unwrap();
    assert_eq!(beta.matches("\"session_ended\"").count(), 1, "the one that was left is closed");
    leave(pty);
    home.assert_nothing_alive();
}

#[test]
fn the_past_of_a_session_that_was_taken_up_again_is_looked_at_and_left() {
    let home = Home::new();
    let mut pty = said(&home, "alpha", "first things");
    pty.send(b"second things\r");
    pty.wait_for("heard: second things");
    leave(pty);
    let mut pty = home.workbench(&["--resume", "alpha", "-c", "auto_capabilities=false"], 110, 34);
    pty.wait_for("heard: second things");
    pty.wait_for("Taken up again");
    pty.send(CTRL_T);
    pty.wait_for("the past · turn 2 of 2");
    pty.send(b"[");
    pty.wait("before the second message", |pty| !pty.text().contains("second things"));
    assert!(pty.text().contains("heard: first things"), "{}", pty.text());
    pty.send(b"\x1b[H");
    pty.wait_for("before the first turn");
    assert!(!pty.text().contains("first things"), "{}", pty.text());
    pty.send(b"kept\r");
    pty.wait_for("nothing is sent from there");
    pty.send(b"\x1b");
    pty.wait("now again", |pty| pty.text().contains("heard: second things") && !pty.text().contains("the past ·"));
    pty.wait_for("› kept");
    assert_eq!(home.recorded("alpha", "user_message").len(), 2, "nothing was sent");
    leave(pty);
}
