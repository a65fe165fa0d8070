//! Who goes when a fifth comes, and that it is the same after the session was taken up.

use super::play::{Ground, Play, alive};
use crate::proto::*;
use crate::session::Pick;

const NAMES: [&str; 6] = ["zz-ant", "zz-bee", "zz-cow", "zz-dog", "zz-elk", "zz-fox"];

/// Each with a tool of its own, and a message for which the model calls it.
fn ground() -> Ground {
    let mut ground = Ground::new();
    for name in NAMES {
        let tool = name.trim_start_matches("zz-");
        ground.simple(name, &format!("zz words of {tool}"), tool);
        ground.answer(&format!("use {tool}"), &[&format!("{{ tool = \"{tool}\", arguments = {{}} }}")]);
        ground.answer(&format!("fail {tool}"), &[&format!("{{ tool = \"{tool}\", arguments = {{ fail = true }} }}")]);
    }
    ground
}

async fn four(play: &mut Play) {
    play.ready().await;
    for name in &NAMES[..4] {
        play.slash(&format!("/capability enable {name}")).await;
        play.on(name).await;
    }
}

async fn pin(play: &mut Play, name: &str, pinned: bool) {
    play.command(Command::Surface(SurfaceCommand::Pin { name: name.to_owned(), pinned })).await;
    let is =
        |own: &Snapshot, _: &[Event]| own.surface.dynamic.iter().any(|one| one.name == name && one.pinned == pinned);
    play.until("the pin", is).await;
}

/// What was recorded of who came and went, without the servers' steps.
fn order(play: &Play) -> Vec<(String, Option<Timestamp>, bool, Option<f32>)> {
    let all = play.own.surface.dynamic.iter();
    all.map(|one| (one.name.clone(), one.used, one.pinned, one.score)).collect()
}

#[tokio::test]
async fn the_one_whose_tool_did_well_longest_ago_goes_and_a_pinned_one_does_not() {
    let ground = ground();
    let mut play = ground.open();
    four(&mut play).await;
    assert_eq!(play.dynamic(), NAMES[..4], "never used: in the order they came");
    play.say("use bee").await;
    play.say("use ant").await;
    // A call that failed is no use.
    play.say("fail cow").await;
    assert_eq!(play.results().last().unwrap().0, ToolOutcome::Error);
    play.until("the order", |own, _| own.surface.dynamic.iter().filter(|one| one.used.is_some()).count() == 2).await;
    assert_eq!(play.dynamic(), ["zz-cow", "zz-dog", "zz-bee", "zz-ant"]);
    pin(&mut play, "zz-cow", true).await;
    assert_eq!(play.dynamic(), ["zz-dog", "zz-bee", "zz-ant", "zz-cow"], "what is pinned goes last");
    play.say("zz words of elk").await;
    assert_eq!(play.departures().iter().map(|gone| gone.capability.as_str()).collect::<Vec<_>>(), ["zz-dog"]);
    let why = play.why("zz-dog");
    assert!(why.contains("zz-elk"), "{why}");
    play.until("it is gone", |own, _| own.servers.iter().all(|view| view.name != "zz-dog")).await;
    assert_eq!(play.dynamic(), ["zz-elk", "zz-bee", "zz-ant", "zz-cow"], "the newcomer was not used yet");
    // All are pinned: nobody goes, and the newcomer is refused with their names.
    for name in ["zz-elk", "zz-bee", "zz-ant"] {
        pin(&mut play, name, true).await;
    }
    let said = play.slash("/capability enable zz-fox").await;
    assert!(NAMES.iter().filter(|name| !["zz-dog", "zz-fox"].contains(name)).all(|name| said.contains(name)), "{said}");
    assert_eq!(play.dynamic().len(), 4);
    play.say("zz words of fox").await;
    let last = play.refusals().last().unwrap().why.clone();
    assert!(matches!(&last, RefusalReason::AllPinned { pinned } if pinned.len() == 4), "{last:?}");
    pin(&mut play, "zz-ant", false).await;
    play.slash("/capability enable zz-fox").await;
    play.on("zz-fox").await;
    assert_eq!(play.departures().last().unwrap().capability, "zz-ant");
    play.quit().await;
}

