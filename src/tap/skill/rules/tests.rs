use proptest::prelude::*;

use super::super::front_matter::Piece;
use super::super::remark::Remark;
use super::{CheckKind, RuleGroup, parse};
use crate::tap::Severity;

fn piece(text: &str) -> Piece {
    Piece { text: text.to_owned(), span: 100..100 + text.len(), exact: true }
}

fn read(text: &str) -> (RuleGroup, Vec<Remark>) {
    let mut remarks = Vec::new();
    let group = parse(&piece(text), 7, &mut remarks);
    (group, remarks)
}

fn one(text: &str) -> CheckKind {
    let (group, remarks) = read(text);
    assert_eq!(remarks, [], "{text}");
    assert_eq!(group.checks.len(), 1, "{text}");
    assert_eq!(group.checks[0].text, text);
    assert_eq!(group.checks[0].span, 100..100 + text.len());
    group.checks[0].kind.clone()
}

fn pattern_of(kind: CheckKind) -> String {
    match kind {
        CheckKind::Match { pattern } => pattern.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_check_is_read() {
    assert_eq!(one("file(src/**/*.rs)"), CheckKind::File { glob: "src/**/*.rs".into() });
    assert_eq!(one("content(code review)"), CheckKind::Content { words: "code review".into() });
    assert_eq!(one("content(\"rust\")"), CheckKind::Content { words: "rust".into() });
    assert_eq!(one("env(CI)"), CheckKind::Env { name: "CI".into(), value: None });
    assert_eq!(one("env(CI=true)"), CheckKind::Env { name: "CI".into(), value: Some("true".into()) });
    assert_eq!(one("bin(cargo)"), CheckKind::Bin { name: "cargo".into() });
    assert_eq!(one("workdir(api)"), CheckKind::Workdir { part: "api".into() });
    assert_eq!(one("session(trend)"), CheckKind::Session { part: "trend".into() });
}

#[test]
fn patterns_keep_parentheses_spaces_and_classes() {
    for pattern in [
        r"(?i)\b(a|b)\s+(c(d)?)",
        r"\(not a group\)",
        r"[)(]x",
        r"[^)]+ and \)",
        r"applicant tracking system",
        r"a{1,2}",
        r"[]()]x",
        r"[[:alpha:])]",
    ] {
        assert_eq!(pattern_of(one(&format!("match({pattern})"))), pattern);
    }
}

#[test]
fn grep_has_a_glob_or_not() {
    let grep = |pattern: &str, glob: Option<&str>| CheckKind::Grep {
        pattern: pattern.to_owned(),
        glob: glob.map(str::to_owned),
    };
    assert_eq!(one(r"grep(\[\[steps\]\], *.toml)"), grep(r"\[\[steps\]\]", Some("*.toml")));
    assert_eq!(one("grep(tokio)"), grep("tokio", None));
    assert_eq!(one("grep(a{1,2})"), grep("a{1,2}", None));
    assert_eq!(one("grep([,] x, src/*.rs)"), grep("[,] x", Some("src/*.rs")));
    assert_eq!(one("grep(one, two words)"), grep("one, two words", None));
}

#[test]
fn a_comma_in_a_phrase_is_no_threshold() {
    let semantic = |phrase: &str, threshold| CheckKind::Semantic { phrase: phrase.to_owned(), threshold };
    assert_eq!(one("semantic(fix it)"), semantic("fix it", None));
    assert_eq!(one("semantic(fix it, 0.5)"), semantic("fix it", Some(0.5)));
    assert_eq!(one("semantic(plan, build, ship)"), semantic("plan, build, ship", None));
    assert_eq!(one("semantic(plan, build, 0.7)"), semantic("plan, build", Some(0.7)));
    assert_eq!(one("semantic(what is (roughly, sort of) wrong)"), semantic("what is (roughly, sort of) wrong", None));
    assert_eq!(one("semantic(to infinity, inf)"), semantic("to infinity, inf", None));
    let (group, remarks) = read("semantic(news of 2024, 2025)");
    assert_eq!(group.checks[0].kind, semantic("news of 2024, 2025", None));
    assert_eq!((remarks[0].severity, remarks[0].span.clone()), (Severity::Warning, 123..127));
}

#[test]
fn a_line_has_several_checks_and_perhaps_a_comment() {
    let (group, remarks) = read("file(Cargo.toml)  content(async), env(CI)   # only then");
    assert_eq!(remarks, []);
    assert_eq!(group.line, 7);
    let texts: Vec<&str> = group.checks.iter().map(|check| check.text.as_str()).collect();
    assert_eq!(texts, ["file(Cargo.toml)", "content(async)", "env(CI)"]);
    assert_eq!(read("# nothing").0.checks, []);
}

#[test]
fn what_cannot_hold_is_kept_and_said_with_its_place() {
    let table = [
        ("developer(review)", Severity::Warning, 100..109, "no check `developer`"),
        ("contents(rust)", Severity::Warning, 100..108, "no check `contents`"),
        ("match(a(b)", Severity::Error, 107..108, "regular expression"),
        ("match(*a)", Severity::Error, 106..107, "regular expression"),
        ("match((?=a))", Severity::Error, 106..109, "regular expression"),
        ("grep([z-a])", Severity::Error, 106..109, "regular expression"),
        ("file(a[)", Severity::Error, 105..107, "no glob"),
        ("file(../secret)", Severity::Error, 105..114, "leads out"),
        ("file(/etc/passwd)", Severity::Error, 105..116, "leads out"),
        ("grep(x, [a)", Severity::Error, 108..110, "no glob"),
        ("env(A-B)", Severity::Error, 104..107, "no name of an environment variable"),
        ("content()", Severity::Error, 100..109, "nothing between"),
        ("content(", Severity::Error, 100..108, "never closed"),
        ("rust", Severity::Error, 100..104, "not a check"),
    ];
    for (text, severity, span, message) in table {
        let (group, remarks) = read(text);
        assert_eq!(group.checks.len(), 1, "{text}");
        let kept = matches!(group.checks[0].kind, CheckKind::Unknown { .. } | CheckKind::Broken { .. });
        assert!(kept, "{text}: {:?}", group.checks[0].kind);
        assert_eq!(remarks.len(), 1, "{text}: {remarks:?}");
        assert!(remarks[0].message.contains(message), "{text}: {}", remarks[0].message);
        assert_eq!((remarks[0].severity, remarks[0].span.clone()), (severity, span), "{text}");
    }
    assert!(read("contents(rust)").1[0].hint.as_ref().unwrap().contains("`content` meant"));
}

proptest! {
    #[test]
    fn any_line_is_taken(text in "(match|grep|content|semantic|env|file|x|\\(|\\)|\\[|\\]|\\\\|,| |0.5|9|\\{|\\}|\\*|é|#|=|\"){0,40}") {
        let (group, remarks) = read(&text);
        let inside = |span: &std::ops::Range<usize>| {
            span.start >= 100 && span.end <= 100 + text.len() && text.get(span.start - 100..span.end - 100).is_some()
        };
        for check in &group.checks {
            prop_assert!(inside(&check.span));
            prop_assert_eq!(&text[check.span.start - 100..check.span.end - 100], check.text.as_str());
        }
        for remark in &remarks {
            prop_assert!(inside(&remark.span), "{:?} of {:?}", remark, text);
        }
    }
}
