//! Servers of capabilities that do not do what they should.

use std::time::{Duration, Instant};

use super::play::{Ground, Play, Written, steps, works};
use crate::proto::*;

fn state<'s>(own: &'s Snapshot, server: &str) -> Option<&'s ServerState> {
    own.servers.iter().find(|view| view.name == server).map(|view| &view.state)
}

async fn failed(play: &mut Play, capability: &str) -> String {
    let gone = |play: &Play| {
        let found =
            play.departures().into_iter().find(|gone| gone.capability == capability).map(|gone| gone.why.clone());
        match found {
            Some(Departure::Failed { why }) => Some(why),
            _ => None,
        }
    };
    play.until("it is rolled back", |_, seen| {
        seen.iter().any(|event| {
            matches!(&event.body, Body::Decided(Decision::CapabilityDeactivated(gone)) if gone.capability == capability)
        })
    })
    .await;
    gone(play).unwrap()
}

#[tokio::test]
async fn a_server_that_floods_its_output_fails_at_once_and_costs_nobody_else() {
    for (behaviour, name) in [("flood", "zz-river"), ("endless", "zz-siren")] {
        let ground = Ground::new();
        ground.simple("zz-calm", "stay zz calm", "calm");
        ground.simple(name, "measure the zz water level", behaviour);
        let mut play = ground.open();
        play.ready().await;
        play.say("stay zz calm").await;
        let begun = Instant::now();
        play.say("measure the zz water level").await;
        assert!(begun.elapsed() < Duration::from_secs(8), "{behaviour}: {:?}", begun.elapsed());
        let why = failed(&mut play, name).await;
        assert!(
            why.contains("floods its standard output with text that is not the protocol (") && why.contains(" MB in "),
            "{behaviour}: {why}"
        );
        assert_eq!(play.dynamic(), ["zz-calm"]);
        assert!(play.requests().iter().all(|(tools, _)| *tools == 4), "{:?}", play.requests());
        let told = play.why(name);
        assert!(told.contains("floods its standard output"), "{told}");
        // No second try.
        let tries = play.seen.iter().filter(|event| {
            matches!(&event.body, Body::ServerChanged { server, state: ServerState::Starting { attempt, .. }, .. }
                if server == name && *attempt > 1)
        });
        assert_eq!(tries.count(), 0, "{behaviour}");
        play.quit().await;
    }
}

#[tokio::test]
async fn a_server_that_floods_its_error_output_works_all_the_same() {
    let mut ground = Ground::new();
    ground.simple("zz-loud", "shout the zz words", "noisy,shout");
    ground.answer("zz words", &["{ tool = \"shout\", arguments = {} }"]);
    let mut play = ground.open();
    play.ready().await;
    play.say("shout the zz words").await;
    assert_eq!(play.results()[0].0, ToolOutcome::Ok, "{:?}", play.results());
    assert_eq!(play.dynamic(), ["zz-loud"]);
    play.quit().await;
}

#[tokio::test]
async fn a_server_that_never_answers_holds_no_turn_and_what_else_is_on_works() {
    let mut ground = Ground::new();
    ground.simple("zz-calm", "stay zz calm", "calm");
    ground.simple("zz-mute", "ask the zz mute one", "hang");
    ground.answer("mute one", &["{ tool = \"calm\", arguments = {} }"]);
    let mut play = ground.open();
    play.ready().await;
    play.say("stay zz calm").await;
    play.submit("ask the zz mute one").await;
    let waits = |own: &Snapshot, _: &[Event]| {
        steps(own).iter().any(|(_, state, detail)| *state == StepState::Running && detail.contains("zz-mute"))
    };
    play.until("the wait is shown", waits).await;
    let begun = Instant::now();
    // Nobody does anything: the wait has an end of its own.
    play.until("the turn's end", |own, _| own.turn.0 == 2 && !own.run.busy()).await;
    assert!(begun.elapsed() < Duration::from_secs(14), "{:?}", begun.elapsed());
    assert_eq!(play.results()[0].0, ToolOutcome::Ok, "the others live on: {:?}", play.results());
    assert!(
        play.lines().iter().any(|line| line.contains("Going on after 10 s without the tools of zz-mute")),
        "{:?}",
        play.lines()
    );
    assert!(matches!(state(&play.own, "zz-mute"), Some(ServerState::Starting { .. })));
    play.say("and something else now").await;
    play.quit().await;
}

