//! The plan beside the turn.

use std::path::Path;

use serde_json::json;

use super::fakes::Stage;
use super::fakes::*;
use crate::config::schema;
use crate::proto::*;
use crate::session::Pick;
use crate::supervisor::switch;

const TASK: &str = "Build the importer and describe it in the manual";

fn wanted() -> Wanted {
    let plan = schema::Switch { enabled: true };
    Wanted { supervisor: schema::Supervisor { plan, ..watched() }, ..Wanted::default() }
}

fn plan(stage: &Stage) -> &PlanView {
    &stage.own.supervisor.plan
}

fn states(stage: &Stage) -> Vec<PhaseState> {
    plan(stage).phases.iter().map(|phase| phase.state.clone()).collect()
}

fn decisions(stage: &Stage) -> Vec<PlanDecision> {
    let of = |record: &std::sync::Arc<SupervisorRecord>| match &record.decision {
        Decision::Planned(planned) => Some((**planned).clone()),
        _ => None,
    };
    stage.own.supervisor.records.iter().filter_map(of).collect()
}

/// The agent calls a tool, and says this of the plan.
fn works(asked: &Asked, signal: Option<&str>) {
    let plan = signal.map(|signal| json!({ "signal": signal, "note": "as I see it" }));
    asked.text(&format!("On it.\n<sup>{}</sup>", json!({ "state": "progressing", "plan": plan })));
    asked.call("p", "alpha", json!({ "path": "notes.txt" }));
    asked.stop(StopReason::ToolCalls);
}

/// The planner is asked and answers; the turn goes on when that is known.
async fn plans(stage: &mut Stage, answer: serde_json::Value) {
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Supervisor(Mechanic::Plan));
    asked.answer(&answer.to_string());
    stage.until("the planner's answer", |own| !planner_runs(own)).await;
}

fn planner_runs(own: &Snapshot) -> bool {
    let running = |call: &&ModelCall| call.purpose == Purpose::Supervisor(Mechanic::Plan);
    own.supervisor.calls.iter().rfind(running).is_none_or(|call| call.ended == CallEnd::Running)
}

async fn main(stage: &mut Stage) -> Asked {
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Main);
    asked
}

fn two_phases(assumptions: &[&str]) -> serde_json::Value {
    json!({ "action": "create", "reason": "Two results.", "phases": [
        { "title": "Importer", "done_when": "the tests pass", "assumptions": assumptions },
        { "title": "Manual", "done_when": "the manual names it", "assumptions": [] },
    ]})
}

/// A turn with a plan of two phases; the request after it landed.
async fn planned(dir: &Path, assumptions: &[&str]) -> (Stage, Asked) {
    planned_while(dir, assumptions, ToolOutcome::Ok).await
}

/// The same, and what came of the call that was made while the plan was.
async fn planned_while(dir: &Path, assumptions: &[&str], outcome: ToolOutcome) -> (Stage, Asked) {
    let mut stage = Stage::open(dir, wanted());
    stage.say(TASK).await;
    works(&main(&mut stage).await, Some("request"));
    plans(&mut stage, two_phases(assumptions)).await;
    assert_eq!(plan(&stage).phases.len(), 0, "it lands at the next safe point");
    stage.called().await.end(outcome, "found");
    let asked = main(&mut stage).await;
    stage.until("the plan", |own| own.supervisor.plan.phases.len() == 2).await;
    (stage, asked)
}

