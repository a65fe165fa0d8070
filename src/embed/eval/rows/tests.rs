use super::*;

#[test]
fn every_line_is_a_row_or_named() {
    let text = "\u{feff}{\"intent\": \"show the pods\", \"label\": \"kubernetes\", \"kind\": \"positive\"}\r\n\
        \n\
        {\"intent\": \"yo\", \"label\": null}\n\
        {\"intent\": \"\", \"label\": null}\n\
        {\"intent\": \"x\", \"lable\": \"docker\"}\n\
        {\"intent\": 3, \"label\": null}\n\
        {\"intent\": \"x\", \"label\": 3}\n\
        [1]\n\
        nonsense\n\
        {\"intent\": \"a and b\", \"label\": null, \"kind\": \"two\", \"needs\": [\"a\", \"b\"], \"note\": 1}\n\
        {\"intent\": \"a and b\", \"label\": null, \"needs\": \"a\"}";
    let rows = parse(text);
    let good: Vec<(usize, &str, &str)> =
        rows.good.iter().map(|row| (row.line, row.intent.as_str(), row.kind.as_str())).collect();
    assert_eq!(good, [(1, "show the pods", "positive"), (3, "yo", "unsorted"), (10, "a and b", "two")]);
    let bad: Vec<String> = rows.bad.iter().map(|bad| format!("{}: {}", bad.line, bad.why)).collect();
    let begins = [
        "4: `intent` is empty",
        "5: `label` is missing; write null",
        "6: `intent` has to be",
        "7: `label` has to be",
        "8: a row is a JSON object",
        "9: this is no JSON",
        "11: `needs` has to be a list",
    ];
    assert_eq!(bad.len(), begins.len(), "{bad:?}");
    for (bad, begin) in bad.iter().zip(begins) {
        assert!(bad.starts_with(begin), "{bad}");
    }
}

#[test]
fn what_is_expected_follows_from_label_kind_and_needs() {
    let row = |label: Option<&str>, kind: &str, needs: &[&str]| Row {
        line: 1,
        intent: "x".to_owned(),
        label: label.map(str::to_owned),
        kind: kind.to_owned(),
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
    };
    assert_eq!(row(None, "vague", &[]).expected(), Expected::Nothing);
    assert_eq!(row(None, "two", &[]).expected(), Expected::Several);
    assert_eq!(row(None, "compound", &[]).expected(), Expected::Several);
    assert_eq!(row(None, "any", &["a", "b"]).expected(), Expected::Several);
    assert_eq!(row(Some("shell"), "compound", &[]).expected(), Expected::One("shell"));
}

#[test]
fn unknown_labels_are_counted_and_a_slip_is_offered() {
    let text =
        ["docker", "doker", "doker", "zzz"].map(|label| format!("{{\"intent\": \"x\", \"label\": \"{label}\"}}\n"));
    let mut rows = parse(&text.concat()).good;
    let unknown = set_unknown_aside(&mut rows, &["docker", "kubernetes"]);
    assert_eq!(rows.len(), 1);
    let told: Vec<_> = unknown.iter().map(|u| (u.label.as_str(), u.rows, u.line, u.similar.as_deref())).collect();
    assert_eq!(told, [("doker", 2, 2, Some("docker")), ("zzz", 1, 4, None)]);
}
