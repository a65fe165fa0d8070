//! Keys of the tool surface: turning on and off, pinning, restarting, asking why, trying a message.

use super::*;
use crate::proto::{CapabilityScore, Decision, EncoderState};
use crate::proto::{
    Cause, DynamicCapability, FixedCapability, Ineligible, IntentSource, RouteOutcome, RouteWait, Routing, ServerKind,
    ServerState, Stage, SurfaceCommand, SurfaceView,
};
use crate::ui::state::{Item, Noun, Reach, WhatIf, items};

fn capability(name: &str, server: &str) -> DynamicCapability {
    DynamicCapability {
        name: name.to_owned(),
        title: String::new(),
        tap: String::new(),
        provider: String::new(),
        cause: Cause::Person,
        score: None,
        margin: None,
        activated: 1,
        used: None,
        pinned: false,
        servers: vec![(server.to_owned(), Vec::new())],
        deps: Vec::new(),
    }
}

fn routing() -> Routing {
    let scored =
        |name: &str, score| CapabilityScore { capability: name.into(), tap: "".into(), score, top: <_>::default() };
    Routing {
        turn: TurnId(1),
        source: IntentSource::Message,
        message_hash: String::new(),
        excerpt: "a message".to_owned(),
        domain: String::new(),
        model: String::new(),
        backend: String::new(),
        threshold: 0.65,
        needed_margin: 0.06,
        scores: vec![scored("browser", 0.5), scored("docker", 0.4)],
        margin: 0.1,
        ineligible: vec![Ineligible {
            capability: "jira".to_owned(),
            tap: String::new(),
            stage: Stage::NoTriggers,
            score: None,
        }],
        outcome: RouteOutcome::BelowThreshold,
        encoding_us: 0,
        deciding_us: 0,
        wait: RouteWait::None,
    }
}

/// A static server, then `postgres` used last, `docker` before it, `node` of the role.
fn surface() -> Bench {
    let mut bench = Bench::new();
    for server in ["files", "docker", "postgres"] {
        bench.event(Body::ServerChanged {
            server: server.to_owned(),
            kind: ServerKind::Stdio,
            state: ServerState::Ready { since: 1 },
            command: String::new(),
            stderr: Vec::new(),
        });
    }
    let mut docker = capability("docker", "docker");
    docker.pinned = true;
    let view = SurfaceView {
        fixed: vec![FixedCapability {
            name: "node".to_owned(),
            tap: String::new(),
            provider: String::new(),
            servers: Vec::new(),
        }],
        fixed_servers: vec!["files".to_owned()],
        dynamic: vec![docker, capability("postgres", "postgres")],
        held: vec![capability("held", "postgres")],
        absent: 3,
        ..SurfaceView::default()
    };
    bench.event(Body::SurfaceChanged(Arc::new(view)));
    bench.event(Body::Decided(Decision::Routed(Arc::new(routing()))));
    bench
}

fn at(bench: &mut Bench, item: Item) -> &mut Bench {
    bench.state.focus = Pane::Surface;
    bench.state.surface.selected = items(&bench.state.snapshot).iter().position(|one| *one == item).unwrap();
    bench
}

fn on(command: SurfaceCommand) -> Command {
    Command::Surface(command)
}

fn toast(bench: &Bench) -> &str {
    bench.state.toasts.last().map_or("", |toast| toast.text.as_str())
}

#[test]
fn items_stand_by_layer() {
    let bench = surface();
    let expected = [Item::Server(0), Item::Fixed(0), Item::Dynamic(1), Item::Dynamic(0), Item::Held(0), Item::Absent];
    assert_eq!(items(&bench.state.snapshot), expected);
}

