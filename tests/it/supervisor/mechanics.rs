//! The plan, narrowed results, calls that are looked at first.

use octomind::proto::{
    AssumptionState, Authorized, Body, Condensed, CondensedResult, Decision, Keep, Mechanic, PhaseState, PlanAction,
    PlanDecision, PlanTrigger, SwitchState, ToolOutcome,
};
use serde_json::{Value, json};

use super::script::{Script, signal, status};
use super::stage::{Stage, config};

fn view(path: &str) -> (&'static str, Value) {
    ("view", json!({ "path": path }))
}

fn shell(command: &str) -> (&'static str, Value) {
    ("shell", json!({ "command": command }))
}

fn write(path: &str, text: &str) -> (&'static str, Value) {
    ("write", json!({ "path": path, "content": text, "overwrite": true }))
}

/// A command that ends once so many questions about the plan were answered, which happens beside the turn.
fn planned(answers: u32, then: &str) -> (&'static str, Value) {
    let journal = "../data/sessions/played/journal.jsonl";
    let answered = r#"grep -cE '"request_(finished|failed)".*"supervisor":"plan"'"#;
    shell(&format!("until [ $({answered} {journal}) -ge {answers} ]; do sleep 0.02; done; {then}"))
}

fn plan_decisions(stage: &Stage) -> Vec<PlanDecision> {
    let planned = |decision| match decision {
        Decision::Planned(planned) => Some(*planned),
        _ => None,
    };
    stage.decisions().into_iter().filter_map(planned).collect()
}

fn phase(title: &str, done_when: &str, assumptions: &[&str]) -> Value {
    json!({ "title": title, "done_when": done_when, "assumptions": assumptions })
}

fn answer(action: &str, phases: &[Value], reason: &str) -> Value {
    json!({ "action": action, "phases": phases, "reason": reason })
}

fn two_phases() -> [Value; 2] {
    [
        phase("Write the note", "notes.txt holds hello", &["file_exists: a.txt"]),
        phase("Sum up", "sum.txt holds the sum", &["file_exists: a.txt"]),
    ]
}

fn passes(script: Script) -> Script {
    script.judge("gate", &json!({ "verdict": "pass", "evidence": [], "gaps": [] }))
}

#[tokio::test]
async fn a_plan_is_made_advanced_revised_held_and_closed() {
    let script = Script::default()
        .on("Build")
        .calls(&signal("I need a plan.", "progressing", "request"), &[planned(1, "true")])
        .calls("", &[write("notes.txt", "hello")])
        .calls(&signal("Written.", "progressing", "phase_complete"), &[planned(2, "cat notes.txt")])
        .calls("", &[shell("rm a.txt")])
        // What is looked at beside the turn is known a round later, and asked about then.
        .calls("", &[shell("ls")])
        .calls("", &[shell("pwd")])
        .calls("", &[planned(3, "ls -a")])
        .calls(&signal("Summed up.", "progressing", "phase_complete"), &[planned(4, "ls")])
        .says(&status("All of it is done.", "done"))
        .judge_times("plan", 1, &answer("create", &two_phases(), "Two steps."))
        .judge_times("plan", 1, &answer("advance", &[], "The note is there."))
        .judge_times(
            "plan",
            1,
            &answer("revise", &[phase("Sum up anew", "sum.txt holds the sum", &[])], "a.txt is gone."),
        )
        .judge_times("plan", 1, &answer("hold", &[], "There is no sum.txt."));
    let mut stage = Stage::begin(passes(script), &[]);
    stage.file("a.txt", "alpha");
    stage.turn("Build the thing in two steps.").await;
    let decisions = plan_decisions(&stage);
    let actions: Vec<PlanAction> = decisions.iter().map(|planned| planned.action).collect();
    let all = [PlanAction::Create, PlanAction::Advance, PlanAction::Revise, PlanAction::Hold, PlanAction::Close];
    assert_eq!(actions, all, "{decisions:#?}");
    let broken = PlanTrigger::Broken { assumption: "file_exists: a.txt".to_owned() };
    assert_eq!((&decisions[2].trigger, &decisions[4].trigger), (&broken, &PlanTrigger::Gate));
    let held = PhaseState::Held { why: "runtime evidence does not yet show: sum.txt holds the sum".to_owned() };
    let was_held = |event: &octomind::proto::Event| match &event.body {
        Body::PlanChanged(plan) => plan.phases.iter().any(|phase| phase.state == held),
        _ => false,
    };
    assert!(stage.events().iter().any(was_held));
    assert!(decisions.iter().all(|planned| planned.trouble.is_none()), "{decisions:#?}");
    let plan = &stage.own.supervisor.plan;
    let states: Vec<&PhaseState> = plan.phases.iter().map(|phase| &phase.state).collect();
    assert!(matches!(states[..], [PhaseState::Done, PhaseState::Closed { .. }]), "{plan:#?}");
    let titles: Vec<&str> = plan.phases.iter().map(|phase| phase.title.as_str()).collect();
    assert_eq!(titles, ["Write the note", "Sum up anew"]);
    assert!(!plan.phases[0].evidence.is_empty(), "{plan:#?}");
    let counters = &stage.own.supervisor.counters;
    assert_eq!((counters.plans, counters.phases_done, counters.revised, counters.held), (1, 1, 1, 1));
    let shown = stage.command("/plan").await;
    assert!(shown.contains("Write the note") && shown.contains("Sum up anew"), "{shown}");
}

