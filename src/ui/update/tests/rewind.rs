//! Keys of the rewind.

use super::*;
use crate::proto::{ByHand, Content, RewindCommand, RewindEvent, RewindPreview, RewindTo, RewindWhat, Rewound};
use crate::ui::state::{Table, Tabled};

fn told(turn: u32, refused: Option<&str>) -> Body {
    let (to, refused) = (RewindTo::Turn(TurnId(turn)), refused.map(str::to_owned));
    let preview = RewindPreview { to, messages: 2, files: Vec::new(), uncovered: Vec::new(), refused };
    Body::Rewind(RewindEvent::Previewed(Arc::new(preview)))
}

fn previewed(turn: u32) -> Command {
    Command::Rewind(RewindCommand::Preview { to: RewindTo::Turn(TurnId(turn)) })
}

fn goes(turn: u32, what: RewindWhat, by_hand: ByHand) -> Command {
    Command::Rewind(RewindCommand::Go { to: RewindTo::Turn(TurnId(turn)), what, by_hand })
}

/// Two turns with a prompt each.
fn talked(keymap: &str) -> Bench {
    let mut bench = Bench::with_keymap(keymap);
    for (turn, text) in [(1, "first prompt"), (2, "second prompt")] {
        bench.event(Body::TurnStarted { turn: TurnId(turn) });
        let content = Content::Text(text.to_owned());
        bench.event(Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
        bench.event(Body::TurnEnded { turn: TurnId(turn), outcome: TurnOutcome::Done, elapsed_ms: 1 });
    }
    // Right after a turn, what stops it does nothing else.
    bench.now += 60_000;
    bench.sent();
    bench
}

#[test]
fn what_is_marked_is_asked_about_and_only_what_was_seen_is_done() {
    for (name, opens) in [("default", "esc u"), ("vim", "esc esc space u"), ("emacs", "ctrl-x U")] {
        let mut bench = talked(name);
        bench.keys(opens);
        assert_eq!(bench.sent(), [previewed(2)], "{name}");
        bench.keys("enter");
        assert_eq!(bench.sent(), [], "nothing was seen yet");
        bench.keys("j");
        assert_eq!(bench.sent(), [previewed(1)]);
        // The answer about another row is not one about this.
        bench.event(told(2, None)).keys("f");
        assert_eq!(bench.sent(), []);
        bench.event(told(1, None)).keys("o f");
        assert_eq!(bench.sent(), [goes(1, RewindWhat::Files, ByHand::Restore)]);
        assert!(bench.state.layers.is_empty());
    }
}

#[test]
fn the_words_of_the_first_argument_are_completed_alone() {
    let mut bench = talked("default");
    bench.types("/rewind un");
    let offered = |bench: &Bench| -> Vec<String> {
        let list = bench.state.composer.completion.as_ref();
        list.map_or_else(Vec::new, |list| list.candidates.iter().map(|one| one.label.clone()).collect())
    };
    assert_eq!(offered(&bench), ["undo"]);
}

#[test]
fn enter_takes_both_and_what_is_refused_is_not_sent() {
    let mut bench = talked("default");
    bench.types("/rewind").keys("esc enter");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Table(Table { of: Tabled::Rewind, .. }))));
    bench.event(told(2, Some("a turn runs; stop it first"))).sent();
    bench.keys("enter");
    assert_eq!(bench.sent(), []);
    assert!(bench.state.toasts.last().unwrap().text.contains("a turn runs"));
    bench.event(told(2, None)).keys("enter");
    assert_eq!(bench.sent(), [goes(2, RewindWhat::Both, ByHand::Leave)]);
    bench.types("/rewind").keys("esc enter");
    bench.event(told(2, None)).sent();
    bench.keys("c");
    assert_eq!(bench.sent(), [goes(2, RewindWhat::Conversation, ByHand::Leave)]);
}

#[test]
fn the_prompt_comes_back_into_an_empty_composer_only() {
    let to = RewindTo::Turn(TurnId(1));
    let rewound = Rewound { to, what: RewindWhat::Both, messages: 2, files: Vec::new(), left: Vec::new() };
    let rewound = || Body::Rewind(RewindEvent::Rewound(Box::new(rewound.clone())));
    let mut bench = talked("default");
    bench.event(rewound());
    assert_eq!(bench.state.composer.content(), "first prompt");
    let mut bench = talked("default");
    bench.types("mine").event(rewound());
    assert_eq!(bench.state.composer.content(), "mine");
}
