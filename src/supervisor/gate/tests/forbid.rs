use super::super::{answer::Finding, forbid::forbidden};

fn finding(text: &str, forbidden_by: &str) -> Finding {
    Finding {
        finding: text.to_owned(),
        blocking: true,
        reference: "user:0".to_owned(),
        quote: String::new(),
        same_as: String::new(),
        forbidden_by: forbidden_by.to_owned(),
    }
}

#[test]
fn a_prohibition_rules_out_the_checks_it_speaks_of() {
    let not_run = "The tests were not run.";
    let not_built = "There is no evidence that it compiles.";
    let not_made = "tests/new.rs, which was asked for, does not exist.";
    for (prohibition, finding_text, forbids) in [
        ("Do not run the tests.", not_run, true),
        ("Don\u{2019}t run any tests, please.", not_run, true),
        ("Don't test it.", not_run, true),
        ("No tests.", not_run, true),
        ("No need to test this", not_run, true),
        ("skip the test suite", not_run, true),
        ("Change it without running the tests.", not_run, true),
        ("Edit lib.rs, but never execute the tests", not_run, true),
        ("Do not run anything.", not_run, true),
        ("don't verify it", not_run, true),
        ("no commands", not_built, true),
        ("Do not build.", not_built, true),
        ("Do not run the tests.", not_built, false),
        ("Do not build.", not_run, false),
        ("Do not run the tests.", not_made, false),
        ("Do not change the tests.", not_run, false),
        ("don't add tests", not_run, false),
        ("Run the tests.", not_run, false),
        ("Do not push.", not_run, false),
        ("Run the tests but don't push.", not_run, false),
        ("Don't touch main.rs, and run the tests", not_run, false),
    ] {
        let found = forbidden(&finding(finding_text, ""), false, &[prohibition.to_owned()]);
        assert_eq!(found.is_some(), forbids, "{prohibition} / {finding_text}");
    }
}

#[test]
fn a_fault_that_a_call_shows_is_not_a_wish_for_a_check() {
    let said = ["Do not run the tests.".to_owned()];
    assert_eq!(forbidden(&finding("The tests do not pass.", ""), true, &said), None);
}

#[test]
fn what_forbids_checks_says_nothing_of_a_file_that_is_missing() {
    let said = ["Do not run cargo test.".to_owned()];
    let named = |text| forbidden(&finding(text, "do not run cargo test"), false, &said).is_some();
    assert!(!named("README.md was not written at all."));
    assert!(named("cargo test was not executed."));
    assert!(named("It was never verified."));
    let mixed = ["Do not run cargo test and do not touch README.md.".to_owned()];
    let of = forbidden(&finding("README.md was not written at all.", "do not touch README.md"), false, &mixed);
    assert!(of.is_some(), "it forbids more than checks");
}

#[test]
fn what_the_verifier_names_must_be_what_the_person_said() {
    let said = ["Leave the network alone.".to_owned()];
    let ping = |by| forbidden(&finding("Nobody pinged the host.", by), false, &said);
    assert_eq!(ping("leave the network alone"), None);
    assert_eq!(ping("Leave the  network"), Some(said[0].clone()));
    assert_eq!(ping("Never ping"), None);
}
