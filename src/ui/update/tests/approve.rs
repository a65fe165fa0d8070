//! Questions about tool calls: what answers them, and what never does.

use proptest::prelude::*;

use super::*;
use crate::proto::{ApprovalCommand, ApprovalMode, ApprovalPart, ApprovalRequest, CallId, PartStanding};

fn call() -> AskKind {
    let part = |text: &str, standing| ApprovalPart { text: text.to_owned(), standing, why: String::new() };
    AskKind::Approval(Arc::new(ApprovalRequest {
        call: CallId("c1".to_owned()),
        server: "files".to_owned(),
        tool: "shell".to_owned(),
        arguments: serde_json::json!({ "command": "ls && rm x" }),
        parts: vec![part("ls", PartStanding::Reads), part("rm x", PartStanding::Asks)],
        why: "1 of 2 commands may change something".to_owned(),
        preview: None,
        remembers: vec!["exactly `rm x`".to_owned()],
        refuses: vec!["exactly `rm x`".to_owned()],
        warnings: Vec::new(),
        number: 1,
        of: 1,
    }))
}

fn answers(commands: Vec<Command>) -> Vec<Answer> {
    let of = |command| match command {
        Command::Answer { answer, .. } => Some(answer),
        _ => None,
    };
    commands.into_iter().filter_map(of).collect()
}

#[test]
fn each_key_is_one_answer_and_only_in_the_question() {
    for keymap in ["default", "vim", "emacs"] {
        for (key, wanted) in [("y", Answer::Yes), ("n", Answer::No), ("s", Answer::Session), ("x", Answer::Never)] {
            let mut bench = Bench::with_keymap(keymap);
            bench.running().asks(4, call()).keys("f2").keys(key);
            assert_eq!(answers(bench.sent()), [wanted], "{keymap} {key}");
            assert!(bench.state.question.is_none(), "the next one has to be gone to");
            bench.keys(key);
            assert_eq!(answers(bench.sent()), [], "{keymap} {key} twice");
        }
        let mut bench = Bench::with_keymap(keymap);
        bench.running().types("exy").asks(4, call()).types("snyx").keys("enter");
        assert_eq!(answers(bench.sent()), [], "{keymap}");
        assert_eq!(bench.state.snapshot.asks.len(), 1);
    }
}

#[test]
fn keys_for_longer_answers_mean_nothing_elsewhere() {
    let mut bench = Bench::new();
    bench.asks(1, spending()).keys("f2 s x");
    assert_eq!(answers(bench.sent()), []);
    assert!(bench.state.question.is_some());
    // By name from the palette neither.
    for name in ["answer-session", "answer-never"] {
        bench.keys("ctrl-p").types(name).keys("enter");
        assert_eq!(answers(bench.sent()), [], "{name}");
    }
}

/// The question that was looked at is over, and another is there: the key is not for that one.
#[test]
fn a_key_meant_for_one_question_never_answers_the_next() {
    let mut bench = Bench::new();
    bench.running().asks(1, call()).keys("f2");
    bench.event(Body::Answered { ask: AskId(1), answer: Answer::No }).asks(2, call()).keys("y");
    assert_eq!(answers(bench.sent()), []);
    assert_eq!(bench.state.composer.content(), "y");
}

#[test]
fn a_paste_and_a_click_answer_nothing() {
    let mut bench = Bench::new();
    bench.running().asks(1, call()).keys("f2").paste("y\r\ns\n");
    assert_eq!(answers(bench.sent()), []);
    assert!(bench.state.question.is_some());
}

#[test]
fn the_person_is_called_once_when_they_look_elsewhere() {
    let mut bench = Bench::new();
    bench.running().say(Said::Input(Input::Focus(false))).asks(1, call());
    let calls = bench.done();
    assert_eq!(calls, [Effect::Notify("octomind waits for your approval".to_owned())]);
    bench.wait(60_000).wait(60_000);
    assert!(!bench.done().iter().any(|effect| matches!(effect, Effect::Notify(_))), "not on a tick");
}

#[test]
fn the_mode_is_set_from_the_palette_and_by_keys() {
    let mut bench = Bench::new();
    bench.keys("ctrl-p").types("yes: writes").keys("enter");
    assert_eq!(bench.sent(), [Command::Approval(ApprovalCommand::Mode(ApprovalMode::Writes))]);
    bench.keys("tab g y a");
    assert_eq!(bench.sent(), [Command::Approval(ApprovalCommand::Mode(ApprovalMode::All))]);
}

#[derive(Debug, Clone)]
enum Deed {
    Type(char),
    Press(&'static str),
    Paste(String),
    Ask(u32),
    Gone(u32),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let keys = prop::sample::select(vec!["enter", "esc", "tab", "alt-enter", "backspace", "up", "ctrl-c"]);
    let deed = prop_oneof![
        6 => prop::sample::select(vec!['y', 'n', 's', 'x', 'a', ' ']).prop_map(Deed::Type),
        2 => keys.prop_map(Deed::Press),
        1 => "[ynsx\r\n]{1,6}".prop_map(Deed::Paste),
        2 => (1..4_u32).prop_map(Deed::Ask),
        1 => (1..4_u32).prop_map(Deed::Gone),
    ];
    prop::collection::vec(deed, 1..60)
}

proptest! {
    /// Whoever never goes to a question never answers one, whatever is typed and whenever it opens.
    #[test]
    fn nothing_typed_answers_a_question_that_was_not_gone_to(deeds in deeds()) {
        let mut bench = Bench::new();
        bench.running();
        for deed in deeds {
            match deed {
                Deed::Type(letter) => { bench.types(&letter.to_string()); }
                Deed::Press(key) => { bench.keys(key); }
                Deed::Paste(text) => { bench.paste(&text); }
                Deed::Ask(id) => { bench.asks(id, call()); }
                Deed::Gone(id) => { bench.event(Body::Answered { ask: AskId(id), answer: Answer::No }); }
            }
            prop_assert!(bench.state.question.is_none());
        }
        prop_assert_eq!(answers(bench.sent()), Vec::<Answer>::new());
    }
}

/// Numbers of questions begin anew in every process: one of the past may have that of an open one.
#[test]
fn a_question_of_the_past_takes_no_answer() {
    use crate::proto::{Moment, TimeAnswer};
    let mut bench = Bench::new();
    bench.running().asks(1, call()).keys("ctrl-t");
    let mut then = Snapshot { turn: TurnId(1), ..Snapshot::default() };
    then.asks.push((Ask { id: AskId(1), kind: call() }, None));
    bench.event(Body::Moment(TimeAnswer::Shown(Arc::new(Moment {
        index: 3,
        total: 10,
        seq: Seq(4),
        at: 5_000,
        name: "a call waited".to_owned(),
        turns: Arc::new(vec![(TurnId(1), 2)]),
        snapshot: Arc::new(then),
    }))));
    assert!(bench.state.in_past() && bench.state.snapshot.awaits_approval());
    bench.keys("f2 y s x n");
    assert_eq!(answers(bench.sent()), []);
    for name in ["answer-yes", "answer-session", "answer-never"] {
        bench.keys("ctrl-p").types(name).keys("enter");
        assert_eq!(answers(bench.sent()), [], "{name}");
    }
}
