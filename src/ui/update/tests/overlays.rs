//! Lists that lie over the panes.

use super::*;
use crate::proto::{
    Filled, FilledGroup, Filling, Moment, Purpose, RequestId, ServerKind, ServerState, SessionRow, ShelfAnswer,
    ShelfCommand, TimeAnswer, TimeCommand,
};
use crate::ui::log::{LogLevel, LogLine};
use crate::ui::state::{ContextSide, Folder, Table, Tabled};

fn table(bench: &Bench) -> Table {
    match bench.state.layers.last() {
        Some(Layer::Table(table)) => table.clone(),
        other => panic!("{other:?}"),
    }
}

fn filled(bench: &mut Bench) {
    let tool = |server: &str, name: &str| Filled::Tool(server.to_owned(), name.to_owned());
    let parts = vec![
        (Filled::System, 100),
        (tool("filesystem", "view"), 30),
        (tool("filesystem", "edit"), 40),
        (tool("web", "fetch"), 20),
        (Filled::Own, 50),
        (Filled::Results("view".to_owned()), 200),
    ];
    let filling = Filling { request: RequestId(1), purpose: Purpose::Main, window: Some(1000), parts };
    bench.event(Body::RequestFilled(Arc::new(filling)));
}

#[test]
fn the_context_opens_by_group_and_server_and_folds_again() {
    let mut bench = Bench::new();
    filled(&mut bench);
    bench.keys("f10");
    let rows = |bench: &Bench| bench.state.fill_rows().iter().map(|row| row.tokens).collect::<Vec<_>>();
    assert_eq!(rows(&bench), [100, 90, 50, 200, 560], "groups, and what is free");
    assert_eq!(rows(&bench).iter().sum::<u64>(), 1000);
    bench.keys("j enter");
    assert_eq!(rows(&bench), [100, 90, 70, 20, 50, 200, 560], "servers, the heavier first");
    bench.keys("j right");
    assert_eq!(rows(&bench), [100, 90, 70, 40, 30, 20, 50, 200, 560], "its tools");
    bench.keys("j left");
    assert_eq!(table(&bench).selected, 2, "the server they belong to is marked");
    assert_eq!(rows(&bench), [100, 90, 70, 20, 50, 200, 560]);
    bench.keys("left");
    assert_eq!(table(&bench).selected, 1);
    assert!(!bench.state.opened.contains(&Folder::Group(FilledGroup::Tools)));
    bench.keys("tab");
    assert_eq!(table(&bench).of, Tabled::Context(ContextSide::Requests));
    bench.keys("tab esc");
    assert!(bench.state.layers.is_empty());
}

#[test]
fn the_newest_filling_of_each_purpose_is_kept() {
    let mut bench = Bench::new();
    filled(&mut bench);
    filled(&mut bench);
    let purpose = Purpose::Supervisor(crate::proto::Mechanic::Gate);
    let parts = vec![(Filled::System, 7)];
    let filling = Filling { request: RequestId(9), purpose, window: None, parts };
    bench.event(Body::RequestFilled(Arc::new(filling)));
    assert_eq!(bench.state.snapshot.fillings.len(), 2);
    assert_eq!(bench.state.snapshot.filling(purpose).unwrap().tokens(), 7);
    assert_eq!(bench.state.filling().unwrap().tokens(), 440);
}

#[test]
fn servers_are_restarted_and_turned_off_from_their_list() {
    let mut bench = Bench::new();
    for server in ["filesystem", "web"] {
        bench.event(Body::ServerChanged {
            server: server.to_owned(),
            kind: ServerKind::Stdio,
            state: ServerState::Ready { since: 0 },
            command: String::new(),
            stderr: Vec::new(),
        });
    }
    bench.keys("tab v j r");
    assert_eq!(bench.sent(), [Command::RestartServer { name: "web".to_owned() }]);
    bench.keys("k D");
    assert_eq!(bench.sent(), [Command::DisableServer { name: "filesystem".to_owned() }]);
    bench.keys("enter");
    let Some(Layer::Reader(reader)) = bench.state.layers.last() else { panic!("a reader") };
    assert_eq!(reader.subject, Subject::Server("filesystem".to_owned()));
    bench.keys("esc /");
    assert_eq!(table(&bench).typing, None, "there is nothing to filter");
    bench.keys("q");
    assert!(bench.state.layers.is_empty());
}

