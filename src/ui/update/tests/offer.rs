//! Choosing agents, looking through the catalogue, stopping a start, and the questions of taps.

use super::*;
use crate::proto::{CatalogueItem, CatalogueProblem, CatalogueView, StartStep, StepState, StepView, WITH_PROGRAM};
use crate::ui::effect::Secret;
use crate::ui::state::{Picker, Shelf};

fn item(name: &str, title: &str) -> CatalogueItem {
    CatalogueItem {
        name: name.to_owned(),
        title: title.to_owned(),
        file: format!("/taps/{}.toml", name.replace(':', "/")),
        ..CatalogueItem::default()
    }
}

fn with_agents() -> Bench {
    let mut bench = Bench::new();
    let place = "/taps/developer/rust.toml:14:3".to_owned();
    let error = CatalogueProblem { error: true, note: false, place, message: "unknown".to_owned(), hint: None };
    let doubt =
        CatalogueProblem { error: false, note: false, place: String::new(), message: "long".to_owned(), hint: None };
    let rust = CatalogueItem { problems: vec![doubt, error], ..item("developer:rust", "Rust") };
    let agents =
        vec![item("lawyer:chief", "Law"), item("developer:general", "All"), rust, item("developer:chief", "Leads")];
    let view = CatalogueView { agents, skills: vec![item("review", "Review")], ..CatalogueView::default() };
    bench.event(Body::CatalogueChanged(Arc::new(view)));
    bench.event(Body::RoleChanged { role: "developer:general".to_owned() });
    bench.state.composer.names.roles = vec!["tester".to_owned(), "developer:rust".to_owned()];
    bench
}

fn tags(bench: &Bench, filter: &str) -> Vec<String> {
    bench.state.agent_rows(filter).iter().map(|row| row.tag.to_owned()).collect()
}

fn step(step: StartStep, state: StepState) -> Body {
    Body::StartStep { step: StepView { step, state, detail: String::new(), elapsed_ms: 0, output: Vec::new() } }
}

fn top(bench: &Bench) -> &Picker {
    match bench.state.layers.last() {
        Some(Layer::Picker(picker)) => picker,
        other => panic!("a picker is open, not {other:?}"),
    }
}

#[test]
fn agents_stand_by_domain_with_the_chief_first_and_are_found_by_what_they_are() {
    let bench = with_agents();
    let all = ["tester", "developer:chief", "developer:general", "developer:rust", "lawyer:chief"];
    assert_eq!(tags(&bench, ""), all, "a role that an agent is named like is not listed twice");
    assert_eq!(tags(&bench, "chief")[..2], ["developer:chief", "lawyer:chief"]);
    assert_eq!(tags(&bench, "law"), ["lawyer:chief"]);
    assert_eq!(tags(&bench, "rust")[0], "developer:rust");
    assert_eq!(tags(&bench, "zzz"), [""; 0]);
}

#[test]
fn an_agent_is_taken_on_and_the_draft_stays() {
    let mut bench = with_agents();
    bench.types("draft").keys("f3");
    assert_eq!((top(&bench).of, top(&bench).selected), (Listing::Agents, 2), "where one is");
    bench.keys("down enter");
    assert_eq!(bench.sent(), [submit("/role developer:rust", SubmitMode::Steer)]);
    assert!(bench.state.layers.is_empty());
    assert_eq!(bench.state.composer.content(), "draft");
    bench.keys("f3").types("zzz").keys("enter");
    assert_eq!(bench.sent(), []);
    assert_eq!(top(&bench).filter, "zzz", "nothing matches: one goes on typing");
}

#[test]
fn role_without_a_name_lets_one_choose() {
    let mut bench = with_agents();
    bench.types("/role").keys("esc enter");
    assert_eq!(top(&bench).of, Listing::Agents);
    assert_eq!(bench.sent(), []);
    bench.keys("esc ctrl-p").types("show or change the role").keys("enter");
    assert_eq!(top(&bench).of, Listing::Agents, "{:?}", bench.state.composer.content());
    bench.keys("esc").types("/role lawyer").keys("esc enter");
    assert_eq!(bench.sent(), [submit("/role lawyer", SubmitMode::Steer)]);
}

