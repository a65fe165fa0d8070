mod approve;
mod completion;
mod compose;
mod looks;
mod modal;
mod offer;
mod overlays;
mod rewind;
mod supervisor;
mod surface;
mod words;

use std::sync::Arc;

use super::*;
use crate::proto::{
    Answer, Ask, AskId, AskKind, Body, Entry, EntryKind, Event, Level, Origin, QueueId, RunState, Seq, SubmitMode,
    TurnId, TurnOutcome,
};
use crate::ui::action::Action;
use crate::ui::input::{MouseKind, TerminalAnswer};
use crate::ui::keys::{self, Key, Modifiers};
use crate::ui::state::{Deed, Ground, Layer, Listing, Pane, Scroll, ScrollBy, Settings, Spot, Subject};
use crate::ui::theme::{Depth, Shade};
use crate::ui::view::Hit;

/// A workbench without a terminal: keys in, state and effects out.
struct Bench {
    state: State,
    now: Timestamp,
    seq: u64,
    effects: Vec<Effect>,
}

impl Bench {
    fn new() -> Self {
        Self::with_keymap("default")
    }

    fn with_keymap(name: &str) -> Self {
        let keymap = keys::load(name, None).keymap.unwrap();
        let settings = Settings { mouse: true, motion: true, notifications: true, transcript_ratio: 0.5 };
        let state = State::new(Snapshot::default(), Arc::new(keymap), settings, Depth::Full);
        Self { state, now: 1_000_000, seq: 0, effects: Vec::new() }
    }

    fn say(&mut self, said: Said) -> &mut Self {
        let effects = update(&mut self.state, Msg { at: self.now, said });
        self.effects.extend(effects);
        self
    }

    /// Keys separated by spaces, each pressed 10 ms after the one before.
    fn keys(&mut self, keys: &str) -> &mut Self {
        for key in Key::parse_sequence(keys).unwrap() {
            self.now += 10;
            self.say(Said::Input(Input::Key(key)));
        }
        self
    }

    fn types(&mut self, text: &str) -> &mut Self {
        for letter in text.chars() {
            self.say(Said::Input(Input::Key(Key::plain(keys::Code::Char(letter)))));
        }
        self
    }

    fn paste(&mut self, text: &str) -> &mut Self {
        self.say(Said::Input(Input::Paste(text.to_owned())))
    }

    fn wait(&mut self, ms: u64) -> &mut Self {
        self.now += ms;
        self.say(Said::Tick)
    }

    fn event(&mut self, body: Body) -> &mut Self {
        self.seq += 1;
        let order = Some((1, 0, u32::try_from(self.seq).unwrap()).into());
        let event = Event { seq: Seq(self.seq), at: self.now, order, body };
        self.say(Said::Session(vec![Delivery::Event(Arc::new(event))], None))
    }

    fn running(&mut self) -> &mut Self {
        self.state.snapshot.turn = TurnId(1);
        self.state.snapshot.run = RunState::Answering { since: self.now };
        self
    }

    fn asks(&mut self, id: u32, kind: AskKind) -> &mut Self {
        self.event(Body::Asked(Ask { id: AskId(id), kind }))
    }

    fn done(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn sent(&mut self) -> Vec<Command> {
        let effects = self.done();
        effects
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Send(command) => Some(command),
                _ => None,
            })
            .collect()
    }
}

fn spending() -> AskKind {
    AskKind::Spending { spent: "1".to_owned(), limit: "1".to_owned() }
}

fn submit(text: &str, mode: SubmitMode) -> Command {
    Command::Submit { text: text.to_owned(), attachments: Vec::new(), mode }
}

#[test]
fn enter_sends_and_empties_the_composer() {
    let mut bench = Bench::new();
    bench.types("hello there").keys("enter");
    assert_eq!(bench.sent(), [submit("hello there", SubmitMode::Steer)]);
    assert!(bench.state.composer.is_empty());
    bench.keys("enter");
    assert_eq!(bench.done(), []);
    bench.types("later").keys("alt-q");
    assert_eq!(bench.sent(), [submit("later", SubmitMode::Queue)]);
}

