//! Words that fit where they stand.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::ui::state::Toast;

fn trust() -> AskKind {
    let path = ".agents/tools/deploy.sh".to_owned();
    let items = vec![Runnable { path, content: "#!/bin/sh\n".to_owned() }];
    AskKind::Trust { folder: "/home/ada/shop".to_owned(), items, content_hash: "00".to_owned() }
}

fn toast(text: &str) -> Toast {
    Toast { level: Level::Warning, text: text.to_owned(), until: NOW + 5_000, about: None }
}

#[test]
fn a_toast_covers_neither_a_question_nor_the_first_servers() {
    for (width, height) in [(100, 30), (80, 24), (120, 40)] {
        let mut fixture = Fixture::working();
        fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(1), kind: trust() }));
        fixture.state.question = Some(Question { ask: AskId(1), text: String::new(), offset: 0 });
        let before = fixture.text(width, height);
        fixture.state.toasts = (0..4).map(|index| toast(&format!("word number {index}"))).collect();
        let after = fixture.text(width, height);
        for line in before.lines().filter(|line| line.contains("#!/bin/sh") || line.contains("trust and run")) {
            assert!(after.contains(line), "{line}\n{after}");
        }
        fixture.state.question = None;
        let after = fixture.text(width, height);
        assert!(after.contains("word number 3") && after.contains("filesystem"), "{after}");
    }
}

#[test]
fn a_question_of_trust_names_the_files() {
    let mut fixture = Fixture::working();
    fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(1), kind: trust() }));
    fixture.user((1, 0, 1), "hello");
    let shown = fixture.text(120, 40);
    assert!(shown.contains(".agents/tools/deploy.sh. Trust it?") || shown.contains("deploy.sh."), "{shown}");
}

#[test]
fn a_note_is_read_whole_in_its_pane() {
    let mut fixture = Fixture::working();
    let text = "the reply was cut off after nine thousand tokens and the rest of it was kept in a file of zebras";
    let (level, source) = (Level::Warning, "cut".to_owned());
    fixture.live(Body::Notice { level, source, text: text.to_owned(), hint: None });
    fixture.user((1, 0, 1), "hello");
    let shown = fixture.text(120, 40);
    assert!(shown.contains("zebras"), "{shown}");
    assert!(!shown.lines().any(|line| line.contains("the reply was cut") && line.contains('…')), "{shown}");
}

#[test]
fn a_narrow_screen_still_says_how_to_stop() {
    let mut fixture = Fixture::working();
    let runs = [
        RunState::Waiting { since: NOW - 12_300 },
        RunState::Thinking { since: NOW - 200 },
        RunState::Answering { since: NOW - 99_000 },
        RunState::Forming { since: NOW - 12_300, tool: "a_tool_of_long_name".to_owned(), argument_bytes: 9_999 },
        RunState::Tools { since: NOW - 12_300, running: 3 },
        RunState::Retrying {
            since: NOW,
            until: NOW + 9_000,
            attempt: 2,
            of: 5,
            reason: "The host is busy.".to_owned(),
        },
    ];
    for run in runs {
        fixture.state.snapshot.run = run.clone();
        assert!(fixture.text(40, 12).contains("esc stops"), "{run:?} {}", fixture.text(40, 12));
        let tiny = fixture.text(30, 8);
        assert!(tiny.contains("30 × 8 is too small") && !tiny.contains("nothing runs"), "{tiny}");
    }
    fixture.state.snapshot.run = RunState::Idle;
    assert!(fixture.text(30, 8).contains("nothing runs"));
}

#[test]
fn a_search_stays_with_the_transcript_and_counts() {
    let mut fixture = Fixture::working();
    for turn in 1..=3 {
        fixture.user((turn, 0, 1), "a needle");
        fixture.assistant((turn, 1, 2), "nothing");
    }
    fixture.idle();
    fixture.state.focus = Pane::Transcript;
    fixture.state.transcript.search = Some(Search { query: "needle".to_owned(), editing: false });
    fixture.state.transcript.pending = vec![ScrollBy::Top, ScrollBy::Match(1), ScrollBy::Match(1)];
    fixture.text(120, 40);
    let shown = fixture.text(120, 40);
    assert!(shown.contains("2 of 3"), "{shown}");
    fixture.state.focus = Pane::Composer;
    assert!(!fixture.text(120, 40).contains("/needle"));
}

#[test]
fn what_is_sent_is_shown_even_where_it_cannot_be_seen() {
    let mut fixture = Fixture::working();
    fixture.user((1, 0, 1), "red \u{1b}[31m and \u{202e}back");
    let shown = fixture.text(120, 40);
    assert!(shown.contains("⟨ESC⟩") || shown.contains("⟨U+001B⟩"), "{shown}");
    assert!(shown.contains("⟨U+202E⟩"), "{shown}");
}

#[test]
fn an_overlay_names_the_same_keys_at_its_edge_and_below() {
    use crate::ui::state::{Reader, Subject};
    let mut fixture = Fixture::working();
    fixture.state.layers.push(Layer::Reader(Reader { subject: Subject::Server("filesystem".to_owned()), offset: 0 }));
    let shown = fixture.text(120, 40);
    assert_eq!(shown.matches("r restart · D turn off · esc close").count(), 2, "{shown}");
}

#[test]
fn a_message_being_edited_is_not_shown_twice() {
    let mut fixture = Fixture::working();
    fixture.user((1, 0, 1), "hello");
    fixture.live(Body::Queued { id: QueueId(1), text: "waits here".to_owned(), mode: SubmitMode::Steer });
    assert_eq!(fixture.text(120, 40).matches("waits here").count(), 1);
    fixture.state.composer.insert("waits here");
    fixture.state.composer.editing = Some(QueueId(1));
    assert_eq!(fixture.text(120, 40).matches("waits here").count(), 1);
}
