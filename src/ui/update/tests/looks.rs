use super::*;
use crate::ui::state::ThemeRow;

fn bench() -> Bench {
    let mut bench = Bench::new();
    let row = |name: &str| ThemeRow { name: name.to_owned(), words: String::new() };
    bench.state.themes.rows = ["auto", "dark", "light", "ember"].map(row).to_vec();
    bench
}

#[test]
fn what_is_marked_is_shown_and_gone_with_the_list_unless_kept() {
    let mut bench = bench();
    bench.keys("esc T");
    assert_eq!((bench.state.mode(), bench.state.shown_theme()), ("THEMES", "auto"));
    bench.keys("j down");
    assert_eq!(bench.state.shown_theme(), "light");
    bench.keys("esc");
    assert_eq!(bench.state.shown_theme(), "auto", "escape puts back what there was");
    bench.keys("T end");
    assert_eq!(bench.state.shown_theme(), "ember");
    bench.keys("ctrl-p");
    assert_eq!(bench.state.shown_theme(), "auto", "under another overlay nothing is looked at");
    bench.keys("esc enter");
    assert_eq!((bench.state.shown_theme(), bench.state.layers.len()), ("ember", 0));
    assert_eq!(bench.done(), [], "kept for this session: nothing is written");
    bench.keys("T");
    assert_eq!(bench.state.shown_theme(), "ember", "the one in force is marked");
}

#[test]
fn w_keeps_and_writes() {
    let mut bench = bench();
    bench.keys("esc T j w");
    assert_eq!(bench.done(), [Effect::SaveTheme("dark".to_owned())]);
    assert_eq!(bench.state.themes.setting, "dark");
    bench.keys("esc");
    assert_eq!(bench.state.shown_theme(), "dark");
    bench.say(Said::Call(Call::new(Action::SaveTheme)));
    assert_eq!(bench.done(), [], "without the list there is nothing to write");
}

#[test]
fn the_terminal_tells_of_light_and_dark_whenever_it_likes() {
    let mut bench = bench();
    assert_eq!(bench.state.terminal.shade, None);
    bench.say(Said::Input(Input::Answer(TerminalAnswer::Scheme(Shade::Light))));
    assert_eq!(bench.state.terminal.shade, Some(Shade::Light));
    bench.say(Said::Input(Input::Answer(TerminalAnswer::Background(Shade::Dark))));
    assert_eq!(bench.state.terminal.shade, Some(Shade::Dark), "what is really there comes last and counts");
}

#[test]
fn a_file_that_cannot_be_read_says_where_and_changes_nothing() {
    let mut bench = Bench::new();
    let before = Arc::clone(&bench.state.keymap);
    let problem = crate::ui::problem::Problem::at("own.toml", "[pane]\n\"x\" =\n", 11..11, "no value");
    bench.say(Said::Outcome(Outcome::Reloaded { keymap: None, problems: vec![problem], asked: false }));
    assert!(Arc::ptr_eq(&before, &bench.state.keymap));
    assert_eq!(bench.state.toasts.last().unwrap().text, "own.toml:2: no value");
}