#[test]
fn every_newline_key_begins_a_line() {
    for key in ["shift-enter", "alt-enter", "ctrl-j"] {
        let mut bench = Bench::new();
        bench.types("a").keys(key).types("b");
        assert_eq!(bench.state.composer.content(), "a\nb", "{key}");
        assert_eq!(bench.done(), []);
    }
    let mut bench = Bench::new();
    bench.types("a\\").keys("enter").types("b");
    assert_eq!(bench.state.composer.content(), "a\nb");
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("a\nb", SubmitMode::Steer)]);
}

#[test]
fn a_paste_never_submits_answers_or_fires_a_key() {
    let mut bench = Bench::new();
    bench.paste("one\rtwo\r");
    assert_eq!(bench.state.composer.content(), "one\ntwo\n");
    bench.keys("ctrl-c esc");
    assert_eq!(bench.state.focus, Pane::Transcript);
    bench.paste("q\rQ");
    assert_eq!((bench.state.focus, bench.state.composer.content().as_str()), (Pane::Composer, "q\nQ"));
    bench.asks(1, spending()).keys("f2").paste("y\r");
    assert_eq!(bench.sent(), []);
    assert!(bench.state.question.is_some());
}

#[test]
fn esc_closes_the_list_then_interrupts_then_leaves_the_composer() {
    let mut bench = Bench::new();
    bench.running().types("/m");
    assert!(bench.state.composer.completion.is_some());
    bench.keys("esc");
    assert!(bench.state.composer.completion.is_none());
    assert_eq!(bench.done(), []);
    bench.keys("esc");
    assert_eq!(bench.sent(), [Command::Interrupt]);
    assert_eq!(bench.state.focus, Pane::Composer);
    bench.keys("esc");
    assert_eq!(bench.sent(), [], "it is told only once");
    assert_eq!(bench.state.focus, Pane::Composer);
    bench.keys("ctrl-u").wait(1_100).keys("esc");
    assert_eq!(bench.state.focus, Pane::Transcript);
}

#[test]
fn esc_interrupts_in_every_state_of_a_turn_and_from_every_pane() {
    let states = [
        RunState::Waiting { since: 0 },
        RunState::Thinking { since: 0 },
        RunState::Tools { since: 0, running: 2 },
        RunState::Forming { since: 0, tool: String::new(), argument_bytes: 0 },
        RunState::Retrying { since: 0, until: 9, attempt: 1, of: 3, reason: String::new() },
    ];
    for run in states {
        for pane in Pane::ALL {
            let mut bench = Bench::new();
            bench.state.focus = *pane;
            bench.state.snapshot.run = run.clone();
            bench.keys("esc");
            assert_eq!(bench.sent(), [Command::Interrupt], "{run:?} {pane:?}");
        }
    }
}

#[test]
fn ctrl_c_clears_then_interrupts_then_leaves_at_the_second_press() {
    let mut bench = Bench::new();
    bench.running().types("draft").keys("ctrl-c");
    assert!(bench.state.composer.is_empty());
    assert_eq!(bench.done(), []);
    bench.keys("ctrl-c");
    assert_eq!(bench.done(), [Effect::Send(Command::Interrupt)]);
    bench.keys("ctrl-c");
    assert_eq!(bench.done(), []);
    assert_eq!(bench.state.toasts.last().unwrap().text, "press ctrl-c again to leave");
    bench.keys("ctrl-c");
    assert_eq!(bench.done(), [Effect::Quit]);
}

#[test]
fn two_presses_that_are_not_close_do_not_leave() {
    let mut bench = Bench::new();
    bench.keys("ctrl-c").wait(2_100).keys("ctrl-c");
    assert_eq!(bench.done(), []);
    bench.keys("ctrl-c");
    assert_eq!(bench.done(), [Effect::Quit]);
}

