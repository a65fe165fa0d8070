//! Switches that are flipped while a session runs: each shows in the next round.

use std::fs;

use octomind::proto::{
    Command, Decision, GateOutcome, Mechanic, RouteOutcome, Skip, SwitchState, Switched, SwitchedHow, TurnOutcome,
};
use octomind::session::Pick;
use octomind::supervisor::report::INSTRUCTION;
use serde_json::json;

use super::script::{Script, signal, status};
use super::stage::{Stage, as_played, config};

impl Stage {
    /// Flips a switch; the record of it.
    async fn flip(&mut self, key: &str, on: bool) -> Switched {
        let before = self.switched(key).len();
        self.send(Command::Switch { key: key.to_owned(), on }).await;
        self.recorded(key, before).await
    }

    async fn recorded(&mut self, key: &str, before: usize) -> Switched {
        let wanted = key.to_owned();
        self.until(move |own| {
            of_key(own.supervisor.records.iter().map(|record| &record.decision), &wanted).len() > before
        })
        .await;
        self.switched(key).pop().unwrap()
    }

    fn switched(&self, key: &str) -> Vec<Switched> {
        of_key(self.own.supervisor.records.iter().map(|record| &record.decision), key)
    }

    fn is_on(&self, key: &str) -> bool {
        self.own.supervisor.switches.iter().find(|switch| switch.key == key).unwrap().on
    }
}

fn of_key<'a>(decisions: impl Iterator<Item = &'a Decision>, key: &str) -> Vec<Switched> {
    let of = |decision: &Decision| match decision {
        Decision::Switched(switched) if switched.key == key => Some((**switched).clone()),
        _ => None,
    };
    decisions.filter_map(of).collect()
}

fn large() -> String {
    (0..400).map(|line| format!("line {line} of a text that says little\n")).collect()
}

/// Everything there is to see of one round.
fn script() -> Script {
    Script::default()
        .on("go")
        .calls(&signal("Looking.", "progressing", "request"), &[("view", json!({ "path": "large.txt" }))])
        .says(&status("Done.", "done"))
        .judge("gate", &json!({ "verdict": "pass", "evidence": [], "gaps": [] }))
        .judge("plan", &json!({ "action": "none", "phases": [], "reason": "small" }))
        .judge("condense", &json!({ "results": [] }))
        .judge("authorizer", &json!({ "conflicts": [] }))
}

const ALL: [Mechanic; 4] = [Mechanic::Gate, Mechanic::Plan, Mechanic::Condense, Mechanic::Authorizer];

/// What the supervisor asked in one more turn.
async fn asked(stage: &mut Stage) -> Vec<Mechanic> {
    let count = |stage: &Stage| ALL.map(|mechanic| stage.requests(Some(mechanic)).len());
    let before = count(stage);
    assert_eq!(stage.turn("go").await, TurnOutcome::Done);
    let after = count(stage);
    (0..ALL.len()).filter(|at| after[*at] > before[*at]).map(|at| ALL[at]).collect()
}

#[tokio::test]
async fn each_mechanic_stops_and_starts_with_the_next_round() {
    let mut stage = Stage::begin(script(), &["supervisor.condense.tokens_threshold=512"]);
    stage.file("large.txt", &large());
    assert_eq!(asked(&mut stage).await, [Mechanic::Gate, Mechanic::Plan, Mechanic::Condense]);
    let flips = [
        ("supervisor.gate.enabled", false, vec![Mechanic::Plan, Mechanic::Condense]),
        ("supervisor.plan.enabled", false, vec![Mechanic::Condense]),
        ("supervisor.condense.enabled", false, vec![]),
        ("supervisor.authorizer.enabled", true, vec![Mechanic::Authorizer]),
        ("supervisor.gate.enabled", true, vec![Mechanic::Gate, Mechanic::Authorizer]),
        ("supervisor.enabled", false, vec![]),
        ("supervisor.enabled", true, vec![Mechanic::Gate, Mechanic::Authorizer]),
        ("supervisor.plan.enabled", true, vec![Mechanic::Gate, Mechanic::Plan, Mechanic::Authorizer]),
        ("supervisor.condense.enabled", true, ALL.to_vec()),
    ];
    for (key, on, wanted) in flips {
        let switched = stage.flip(key, on).await;
        assert_eq!((switched.from, switched.to, &switched.what), (!on, on, &SwitchedHow::Flipped), "{key}");
        stage.until(move |own| own.supervisor.switches.iter().any(|switch| switch.key == key && switch.on == on)).await;
        assert_eq!(asked(&mut stage).await, wanted, "{key} = {on}");
        let instructed =
            stage.last_sent().await.contains(serde_json::to_string(INSTRUCTION).unwrap().trim_matches('"'));
        assert_eq!(instructed, stage.is_on("supervisor.enabled"), "{key} = {on}");
    }
    // With all of it off a status is a text like any other.
    let shown: Vec<bool> = stage.replies().iter().map(|reply| reply.contains("<sup>")).collect();
    assert_eq!(shown.iter().filter(|shown| **shown).count(), 2, "{shown:?}");
}

