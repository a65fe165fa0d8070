//! The gate through its public interface: edges, ties, few triggers, short messages.

use octomind::embed::Vector;
use octomind::embed::discover::{Entry, Method, discover};
use octomind::embed::gate::{Abstained, Candidate, Rule, Score, Verdict, says_enough, scores, verdict};

/// A vector whose cosine with [`message`] is exactly `cosine`.
fn at(cosine: f32) -> Vector {
    let mut other = (1.0 - cosine * cosine).max(0.0).sqrt();
    for _ in 0..64 {
        let vector = Vector::new(vec![cosine, other]).unwrap();
        if vector.as_slice()[0] == cosine {
            return vector;
        }
        other = if vector.as_slice()[0] > cosine { other.next_up() } else { other.next_down() };
    }
    panic!("no vector at {cosine}");
}

fn message() -> Vector {
    Vector::new(vec![1.0, 0.0]).unwrap()
}

fn decide(capabilities: &[(&'static str, &[f32])], rule: Rule, check: impl FnOnce(&[Score<'_>], Verdict<'_>)) {
    let phrases: Vec<Vec<Vector>> =
        capabilities.iter().map(|(_, cosines)| cosines.iter().copied().map(at).collect()).collect();
    let candidates: Vec<Candidate<'_>> =
        capabilities.iter().zip(&phrases).map(|((name, _), phrases)| Candidate { name, phrases }).collect();
    let scores = scores(&message(), &candidates);
    let verdict = verdict(&scores, rule);
    check(&scores, verdict);
}

#[test]
fn the_threshold_is_met_by_itself_and_by_nothing_less() {
    let below = 0.65_f32.next_down();
    for (cosine, expected) in [(0.65, Some("only")), (below, None), (0.66, Some("only")), (0.0, None), (-1.0, None)] {
        decide(&[("only", &[cosine; 3])], Rule::ACTIVATE, |scores, verdict| {
            assert_eq!(scores[0].score, cosine);
            assert_eq!(verdict.activated(), expected, "{cosine}");
            assert_eq!(verdict.standing().margin, cosine, "alone: the lead over nothing");
            if expected.is_none() {
                assert!(matches!(verdict, Verdict::Abstain { reason: Abstained::BelowThreshold, .. }));
            }
        });
    }
}

#[test]
fn the_lead_is_met_by_itself_and_by_nothing_less() {
    // 0.71875 and 0.65625 differ by 0.0625 without any rounding, so a rule of that lead is met exactly.
    let exact = Rule { threshold: 0.65, margin: 0.0625 };
    decide(&[("second", &[0.65625]), ("first", &[0.71875])], exact, |_, verdict| {
        assert_eq!(verdict.activated(), Some("first"));
        assert_eq!(verdict.standing().margin, 0.0625);
        assert_eq!(verdict.standing().runner_up, Some(("second", 0.65625)));
    });
    decide(&[("second", &[0.65625_f32.next_up()]), ("first", &[0.71875])], exact, |_, verdict| {
        assert!(matches!(verdict, Verdict::Abstain { reason: Abstained::NarrowMargin, .. }), "{verdict:?}");
    });
    for (runner_up, activates) in [(0.83, true), (0.85, false), (0.9, false)] {
        decide(&[("first", &[0.9]), ("second", &[runner_up])], Rule::ACTIVATE, |_, verdict| {
            assert_eq!(verdict.activated().is_some(), activates, "{runner_up}");
        });
    }
}

#[test]
fn three_triggers_count_and_fewer_are_averaged_as_they_are() {
    let capabilities: &[(&str, &[f32])] =
        &[("many", &[0.1, 0.5, 0.75, 0.25, 0.25, 0.5]), ("two", &[0.5, 0.75]), ("one", &[0.75])];
    decide(capabilities, Rule::ACTIVATE, |scores, _| {
        let found: Vec<(&str, f32)> = scores.iter().map(|score| (score.name, score.score)).collect();
        assert_eq!(found, [("one", 0.75), ("two", 0.625), ("many", 1.75 / 3.0)]);
        let top: Vec<(usize, f32)> = scores[2].top.iter().map(|found| (found.trigger, found.cosine)).collect();
        assert_eq!(top, [(2, 0.75), (1, 0.5), (5, 0.5)], "equal ones in their order");
    });
}

#[test]
fn a_tie_is_broken_by_name_and_activates_nothing() {
    for order in [["beta", "alpha"], ["alpha", "beta"]] {
        decide(&[(order[0], &[0.9]), (order[1], &[0.9])], Rule::ACTIVATE, |scores, verdict| {
            assert_eq!(scores.iter().map(|score| score.name).collect::<Vec<_>>(), ["alpha", "beta"]);
            assert!(matches!(verdict, Verdict::Abstain { reason: Abstained::NarrowMargin, .. }));
            assert_eq!(verdict.standing().margin, 0.0);
        });
    }
}

#[test]
fn nothing_to_compare_is_said_as_such() {
    for capabilities in [&[][..], &[("without triggers", &[] as &[f32])]] {
        decide(capabilities, Rule::ACTIVATE, |scores, verdict| {
            assert!(scores.is_empty());
            assert!(matches!(verdict, Verdict::Abstain { reason: Abstained::NothingEligible, .. }));
            assert_eq!(verdict.standing().best, None);
        });
    }
}

#[test]
fn a_specialist_needs_less_and_the_same_lead() {
    decide(&[("coder", &[0.5]), ("writer", &[0.25])], Rule::SPECIALIST, |_, verdict| {
        assert_eq!(verdict.activated(), Some("coder"));
    });
    decide(&[("coder", &[0.45_f32.next_down()])], Rule::SPECIALIST, |_, verdict| {
        assert_eq!(verdict.activated(), None);
    });
    decide(&[("coder", &[0.5]), ("writer", &[0.46875])], Rule::SPECIALIST, |_, verdict| {
        assert!(matches!(verdict, Verdict::Abstain { reason: Abstained::NarrowMargin, .. }));
    });
}

#[test]
fn eight_characters_that_are_seen_are_enough() {
    let cases = [
        ("1234567", false),
        ("12345678", true),
        (" 1 2\t3\n4 5 6 7 ", false),
        ("1 2 3 4 5 6 7 8", true),
        ("", false),
        ("          ", false),
        ("日本語のテキスト", true),
        ("日本語のテキス", false),
        ("\u{3000}123\u{a0}4567", false),
    ];
    for (message, expected) in cases {
        assert_eq!(says_enough(message), expected, "{message:?}");
    }
}

fn entry<'a>(name: &'a str, description: &'a str, triggers: &'a [String], phrases: &'a [Vector]) -> Entry<'a> {
    Entry { name, title: name, description, triggers, phrases }
}

#[test]
fn discovery_by_meaning_stops_at_its_floor_and_at_five() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let cosines = [0.2, 0.3, 0.9, 0.5, 0.2_f32.next_up(), 0.4, 0.6, 0.25];
    let phrases: Vec<[Vector; 1]> = cosines.iter().map(|cosine| [at(*cosine)]).collect();
    let entries: Vec<Entry<'_>> =
        names.iter().zip(&phrases).map(|(name, phrases)| entry(name, "", &[], phrases)).collect();
    let found = discover("whatever", Some(&message()), &entries);
    assert_eq!(found.method, Method::Meaning);
    assert_eq!(found.hits.iter().map(|hit| hit.name).collect::<Vec<_>>(), ["c", "g", "d", "f", "b"]);
    let found = discover("whatever", Some(&message()), &[entries[0], entries[4]]);
    assert_eq!(found.hits.iter().map(|hit| hit.name).collect::<Vec<_>>(), ["e"], "0.2 itself is not enough");
}

#[test]
fn without_vectors_discovery_compares_words_and_says_so() {
    let sql = ["run a query".to_owned(), "show the tables".to_owned()];
    let chat = ["send a message to the team".to_owned()];
    let entries = [
        entry("postgres", "Queries databases", &sql, &[]),
        entry("slack", "Talk to people", &chat, &[]),
        entry("sqlite", "A database in a file; one table or many", &[], &[]),
    ];
    let names = |query: &str, intent: Option<&Vector>| -> Vec<&str> {
        let found = discover(query, intent, &entries);
        assert_eq!(found.method, Method::Words);
        found.hits.iter().map(|hit| hit.name).collect()
    };
    assert_eq!(names("Send messages", None), ["slack"]);
    assert_eq!(names("which queries can the DATABASE run?", None), ["postgres", "sqlite"]);
    assert_eq!(names("which TABLES are in the database?", None), ["sqlite", "postgres"], "the shorter one");
    assert_eq!(names("the a of to", None), [] as [&str; 0]);
    assert_eq!(names("weather tomorrow", None), [] as [&str; 0]);
    assert_eq!(names("slack", Some(&message())), ["slack"], "no entry has a vector");
}
