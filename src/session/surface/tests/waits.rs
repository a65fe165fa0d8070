//! Who waits for what, and what happens when it does not come.

use super::play::{Ground, Written, steps};
use crate::proto::*;

#[tokio::test]
async fn a_slow_server_is_waited_for_visibly_and_esc_goes_on_without_it() {
    let ground = Ground::new();
    ground.simple("zz-slow", "fetch the zz parcel", "slow:4000,fetch");
    let mut play = ground.open();
    play.ready().await;
    play.submit("fetch the zz parcel").await;
    let waits = |own: &Snapshot, _: &[Event]| {
        steps(own).iter().any(|(step, state, detail)| {
            *step == StartStep::Servers
                && *state == StepState::Running
                && detail.contains("zz-slow for zz-slow; Esc goes on")
        })
    };
    play.until("the wait is shown", waits).await;
    assert!(play.requests().is_empty());
    play.command(Command::Interrupt).await;
    play.until("the turn's end", |own, _| own.turn.0 == 1 && !own.run.busy()).await;
    assert_eq!(play.own.totals.last_turn.as_ref().unwrap().0, TurnOutcome::Done);
    assert_eq!(play.requests()[0].0, 3, "without the tools that are not there");
    let doubtful = |event: &Event| match &event.body {
        Body::StartStep { step } => step.state == StepState::Doubtful && step.detail.contains("its tools join when"),
        _ => false,
    };
    assert!(play.seen.iter().any(doubtful), "the cell does not spin on: {:?}", steps(&play.own));
    assert!(play.lines().iter().any(|line| line.contains("without the tools of zz-slow")), "{:?}", play.lines());
    play.on("zz-slow").await;
    play.until("the cell ends", |own, _| {
        steps(own).contains(&(StartStep::Servers, StepState::Done, "zz-slow: 1 tool".to_owned()))
    })
    .await;
    play.say("and now something else").await;
    assert_eq!(play.requests()[1].0, 4, "they joined");
    play.quit().await;
}

#[tokio::test]
async fn what_was_gone_on_without_is_not_waited_for_again_when_the_session_is_taken_up() {
    let ground = Ground::new();
    ground.simple("zz-slow", "fetch the zz parcel", "slow:4000,fetch");
    let mut play = ground.open();
    play.ready().await;
    play.submit("fetch the zz parcel").await;
    let trouble = |own: &Snapshot, _: &[Event]| own.surface.references.iter().any(|known| known.trouble.is_some());
    play.until("that it starts is told", trouble).await;
    play.command(Command::Interrupt).await;
    play.until("the turn's end", |own, _| own.turn.0 == 1 && !own.run.busy()).await;
    let told = crate::surface::explain::explain(&play.own, "zz-slow");
    assert!(told.answer.contains("its server zz-slow is still starting since t1"), "{told:?}");
    play.quit().await;
    let mut play = ground.open_as(crate::session::Pick::Resume { name: "play".to_owned() }, true);
    play.on("zz-slow").await;
    play.say("and now something else").await;
    let waits = |event: &Event| match &event.body {
        Body::StartStep { step } => step.detail.contains("zz-slow; Esc goes on"),
        _ => false,
    };
    assert!(!play.seen.iter().any(waits), "{:?}", steps(&play.own));
    play.quit().await;
}

