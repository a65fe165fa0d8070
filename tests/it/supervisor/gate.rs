//! What a stop comes to.

use octomind::proto::{AgentState, Command, GapState, GateOutcome, GateThen, Mechanic, RunState, TurnOutcome};
use serde_json::{Value, json};

use super::script::{Script, about, status};
use super::stage::{Stage, config};

fn pass(reference: &str, quote: &str) -> Value {
    json!({ "verdict": "pass", "evidence": [{ "ref": reference, "quote": quote }], "gaps": [] })
}

fn gap(finding: &str, reference: &str, quote: &str) -> Value {
    let gap = json!({
        "finding": finding, "blocking": true, "ref": reference, "quote": quote, "same_as": "", "forbidden_by": "",
    });
    json!({ "verdict": "gaps", "evidence": [], "gaps": [gap] })
}

fn stands() -> Value {
    json!({ "findings": [{ "id": "g1", "stands": true, "why": "so it is" }] })
}

fn write(text: &str) -> (&'static str, Value) {
    ("write", json!({ "path": "notes.txt", "content": text, "overwrite": true }))
}

fn shell(command: &str) -> (&'static str, Value) {
    ("shell", json!({ "command": command }))
}

/// It can fail, and says what is there.
const CHECK: &str = "grep -q '[a-z]' notes.txt && cat notes.txt";