/// Also when the clock was set back in between, and in a folder that came from elsewhere.
#[tokio::test]
async fn a_session_that_is_taken_up_goes_on_with_the_order_scores_and_pins_it_had() {
    let ground = ground();
    let mut play = ground.open();
    play.ready().await;
    for name in ["ant", "bee", "cow", "dog"] {
        play.say(&format!("zz words of {name}")).await;
    }
    play.say("zz words of elk").await;
    play.say("use dog").await;
    play.say("use bee").await;
    play.until("the order", |own, _| own.surface.dynamic.iter().filter(|one| one.used.is_some()).count() == 2).await;
    pin(&mut play, "zz-cow", true).await;
    let (before, subjects) = (order(&play), ["zz-ant", "zz-elk", "zz-dog", "dog", "ant"]);
    assert_eq!(play.dynamic(), ["zz-elk", "zz-dog", "zz-bee", "zz-cow"]);
    let told: Vec<String> = subjects.iter().map(|subject| play.why(subject)).collect();
    play.quit().await;
    // As it is copied from one machine to another.
    let sessions = ground.dir.path().join("data/sessions");
    std::fs::create_dir(sessions.join("came")).unwrap();
    std::fs::copy(sessions.join("play/journal.jsonl"), sessions.join("came/journal.jsonl")).unwrap();
    for name in ["play", "came"] {
        let mut play = ground.open_as(Pick::Resume { name: name.to_owned() }, true);
        for name in ["zz-elk", "zz-dog", "zz-bee", "zz-cow"] {
            play.on(name).await;
        }
        play.until("all four", |own, _| own.surface.dynamic.len() == 4).await;
        assert_eq!(order(&play), before, "{name}");
        for (subject, told) in subjects.iter().zip(&told) {
            assert_eq!(play.why(subject), *told, "{name}: {subject}");
        }
        play.say("zz words of fox").await;
        let last = play.departures().last().unwrap().capability.clone();
        assert_eq!(last, "zz-elk", "{name}: never used, so it goes first");
        play.say("use dog").await;
        play.until("the use", |own, _| own.surface.dynamic[1].name == "zz-bee").await;
        assert_eq!(
            play.dynamic(),
            ["zz-fox", "zz-bee", "zz-dog", "zz-cow"],
            "{name}: a use now is later than one then"
        );
        play.quit().await;
    }
}

/// Nothing of the old one is left: no capability, no process, no explanation.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_new_session_begins_with_what_the_role_has_and_the_old_one_keeps_its_own() {
    let ground = ground();
    let mut play = ground.open();
    four(&mut play).await;
    play.say("use ant").await;
    let said = play.results().last().unwrap().1.clone();
    let pid: u32 = said.split("pid ").nth(1).unwrap().trim().parse().unwrap();
    pin(&mut play, "zz-bee", true).await;
    play.submit("/new").await;
    let fresh = |own: &Snapshot, _: &[Event]| {
        own.session.name != "play" && own.surface.dynamic.is_empty() && own.surface.absent > 0
    };
    play.until("a new session", fresh).await;
    assert!(!play.running().iter().any(|name| name.starts_with("zz")), "{:?}", play.running());
    let end = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
    while alive(pid) && tokio::time::Instant::now() < end {
        tokio::task::yield_now().await;
    }
    assert!(!alive(pid), "its process is over");
    assert!(play.own.surface_events.is_empty(), "{:?}", play.own.surface_events);
    play.say("zz words of bee").await;
    assert_eq!(play.dynamic(), ["zz-bee"]);
    assert!(!play.own.surface.dynamic[0].pinned, "a pin is of its session");
    assert_eq!(play.shown(), ["jot", "capability", "skill", "bee"]);
    play.quit().await;
    let mut play = ground.open_as(Pick::Resume { name: "play".to_owned() }, true);
    play.on("zz-ant").await;
    play.until("all four", |own, _| own.surface.dynamic.len() == 4).await;
    assert_eq!(play.dynamic(), ["zz-cow", "zz-dog", "zz-ant", "zz-bee"]);
    play.quit().await;
}

/// It came to a machine whose tap has less.
#[tokio::test]
async fn what_a_session_had_and_no_tap_has_any_more_is_named_and_the_rest_is_back() {
    let ground = ground();
    let mut play = ground.open();
    play.ready().await;
    for name in ["ant", "bee"] {
        play.say(&format!("zz words of {name}")).await;
    }
    let told = play.why("zz-bee");
    play.quit().await;
    std::fs::remove_dir_all(ground.dir.path().join("tap/capabilities/zz-ant")).unwrap();
    let mut play = ground.open_as(Pick::Resume { name: "play".to_owned() }, true);
    play.on("zz-bee").await;
    play.until("what is left", |own, _| own.surface.dynamic.len() == 1 && own.surface.absent > 0).await;
    assert_eq!(play.dynamic(), ["zz-bee"]);
    let bee = play.why("zz-bee").replace("place 1 of 1", "place 2 of 2").replace(", the one that goes next", "");
    assert_eq!(bee, told);
    let ant = play.why("zz-ant");
    assert!(ant.contains("no connected tap has it any more"), "{ant}");
    play.say("zz words of ant").await;
    assert_eq!(play.dynamic(), ["zz-bee"]);
    play.quit().await;
}