#[tokio::test]
async fn a_plan_is_put_away_with_another_task_and_kept_with_the_same() {
    let script = Script::default()
        .on("Build")
        .calls(&signal("I need a plan.", "progressing", "request"), &[planned(1, "true")])
        .says(&status("To be continued.", "need_input"))
        .on("Go on")
        .calls("", &[shell("ls")])
        .calls("", &[shell("pwd")])
        .says(&status("Going on.", "need_input"))
        .on("weather")
        .says(&status("It rains.", "done"))
        .judge("plan", &answer("create", &two_phases(), "Two steps."));
    let mut stage = Stage::begin(script, &["supervisor.gate.enabled=false"]);
    stage.file("a.txt", "alpha");
    stage.turn("Build the thing in two steps.").await;
    assert_eq!(stage.own.supervisor.plan.phases.len(), 2);
    stage.turn("Go on").await;
    assert_eq!(stage.own.supervisor.plan.phases.len(), 2);
    assert_eq!(stage.own.supervisor.plan.phases[0].assumptions[0].state, AssumptionState::Holds);
    // What is left of the plan is before the agent in each request.
    assert!(stage.last_sent().await.contains("Write the note"));
    stage.turn("Tell me whether weather in Lisbon will turn rainy.").await;
    assert!(stage.own.supervisor.plan.phases.is_empty(), "{:#?}", stage.own.supervisor.plan);
    assert_eq!(plan_decisions(&stage).last().unwrap().action, PlanAction::Archive);
}

#[tokio::test]
async fn a_planner_that_fails_is_asked_once_a_turn_and_work_goes_on() {
    let script = Script::default()
        .on("Build")
        .calls(&signal("I need a plan.", "progressing", "request"), &[planned(1, "true")])
        .calls(&signal("Still.", "progressing", "request"), &[view("a.txt")])
        .says(&status("Done without.", "done"))
        .judge_fails("plan", "no_key");
    let mut stage = Stage::begin(passes(script), &[]);
    stage.file("a.txt", "alpha");
    stage.turn("Build the thing in two steps.").await;
    let decisions = plan_decisions(&stage);
    assert!(decisions.iter().any(|planned| planned.trouble.is_some()), "{decisions:#?}");
    assert_eq!(stage.requests(Some(Mechanic::Plan)).len(), 1);
    assert!(stage.own.supervisor.plan.phases.is_empty());
    assert_eq!(stage.replies().last().unwrap(), "Done without.");
}

/// The lines of a file, one of them an error.
fn lines(of: usize) -> String {
    let line = |line: usize| match line {
        30 => format!("error: file {of} could not be read\n"),
        line => format!("file {of} line {line} says little, and nothing that anybody would need to know of\n"),
    };
    // The smallest of all is the last one.
    (1..=if of == 33 { 34 } else { 35 }).map(line).collect()
}

fn condensed(stage: &Stage) -> Vec<Condensed> {
    let condensed = |decision| match decision {
        Decision::Condensed(condensed) => Some(*condensed),
        _ => None,
    };
    stage.decisions().into_iter().filter_map(condensed).collect()
}

