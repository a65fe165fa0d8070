//! One session with everything that happens to a surface: what its file explains, turn by turn, and what it
//! explains when the session is taken up again.

use std::collections::BTreeMap;
use std::path::Path;

use super::play::{Ground, Play, Written, works};
use crate::proto::*;
use crate::session::Pick;
use crate::session::journal::{JOURNAL, read};
use crate::surface::explain::{Kind, Passed, explain, subjects};

/// No word is in two of them.
const WISHES: [(&str, &str); 5] = [
    ("one", "juggle marbles"),
    ("two", "paint fences"),
    ("three", "fold napkins"),
    ("four", "whistle tunes"),
    ("five", "stack bricks"),
];

/// With the capabilities that are asked for below.
fn ground() -> Ground {
    let mut ground = Ground::new();
    for (name, wish) in WISHES {
        ground.simple(&format!("zz-{name}"), wish, &format!("do_{name}"));
    }
    ground.capability(&Written {
        name: "zz-song",
        triggers: &["sing the zz song"],
        domains: "music",
        server: Some(("zz-song", "sing", "")),
        ..Written::default()
    });
    ground.capability(&Written {
        name: "zz-count",
        triggers: &["count the zz sheep"],
        domains: "data",
        server: Some(("zz-count", "count", "")),
        ..Written::default()
    });
    ground.capability(&Written {
        name: "zz-key",
        triggers: &["open the zz door"],
        server: Some(("zz-key", "open", ", KEY = \"{{ENV:ZZ_KEY}}\"")),
        ..Written::default()
    });
    ground.capability(&Written { name: "zz-bare", server: Some(("zz-bare", "x", "")), ..Written::default() });
    let text = "---\nname: zz-audit\ndescription: About it.\ncapabilities: zz-count\n---\nText.\n";
    ground.write("work/.agents/skills/zz-audit/SKILL.md", text);
    ground.answer("juggle marbles", &["{ tool = \"do_one\", arguments = {} }"]);
    ground
}

/// Until the records have these tools.
async fn listed(play: &mut Play, tools: &[&str]) {
    let has = |own: &Snapshot, name: &&str| {
        own.surface.tools.iter().any(|tool| tool.wire_name == **name && works(own, &tool.server))
    };
    play.until(&format!("{tools:?} are told"), |own, _| tools.iter().all(|name| has(own, name))).await;
}

async fn played(play: &mut Play) {
    play.ready().await;
    listed(play, &["jot", "peek"]).await;
    play.say("do it").await;
    for (name, wish) in &WISHES[..4] {
        play.say(wish).await;
        play.on(&format!("zz-{name}")).await;
        listed(play, &[&format!("do_{name}")]).await;
    }
    play.slash("/capability pin zz-three").await;
    play.say(WISHES[0].1).await;
    play.say(WISHES[4].1).await;
    play.on("zz-five").await;
    play.slash("/skill zz-audit").await;
    play.on("zz-count").await;
    listed(play, &["do_five", "count"]).await;
    play.say("open the zz door").await;
    play.slash("/capability zz-song").await;
    let before = play.own.servers.iter().filter_map(|view| match view.state {
        ServerState::Ready { since } => Some(since),
        _ => None,
    });
    let before = before.max().unwrap_or_default();
    play.submit("/role music:chief").await;
    play.until("the role", |own, _| own.session.role == "music:chief" && own.surface.domain == "music").await;
    // All of them are started anew.
    let again = |view: &ServerView| matches!(view.state, ServerState::Ready { since } if since > before);
    play.until("the servers of the role", |own, _| {
        ["notes", "zz-one", "zz-three", "zz-four", "zz-five"]
            .iter()
            .all(|name| own.servers.iter().any(|view| view.name == *name && again(view)))
    })
    .await;
    listed(play, &["do_one", "do_three", "do_four", "do_five", "jot", "peek"]).await;
    play.say("sing the zz song").await;
    play.on("zz-song").await;
    listed(play, &["sing"]).await;
    play.say("thank you for the zz song").await;
}

/// The file as it was at the end of a turn.
fn folded(file: &Path, at: u32) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut over = false;
    let reading = read(file, |event| {
        over |= matches!(event.body, Body::TurnStarted { turn } if turn.0 > at);
        if !over {
            snapshot.apply(&event);
        }
    });
    assert_eq!(reading.unwrap().skipped, 0);
    snapshot
}

/// How each stands, the stage at which it stopped, and the answer.
fn told(snapshot: &Snapshot, all: &mut BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for name in subjects(snapshot) {
        let found = explain(snapshot, &name);
        assert_ne!(found.kind, Kind::Unknown, "{name}");
        let stopped: Vec<&str> =
            found.stages.iter().filter(|one| one.passed == Passed::No).map(|one| one.stage.as_str()).collect();
        assert!(stopped.len() <= 1, "{found:?}");
        let unknown = found.stages.iter().find(|one| one.passed == Passed::Unknown);
        let ours = ["zz", "do_", "notes", "jot", "peek", "sing", "count", "open"];
        if !ours.iter().any(|part| name.starts_with(part)) {
            continue;
        }
        assert_eq!(unknown, None, "{name} at t{}: {found:?}", snapshot.turn.0);
        let stage = stopped.first().map_or(String::new(), |stage| format!("✘ {stage}: "));
        let fix = found.fix.map(|fix| format!(" > {fix}")).unwrap_or_default();
        let line = format!("{name} ({}): {stage}{}{fix}", found.kind.word(), found.answer);
        if all.insert(name, line.clone()).is_none_or(|before| before != line) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

fn everything(snapshot: &Snapshot) -> Vec<crate::surface::explain::Explanation> {
    subjects(snapshot).iter().map(|name| explain(snapshot, name)).collect()
}

#[tokio::test]
async fn every_explanation_of_a_session_file_turn_by_turn() {
    let mut ground = ground();
    let mut play = ground.open();
    played(&mut play).await;
    let sessions = ground.dir.path().join("data/sessions");
    let file = sessions.join("play").join(JOURNAL);
    let mut all = BTreeMap::new();
    let mut text = String::new();
    for turn in 0..=play.own.turn.0 {
        text.push_str(&format!("t{turn}\n{}", told(&folded(&file, turn), &mut all)));
    }
    insta::assert_snapshot!("replayed", text);
    // The screen and the file say the same.
    assert_eq!(everything(&play.own), everything(&folded(&file, u32::MAX)));
    // The process is killed: what is on disk now is all there is.
    let copy = sessions.join("again");
    std::fs::create_dir_all(&copy).unwrap();
    std::fs::copy(&file, copy.join(JOURNAL)).unwrap();
    let before = play.own.clone();
    play.quit().await;
    ground.role = None;
    let mut again = ground.open_as(Pick::Resume { name: "again".to_owned() }, true);
    again.ready().await;
    for known in &before.surface.dynamic {
        again.on(&known.name).await;
    }
    let same = |own: &Snapshot, _: &[Event]| {
        own.surface.tools == before.surface.tools && own.surface.references == before.surface.references
    };
    again.until("all is back", same).await;
    for (was, now) in everything(&before).into_iter().zip(everything(&again.own)) {
        assert_eq!(was, now);
    }
    assert_eq!(again.own.surface.dynamic, before.surface.dynamic, "scores, uses and pins are as they were");
    assert_eq!(again.own.surface_events, before.surface_events, "nothing is decided anew");
    again.quit().await;
}
