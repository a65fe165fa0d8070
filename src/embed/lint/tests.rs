use super::*;
use crate::embed::bag::vector;

fn subject(name: &str, triggers: &[&str]) -> Subject {
    let trigger = |(line, text): (usize, &&str)| Trigger {
        text: (*text).to_owned(),
        place: format!("{name}:{line}"),
        vector: vector(text),
    };
    Subject { name: name.to_owned(), triggers: triggers.iter().enumerate().map(trigger).collect() }
}

/// Told apart by nothing, and each with enough of its own.
fn kept_apart() -> Vec<Subject> {
    vec![
        subject(
            "garden",
            &["water the roses today", "water the roses now", "water the roses again", "water the roses soon"],
        ),
        subject(
            "kitchen",
            &["bake some bread today", "bake some bread now", "bake some bread again", "bake some bread soon"],
        ),
    ]
}

fn told(report: &Report) -> Vec<(FindingKind, &str, Option<&str>)> {
    report
        .findings
        .iter()
        .map(|found| {
            (found.kind, found.capability.as_str(), found.trigger.as_ref().map(|trigger| trigger.text.as_str()))
        })
        .collect()
}

#[test]
fn good_triggers_are_left_alone() {
    let report = lint(&kept_apart(), &[("thanks a lot", vector("thanks a lot"))]);
    assert_eq!(told(&report), []);
    assert_eq!((report.triggers, report.standings[0].activate), (8, 4));
    assert_eq!(report.standings[0].nearest.as_deref(), Some("kitchen"));
}

#[test]
fn the_same_words_in_two_capabilities() {
    let mut subjects = kept_apart();
    subjects[1].triggers.push(subject("kitchen", &["Water the  roses today"]).triggers.remove(0));
    let report = lint(&subjects, &[]);
    let first = &report.findings[0];
    assert_eq!((first.kind, first.gravity), (FindingKind::Duplicate, Gravity::Error));
    // The one to change is the one that does not belong.
    assert_eq!((first.capability.as_str(), first.other.as_deref()), ("kitchen", Some("garden")));
    assert!(first.advice.starts_with("Say `kitchen` in it"), "{}", first.advice);
    assert!(first.advice.ends_with("Or drop it: 4 others remain."), "{}", first.advice);
    assert_eq!(report.findings.len(), 1, "{:?}", told(&report));
}

#[test]
fn a_stray_names_who_it_is_nearer_to() {
    let mut subjects = kept_apart();
    subjects[1].triggers.push(subject("kitchen", &["water all roses please"]).triggers.remove(0));
    let report = lint(&subjects, &[]);
    let stray = report.findings.iter().find(|found| found.kind == FindingKind::Stray).unwrap();
    assert_eq!((stray.capability.as_str(), stray.other.as_deref()), ("kitchen", Some("garden")));
    assert!(stray.numbers[0].value < stray.numbers[1].value);
}

#[test]
fn one_capability_twice_shadows_itself() {
    let mut subjects = kept_apart();
    subjects.push(subject(
        "flowers",
        &["please water the roses today", "water the roses now please", "water roses again", "water roses soon"],
    ));
    let report = lint(&subjects, &[]);
    let shadowed: Vec<_> = report.findings.iter().filter(|found| found.kind == FindingKind::Shadowed).collect();
    assert_eq!(shadowed.len(), 2, "{:?}", told(&report));
    let flowers = shadowed.iter().find(|found| found.capability == "flowers").unwrap();
    assert_eq!(flowers.other.as_deref(), Some("garden"));
    assert!(flowers.advice.contains("say `flowers` in them (it is in the name"), "{}", flowers.advice);
    // What the shadow says is not said again of each trigger.
    assert!(!told(&report).iter().any(|(kind, ..)| *kind == FindingKind::Stray));
}

#[test]
fn generic_chatter_outlier_few_and_repeated() {
    let one = |name: &str, noun: &str| {
        let texts = ["open the", "show the", "find the", "close the"].map(|verb| format!("{verb} {noun}"));
        subject(name, &texts.each_ref().map(String::as_str))
    };
    let mut subjects = vec![one("a", "alpha"), one("b", "beta"), one("c", "gamma"), one("d", "delta")];
    subjects.push(subject("lone", &["sing loudly tonight"]));
    subjects.push(subject(
        "mixed",
        &["plough one field", "plough two field", "plough three field", "Plough  one field", "count stars overhead"],
    ));
    subjects[0].triggers.push(subject("a", &["open show the find"]).triggers.remove(0));
    let silence = [("open show please", vector("open show please"))];
    let report = lint(&subjects, &silence);
    let has = |kind: FindingKind, name: &str, text: Option<&str>| told(&report).contains(&(kind, name, text));
    assert!(has(FindingKind::Generic, "a", Some("open show the find")), "{:#?}", told(&report));
    assert!(has(FindingKind::Few, "lone", None));
    assert!(has(FindingKind::Outlier, "mixed", Some("count stars overhead")));
    assert!(has(FindingKind::Repeated, "mixed", Some("plough one field")));
    let chatter = lint(&subjects, &[("open show the thing", vector("open show the thing"))]);
    assert!(told(&chatter).contains(&(FindingKind::Chatter, "a", Some("open show the find"))));
    let gravities: Vec<Gravity> = report.findings.iter().map(|found| found.gravity).collect();
    assert!(gravities.is_sorted_by(|a, b| a >= b));
}

#[test]
fn the_order_of_the_input_does_not_change_the_findings() {
    let mut subjects = kept_apart();
    subjects.push(subject("flowers", &["water the roses today", "pick a rose", "plant tulips"]));
    let forth = lint(&subjects, &[]).findings;
    subjects.reverse();
    assert_eq!(forth, lint(&subjects, &[]).findings);
}

#[test]
fn no_triggers_at_all() {
    let report = lint(&[subject("empty", &[]), subject("other", &[])], &[]);
    assert_eq!((told(&report), report.triggers), (Vec::new(), 0));
    assert_eq!(lint(&[], &[]).findings, []);
}

#[test]
fn separating_words_prefer_the_name_and_pass_over_other_endings() {
    let postgres = subject("database-postgres", &["query the database", "list tables in postgres", "vacuum a table"]);
    let sqlite = subject("database-sqlite", &["open the sqlite file", "queries on a database"]);
    let found: Vec<_> = words::separating(&postgres, &[&sqlite]).into_iter().map(|s| (s.word, s.triggers)).collect();
    let word = |word: &str| (word.to_owned(), 1);
    assert_eq!(found, ["postgres", "list", "table", "tables", "vacuum"].map(word));
}
