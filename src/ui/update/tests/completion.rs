//! What the composer offers after a command, and what comes of it.

use super::*;
use crate::proto::{Command, Content, SessionRow, ShelfAnswer, ShelfCommand};
use crate::ui::composer::{Names, Offered};
use crate::ui::state::{Table, Tabled, ThemeRow};

fn offered(bench: &Bench) -> Vec<String> {
    bench.state.composer.completion.iter().flat_map(|open| &open.candidates).map(|one| one.label.clone()).collect()
}

fn submit(text: &str) -> Command {
    Command::Submit { text: text.to_owned(), attachments: Vec::new(), mode: SubmitMode::Steer }
}

fn prompts(bench: &mut Bench, texts: &[&str]) {
    for (turn, text) in (1..).zip(texts) {
        bench.event(Body::TurnStarted { turn: TurnId(turn) });
        let content = Content::Text((*text).to_owned());
        bench.event(Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
        bench.event(Body::TurnEnded { turn: TurnId(turn), outcome: TurnOutcome::Done, elapsed_ms: 1 });
    }
}

#[test]
fn a_rewind_is_completed_word_by_word() {
    let mut bench = Bench::new();
    prompts(&mut bench, &["write it", "test it\nwell", "ship it"]);
    bench.types("/rewind ");
    assert_eq!(offered(&bench), ["3", "2", "1", "undo"]);
    let open = bench.state.composer.completion.clone().unwrap();
    assert_eq!(open.candidates[1].doc, "test it", "a turn is known by its prompt");
    bench.types("2 ");
    assert_eq!(offered(&bench), ["conversation", "files", "both", "all"]);
    bench.types("fi").keys("tab");
    bench.types(" ");
    assert_eq!(offered(&bench), ["all"]);
    bench.done();
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("/rewind 2 files ")], "nothing was chosen of what may follow");
    bench.types("/rewind 2 f").keys("enter");
    assert_eq!(bench.sent(), [submit("/rewind 2 files")]);
    bench.types("/rewind undo ");
    assert_eq!(offered(&bench), ["all"]);
    bench.types("all ");
    assert_eq!(offered(&bench), [""; 0], "nothing follows");
}

#[test]
fn a_supervisor_switch_is_completed_with_what_it_takes() {
    let mut bench = Bench::new();
    let switch = |name: &str| Offered { name: name.to_owned(), title: String::new() };
    bench.state.composer.switches = vec![switch("gate"), switch("plan")];
    bench.types("/supervisor ");
    assert_eq!(offered(&bench), ["gate", "plan", "on", "off", "save"]);
    bench.types("gate ");
    assert_eq!(offered(&bench), ["on", "off", "save"]);
    bench.keys("down down").types("").keys("enter");
    assert_eq!(bench.sent(), [submit("/supervisor gate save")]);
    bench.types("/supervisor off ");
    assert_eq!(offered(&bench), [""; 0]);
}

#[test]
fn models_that_are_known_are_offered_and_one_typed_in_full_is_what_is_sent() {
    let mut bench = Bench::new();
    bench.state.composer.names = Names {
        providers: vec!["openrouter".to_owned(), "mine".to_owned()],
        models: vec!["auto".to_owned(), "openrouter:anthropic/claude-x".to_owned(), "mine:qwen-coder".to_owned()],
        ..Names::default()
    };
    bench.types("/model ");
    assert_eq!(offered(&bench)[..3], ["openrouter:", "mine:", "auto"]);
    bench.types("cla");
    assert_eq!(offered(&bench), ["openrouter:anthropic/claude-x"], "by the part that one remembers");
    bench.keys("enter");
    assert_eq!(bench.sent(), [submit("/model openrouter:anthropic/claude-x")]);
    bench.types("/model mine:qwen").keys("enter");
    assert_eq!(bench.sent(), [submit("/model mine:qwen")], "not the longer one");
}

#[test]
fn a_theme_is_taken_by_its_name() {
    let mut bench = Bench::new();
    let row = |name: &str| ThemeRow { name: name.to_owned(), words: format!("about {name}") };
    bench.state.themes.rows = ["auto", "dark", "light"].map(row).to_vec();
    bench.types("/theme ");
    assert_eq!(offered(&bench), ["auto", "dark", "light"]);
    bench.types("li").keys("enter");
    assert_eq!(bench.sent(), [], "it is no matter of the session");
    assert_eq!(bench.state.shown_theme(), "light");
    bench.types("/theme nosuch").keys("enter");
    assert_eq!(bench.state.toasts.last().unwrap().text, "there is no theme nosuch");
    assert_eq!((bench.state.mode(), bench.state.shown_theme()), ("THEMES", "light"));
}

#[test]
fn sessions_are_read_when_one_is_named_and_gone_to_by_name() {
    let mut bench = Bench::new();
    let row = |name: &str, title: &str| SessionRow {
        name: name.to_owned(),
        title: title.to_owned(),
        workdir: "/there".to_owned(),
        ..SessionRow::default()
    };
    bench.types("/session ");
    assert_eq!(bench.sent(), [Command::Shelf(ShelfCommand::List)]);
    bench.types("n");
    assert_eq!(bench.sent(), [], "once");
    let rows = vec![row("a-1", "the orders"), row("b-2", "release notes"), row("two words", "notes")];
    bench.event(Body::Shelf(ShelfAnswer::Listed { from: 0, total: 3, rows: rows.into() }));
    bench.types("otes");
    assert_eq!(offered(&bench), ["b-2"], "by what it is about; and nothing that is not one word");
    bench.keys("tab enter");
    assert!(bench.done().contains(&Effect::Switch { name: "b-2".to_owned(), workdir: "/there".to_owned() }));
    bench.types("/session orders").keys("enter");
    let Some(Layer::Table(Table { of: Tabled::Sessions, filter, .. })) = bench.state.layers.last() else { panic!() };
    assert_eq!(filter, "orders", "what was not chosen is looked for");
}
