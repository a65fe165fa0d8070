//! What a newcomer stumbled over: keys with two meanings, words that promise what does not happen.

use super::*;
use crate::proto::SessionView;
use crate::ui::composer::Names;
use crate::ui::state::Deed;

fn queued(id: u32, text: &str, mode: SubmitMode) -> Body {
    Body::Queued { id: QueueId(id), text: text.to_owned(), mode }
}

fn ended(outcome: TurnOutcome) -> Body {
    Body::TurnEnded { turn: TurnId(1), outcome, elapsed_ms: 1 }
}

fn last_toast(bench: &Bench) -> &str {
    bench.state.toasts.last().map_or("", |toast| toast.text.as_str())
}

#[test]
fn esc_leaves_only_an_empty_composer_and_not_right_after_a_turn() {
    let mut bench = Bench::new();
    bench.types("draft").keys("esc");
    assert_eq!(bench.state.focus, Pane::Composer);
    assert!(last_toast(&bench).contains("tab goes to the panes"), "{}", last_toast(&bench));
    bench.keys("ctrl-u").event(ended(TurnOutcome::Done)).keys("esc");
    assert_eq!(bench.state.focus, Pane::Composer, "it was meant for the turn");
    bench.wait(1_100).keys("esc");
    assert_eq!(bench.state.focus, Pane::Transcript);
}

#[test]
fn a_letter_that_is_no_key_of_a_pane_begins_a_message() {
    let mut bench = Bench::new();
    bench.keys("tab").types("h");
    assert_eq!((bench.state.focus, bench.state.composer.content().as_str()), (Pane::Composer, "h"));
    bench.keys("tab tab").types("d");
    assert_eq!(bench.sent(), [], "a small d turns nothing off");
    assert_eq!((bench.state.focus, bench.state.composer.content().as_str()), (Pane::Composer, "hd"));
}

#[test]
fn an_interrupt_puts_what_waited_back_before_what_is_typed() {
    let mut bench = Bench::new();
    bench.running().event(queued(1, "one", SubmitMode::Steer)).event(queued(2, "two", SubmitMode::Queue));
    bench.types("draft").keys("esc").event(ended(TurnOutcome::Interrupted));
    assert_eq!(bench.state.composer.content(), "one\n\ntwo\n\ndraft");
    let withdrawn = |id| Command::WithdrawQueued { id: QueueId(id) };
    assert_eq!(bench.sent(), [Command::Interrupt, withdrawn(1), withdrawn(2)]);
    bench.types("!");
    assert_eq!(bench.state.composer.content(), "one\n\ntwo\n\ndraft!", "the caret kept its place");
}

#[test]
fn a_message_being_edited_comes_back_once() {
    let mut bench = Bench::new();
    bench.running().event(queued(1, "one", SubmitMode::Steer)).keys("alt-up").types("!");
    bench.keys("esc").event(ended(TurnOutcome::Interrupted));
    assert_eq!(bench.state.composer.content(), "one!");
    assert!(bench.sent().contains(&Command::WithdrawQueued { id: QueueId(1) }));
}

#[test]
fn a_message_taken_back_can_be_sent_for_later() {
    let mut bench = Bench::new();
    bench.running().event(queued(1, "one", SubmitMode::Steer)).keys("alt-up alt-q");
    assert_eq!(bench.sent(), [Command::WithdrawQueued { id: QueueId(1) }, submit("one", SubmitMode::Queue)]);
}

#[test]
fn a_mistyped_command_is_held_back_once() {
    let mut bench = Bench::new();
    bench.types("/helpa me").keys("enter");
    assert_eq!(bench.sent(), []);
    assert_eq!(bench.state.composer.content(), "/helpa me");
    assert_eq!(last_toast(&bench), "/helpa is no command. Did you mean /help? Press enter again to send it as text.");
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("/helpa me", SubmitMode::Steer)]);
    bench.types("/zzzzzzzz").keys("enter").types("y");
    assert!(bench.state.toasts.is_empty(), "the words go with what they are about");
    bench.keys("enter");
    assert_eq!(bench.sent(), [], "another text is asked about again");
    for path in ["/etc/hosts is odd", "/usr/bin", "/v1.2"] {
        let mut bench = Bench::new();
        bench.paste(path).keys("enter");
        assert_eq!(bench.sent(), [submit(path, SubmitMode::Steer)]);
    }
}

#[test]
fn nothing_is_taken_from_the_composer_for_a_session_that_is_only_read() {
    let mut bench = Bench::new();
    let holder = Some("process 7".to_owned());
    bench.state.snapshot.session = SessionView { read_only: holder, ..bench.state.snapshot.session.clone() };
    bench.types("hello").keys("enter enter");
    assert_eq!(bench.sent(), []);
    assert_eq!(bench.state.composer.content(), "hello");
    assert!(last_toast(&bench).starts_with("not sent: process 7 writes"), "{}", last_toast(&bench));
    bench.keys("ctrl-u").types("/new").keys("enter enter");
    assert_eq!(bench.sent(), [submit("/new", SubmitMode::Steer)]);
}

