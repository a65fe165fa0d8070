use std::path::Path;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use super::fakes::Stage;
use super::fakes::*;
use crate::config::{Env, Loaded, Paths, TEMPLATE, open};
use crate::proto::*;
use crate::session::{Offers, Pick};
use crate::supervisor::report::INSTRUCTION;
use crate::supervisor::switch;

/// The configuration of this folder, with the template in it.
fn configured(dir: &Path, command_line: &[&str]) -> Arc<Loaded> {
    let paths = Paths::new(dir.to_owned(), Some(dir.join("config.toml")));
    Arc::new(open(&paths, dir, command_line.iter().map(|text| (*text).to_owned()).collect()))
}

/// Everything as the template has it, but for what asks a model.
fn wanted(loaded: &Arc<Loaded>) -> Wanted {
    Wanted { supervisor: watched(), loaded: Some(Arc::clone(loaded)), ..Wanted::default() }
}

fn view(stage: &Stage, key: &str) -> SwitchView {
    stage.own.supervisor.switches.iter().find(|view| view.key == key).cloned().expect("the switch")
}

fn switched(stage: &Stage) -> Vec<Switched> {
    let records = stage.own.supervisor.records.iter();
    let of = |record: &Arc<SupervisorRecord>| match &record.decision {
        Decision::Switched(switched) => Some((**switched).clone()),
        _ => None,
    };
    records.filter_map(of).collect()
}

async fn flip(stage: &mut Stage, key: &str, on: bool) {
    stage.command(Command::Switch { key: key.into(), on }).await;
}

async fn until_switched(stage: &mut Stage, key: &str, on: bool) {
    let of = |own: &Snapshot| own.supervisor.switches.iter().any(|view| view.key == key && view.on == on);
    stage.until(key, of).await;
}

async fn until_refused(stage: &mut Stage) -> String {
    let before = switched(stage).len();
    let refused = |own: &Snapshot| {
        let of = |record: &&Arc<SupervisorRecord>| matches!(&record.decision, Decision::Switched(_));
        own.supervisor.records.iter().filter(of).count() > before
    };
    stage.until("a refusal", refused).await;
    match switched(stage).pop() {
        Some(Switched { what: SwitchedHow::Refused { why }, .. }) => why,
        other => panic!("{other:?}"),
    }
}

async fn slash(stage: &mut Stage, line: &str) -> String {
    let before = stage.own.transcript.len();
    stage.say(line).await;
    let answer = |own: &Snapshot| {
        own.transcript.entries()[before.min(own.transcript.len())..].iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Command { line: said, output } if said == line => Some(output.clone()),
            _ => None,
        })
    };
    stage.until(line, |own| answer(own).is_some()).await;
    answer(&stage.own).expect("it was there")
}

