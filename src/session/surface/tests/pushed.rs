//! `tap(action="capability")`, and the server it is of.

use super::play::{Ground, Play};
use crate::proto::*;

const LEDGER: &str = "query the zz ledger schema";

/// The agent `data:chief` with the session's own tools and `tap`.
fn ground() -> Ground {
    let ground = Ground::new();
    let text = "# Title: Keeper\n# Description: Keeps what it is given.\n\
                capabilities = [\"runtime\", \"orchestration\", \"notes\"]\n[[roles]]\nsystem = \"Keep.\"\nwelcome = \"\"\n";
    ground.write("tap/agents/data/chief.toml", text);
    ground
}

fn tap(arguments: &str) -> String {
    format!("{{ tool = \"tap\", arguments = {{ {arguments} }} }}")
}

fn of_the_model(play: &Play) -> Vec<&Routing> {
    play.routed().into_iter().filter(|routing| routing.source == IntentSource::Model).collect()
}

#[tokio::test]
async fn an_intent_of_the_models_passes_the_gate_or_brings_nothing() {
    let mut ground = ground();
    ground.simple("zz-ledger", LEDGER, "query,explain");
    ground.simple("zz-quill", "write a fine poem", "write");
    let calls = [
        tap("action = \"capability\", intent = \"zz-quill\""),
        tap("action = \"capability\", intent = \"do it\""),
        tap("action = \"capability\""),
        tap("action = \"workflow\", name = \"x\""),
        tap("action = \"dance\""),
        tap("action = \"capability\", intent = \"query the zz ledger schema\""),
        "{ tool = \"query\", arguments = {} }".to_owned(),
    ];
    ground.answer("push", &calls.iter().map(String::as_str).collect::<Vec<_>>());
    let mut play = ground.open();
    play.ready().await;
    assert_eq!(play.shown(), ["jot", "capability", "skill", "tap"]);
    play.say("push what you need").await;
    let results = play.results();
    let [name, short, nothing, workflow, dance, passed, used] = &results[..] else { panic!("{results:#?}") };
    assert!(name.1.starts_with("Nothing was activated: no capability: ") && name.1.contains("below 0.65"), "{name:?}");
    assert!(name.1.ends_with("capability lists and enables capabilities by name."), "{name:?}");
    assert!(short.1.contains("Nothing was activated"), "{short:?}");
    assert_eq!((nothing.0, nothing.1.contains("needs an intent")), (ToolOutcome::Error, true));
    assert!(workflow.0 == ToolOutcome::Error && workflow.1.contains("nothing was started"), "{workflow:?}");
    assert!(dance.0 == ToolOutcome::Error && dance.1.contains("use one of "), "{dance:?}");
    assert_eq!(*passed, (ToolOutcome::Ok, "zz-ledger is on. Its tools: explain, query.".to_owned()));
    assert_eq!(used.0, ToolOutcome::Ok, "{used:?}");
    let outcomes: Vec<RouteOutcome> = of_the_model(&play).iter().map(|one| one.outcome.clone()).collect();
    let expected = [
        RouteOutcome::BelowThreshold,
        RouteOutcome::Skipped(Skip::TooShort { characters: 4 }),
        RouteOutcome::Activated { capability: "zz-ledger".to_owned() },
    ];
    assert_eq!(outcomes, expected, "by its name alone nothing comes");
    let [one] = play.own.surface.dynamic.as_slice() else { panic!("{:?}", play.own.surface) };
    assert_eq!((one.name.as_str(), one.cause.clone()), ("zz-ledger", Cause::Auto));
    assert!(one.score.is_some_and(|score| score > 0.65));
    let prefixes = play.requests();
    assert!(prefixes.iter().all(|(_, prefix)| *prefix == prefixes[0].1), "what is static stays: {prefixes:?}");
    insta::assert_snapshot!("pushed", play.why("zz-ledger"));
    play.quit().await;
}

#[tokio::test]
async fn the_server_of_tap_comes_with_a_message_and_goes_like_any_other() {
    let mut ground = Ground::new();
    let text = "# Title: Hands\n# Description: Hands over.\n[roles.mcp]\nserver_refs = [\"orchestration\"]\n\
                allowed_tools = [\"orchestration:*\"]\n[[mcp.servers]]\nname = \"orchestration\"\ntype = \"builtin\"\n\
                timeout_seconds = 30\ntools = []\n";
    ground.write("tap/capabilities/zz-hands/default.toml", text);
    ground.write("tap/capabilities/zz-hands/config.toml", "triggers = [\"zz hand this over to a specialist\"]\n");
    ground.answer("specialist", &[&tap("action = \"dance\"")]);
    let mut play = ground.open();
    play.ready().await;
    play.say("zz hand this over to a specialist").await;
    assert_eq!(play.dynamic(), ["zz-hands"], "{:?}", play.own.last_routing());
    assert_eq!(play.shown(), ["jot", "capability", "skill", "tap"]);
    assert!(play.results()[0].1.contains("is no action"), "{:?}", play.results());
    let requests = play.requests();
    assert!(requests.iter().all(|(_, prefix)| *prefix == requests[0].1), "{requests:?}");
    assert_eq!(requests[0].0, 4, "it is there for the request that it was brought for");
    assert_eq!(play.slash("/capability disable zz-hands").await, "zz-hands is off.");
    play.until("the server's end", |own, _| own.servers.iter().all(|view| view.name != "orchestration")).await;
    play.say("something else entirely").await;
    assert_eq!(play.shown(), ["jot", "capability", "skill"]);
    play.quit().await;
}