fn session_row(name: &str, title: &str, updated: u64) -> SessionRow {
    SessionRow {
        name: name.to_owned(),
        title: title.to_owned(),
        workdir: "/here".to_owned(),
        updated,
        ..SessionRow::default()
    }
}

fn listed(bench: &mut Bench) {
    let rows =
        vec![session_row("own", "this one", 900), session_row("b", "orders", 500), session_row("a", "tests", 100)];
    bench.event(Body::SessionStarted {
        name: "own".to_owned(),
        role: "r".to_owned(),
        workdir: "/here".to_owned(),
        folder: String::new(),
        version: String::new(),
    });
    bench.keys("ctrl-s");
    assert_eq!(bench.sent(), [Command::Shelf(ShelfCommand::List)]);
    bench.event(Body::Shelf(ShelfAnswer::Listed { from: 0, total: 3, rows: rows.into() }));
    assert_eq!(bench.sent(), [Command::Shelf(ShelfCommand::Preview { name: "own".to_owned() })]);
}

fn shown(bench: &Bench) -> Vec<String> {
    let shelf = &bench.state.shelf;
    (0..shelf.shown().len()).map(|at| shelf.get(at).unwrap().name.clone()).collect()
}

#[test]
fn sessions_are_found_and_gone_to() {
    let mut bench = Bench::new();
    listed(&mut bench);
    bench.types("/ord");
    assert_eq!(shown(&bench), ["b"]);
    bench.keys("enter");
    assert_eq!(table(&bench).typing, None, "the filter is kept");
    bench.keys("enter");
    let gone = bench.done();
    assert!(gone.contains(&Effect::Switch { name: "b".to_owned(), workdir: "/here".to_owned() }), "{gone:?}");
    bench.keys("esc");
    assert_eq!(shown(&bench).len(), 3, "the first esc ends the filter");
    bench.running().keys("j enter");
    assert!(!bench.done().iter().any(|effect| matches!(effect, Effect::Switch { .. })), "a turn runs");
    assert!(bench.state.toasts.last().unwrap().text.starts_with("a turn runs"));
}

#[test]
fn a_session_is_deleted_put_back_forked_and_renamed() {
    let mut bench = Bench::new();
    listed(&mut bench);
    bench.keys("d");
    assert_eq!(bench.sent(), [], "not the one we are in");
    bench.keys("j d");
    let about = |name: &str| name.to_owned();
    assert!(bench.sent().contains(&Command::Shelf(ShelfCommand::Delete { name: about("b") })));
    bench.event(Body::Shelf(ShelfAnswer::Deleted { name: about("b") }));
    assert_eq!(shown(&bench), ["own", "a"]);
    assert!(bench.state.toasts.last().unwrap().text.contains("u puts it back, for 7 days"));
    bench.keys("u");
    assert!(bench.sent().contains(&Command::Shelf(ShelfCommand::Restore { name: about("b") })));
    let row = Box::new(session_row("b", "orders", 500));
    bench.event(Body::Shelf(ShelfAnswer::Restored { row }));
    assert_eq!(shown(&bench), ["own", "b", "a"], "where its age belongs");
    assert_eq!(table(&bench).selected, 1);
    bench.done();
    bench.keys("u");
    assert_eq!(bench.sent(), [], "nothing more to put back");
    bench.keys("f");
    assert!(bench.sent().contains(&Command::Shelf(ShelfCommand::Fork { name: about("b") })));
    bench.keys("r").keys("ctrl-u").types("the shop").keys("enter");
    let renamed = ShelfCommand::Rename { name: about("b"), title: "the shop".to_owned() };
    assert!(bench.sent().contains(&Command::Shelf(renamed)));
    bench.event(Body::Shelf(ShelfAnswer::Renamed { name: about("b"), title: "the shop".to_owned() }));
    assert_eq!(bench.state.shelf.find("b").unwrap().title, "the shop");
    bench.keys("r").types("x").keys("esc");
    assert_eq!(table(&bench).typing, None);
    assert!(!bench.state.layers.is_empty(), "esc only ends the typing");
}

fn moment(index: u64, title: &str) -> Body {
    let mut snapshot = Snapshot { turn: TurnId(1), ..Snapshot::default() };
    snapshot.session.title = Some(title.to_owned());
    let turns = vec![(TurnId(1), 2), (TurnId(2), 6)];
    Body::Moment(TimeAnswer::Shown(Arc::new(Moment {
        index,
        total: 10,
        seq: Seq(index + 1),
        at: 5_000,
        name: "the plan changed".to_owned(),
        turns: Arc::new(turns),
        snapshot: Arc::new(snapshot),
    })))
}