#[test]
fn palette_and_help_begin_with_what_one_needs() {
    let bench = Bench::new();
    let name = |row: &crate::ui::state::MenuRow| match &row.deed {
        Deed::Call(call) => call.action.id().to_owned(),
        Deed::Slash(command) => format!("/{}", command.name),
        _ => String::new(),
    };
    let names: Vec<String> = bench.state.palette_rows("").iter().map(name).collect();
    assert_eq!(names[..5], ["submit", "interrupt", "/new", "/model", "/role"]);
    assert!(
        names[names.len() - 16..]
            .iter()
            .all(|name| { ["cursor", "word", "line", "text", "delete"].iter().any(|motion| name.starts_with(motion)) })
    );
    for (filter, first) in [("model", "/model"), ("effort", "/effort"), ("/mcp", "/mcp")] {
        assert_eq!(bench.state.palette_rows(filter).first().map(name).as_deref(), Some(first), "{filter}");
    }
    assert!(bench.state.palette_rows("resume").iter().any(|row| row.words.contains("resumed")));
    let help = bench.state.help_rows("");
    assert_eq!((help[0].section, help[0].keys.as_slice()), ("First of all", ["enter".to_owned()].as_slice()));
    let newline = help.iter().find(|row| row.deed == Deed::Call(Call::new(Action::Newline))).unwrap();
    assert_eq!(newline.keys, ["ctrl-j", "shift-enter", "alt-enter"].map(str::to_owned), "one row for all its keys");
}

#[test]
fn commands_chosen_from_the_palette_run_or_ask_and_leave_the_draft() {
    let mut bench = Bench::new();
    bench.keys("ctrl-p").types("effort").keys("enter");
    assert_eq!(bench.state.composer.content(), "/effort ");
    let mut bench = Bench::new();
    bench.types("draft").keys("ctrl-p").types("/new").keys("enter");
    assert_eq!(bench.sent(), [submit("/new", SubmitMode::Steer)]);
    assert_eq!(bench.state.composer.content(), "draft");
    bench.keys("ctrl-u").types("/help").keys("enter");
    assert_eq!(bench.state.layers, [Layer::picker(Listing::Help)]);
}

#[test]
fn arguments_are_completed_and_enter_runs_what_is_whole() {
    let mut bench = Bench::new();
    bench.state.composer.names = Names {
        providers: vec!["mine".to_owned(), "openai".to_owned()],
        roles: vec!["assistant".to_owned()],
        ..Names::default()
    };
    bench.types("/inf").keys("enter");
    assert_eq!(bench.sent(), [submit("/info", SubmitMode::Steer)], "it takes nothing");
    bench.types("/mo").keys("enter");
    assert_eq!(bench.state.composer.content(), "/model ");
    bench.types("m").keys("enter").types("qwen").keys("enter");
    assert_eq!(bench.sent(), [submit("/model mine:qwen", SubmitMode::Steer)]);
    bench.types("/effort ").keys("enter");
    assert_eq!(bench.sent(), [submit("/effort ", SubmitMode::Steer)], "nothing was chosen");
    bench.types("/effort ").keys("down enter");
    assert_eq!(bench.sent(), [submit("/effort low", SubmitMode::Steer)]);
    bench.types("/role as").keys("tab");
    assert_eq!(bench.state.composer.content(), "/role assistant", "tab only completes");
    assert_eq!(bench.sent(), []);
}

#[test]
fn typing_says_that_one_stays() {
    let mut bench = Bench::new();
    bench.keys("ctrl-c").types("h");
    assert!(bench.state.quit_armed.is_none() && bench.state.toasts.is_empty());
    bench.keys("ctrl-u ctrl-c");
    assert_eq!(bench.done(), [], "the first press again");
}

#[test]
fn a_paste_is_opened_and_folded_again() {
    let mut bench = Bench::new();
    let long = "line\n".repeat(20);
    bench.types("see ").paste(&long).types(" ok");
    bench.keys("left left left ctrl-o");
    assert_eq!(bench.state.composer.text(), format!("see {long} ok"));
    bench.keys("ctrl-o");
    assert_eq!((bench.state.composer.chips().len(), bench.state.composer.content()), (1, format!("see {long} ok")));
}

#[test]
fn a_resume_is_told() {
    let mut bench = Bench::new();
    bench.state.snapshot.session.name = "brisk-otter".to_owned();
    bench.state.snapshot.turn = TurnId(3);
    bench.event(Body::SessionResumed { events: 9, skipped: 0, read_only: None, version: String::new() });
    assert_eq!(last_toast(&bench), "session brisk-otter is taken up again: it goes on after 3 turns");
}

/// Every key that the tour names does something in the composer, where its reader stands, or in the
/// panes when the tour says so.
#[test]
fn the_tour_names_keys_that_work() {
    let tour = include_str!("../../../../assets/tour.toml");
    let keymap = keys::load("default", None).keymap.unwrap();
    let rows = keymap.rows();
    let bound = |key: &str, contexts: &[keys::Context]| {
        rows.iter().any(|row| row.keys == key && contexts.contains(&row.context))
    };
    let mut named = std::collections::BTreeSet::new();
    for line in tour.lines().filter(|line| !line.starts_with("match")) {
        let panes = line.contains("pane") || line.contains("there");
        for word in line.split('`').skip(1).step_by(2) {
            if Key::parse(word).is_err() || word.starts_with('/') {
                continue;
            }
            use keys::Context::{Composer, Global, Pane, Transcript};
            let contexts: &[keys::Context] =
                if panes { &[Composer, Global, Pane, Transcript] } else { &[Composer, Global] };
            assert!(bound(word, contexts), "`{word}` does nothing where the reader stands: {line}");
            named.insert(word.to_owned());
        }
    }
    for key in ["esc", "tab", "i", "f1", "ctrl-p"] {
        assert!(named.contains(key), "the tour does not name `{key}`");
    }
}
