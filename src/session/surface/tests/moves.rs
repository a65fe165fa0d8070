//! What happens to the surface when something else changes: roles, skills, sessions, the environment.

use super::play::{Ground, Play, Written, alive};
use crate::proto::*;
use crate::session::Pick;

fn skill(ground: &Ground, name: &str, capabilities: &str) {
    let text = format!("---\nname: {name}\ndescription: About {name}.\ncapabilities: {capabilities}\n---\nText.\n");
    ground.write(&format!("work/.agents/skills/{name}/SKILL.md"), &text);
}

#[tokio::test]
async fn a_skill_holds_what_it_declares_beside_the_four_and_lets_it_go() {
    let ground = Ground::new();
    ground.simple("zz-ledger", "query the zz ledger", "query");
    ground.capability(&Written {
        name: "zz-song",
        triggers: &["sing"],
        domains: "music",
        server: Some(("zz-song", "sing", "")),
        ..Written::default()
    });
    skill(&ground, "zz-audit", "zz-ledger zz-song zz-nothing");
    let mut play = ground.open();
    play.ready().await;
    let said = play.slash("/skill zz-audit").await;
    assert!(said.contains("zz-ledger is on") && said.contains("Zz-song is for music"), "{said}");
    assert!(said.contains("No tap has a capability called zz-nothing"), "{said}");
    play.on("zz-ledger").await;
    assert!(play.own.surface.dynamic.is_empty() && play.own.surface.held.len() == 1);
    let by = play.own.surface.references.iter().find(|one| one.server == "zz-ledger").unwrap();
    assert_eq!(by.by, ["skill zz-audit"]);
    let refused = play.slash("/capability off zz-ledger").await;
    assert!(refused.contains("zz-audit declares it"), "{refused}");
    play.slash("/skill zz-audit").await;
    play.until("it is gone", |own, _| {
        own.surface.held.is_empty() && own.servers.iter().all(|view| view.name != "zz-ledger")
    })
    .await;
    play.quit().await;
}

#[tokio::test]
async fn what_was_on_is_back_when_the_session_is_taken_up_and_gone_in_a_new_one() {
    let mut ground = Ground::new();
    for name in ["one", "two", "env"] {
        ground.simple(&format!("zz-{name}"), &format!("zz words {name}"), name);
    }
    let mut play = ground.open();
    play.ready().await;
    play.slash("/capability zz-two").await;
    play.slash("/capability zz-one").await;
    assert_eq!(play.slash("/capability pin zz-one").await, "zz-one stays until you take it off.");
    play.on("zz-one").await;
    play.until("the order", |own, _| own.surface.dynamic.len() == 2 && own.surface.dynamic[1].pinned).await;
    play.quit().await;
    ground.set("OCTOMIND_CAPABILITIES", "zz-env, zz-nowhere");
    let mut play = ground.open_as(Pick::Resume { name: "play".to_owned() }, true);
    play.on("zz-env").await;
    play.on("zz-one").await;
    play.until("the order", |own, _| own.surface.dynamic.len() == 3).await;
    assert_eq!(play.dynamic(), ["zz-two", "zz-env", "zz-one"], "the pinned one goes last");
    let of = |name: &str| play.own.surface.dynamic.iter().find(|one| one.name == name).unwrap().clone();
    assert_eq!((of("zz-one").cause, of("zz-env").cause), (Cause::Person, Cause::Environment));
    assert!(of("zz-one").pinned);
    assert!(
        play.refusals().iter().any(|refusal| refusal.capability == "zz-nowhere" && refusal.cause == Cause::Environment)
    );
    play.submit("/new").await;
    play.until("only the environment's", |own, _| own.session.name != "play" && own.surface.dynamic.len() == 1).await;
    play.on("zz-env").await;
    assert_eq!(play.running().iter().filter(|name| name.starts_with("zz")).collect::<Vec<_>>(), [&"zz-env"]);
    play.quit().await;
}

