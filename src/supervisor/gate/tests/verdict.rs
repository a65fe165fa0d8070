use super::*;

const CHECK: (&str, &str) = ("call:c2-1", "12 passed");

fn missing() -> Value {
    gap("old is still in main.rs", true, "user:0", "Rename old to new")
}

#[test]
fn verified_needs_a_change_a_check_after_it_and_a_verifier_that_rests_on_it() {
    let good = checked();
    let verdict = good.verdict(&[pass(&[CHECK])]);
    assert_eq!(verdict.outcome, GateOutcome::Verified);
    assert_eq!(verdict.why, "checked after the last change: shell cargo test");
    assert_eq!(verdict.then, GateThen::Accepted);
    assert_eq!((verdict.attempt, verdict.of), (1, 3));
    assert_eq!(verdict.mutations, ["edit lib.rs"]);
    assert_eq!(verdict.checks, ["shell cargo test"]);

    let with = |change: fn(&mut Stop)| {
        let mut stop = checked();
        change(&mut stop);
        stop
    };
    let cases: Vec<(&str, Stop, Value, &str)> = vec![
        ("no evidence is cited", good.clone(), pass(&[]), "the verifier rests on none of the checks"),
        (
            "only the change is cited",
            good.clone(),
            pass(&[("call:c1-1", "1 line changed")]),
            "the verifier rests on none of the checks",
        ),
        (
            "the quote is not there",
            good.clone(),
            pass(&[("call:c2-1", "13 passed")]),
            "the verifier rests on none of the checks",
        ),
        (
            "the call is not there",
            good.clone(),
            pass(&[("call:c9-9", "12 passed")]),
            "the verifier rests on none of the checks",
        ),
        (
            "the agent says so itself",
            good.clone(),
            pass(&[("reply", "the tests pass")]),
            "the verifier rests on none of the checks",
        ),
        (
            "nothing changed",
            with(|stop| drop(stop.events.remove(0))),
            pass(&[CHECK]),
            "no change was seen in this turn",
        ),
        (
            "nothing ran",
            with(|stop| drop(stop.events.remove(1))),
            pass(&[]),
            "no check succeeded after the last change",
        ),
        (
            "the check came first",
            with(|stop| stop.events.reverse()),
            pass(&[CHECK]),
            "no check succeeded after the last change",
        ),
        (
            "the check failed",
            with(|stop| {
                stop.events[1].3 = ToolOutcome::Error;
                stop.events[1].4 = "12 passed, 1 failed\n[exit 101, 1.0 s]".into();
            }),
            pass(&[CHECK]),
            "no check succeeded after the last change",
        ),
        (
            "the check does not exist here",
            with(|stop| {
                stop.events[1].3 = ToolOutcome::Error;
                stop.events[1].4 = "sh: 12 passed: not found\n[exit 127, 0.0 s]".into();
            }),
            pass(&[CHECK]),
            "cannot verify: a command does not exist here (shell cargo test)",
        ),
    ];
    for (name, stop, answer, why) in cases {
        let verdict = stop.verdict(&[answer]);
        assert_eq!((verdict.outcome, verdict.why.as_str()), (GateOutcome::Unknown, why), "{name}");
        assert_eq!(verdict.then, GateThen::Accepted, "{name}");
    }
    let quoted_line = good.verdict(&[pass(&[("call:c2-1", "cargo test")])]);
    assert_eq!(quoted_line.outcome, GateOutcome::Verified, "a silent check is cited by its command line");
}

