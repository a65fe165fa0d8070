use proptest::prelude::*;

use super::*;

fn said(turn: u32, text: &str) -> UserLine {
    UserLine { turn: TurnId(turn), text: text.to_owned() }
}

fn of(text: &str) -> Vec<Prohibition> {
    find(&[said(1, text)])
}

#[test]
fn checks_that_the_person_does_not_want() {
    use Force::{Forbidden, Waived};
    let table = [
        ("Fix the bug. Don't run the tests.", "Don't run the tests.", Forbidden),
        ("Fix it, but do not run any tests", "do not run any tests", Forbidden),
        ("Please don’t run `cargo test` here.", "Please don’t run `cargo test` here.", Forbidden),
        ("never run the test suite!", "never run the test suite!", Forbidden),
        ("You must not run the tests.", "You must not run the tests.", Forbidden),
        ("You shouldn't build it.", "You shouldn't build it.", Forbidden),
        ("The tests must not be run.", "The tests must not be run.", Forbidden),
        ("Do it without running the tests.", "Do it without running the tests.", Forbidden),
        ("Could you do it without running tests?", "Could you do it without running tests?", Forbidden),
        ("Avoid running the linter.", "Avoid running the linter.", Forbidden),
        ("Stop running the tests!", "Stop running the tests!", Forbidden),
        ("No tests, please.", "No tests, please.", Forbidden),
        ("Change the title; no test runs", "no test runs", Forbidden),
        ("I don't want you to run the tests.", "I don't want you to run the tests.", Forbidden),
        ("I told you not to run the tests", "I told you not to run the tests", Forbidden),
        ("Make sure not to start the build.", "Make sure not to start the build.", Forbidden),
        ("Do not execute anything.", "Do not execute anything.", Forbidden),
        ("Don't run any commands.", "Don't run any commands.", Forbidden),
        ("no commands", "no commands", Forbidden),
        ("Run nothing.", "Run nothing.", Forbidden),
        ("Without running the tests, fix the parser.", "Without running the tests, fix the parser.", Forbidden),
        ("No commands, please.", "No commands, please.", Forbidden),
        ("You're not allowed to run tests.", "You're not allowed to run tests.", Forbidden),
        ("Running the tests is not allowed.", "Running the tests is not allowed.", Forbidden),
        ("Refrain from testing.", "Refrain from testing.", Forbidden),
        ("Hold off on running the build", "Hold off on running the build", Forbidden),
        ("DO NOT RUN TESTS", "DO NOT RUN TESTS", Forbidden),
        ("Do this:\n- rename it\n- don't run the tests\n", "don't run the tests", Forbidden),
        ("Please do\nnot run the tests", "Please do\nnot run the tests", Forbidden),
        ("Skip the tests.", "Skip the tests.", Waived),
        ("No need to run the tests.", "No need to run the tests.", Waived),
        ("You don't need to verify it.", "You don't need to verify it.", Waived),
        ("You don't have to run the tests", "You don't have to run the tests", Waived),
        ("No tests needed.", "No tests needed.", Waived),
        ("Don't bother with tests", "Don't bother with tests", Waived),
        ("I don't need tests for this.", "I don't need tests for this.", Waived),
    ];
    let mut wrong = Vec::new();
    for (text, sentence, force) in table {
        let found = of(text);
        let told: Vec<_> = found.iter().map(|one| (one.said.text.as_str(), one.force, one.is_about_checks())).collect();
        if told != [(sentence, force, true)] {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn actions_that_the_person_does_not_want() {
    let table = [
        "Don't commit.",
        "do not touch the database",
        "Never push to main.",
        "Please leave Cargo.toml alone.",
        "Keep the public API unchanged.",
        "Hands off the config!",
        "The migrations folder is off limits.",
        "Do it without changing the tests.",
        "No commits, please.",
        "Don't edit anything outside src/.",
        "You may not install packages.",
        "Don't use unwrap.",
        "Never commit without running the tests.",
        "Change nothing.",
        "Only look, change nothing",
        "Read-only please",
        "Read only, please.",
    ];
    let mut wrong = Vec::new();
    for text in table {
        let found = of(text);
        if found.len() != 1 || found[0].is_about_checks() {
            wrong.push(format!("{text}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let words = |text: &str| of(text).into_iter().map(|one| one.said.text).collect::<Vec<_>>();
    assert_eq!(words("Don't commit and never push."), ["Don't commit", "never push."]);
    assert_eq!(words("rename it; don't push and do not commit"), ["don't push", "do not commit"]);
    assert_eq!(
        words("Add a flag, and never commit without running the tests"),
        ["never commit without running the tests"]
    );
}

#[test]
fn what_forbids_nothing() {
    let table = [
        "Run the tests.",
        "The tests do not run on my machine.",
        "They don't build.",
        "It doesn't run the tests, why?",
        "I don't run the tests often.",
        "Don't forget to run the tests.",
        "Do not skip the tests!",
        "Never skip the tests.",
        "Don't hesitate to run the tests.",
        "Don't worry about it.",
        "Don't stop until the tests pass.",
        "Why don't you run the tests?",
        "If you don't run the tests, CI fails.",
        "There are no tests for this module.",
        "No tests failed.",
        "No tests exist yet, so write some.",
        "I see no change in the output.",
        "The README says \"do not run the tests\".",
        "The README says: do not run the tests",
        "```\ndo not run the tests\n```\nFix what this prints.",
        "~~~\nDon't commit.\n~~~",
        "> Don't run the tests.\n\nWhat does he mean?",
        "The log has `do not run tests` in it.",
        "Rename the option 'never run tests' to something shorter.",
        "It fails without running the migrations.",
        "do not finish without running the tests",
        "Don't finish without running the tests.",
        "You can't be done without running the tests.",
        "not without tests",
        "Without tests this is worthless.",
        "Without running the tests you can't know.",
        "Nothing is done without running the tests.",
        "Never gonna give you up",
        "Do not just guess, read the file",
        "Don't just run the tests, fix them.",
        "Do not only fix the test, fix the code.",
        "Don't be lazy: run the tests",
        "Do not rush this, and don't skip steps.",
        "Don't ignore the failing tests.",
        "Nothing changed.",
        "The file is read-only.",
        "The build is broken. Fix it.",
        "Errors should not be shown twice.",
        "I'm not sure whether to run the tests or not to run them.",
        "What tests are there?",
        "You can run the tests.",
        "don't know why it fails",
        "Leave a comment in the file.",
        "The request is forbidden (403).",
        "",
    ];
    let told = |text: &&str| Some(of(text)).filter(|found| !found.is_empty()).map(|found| format!("{text}: {found:?}"));
    let wrong: Vec<String> = table.iter().filter_map(told).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_sentence_is_kept_word_for_word_and_not_too_long() {
    let text = "Rename it (e.g. to v1.2). Don't run the tests, they take an hour.  Thanks!";
    assert_eq!(of(text)[0].said.text, "Don't run the tests, they take an hour.");
    let long = format!("Don't run the tests because {}", "é".repeat(400));
    let found = of(&long);
    assert!(found[0].said.text.len() <= 400 && long.starts_with(&found[0].said.text));
    assert_eq!(found[0].line(), format!("turn 1: {:?}", found[0].said.text));
    // Said again, it stands once.
    assert_eq!(find(&[said(1, "Don't commit."), said(2, "Don't commit.")]).len(), 1);
}

#[test]
fn of_a_mixed_sentence_only_the_clause_that_forbids_counts() {
    let table: [(&str, &[&str]); 13] = [
        ("go do it and write NOTES.md, but do not run cargo test", &["do not run cargo test"]),
        ("Write NOTES.md and please don't run the tests.", &["please don't run the tests."]),
        ("write NOTES.md, do not run cargo test", &["do not run cargo test"]),
        ("go: never touch prod.db, don't run cargo test", &["go: never touch prod.db", "don't run cargo test"]),
        ("Don't commit and never push.", &["Don't commit", "never push."]),
        // What says when or where it holds belongs to it.
        ("If the tests fail, do not commit.", &["If the tests fail, do not commit."]),
        ("On main, write docs but never push.", &["On main, write docs but never push."]),
        ("src/config: do not edit", &["src/config: do not edit"]),
        // So does what it only points at, and what takes part of it back.
        ("Build the image but do not push it.", &["Build the image but do not push it."]),
        ("Don't run the tests, they take an hour.", &["Don't run the tests, they take an hour."]),
        ("Don't push, but committing is fine.", &["Don't push, but committing is fine."]),
        ("Do it without running the tests.", &["Do it without running the tests."]),
        ("The tests must not be run.", &["The tests must not be run."]),
    ];
    let mut wrong = Vec::new();
    for (text, clauses) in table {
        let found = of(text);
        let told: Vec<&str> = found.iter().map(|one| one.said.text.as_str()).collect();
        if told != clauses {
            wrong.push(format!("{text}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_later_permission_is_noted() {
    // What was said, later, and what came of it: `holds`, `narrowed`, `lifted`.
    let table = [
        ("Don't run the tests.", "OK, run the tests now.", "lifted"),
        ("Don't run the tests.", "You can run the tests now.", "lifted"),
        ("Don't run the tests.", "Go ahead and run the tests.", "lifted"),
        ("Don't run the tests.", "Feel free to run them.", "lifted"),
        ("Don't run the tests.", "Please run tests", "lifted"),
        ("Don't run the tests.", "Don't forget to run the tests.", "lifted"),
        ("Don't run the tests.", "Can you run the tests?", "lifted"),
        ("Don't run the tests.", "Now verify it.", "lifted"),
        ("Don't run the tests.", "Run the unit tests.", "narrowed"),
        ("Don't run the e2e tests.", "Run the unit tests.", "holds"),
        ("Don't run the e2e tests.", "Run the tests.", "holds"),
        ("Don't run the e2e tests.", "You may run the e2e tests.", "lifted"),
        ("Don't run the tests.", "Run the linter.", "holds"),
        ("Don't run the tests.", "Don't run the tests yet.", "holds"),
        ("Don't run the tests.", "When I run the tests, they fail.", "holds"),
        ("Don't run the tests.", "CI will run the tests.", "holds"),
        ("Don't run the tests.", "The docs say \"run the tests\".", "holds"),
        ("Don't run the tests.", "```\nrun the tests\n```", "holds"),
        ("Don't run the tests.", "Fix the tests.", "holds"),
        ("Don't run the tests.", "If you run the tests, tell me.", "holds"),
        ("Don't run the tests.", "Thanks, looks good.", "holds"),
        ("Don't run anything.", "You can run the tests.", "narrowed"),
        ("Don't run anything.", "You can run commands now.", "lifted"),
        ("Don't commit.", "OK, commit.", "lifted"),
        ("Don't commit.", "You can commit it now.", "lifted"),
        ("Don't commit.", "You can push now.", "holds"),
        ("Don't touch the database.", "You may touch the cache.", "holds"),
        ("Don't touch the database.", "You may touch the database.", "lifted"),
    ];
    let mut wrong = Vec::new();
    for (first, later, outcome) in table {
        let found = find(&[said(1, first), said(3, later)]);
        let told = match &found[0].later {
            Later::Nothing => "holds",
            Later::Narrowed(_) => "narrowed",
            Later::Lifted(_) => "lifted",
        };
        if told != outcome || found[0].holds() != (outcome != "lifted") {
            wrong.push(format!("{first} | {later}: {told}, {found:?}"));
            continue;
        }
        if let Later::Lifted(said) | Later::Narrowed(said) = &found[0].later {
            assert_eq!((said.turn, said.text.as_str()), (TurnId(3), later));
            assert!(found[0].line().contains("turn 3"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    // And forbidden again.
    let found = find(&[said(1, "Don't run the tests."), said(2, "Run the tests."), said(3, "Don't run the tests.")]);
    assert_eq!(found.iter().map(Prohibition::holds).collect::<Vec<_>>(), [false, true]);
    // In one message, and in one sentence.
    assert!(!of("Don't run the tests. Actually, run them.")[0].holds());
    let both = of("You can run the unit tests, but don't run the e2e tests.");
    assert!(both.len() == 1 && both[0].holds(), "{both:#?}");
}

#[test]
fn findings_that_ask_for_what_is_forbidden() {
    let table = [
        ("Don't run the tests.", "The tests were not run after the change.", true),
        ("Don't run the tests.", "No evidence that the tests pass.", true),
        ("Don't run the tests.", "The change is unverified.", true),
        ("Don't run the tests.", "The agent should run cargo test.", true),
        ("Skip the tests.", "The test suite was never executed.", true),
        ("Don't run anything.", "The build was not run.", true),
        ("Don't verify it.", "It was not tested.", true),
        ("Don't run the tests.", "The linter was not run.", false),
        ("Don't run the tests.", "The tests do not compile.", false),
        ("Don't run the tests.", "A test for the new option is missing.", false),
        ("Don't run the tests.", "The option is not documented.", false),
        ("Don't run the e2e tests.", "The unit tests were not run.", false),
        ("Don't run the e2e tests.", "The e2e tests were not run.", true),
        ("Don't commit.", "The tests were not run.", false),
        ("Run the tests.", "The tests were not run.", false),
    ];
    let mut wrong = Vec::new();
    for (said, finding, forbidden) in table {
        if rules_out(said, finding) != forbidden {
            wrong.push(format!("{said} | {finding}: {:?}", object::demanded(finding)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let later = |first: &str, then: &str| find(&[said(1, first), said(2, then)])[0].words();
    assert!(!rules_out(&later("Don't run the tests.", "Run the tests now."), "The tests were not run."));
    let narrowed = later("Don't run the tests", "Run the unit tests.");
    assert!(!rules_out(&narrowed, "The unit tests were not run."));
    assert!(rules_out(&narrowed, "The e2e tests were not run."));
    let narrowed = later("Don't run anything!", "You can run the tests.");
    assert!(!rules_out(&narrowed, "The tests were not run."));
    assert!(rules_out(&narrowed, "The linter was not run."));
}

proptest! {
    #[test]
    fn every_sentence_stands_in_its_message(text in "(?s)([Dd]on't run|```|\"|> |the tests|\\. |\n|[a-z’'é.,!?;:-]{1,6}| ){0,30}") {
        let messages = [said(1, &text)];
        for prohibition in find(&messages) {
            prop_assert!(text.contains(&prohibition.said.text), "{:?}", prohibition);
        }
    }

    #[test]
    fn nothing_in_a_block_of_code_counts(text in "[a-zA-Z' .,\n]{0,80}") {
        let fenced = format!("Look:\n```\nDon't run the tests.\n{text}\n```\nWell?");
        prop_assert_eq!(of(&fenced), []);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}", finding in "\\PC{0,80}") {
        let found = of(&text);
        prop_assert!(found.iter().all(|one| !one.words().is_empty()));
        let _ = rules_out(&text, &finding);
    }
}

#[test]
fn text_without_an_end_is_looked_at_in_pieces() {
    let endless = format!("{} and do not run the tests", "many words of a long message ".repeat(3_000));
    let [one] = &of(&endless)[..] else { panic!("one prohibition") };
    assert!(one.said.text.len() <= SENTENCE_MOST && endless.contains(&one.said.text));
    assert_eq!(of(&"'a 'b 'c e.g. ".repeat(3_000)), []);
    assert_eq!(of(&"xyz".repeat(20_000)), []);
    assert_eq!(of(&"äöü".repeat(20_000)), []);
}
