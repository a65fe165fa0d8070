//! Messages that come before everything is read that they are to be compared with.

use std::time::Duration;

use super::play::{Ground, Play, Written, steps};
use crate::proto::*;
use crate::session::Pick;
use crate::session::encoder::tests::{held, held_for, sluggish};

const ASK: &str = "query the zz ledger";

fn ground() -> Ground {
    let mut ground = Ground::new();
    ground.simple("zz-ledger", ASK, "query");
    let rules = "domains: \"*\"\nrules:\n  - semantic(query the zz ledger)\n";
    let text = format!("---\nname: zz-care\ndescription: About care.\n{rules}---\nCount twice.\n");
    ground.write("work/.agents/skills/zz-care/SKILL.md", &text);
    ground.answer("zz ledger", &["{ tool = \"jot\", arguments = { ms = 2500 } }"]);
    ground
}

fn new() -> Pick {
    Pick::New { name: Some("play".to_owned()) }
}

fn waits(own: &Snapshot, _: &[Event]) -> bool {
    steps(own).iter().any(|(step, state, detail)| {
        *step == StartStep::Triggers && *state == StepState::Running && detail.ends_with("; Esc goes on without")
    })
}

async fn ended(play: &mut Play) {
    play.until("the turn's end", |own, _| own.turn.0 == 1 && !own.run.busy()).await;
}

fn of_triggers(play: &Play) -> Vec<(StepState, String)> {
    let steps = play.steps().into_iter().filter(|(step, ..)| *step == StartStep::Triggers);
    steps.map(|(_, state, detail)| (state, detail)).collect()
}