#[tokio::test]
async fn of_thirty_three_large_results_one_question_narrows_at_most_thirty_two() {
    let calls: Vec<(&str, Value)> =
        (1..=33).map(|of| ("shell", json!({ "command": format!("cat f{of}.txt") }))).collect();
    let keep = |of: usize| match of {
        1 => json!("none"),
        2 => json!([[1, 3]]),
        3 => json!([[9, 2]]),
        _ => json!("all"),
    };
    let results: Vec<Value> = (1..=33).map(|of| json!({ "id": format!("r{of}"), "keep": keep(of) })).collect();
    let script = Script::default()
        .on("Read")
        .calls("I read them all.", &calls)
        .says(&status("Read.", "done"))
        .judge("condense", &json!({ "results": results }));
    let mut stage = Stage::begin(passes(script), &["supervisor.condense.tokens_threshold=512"]);
    for of in 1..=33 {
        stage.file(&format!("f{of}.txt"), &lines(of));
    }
    stage.turn("Read f1.txt to f33.txt.").await;
    assert_eq!(stage.requests(Some(Mechanic::Condense)).len(), 1);
    let condensed = condensed(&stage);
    assert_eq!(condensed.len(), 1, "{condensed:#?}");
    let round = &condensed[0];
    assert_eq!((round.results.len(), round.threshold, &round.trouble), (32, 512, &None));
    // In the order in which they were asked about; which file is which follows from the call.
    let [gone, part, odd, whole, ..] = round.results.as_slice() else { panic!("{round:#?}") };
    let file = |one: &CondensedResult| -> usize { one.call.0["c1-".len()..].parse().unwrap() };
    // What reports an error, and how the command ended, is kept of what else is of no use.
    assert_eq!((&gone.keep, &whole.keep), (&Keep::Lines(vec![(30, 30), (36, 36)]), &Keep::All), "{gone:#?}");
    assert!(gone.after < gone.before / 2 && part.after < part.before / 2, "{gone:#?} {part:#?}");
    assert!(odd.after == odd.before && odd.trouble.is_some(), "{odd:#?}");
    assert_eq!((gone.error_lines, part.error_lines), (1, 1));
    assert!(round.results.iter().all(|one| file(one) != 33), "the smallest one was not looked at");

    // What the agent reads, word for word from the file.
    let sent = stage.last_sent().await;
    let has = |one: &CondensedResult, line: usize| sent.contains(lines(file(one)).lines().nth(line - 1).unwrap());
    assert!(sent.contains("📎 CONDENSED"), "{sent}");
    assert_eq!([has(gone, 1), has(gone, 30), has(gone, 34)], [false, true, false]);
    assert_eq!([has(part, 1), has(part, 3), has(part, 4), has(part, 30)], [true, true, false, true]);
    assert!(has(odd, 20) && has(whole, 20) && sent.contains("file 33 line 20"));
    let spill = part.spill.as_ref().unwrap();
    assert!(sent.contains(spill.as_str()) && std::fs::read_to_string(spill).unwrap().contains(&lines(file(part))));
    // The person goes on seeing what the tool said.
    let seen = format!("file {} line 20", file(gone));
    assert!(!sent.contains(&seen) && stage.results().iter().any(|(_, _, text)| text.contains(&seen)));
}

#[tokio::test]
async fn below_the_threshold_or_without_a_reader_nobody_is_asked() {
    let text = lines(1);
    let tokens = octomind::text::tokens::estimate(&text);
    let script = || {
        passes(Script::default().on("Read").calls("", &[shell("cat f1.txt")]).says(&status("Read.", "done")))
            .on("Hello")
            .says(&status("Hello.", "done"))
            .judge("condense", &json!({ "results": [{ "id": "r1", "keep": "none" }] }))
    };
    // The shell adds a line of its own, so the edge is looked for from both sides.
    for (threshold, asked) in [(tokens + 100, 0), (tokens - 1, 1)] {
        let mut stage = Stage::begin(script(), &[&format!("supervisor.condense.tokens_threshold={threshold}")]);
        stage.file("f1.txt", &text);
        stage.turn("Read f1.txt.").await;
        assert_eq!(stage.requests(Some(Mechanic::Condense)).len(), asked, "{threshold} of {tokens}");
    }
    // Who cannot read the file with the whole gets the whole.
    let root = tempfile::tempdir().unwrap();
    let mut start = config(&root, script(), &["supervisor.condense.tokens_threshold=512"]);
    let mut loaded = (*start.loaded).clone();
    for role in &mut loaded.config.roles {
        role.mcp.allowed_tools = vec!["files:write".to_owned()];
    }
    start.loaded = std::sync::Arc::new(loaded);
    let mut stage = Stage::of(root, start);
    stage.turn("Hello").await;
    let condense = stage.own.supervisor.switches.iter().find(|one| one.key == "supervisor.condense.enabled").unwrap();
    assert!(matches!(condense.state, SwitchState::Idle { .. }), "{condense:#?}");
}