fn at(index: u64) -> Command {
    Command::Time(TimeCommand::At { index })
}

fn title(bench: &Bench) -> &str {
    bench.state.snapshot.session.title.as_deref().unwrap_or("")
}

#[test]
fn the_past_is_scrubbed_one_question_at_a_time_and_left_for_now() {
    let mut bench = Bench::new();
    bench.event(Body::TitleChanged { title: "now".to_owned() });
    bench.keys("ctrl-t");
    let asked = bench.sent();
    assert!(matches!(asked.as_slice(), [Command::Time(TimeCommand::At { index })] if *index > 1_000_000), "{asked:?}");
    bench.event(moment(9, "the end"));
    assert_eq!((title(&bench), table(&bench).selected, bench.state.now), ("the end", 9, 5_000));
    assert_eq!(bench.sent(), [], "what came is what is marked");
    bench.keys("left left left");
    assert_eq!(bench.sent(), [at(8)], "the others wait for the answer");
    bench.event(moment(8, "eight"));
    assert_eq!(bench.sent(), [at(6)], "only the newest is asked for");
    bench.event(moment(6, "six"));
    assert_eq!(bench.state.time.turn(), (2, 2));
    bench.keys("[");
    assert_eq!(bench.sent(), [at(2)]);
    bench.event(moment(2, "two")).keys("[");
    assert_eq!(bench.sent(), [at(0)]);
    bench.event(moment(0, "first")).keys("] ]");
    bench.event(moment(2, "two"));
    bench.event(moment(6, "six")).keys("end");
    bench.event(moment(9, "the end"));
    bench.done();
    // The session goes on meanwhile.
    bench.event(Body::TitleChanged { title: "later".to_owned() });
    assert_eq!(title(&bench), "the end", "what is shown is of the past");
    bench.keys("esc");
    assert_eq!(title(&bench), "later");
    assert_eq!(bench.sent(), [Command::Time(TimeCommand::Leave)]);
    assert!(!bench.state.in_past());
    bench.event(moment(3, "late"));
    assert_eq!(title(&bench), "later", "an answer that nobody waits for");
}

#[test]
fn nothing_is_sent_from_the_past_and_what_is_typed_is_kept() {
    let mut bench = Bench::new();
    bench.keys("ctrl-t").event(moment(9, "the end")).done();
    bench.types("hello there").keys("backspace enter");
    assert_eq!(bench.state.composer.content(), "hello ther");
    bench.say(Said::Call(Call::new(Action::Submit)));
    bench.say(Said::Call(Call::new(Action::FlipSwitch)));
    assert_eq!(bench.sent(), []);
    assert!(bench.state.toasts.last().unwrap().text.contains("esc comes back to now"));
    assert_eq!(bench.state.composer.content(), "hello ther");
    bench.keys("esc enter");
    let sent = bench.sent();
    assert!(sent.iter().any(|one| matches!(one, Command::Submit { text, .. } if text == "hello ther")), "{sent:?}");
}

#[test]
fn what_is_not_recorded_is_shown_as_it_is_now_and_a_refusal_is_said() {
    let mut bench = Bench::new();
    bench.event(Body::ServerChanged {
        server: "web".to_owned(),
        kind: ServerKind::Stdio,
        state: ServerState::Ready { since: 0 },
        command: String::new(),
        stderr: Vec::new(),
    });
    bench.keys("ctrl-t").event(moment(9, "the end"));
    assert_eq!(bench.state.snapshot.servers.len(), 1);
    bench.keys("esc ctrl-t").done();
    bench.event(Body::Moment(TimeAnswer::Refused("Nothing is recorded of this session yet.".to_owned())));
    assert!(!bench.state.in_past());
    assert_eq!(bench.sent(), [], "it is not asked for again and again");
    assert!(bench.state.toasts.last().unwrap().text.starts_with("Nothing is recorded"));
    assert_eq!(bench.state.next_wake(), Some(bench.now + crate::ui::state::TOAST_MS), "nothing else moves");
}

fn logged(at: Timestamp, level: LogLevel, text: &str) -> LogLine {
    LogLine { at, level, target: "octomind::tap".to_owned(), text: text.to_owned() }
}