/// In the middle of a reply: it holds from the next round on, and no word is lost.
#[tokio::test]
async fn a_switch_takes_no_token_from_a_running_reply() {
    let words: Vec<String> = (0..60).map(|word| format!("word{word}")).collect();
    let text = format!("pace_ms = 5\nwords = 1\n\n[[turn]]\n[[turn.reply]]\ntext = \"{}\"\n\n", words.join(" "));
    let root = tempfile::tempdir().unwrap();
    let start = config(&root, script(), &[]);
    fs::write(root.path().join("script.toml"), text).unwrap();
    let mut stage = Stage::of(root, start);
    stage.say("talk").await;
    stage.until(|own| own.transcript.entries().iter().any(|entry| format!("{:?}", entry.kind).contains("word3"))).await;
    stage.send(Command::Switch { key: "supervisor.gate.enabled".to_owned(), on: false }).await;
    stage.until(|own| own.turn.0 == 1 && !own.run.busy()).await;
    assert_eq!(stage.replies(), [words.join(" ")]);
    assert_eq!(stage.verdicts().len(), 0, "the stop comes after the safe point");
    assert!(!stage.is_on("supervisor.gate.enabled"));
}

#[tokio::test]
async fn what_is_not_allowed_says_why() {
    let mut stage = Stage::begin(script(), &[]);
    let cases = [
        ("supervisor.hindsight.enabled", true, "not built in this version"),
        ("supervisor.evaluate.gate", true, "not built in this version"),
        ("skills.auto_validation", true, "not built in this version"),
        ("sandbox", true, "set at the start"),
        ("supervisor.gate.enabled", true, "already"),
        ("supervisor.gates.enabled", true, "no such switch"),
    ];
    for (key, on, why) in cases {
        let SwitchedHow::Refused { why: said } = stage.flip(key, on).await.what else {
            panic!("{key} was not refused")
        };
        assert!(said.contains(why), "{key}: {said}");
    }
    let built = |state: &SwitchState| *state == SwitchState::NotBuilt;
    let learning = stage.own.supervisor.switches.iter().find(|switch| switch.key == "supervisor.learning.enabled");
    assert!(built(&learning.unwrap().state), "{learning:#?}");
    let listed = stage.command("/supervisor").await;
    for name in ["gate", "condense", "authorizer", "learning", "not built in this version"] {
        assert!(listed.contains(name), "{listed}");
    }
    let near = stage.command("/supervisor gaet off").await;
    assert!(near.contains("gate"), "{near}");
}

#[tokio::test]
async fn evolution_needs_the_gate_in_both_directions() {
    let set = ["supervisor.learning.evolution.enabled=true"];
    let mut stage = Stage::begin(script(), &set);
    let SwitchedHow::Refused { why } = stage.flip("supervisor.gate.enabled", false).await.what else { panic!() };
    assert!(why.contains("evolution"), "{why}");
    stage.flip("supervisor.learning.evolution.enabled", false).await;
    assert_eq!(stage.flip("supervisor.gate.enabled", false).await.what, SwitchedHow::Flipped);
    let SwitchedHow::Refused { why } = stage.flip("supervisor.learning.evolution.enabled", true).await.what else {
        panic!()
    };
    assert!(why.contains("gate") || why.contains("not built"), "{why}");
}