#[test]
fn a_dynamic_capability_is_turned_off_pinned_and_restarted() {
    let off = || on(SurfaceCommand::Disable { name: "postgres".to_owned() });
    for key in ["-", "D"] {
        let mut bench = surface();
        at(&mut bench, Item::Dynamic(1)).keys(key);
        assert_eq!(bench.sent(), [off()], "{key}");
    }
    let mut bench = surface();
    at(&mut bench, Item::Dynamic(1)).keys("p");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Pin { name: "postgres".to_owned(), pinned: true })]);
    at(&mut bench, Item::Dynamic(0)).keys("p");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Pin { name: "docker".to_owned(), pinned: false })]);
    bench.keys("r");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Restart { server: "docker".to_owned() })]);
    bench.keys("+");
    assert_eq!(bench.sent(), []);
    assert_eq!(toast(&bench), "docker is on already");
}

#[test]
fn the_mark_stays_on_its_row_when_rows_move() {
    let mut bench = surface();
    at(&mut bench, Item::Dynamic(0));
    assert_eq!(bench.state.capability_in_question().as_deref(), Some("docker"));
    let mut view = (*bench.state.snapshot.surface).clone();
    // It is used, so it is the first; and a third comes.
    view.dynamic = vec![capability("git", "git"), capability("postgres", "postgres"), capability("docker", "docker")];
    bench.event(Body::SurfaceChanged(Arc::new(view.clone())));
    assert_eq!(bench.state.marked_item(), Some(Item::Dynamic(2)));
    bench.keys("-");
    let disabled = on(SurfaceCommand::Disable { name: "docker".to_owned() });
    assert_eq!(bench.done(), [Effect::Send(disabled)]);
    view.dynamic.pop();
    let place = bench.state.surface.selected;
    bench.event(Body::SurfaceChanged(Arc::new(view)));
    assert_eq!(bench.state.surface.selected, place, "where it is gone, the place stays");
}

#[test]
fn a_server_keeps_its_own_keys() {
    let mut bench = surface();
    at(&mut bench, Item::Server(0)).keys("r D");
    let name = || "files".to_owned();
    assert_eq!(bench.sent(), [Command::RestartServer { name: name() }, Command::DisableServer { name: name() }]);
    bench.keys("p");
    assert_eq!(bench.sent(), []);
    assert!(toast(&bench).starts_with("mark a capability"), "{}", toast(&bench));
}

#[test]
fn what_cannot_be_done_says_why() {
    let cases = [
        (Item::Fixed(0), "-", "node is of the role and stays"),
        (Item::Fixed(0), "+", "node is of the role, so it is on already"),
        (Item::Fixed(0), "p", "nothing can evict it"),
        (Item::Fixed(0), "r", "node has no server"),
        (Item::Held(0), "-", "held is held by a skill"),
        (Item::Held(0), "p", "held is held by a skill"),
    ];
    for (item, key, words) in cases {
        let mut bench = surface();
        at(&mut bench, item).keys(key);
        assert_eq!(bench.sent(), [], "{item:?} {key}");
        assert!(toast(&bench).contains(words), "{item:?} {key}: {}", toast(&bench));
    }
    let mut bench = surface();
    at(&mut bench, Item::Held(0)).keys("+");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Enable { name: "held".to_owned() })]);
}

#[test]
fn scores_are_turned_on_and_explained() {
    let mut bench = surface();
    bench.keys("esc 3");
    assert_eq!(bench.state.focus, Pane::Scores);
    bench.keys("+");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Enable { name: "browser".to_owned() })]);
    bench.keys("j +");
    assert_eq!(bench.sent(), []);
    assert_eq!(toast(&bench), "docker is on already");
    bench.keys("G enter");
    let Some(Layer::Reader(reader)) = bench.state.layers.last() else { panic!("Why is open") };
    assert_eq!(reader.subject, Subject::Why(Noun::Capability, "jira".to_owned()));
    bench.keys("-");
    assert_eq!(toast(&bench), "jira is not on");
    bench.keys("+");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Enable { name: "jira".to_owned() })]);
    bench.keys("q");
    assert_eq!(bench.state.layers, []);
}

