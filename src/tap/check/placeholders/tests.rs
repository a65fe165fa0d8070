use super::*;

const NAMES: [&str; 3] = ["CWD", "DATE", "USES"];

/// What stands between the braces, what is filled in there, and what is said.
type Case = (&'static str, &'static [&'static str], Option<(Severity, &'static str)>);

#[test]
fn what_was_meant_as_one_of_ours() {
    let cases: [Case; 18] = [
        ("ENV:", &NAMES, Some((Severity::Note, "write {{ENV:NAME}}"))),
        ("input", &NAMES, Some((Severity::Note, "write {{INPUT:NAME}}"))),
        ("CWD", &NAMES, None),
        ("ENV:API_KEY", &NAMES, None),
        ("INPUT:API_KEY", &[], None),
        ("cwd", &NAMES, Some((Severity::Warning, "write {{CWD}}"))),
        (" DATE ", &NAMES, Some((Severity::Warning, "write {{DATE}}"))),
        ("DATTE", &NAMES, Some((Severity::Warning, "{{DATE}}?"))),
        ("PROJECT", &NAMES, Some((Severity::Warning, "{{{{PROJECT}}}} if it is meant"))),
        ("CWD", &[], Some((Severity::Warning, "{{ENV:NAME}}"))),
        ("env:KEY", &[], Some((Severity::Warning, "write {{ENV:KEY}}"))),
        ("ENV", &[], Some((Severity::Warning, "write {{ENV:NAME}}"))),
        ("EVN:KEY", &[], Some((Severity::Warning, "{{ENV:KEY}}?"))),
        ("IMPUT:KEY", &NAMES, Some((Severity::Warning, "{{INPUT:KEY}}?"))),
        ("ENV:", &[], Some((Severity::Error, "write {{ENV:NAME}}"))),
        ("ENV:my key", &[], Some((Severity::Error, "letters, digits and _"))),
        // Other languages have double braces too.
        ("user.name", &NAMES, None),
        ("time:HH", &NAMES, None),
    ];
    for (inner, names, expected) in cases {
        let judged = judge(inner, names);
        match (&judged, expected) {
            (None, None) => {}
            (Some((severity, _, hint)), Some((wanted, part))) if *severity == wanted && hint.contains(part) => {}
            _ => panic!("{inner}: {judged:?}"),
        }
    }
}

#[test]
fn braces_are_found_where_they_stand() {
    let inner = |text| found(text).into_iter().map(|(span, inner)| (span.start, inner)).collect::<Vec<_>>();
    assert_eq!(inner("a {{B}} {{C:D}}"), [(2, "B"), (8, "C:D")]);
    assert_eq!(inner("{{{{B}}}} {{C}}"), [(10, "C")]);
    assert_eq!(inner("{{ open {{B}}"), [(8, "B")]);
    assert_eq!(inner("{{é}} {{"), [(0, "é")]);
    assert_eq!(inner("{{{{never closed"), []);
    assert_eq!(inner("{{a\nb}} {{C}}"), [(8, "C")]);
}