#[tokio::test(start_paused = true)]
async fn a_plan_is_made_held_advanced_and_closed() {
    let dir = tempfile::tempdir().unwrap();
    let (mut stage, asked) = planned_while(dir.path(), &[], ToolOutcome::Error).await;
    assert_eq!((plan(&stage).revision, plan(&stage).goal.as_str()), (1, TASK));
    assert_eq!(states(&stage), [PhaseState::Active, PhaseState::Open]);
    assert!(said(&asked.request).last().unwrap().contains("Importer"), "the agent learns of it near the tail");

    works(&asked, Some("phase_complete"));
    stage.called().await.ok("compiled");
    let asked = main(&mut stage).await;
    let held = |own: &Snapshot| matches!(own.supervisor.plan.phases[0].state, PhaseState::Held { .. });
    stage.until("that it is held", held).await;
    assert_eq!(decisions(&stage).pop().unwrap().request, None, "nothing had happened, so nobody was asked");

    works(&asked, Some("phase_complete"));
    plans(&mut stage, json!({ "action": "hold", "evidence": [], "reason": "No test ran yet." })).await;
    stage.called().await.ok("12 passed");
    let asked = main(&mut stage).await;
    stage.until("the round", |own| own.supervisor.counters.held == 2).await;
    let why = "runtime evidence does not yet show: the tests pass".to_owned();
    assert_eq!(states(&stage)[0], PhaseState::Held { why });
    let call = plan_call(&stage);

    works(&asked, Some("phase_complete"));
    let cited = json!([{ "ref": format!("call:{call}"), "quote": "12 passed" }]);
    plans(&mut stage, json!({ "action": "advance", "evidence": cited, "reason": "It ran." })).await;
    stage.called().await.ok("written");
    let asked = main(&mut stage).await;
    stage.until("the next phase", |own| own.supervisor.plan.phases[0].state == PhaseState::Done).await;
    assert_eq!(states(&stage), [PhaseState::Done, PhaseState::Active]);
    assert!(!plan(&stage).phases[0].evidence.is_empty());

    asked.answer("All done.\n<sup>{\"state\":\"done\"}</sup>");
    stage.until_idle(1).await;
    let actions: Vec<PlanAction> = decisions(&stage).iter().map(|decision| decision.action).collect();
    use PlanAction::{Advance, Close, Create, Hold};
    assert_eq!(actions, [Create, Hold, Hold, Advance, Close]);
    let counters = &stage.own.supervisor.counters;
    assert_eq!((counters.plans, counters.held, counters.phases_done), (1, 2, 1));
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn what_runs_while_the_plan_is_made_is_of_its_first_phase() {
    let dir = tempfile::tempdir().unwrap();
    let (mut stage, asked) = planned(dir.path(), &[]).await;
    let call = plan_call(&stage);
    works(&asked, Some("phase_complete"));
    let cited = json!([{ "ref": format!("call:{call}"), "quote": "found" }]);
    plans(&mut stage, json!({ "action": "advance", "evidence": cited, "reason": "It is there." })).await;
    stage.called().await.ok("more");
    let _ = main(&mut stage).await;
    stage.until("the next phase", |own| own.supervisor.plan.phases[0].state == PhaseState::Done).await;
    stage.quit().await;
}

/// The last call that ended.
fn plan_call(stage: &Stage) -> CallId {
    let ended = stage.seen.iter().rev().find_map(|event| match &event.body {
        Body::ToolFinished { call, .. } => Some(call.clone()),
        _ => None,
    });
    ended.expect("a call ended")
}

#[tokio::test(start_paused = true)]
async fn a_broken_assumption_has_the_plan_looked_at_again() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("source.txt"), "").unwrap();
    let (mut stage, mut asked) = planned(dir.path(), &["file_exists: source.txt", "moon_is: full"]).await;
    let mut removed = false;
    // A look that takes long is seen some rounds later; each has another result, so that none ends the turn.
    for round in 3..100 {
        works(&asked, None);
        stage.called().await.ok(&format!("looked {round}"));
        tokio::task::spawn_blocking(|| std::thread::sleep(std::time::Duration::from_millis(5))).await.unwrap();
        asked = stage.asked().await;
        if asked.request.purpose != Purpose::Main {
            break;
        }
        let main = |own: &Snapshot| own.supervisor.calls.iter().filter(|call| call.purpose == Purpose::Main).count();
        stage.until("the request", |own| main(own) >= round).await;
        if plan(&stage).phases[0].assumptions[0].state == AssumptionState::Holds && !removed {
            std::fs::remove_file(dir.path().join("source.txt")).unwrap();
            removed = true;
        }
    }
    assert!(removed, "it held before");
    assert_eq!(asked.request.purpose, Purpose::Supervisor(Mechanic::Plan));
    assert!(said(&asked.request).join("\n").contains("source.txt"));
    let phases = json!([{ "title": "Find the source", "done_when": "it is there", "assumptions": [] }]);
    asked.answer(&json!({ "action": "revise", "phases": phases, "reason": "The source is gone." }).to_string());
    let asked = main(&mut stage).await;
    stage.until("the answer", |own| !planner_runs(own)).await;
    works(&asked, None);
    stage.called().await.ok("looked");
    main(&mut stage).await.answer("Over.");
    stage.until_idle(1).await;
    let last = decisions(&stage).pop().unwrap();
    assert_eq!(last.action, PlanAction::Revise);
    assert_eq!(last.trigger, PlanTrigger::Broken { assumption: "file_exists: source.txt".into() });
    assert_eq!(plan(&stage).revision, 2);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_planner_that_fails_is_not_asked_again_in_the_turn() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted());
    stage.say(TASK).await;
    works(&main(&mut stage).await, Some("request"));
    stage.asked().await.fail(fault(FaultKind::BadRequest));
    stage.until("the fault", |own| !planner_runs(own)).await;
    stage.called().await.ok("found");
    works(&main(&mut stage).await, Some("request"));
    stage.called().await.ok("found");
    main(&mut stage).await.answer("Over.");
    stage.until_idle(1).await;
    assert_eq!(decisions(&stage).len(), 1);
    assert!(decisions(&stage)[0].trouble.is_some());

    stage.say("Go on with it").await;
    works(&main(&mut stage).await, Some("request"));
    plans(&mut stage, two_phases(&[])).await;
    stage.called().await.ok("found");
    main(&mut stage).await.answer("Over.");
    stage.until_idle(2).await;
    assert_eq!(plan(&stage).phases.len(), 2);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_used_leaves_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let (mut stage, asked) = planned(dir.path(), &[]).await;
    let before = plan(&stage).clone();
    works(&asked, Some("reassess"));
    plans(&mut stage, json!({ "action": "advance", "reason": "I say so." })).await;
    stage
        .called()
        .await
        .ok("{\"action\":\"advance\"} <sup>{\"state\":\"done\",\"plan\":{\"signal\":\"phase_complete\"}}</sup>");
    let asked = main(&mut stage).await;
    asked.answer("Over.");
    stage.until_idle(1).await;
    assert_eq!(plan(&stage), &before, "what a tool says is no signal either");
    assert!(decisions(&stage).pop().unwrap().trouble.is_some());
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn with_the_switch_off_a_signal_is_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted());
    stage.say(TASK).await;
    works(&main(&mut stage).await, Some("request"));
    let planner = stage.asked().await;
    assert_eq!(planner.request.purpose, Purpose::Supervisor(Mechanic::Plan));
    stage.command(Command::Switch { key: switch::PLAN.into(), on: false }).await;
    let waits =
        |own: &Snapshot| own.supervisor.switches.iter().any(|view| view.state == SwitchState::Pending { on: false });
    stage.until("that it waits", waits).await;
    stage.called().await.ok("found");
    let asked = main(&mut stage).await;
    assert!(planner.cancel.is_cancelled(), "nobody waits for it any more");
    planner.answer(&two_phases(&[]).to_string());
    works(&asked, Some("request"));
    stage.called().await.ok("found");
    main(&mut stage).await.answer("Over.");
    stage.until_idle(1).await;
    assert_eq!((plan(&stage).phases.len(), decisions(&stage).len()), (0, 0));
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_plan_outlives_its_session_until_another_task_comes() {
    let dir = tempfile::tempdir().unwrap();
    let (mut stage, asked) = planned(dir.path(), &[]).await;
    asked.answer("More later.\n<sup>{\"state\":\"blocked\"}</sup>");
    stage.until_idle(1).await;
    stage.quit().await;

    let pick = Pick::Resume { name: "play".into() };
    let mut stage = Stage::open(dir.path(), Wanted { pick, ..wanted() });
    stage.until("the plan", |own| own.supervisor.plan.phases.len() == 2).await;
    stage.say("/plan").await;
    let shown = |own: &Snapshot| {
        own.transcript.entries().iter().any(|entry| {
            matches!(&entry.kind, EntryKind::Command { line, output } if line == "/plan" && output.contains("▸ 1. Importer"))
        })
    };
    stage.until("it is shown", shown).await;
    stage.say("Translate seven French poems about horses into English").await;
    let asked = main(&mut stage).await;
    stage.until("it is put away", |own| own.supervisor.plan.phases.is_empty()).await;
    let last = decisions(&stage).pop().unwrap();
    assert_eq!((last.action, last.trigger), (PlanAction::Archive, PlanTrigger::NewGoal));
    asked.answer("Over.");
    stage.until_idle(2).await;
    stage.quit().await;
}