#[test]
fn a_question_never_takes_a_key_meant_for_the_composer() {
    let mut bench = Bench::new();
    bench.types("ye").asks(7, spending()).types("s");
    assert!(bench.state.question.is_none());
    assert!(bench.state.toasts.iter().any(|toast| toast.text.contains("f2")), "the key is told");
    bench.keys("y n enter");
    assert_eq!(bench.sent(), [submit("yesyn", SubmitMode::Steer)]);
    assert_eq!(bench.state.snapshot.asks.len(), 1, "still open");
    bench.types("draft").keys("f2 x y");
    assert_eq!(bench.sent(), [Command::Answer { ask: AskId(7), answer: Answer::Yes }]);
    assert_eq!(bench.state.composer.content(), "draft");
}

#[test]
fn a_secret_is_typed_and_leaves_with_esc_unanswered() {
    let mut bench = Bench::new();
    bench.asks(
        3,
        AskKind::Secret { key: "TOKEN".to_owned(), wanted_by: "github".to_owned(), kept_in: "inputs.toml".to_owned() },
    );
    bench.keys("f2").types("ny y").keys("backspace enter");
    assert_eq!(bench.sent(), [Command::Answer { ask: AskId(3), answer: Answer::Text("ny ".to_owned()) }]);
    bench.keys("f2").types("x").keys("esc");
    assert!(bench.state.question.is_none());
    assert_eq!(bench.sent(), []);
}

#[test]
fn a_question_answered_elsewhere_loses_focus() {
    let mut bench = Bench::new();
    bench.asks(1, spending()).keys("f2").event(Body::Answered { ask: AskId(1), answer: Answer::No });
    assert!(bench.state.question.is_none());
}

#[test]
fn waiting_messages_are_edited_and_withdrawn() {
    let mut bench = Bench::new();
    let queued = |id| Body::Queued { id: QueueId(id), text: format!("text {id}"), mode: SubmitMode::Queue };
    bench.running().event(queued(1)).event(queued(2)).keys("alt-up");
    assert_eq!(bench.state.composer.content(), "text 2");
    bench.types("!").keys("enter");
    assert_eq!(bench.sent(), [Command::EditQueued { id: QueueId(2), text: "text 2!".to_owned() }]);
    bench.keys("alt-w");
    assert_eq!(bench.sent(), [Command::WithdrawQueued { id: QueueId(2) }]);
    // Taken into the turn while it was edited: it is a message of its own then.
    bench.keys("alt-up").event(Body::Unqueued { id: QueueId(2) }).keys("enter");
    assert_eq!(bench.sent(), [submit("text 2", SubmitMode::Steer)]);
}

#[test]
fn a_message_that_could_not_be_sent_comes_back() {
    let mut bench = Bench::new();
    bench.types("precious").keys("enter");
    let command = bench.sent().remove(0);
    bench.say(Said::Outcome(Outcome::Unsent(command)));
    assert_eq!(bench.state.composer.content(), "precious");
    assert_eq!(bench.state.toasts[0].level, Level::Error);
}

#[test]
fn some_commands_are_the_workbench_s_own() {
    let mut bench = Bench::new();
    bench.types("/exit").keys("enter");
    assert!(bench.done().contains(&Effect::Quit));
    bench.types("/copy").keys("esc enter");
    assert!(bench.sent().is_empty());
    assert!(bench.state.toasts.iter().any(|toast| toast.text.contains("no answer")));
    bench.types("/info").keys("enter");
    assert_eq!(bench.sent(), [submit("/info", SubmitMode::Steer)]);
    bench.types("/mode").keys("enter");
    assert_eq!(bench.state.composer.content(), "/model ", "completed, not sent");
}