#[tokio::test(start_paused = true)]
async fn a_session_begins_with_its_switches_and_where_they_come_from() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &["supervisor.authorizer.enabled=true"]);
    let supervisor = loaded.config.supervisor.clone();
    let mut stage = Stage::open(dir.path(), Wanted { supervisor, ..wanted(&loaded) });
    stage.until("the switches", |own| !own.supervisor.switches.is_empty()).await;
    assert_eq!(stage.own.supervisor.switches.len(), switch::SWITCHES.len());
    let line = TEMPLATE.lines().position(|line| line == "[supervisor.gate]").unwrap() + 2;
    assert_eq!(view(&stage, switch::GATE).origin, format!("config.toml:{line}"));
    assert_eq!(view(&stage, switch::AUTHORIZER).origin, "command line");
    assert!(view(&stage, switch::AUTHORIZER).on);
    let listed = slash(&mut stage, "/supervisor").await;
    assert!(listed.contains("command line") && listed.contains("not built in this version:\n"), "{listed}");
    assert_eq!(slash(&mut stage, "/supervisor gatte").await, "There is no switch \"gatte\". Did you mean gate?");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_flip_waits_for_the_next_request_and_drops_no_token() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), wanted(&loaded));
    stage.say("begin").await;
    let asked = stage.asked().await;
    assert!(asked.request.system.ends_with(INSTRUCTION), "{}", asked.request.system);
    asked.text("One, ");
    stage
        .until("the first words", |own| {
            own.transcript
                .entries()
                .iter()
                .any(|entry| matches!(&entry.kind, EntryKind::Assistant { text, .. } if text.contains("One")))
        })
        .await;
    flip(&mut stage, switch::SUPERVISOR, false).await;
    stage
        .until("that it waits", |own| {
            own.supervisor.switches.iter().any(|view| view.state == SwitchState::Pending { on: false })
        })
        .await;
    assert!(view(&stage, switch::SUPERVISOR).on);
    asked.text("two, ");
    asked.text("three.");
    asked.call("p1", "alpha", serde_json::json!({}));
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok("done");
    let asked = stage.asked().await;
    assert!(!asked.request.system.contains(INSTRUCTION), "it is in force from the next request on");
    assert!(said(&asked.request).iter().any(|line| line.starts_with("assistant: One, two, three.")));
    asked.answer("over");
    stage.until_idle(1).await;
    assert!(!view(&stage, switch::SUPERVISOR).on);
    assert_eq!(view(&stage, switch::SUPERVISOR).origin, "this session");
    let flipped = switched(&stage);
    assert_eq!(flipped.len(), 1);
    assert_eq!((flipped[0].from, flipped[0].to, &flipped[0].what), (true, false, &SwitchedHow::Flipped));
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn between_turns_a_flip_is_in_force_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), wanted(&loaded));
    for key in [switch::SUPERVISOR, switch::ADAPTIVE, switch::AUTHORIZER, switch::SKILL_RULES, switch::CAPABILITIES] {
        stage.until("the switches", |own| !own.supervisor.switches.is_empty()).await;
        let was = view(&stage, key).on;
        flip(&mut stage, key, !was).await;
        until_switched(&mut stage, key, !was).await;
        flip(&mut stage, key, was).await;
        until_switched(&mut stage, key, was).await;
    }
    assert_eq!(switched(&stage).len(), 10);
    let off = slash(&mut stage, "/supervisor off").await;
    assert!(off.starts_with("supervisor is off · this session; saved is on"), "{off}");
    stage.say("begin").await;
    let asked = stage.asked().await;
    assert!(!asked.request.system.contains(INSTRUCTION));
    asked.answer("over");
    stage.until_idle(1).await;
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_not_allowed_is_refused_with_its_reason() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), wanted(&loaded));
    for (key, on, part) in [
        (switch::EVOLUTION, true, "it needs the gate, which is off"),
        ("supervisor.hindsight.enabled", true, "not built in this version"),
        (switch::SANDBOX, true, "it is set at the start"),
        (switch::GATE, false, "it is off already"),
        ("supervisor.gaet", true, "there is no such switch"),
    ] {
        flip(&mut stage, key, on).await;
        let why = until_refused(&mut stage).await;
        assert!(why.contains(part), "{key}: {why}");
    }
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn flips_survive_and_the_command_line_is_newer() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), wanted(&loaded));
    stage.say("begin").await;
    stage.asked().await.answer("over");
    stage.until_idle(1).await;
    for key in [switch::GATE, switch::AUTHORIZER] {
        flip(&mut stage, key, true).await;
        until_switched(&mut stage, key, true).await;
    }
    stage.quit().await;

    let loaded = configured(dir.path(), &["supervisor.authorizer.enabled=false"]);
    let pick = Pick::Resume { name: "play".into() };
    let mut stage = Stage::open(dir.path(), Wanted { pick, ..wanted(&loaded) });
    stage.until("the switches", |own| own.turn.0 == 1 && !own.supervisor.switches.is_empty()).await;
    until_switched(&mut stage, switch::GATE, true).await;
    assert_eq!(view(&stage, switch::GATE).origin, "this session");
    assert!(!view(&stage, switch::AUTHORIZER).on);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_switch_is_saved_and_the_file_is_otherwise_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    let loaded = configured(dir.path(), &[]);
    let supervisor = loaded.config.supervisor.clone();
    let mut stage = Stage::open(dir.path(), Wanted { supervisor, ..wanted(&loaded) });
    stage.until("the switches", |own| !own.supervisor.switches.is_empty()).await;
    flip(&mut stage, switch::PLAN, false).await;
    until_switched(&mut stage, switch::PLAN, false).await;
    assert_eq!(view(&stage, switch::PLAN).saved, Some(true));
    stage.command(Command::SaveSwitch { key: switch::PLAN.into() }).await;
    stage
        .until("it is saved", |own| {
            own.supervisor.switches.iter().any(|view| view.key == switch::PLAN && view.saved.is_none())
        })
        .await;
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, TEMPLATE.replacen("[supervisor.plan]\nenabled = true", "[supervisor.plan]\nenabled = false", 1));
    assert!(
        matches!(switched(&stage).pop().unwrap().what, SwitchedHow::Saved { file: saved } if saved == file.display().to_string())
    );

    assert!(slash(&mut stage, "/supervisor save").await.starts_with("No switch was flipped"));
    for key in [switch::GATE, switch::CONDENSE] {
        flip(&mut stage, key, false).await;
        until_switched(&mut stage, key, false).await;
    }
    let said = slash(&mut stage, "/supervisor save").await;
    for key in [switch::GATE, switch::CONDENSE] {
        assert!(said.contains(&format!("{key} = false saved in {}", file.display())), "{said}");
        assert_eq!(view(&stage, key).saved, None, "{key}");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains("[supervisor.gate]\nenabled = false"), "{saved}");
    flip(&mut stage, switch::CONDENSE, true).await;
    until_switched(&mut stage, switch::CONDENSE, true).await;

    std::fs::write(&file, "[supervisor").unwrap();
    let said = slash(&mut stage, "/supervisor condense save").await;
    assert!(said.starts_with("condense is on"), "{said}");
    let record = switched(&stage).pop().unwrap();
    assert!(matches!(&record.what, SwitchedHow::Refused { why } if why.contains("is not TOML")), "{record:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "[supervisor");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn the_gate_is_there_for_the_stop_after_the_next_request() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), wanted(&loaded));
    for (turn, on) in [(1, true), (2, false)] {
        stage.say("begin").await;
        let asked = stage.asked().await;
        flip(&mut stage, switch::GATE, on).await;
        let waits = |view: &SwitchView| view.state == SwitchState::Pending { on };
        stage.until("that it waits", |own| own.supervisor.switches.iter().any(waits)).await;
        asked.call("p1", "alpha", serde_json::json!({}));
        asked.stop(StopReason::ToolCalls);
        stage.called().await.ok("done");
        stage.asked().await.answer("over");
        if on {
            let judge = stage.asked().await;
            assert_eq!(judge.request.purpose, Purpose::Supervisor(Mechanic::Gate));
            judge.answer("{\"verdict\":\"pass\",\"evidence\":[],\"gaps\":[]}");
        }
        stage.until_idle(turn).await;
        assert_eq!(view(&stage, switch::GATE).on, on);
    }
    assert!(stage.asked.try_recv().is_err(), "nobody looked at the second stop");
    let counters = &stage.own.supervisor.counters;
    assert_eq!(counters.passed + counters.verified + counters.gaps + counters.indeterminate, 1);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn condense_narrows_from_the_next_round_on() {
    let dir = tempfile::tempdir().unwrap();
    let loaded = configured(dir.path(), &[]);
    let tools = vec![annotated("view", true)];
    let mut stage = Stage::open(dir.path(), Wanted { tools, ..wanted(&loaded) });
    let long = (0..2000).map(|line| format!("line {line} of many")).collect::<Vec<_>>().join("\n");
    stage.say("begin").await;
    let mut asked = stage.asked().await;
    for round in 1..=2 {
        assert_eq!(asked.request.purpose, Purpose::Main);
        asked.call("p1", "view", serde_json::json!({}));
        asked.stop(StopReason::ToolCalls);
        let call = stage.called().await;
        if round == 1 {
            flip(&mut stage, switch::CONDENSE, true).await;
            let waits = |view: &SwitchView| view.state == SwitchState::Pending { on: true };
            stage.until("that it waits", |own| own.supervisor.switches.iter().any(waits)).await;
        }
        call.ok(&long);
        asked = stage.asked().await;
    }
    assert_eq!(asked.request.purpose, Purpose::Supervisor(Mechanic::Condense), "in the second round");
    asked.answer("{\"results\":[{\"id\":\"r1\",\"keep\":[[1,1]]}]}");
    let asked = stage.asked().await;
    let text = said(&asked.request).join("\n");
    assert!(text.contains(&long) && text.contains("CONDENSED"), "the first is as it was");
    asked.answer("over");
    stage.until_idle(1).await;
    stage.quit().await;
}

#[tokio::test]
async fn skills_come_by_their_rules_only_while_that_is_on() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".agents/skills/zz-tea");
    std::fs::create_dir_all(&folder).unwrap();
    let head = "name: zz-tea\ndescription: About tea.\ndomains: \"*\"\nrules:\n  - content(oolong)";
    std::fs::write(folder.join("SKILL.md"), format!("---\n{head}\n---\nSteep.\n")).unwrap();
    let env = Arc::new(RwLock::new(Env::from_pairs([("HOME", "/nonexistent")])));
    let paths = Paths::new(dir.path().join("data"), None);
    let offers = Arc::new(Offers::new(&paths, &env, dir.path().to_owned(), Duration::MAX));
    let loaded = configured(dir.path(), &[]);
    let mut stage = Stage::open(dir.path(), Wanted { offers: Some(offers), ..wanted(&loaded) });
    for (turn, on) in [(1, false), (2, true)] {
        flip(&mut stage, switch::SKILL_RULES, on).await;
        until_switched(&mut stage, switch::SKILL_RULES, on).await;
        stage.say("make me some oolong please").await;
        let asked = stage.asked().await;
        assert_eq!(said(&asked.request).join("\n").contains("Steep."), on);
        asked.answer("fine");
        stage.until_idle(turn).await;
    }
    stage.quit().await;
}