#[test]
fn another_message_begins_the_scores_afresh() {
    let mut bench = surface();
    bench.keys("esc 3 G");
    assert_eq!(bench.state.scores.selected, 2);
    bench.event(Body::Decided(Decision::Routed(Arc::new(routing()))));
    assert_eq!(bench.state.scores.selected, 0);
}

#[test]
fn enter_asks_why_and_the_absent_are_listed() {
    let mut bench = surface();
    at(&mut bench, Item::Dynamic(1)).keys("enter");
    let Some(Layer::Reader(reader)) = bench.state.layers.last() else { panic!("Why is open") };
    assert_eq!(reader.subject, Subject::Why(Noun::Capability, "postgres".to_owned()));
    bench.keys("p esc");
    assert_eq!(bench.sent(), [on(SurfaceCommand::Pin { name: "postgres".to_owned(), pinned: true })]);
    for key in ["enter", "+"] {
        at(&mut bench, Item::Absent).keys(key);
        let Some(Layer::Picker(picker)) = bench.state.layers.last() else { panic!("the list is open: {key}") };
        assert_eq!(picker.of, Listing::Why(Reach::Absent));
        bench.keys("esc");
    }
    for keys in ["f8", "esc W"] {
        let mut bench = surface();
        bench.keys(keys);
        assert_eq!(bench.state.mode(), "WHY", "{keys}");
        bench.types("postgres").keys("enter");
        let Some(Layer::Reader(reader)) = bench.state.layers.last() else { panic!("Why is open") };
        assert_eq!(reader.subject, Subject::Why(Noun::Capability, "postgres".to_owned()));
        bench.keys("esc");
        assert_eq!(bench.state.mode(), "WHY", "closing leads back to the list");
    }
}

fn open(bench: &Bench) -> &WhatIf {
    match bench.state.layers.last() {
        Some(Layer::WhatIf(tried)) => tried,
        other => panic!("what-if is open, not {other:?}"),
    }
}

fn asked(id: u64, text: &str) -> Command {
    Command::WhatIf { id, text: text.to_owned() }
}

fn answers(bench: &mut Bench, id: u64) {
    let (would_evict, tokens_after, skills) = (None, None, Vec::new());
    bench.event(Body::WhatIf {
        id,
        routing: Arc::new(routing()),
        would_evict,
        tokens_after,
        skills,
        would_hold: Vec::new(),
        refused: None,
    });
}

#[test]
fn keystrokes_ask_one_question_at_a_time_and_the_last_is_always_asked() {
    let mut bench = surface();
    bench.keys("esc w").types("ab");
    assert_eq!(bench.sent(), [asked(1, "a")], "the second waits for the answer to the first");
    bench.types("c");
    assert_eq!(bench.sent(), []);
    answers(&mut bench, 1);
    assert_eq!(bench.sent(), [asked(2, "abc")]);
    assert_eq!(open(&bench).answer.as_ref().map(|answer| answer.id), Some(1));
    assert!(!open(&bench).is_current());
    answers(&mut bench, 2);
    assert!(open(&bench).is_current());
    assert_eq!(bench.sent(), [], "nothing new to ask");
    answers(&mut bench, 1);
    assert_eq!(open(&bench).answer.as_ref().map(|answer| answer.id), Some(2), "a late answer changes nothing");
    bench.keys("ctrl-u");
    assert_eq!(open(&bench).answer, None);
    assert_eq!(bench.sent(), []);
}

#[test]
fn a_question_without_an_answer_does_not_hold_the_next_one_up() {
    let mut bench = surface();
    bench.keys("f7").types("ab");
    assert_eq!(bench.sent(), [asked(1, "a")]);
    let wake = bench.state.next_wake().expect("it is asked again by time alone");
    bench.wait(wake - bench.now);
    assert_eq!(bench.sent(), [asked(2, "ab")]);
    bench.say(Said::Outcome(Outcome::Unsent(asked(2, "ab"))));
    bench.wait(10);
    assert_eq!(bench.sent(), [asked(3, "ab")]);
    assert!(bench.state.toasts.is_empty(), "nobody is told: {:?}", bench.state.toasts);
}