#[tokio::test]
async fn what_cannot_start_is_rolled_back_and_the_model_is_told() {
    let mut ground = Ground::new();
    ground.simple("zz-broken", "ask the zz oracle", "broken");
    let server = Some(("zz-other", "other", ""));
    let allowed = "zz-other:other";
    ground.capability(&Written {
        name: "zz-other",
        triggers: &["zz unrelated words"],
        server,
        allowed,
        ..Written::default()
    });
    ground.answer(
        "model tries",
        &[
            "{ tool = \"capability\", arguments = { action = \"enable\", name = \"zz-broken\" } }",
            "{ tool = \"other\", arguments = {} }",
            "{ tool = \"capability\", arguments = { action = \"enable\", name = \"zz-brokem\" } }",
        ],
    );
    let mut play = ground.open();
    play.ready().await;
    play.say("ask the zz oracle").await;
    let [gone] = play.departures()[..] else { panic!("{:?}", play.lines()) };
    let Departure::Failed { why } = &gone.why else { panic!("{gone:?}") };
    assert!(why.contains("server zz-broken does not work") && why.contains("no database here"), "{why}");
    assert!(play.dynamic().is_empty());
    assert_eq!(play.requests()[0].0, 3);
    play.say("the model tries").await;
    let results = play.results();
    assert!(results[0].0 == ToolOutcome::Error && results[0].1.starts_with("zz-broken stays off: "), "{results:?}");
    let (outcome, words) = &results[1];
    assert_eq!(*outcome, ToolOutcome::Refused);
    assert!(words.starts_with("The tool \"other\" belongs to the capability zz-other, which is not on."), "{words}");
    assert!(words.contains("action enable, name zz-other"), "{words}");
    assert!(results[2].1.contains("Did you mean zz-broken?"), "{results:?}");
    play.quit().await;
}

#[tokio::test]
async fn a_capability_of_scripts_is_on_when_they_ran_and_off_when_one_fails() {
    let ground = Ground::new();
    ground.capability(&Written {
        name: "zz-tool",
        triggers: &["compile the zz program"],
        deps: "org/zz",
        ..Written::default()
    });
    ground.capability(&Written {
        name: "zz-fails",
        triggers: &["link the zz library"],
        deps: "org/bad",
        ..Written::default()
    });
    ground.write("tap/deps/org/zz.sh", "echo installing zz\ntouch installed\n");
    ground.write("tap/deps/org/bad.sh", "echo no such package\nexit 3\n");
    let mut play = ground.open();
    play.ready().await;
    play.say("compile the zz program").await;
    assert_eq!(play.dynamic(), ["zz-tool"]);
    assert!(ground.dir.path().join("work/installed").exists(), "the request waited for the script");
    assert!(
        steps(&play.own).contains(&(StartStep::Deps, StepState::Done, "zz-tool".to_owned())),
        "{:?}",
        steps(&play.own)
    );
    play.say("link the zz library").await;
    assert_eq!(play.dynamic(), ["zz-tool"]);
    let gone = play.departures()[0];
    let Departure::Failed { why } = &gone.why else { panic!("{gone:?}") };
    assert!(why.contains("no such package"), "{why}");
    play.quit().await;
}

#[tokio::test]
async fn what_if_answers_with_everything_and_changes_nothing() {
    let ground = Ground::new();
    ground.simple("zz-ledger", "query the zz ledger", "query");
    let mut play = ground.open();
    play.ready().await;
    let before = play.own.clone();
    let ask = |id, text: &str| Command::WhatIf { id, text: text.to_owned() };
    let answer = |id: u64| {
        move |_: &Snapshot, seen: &[Event]| {
            seen.iter().any(|event| matches!(&event.body, Body::WhatIf { id: answered, .. } if *answered == id))
        }
    };
    play.command(ask(7, "query the zz ledger")).await;
    play.until("the answer", answer(7)).await;
    let found = play.seen.iter().rev().find_map(|event| match &event.body {
        Body::WhatIf { routing, would_evict, tokens_after, .. } => {
            Some((routing.clone(), would_evict.clone(), *tokens_after))
        }
        _ => None,
    });
    let (routing, would_evict, tokens_after) = found.unwrap();
    assert_eq!(routing.outcome, RouteOutcome::Activated { capability: "zz-ledger".to_owned() });
    assert_eq!((routing.source, would_evict, tokens_after), (IntentSource::Question, None, None));
    assert_eq!(play.own.surface, before.surface);
    assert_eq!(play.own.transcript.len(), before.transcript.len());
    assert!(play.routed().is_empty() && !play.running().contains(&"zz-ledger"));
    // What was listed once is known.
    play.slash("/capability zz-ledger").await;
    play.on("zz-ledger").await;
    let with = u64::from(play.own.surface().1);
    play.slash("/capability zz-ledger").await;
    play.until("it is gone", |own, _| own.servers.iter().all(|view| view.name != "zz-ledger")).await;
    play.command(ask(8, "query the zz ledger")).await;
    play.until("the answer", answer(8)).await;
    let after = play.seen.iter().rev().find_map(|event| match &event.body {
        Body::WhatIf { tokens_after, .. } => *tokens_after,
        _ => None,
    });
    assert_eq!(after, Some(with));
    play.quit().await;
}