#[tokio::test]
async fn by_text_saved_to_the_file_and_nothing_else_in_it_changes() {
    let root = tempfile::tempdir().unwrap();
    let mut start = config(&root, script(), &[]);
    let file = root.path().join("data/config/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let template = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/config/template.toml")).unwrap();
    let annotated = template
        .replace("[supervisor.gate]\nenabled = true", "[supervisor.gate]   # mine\n  enabled=true # why: trust\n");
    assert_ne!(annotated, template);
    fs::write(&file, &annotated).unwrap();
    let opened = octomind::config::open(&start.paths, &start.workdir, Vec::new());
    start.loaded = std::sync::Arc::new(as_played(opened));
    let mut stage = Stage::of(root, start);
    stage.turn("go").await;
    let origin = |stage: &Stage| {
        let gate = stage.own.supervisor.switches.iter().find(|switch| switch.key == "supervisor.gate.enabled").unwrap();
        gate.origin.clone()
    };
    assert!(origin(&stage).contains("config.toml:"), "{}", origin(&stage));
    stage.command("/supervisor gate off").await;
    stage.turn("go").await;
    assert!(!stage.is_on("supervisor.gate.enabled"));
    assert_eq!(fs::read_to_string(&file).unwrap(), annotated, "for this session only");
    let before = stage.switched("supervisor.gate.enabled").len();
    stage.say("/supervisor gate save").await;
    let saved = stage.recorded("supervisor.gate.enabled", before).await;
    assert!(matches!(saved.what, SwitchedHow::Saved { .. }), "{saved:?}");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        annotated.replace("enabled=true # why: trust", "enabled=false # why: trust")
    );

    fs::write(&file, "[supervisor\n").unwrap();
    stage.send(Command::SaveSwitch { key: "supervisor.gate.enabled".to_owned() }).await;
    let refused = stage.recorded("supervisor.gate.enabled", before + 1).await;
    assert!(matches!(refused.what, SwitchedHow::Refused { .. }), "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[supervisor\n");
}

#[tokio::test]
async fn what_was_flipped_is_so_when_the_session_is_taken_up() {
    let mut stage = Stage::begin(script(), &["supervisor.condense.enabled=false"]);
    let origin = |stage: &Stage, key: &str| {
        stage.own.supervisor.switches.iter().find(|switch| switch.key == key).unwrap().origin.clone()
    };
    stage.turn("go").await;
    assert_eq!(origin(&stage, "supervisor.condense.enabled"), "command line");
    stage.flip("supervisor.gate.enabled", false).await;
    stage.turn("go").await;
    let (end, root) = stage.quit().await;
    assert_eq!(end.verdict, None);
    let mut start = config(&root, script(), &[]);
    start.pick = Pick::Resume { name: "played".to_owned() };
    let mut stage = Stage::of(root, start);
    stage.until(|own| !own.supervisor.switches.is_empty() && own.turn.0 == 2).await;
    assert!(!stage.is_on("supervisor.gate.enabled"));
    assert_eq!(origin(&stage, "supervisor.gate.enabled"), "this session");
    let verdicts = stage.verdicts().len();
    stage.turn("go").await;
    assert_eq!(stage.verdicts().len(), verdicts);
    stage.flip("supervisor.gate.enabled", true).await;
    stage.turn("go").await;
    assert_eq!(stage.verdicts().pop().unwrap().outcome, GateOutcome::Unknown);
}

/// What makes the surface: the same way.
#[tokio::test]
async fn skills_and_capabilities_follow_their_switches() {
    let mut stage = Stage::begin(script().on("zebra").says(&status("Striped.", "done")), &[]);
    let skill = stage.path(".agents/skills/zebra");
    fs::create_dir_all(&skill).unwrap();
    let header = "---\nname: zebra\ndescription: Zebras.\ndomains: \"*\"\nrules:\n  - content(zebra)\n---\nStripes.\n";
    fs::write(skill.join("SKILL.md"), header).unwrap();
    let judged = |stage: &Stage| {
        stage.decisions().iter().filter(|decision| matches!(decision, Decision::SkillRules { .. })).count()
    };
    // Said of each message; why nothing was compared as well.
    let compared = |stage: &Stage| {
        let compared = |decision: &Decision| match decision {
            Decision::Routed(routing) => routing.outcome != RouteOutcome::Skipped(Skip::Off),
            _ => false,
        };
        stage.decisions().into_iter().filter(compared).count()
    };
    for (flipped, more) in [(None, 1), (Some(false), 0), (Some(true), 1)] {
        if let Some(on) = flipped {
            assert_eq!(stage.flip("skills.auto_activation", on).await.what, SwitchedHow::Flipped);
        }
        let before = judged(&stage);
        stage.turn("tell me of the zebra").await;
        assert_eq!(judged(&stage), before + more, "{flipped:?}");
    }
    assert_eq!(compared(&stage), 0);
    stage.flip("auto_capabilities", true).await;
    stage.turn("tell me of the zebra").await;
    assert_eq!(compared(&stage), 1);
    stage.flip("auto_capabilities", false).await;
    stage.turn("tell me of the zebra").await;
    assert_eq!(compared(&stage), 1);
}
