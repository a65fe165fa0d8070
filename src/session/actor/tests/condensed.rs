//! Oversized results before the model reads them.

use serde_json::{Value, json};

use super::fakes::Stage;
use super::fakes::*;
use crate::config::schema;
use crate::proto::*;
use crate::session::Pick;
use crate::supervisor::switch;
use crate::text::tokens;

fn wanted(threshold: u64, adaptive: bool) -> Wanted {
    let condense = schema::Condense { enabled: true, adaptive, tokens_threshold: threshold };
    let tools = vec![annotated("view", true), tool("alpha")];
    Wanted { supervisor: schema::Supervisor { condense, ..watched() }, tools, ..Wanted::default() }
}

/// Numbered lines, many more tokens than a result may have here.
fn long() -> String {
    let mut lines: Vec<String> = (1..=400).map(|line| format!("line {line} says nothing of interest")).collect();
    lines[199] = "error: something broke here".to_owned();
    lines.join("\n")
}

async fn calls(stage: &mut Stage, texts: &[&str]) {
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Main);
    asked.text("I look into it.");
    for at in 0..texts.len() {
        asked.call(&format!("p{at}"), "view", json!({ "path": format!("{at}.txt") }));
    }
    asked.stop(StopReason::ToolCalls);
    for _ in texts {
        let call = stage.called().await;
        let path = call.arguments["path"].as_str().unwrap().to_owned();
        call.ok(texts[path.trim_end_matches(".txt").parse::<usize>().unwrap()]);
    }
}

async fn condenses(stage: &mut Stage, results: Value) -> String {
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Supervisor(Mechanic::Condense));
    asked.answer(&json!({ "results": results }).to_string());
    said(&asked.request).join("\n")
}

fn record(stage: &Stage) -> Condensed {
    let of = |record: &std::sync::Arc<SupervisorRecord>| match &record.decision {
        Decision::Condensed(condensed) => Some((**condensed).clone()),
        _ => None,
    };
    stage.own.supervisor.records.iter().rev().find_map(of).expect("a record")
}

async fn over(stage: &mut Stage) -> Vec<String> {
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Main);
    let turn = stage.own.turn.0.max(1);
    asked.answer("Over.");
    stage.until_idle(turn).await;
    said(&asked.request)
}