#[test]
fn copying_takes_the_source_text() {
    let mut bench = Bench::new();
    let body = Body::AssistantMessage {
        request: crate::proto::RequestId(1),
        text: "one **two**\nthree".to_owned(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: crate::proto::StopReason::End,
        scripted: false,
        model: "m".to_owned(),
    };
    bench.event(body).types("/copy").keys("esc enter");
    assert!(bench.done().contains(&Effect::Copy { text: "one **two**\nthree".to_owned(), what: "the last answer" }));
}

#[test]
fn keys_reach_panes_prefixes_and_which_key() {
    let mut bench = Bench::new();
    bench.keys("esc j k g");
    assert_eq!(bench.state.transcript.pending, [ScrollBy::Lines(1), ScrollBy::Lines(-1)]);
    assert!(bench.state.which_key().is_none(), "not at once");
    assert_eq!(bench.state.next_wake(), Some(bench.now + 350));
    bench.wait(350);
    assert_eq!(bench.state.which_key().unwrap().label.as_deref(), Some("Go to"));
    bench.keys("s");
    assert_eq!(bench.state.focus, Pane::Surface);
    assert!(bench.state.which_key().is_none());
    bench.keys("g Y");
    assert_eq!(bench.state.focus, Pane::Surface, "a sequence that leads nowhere does nothing");
    bench.keys("1 z z");
    assert!(bench.state.zoom && bench.state.focus == Pane::Transcript);
    bench.keys("esc i");
    assert!(!bench.state.zoom && bench.state.focus == Pane::Composer);
    bench.keys("tab");
    assert_eq!(bench.state.focus, Pane::Transcript);
}

#[test]
fn the_palette_finds_and_runs() {
    let mut bench = Bench::new();
    bench.types("draft").keys("ctrl-p").types("zoom").keys("enter");
    assert!(bench.state.zoom && bench.state.layers.is_empty());
    assert_eq!(bench.state.composer.content(), "draft");
    bench.keys("ctrl-p").types("xyzzy").keys("backspace ctrl-u");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Picker(list)) if list.filter.is_empty()));
    let all = bench.state.palette_rows("");
    // A digit and a command of normal mode mean nothing without their keys.
    for action in Action::ALL.iter().filter(|action| !matches!(action, Action::Vi | Action::Count)) {
        assert!(
            all.iter().any(|row| matches!(&row.deed, Deed::Call(call) if call.action == *action)),
            "{}",
            action.id()
        );
    }
    bench.keys("up");
    let selected = |bench: &Bench| match bench.state.layers.last() {
        Some(Layer::Picker(list)) => list.selected,
        _ => usize::MAX,
    };
    assert_eq!(selected(&bench), 0);
    bench.keys("end down");
    assert_eq!(selected(&bench), all.len() - 1);
    bench.keys("ctrl-c");
    assert!(bench.state.layers.is_empty());
    assert_eq!(bench.state.composer.content(), "draft");
}

#[test]
fn help_lists_the_keymap_and_filters() {
    let mut bench = Bench::new();
    bench.keys("f1");
    let rows = bench.state.help_rows("");
    let listed = |keys: &String| rows.iter().any(|row| row.keys.contains(keys));
    assert!(bench.state.keymap.rows().iter().all(|row| listed(&row.keys)), "every key is there");
    let rows = bench.state.help_rows("newline");
    assert!(rows[0].keys.contains(&"shift-enter".to_owned()) && rows[0].keys.contains(&"ctrl-j".to_owned()));
}

#[test]
fn a_search_is_typed_kept_and_ended() {
    let mut bench = Bench::new();
    bench.keys("esc /").types("nj").keys("enter n N");
    assert_eq!(bench.state.transcript.search.as_ref().unwrap().query, "nj");
    assert_eq!(bench.state.transcript.pending[2..], [ScrollBy::Match(1), ScrollBy::Match(-1)]);
    bench.keys("esc");
    assert!(bench.state.transcript.search.is_none());
}

#[test]
fn notes_open_in_full() {
    let mut bench = Bench::new();
    for text in ["first", "second"] {
        let (level, source) = (Level::Info, "config".to_owned());
        bench.event(Body::Notice { level, source, text: text.to_owned(), hint: None });
    }
    bench.keys("esc 5 enter");
    let subject = Subject::Note(bench.state.snapshot.notes[1].seq);
    assert!(matches!(bench.state.layers.last(), Some(Layer::Reader(reader)) if reader.subject == subject));
    bench.keys("j q");
    assert!(bench.state.layers.is_empty());
}

