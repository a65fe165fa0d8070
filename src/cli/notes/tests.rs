use std::sync::Arc;

use super::*;
use crate::cli::args::{CommandLine, Subcommands, parse};
use crate::cli::table::Paint;
use crate::proto::{
    AgentState, Condensed, CondensedResult, Detection, DetectionAction, Detector, Event, Evidence, Gap, GapState,
    GateOutcome, GateThen, GateVerdict, Keep, PlanAction, PlanDecision, PlanSignal, PlanTrigger, Reported, RequestId,
    SelfReport, Signal, Switched, SwitchedHow,
};
use crate::session::journal::JOURNAL;

fn reported() -> Decision {
    let report = SelfReport {
        state: AgentState::Done,
        focus: "the note\u{1b}[2J".to_owned(),
        next: String::new(),
        carry: vec!["path: notes.txt".to_owned(), "second".to_owned()],
        plan: Some(PlanSignal { signal: Signal::PhaseComplete, note: "written".to_owned() }),
        memories: Vec::new(),
        behaviors: Vec::new(),
    };
    let dropped = vec!["looks like a key".to_owned()];
    Decision::Reported(Box::new(Reported { request: RequestId(4), report: Some(report), trouble: None, dropped }))
}

fn detected() -> Decision {
    Decision::Detected(Box::new(Detection {
        detector: Detector::Loop,
        count: 3,
        threshold: 3,
        calls: vec!["files.view a.txt".to_owned()],
        action: DetectionAction::Noted { text: "<octomind-note kind=\"steer\">\nLook elsewhere.".to_owned() },
    }))
}

fn gaps() -> Decision {
    let gap = |finding: &str, state| Gap {
        finding: finding.to_owned(),
        blocking: true,
        reference: "call:c3-1".to_owned(),
        quote: String::new(),
        state,
    };
    let refuted = GapState::Refuted { why: "the file is there".to_owned() };
    Decision::Gate(Arc::new(GateVerdict {
        attempt: 1,
        of: 3,
        claim: Some(AgentState::Done),
        outcome: GateOutcome::Gaps,
        why: "The test was not run.".to_owned(),
        mutations: vec!["files.write notes.txt".to_owned()],
        checks: Vec::new(),
        prohibitions: Vec::new(),
        evidence: vec![Evidence { reference: "call:c3-1".to_owned(), quote: "wrote 1 line".to_owned(), found: true }],
        gaps: vec![gap("no test", GapState::Stands), gap("no file", refuted)],
        then: GateThen::RunAgain { note: "Run the test.".to_owned() },
        requests: vec![RequestId(5), RequestId(6)],
        model: "script:x".to_owned(),
        elapsed_ms: 1200,
    }))
}

fn planned() -> Decision {
    Decision::Planned(Box::new(PlanDecision {
        trigger: PlanTrigger::Broken { assumption: "file_exists: src/foo.rs".to_owned() },
        action: PlanAction::Revise,
        reason: "The file is gone.".to_owned(),
        trouble: None,
        request: Some(RequestId(7)),
        plan: None,
    }))
}

fn condensed() -> Decision {
    let result = |call: &str, keep, after| CondensedResult {
        call: crate::proto::CallId(call.to_owned()),
        tool: "files.view".to_owned(),
        before: 6000,
        after,
        keep,
        error_lines: 2,
        spill: Some("/tmp/whole".to_owned()),
        trouble: None,
    };
    Decision::Condensed(Box::new(Condensed {
        request: Some(RequestId(8)),
        threshold: 5000,
        multiplier: 1.1,
        multiplier_after: 1.2,
        results: vec![result("c1", Keep::Lines(vec![(1, 9), (40, 44)]), 900), result("c2", Keep::All, 6000)],
        passed_over: 0,
        trouble: None,
    }))
}

fn switched() -> Decision {
    let key = "supervisor.gate.enabled".to_owned();
    let what = SwitchedHow::Refused { why: "evolution needs it".to_owned() };
    Decision::Switched(Box::new(Switched { key, from: true, to: false, by: "you".to_owned(), what }))
}

