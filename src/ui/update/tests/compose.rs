//! What the composer and the transcript can do beside typing and scrolling.

use super::*;
use crate::proto::{Content, Share, ShellBody, ShellCommand, ShellEnd};
use crate::ui::composer::Found;
use crate::ui::drafts::Keep;
use crate::ui::transcript::cell::FoldKind;

fn run(command: &str, share: Share) -> Command {
    Command::Shell(ShellCommand::Run { command: command.to_owned(), share })
}

#[test]
fn a_line_that_begins_with_a_bang_goes_to_the_shell() {
    let mut bench = Bench::new();
    bench.types("!ls -l").keys("enter");
    assert_eq!(bench.sent(), [run("ls -l", Share::Model)]);
    bench.types("!! git status").keys("enter");
    assert_eq!(bench.sent(), [run("git status", Share::Person)]);
    bench.types("!").keys("enter");
    assert_eq!((bench.sent(), bench.state.composer.content().as_str()), (vec![], "!"), "nothing to run yet");
    bench.keys("up");
    assert_eq!(bench.state.composer.content(), "!! git status");
}

#[test]
fn escape_stops_the_command_first_and_a_second_one_waits_for_it() {
    let mut bench = Bench::new();
    bench.running().event(Body::Shell(ShellBody::Started { command: "make".to_owned(), share: Share::Model }));
    let order = bench.state.snapshot.shell.unwrap();
    bench.types("!make again").keys("enter");
    assert_eq!((bench.sent(), bench.state.composer.content().as_str()), (vec![], "!make again"));
    bench.keys("esc");
    assert_eq!(bench.sent(), [Command::Shell(ShellCommand::Stop)]);
    let finished = ShellBody::Finished {
        end: ShellEnd::Stopped,
        content: Content::default(),
        full_bytes: 0,
        spill: None,
        elapsed_ms: 1,
    };
    bench.seq += 1;
    let event = Event { seq: Seq(bench.seq), at: bench.now, order: Some(order), body: Body::Shell(finished) };
    bench.say(Said::Session(vec![Delivery::Event(Arc::new(event))], None)).keys("esc");
    assert_eq!(bench.sent(), [Command::Interrupt]);
}

#[test]
fn any_waiting_message_can_be_taken_back_or_withdrawn() {
    let mut bench = Bench::new();
    for (id, text) in [(1, "one"), (2, "two"), (3, "three")] {
        bench.event(Body::Queued { id: QueueId(id), text: text.to_owned(), mode: SubmitMode::Queue });
    }
    bench.keys("alt-up alt-up");
    assert_eq!(bench.state.composer.content(), "two", "again while it is unchanged: the one before");
    bench.types("!").keys("alt-up");
    assert_eq!(bench.state.composer.content(), "two!", "what was changed is not thrown away");
    bench.keys("enter");
    assert_eq!(bench.sent(), [Command::EditQueued { id: QueueId(2), text: "two!".to_owned() }]);
    bench.keys("alt-m").types("thr").keys("alt-w");
    assert_eq!(bench.sent(), [Command::WithdrawQueued { id: QueueId(3) }]);
    bench.keys("ctrl-u").types("one").keys("enter");
    assert_eq!((bench.state.composer.content().as_str(), bench.state.composer.editing), ("one", Some(QueueId(1))));
}

