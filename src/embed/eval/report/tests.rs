use super::*;
use crate::embed::Vector;
use crate::embed::eval::{Row, judge, parse};
use crate::embed::gate::Candidate;

const ROWS: &str = r#"
{"intent": "1.00 0.10", "label": "a", "kind": "plain"}
{"intent": "0.80 0.10", "label": "a", "kind": "plain"}
{"intent": "0.70 0.68", "label": "a", "kind": "tied"}
{"intent": "0.20 0.90", "label": "a", "kind": "tied"}
{"intent": "0.30 0.95", "label": "a", "kind": "tied"}
{"intent": "0.60 0.62", "label": "a", "kind": "tied"}
{"intent": "0.10 0.70", "label": null, "kind": "vague"}
{"intent": "0.10 0.60", "label": null, "kind": "vague"}
{"intent": "0.90 0.10", "label": null, "kind": "two", "needs": ["a", "b"]}
{"intent": "0.70 0.70", "label": null, "kind": "two", "needs": ["a", "b"]}
"#;

/// The intent says the cosines with the only triggers of `a` and `b`.
fn judged(rows: &[Row], check: impl Fn(&Report)) {
    let axis = |place: usize| Vector::new((0..3).map(|at| f32::from(u8::from(at == place))).collect()).unwrap();
    let (a, b) = ([axis(0)], [axis(1)]);
    let candidates = [Candidate { name: "a", phrases: &a }, Candidate { name: "b", phrases: &b }];
    let judged: Vec<_> = rows
        .iter()
        .map(|row| {
            let cosines: Vec<f32> = row.intent.split(' ').map(|number| number.parse().unwrap()).collect();
            let rest = (1.0 - cosines[0].powi(2) - cosines[1].powi(2)).max(0.0).sqrt();
            let message = Vector::new(vec![cosines[0], cosines[1], rest]).unwrap();
            judge(row, &message, &candidates, Rule::ACTIVATE)
        })
        .collect();
    check(&Report::new(&judged, Rule::ACTIVATE));
}

#[test]
fn counts_and_rates() {
    judged(&parse(ROWS).good, |report| {
        let counts = Counts {
            rows: 10,
            labelled: 6,
            top1: 3,
            right: 2,
            wrong: 2,
            missed: 2,
            null: 2,
            null_false: 1,
            two: 2,
            two_silent: 1,
            two_needed: 1,
            too_short: 0,
        };
        assert_eq!(report.counts, counts);
        let rates = Rates {
            top1: Some(0.5),
            right: Some(0.3333),
            wrong: Some(0.3333),
            null_false: Some(0.5),
            two_silent: Some(0.5),
            precision: Some(0.3333),
        };
        assert_eq!(report.rates, rates);
    });
}

#[test]
fn kinds_and_confusions_with_the_worst_example() {
    judged(&parse(ROWS).good, |report| {
        let kinds: Vec<_> = report.kinds.iter().map(|kind| (kind.kind.as_str(), kind.counts.rows)).collect();
        assert_eq!(kinds, [("plain", 2), ("tied", 4), ("two", 2), ("vague", 2)]);
        let told: Vec<_> = report
            .confusions
            .iter()
            .map(|c| (c.expected.as_deref(), c.taken.as_str(), c.rows, c.fired, c.example.line))
            .collect();
        assert_eq!(told, [(Some("a"), "b", 3, 2, 5), (None, "a", 1, 1, 10), (None, "b", 1, 1, 8)]);
        assert_eq!(report.confusions[0].example.expected_score, Some(0.2));
        assert_eq!(report.confusions[1].example.expected_score, None);
    });
}

#[test]
fn other_rules_trade_one_for_the_other() {
    judged(&parse(ROWS).good, |report| {
        let fixed: Vec<_> = report.thresholds.iter().filter(|point| point.fixed).collect();
        assert_eq!((fixed.len(), fixed[0].threshold, &fixed[0].rates), (1, 0.65, &report.rates));
        let right: Vec<f64> = report.thresholds.iter().filter_map(|point| point.rates.right).collect();
        assert!(right.is_sorted_by(|low, high| low >= high), "{right:?}");
        assert_eq!(
            report.margin_curve.iter().map(|point| point.margin).collect::<Vec<_>>(),
            [0.0, 0.03, 0.06, 0.09, 0.12]
        );
        assert!(report.margin_curve[0].rates.right > report.rates.right);
    });
}

#[test]
fn nothing_to_measure_is_no_number() {
    let report = Report::new(&[], Rule::ACTIVATE);
    assert_eq!(report.rates, Rates::default());
    assert_eq!((report.margins, report.null_scores), (None, None));
}

#[test]
fn spreads_take_the_nearest_rank() {
    let spread = Spread::of((1..=10).map(|number| number as f32)).unwrap();
    assert_eq!((spread.p10, spread.median, spread.p90), (1.0, 5.0, 9.0));
    assert_eq!(Spread::of([0.5]), Some(Spread { p10: 0.5, median: 0.5, p90: 0.5 }));
}