#[test]
fn calls_for_the_person_only_when_away_and_once_per_occasion() {
    let mut bench = Bench::new();
    let ended = Body::TurnEnded { turn: TurnId(1), outcome: TurnOutcome::Done, elapsed_ms: 1 };
    bench.event(ended.clone());
    assert_eq!(bench.done(), []);
    bench.say(Said::Input(Input::Focus(false))).event(ended).asks(1, spending()).wait(5_000);
    let notes = bench.done().into_iter().filter(|effect| matches!(effect, Effect::Notify(_))).count();
    assert_eq!(notes, 2);
    bench.state.settings.notifications = false;
    bench.asks(2, spending());
    assert_eq!(bench.done(), []);
}

#[test]
fn another_session_begins_with_a_fresh_look_and_the_same_draft() {
    let mut bench = Bench::new();
    bench.types("draft");
    bench.state.transcript.scroll = Scroll::At { order: (1, 0, 0).into(), line: 3 };
    let mut fresh = Snapshot::default();
    fresh.session.name = "brisk-otter".to_owned();
    bench.say(Said::Session(vec![Delivery::Resync { skipped: 9 }], Some(Arc::new(fresh))));
    assert_eq!(bench.state.snapshot.session.name, "brisk-otter");
    assert_eq!(bench.state.transcript.scroll, Scroll::Follow);
    assert_eq!(bench.state.composer.content(), "draft");
}

#[test]
fn idle_wakes_for_nothing_and_work_wakes_for_its_labels() {
    let mut bench = Bench::new();
    assert_eq!(bench.state.next_wake(), None);
    bench.state.terminal.shade = None;
    bench.say(Said::Input(Input::Answer(TerminalAnswer::Background(Shade::Light))));
    assert_eq!(bench.state.next_wake(), None);
    bench.running();
    assert!(bench.state.next_wake().unwrap() <= bench.now + 120);
    bench.state.settings.motion = false;
    assert_eq!(bench.state.next_wake(), Some((bench.now / 1000 + 1) * 1000), "labels count once a second");
    bench.state.snapshot.run = RunState::Idle;
    bench.state.toast(Level::Info, "word");
    bench.wait(6_000);
    assert!(bench.state.toasts.is_empty());
    assert_eq!(bench.state.next_wake(), None);
}

#[test]
fn the_mouse_focuses_selects_folds_and_scrolls_what_is_under_it() {
    let mut bench = Bench::new();
    let at = |kind| Mouse { kind, column: 1, row: 1, modifiers: Modifiers::default() };
    let body = Body::UserMessage {
        content: crate::proto::Content::Text("hi".to_owned()),
        attachments: Vec::new(),
        origin: Origin::Person,
    };
    bench.event(body);
    let entry: Arc<Entry> = Arc::clone(&bench.state.snapshot.transcript.entries()[0]);
    assert!(matches!(entry.kind, EntryKind::User { .. }));
    let hit = Hit::Entry { order: entry.order, line: 0 };
    let spot = |column| Spot { order: entry.order, line: 0, column };
    let on = |column| Pointed { hit, spot: Some((Ground::Transcript, spot(column))), beyond: 0 };
    let click = |bench: &mut Bench| {
        bench.say(Said::Mouse(at(MouseKind::Press), on(1)));
        bench.say(Said::Mouse(at(MouseKind::Release), on(1)));
    };
    click(&mut bench);
    assert_eq!((bench.state.focus, bench.state.transcript.selected), (Pane::Transcript, Some(entry.order)));
    click(&mut bench);
    assert!(bench.state.transcript.toggled.contains(&entry.order));
    assert_eq!(bench.done(), []);
    bench.say(Said::Mouse(at(MouseKind::Press), on(1)));
    bench.say(Said::Mouse(at(MouseKind::Drag), on(4)));
    let past = Pointed { beyond: -1, ..on(2) };
    bench.say(Said::Mouse(at(MouseKind::Drag), past));
    assert_eq!(bench.state.transcript.pending, [ScrollBy::Lines(-1)]);
    bench.say(Said::Mouse(at(MouseKind::Release), on(2)));
    assert_eq!(bench.done(), [Effect::CopySelection]);
    assert!(bench.state.transcript.toggled.contains(&entry.order), "a drag is no click");
    let columns = bench.state.selection.unwrap().columns(Ground::Transcript, entry.order, 0);
    assert_eq!(columns, Some(1..3));
    bench.keys("J");
    assert_eq!(bench.state.selection, None);
    bench.state.transcript.pending.clear();
    bench.say(Said::Mouse(at(MouseKind::WheelUp), Hit::Transcript.into()));
    assert_eq!(bench.state.transcript.pending, [ScrollBy::Lines(-3)]);
    bench.say(Said::Mouse(at(MouseKind::Press), Hit::Below.into()));
    assert_eq!(bench.state.transcript.pending.last(), Some(&ScrollBy::Bottom));
    bench.say(Said::Mouse(at(MouseKind::Press), Hit::Tab(Pane::Notes).into()));
    assert_eq!(bench.state.focus, Pane::Notes);
    bench.keys("M");
    assert_eq!(bench.done(), [Effect::Mouse(false)]);
}

