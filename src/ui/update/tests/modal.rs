use super::*;
use crate::ui::keys::Code;

fn vim(text: &str) -> Bench {
    let mut bench = Bench::with_keymap("vim");
    bench.types(text);
    bench
}

fn draft(bench: &Bench) -> String {
    bench.state.composer.content()
}

#[test]
fn escape_leads_from_insert_to_normal_to_the_panes_and_compose_back_to_insert() {
    let mut bench = vim("one two");
    assert_eq!(bench.state.mode(), "INSERT");
    bench.keys("esc");
    assert_eq!((bench.state.mode(), bench.state.focus), ("NORMAL", Pane::Composer));
    bench.keys("esc");
    assert_eq!(bench.state.focus, Pane::Transcript);
    assert_eq!(draft(&bench), "one two");
    bench.keys("i !");
    assert_eq!((bench.state.mode(), draft(&bench).as_str()), ("INSERT", "one tw!o"));
}

#[test]
fn in_normal_mode_letters_are_commands_and_never_typed() {
    let mut bench = vim("one two three");
    bench.keys("esc 0 d w");
    assert_eq!(draft(&bench), "two three");
    bench.keys("u 2 d w");
    assert_eq!(draft(&bench), "three");
    bench.keys("u d 2 w p");
    assert_eq!(draft(&bench), "tone two hree");
    bench.keys("u u ctrl-r ctrl-r 0 D");
    assert_eq!(draft(&bench), "");
    bench.types("Zq&é").keys("i Z");
    assert_eq!(draft(&bench), "Z");
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("Z", SubmitMode::Steer)]);
}

/// The keys that hands reach for, from a draft with the caret on its last letter.
#[test]
fn the_keys_of_vim_do_what_they_do_in_vim() {
    let cases = [
        ("one two three", "0 w d w", "one three"),
        ("one two three", "b c w X", "one two X"),
        ("one two three", "b i X", "one two Xthree"),
        ("one two", "0 A !", "one two!"),
        ("one two", "I !", "!one two"),
        ("one two", "0 e a !", "one! two"),
        ("a.b.c", "0 d t . x", "b.c"),
        ("a.b.c", "0 f . ; r -", "a.b-c"),
        ("one two", "g e x", "on two"),
        ("one two", "0 y i w $ p", "one twoone"),
        ("say hi", "b c i w X esc .", "say X"),
        ("x x x", "0 r a w . w .", "a a a"),
        ("one", "y y p", "one\none"),
        ("one two", "b v e U", "one TWO"),
        ("One Two", "0 v $ u", "one two"),
        ("one two", "V y P", "one two\none two"),
        ("one two", "b v e c X", "one X"),
        ("one two", "0 v e esc x", "on two"),
        ("one", "> > . < <", "    one"),
        ("f(a)", "% d a (", "f"),
        ("one two", "0 g U w", "ONE two"),
        ("one two", "0 ~ w ~", "One Two"),
        ("one two", "0 2 x u", "one two"),
        ("one two", "S X", "X"),
        ("one two", "0 w D", "one "),
        ("one two", "0 w C X", "one X"),
        ("one two", "0 s X", "Xne two"),
        ("abc", "X", "ac"),
        ("a b c", "0 d w . u ctrl-r", "c"),
    ];
    for (text, keys, expected) in cases {
        let mut bench = vim(text);
        bench.keys("esc").keys(keys);
        assert_eq!(draft(&bench), expected, "{text:?} {keys}");
    }
}

#[test]
fn what_is_marked_is_told_and_escape_lets_go_of_it_first() {
    let mut bench = vim("one two");
    bench.keys("esc 0 v e");
    assert_eq!((bench.state.mode(), bench.state.composer.marked()), ("VISUAL", Some(0..3)));
    bench.keys("V");
    assert_eq!((bench.state.mode(), bench.state.composer.marked()), ("V-LINE", Some(0..7)));
    bench.keys("esc");
    assert_eq!((bench.state.mode(), bench.state.composer.marked()), ("NORMAL", None));
    bench.keys("v ctrl-r u");
    assert_eq!(bench.state.mode(), "NORMAL", "an edit of any kind ends it");
    bench.keys("esc");
    assert_eq!((bench.state.mode(), bench.state.focus), ("PANE", Pane::Transcript), "that word is the composer's");
}

#[test]
fn what_a_command_waits_for_is_shown_taken_and_let_go() {
    let mut bench = vim("a.b.c");
    bench.keys("esc 0 2 d f");
    assert_eq!(bench.state.unfinished(), "2df");
    bench.keys(".");
    assert_eq!((draft(&bench).as_str(), bench.state.unfinished().as_str()), ("c", ""));
    for keys in ["d", "3", "f", "3 d", "d f"] {
        bench.keys(keys).keys("esc");
        assert_eq!((bench.state.unfinished().as_str(), bench.state.focus), ("", Pane::Composer), "{keys}");
    }
    bench.keys("d tab");
    assert_eq!(bench.state.unfinished(), "", "another action lets go of it too");
    assert_eq!(draft(&bench), "c");
}

#[test]
fn up_on_the_first_row_is_history_but_a_motion_after_an_operator() {
    let mut bench = vim("sent before");
    bench.keys("enter");
    bench.types("draft").keys("esc k");
    assert_eq!(draft(&bench), "sent before");
    bench.keys("j d k");
    assert_eq!(draft(&bench), "draft", "there is no line above to delete");
}

#[test]
fn counts_act_in_panes() {
    let mut bench = vim("");
    bench.keys("esc esc 5 j");
    assert_eq!(bench.state.transcript.pending, [ScrollBy::Lines(5)]);
    bench.state.transcript.pending.clear();
    bench.keys("1 0 k 2 ctrl-d");
    let pages = ScrollBy::HalfPages(1);
    assert_eq!(bench.state.transcript.pending, [ScrollBy::Lines(-10), pages, pages]);
    bench.keys("9 9 9 9 9 9");
    assert_eq!(bench.state.unfinished(), "9999");
    bench.keys("z esc");
    assert_eq!(bench.state.unfinished(), "");
    let mut plain = Bench::new();
    plain.keys("esc 2");
    assert_eq!(plain.state.focus, Pane::Surface, "without vim digits focus panes");
}

#[test]
fn a_keymap_without_a_normal_mode_ends_it() {
    let mut bench = vim("x");
    bench.keys("esc");
    let keymap = keys::load("default", None).keymap.map(Arc::new);
    bench.say(Said::Outcome(Outcome::Reloaded { keymap, problems: Vec::new(), asked: false }));
    bench.say(Said::Input(Input::Key(Key::plain(Code::Char('y')))));
    assert_eq!(draft(&bench), "yx");
}

#[test]
fn emacs_hands_mark_kill_copy_and_pop() {
    let mut bench = Bench::with_keymap("emacs");
    bench.types("one two").keys("ctrl-space alt-b ctrl-w");
    assert_eq!(draft(&bench), "one ");
    bench.keys("ctrl-a ctrl-space ctrl-e alt-w ctrl-y");
    assert_eq!(draft(&bench), "one one ");
    bench.keys("alt-y");
    assert_eq!(draft(&bench), "one two");
    bench.keys("alt-< ctrl-x ctrl-x ctrl-x u");
    assert_eq!(draft(&bench), "one one ");
    bench.keys("ctrl-s");
    assert_eq!(bench.state.mode(), "SEARCH");
    bench.keys("ctrl-g ctrl-x T");
    assert_eq!(bench.state.mode(), "THEMES");
    bench.keys("ctrl-n ctrl-g");
    assert!(bench.state.layers.is_empty());
}
