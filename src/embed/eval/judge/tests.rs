use super::*;
use crate::embed::Vector;

fn row(intent: &str, label: Option<&str>, needs: &[&str]) -> Row {
    Row {
        line: 1,
        intent: intent.to_owned(),
        label: label.map(str::to_owned),
        kind: "x".to_owned(),
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
    }
}

/// A vector whose cosine with the first axis is `cosine`.
fn at(cosine: f32) -> Vector {
    Vector::new(vec![cosine, (1.0 - cosine * cosine).sqrt()]).unwrap()
}

#[test]
fn each_outcome() {
    let (a, b) = ([at(0.80)], [at(0.70)]);
    let near = [at(0.78)];
    let clear = [Candidate { name: "a", phrases: &a }, Candidate { name: "b", phrases: &b }];
    let tied = [Candidate { name: "a", phrases: &a }, Candidate { name: "b", phrases: &near }];
    let message = at(1.0);
    let cases = [
        (row("long enough", Some("a"), &[]), &clear, Outcome::Right),
        (row("long enough", Some("b"), &[]), &clear, Outcome::Wrong),
        (row("long enough", Some("a"), &[]), &tied, Outcome::Missed),
        (row("long enough", None, &[]), &clear, Outcome::FalseActivation),
        (row("long enough", None, &[]), &tied, Outcome::Silent),
        (row("long enough", None, &["a", "b"]), &clear, Outcome::FalseActivation),
        (row("long enough", None, &["a", "b"]), &tied, Outcome::Silent),
        // Seven characters that are not white space are never looked at.
        (row("a bc defg", Some("a"), &[]), &clear, Outcome::Missed),
        (row("a bc defg", None, &[]), &clear, Outcome::Silent),
        // What was pasted does not count.
        (row("yo <log>a long line of a log</log>", None, &[]), &clear, Outcome::Silent),
    ];
    for (row, candidates, outcome) in cases {
        let judged = judge(&row, &message, candidates, Rule::ACTIVATE);
        assert_eq!(judged.outcome, outcome, "{row:?}");
    }
}

#[test]
fn ranks_and_leads_are_those_of_the_expected_one() {
    let (a, b) = ([at(0.80)], [at(0.70)]);
    let candidates = [Candidate { name: "a", phrases: &a }, Candidate { name: "b", phrases: &b }];
    let (first, second) = (row("long enough", Some("a"), &[]), row("long enough", Some("b"), &[]));
    let judged = judge(&first, &at(1.0), &candidates, Rule::ACTIVATE);
    assert!(judged.is_top() && (judged.lead().unwrap() - 0.1).abs() < 1e-5);
    let judged = judge(&second, &at(1.0), &candidates, Rule::ACTIVATE);
    assert!(!judged.is_top() && (judged.lead().unwrap() + 0.1).abs() < 1e-5);
    assert_eq!(judged.taken(Rule { threshold: 0.9, margin: 0.0 }), None);
}

#[test]
fn what_was_pasted_is_not_compared() {
    assert_eq!(message_of(&row("why this <log>error in docker</log>", None, &[])).trim_end(), "why this");
}