/// Two turns of one day, and one of the next.
fn journal(sessions: &Path) {
    let folder = sessions.join("brisk-otter");
    std::fs::create_dir_all(&folder).unwrap();
    let started = Body::SessionStarted {
        name: "brisk-otter".to_owned(),
        role: "developer".to_owned(),
        workdir: "/work".to_owned(),
        folder: String::new(),
        version: String::new(),
    };
    let other = Decision::CallRefused { tool: "x".to_owned(), reason: "y".to_owned() };
    let bodies = [
        (0, started),
        (1_000, Body::TurnStarted { turn: TurnId(1) }),
        (2_000, Body::Decided(detected())),
        (3_000, Body::Decided(other)),
        (4_000, Body::Decided(reported())),
        (5_000, Body::Decided(gaps())),
        (6_000, Body::TurnStarted { turn: TurnId(2) }),
        (7_000, Body::Decided(planned())),
        (8_000, Body::Decided(condensed())),
        (DAY + 9_000, Body::TurnStarted { turn: TurnId(3) }),
        (DAY + 9_000, Body::Decided(switched())),
    ];
    let mut text = String::new();
    for (seq, (at, body)) in (1..).zip(bodies) {
        let event = Event { seq: Seq(seq), at: 50_000_000 + at, order: None, body };
        text.push_str(&(serde_json::to_string(&event).unwrap() + "\n"));
    }
    text.push_str("{\"broken\": true}\n");
    std::fs::write(folder.join(JOURNAL), text).unwrap();
}

fn run(words: &[&str]) -> (Exit, String, String) {
    let line = parse(["octomind", "notes"].iter().chain(words).copied()).unwrap();
    let CommandLine { command: Some(Subcommands::Notes(arguments)), .. } = line else { panic!("{line:?}") };
    let sessions = tempfile::tempdir().unwrap();
    journal(sessions.path());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let look = Look { columns: 80, paint: Paint::Plain };
    let exit = run_in(&arguments, (sessions.path(), Path::new("/work")), look, &mut out, &mut err).unwrap();
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn one_line_a_record() {
    let (exit, out, err) = run(&[]);
    assert_eq!(exit, Exit::Done);
    assert_eq!(err, "note: left out of the journal as unreadable: 1 record\n");
    insta::assert_snapshot!(out);
}

#[test]
fn every_field_of_some() {
    let (_, out, _) = run(&["--full", "--kind", "gate,condense", "-s", "brisk"]);
    insta::assert_snapshot!(out);
}

/// Whatever a record carries is in its outline, and nothing in it moves the cursor.
#[test]
fn nothing_is_left_out_of_the_whole() {
    let (_, out, _) = run(&["--full"]);
    assert!(!out.contains('\u{1b}'), "{out}");
    let flat: String = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for decision in [reported(), detected(), gaps(), planned(), condensed(), switched()] {
        for text in texts(&serde_json::to_value(&decision).unwrap()) {
            let text = crate::text::sanitize(&text).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(&text), "{text:?} is not in {out}");
        }
    }
}

fn texts(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(items) => items.iter().flat_map(texts).collect(),
        serde_json::Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn one_object_for_programs() {
    let (exit, out, _) = run(&["--format", "json", "--kind", "gate"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    let records = told["records"].as_array().unwrap();
    assert_eq!((exit, told["version"].as_u64(), records.len()), (Exit::Done, Some(1), 1));
    let record = &records[0];
    assert_eq!(
        (record["turn"].as_u64(), record["who"].as_str(), record["seq"].as_u64()),
        (Some(1), Some("gate"), Some(6))
    );
    let decision: Decision = serde_json::from_value(record["decision"].clone()).unwrap();
    assert_eq!(decision, gaps());
}

#[test]
fn nothing_to_list_and_nothing_to_read() {
    let (exit, out, _) = run(&["--kind", "authorizer"]);
    assert_eq!(
        (exit, out.as_str()),
        (Exit::Done, "The supervisor left no records of kind authorizer in brisk-otter.\n")
    );
    let (exit, out, err) = run(&["--session", "nobody"]);
    assert_eq!((exit, out.as_str()), (Exit::BadInput, ""));
    assert!(err.contains("nobody"), "{err}");
    assert!(parse(["octomind", "notes", "--kind", "gates"]).is_err());
}

/// The name one asks by is the name the line shows.
#[test]
fn kinds_are_the_words_of_the_lines() {
    for decision in [reported(), detected(), gaps(), planned(), condensed(), switched()] {
        assert_eq!(Kind::of(&decision).unwrap().word(), decision.headline().1);
    }
}