/// Its server never comes up: what a later turn does not ask for is not waited for, at the start neither.
#[tokio::test]
async fn a_server_that_hangs_holds_no_turn_of_a_session_that_is_taken_up() {
    let ground = Ground::new();
    ground.simple("zz-hang", "fetch the zz parcel", "slow:600000,fetch");
    let mut play = ground.open();
    play.ready().await;
    play.submit("fetch the zz parcel").await;
    let trouble = |own: &Snapshot, _: &[Event]| own.surface.references.iter().any(|known| known.trouble.is_some());
    play.until("that it starts is told", trouble).await;
    play.command(Command::Interrupt).await;
    play.until("the turn's end", |own, _| own.turn.0 == 1 && !own.run.busy()).await;
    play.quit().await;
    let mut play = ground.open_as(crate::session::Pick::Resume { name: "play".to_owned() }, true);
    // Said at once, while the role's servers start too.
    play.submit("and now something else").await;
    play.until("the turn's end", |own, _| own.turn.0 == 2 && !own.run.busy()).await;
    let hangs = |own: &Snapshot| {
        own.servers.iter().any(|view| view.name == "zz-hang" && matches!(view.state, ServerState::Starting { .. }))
    };
    assert!(hangs(&play.own), "it was not waited for");
    let waited = |line: &String| line.starts_with("start: ") && line.contains("zz-hang");
    assert!(!play.lines().iter().any(waited), "{:?}", play.lines());
    play.quit().await;
}

#[tokio::test]
async fn who_went_for_one_that_does_not_start_is_back_for_the_same_request() {
    let mut ground = Ground::new();
    for name in ["zz-ant", "zz-bee", "zz-cow", "zz-dog"] {
        ground.simple(name, &format!("zz words of {name}"), name.trim_start_matches("zz-"));
    }
    ground.simple("zz-broken", "ask the zz oracle", "broken");
    ground.capability(&Written {
        name: "zz-fails",
        triggers: &["link the zz library"],
        server: Some(("zz-lib", "lib", "")),
        deps: "org/bad",
        ..Written::default()
    });
    ground.write("tap/deps/org/bad.sh", "echo no such package\nexit 3\n");
    let call = "{ tool = \"capability\", arguments = { action = \"enable\", name = \"zz-broken\" } }";
    ground.answer("model tries", &[call]);
    let mut play = ground.open();
    play.ready().await;
    for name in ["zz-ant", "zz-bee", "zz-cow", "zz-dog"] {
        let said = play.slash(&format!("/capability enable {name}")).await;
        assert!(
            said == format!("{name} is on.") || said == format!("{name} is on; its server is still starting."),
            "{said}"
        );
        play.on(name).await;
    }
    let tools = play.shown().len();
    play.say("ask the zz oracle").await;
    assert_eq!(play.dynamic(), ["zz-ant", "zz-bee", "zz-cow", "zz-dog"]);
    assert_eq!(play.requests().last().unwrap().0, u32::try_from(tools).unwrap(), "with all that there was");
    let why = play.why("zz-ant");
    assert!(why.contains("back because zz-broken, for which it had gone, did not work"), "{why}");
    let why = play.why("zz-broken");
    assert!(why.contains("zz-ant, which went for it, is back") && why.contains("zz-broken: never came up"), "{why}");
    // Its scripts fail, so its server was never started.
    play.say("link the zz library").await;
    assert_eq!(play.dynamic(), ["zz-ant", "zz-bee", "zz-cow", "zz-dog"]);
    let why = play.why("zz-fails");
    assert!(why.contains("server zz-lib: never came up") && !why.contains("zz-lib: stopped"), "{why}");
    play.say("the model tries").await;
    let results = play.results();
    assert!(results[0].1.ends_with("zz-ant is on again."), "{results:?}");
    play.on("zz-ant").await;
    play.quit().await;
}