#[test]
fn the_log_is_read_while_it_is_looked_at_problems_first() {
    let mut bench = Bench::new();
    bench.keys("tab L");
    assert!(bench.done().contains(&Effect::ReadLog));
    let lines = vec![
        logged(1, LogLevel::Info, "fetched"),
        logged(2, LogLevel::Error, "no room"),
        logged(3, LogLevel::Debug, "vectors"),
        logged(4, LogLevel::Warning, "slow disk"),
    ];
    bench.say(Said::Outcome(Outcome::Log(lines)));
    let texts = |bench: &Bench| bench.state.log_rows().iter().map(|line| line.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&bench), ["slow disk", "no room", "vectors", "fetched"]);
    bench.keys("tab");
    assert_eq!(texts(&bench), ["slow disk", "no room", "fetched"]);
    bench.keys("tab tab");
    assert_eq!(texts(&bench), ["no room"], "errors only");
    bench.keys("tab").types("/fetch").keys("enter");
    assert_eq!(texts(&bench), ["fetched"]);
    bench.done();
    bench.keys("y");
    let copied = bench.done();
    assert!(
        matches!(copied.as_slice(), [Effect::Copy { text, what: "the log" }] if text == "00:00:00 UTC info octomind::tap: fetched"),
        "{copied:?}"
    );
    bench.wait(1_100);
    assert_eq!(bench.done(), [Effect::ReadLog], "once a second");
    bench.keys("esc esc").done();
    bench.wait(5_000);
    assert_eq!(bench.done(), [], "nobody looks at it");
}

#[test]
fn what_an_entry_leads_to_is_opened_at_once_or_chosen() {
    let mut bench = Bench::new();
    let said = |text: &str| Body::UserMessage {
        content: crate::proto::Content::Text(text.to_owned()),
        attachments: Vec::new(),
        origin: Origin::Person,
    };
    bench.keys("esc l");
    assert!(
        bench.state.layers.is_empty() && bench.state.toasts.iter().any(|toast| toast.text.contains("nothing there"))
    );
    bench.event(said("see https://a.example/x"));
    bench.event(said("see src/../b.rs:12 and https://c.example"));
    bench.state.snapshot.session.workdir = "/w".to_owned();
    bench.keys("K K l");
    assert_eq!(bench.done(), [Effect::OpenAddress("https://a.example/x".to_owned())]);
    bench.keys("J l");
    assert!(matches!(bench.state.layers.last(), Some(Layer::Picker(picker)) if picker.of == Listing::Leads));
    assert_eq!(bench.done(), []);
    bench.keys("enter");
    assert_eq!(bench.done(), [Effect::OpenFile { path: "/w/b.rs".to_owned(), line: Some(12) }]);
    bench.keys("esc");
    bench.state.transcript.selected = None;
    let words: Vec<String> = bench.state.lead_rows("").into_iter().map(|row| row.words).collect();
    assert_eq!(words, ["https://c.example", "src/../b.rs:12", "https://a.example/x"]);
}

#[test]
fn what_goes_wrong_stands_open_even_when_it_was_opened_before() {
    use crate::ui::transcript::cell::{Fold, default_fold};
    let mut bench = Bench::new();
    let call = crate::proto::CallId("c".to_owned());
    bench.event(Body::ToolStarted {
        call: call.clone(),
        server: "files".to_owned(),
        tool: "view".to_owned(),
        arguments: serde_json::json!({}),
    });
    let entry = std::sync::Arc::clone(&bench.state.snapshot.transcript.entries()[0]);
    assert_eq!(default_fold(&entry.kind), Fold::Folded);
    bench.state.transcript.toggled.insert(entry.order);
    let finished = |outcome, text: &str| Body::ToolFinished {
        call: call.clone(),
        outcome,
        content: crate::proto::Content::Text(text.to_owned()),
        full_bytes: text.len() as u64,
        spill: None,
        elapsed_ms: 1,
    };
    bench.state.transcript.selected = Some(entry.order);
    let event = crate::proto::Event {
        seq: crate::proto::Seq(90),
        at: 0,
        order: Some(entry.order),
        body: finished(crate::proto::ToolOutcome::Error, "no such file"),
    };
    bench.say(Said::Session(vec![Delivery::Event(std::sync::Arc::new(event))], None));
    let entry = std::sync::Arc::clone(&bench.state.snapshot.transcript.entries()[0]);
    assert_eq!(default_fold(&entry.kind), Fold::Open);
    assert!(!bench.state.transcript.toggled.contains(&entry.order) && !bench.state.marked_is_folded());
}