#[tokio::test]
async fn a_server_that_dies_during_a_call_is_started_again_and_the_capability_stays() {
    let mut ground = Ground::new();
    ground.simple("zz-frail", "carry the zz egg", "carry");
    ground.simple("zz-calm", "stay zz calm", "calm");
    ground.answer(
        "zz egg",
        &["{ tool = \"carry\", arguments = { die = true } }", "{ tool = \"carry\", arguments = {} }"],
    );
    let mut play = ground.open();
    play.ready().await;
    play.say("stay zz calm").await;
    play.say("carry the zz egg").await;
    let results = play.results();
    assert_eq!(results[0].0, ToolOutcome::Lost, "{results:?}");
    assert_eq!(results[1].0, ToolOutcome::Ok, "it waited for the new one: {results:?}");
    assert_eq!(play.dynamic(), ["zz-calm", "zz-frail"], "only what went well is a use");
    assert!(play.departures().is_empty());
    play.quit().await;
}

#[tokio::test]
async fn a_server_that_is_given_up_after_it_worked_is_named_by_the_explanation() {
    let mut ground = Ground::new();
    ground.simple("zz-frail", "carry the zz egg", "carry");
    let die = "{ tool = \"carry\", arguments = { die = true } }";
    ground.answer("zz egg", &[die, die, die]);
    let mut play = ground.open();
    play.ready().await;
    play.say("carry the zz egg").await;
    play.until("it is given up", |own, _| matches!(state(own, "zz-frail"), Some(ServerState::Failed { .. }))).await;
    // The record that explanations rest on follows the state.
    play.until("that is recorded", |own, _| !works(own, "zz-frail")).await;
    let told = play.why("carry");
    assert!(told.contains("exited with code 3") || told.contains("does not work"), "{told}");
    play.say("and something else now").await;
    play.quit().await;
}

#[tokio::test]
async fn a_list_that_changes_during_a_call_is_shown_before_the_next_request() {
    let mut ground = Ground::new();
    ground.simple("zz-grows", "plant the zz tree", "plant");
    ground.capability(&Written {
        name: "zz-strict",
        triggers: &["prune the zz hedge"],
        server: Some(("zz-strict", "prune", "")),
        allowed: "zz-strict:prune",
        ..Written::default()
    });
    ground.answer("zz tree", &["{ tool = \"plant\", arguments = { grow = \"pick\", ms = 1500 } }"]);
    ground.answer("zz hedge", &["{ tool = \"prune\", arguments = { grow = \"burn\", ms = 1500 } }"]);
    let mut play = ground.open();
    play.ready().await;
    play.say("plant the zz tree").await;
    assert_eq!(play.requests().iter().map(|(tools, _)| *tools).collect::<Vec<_>>(), [4, 5]);
    let told = play.why("pick");
    assert!(told.contains("zz-grows"), "{told}");
    play.say("prune the zz hedge").await;
    assert_eq!(play.requests()[2..].iter().map(|(tools, _)| *tools).collect::<Vec<_>>(), [6, 6]);
    assert!(play.own.surface.tools.iter().any(|tool| tool.tool == "burn" && tool.left_out.is_some()));
    play.quit().await;
}

#[tokio::test]
async fn when_scripts_fail_and_another_provider_could_do_it_is_named() {
    let ground = Ground::new();
    let written = |deps| Written { name: "zz-tool", triggers: &["compile the zz program"], deps, ..Written::default() };
    ground.capability(&written("org/bad"));
    let folder = "tap/capabilities/zz-tool";
    let other = |deps: &str| format!("# Title: Other\n# Description: Does it.\n[deps]\nrequire = [\"{deps}\"]\n");
    ground.write(&format!("{folder}/afresh.toml"), &other("org/bad"));
    ground.write(&format!("{folder}/byhand.toml"), &other("org/good"));
    ground.write("tap/deps/org/bad.sh", "echo no such package\nexit 3\n");
    ground.write("tap/deps/org/good.sh", "exit 0\n");
    let mut play = ground.open();
    play.ready().await;
    play.say("compile the zz program").await;
    let why = failed(&mut play, "zz-tool").await;
    assert!(why.contains("no such package"), "{why}");
    assert!(why.contains("zz-tool = \"byhand\" under [capabilities]") && why.contains("me/tap"), "{why}");
    assert!(!why.contains("afresh"), "it needs the same script: {why}");
    play.quit().await;
}