/// Nobody has to type for it.
#[test]
fn a_tried_message_is_asked_about_again_when_the_answer_may_be_another() {
    let ready = EncoderState::Ready { model: "m".into(), backend: "b".into(), load_ms: 1, note: None };
    let failed = EncoderState::Failed { why: "no".into(), advice: "do".into() };
    let loading = EncoderState::Loading { model: "m".into(), phrases_done: 1, phrases: 9 };
    let asks: [(Body, bool); 6] = [
        (Body::EncoderChanged(loading), false),
        (Body::EncoderChanged(ready), true),
        (Body::EncoderChanged(failed), true),
        (Body::CatalogueChanged(Arc::default()), true),
        (Body::SurfaceChanged(Arc::default()), true),
        (Body::RoleChanged { role: "music:chief".into() }, true),
    ];
    for (body, again) in asks {
        let mut bench = surface();
        bench.keys("f7").paste("list the docker containers");
        assert_eq!(bench.sent(), [asked(1, "list the docker containers")]);
        bench.event(body.clone());
        assert_eq!(bench.sent(), [], "one question at a time: {body:?}");
        answers(&mut bench, 1);
        let expected: &[Command] = if again { &[asked(2, "list the docker containers")] } else { &[] };
        assert_eq!(bench.sent(), expected, "{body:?}");
        if again {
            answers(&mut bench, 2);
            assert!(open(&bench).is_current());
            assert_eq!(bench.sent(), [], "once for each change: {body:?}");
        }
        bench.keys("esc");
        bench.event(body);
        assert_eq!(bench.sent(), [], "a closed overlay asks nothing");
    }
}

/// More became known after it was answered.
#[test]
fn a_question_may_be_answered_a_second_time() {
    let mut bench = surface();
    bench.keys("f7").types("a");
    answers(&mut bench, 1);
    let (would_evict, tokens_after, skills) = (Some("postgres".to_owned()), None, Vec::new());
    bench.event(Body::WhatIf {
        id: 1,
        routing: Arc::new(routing()),
        would_evict,
        tokens_after,
        skills,
        would_hold: Vec::new(),
        refused: None,
    });
    assert_eq!(open(&bench).answer.as_ref().and_then(|answer| answer.would_evict.as_deref()), Some("postgres"));
    assert!(open(&bench).is_current());
}

#[test]
fn what_if_begins_with_the_draft_and_gives_it_back() {
    let mut bench = surface();
    bench.types("why is it").keys("f7");
    assert_eq!(bench.sent(), [asked(1, "why is it")]);
    bench.types(" slow").keys("enter");
    assert_eq!(bench.state.composer.content(), "why is it slow");
    assert_eq!((bench.state.layers.len(), bench.state.focus), (0, Pane::Composer));
    bench.keys("f7 ctrl-u").types("else").keys("enter");
    assert_eq!(bench.state.composer.content(), "why is it slow", "a draft is never thrown away");
    assert!(toast(&bench).contains("draft stays"));
    bench.keys("f7 backspace esc");
    assert_eq!(bench.state.composer.content(), "why is it slow");
    let sent = bench.sent();
    assert!(sent.iter().all(|command| matches!(command, Command::WhatIf { .. })), "nothing is sent: {sent:?}");
}

#[test]
fn an_answer_to_an_overlay_that_was_closed_is_not_taken_for_another() {
    let mut bench = surface();
    bench.keys("f7").types("a").keys("esc f7").types("b");
    assert_eq!(bench.sent(), [asked(1, "a"), asked(2, "b")]);
    answers(&mut bench, 1);
    assert!(!open(&bench).is_current());
    answers(&mut bench, 2);
    assert!(open(&bench).is_current());
}

#[test]
fn a_paste_is_tried_and_never_submits() {
    let mut bench = surface();
    bench.keys("f7").paste("two\nlines\u{1b}[31m");
    assert_eq!(bench.sent(), [asked(1, "two\nlines")]);
}