#[test]
fn vim_and_emacs_hands_find_their_keys() {
    let mut vim = Bench::with_keymap("vim");
    vim.keys("esc esc space f");
    assert_eq!(vim.state.layers, [Layer::picker(Listing::Palette)]);
    let mut emacs = Bench::with_keymap("emacs");
    emacs.types("x").keys("ctrl-x ctrl-c");
    assert_eq!(emacs.done(), [Effect::Quit]);
    emacs.keys("alt-x");
    assert_eq!(emacs.state.layers, [Layer::picker(Listing::Palette)]);
    emacs.keys("ctrl-g");
    assert!(emacs.state.layers.is_empty());
}

#[test]
fn enter_takes_the_tour_while_nothing_is_said_or_typed() {
    let mut bench = Bench::new();
    bench.keys("enter");
    assert_eq!(bench.sent(), []);
    bench.state.snapshot.session.model.name = "script:tour".to_owned();
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("show me around", SubmitMode::Steer)]);
    bench.types("hi").keys("enter");
    assert_eq!(bench.sent(), [submit("hi", SubmitMode::Steer)]);
    bench.state.snapshot.turn = TurnId(1);
    bench.keys("enter");
    assert_eq!(bench.sent(), []);
}

#[test]
fn a_message_sent_before_is_found_and_taken_up() {
    let mut bench = Bench::new();
    bench.state.composer.history.load(vec![
        "fix the parser".to_owned(),
        "run tests".to_owned(),
        "fix the parser".to_owned(),
    ]);
    bench.keys("ctrl-r");
    assert_eq!(bench.state.history_rows(""), ["fix the parser", "run tests"]);
    bench.keys("ctrl-r enter");
    assert_eq!(bench.state.composer.content(), "run tests");
    bench.keys("ctrl-r").types("pars").keys("enter");
    assert_eq!((bench.state.composer.content().as_str(), bench.state.layers.len()), ("fix the parser", 0));
    bench.keys("ctrl-r").types("nothing like it").keys("enter");
    assert_eq!(bench.state.composer.content(), "fix the parser");
    assert_eq!(bench.sent(), []);
}

#[test]
fn the_whole_transcript_opens_from_anywhere() {
    let mut bench = Bench::new();
    bench.keys("ctrl-o");
    assert_eq!(bench.done(), [], "there is nothing yet");
    bench.event(Body::Notice { level: Level::Info, source: "a".to_owned(), text: "b".to_owned(), hint: None });
    bench.keys("ctrl-o esc e f1 ctrl-o");
    assert_eq!(bench.done(), [Effect::ShowTranscript, Effect::ShowTranscript, Effect::ShowTranscript]);
    bench.keys("esc i").paste("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12").keys("ctrl-o");
    assert_eq!(bench.done(), [], "at a folded paste it opens that");
}

#[test]
fn the_editor_s_text_becomes_the_draft_and_files_are_asked_for_once() {
    let mut bench = Bench::new();
    bench.types("draft").keys("ctrl-g");
    assert_eq!(bench.done(), [Effect::EditDraft("draft".to_owned())]);
    bench.say(Said::Outcome(Outcome::Edited(Ok("edited\n".to_owned()))));
    assert_eq!(bench.state.composer.content(), "edited");
    bench.types(" @a").types("b");
    let asked = |query: &str| Effect::FindFiles(query.to_owned());
    assert_eq!(bench.done(), [asked(""), asked("a"), asked("ab")]);
    bench.keys("ctrl-z");
    assert_eq!(bench.done(), [Effect::Suspend]);
}