#[tokio::test]
async fn a_condenser_that_cannot_be_used_leaves_everything_whole() {
    let script = Script::default()
        .on("Read")
        .calls("", &[shell("cat f1.txt")])
        .says(&status("Read.", "done"))
        .judge("condense", &json!({ "results": "all of it" }));
    let mut stage = Stage::begin(passes(script), &["supervisor.condense.tokens_threshold=512"]);
    stage.file("f1.txt", &lines(1));
    stage.turn("Read f1.txt.").await;
    let condensed = condensed(&stage);
    assert!(condensed.len() == 1 && condensed[0].trouble.is_some(), "{condensed:#?}");
    assert!(stage.last_sent().await.contains("file 1 line 20"));
}

fn authorized(stage: &Stage) -> Vec<Authorized> {
    let authorized = |decision| match decision {
        Decision::Authorized(authorized) => Some(*authorized),
        _ => None,
    };
    stage.decisions().into_iter().filter_map(authorized).collect()
}

/// What two looks say of the first call of a batch.
fn conflict() -> Value {
    let conflict = json!({
        "call": "c1", "source": "user:0", "quote": "Never delete keep.txt", "path": "/command",
        "reason": "It deletes what is to be kept.",
    });
    json!({ "conflicts": [conflict] })
}

/// A batch that deletes and looks, and the same again.
fn deleting() -> Script {
    let batch = || [shell("rm keep.txt"), view("a.txt")];
    passes(Script::default().on("Clean").calls("", &batch()).calls("", &batch()).says(&status("Cleaned.", "done")))
}

async fn cleaned(script: Script) -> Stage {
    let mut stage = Stage::begin(script, &["supervisor.authorizer.enabled=true"]);
    stage.file("keep.txt", "kept");
    stage.file("a.txt", "alpha");
    stage.turn("Clean up here. Never delete keep.txt!").await;
    stage
}

#[tokio::test]
async fn a_call_against_the_persons_words_is_an_error_and_its_siblings_run() {
    let stage = cleaned(deleting().judge("authorizer", &conflict())).await;
    assert!(stage.path("keep.txt").exists());
    let results = stage.results();
    let outcomes: Vec<(&str, ToolOutcome)> =
        results.iter().map(|(tool, outcome, _)| (tool.as_str(), *outcome)).collect();
    let refused = outcomes.iter().filter(|one| **one == ("shell", ToolOutcome::Error)).count();
    let ran = outcomes.iter().filter(|one| **one == ("view", ToolOutcome::Ok)).count();
    assert_eq!((refused, ran), (2, 2), "{results:#?}");
    let error = "[authorizer] Tool not executed: It deletes what is to be kept. user source user:0: \
                 \"Never delete keep.txt\".";
    assert!(results.iter().any(|(_, _, text)| text == error), "{results:#?}");
    let authorized = authorized(&stage);
    assert_eq!(authorized.len(), 2, "{authorized:#?}");
    assert_eq!((authorized[0].checked, authorized[0].blocked.len(), authorized[0].requests.len()), (2, 1, 2));
    // The same call again is known; the other one is asked about anew.
    assert!(authorized[1].cached && authorized[1].blocked.len() == 1, "{authorized:#?}");
    let counters = &stage.own.supervisor.counters;
    assert_eq!((counters.blocked, counters.cached, counters.unavailable), (2, 1, 0), "{counters:?}");
}

#[tokio::test]
async fn one_look_alone_or_none_at_all_blocks_nothing() {
    let none = json!({ "conflicts": [] });
    let cases = [
        ("unconfirmed", deleting().judge_times("authorizer", 1, &conflict()).judge("authorizer", &none)),
        ("not the person's words", {
            let mut made_up = conflict();
            made_up["conflicts"][0]["quote"] = json!("Never delete anything");
            deleting().judge("authorizer", &made_up)
        }),
        ("broken", deleting().judge_where("authorizer", "", None, "yes")),
        ("down", deleting().judge_fails("authorizer", "no_key")),
    ];
    for (name, script) in cases {
        let stage = cleaned(script).await;
        assert!(!stage.path("keep.txt").exists(), "{name}");
        let first = authorized(&stage).remove(0);
        assert!(first.blocked.is_empty(), "{name}: {first:#?}");
        assert_eq!(first.unconfirmed.len(), usize::from(name == "unconfirmed"), "{name}: {first:#?}");
        assert_eq!(first.unavailable.is_some(), matches!(name, "broken" | "down"), "{name}: {first:#?}");
    }
}