#[tokio::test(start_paused = true)]
async fn what_matters_stays_word_for_word_and_the_whole_is_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(512, false));
    stage.say("What broke?").await;
    let (text, small) = (long(), "short");
    calls(&mut stage, &[&text, small, &text]).await;
    let asked = condenses(&mut stage, json!([{ "id": "r1", "keep": [[1, 2]] }, { "id": "r2", "keep": "all" }])).await;
    assert!(asked.contains("I look into it.") && asked.contains("What broke?") && !asked.contains("short"), "{asked}");
    let said = over(&mut stage).await;
    let results = said.iter().find(|line| line.starts_with("tools: ")).unwrap();
    assert!(results.contains("📎 CONDENSED: 3 of 400 lines"), "{results}");
    assert!(results.contains("line 1 says nothing of interest\nline 2 says nothing of interest\n"));
    assert!(results.contains("error: something broke here"), "errors stay");
    assert!(results.contains("short") && results.contains(&text), "the others are whole");

    let condensed = record(&stage);
    assert_eq!((condensed.threshold, condensed.multiplier, &condensed.trouble), (512, 1.0, &None));
    let [first, second] = condensed.results.as_slice() else { panic!("{condensed:?}") };
    assert_eq!(first.keep, Keep::Lines(vec![(1, 2), (200, 200)]));
    assert!(first.after < first.before && first.error_lines == 1);
    assert_eq!((second.keep.clone(), second.after), (Keep::All, second.before));
    let spill = first.spill.clone().unwrap();
    assert!(results.contains(&spill));
    assert_eq!(std::fs::read_to_string(&spill).unwrap(), text);
    assert_eq!(second.spill, None);
    let counters = &stage.own.supervisor.counters;
    assert_eq!((counters.condensed, counters.tokens_saved), (1, first.before - first.after));
    stage.quit().await;

    let pick = Pick::Resume { name: "play".into() };
    let mut stage = Stage::open(dir.path(), Wanted { pick, ..wanted(512, false) });
    stage.until("the past", |own| own.turn.0 == 1).await;
    stage.say("Again").await;
    let again = stage.asked().await;
    assert!(super::fakes::said(&again.request).join("\n").contains("📎 CONDENSED: 3 of 400 lines"));
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn a_result_that_was_cut_before_keeps_both_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), Wanted { result_limit: 2000, ..wanted(512, false) });
    stage.say("What broke?").await;
    let text = long();
    calls(&mut stage, &[&text]).await;
    condenses(&mut stage, json!([{ "id": "r1", "keep": [[1, 1]] }])).await;
    over(&mut stage).await;
    let spill = record(&stage).results[0].spill.clone().unwrap();
    assert!(spill.ends_with("-cut.txt"), "{spill}");
    let given = std::fs::read_to_string(&spill).unwrap();
    assert!(given.len() < text.len() && given.starts_with("line 1 says"), "lines are counted in what was given");
    assert_eq!(std::fs::read_to_string(spill.replace("-cut.txt", ".txt")).unwrap(), text);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_in_time_all_stays_whole_and_that_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(512, false));
    stage.say("What broke?").await;
    calls(&mut stage, &[&long()]).await;
    let before = tokio::time::Instant::now();
    let late = stage.asked().await;
    tokio::time::sleep(std::time::Duration::from_secs(55)).await;
    let said = over(&mut stage).await;
    assert_eq!(before.elapsed().as_secs(), 60);
    assert!(late.cancel.is_cancelled() && said.iter().any(|line| line.contains(&long())));
    assert_eq!(record(&stage).trouble.as_deref(), Some("no answer in 60 s"));
    // Stopped by the person, it is written down too.
    stage.say("And now?").await;
    calls(&mut stage, &[&long()]).await;
    stage.asked().await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(2).await;
    assert_eq!(record(&stage).trouble.as_deref(), Some("stopped by you"));
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_all_stays_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(512, true));
    let text = long();
    for (turn, answer) in [(1, None), (2, Some("I would rather not.")), (3, Some("{\"results\":[]}"))] {
        stage.say("What broke?").await;
        calls(&mut stage, &[&text]).await;
        let asked = stage.asked().await;
        match answer {
            Some(answer) => asked.answer(answer),
            None => asked.fail(fault(FaultKind::BadRequest)),
        }
        let said = over(&mut stage).await;
        stage.until_idle(turn).await;
        assert!(said.iter().rfind(|line| line.starts_with("tools: ")).unwrap().contains(&text));
        let condensed = record(&stage);
        let why = condensed.trouble.or_else(|| condensed.results.first().and_then(|result| result.trouble.clone()));
        assert!(why.is_some(), "turn {turn}");
    }
    assert_eq!(stage.own.supervisor.counters.condensed, 0);
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn the_threshold_is_a_sharp_edge() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(512, false));
    let of = |tokens: u64| {
        let mut text = "word ".repeat(400);
        while tokens::estimate(&text) < tokens {
            text.push_str("word ");
        }
        while tokens::estimate(&text) > tokens {
            text.pop();
        }
        assert_eq!(tokens::estimate(&text), tokens);
        text
    };
    stage.say("Look").await;
    calls(&mut stage, &[&of(512)]).await;
    let asked = stage.asked().await;
    assert_eq!(asked.request.purpose, Purpose::Main, "512 tokens are looked at by nobody");
    asked.call("p", "view", json!({ "path": "a" }));
    asked.stop(StopReason::ToolCalls);
    stage.called().await.ok(&of(513));
    condenses(&mut stage, json!([{ "id": "r1", "keep": "all" }])).await;
    over(&mut stage).await;
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn the_multiplier_learns_when_it_may() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(2000, true));
    let text = long();
    for turn in 1..=2 {
        stage.say("What broke?").await;
        calls(&mut stage, &[&text]).await;
        condenses(&mut stage, json!([{ "id": "r1", "keep": [[1, 2]] }])).await;
        over(&mut stage).await;
        stage.until_idle(turn).await;
    }
    let condensed = record(&stage);
    assert_eq!((condensed.multiplier, condensed.threshold), (0.8, 1600));
    assert!(condensed.multiplier_after < 0.8);
    stage.command(Command::Switch { key: switch::ADAPTIVE.into(), on: false }).await;
    let off = |own: &Snapshot| own.supervisor.switches.iter().any(|view| view.key == switch::ADAPTIVE && !view.on);
    stage.until("it is off", off).await;
    stage.say("What broke?").await;
    calls(&mut stage, &[&text]).await;
    condenses(&mut stage, json!([{ "id": "r1", "keep": [[1, 2]] }])).await;
    over(&mut stage).await;
    stage.until_idle(3).await;
    assert_eq!((record(&stage).multiplier, record(&stage).threshold), (1.0, 2000), "the setting as it is");
    stage.quit().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_where_it_is_off_or_of_no_use() {
    let text = long();
    let off = Wanted { supervisor: watched(), ..wanted(512, false) };
    let unread = Wanted { tools: vec![tool("alpha"), annotated("look", true)], ..wanted(512, false) };
    let whole = Wanted { supervisor: unsupervised(), ..wanted(512, false) };
    let zero = wanted(0, false);
    for (wanted, name, why) in [
        (off, "view", None),
        (unread, "look", Some("the role has no tool that reads local files")),
        (whole, "view", None),
        (zero, "view", Some("tokens_threshold is 0")),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut stage = Stage::open(dir.path(), wanted);
        stage.say("Look").await;
        let asked = stage.asked().await;
        asked.call("p", name, json!({}));
        asked.stop(StopReason::ToolCalls);
        stage.called().await.ok(&text);
        assert!(over(&mut stage).await.last().unwrap().contains(&text));
        let view = stage.own.supervisor.switches.iter().find(|view| view.key == switch::CONDENSE).unwrap();
        match why {
            Some(why) => assert_eq!(view.state, SwitchState::Idle { why: why.into() }),
            None => assert!(!view.on || matches!(&view.state, SwitchState::Idle { .. })),
        }
        stage.quit().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_leaves_the_results_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut stage = Stage::open(dir.path(), wanted(512, false));
    stage.say("What broke?").await;
    calls(&mut stage, &[&long()]).await;
    let asked = stage.asked().await;
    stage.command(Command::Interrupt).await;
    stage.until_idle(1).await;
    assert_eq!(stage.outcome(), TurnOutcome::Interrupted);
    assert!(asked.cancel.is_cancelled());
    asked.answer(&json!({ "results": [{ "id": "r1", "keep": "none" }] }).to_string());
    stage.say("Go on").await;
    assert!(over(&mut stage).await.join("\n").contains(&long()));
    stage.quit().await;
}
