//! Work that is handed on between sessions out of their real parts.

use super::play::{Ground, Play};
use crate::proto::*;
use crate::session::Pick;
use crate::session::journal::{JOURNAL, read};

/// The agent `data:chief` with `tap`, and one that counts.
fn ground() -> Ground {
    let ground = Ground::new();
    let agent = |title: &str, description: &str, capabilities: &str| {
        format!(
            "# Title: {title}\n# Description: {description}\ncapabilities = [{capabilities}]\n[[roles]]\n\
             system = \"{{{{SPECIALISTS}}}}\"\nwelcome = \"\"\n"
        )
    };
    let chief = agent("Keeper", "Keeps what it is given.", "\"runtime\", \"orchestration\", \"notes\"");
    ground.write("tap/agents/data/chief.toml", &chief);
    ground.write("tap/agents/data/counter.toml", &agent("Counter", "count every zz sheep on the hill", "\"notes\""));
    ground
}

fn told(play: &Play) -> Vec<String> {
    let says = |entry: &Entry| match &entry.kind {
        EntryKind::User { text, origin: Origin::System { kind, .. }, .. } if kind == "tap_run" => Some(text.clone()),
        _ => None,
    };
    play.own.transcript.entries().iter().filter_map(|entry| says(entry)).collect()
}

async fn back(play: &mut Play, turn: u32) {
    play.until("what was handed back", |own, _| own.turn.0 == turn && !own.run.busy() && !own.awaits_children()).await;
}

#[tokio::test]
async fn a_real_child_works_with_its_own_tools_and_hands_back() {
    let mut ground = ground();
    ground.simple("zz-ledger", "query the zz ledger schema", "query");
    let run = "{ tool = \"tap\", arguments = { action = \"run\", prompt = \"count every zz sheep on the hill\" } }";
    ground.answer("start counting", &[run]);
    ground.answer("^count every", &["{ tool = \"jot\", arguments = {} }"]);
    // What is handed back says something that a message would bring tools for.
    ground.answer("^<tap-result", &[]);
    let mut play = ground.open();
    play.ready().await;
    play.submit("start counting").await;
    back(&mut play, 2).await;
    let [result] = &told(&play)[..] else { panic!("{:?}", told(&play)) };
    assert!(
        result.contains("role=\"data:counter\" state=\"done\" verified=\"no\"") && result.contains("Done."),
        "{result}"
    );
    let messages: Vec<TurnId> = play.routed().iter().map(|routing| routing.turn).collect();
    assert_eq!(messages, [TurnId(1)], "what is handed back drives nothing");
    let [child] = &play.own.children[..] else { panic!("{:?}", play.own.children) };
    assert_eq!((child.role.as_str(), child.title.as_str(), child.turns), ("data:counter", "Counter", 1));
    let folder = ground.dir.path().join("data/sessions").join(&child.id);
    let mut own = Snapshot::default();
    read(&folder.join(JOURNAL), |event| own.apply(&event)).unwrap();
    assert_eq!(
        (own.parent.as_deref(), own.session.role.as_str(), own.session.ended),
        (Some("play"), "data:counter", true)
    );
    let tools: Vec<(&str, bool)> = own
        .transcript
        .entries()
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Tool { tool, state: ToolState::Finished { outcome, .. }, .. } => {
                Some((tool.as_str(), *outcome == ToolOutcome::Ok))
            }
            _ => None,
        })
        .collect();
    assert_eq!(tools, [("jot", true)], "its own server did it");
    assert!(own.asks.is_empty());
    let why = play.why("data:counter");
    assert!(
        why.contains("Agent data:counter: data:counter · got the task") && why.contains("= it got the task"),
        "{why}"
    );
    assert!(play.why(&child.id).contains("data:counter · got the task"));
    assert!(play.why("data:nobody").starts_with("Unknown"));
    let listed = play.slash("/tap").await;
    assert!(listed.contains("data:counter done, not verified"), "{listed}");
    play.quit().await;

    let mut play = ground.open_as(Pick::ResumeRecent, true);
    play.until("the session", |own, _| own.session.name == "play" && own.children.len() == 1).await;
    assert_eq!(play.why("data:counter"), why, "from the records alone");
    play.quit().await;
}

#[tokio::test]
async fn what_a_child_misses_fails_it_and_nobody_is_asked() {
    let mut ground = ground();
    let text = "# Title: Counter\n# Description: count every zz sheep on the hill\n[[roles]]\n\
                system = \"{{INPUT:ZZ_NAME}}\"\nwelcome = \"\"\n";
    ground.write("tap/agents/data/counter.toml", text);
    let run = "{ tool = \"tap\", arguments = { action = \"run\", prompt = \"count every zz sheep on the hill\" } }";
    ground.answer("start counting", &[run]);
    ground.answer("^<tap-result", &[]);
    let mut play = ground.open();
    play.ready().await;
    play.submit("start counting").await;
    back(&mut play, 2).await;
    let [result] = &told(&play)[..] else { panic!("{:?}", told(&play)) };
    assert!(result.contains("state=\"failed\"") && result.contains("ZZ_NAME"), "{result}");
    assert!(play.own.asks.is_empty());
    play.quit().await;
}