#[test]
fn tags_are_completed_by_both_of_their_parts() {
    let mut bench = with_agents();
    bench.types("/role gen");
    let labels = |bench: &Bench| {
        let open = bench.state.composer.completion.as_ref();
        open.map(|open| open.candidates.iter().map(|one| one.label.clone()).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(labels(&bench), ["developer:general"]);
    bench.keys("ctrl-u").types("/role dev");
    assert_eq!(labels(&bench), ["developer", "developer:general", "developer:rust", "developer:chief"]);
    bench.keys("ctrl-u").types("/role te");
    assert_eq!(labels(&bench), ["tester"]);
}

#[test]
fn enter_takes_what_was_typed_unless_another_row_was_chosen() {
    let sent = |typed: &str, keys: &str| {
        let mut bench = with_agents();
        bench.types(typed).keys(keys);
        bench.sent()
    };
    for typed in ["/role developer", "/role dev", "/role gen", "/skill rev"] {
        assert_eq!(sent(typed, "enter"), [submit(typed, SubmitMode::Steer)]);
    }
    assert_eq!(sent("/role developer", "down enter"), [submit("/role developer:general", SubmitMode::Steer)]);
    assert_eq!(sent("/skill rev", "tab enter"), [submit("/skill review", SubmitMode::Steer)]);
    let mut bench = with_agents();
    bench.types("/role lawyer");
    let open = bench.state.composer.completion.as_ref().unwrap();
    let rows: Vec<_> = open.candidates.iter().map(|one| (one.label.as_str(), one.doc.as_str())).collect();
    assert_eq!(rows, [("lawyer", "Law"), ("lawyer:chief", "Law")], "a domain comes first and means its chief");
}

#[test]
fn several_pasted_lines_stay_as_they_are() {
    let mut bench = Bench::new();
    bench.asks(1, secret()).paste("  one x\r  two\"q$HOME\r").keys("enter");
    assert_eq!(bench.sent(), [text(1, "  one x\n  two\"q$HOME")]);
}

#[test]
fn every_way_to_the_pickers_leads_there() {
    for keymap in ["default", "vim", "emacs"] {
        for (keys, wanted) in [("f3", "AGENTS"), ("f4", "CATALOGUE"), ("esc g a", "AGENTS"), ("esc g k", "CATALOGUE")] {
            let mut bench = Bench::with_keymap(keymap);
            // The message of vim has a mode of its own before the panes.
            if keymap == "vim" && keys.starts_with("esc") {
                bench.keys("esc");
            }
            bench.keys(keys);
            assert_eq!(bench.state.mode(), wanted, "{keymap} {keys}");
            bench.keys(keys.split_once(' ').map_or(keys, |_| "esc"));
            assert!(bench.state.layers.len() <= 1, "one of a kind");
        }
    }
}

#[test]
fn a_file_that_comes_with_the_program_is_opened_with_a_word_about_it() {
    let mut bench = with_agents();
    bench.keys("f4 ctrl-e");
    assert!(bench.state.toasts.iter().all(|toast| !toast.text.contains("comes with the program")));
    let mut view = (*bench.state.snapshot.catalogue).clone();
    let tap = CatalogueItem { title: WITH_PROGRAM.to_owned(), file: "/taps".to_owned(), ..CatalogueItem::default() };
    view.taps = vec![tap];
    bench.state.snapshot.catalogue = std::sync::Arc::new(view);
    bench.keys("ctrl-e");
    assert!(bench.state.toasts.iter().any(|toast| toast.text.contains("comes with the program")));
}

#[test]
fn the_catalogue_turns_its_lists_opens_parts_and_their_files() {
    let mut bench = with_agents();
    bench.keys("f4");
    assert_eq!(top(&bench).of, Listing::Catalogue(Shelf::Agents));
    // What does not work stands first, and opens at its error.
    bench.keys("ctrl-e");
    let path = "/taps/developer/rust.toml".to_owned();
    assert_eq!(bench.done(), [Effect::OpenFile { path: path.clone(), line: Some(14) }]);
    bench.types("rev").keys("tab tab");
    assert_eq!((top(&bench).of, top(&bench).filter.as_str()), (Listing::Catalogue(Shelf::Skills), "rev"));
    bench.keys("enter");
    assert_eq!(bench.state.mode(), "READ");
    bench.keys("e");
    assert_eq!(bench.done(), [Effect::OpenFile { path: "/taps/review.toml".to_owned(), line: None }]);
    bench.keys("q");
    assert_eq!(top(&bench).of, Listing::Catalogue(Shelf::Skills), "closing leads back to the list");
    bench.keys("ctrl-u shift-tab shift-tab shift-tab shift-tab");
    assert_eq!(top(&bench).of, Listing::Catalogue(Shelf::Problems));
    let problems = bench.state.shelf_rows(Shelf::Problems, "");
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0].source(), ("/taps/developer/rust.toml", Some(14)), "errors first");
    assert_eq!(problems[1].source(), (path.as_str(), None), "without a place it is the part's file");
}