/// What a turn did, and whether a pass is worth the word "verified".
#[tokio::test]
async fn verified_is_only_what_was_changed_and_then_checked() {
    let check = || shell(CHECK);
    let done = |text: &str| status(text, "done");
    // The turn's calls make the requests before the gate's, so the name of each call is known.
    let script = Script::default()
        .on("^checked")
        .calls("", &[write("hello")])
        .calls("", &[check()])
        .says(&done("Written and checked."))
        .on("^unchecked")
        .calls("", &[write("hallo")])
        .says(&done("Written."))
        .on("^too early")
        .calls("", &[check()])
        .calls("", &[write("salut")])
        .says(&done("Looked, then written."))
        .on("^failing")
        .calls("", &[write("ciao")])
        .calls("", &[shell("grep -q nothing notes.txt")])
        .says(&done("Written, and looked."))
        .on("^nothing changed")
        .calls("", &[check()])
        .says(&done("Looked."))
        .on("^only said")
        .says(&done("It is so."));
    // The verifier rests on the last thing it was shown.
    let quoted = r#"{"verdict":"pass","evidence":[{"ref":"{{1}}","quote":"{{2}}"}],"gaps":[]}"#;
    let script = script
        .judge_where("gate", r#"(?s)"succeeded":\s*\[\s*"(call:\S+) [^\]]*\].*"ref":\s*"call.*(hello)"#, None, quoted)
        .judge("gate", &json!({ "verdict": "pass", "evidence": [], "gaps": [] }));
    let mut stage = Stage::begin(script, &[]);
    let cases = [
        ("checked", GateOutcome::Verified, (1, 1)),
        ("unchecked", GateOutcome::Unknown, (1, 0)),
        ("too early", GateOutcome::Unknown, (1, 0)),
        ("failing", GateOutcome::Unknown, (1, 0)),
        ("nothing changed", GateOutcome::Unknown, (0, 1)),
        ("only said", GateOutcome::Unknown, (0, 0)),
    ];
    for (message, outcome, (mutations, checks)) in cases {
        assert_eq!(stage.turn(message).await, TurnOutcome::Done);
        let verdict = stage.verdicts().pop().unwrap();
        assert_eq!(verdict.outcome, outcome, "{message}: {verdict:#?}");
        assert_eq!((verdict.mutations.len(), verdict.checks.len()), (mutations, checks), "{message}: {verdict:#?}");
        assert_eq!((verdict.attempt, verdict.of, &verdict.then), (1, 3, &GateThen::Accepted), "{message}");
        assert_eq!(verdict.claim, Some(AgentState::Done), "{message}");
    }
    assert_eq!(stage.verdicts().len(), cases.len(), "every stop is looked at once");
    let counters = &stage.own.supervisor.counters;
    assert_eq!((counters.verified, counters.passed, counters.reports), (1, 5, 6), "{counters:?}");
    assert!(stage.replies().iter().all(|reply| !reply.contains("sup>")), "{:?}", stage.replies());
    let (end, _root) = stage.quit().await;
    assert_eq!(end.verdict, Some(GateOutcome::Unknown));
}

#[tokio::test]
async fn gaps_send_the_agent_back_and_then_it_passes() {
    let script = Script::default()
        .on("greeting")
        .calls("", &[write("hallo")])
        .says(&status("Written.", "done"))
        .calls("", &[write("hello")])
        .calls("", &[shell(CHECK)])
        .says(&status("Now it is English.", "done"))
        .judge_times("gate", 1, &gap("The greeting is German.", "call:c1-1", "notes.txt"))
        .judge("refute", &stands())
        .judge_where(
            "gate",
            r#""(call:c\d+-1)[^"]*grep -q"#,
            None,
            r#"{"verdict":"pass","evidence":[{"ref":"{{1}}","quote":"hello"}],"gaps":[]}"#,
        );
    let mut stage = Stage::begin(script, &[]);
    stage.turn("Write an English greeting into notes.txt.").await;
    let verdicts = stage.verdicts();
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    let GateThen::RunAgain { note } = &verdicts[0].then else { panic!("{:#?}", verdicts[0]) };
    assert_eq!((verdicts[0].outcome, verdicts[0].standing().count()), (GateOutcome::Gaps, 1));
    assert_eq!((verdicts[0].requests.len(), verdicts[1].requests.len()), (2, 1), "a second look at what blocks");
    assert_eq!((verdicts[1].outcome, verdicts[1].attempt), (GateOutcome::Verified, 2), "{:#?}", verdicts[1]);
    assert!(note.starts_with("<octomind-note kind=\"gate\">") && note.contains("The greeting is German."), "{note}");
    assert_eq!(stage.notes(), [("gate".to_owned(), note.clone())]);
    // One turn; the note is in what the agent was sent next.
    assert_eq!(stage.own.turn.0, 1);
    let sent = stage.last_sent().await;
    assert!(sent.contains("The greeting is German."), "{sent}");
    assert_eq!(std::fs::read_to_string(stage.path("notes.txt")).unwrap(), "hello");
}

#[tokio::test]
async fn gaps_to_the_end_and_the_turn_is_over_unverified() {
    let mut script = Script::default().on("task");
    for look in 1..=3 {
        script = script.calls("", &[write(&format!("try {look}"))]).says(&status(&format!("Done, {look}."), "done"));
    }
    for look in 1..=3 {
        script = script.judge_times("gate", 1, &gap(&format!("Fault {look}."), "reply", "Done"));
    }
    let mut stage = Stage::begin(script.judge("refute", &stands()), &[]);
    assert_eq!(stage.turn("the task").await, TurnOutcome::Done);
    let verdicts = stage.verdicts();
    let ends: Vec<bool> = verdicts.iter().map(|verdict| matches!(verdict.then, GateThen::Ended { .. })).collect();
    assert_eq!(ends, [false, false, true], "{verdicts:#?}");
    assert!(verdicts.iter().all(|verdict| verdict.outcome == GateOutcome::Gaps));
    assert_eq!(verdicts.iter().map(|verdict| verdict.attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(stage.notes().len(), 2, "sent back twice");
    assert_eq!(stage.replies().last().unwrap().trim(), "Done, 3.", "the answer is kept");
    assert_eq!(stage.quit().await.0.verdict, Some(GateOutcome::Gaps));
}

#[tokio::test]
async fn the_same_gaps_again_after_new_evidence_end_it_early() {
    let script = Script::default()
        .on("task")
        .calls("", &[write("one")])
        .says(&status("Done.", "done"))
        .calls("", &[write("two")])
        .says(&status("Done again.", "done"))
        .judge("gate", &gap("The file is empty.", "call:c1-1", "notes.txt"))
        .judge("refute", &stands());
    let mut stage = Stage::begin(script, &[]);
    stage.turn("the task").await;
    let verdicts = stage.verdicts();
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    assert!(matches!(verdicts[1].then, GateThen::Ended { .. }), "{:#?}", verdicts[1]);
}

#[tokio::test]
async fn a_second_look_or_a_quote_that_is_not_there_clears_a_gap() {
    let script = Script::default()
        .on("refuted")
        .says(&status("Twelve.", "done"))
        .on("made up")
        .says(&status("Thirteen.", "done"))
        .judge_where("gate", "made up", None, &gap("It is wrong.", "reply", "Fourteen").to_string())
        .judge("gate", &gap("It is wrong.", "reply", "Twelve"))
        .judge("refute", &json!({ "findings": [{ "id": "g1", "stands": false, "why": "it is right" }] }));
    let mut stage = Stage::begin(script, &[]);
    for message in ["refuted", "made up"] {
        stage.turn(message).await;
    }
    let verdicts = stage.verdicts();
    let outcomes: Vec<GateOutcome> = verdicts.iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [GateOutcome::Unknown, GateOutcome::Indeterminate], "what is made up settles nothing");
    assert!(matches!(verdicts[0].gaps[0].state, GapState::Refuted { .. }), "{:#?}", verdicts[0]);
    assert!(matches!(verdicts[1].gaps[0].state, GapState::Unsupported { .. }), "{:#?}", verdicts[1]);
    assert_eq!(stage.requests(Some(Mechanic::Refute)).len(), 1, "what is not there is not looked at twice");
    assert_eq!(stage.notes(), []);
}

/// Transport, form twice, form once.
#[tokio::test]
async fn without_a_usable_answer_nothing_is_verified() {
    let work = |script: Script, pattern: &str| {
        script.on(pattern).calls("", &[write("x")]).calls("", &[shell(CHECK)]).says(&status("Done.", "done"))
    };
    let script = ["broken", "mended"].into_iter().fold(Script::default(), work);
    let script = script
        .judge_where("gate", &about("broken"), None, "I think that it is fine.")
        .judge_where("gate", &about("mended"), Some(1), r#"{"verdict":"perhaps"}"#)
        .judge_where("gate", &about("mended"), None, r#"{"verdict":"pass","evidence":[],"gaps":[]}"#);
    let mut stage = Stage::begin(script, &[]);
    assert_eq!(stage.turn("broken").await, TurnOutcome::Done);
    assert_eq!(stage.requests(Some(Mechanic::Gate)).len(), 2, "once more, for the form");
    assert_eq!(stage.turn("mended").await, TurnOutcome::Done);
    assert_eq!(stage.requests(Some(Mechanic::Gate)).len(), 4);
    let outcomes: Vec<GateOutcome> = stage.verdicts().iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [GateOutcome::Indeterminate, GateOutcome::Unknown]);
    assert_eq!(stage.notes(), [], "nobody is sent back for it");

    let mut stage = Stage::begin(work(Script::default(), "gone").judge_fails("gate", "no_key"), &[]);
    assert_eq!(stage.turn("gone").await, TurnOutcome::Done);
    let verdict = stage.verdicts().pop().unwrap();
    assert_eq!(verdict.outcome, GateOutcome::Indeterminate);
    assert!(matches!(&verdict.then, GateThen::Ended { why } if !why.is_empty()), "{verdict:#?}");
}

#[tokio::test]
async fn a_check_that_was_forbidden_is_not_missed() {
    let words = "Do not run the tests.";
    let script = Script::default()
        .on("notes")
        .calls("", &[write("hello")])
        .says(&status("Written.", "done"))
        .on("and now")
        .calls("", &[write("hello again")])
        .says(&status("Changed.", "done"))
        .judge("gate", &gap("The tests were not run after the change.", "reply", "e"))
        .judge("refute", &stands());
    let mut stage = Stage::begin(script, &[]);
    stage.turn(&format!("Write notes.txt. {words}")).await;
    // It holds until the person says otherwise.
    stage.turn("and now the same once more").await;
    let verdicts = stage.verdicts();
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    for verdict in verdicts {
        assert_eq!(verdict.prohibitions, [words]);
        let forbidden = GapState::Forbidden { prohibition: words.to_owned() };
        assert_eq!((verdict.outcome, &verdict.gaps[0].state), (GateOutcome::Unknown, &forbidden), "{verdict:#?}");
    }
    assert_eq!(stage.requests(Some(Mechanic::Refute)).len(), 0);
}

#[tokio::test]
async fn a_hand_back_without_need_is_refused_and_a_genuine_one_is_not() {
    let script = Script::default()
        .on("notes.txt")
        .says(&status("Which file do you mean?", "need_input"))
        .calls("", &[write("hello")])
        .says(&status("Written.", "done"))
        .on("password")
        .says(&status("I need your password for that.", "blocked"))
        .judge_where("gate", "Which file", Some(1), &gap("The file is named.", "user:0", "notes.txt").to_string())
        .judge("refute", &stands())
        .judge("gate", &json!({ "verdict": "pass", "evidence": [], "gaps": [] }));
    let mut stage = Stage::begin(script, &[]);
    stage.turn("Write hello into notes.txt").await;
    let verdicts = stage.verdicts();
    assert_eq!(verdicts.len(), 2, "{verdicts:#?}");
    assert_eq!(verdicts[0].claim, Some(AgentState::NeedInput));
    assert!(matches!(verdicts[0].then, GateThen::RunAgain { .. }), "{:#?}", verdicts[0]);
    assert_eq!((verdicts[1].claim, verdicts[1].outcome), (Some(AgentState::Done), GateOutcome::Unknown));
    assert!(stage.path("notes.txt").exists());

    stage.turn("Change the password").await;
    let verdict = stage.verdicts().pop().unwrap();
    assert_eq!((verdict.claim, &verdict.then), (Some(AgentState::Blocked), &GateThen::Accepted), "{verdict:#?}");
}

/// The answer stands; only the look at it is over.
#[tokio::test]
async fn the_person_can_stop_the_look() {
    let script = Script::default().on("go").says(&status("Done.", "done")).text();
    let script = format!("{script}[[supervise]]\nasks = \"gate\"\ndelay_ms = 600000\nreply = \"\"\n");
    let root = tempfile::tempdir().unwrap();
    let start = config(&root, Script::default(), &[]);
    std::fs::write(root.path().join("script.toml"), script).unwrap();
    let mut stage = Stage::of(root, start);
    stage.say("go").await;
    stage.until(|own| matches!(own.run, RunState::Checking { .. })).await;
    stage.send(Command::Interrupt).await;
    stage.until(|own| own.turn.0 == 1 && !own.run.busy()).await;
    let verdict = stage.verdicts().pop().unwrap();
    assert_eq!(verdict.outcome, GateOutcome::Indeterminate);
    assert!(verdict.why.contains("stopped by you"), "{verdict:#?}");
    assert_eq!(stage.replies(), ["Done."]);
    assert_eq!(stage.quit().await.0.verdict, Some(GateOutcome::Indeterminate));
}

/// A stop without a status is a stop.
#[tokio::test]
async fn a_reply_without_status_is_looked_at_too() {
    let script = Script::default()
        .on("plain")
        .says("Just so.")
        .on("broken")
        .says("Just so.\n<sup>{\"state\":\"finished\"}</sup>")
        .judge("gate", &pass("reply", "Just so"));
    let mut stage = Stage::begin(script, &[]);
    for message in ["plain", "broken"] {
        stage.turn(message).await;
        let verdict = stage.verdicts().pop().unwrap();
        assert_eq!((verdict.claim, verdict.outcome), (None, GateOutcome::Unknown), "{message}");
    }
    assert_eq!(stage.verdicts().len(), 2);
    assert_eq!(stage.replies(), ["Just so.", "Just so."]);
    assert_eq!(stage.own.supervisor.counters.without_report, 2);
}
