//! Screens of what is written and run by hand.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::proto::{QueueId, Share, ShellBody, ShellEnd, SubmitMode};
use crate::ui::state::{Layer, Listing};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn ran(fixture: &mut Fixture, slot: u32, command: &str, share: Share, end: ShellEnd, output: &str) {
    let order = (0, 0, slot);
    fixture.at(order, Body::Shell(ShellBody::Started { command: command.to_owned(), share }));
    let (content, full_bytes) = (Content::Text(output.to_owned()), output.len() as u64);
    let finished = ShellBody::Finished { end, content, full_bytes, spill: None, elapsed_ms: 1_200 };
    fixture.at(order, Body::Shell(finished));
}

/// One command failed, one ran for the person alone, one runs, and the next is being typed.
#[test]
fn commands_of_the_person() {
    each_size("shell", || {
        let mut fixture = Fixture::working();
        let output: String = (1..=20).map(|line| format!("test case_{line} ... ok\n")).collect();
        ran(&mut fixture, 1, "cargo test", Share::Model, ShellEnd::Exited(101), &format!("{output}2 failed\n"));
        ran(&mut fixture, 2, "git status --short", Share::Person, ShellEnd::Exited(0), " M src/main.rs\n");
        let order = (0, 0, 3);
        fixture.at(order, Body::Shell(ShellBody::Started { command: "make".to_owned(), share: Share::Model }));
        fixture.at(order, Body::Shell(ShellBody::Output { tail: "cc a.c\ncc b.c\n".to_owned(), bytes: 14 }));
        fixture.state.composer.insert("!ls -l");
        fixture.idle();
        fixture
    });
}

#[test]
fn lists_of_waiting_and_own_messages_and_of_code() {
    let mut fixture = Fixture::working();
    fixture.user((1, 0, 1), "explain why this postgres query is slow");
    fixture.assistant((1, 1, 2), "Run\n\n```sql\nCREATE INDEX a\n  ON b (c);\n```\n\nand then\n\n```\nANALYZE\n```\n");
    for (id, text, mode) in [(1, "first this", SubmitMode::Steer), (2, "then that\nand more", SubmitMode::Queue)] {
        fixture.live(Body::Queued { id: QueueId(id), text: text.to_owned(), mode });
    }
    for (listing, name) in [(Listing::Waiting, "waiting"), (Listing::Prompts, "prompts"), (Listing::Code, "code")] {
        fixture.state.layers = vec![Layer::picker(listing)];
        insta::assert_snapshot!(format!("picker_{name}_80x24"), fixture.text(80, 24));
    }
    assert!(fixture.state.now >= NOW);
}

#[test]
fn what_is_marked_in_the_message_is_seen() {
    let mut fixture = Fixture::working();
    fixture.state.keymap = Arc::new(keys::load("vim", None).keymap.unwrap());
    fixture.state.composer.insert("one 测试 two\n\nthree");
    fixture.state.composer.enter_normal();
    for (command, count) in [("text-start", None), ("word-next", None), ("visual", None), ("down", Some(2))] {
        fixture.state.composer.vi(crate::ui::composer::Vi::parse(command).unwrap(), count);
    }
    let styled = fixture.styled(80, 24);
    let marked: Vec<&str> = styled.lines().filter(|line| line.contains("ui.selection")).collect();
    assert_eq!(marked.len(), 2, "{styled}");
    assert!(marked[0].contains("测试 two") && marked[1].contains("t"), "{marked:?}");
    assert!(styled.contains("VISUAL"), "{styled}");
}