#[derive(Debug, Clone)]
enum Any {
    Key(usize),
    Letter(char),
    Paste(&'static str),
    Mouse(u8, u16, u16),
    Resize(u16, u16),
    Ask(u32),
    Text(&'static str),
    Wait(u64),
}

fn any() -> impl proptest::strategy::Strategy<Value = Any> {
    use proptest::prelude::*;
    prop_oneof![
        8 => (0..1000_usize).prop_map(Any::Key),
        3 => prop::sample::select(vec!['a', '/', '@', '?', ':', 'g', 'z', '🙂', '测']).prop_map(Any::Letter),
        1 => prop::sample::select(vec!["x\ny", "\x1b[2J", "1\n2\n3\n4\n5\n6\n7\n8\n9"]).prop_map(Any::Paste),
        3 => (0..5_u8, 0..140_u16, 0..50_u16).prop_map(|(kind, column, row)| Any::Mouse(kind, column, row)),
        1 => (0..140_u16, 0..50_u16).prop_map(|(columns, rows)| Any::Resize(columns, rows)),
        1 => (1..4_u32).prop_map(Any::Ask),
        1 => prop::sample::select(vec!["# word", "a\n\n```\ncode", "测试"]).prop_map(Any::Text),
        1 => (0..3000_u64).prop_map(Any::Wait),
    ]
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// Whatever is pressed, pasted, clicked and resized: it is drawn, and no draft is sent unasked.
    #[test]
    fn anything_in_any_order_can_be_drawn(steps in proptest::collection::vec(any(), 1..60)) {
        let mut bench = Bench::new();
        let mut cache = crate::ui::view::Cache::in_place();
        let theme = crate::ui::theme::load("dark", None, Depth::Full).theme.unwrap();
        let keys: Vec<Key> = bench.state.keymap.rows().iter().flat_map(|row| Key::parse_sequence(&row.keys).unwrap()).collect();
        let (mut columns, mut rows) = (120, 40);
        for step in steps {
            let area = ratatui::layout::Rect::new(0, 0, columns, rows);
            let layout = crate::ui::view::prepare(&mut bench.state, &mut cache, area);
            let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(columns, rows)).unwrap();
            terminal.draw(|frame| crate::ui::view::draw(&bench.state, &cache, &layout, &theme, frame)).unwrap();
            match step {
                Any::Key(index) => { bench.say(Said::Input(Input::Key(keys[index % keys.len()]))); }
                Any::Letter(letter) => { bench.types(&letter.to_string()); }
                Any::Paste(text) => { bench.paste(text); }
                Any::Mouse(kind, column, row) => {
                    use MouseKind::{Drag, Press, Release, WheelDown, WheelUp};
                    let kind = [Press, Drag, Release, WheelUp, WheelDown][usize::from(kind)];
                    let mouse = Mouse { kind, column, row, modifiers: Modifiers::default() };
                    let within = bench.state.selection;
                    let pointed = layout.pointed(column, row, within.as_ref().filter(|_| kind != Press));
                    bench.say(Said::Mouse(mouse, pointed));
                    crate::ui::view::selected(&bench.state, &mut cache, &layout);
                }
                Any::Resize(wide, high) => {
                    (columns, rows) = (wide, high);
                    bench.say(Said::Resized(wide, high));
                }
                Any::Ask(id) => { bench.asks(id, spending()); }
                Any::Text(text) => {
                    let (source, text) = ("source".to_owned(), text.to_owned());
                    bench.event(Body::Notice { level: Level::Info, source, text, hint: None });
                }
                Any::Wait(ms) => { bench.wait(ms); }
            }
            for command in bench.sent() {
                if let Command::Submit { text, .. } = command {
                    proptest::prop_assert!(!text.trim().is_empty());
                }
            }
        }
    }
}