#[test]
fn what_has_no_file_opens_none() {
    let mut bench = Bench::new();
    bench.keys("f1 ctrl-e");
    assert_eq!(bench.done(), []);
    bench.state.layers.clear();
    bench.keys("f4 ctrl-e");
    assert_eq!(bench.done(), [], "an empty list");
    assert!(bench.state.toasts.iter().any(|toast| toast.text.contains("no file")));
}

#[test]
fn esc_stops_what_prepares_the_start_and_nothing_else() {
    let mut bench = Bench::new();
    bench.event(step(StartStep::Deps, StepState::Running)).keys("esc");
    assert_eq!(bench.sent(), [Command::Interrupt]);
    assert_eq!(bench.state.focus, Pane::Composer);
    for (key, pane) in
        [("esc", Pane::Transcript), ("esc", Pane::Surface), ("esc", Pane::Notes), ("ctrl-c", Pane::Composer)]
    {
        bench.state.focus = pane;
        bench.keys(key);
        assert_eq!(bench.sent(), [Command::Interrupt], "{key} {pane:?}");
    }
    bench.event(step(StartStep::Servers, StepState::Running));
    bench.keys("esc");
    assert_eq!((bench.sent(), bench.state.focus), (vec![], Pane::Transcript), "servers do not hold the key");
}

#[test]
fn an_offer_is_taken_with_one_key_from_anywhere() {
    let offer = || AskKind::OtherProvider {
        capability: "graph".to_owned(),
        failed: "indexer".to_owned(),
        reason: "code 127".to_owned(),
        offered: "builtin".to_owned(),
        offered_by: "starter".to_owned(),
    };
    let yes = |id| [Command::Answer { ask: AskId(id), answer: Answer::Yes }];
    let mut bench = Bench::new();
    bench.types("y").asks(4, offer()).types("y");
    assert_eq!(bench.sent(), [], "letters stay the composer's");
    assert!(bench.state.toasts.iter().any(|toast| toast.text.contains("alt-y takes it")));
    bench.keys("alt-y");
    assert_eq!(bench.sent(), yes(4));
    bench.keys("f2 y");
    assert_eq!(bench.sent(), yes(4));
    assert_eq!(bench.state.composer.content(), "yy");
    let mut bench = Bench::new();
    bench.asks(1, spending()).keys("alt-y");
    assert_eq!(bench.sent(), [], "another question is not answered by it");
}

fn secret() -> AskKind {
    AskKind::Secret { key: "K".to_owned(), wanted_by: "w".to_owned(), kept_in: "f".to_owned() }
}

fn text(ask: u32, value: &str) -> Command {
    Command::Answer { ask: AskId(ask), answer: Answer::Text(value.to_owned()) }
}

fn answered(bench: &mut Bench, ask: u32) {
    bench.event(Body::Answered { ask: AskId(ask), answer: Answer::Yes });
}

#[test]
fn a_secret_is_pasted_whole_and_never_printed() {
    let mut bench = Bench::new();
    bench.types("x").asks(3, secret()).paste(" stays in the composer");
    assert_eq!(bench.state.composer.content(), "x stays in the composer");
    bench.keys("f2").paste(" hun ter2\n");
    assert!(!format!("{:?}", bench.state.question).contains("ter2"));
    bench.keys("enter");
    assert!(!format!("{:?}", bench.effects).contains("Secret(\"hun ter2"));
    assert_eq!(bench.sent(), [text(3, "hun ter2")]);
    bench.keys("f2").types("half").keys("esc f2");
    assert_eq!(bench.state.question.as_ref().unwrap().text, "", "what was typed is gone with the dialog");
    bench.keys("ctrl-d");
    assert_eq!(bench.sent(), [Command::Answer { ask: AskId(3), answer: Answer::No }]);
}