#[test]
fn blocking_gaps_get_one_second_look_and_send_the_agent_back() {
    let mut gate = checked().gate();
    assert_eq!(gate.ask().mechanic, Mechanic::Gate);
    let other = gap("it could be shorter", false, "reply", "Renamed");
    let Step::Refute(ask) = gate.answered(Ok(&gaps(&[other, missing()]).to_string())) else { panic!("no second look") };
    assert_eq!(ask.mechanic, Mechanic::Refute);
    assert!(ask.text.contains("\"id\": \"g2\"") && !ask.text.contains("\"id\": \"g1\""), "{}", ask.text);
    let verdict = verdict(gate.answered(Ok(&looks(&[("g2", true)]).to_string())));
    assert_eq!(verdict.outcome, GateOutcome::Gaps);
    assert_eq!(verdict.why, "old is still in main.rs");
    let GateThen::RunAgain { note } = &verdict.then else { panic!("{:?}", verdict.then) };
    assert!(
        note.starts_with("<octomind-note kind=\"gate\">\nFrom the runtime, not from the person. You stopped"),
        "{note}"
    );
    assert!(note.contains("(look 1 of 3)"), "{note}");
    assert!(note.contains("1. \"old is still in main.rs\" (\"user:0\" says \"Rename old to new\")"), "{note}");
    assert!(!note.contains("shorter"), "{note}");
    assert!(note.ends_with("\n</octomind-note>"), "{note}");
}

#[test]
fn what_the_second_look_does_not_confirm_does_not_count() {
    let cases: [(&[(&str, bool)], GateOutcome); 3] = [
        (&[("g1", false)], GateOutcome::Unknown),
        (&[("g1", true)], GateOutcome::Gaps),
        (&[("g1", true), ("g7", false)], GateOutcome::Gaps),
    ];
    for (look, outcome) in cases {
        let verdict = checked().verdict(&[gaps(&[missing()]), looks(look)]);
        assert_eq!(verdict.outcome, outcome, "{look:?}");
    }
    let both = gaps(&[missing(), gap("new is misspelt", true, "user:0", "to new")]);
    let verdict = checked().verdict(&[both, looks(&[("g1", false), ("g2", true)])]);
    assert_eq!(verdict.gaps[0].state, GapState::Refuted { why: "looked".into() });
    assert_eq!(verdict.gaps[1].state, GapState::Stands);
    assert_eq!(verdict.why, "new is misspelt");
}

#[test]
fn refuted_findings_leave_the_evidence_of_the_check() {
    let mut answer = gaps(&[missing()]);
    answer["evidence"] = json!([{ "ref": "call:c2-1", "quote": "12 passed" }]);
    let verdict = checked().verdict(&[answer, looks(&[("g1", false)])]);
    assert_eq!(verdict.outcome, GateOutcome::Verified);
}

#[test]
fn findings_that_rest_on_nothing_are_dropped_and_verify_nothing() {
    let mut answer = gaps(&[
        gap("main.rs was forgotten", true, "call:c7-1", ""),
        gap("the log says so", true, "call:c2-1", "3 failed"),
        gap("nobody asked", true, "", ""),
    ]);
    answer["evidence"] = json!([{ "ref": "call:c2-1", "quote": "12 passed" }]);
    let mut gate = checked().gate();
    let Step::Retry(ask) = gate.answered(Ok(&answer.to_string())) else { panic!("it is not asked for its refs") };
    assert!(
        ask.text.contains("no ref is called \\\"call:c7-1\\\"; there are call:c1-1, call:c2-1, plan, reply, user:0"),
        "{}",
        ask.text
    );
    let verdict = verdict(gate.answered(Ok(&answer.to_string())));
    assert!(!closes_plan(&verdict));
    let unsupported = |why: &str| GapState::Unsupported { why: why.to_owned() };
    let states: Vec<GapState> = verdict.gaps.into_iter().map(|gap| gap.state).collect();
    assert_eq!(
        states,
        [
            unsupported("what it refers to is not in the record"),
            unsupported("its quote does not stand in what it refers to"),
            unsupported("what it refers to is not in the record"),
        ]
    );
    assert_eq!(
        (verdict.outcome, verdict.why.as_str()),
        (GateOutcome::Indeterminate, "the verifier says that there are gaps and supports none of them")
    );
    let bare = checked().verdict(&[gaps(&[gap("old is left", true, "user:0", "")]), agree()]);
    assert_eq!(bare.outcome, GateOutcome::Gaps, "a reference without a quote is enough");
}