fn said(bench: &mut Bench, text: &str) {
    let content = Content::Text(text.to_owned());
    bench.event(Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
}

#[test]
fn own_messages_are_found_and_gone_to() {
    let mut bench = Bench::new();
    said(&mut bench, "explain the query");
    said(&mut bench, "write a test");
    bench.keys("esc p").types("expl").keys("enter");
    let order = bench.state.snapshot.transcript.entries()[0].order;
    assert_eq!(bench.state.transcript.selected, Some(order));
    assert_eq!(bench.state.transcript.pending, [ScrollBy::To(order)]);
    bench.keys("e");
    assert_eq!(bench.done(), [Effect::ShowEntry(order)]);
    bench.keys("E");
    assert_eq!(bench.done(), [Effect::ShowTranscript]);
}

#[test]
fn one_block_of_code_is_copied_at_once_and_of_several_one_is_chosen() {
    let mut bench = Bench::new();
    said(&mut bench, "like this:\n```sh\nmake\n```\n");
    bench.keys("esc K b");
    let copy = |text: &str| Effect::Copy { text: text.to_owned(), what: "the block of code" };
    assert_eq!(bench.done(), [copy("make\n")]);
    said(&mut bench, "or\n```rust\nfn a() {}\n```\nand\n```sh\nls\n```\n");
    bench.keys("J b").types("rust").keys("enter");
    assert_eq!(bench.done(), [copy("fn a() {}\n")]);
}

#[test]
fn kinds_of_entries_open_and_fold_together() {
    let mut bench = Bench::new();
    said(&mut bench, "hello");
    bench.keys("esc z t");
    assert!(bench.state.transcript.open_kinds.contains(&FoldKind::Tools));
    bench.keys("z h z t");
    assert_eq!(bench.state.transcript.open_kinds.iter().copied().collect::<Vec<_>>(), [FoldKind::Thoughts]);
    bench.keys("z a");
    assert!(bench.state.transcript.unfold_all && bench.state.transcript.open_kinds.is_empty());
    bench.keys("z z");
    assert!(bench.state.zoom);
}

fn began(bench: &mut Bench) -> &mut Bench {
    bench.state.snapshot.session.name = "brisk-otter".to_owned();
    bench
}

fn kept(bench: &mut Bench) -> Vec<Keep> {
    let keeps = bench.done().into_iter().filter_map(|effect| match effect {
        Effect::KeepDraft(keep) => Some(keep),
        _ => None,
    });
    keeps.collect()
}

fn keep(session: &str, text: &str) -> Keep {
    Keep { session: session.to_owned(), text: text.to_owned() }
}

#[test]
fn a_draft_is_kept_after_a_while_and_let_go_of_when_it_is_sent() {
    let mut bench = Bench::new();
    began(&mut bench).types("not yet sent");
    assert_eq!(kept(&mut bench), []);
    bench.wait(1_000);
    assert_eq!(kept(&mut bench), [keep("", "not yet sent")]);
    bench.wait(5_000);
    assert_eq!(kept(&mut bench), [], "once");
    bench.keys("enter");
    assert_eq!(kept(&mut bench), [keep("", "")]);
    bench.state.snapshot.turn = TurnId(1);
    bench.types("more").wait(1_000);
    assert_eq!(kept(&mut bench), [keep("brisk-otter", "more")]);
}

#[test]
fn what_may_be_a_secret_is_never_kept() {
    let mut bench = Bench::new();
    began(&mut bench)
        .types("hunter2")
        .asks(1, AskKind::Secret { key: "KEY".to_owned(), wanted_by: String::new(), kept_in: String::new() });
    bench.wait(1_000).wait(10_000);
    assert_eq!(kept(&mut bench), []);
    assert_eq!(bench.state.draft_left(), None);
}

#[test]
fn a_kept_draft_comes_back_once_its_session_is_known_and_hides_nothing() {
    let found = vec![keep("other", "no"), keep("", "half a thought")];
    let mut bench = Bench::new();
    bench.say(Said::Outcome(Outcome::Drafts(found.clone())));
    assert!(bench.state.composer.is_empty());
    began(&mut bench).wait(10);
    assert_eq!(bench.state.composer.content(), "half a thought");
    assert!(bench.state.composer.completion.is_none());
    bench.wait(5_000);
    assert_eq!(kept(&mut bench), [], "it is kept already");
    let mut bench = Bench::new();
    began(&mut bench).types("typed meanwhile").say(Said::Outcome(Outcome::Drafts(found))).wait(10);
    assert_eq!(bench.state.composer.content(), "typed meanwhile");
    bench.keys("ctrl-u up");
    assert_eq!(bench.state.composer.content(), "half a thought");
}

#[test]
fn typing_goes_on_while_files_are_looked_for() {
    let mut bench = Bench::new();
    bench.types("see @mai");
    assert_eq!(bench.done().len(), 4, "one question a letter, none waited for");
    assert_eq!(bench.state.composer.content(), "see @mai");
    let found = Found { query: "mai".to_owned(), paths: Arc::new(vec!["src/main.rs".to_owned()]) };
    bench.say(Said::Outcome(Outcome::Found(found))).keys("tab").types("now");
    assert_eq!(bench.state.composer.content(), "see @src/main.rs now");
}

#[test]
fn words_and_letters_change_places_and_case() {
    let mut bench = Bench::new();
    bench.types("teh").keys("ctrl-t").types(" fox quick").keys("alt-t home alt-c");
    assert_eq!(bench.state.composer.content(), "The quick fox");
    bench.keys("ctrl-_");
    assert_eq!(bench.state.composer.content(), "the quick fox");
}

#[test]
fn a_second_argument_is_completed_too() {
    let mut bench = Bench::new();
    let labels = |bench: &Bench| -> Vec<String> {
        bench.state.composer.completion.iter().flat_map(|open| &open.candidates).map(|one| one.label.clone()).collect()
    };
    bench.types("/supervisor gate o");
    assert_eq!(labels(&bench), ["on", "off"]);
    bench.state.composer.capabilities =
        vec![crate::ui::composer::Offered { name: "docker".to_owned(), title: "Docker".to_owned() }];
    bench.keys("ctrl-u").types("/capability pin do");
    assert_eq!(labels(&bench), ["docker"]);
    bench.keys("ctrl-u").types("/capability di");
    assert_eq!(labels(&bench), ["discover"]);
}