#[tokio::test]
async fn another_role_keeps_what_its_domain_allows_and_the_servers_of_both_are_right() {
    let ground = Ground::new();
    ground.capability(&Written {
        name: "zz-data",
        triggers: &["zz count"],
        domains: "data",
        server: Some(("zz-data", "count", "")),
        ..Written::default()
    });
    ground.simple("zz-all", "zz everything", "all");
    // Asks for more of a server that the role has.
    ground.capability(&Written {
        name: "zz-peek",
        triggers: &["zz peeking"],
        server: Some(("notes", "jot,peek", "")),
        allowed: "notes:peek",
        ..Written::default()
    });
    let mut play = ground.open();
    play.ready().await;
    for name in ["zz-data", "zz-all", "zz-peek"] {
        play.enable(name).await;
        play.on(name).await;
    }
    play.until("its tool", |own, _| {
        own.surface.tools.iter().any(|tool| tool.wire_name == "peek" && tool.left_out.is_none())
    })
    .await;
    assert_eq!(play.shown(), ["jot", "capability", "skill", "peek", "count", "all"]);
    play.submit("/role music:chief").await;
    play.until("the role", |own, _| own.session.role == "music:chief" && own.surface.domain == "music").await;
    play.on("zz-all").await;
    let shows_peek = |own: &Snapshot, _: &[Event]| {
        let shown = own.surface.tools.iter().filter(|tool| tool.left_out.is_none());
        shown.map(|tool| tool.wire_name.as_str()).collect::<Vec<_>>() == ["jot", "capability", "skill", "peek", "all"]
    };
    play.until("the tools of the new role", shows_peek).await;
    let gone: Vec<(&str, bool)> = play
        .departures()
        .iter()
        .map(|gone| (gone.capability.as_str(), matches!(gone.why, Departure::RoleChanged { .. })))
        .collect();
    assert_eq!(gone, [("zz-data", true)]);
    assert!(!play.running().contains(&"zz-data"));
    let said = play.slash("/capability off zz-peek").await;
    assert_eq!(said, "zz-peek is off.");
    play.until("narrowed", |own, _| {
        own.surface.tools.iter().any(|tool| tool.wire_name == "peek" && tool.left_out.is_some())
    })
    .await;
    assert!(play.running().contains(&"notes"), "the role's server stays");
    play.quit().await;
}

fn pid(play: &Play) -> u32 {
    let results = play.results();
    results.last().unwrap().1.split("pid ").nth(1).unwrap().trim().parse().unwrap()
}

/// The process goes when nobody refers to it, and not while a call runs on it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_call_that_runs_when_its_capability_goes_is_let_finish() {
    let mut ground = Ground::new();
    ground.simple("zz-naps", "take a zz nap", "nap");
    ground.answer("zz nap", &["{ tool = \"nap\", arguments = { ms = 1500 } }"]);
    let mut play = ground.open();
    play.ready().await;
    play.submit("take a zz nap").await;
    play.until("the call runs", |_, seen| seen.iter().any(|event| matches!(event.body, Body::ToolStarted { .. })))
        .await;
    play.command(Command::Surface(SurfaceCommand::Disable { name: "zz-naps".to_owned() })).await;
    play.until("the server is out", |own, _| own.turn.0 == 1 && own.servers.iter().all(|view| view.name != "zz-naps"))
        .await;
    assert!(play.results().is_empty(), "the call still runs");
    play.until("the turn's end", |own, _| !own.run.busy()).await;
    assert_eq!(play.results()[0].0, ToolOutcome::Ok, "{:?}", play.results());
    let pid = pid(&play);
    let end = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    while alive(pid) && tokio::time::Instant::now() < end {
        tokio::task::yield_now().await;
    }
    assert!(!alive(pid), "nobody needs the process any more");
    play.quit().await;
}

#[tokio::test]
async fn without_a_person_the_only_message_is_compared_too() {
    let mut ground = Ground::new();
    ground.simple("zz-ledger", "query the zz ledger", "query");
    ground.answer("zz ledger", &["{ tool = \"query\", arguments = {} }"]);
    let mut play = ground.open_as(Pick::New { name: None }, false);
    play.say("query the zz ledger").await;
    assert_eq!(play.results().first().map(|(outcome, _)| *outcome), Some(ToolOutcome::Ok), "{:?}", play.lines());
    assert_eq!(play.quit().await.refused, 0);
}

#[tokio::test]
async fn switched_off_nothing_is_compared_from_the_next_message_on() {
    let ground = Ground::new();
    ground.simple("zz-ledger", "query the zz ledger", "query");
    let mut play = ground.open();
    play.ready().await;
    for (on, text) in [(false, "please query the zz ledger for me"), (true, "please query the zz ledger now")] {
        let key = "auto_capabilities".to_owned();
        play.command(Command::Switch { key: key.clone(), on }).await;
        let stands =
            |own: &Snapshot, _: &[Event]| own.supervisor.switches.iter().any(|view| view.key == key && view.on == on);
        play.until("it is flipped", stands).await;
        play.say(text).await;
        let last = play.routed().last().map(|routing| routing.outcome.clone());
        let off = matches!(last, Some(RouteOutcome::Skipped(Skip::Off)));
        assert_eq!(off, !on, "{last:?}");
    }
    play.on("zz-ledger").await;
    play.quit().await;
}
