//! The three examples that the surface is explained by.

use super::play::{Ground, Written};
use crate::proto::*;
use crate::surface::MAX_DYNAMIC_CAPABILITIES;

const LEDGER: &str = "query the zz ledger schema";

#[tokio::test]
async fn a_short_message_is_not_compared_and_the_same_wish_in_words_brings_the_tools() {
    let mut ground = Ground::new();
    ground.simple("zz-ledger", LEDGER, "query,explain");
    ground.answer("zz ledger schema", &["{ tool = \"query\", arguments = {} }"]);
    let mut play = ground.open();
    play.ready().await;
    play.say("do it").await;
    assert_eq!(play.routed()[0].outcome, RouteOutcome::Skipped(Skip::TooShort { characters: 4 }));
    assert_eq!(play.shown(), ["jot", "capability", "skill"]);
    insta::assert_snapshot!("short", play.why("zz-ledger"));
    play.say(LEDGER).await;
    let routing = play.routed()[1].clone();
    assert_eq!(routing.outcome, RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert!((routing.scores[0].score - 1.0).abs() < 1e-5 && routing.margin >= routing.needed_margin);
    assert_eq!((routing.model.as_str(), routing.backend.as_str()), ("embedded", "words"));
    assert_eq!(play.results()[0].0, ToolOutcome::Ok, "{:?}", play.results());
    assert_eq!(play.shown(), ["jot", "capability", "skill", "explain", "query"]);
    let [one] = play.own.surface.dynamic.as_slice() else { panic!("{:?}", play.own.surface) };
    assert_eq!((one.cause.clone(), one.score), (Cause::Auto, Some(routing.scores[0].score)));
    assert!(one.used.is_some(), "a call that went well is a use");
    let requests = play.requests();
    assert_eq!(requests.iter().map(|(tools, _)| *tools).collect::<Vec<_>>(), [3, 5, 5]);
    assert!(requests.iter().all(|(_, prefix)| *prefix == requests[0].1), "what is static stays: {requests:?}");
    insta::assert_snapshot!("activated", play.why("query"));
    // A follow-up request compares nothing again.
    assert_eq!(play.routed().len(), 2);
    play.quit().await;
}

#[tokio::test]
async fn of_two_that_are_nearly_tied_none_comes_until_one_is_named() {
    let mut ground = Ground::new();
    ground.simple("zz-red", "query the zz database", "red");
    ground.simple("zz-blue", "the zz database query", "blue");
    let enable = "{ tool = \"capability\", arguments = { action = \"enable\", name = \"zz-red\" } }";
    let discover =
        "{ tool = \"capability\", arguments = { action = \"discover\", intent = \"query the zz database\" } }";
    ground.answer("zz database now", &[discover, enable, "{ tool = \"red\", arguments = {} }"]);
    let mut play = ground.open();
    play.ready().await;
    play.say("query the zz database").await;
    insta::assert_snapshot!("tied", play.why("zz-red"));
    play.say("query the zz database now").await;
    let routing = play.routed()[1];
    assert_eq!(routing.outcome, RouteOutcome::NarrowMargin, "{routing:#?}");
    assert!(routing.scores[0].score >= routing.threshold && routing.margin < routing.needed_margin);
    insta::assert_snapshot!("named", play.why("zz-red"));
    let results = play.results();
    assert!(results[0].1.contains("zz-red") && results[0].1.contains("zz-blue"), "{results:?}");
    assert_eq!(results[1], (ToolOutcome::Ok, "zz-red is on. Its tools: red.".to_owned()));
    assert_eq!(results[2].0, ToolOutcome::Ok, "{results:?}");
    assert_eq!(play.own.surface.dynamic[0].cause, Cause::Model);
    play.quit().await;
}

/// Each stage has a record of its own, and what mends it does.
#[tokio::test]
async fn a_tool_that_never_showed_up_is_traced_stage_by_stage() {
    let ground = Ground::new();
    let key = ", KEY = \"{{ENV:ZZ_KEY}}\"";
    let written = Written {
        name: "zz-ledger",
        triggers: &[LEDGER],
        server: Some(("zz-ledger", "query", key)),
        ..Written::default()
    };
    ground.capability(&written);
    ground.capability(&Written {
        name: "zz-song",
        triggers: &["sing the zz song"],
        domains: "music",
        server: Some(("zz-song", "sing", "")),
        ..Written::default()
    });
    ground.capability(&Written { name: "zz-bare", server: Some(("zz-bare", "x", "")), ..Written::default() });
    for place in 0..MAX_DYNAMIC_CAPABILITIES {
        ground.simple(&format!("zz-more-{place}"), &format!("zz filler{place}"), &format!("fill{place}"));
    }
    let mut play = ground.open();
    play.ready().await;
    play.say(LEDGER).await;
    let stage = |play: &super::play::Play, name: &str| {
        let last = play.own.last_routing().unwrap();
        last.ineligible.iter().find(|one| one.capability == name).map(|one| one.stage.clone())
    };
    let missing = vec!["ZZ_KEY".to_owned()];
    assert_eq!(stage(&play, "zz-ledger"), Some(Stage::EnvironmentUnready { missing: missing.clone() }));
    let (domain, domains) = ("data".to_owned(), vec!["music".to_owned()]);
    assert_eq!(stage(&play, "zz-song"), Some(Stage::OutOfDomain { domain: domain.clone(), domains: domains.clone() }));
    assert_eq!(stage(&play, "zz-bare"), Some(Stage::NoTriggers));
    assert_eq!(stage(&play, "notes"), Some(Stage::NoTriggers), "the role's own have none here");
    let why = ["zz-ledger", "zz-song", "zz-bare", "zz-nowhere"].map(|subject| play.why(subject)).join("\n");
    insta::assert_snapshot!("stages", why);
    // Asked for by name it stops at the same stages, whoever asks.
    let said = play.slash("/capability zz-ledger").await;
    assert_eq!(said, "Zz-ledger needs ZZ_KEY, which is not set.");
    play.enable("zz-song").await;
    play.until("the refusal", |_, seen| format!("{seen:?}").contains("OutOfDomain { domain: \"data\"")).await;
    let refused: Vec<RefusalReason> = play.refusals().iter().map(|refusal| refusal.why.clone()).collect();
    assert_eq!(refused[0], RefusalReason::Stage(Stage::EnvironmentUnready { missing }));
    // The variable is set while the session runs.
    ground.write("work/.env", "ZZ_KEY=something-secret-1\n");
    let said = play.slash("/capability zz-ledger").await;
    assert!(said.starts_with("zz-ledger is on"), "{said}");
    play.on("zz-ledger").await;
    for place in 0..MAX_DYNAMIC_CAPABILITIES {
        play.say(&format!("zz filler{place}")).await;
    }
    let [gone] = play.departures()[..] else { panic!("{:?}", play.departures()) };
    assert_eq!(gone.capability, "zz-ledger");
    let Departure::Evicted { newcomer, order } = &gone.why else { panic!("{gone:?}") };
    assert_eq!((newcomer.as_str(), order[0].capability.as_str(), order.len()), ("zz-more-3", "zz-ledger", 4));
    assert_eq!(gone.servers[0].action, ServerAction::Stopped);
    play.until("it is gone", |own, _| own.servers.iter().all(|view| view.name != "zz-ledger")).await;
    insta::assert_snapshot!("evicted", play.why("zz-ledger"));
    assert_eq!(play.dynamic(), ["zz-more-0", "zz-more-1", "zz-more-2", "zz-more-3"]);
    play.quit().await;
}