#[test]
fn a_secret_comes_forward_over_an_empty_composer_and_the_next_one_follows() {
    let mut bench = Bench::new();
    bench.event(step(StartStep::Placeholders, StepState::Running)).asks(1, secret()).types("one").keys("enter");
    assert_eq!(bench.done(), [Effect::Forget(Secret("one".to_owned())), Effect::Send(text(1, "one"))]);
    // The next value is typed straight on, before its question is there.
    answered(&mut bench, 1);
    bench.types("tw").keys("enter");
    assert_eq!(bench.done(), [], "nothing goes out between two values");
    bench.asks(2, secret()).types("o").keys("enter");
    assert_eq!(bench.sent(), [text(2, "two")]);
    assert!(bench.state.composer.is_empty() && bench.state.composer.history.entries().is_empty());
    answered(&mut bench, 2);
    bench.event(step(StartStep::Placeholders, StepState::Done)).types("hello").keys("enter");
    assert_eq!(bench.sent(), [submit("hello", SubmitMode::Steer)]);
}

#[test]
fn a_secret_waits_while_something_else_has_the_keys() {
    let mut bench = Bench::new();
    bench.keys("f1").asks(1, secret());
    assert!(bench.state.question.is_none(), "an overlay is open");
    bench.keys("esc");
    assert!(bench.state.question.is_some(), "the overlay is closed");
    bench.keys("esc").wait(10).types("a").keys("backspace");
    assert!(bench.state.question.is_none(), "who put it off is left alone");
    let mut bench = Bench::new();
    bench.state.focus = Pane::Transcript;
    bench.asks(1, secret());
    assert!(bench.state.question.is_none(), "somebody reads");
    let mut bench = Bench::new();
    bench.asks(1, spending());
    assert!(bench.state.question.is_none(), "other questions never come by themselves");
}

#[test]
fn enter_leads_to_an_open_secret_and_sends_nothing() {
    for keys in ["enter", "alt-q"] {
        let mut bench = Bench::new();
        bench.types("sek").asks(1, secret()).types("ret").keys(keys);
        assert_eq!(bench.done(), [], "neither sent nor remembered");
        assert_eq!(bench.state.question.as_ref().map(|question| question.ask), Some(AskId(1)));
        assert_eq!(bench.state.composer.content(), "sekret");
        assert!(bench.state.composer.history.entries().is_empty());
        // What was typed into the composer was the secret: it does not stay there.
        bench.types("sekret").keys("enter");
        assert_eq!(bench.sent(), [text(1, "sekret")]);
        assert!(bench.state.composer.is_empty());
        bench.keys("ctrl-z");
        assert!(bench.state.composer.is_empty(), "it cannot be brought back");
    }
    let mut bench = Bench::new();
    bench.types("a message").asks(1, secret()).keys("enter esc enter");
    assert_eq!(bench.sent(), [submit("a message", SubmitMode::Steer)], "who left the question means it");
    bench.types("another").keys("enter");
    assert_eq!(bench.sent(), []);
    let mut bench = Bench::new();
    bench.asks(1, secret()).keys("esc").types("/mcp full").keys("enter");
    assert_eq!(bench.sent(), [submit("/mcp full", SubmitMode::Steer)], "commands are no secrets");
}

#[test]
fn what_turns_out_to_be_a_secret_is_masked_in_the_history() {
    let mut bench = Bench::new();
    bench.types("tok-12345678").keys("enter").types("use tok-12345678 here").keys("enter");
    bench.types("other").keys("enter").asks(1, secret()).types("tok-12345678").keys("enter");
    assert_eq!(bench.state.composer.history.entries(), ["use [masked] here", "other"]);
}

#[test]
fn a_new_session_begins_with_the_welcome() {
    let mut bench = Bench::new();
    bench.event(Body::TurnStarted { turn: TurnId(1) });
    assert!(!bench.state.nothing_said());
    bench.state.transcript.selected = Some((1, 0, 1).into());
    bench.say(Said::Session(vec![Delivery::Replaced(Arc::new(Snapshot::default()))], None));
    bench.seq = 0;
    bench.event(step(StartStep::Servers, StepState::Done));
    assert!(bench.state.nothing_said() && bench.state.transcript.selected.is_none());
}