#[test]
fn what_the_second_look_leaves_out_is_asked_for_and_then_does_not_count() {
    let two = gaps(&[missing(), gap("new is misspelt", true, "user:0", "to new")]).to_string();
    // (what it says of them at last, what comes of it, whether the plan may be closed)
    type Look<'a> = &'a [(&'a str, bool)];
    let cases: [(Look, GateOutcome, bool); 4] = [
        (&[("g1", true), ("g2", true)], GateOutcome::Gaps, true),
        (&[("g1", true)], GateOutcome::Gaps, false),
        (&[("g1", false)], GateOutcome::Indeterminate, false),
        (&[("g1", false), ("g2", false)], GateOutcome::Unknown, true),
    ];
    for (last, outcome, closes) in cases {
        let mut gate = checked().gate();
        gate.answered(Ok(&two));
        let Step::Retry(ask) = gate.answered(Ok(&looks(&[("g1", true)]).to_string())) else { panic!("{last:?}") };
        assert!(ask.text.contains("it does not speak of g2") && ask.mechanic == Mechanic::Refute, "{}", ask.text);
        let verdict = verdict(gate.answered(Ok(&looks(last).to_string())));
        assert_eq!((verdict.outcome, closes_plan(&verdict)), (outcome, closes), "{last:?}");
        if last.len() == 1 {
            let silent = GapState::Unsupported { why: "the second look did not speak of it".into() };
            assert_eq!(verdict.gaps[1].state, silent);
        }
    }
}

#[test]
fn a_ref_that_is_put_right_counts() {
    let mut gate = checked().gate();
    let lost = gaps(&[gap("old is still in main.rs", true, "", "")]).to_string();
    assert!(matches!(gate.answered(Ok(&lost)), Step::Retry(_)));
    assert!(matches!(gate.answered(Ok(&gaps(&[missing()]).to_string())), Step::Refute(_)));
    let mut gate = checked().gate();
    let misquoted = gaps(&[gap("old is left", true, "user:0", "rename old into new")]).to_string();
    let Step::Retry(ask) = gate.answered(Ok(&misquoted)) else { panic!("it is not asked for its quote") };
    assert!(ask.text.contains("does not stand in user:0; copy it word for word"), "{}", ask.text);
    let minor = gaps(&[gap("a comment is stale", false, "", "")]).to_string();
    assert!(matches!(checked().gate().answered(Ok(&minor)), Step::Verdict(_)), "what does not block is not asked for");
}

#[test]
fn gaps_that_do_not_block_pass_and_are_listed() {
    for word in ["gaps", "pass"] {
        let mut answer = gaps(&[gap("a comment is stale", false, "user:0", "")]);
        answer["verdict"] = json!(word);
        let verdict = checked().verdict(&[answer]);
        assert_eq!((verdict.outcome, verdict.gaps.len()), (GateOutcome::Unknown, 1), "{word}");
        assert_eq!(verdict.then, GateThen::Accepted);
    }
}

#[test]
fn a_pass_with_a_blocking_gap_is_no_pass() {
    let mut answer = gaps(&[missing()]);
    answer["verdict"] = json!("pass");
    assert_eq!(checked().verdict(&[answer, agree()]).outcome, GateOutcome::Gaps);
}

#[test]
fn a_turn_is_sent_back_twice_and_then_ends() {
    for (attempt, again) in [(1, true), (2, true), (3, false), (4, false)] {
        let mut stop = checked();
        stop.attempt = attempt;
        let verdict = stop.verdict(&[gaps(&[missing()]), agree()]);
        assert_eq!(matches!(verdict.then, GateThen::RunAgain { .. }), again, "{attempt}");
        assert_eq!(verdict.outcome, GateOutcome::Gaps);
        assert!(again || matches!(&verdict.then, GateThen::Ended { why } if why.contains("no more runs are left")));
    }
}

#[test]
fn the_same_gaps_after_new_evidence_end_it_early() {
    let first = checked().verdict(&[gaps(&[missing()]), agree()]);
    let said_otherwise = |same_as: &str| {
        let mut gap = gap("main.rs still says old", true, "user:0", "");
        gap["same_as"] = json!(same_as);
        gap
    };
    // (what the second attempt finds, events the first had, early end)
    let cases = [
        ("the same words", vec![missing()], 1, true),
        ("the same words in another case", vec![gap("Old is  still in main.rs", true, "user:0", "")], 1, true),
        ("named as the same", vec![said_otherwise("e1")], 1, true),
        ("named as one that was not", vec![said_otherwise("e2")], 1, false),
        ("nothing new happened", vec![missing()], 2, false),
        ("another gap", vec![gap("new is misspelt", true, "user:0", "")], 1, false),
        ("the same and another", vec![missing(), gap("new is misspelt", true, "user:0", "")], 1, false),
    ];
    for (name, found, events_before, early) in cases {
        let stop = Stop { attempt: 2, before: Some(first.clone()), events_before, ..checked() };
        let verdict = stop.verdict(&[gaps(&found), agree()]);
        let ended = GateThen::Ended { why: "new evidence left the same gaps".into() };
        assert_eq!(verdict.then == ended, early, "{name}: {:?}", verdict.then);
    }
    let two = gaps(&[missing(), gap("new is misspelt", true, "user:0", "")]);
    let before = checked().verdict(&[two, agree()]);
    let stop = Stop { attempt: 2, before: Some(before), events_before: 1, ..checked() };
    let verdict = stop.verdict(&[gaps(&[missing()]), agree()]);
    assert!(matches!(verdict.then, GateThen::RunAgain { .. }), "one of two was closed");
}

#[test]
fn a_wrong_form_is_asked_for_once_more_and_then_nothing_is_verified() {
    let bad = ["", "It is fine, pass.", "{\"verdict\":\"yes\"}", "{\"verdict\":\"gaps\",\"gaps\":[]}"];
    for reply in bad {
        let mut gate = checked().gate();
        let Step::Retry(ask) = gate.answered(Ok(reply)) else { panic!("{reply}") };
        assert_eq!((ask.mechanic, &ask.system), (Mechanic::Gate, &gate.ask().system));
        assert!(ask.text.contains("could not be used"), "{}", ask.text);
        let good = verdict(gate.answered(Ok(&pass(&[CHECK]).to_string())));
        assert_eq!(good.outcome, GateOutcome::Verified, "{reply}");

        let mut gate = checked().gate();
        gate.answered(Ok(reply));
        let verdict = verdict(gate.answered(Ok(reply)));
        assert_eq!(verdict.outcome, GateOutcome::Indeterminate, "{reply}");
        assert!(verdict.why.ends_with(", twice"), "{}", verdict.why);
    }
    let mut gate = checked().gate();
    gate.answered(Ok("?"));
    gate.answered(Ok(&gaps(&[missing()]).to_string()));
    let verdict = verdict(gate.answered(Ok("?")));
    assert_eq!(verdict.outcome, GateOutcome::Indeterminate, "one look has one second try");
}

#[test]
fn no_answer_fails_closed() {
    for stage in [0, 1] {
        let mut gate = checked().gate();
        if stage == 1 {
            gate.answered(Ok(&gaps(&[missing()]).to_string()));
        }
        let verdict = verdict(gate.answered(Err("the provider answered 503")));
        assert_eq!(verdict.outcome, GateOutcome::Indeterminate);
        assert_eq!(verdict.why, "the provider answered 503");
        assert_eq!(
            verdict.then,
            GateThen::Ended { why: "nothing is taken as verified: the provider answered 503".into() }
        );
    }
    assert_eq!(checked().gate().stopped("stopped by you").outcome, GateOutcome::Indeterminate);
}

#[test]
fn a_check_that_the_person_forbade_is_not_asked_for() {
    let mut stop = checked();
    stop.prohibitions = vec!["Do not run the tests.".into()];
    stop.events.remove(1);
    let unverified = gap("The tests were not run after the change.", true, "user:0", "Rename old to new");
    let verdict = stop.verdict(&[gaps(&[unverified])]);
    assert_eq!(verdict.gaps[0].state, GapState::Forbidden { prohibition: "Do not run the tests.".into() });
    assert_eq!((verdict.outcome, &verdict.then), (GateOutcome::Unknown, &GateThen::Accepted));
    assert_eq!(verdict.prohibitions, ["Do not run the tests."]);

    let back = stop.verdict(&[gaps(&[missing()]), agree()]);
    let GateThen::RunAgain { note } = back.then else { panic!() };
    assert!(note.contains("Still forbidden, in the person's words: \"Do not run the tests.\"."), "{note}");
}

#[test]
fn a_missing_command_is_named_and_does_not_send_back() {
    let mut stop = checked();
    stop.events[1].3 = ToolOutcome::Error;
    stop.events[1].4 = "sh: cargo: not found\n[exit 127, 0.0 s]".into();
    let verdict = stop.verdict(&[gaps(&[gap("cargo test did not run", true, "call:c2-1", "not found")])]);
    assert_eq!(
        verdict.gaps[0].state,
        GapState::Unsupported { why: "cannot verify: the command does not exist here (shell cargo test)".into() }
    );
    assert_eq!((verdict.outcome, verdict.then), (GateOutcome::Unknown, GateThen::Accepted));
}

#[test]
fn a_hand_back_that_is_not_needed_is_refused() {
    for claim in [AgentState::NeedInput, AgentState::Blocked] {
        let stop = Stop { claim: Some(claim), reply: "Which file is it in?".into(), ..checked() };
        assert!(stop.gate().ask().text.contains("\"agent_status\": \""));
        let found = gap("A search would show which file it is.", true, "reply", "Which file is it in?");
        let verdict = stop.verdict(&[gaps(&[found]), looks(&[("g1", true)])]);
        assert_eq!(verdict.claim, Some(claim));
        let GateThen::RunAgain { note } = verdict.then else { panic!() };
        assert!(note.contains("You handed back, and it seems that you can go on"), "{note}");
    }
}

#[test]
fn only_what_the_second_look_confirms_counts() {
    let two = gaps(&[missing(), gap("new is misspelt", true, "user:0", "")]);
    let half = looks(&[("g1", true)]);
    let unheard = GapState::Unsupported { why: "the second look did not speak of it".into() };

    let mut gate = checked().gate();
    gate.answered(Ok(&two.to_string()));
    let Step::Retry(again) = gate.answered(Ok(&half.to_string())) else { panic!("it is asked once more") };
    assert_eq!(again.mechanic, Mechanic::Refute);
    assert!(again.text.contains("it does not speak of g2"), "{}", again.text);
    // Still silent, then what it was silent of does not count.
    let found = verdict(gate.answered(Ok(&half.to_string())));
    assert_eq!([&found.gaps[0].state, &found.gaps[1].state], [&GapState::Stands, &unheard]);
    let GateThen::RunAgain { note } = &found.then else { panic!("{:?}", found.then) };
    assert!(note.contains("old is still") && !note.contains("misspelt"), "{note}");

    // What was said before holds unless it is said otherwise.
    for (second, states) in [
        (looks(&[("g2", true)]), [GapState::Stands, GapState::Stands]),
        (looks(&[("g1", false), ("g2", true)]), [GapState::Refuted { why: "looked".into() }, GapState::Stands]),
    ] {
        let found = checked().verdict(&[two.clone(), half.clone(), second]);
        assert_eq!([found.gaps[0].state.clone(), found.gaps[1].state.clone()], states);
    }
    // Of one that speaks of none, nothing sends back.
    let found = checked().verdict(&[two, looks(&[]), looks(&[("g7", true)])]);
    assert!(found.gaps.iter().all(|gap| gap.state == unheard), "{found:#?}");
    assert_eq!(found.outcome, GateOutcome::Indeterminate);
}