fn skills(play: &Play) -> Vec<&str> {
    play.own.skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[tokio::test]
async fn the_first_message_waits_visibly_and_is_compared_before_it_goes_out() {
    let (encoder, go) = held();
    let ground = ground();
    let mut play = ground.open_with(new(), true, encoder);
    play.served().await;
    play.submit(ASK).await;
    play.until("the wait is shown", waits).await;
    assert!(play.requests().is_empty());
    go.send(()).unwrap();
    ended(&mut play).await;
    let [routing] = play.routed()[..] else { panic!("{:?}", play.lines()) };
    assert_eq!(routing.outcome, RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert!(matches!(routing.wait, RouteWait::Waited { .. }), "{:?}", routing.wait);
    assert_eq!(play.requests()[0].0, 4, "the first request has the tools");
    let [(StepState::Done, detail)] = &of_triggers(&play)[..] else { panic!("{:?}", of_triggers(&play)) };
    assert!(detail.starts_with("read after "), "{detail}");
    assert_eq!(skills(&play), ["zz-care"], "rules are judged for it too");
    play.quit().await;
}

/// What a message lost by going out early it gets before the next request of its turn.
async fn compared_again(mut play: Play, go: std::sync::mpsc::Sender<()>, early: fn(RouteWait) -> bool) -> Play {
    play.until("the first request", |_, seen| {
        seen.iter().any(|event| matches!(event.body, Body::RequestStarted { .. }))
    })
    .await;
    assert_eq!(play.requests()[0].0, 3, "without the tools that nobody chose");
    let first = play.routed()[0].clone();
    assert!(early(first.wait), "{:?}", first.wait);
    assert!(matches!(first.outcome, RouteOutcome::Skipped(Skip::EncoderNotReady { .. })), "{:?}", first.outcome);
    assert!(skills(&play).is_empty());
    go.send(()).unwrap();
    ended(&mut play).await;
    let [_, again] = play.routed()[..] else { panic!("{:?}", play.lines()) };
    assert_eq!(again.wait, RouteWait::Again);
    assert_eq!(again.outcome, RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert_eq!(again.message_hash, first.message_hash);
    assert_eq!(play.requests().iter().map(|(tools, _)| *tools).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(skills(&play), ["zz-care"]);
    // Nothing of it is owed any more.
    play.say("and what else").await;
    assert_eq!(play.routed().len(), 3);
    play
}

#[tokio::test]
async fn esc_goes_on_without_and_the_message_is_compared_again_in_its_turn() {
    let (encoder, go) = held();
    let ground = ground();
    let mut play = ground.open_with(new(), true, encoder);
    play.served().await;
    play.submit(ASK).await;
    play.until("the wait is shown", waits).await;
    play.command(Command::Interrupt).await;
    let play = compared_again(play, go, |wait| matches!(wait, RouteWait::WentOn { .. })).await;
    let (state, detail) = of_triggers(&play)[0].clone();
    assert_eq!(state, StepState::Cancelled);
    assert!(detail.contains("compared again before a later request"), "{detail}");
    play.quit().await;
}

#[tokio::test]
async fn the_longest_wait_passes_and_the_message_is_compared_again_in_its_turn() {
    for (person, cells) in [(true, 1), (false, 1)] {
        let (encoder, go) = held_for(Duration::from_millis(700));
        let ground = ground();
        let mut play = ground.open_with(new(), person, encoder);
        if person {
            play.served().await;
        }
        play.submit(ASK).await;
        let play = compared_again(play, go, |wait| matches!(wait, RouteWait::Overdue { ms } if ms >= 700)).await;
        assert_eq!(of_triggers(&play).len(), cells, "{:?}", of_triggers(&play));
        play.quit().await;
    }
}

#[tokio::test]
async fn a_turn_that_is_stopped_while_it_waits_leaves_nothing_behind() {
    let (encoder, go) = held();
    let ground = ground();
    let mut play = ground.open_with(new(), true, encoder);
    play.served().await;
    play.submit(ASK).await;
    play.until("the wait is shown", waits).await;
    play.submit("/new").await;
    play.until("a new session", |own, _| own.session.name != "play" && own.turn.0 == 0).await;
    go.send(()).unwrap();
    play.until("the encoder", |own, _| matches!(own.encoder, EncoderState::Ready { .. })).await;
    play.say("nothing in particular now").await;
    let last = play.routed().len();
    assert_eq!(last, 1, "the stopped message is compared no more");
    play.quit().await;
}

/// The tap gets a capability while the session runs; the next message is one of its triggers.
#[tokio::test]
async fn a_message_right_after_a_tap_changed_is_compared_with_what_is_new() {
    let ground = Ground::new();
    let mut play = ground.open_with(new(), true, sluggish("zz slow", Duration::from_millis(25)));
    play.ready().await;
    let absent = play.own.surface.absent;
    let triggers: Vec<String> = (0..40).map(|number| format!("zz slow volcano number{number}")).collect();
    let mut triggers: Vec<&str> = triggers.iter().map(String::as_str).collect();
    triggers.extend(["measure the zz eruption"; 1]);
    ground.capability(&Written {
        name: "zz-volcano",
        triggers: &triggers,
        server: Some(("zz-volcano", "measure", "")),
        ..Written::default()
    });
    play.until("the catalogue", |own, _| own.surface.absent > absent).await;
    play.say("zz slow volcano number7").await;
    let [routing] = play.routed()[..] else { panic!("{:?}", play.lines()) };
    assert!(routing.ineligible.iter().all(|one| one.stage != Stage::PhrasesUnready), "{:?}", routing.ineligible);
    assert!(matches!(routing.wait, RouteWait::Waited { .. }), "{:?}", routing.wait);
    assert_eq!(routing.scores[0].capability, "zz-volcano");
    play.quit().await;
}

#[tokio::test]
async fn what_is_said_in_the_middle_of_a_turn_is_compared_and_judged_like_any_message() {
    let ground = ground();
    let mut play = ground.open();
    play.ready().await;
    play.submit("zz ledger of something different please").await;
    play.until("the call runs", |_, seen| seen.iter().any(|event| matches!(event.body, Body::ToolStarted { .. })))
        .await;
    assert!(skills(&play).is_empty() && play.dynamic().is_empty(), "{:?} {:?}", skills(&play), play.dynamic());
    play.submit(ASK).await;
    ended(&mut play).await;
    assert_eq!(play.own.turn.0, 1, "it is the same turn");
    assert_eq!(play.routed()[1].outcome, RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert_eq!(skills(&play), ["zz-care"]);
    assert_eq!(play.requests()[..2].iter().map(|(tools, _)| *tools).collect::<Vec<_>>(), [3, 4]);
    let activated = play.seen.iter().position(|event| matches!(event.body, Body::SkillActivated { .. })).unwrap();
    let sent: Vec<usize> =
        (0..play.seen.len()).filter(|place| matches!(play.seen[*place].body, Body::RequestStarted { .. })).collect();
    assert!(sent[0] < activated && activated < sent[1], "the next request knows of the skill");
    play.quit().await;
}

/// Nobody asks again.
#[tokio::test]
async fn a_question_that_could_not_be_compared_is_answered_again_when_it_can() {
    let (encoder, go) = held();
    let ground = ground();
    let mut play = ground.open_with(new(), true, encoder);
    play.served().await;
    play.command(Command::WhatIf { id: 7, text: ASK.to_owned() }).await;
    let answers = |seen: &[Event]| -> Vec<RouteOutcome> {
        let all = seen.iter().filter_map(|event| match &event.body {
            Body::WhatIf { id: 7, routing, .. } => Some(routing.outcome.clone()),
            _ => None,
        });
        all.collect()
    };
    play.until("the first answer", |_, seen| answers(seen).len() == 1).await;
    go.send(()).unwrap();
    play.until("the second answer", |_, seen| answers(seen).len() == 2).await;
    let all = answers(&play.seen);
    assert!(matches!(all[0], RouteOutcome::Skipped(Skip::EncoderNotReady { .. })), "{all:?}");
    assert_eq!(all[1], RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert!(play.routed().is_empty() && play.dynamic().is_empty());
    play.quit().await;
}

/// Another process connects it; who is connected is looked at when something is said.
#[tokio::test]
async fn a_tap_that_is_connected_while_the_session_runs_is_seen() {
    let ground = ground();
    let (tap, other) = (ground.dir.path().join("tap"), ground.dir.path().join("other"));
    ground.simple("zz-trumpet", "tame the zz hippopotamus", "tame");
    let capability = "capabilities/zz-trumpet";
    std::fs::create_dir_all(other.join("capabilities")).unwrap();
    std::fs::rename(tap.join(capability), other.join(capability)).unwrap();
    let mut play = ground.open_with(new(), true, crate::session::encoder::tests::words());
    play.served().await;
    let absent = play.own.surface.absent;
    let known = std::fs::read_to_string(ground.dir.path().join("data/taps.toml")).unwrap();
    let more = format!("{known}\n[[taps]]\nname = \"me/other\"\nlocal_path = {:?}\n", other.display().to_string());
    ground.write("data/taps.toml", &more);
    play.say("tame the zz hippopotamus").await;
    assert_eq!(play.dynamic(), ["zz-trumpet"], "the very next message");
    assert!(play.own.surface.absent >= absent);
    play.quit().await;
}
