use std::collections::HashMap;
use std::path::Path;

use super::{Likeness, NotReady, Scene, Seen, Surroundings, judge};
use crate::config::{Env, Source, SourceKind};
use crate::proto::SkillTrace;
use crate::tap::skill::document;
use crate::tap::{Skill, SkillSource};

struct Fake;

impl Surroundings for Fake {
    fn file(&self, glob: &str) -> Seen {
        Seen { held: glob == "Cargo.toml", evidence: "looked".into() }
    }
    fn grep(&self, pattern: &str, glob: Option<&str>) -> Seen {
        Seen { held: pattern == "tokio" && glob.is_none_or(|glob| glob == "*.toml"), evidence: "looked".into() }
    }
    fn bin(&self, name: &str) -> Seen {
        Seen { held: name == "cargo", evidence: "looked".into() }
    }
}

/// A phrase is as like as the number it ends with.
struct Numbers;

impl Likeness for Numbers {
    fn cosine(&self, phrase: &str) -> Result<f32, String> {
        phrase.rsplit(' ').next().and_then(|number| number.parse().ok()).ok_or_else(|| "no number".to_owned())
    }
}

fn skill(name: &str, domains: &str, rules: &[&str]) -> Skill {
    let rules: String = rules.iter().map(|rule| format!("  - {rule}\n")).collect();
    let text = format!("---\nname: {name}\ndescription: d\ndomains: {domains}\nrules:\n{rules}---\n");
    let source = Source::new(SourceKind::File, "SKILL.md", text);
    let file = Path::new("/s").join(name).join("SKILL.md");
    document::read(&source, &file, &SkillSource::Workdir).0.unwrap()
}

fn run(skills: &[Skill], message: &str, domain: &str, likeness: &dyn Likeness) -> HashMap<String, SkillTrace> {
    let env = Env::from_pairs([("CI", "true"), ("EMPTY", "")]);
    let workdir = Path::new("/home/me/Work/API-server");
    let scene = Scene { message, domain, workdir, session: "Trend-Monday", env: &env };
    let skills: Vec<&Skill> = skills.iter().collect();
    judge(&skills, &scene, &Fake, likeness).into_iter().map(|trace| (trace.skill.clone(), trace)).collect()
}

fn activated(rules: &[&str], message: &str) -> bool {
    run(&[skill("s", "developer", rules)], message, "developer", &Numbers)["s"].activated
}

#[test]
fn every_check_true_and_false() {
    let message = "Please do a Code  Review of this C++ rust_code in Rust, 请测试代码";
    let table = [
        ("file(Cargo.toml)", true),
        ("file(go.mod)", false),
        ("content(rust)", true),
        ("content(RUST)", true),
        ("content(rus)", false),
        ("content(code review)", true),
        ("content(review code)", false),
        ("content(c++)", true),
        ("content(测试)", true),
        ("match(\\bRust\\b)", true),
        ("match(\\brUST\\b)", false),
        ("match((?i)\\brUST\\b)", true),
        ("grep(tokio)", true),
        ("grep(tokio, *.toml)", true),
        ("grep(tokio, *.rs)", false),
        ("env(CI)", true),
        ("env(EMPTY)", false),
        ("env(NONE)", false),
        ("env(CI=true)", true),
        ("env(CI=false)", false),
        ("bin(cargo)", true),
        ("bin(none)", false),
        ("workdir(api-SERVER)", true),
        ("workdir(web)", false),
        ("session(trend)", true),
        ("session(weekly)", false),
        ("semantic(alike 0.65)", true),
        ("semantic(alike 0.649)", false),
        ("semantic(alike 0.4, 0.4)", true),
        ("semantic(alike 0.7, 0.8)", false),
        ("semantic(no number)", false),
        ("developer(review)", false),
        ("match([)", false),
    ];
    for (rule, held) in table {
        assert_eq!(activated(&[rule], message), held, "{rule}");
    }
}

#[test]
fn checks_of_a_line_are_and_lines_are_or() {
    let message = "some rust to be reviewed";
    assert!(activated(&["content(rust) file(Cargo.toml)"], message));
    assert!(!activated(&["content(rust) file(go.mod)"], message));
    assert!(activated(&["content(go)", "content(rust)"], message));
    assert!(!activated(&["content(go)", "content(java)"], message));
    assert!(!activated(&["content(rust) developer(x)"], message));
    assert!(!activated(&[], message));
}

#[test]
fn the_domain_is_a_gate() {
    let skills = [
        skill("a", "developer devops", &["content(rust)"]),
        skill("b", "\"*\"", &["content(rust)"]),
        skill("c", "seo", &["content(rust)"]),
    ];
    let reached = |domain: &str| {
        let mut names: Vec<String> = run(&skills, "rust if you please", domain, &NotReady).into_keys().collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(reached("devops"), "a b");
    assert_eq!(reached("seo"), "b c");
    assert_eq!(reached(""), "b");
}

#[test]
fn pasted_blocks_and_short_messages_match_nothing() {
    assert!(!activated(&["content(rust)"], "<log>rust rust rust</log> look at this"));
    assert!(!activated(&["content(go)"], "go on 12"));
    assert!(activated(&["content(go)"], "go on 1234"));
    let trace = &run(&[skill("s", "developer", &["content(go)"])], "go on 12", "developer", &NotReady)["s"];
    assert!(trace.reason.as_ref().unwrap().contains("fewer than 8"), "{trace:?}");
}

#[test]
fn likeness_alone_must_be_clearly_ahead() {
    let reason = |own: &[&str], other: &[&str]| {
        let skills = [skill("own", "d", own), skill("other", "d", other)];
        run(&skills, "a message of some length", "d", &Numbers)["own"].reason.clone()
    };
    let close =
        Some("only meaning speaks for it: 0.700, and 0.645 for `other`; it would have to be 0.06 ahead".to_owned());
    assert_eq!(reason(&["semantic(x 0.70)"], &["semantic(y 0.645)"]), close);
    assert_eq!(reason(&["semantic(x 0.75)"], &["semantic(y 0.625)"]), None);
    // A file beside it does not spare the margin.
    assert!(reason(&["semantic(x 0.70) file(Cargo.toml)"], &["semantic(y 0.69)"]).is_some());
    // Another line that holds without likeness does.
    assert_eq!(reason(&["semantic(x 0.70)", "content(message)"], &["semantic(y 0.69)"]), None);
    // What is certain, or out of question, is no rival.
    assert_eq!(reason(&["semantic(x 0.70)"], &["semantic(y 0.69)", "content(message)"]), None);
    assert_eq!(reason(&["semantic(x 0.70)"], &["semantic(y 0.69) file(go.mod)"]), None);
    let skills = [skill("a", "d", &["semantic(x 0.8)"]), skill("b", "d", &["semantic(y 0.79)"])];
    assert!(run(&skills, "a message of some length", "d", &Numbers).values().all(|trace| !trace.activated));
}

#[test]
fn the_record_has_every_number_and_reason() {
    let skills = [skill("s", "d", &["semantic(x 0.61)", "file(go.mod) content(nothing)"]), skill("bare", "d", &[])];
    let traces = run(&skills, "a message of some length", "d", &Numbers);
    let trace = &traces["s"];
    assert_eq!(trace.reason.as_deref(), Some("no line holds; the nearest by meaning is at 0.610"));
    assert_eq!(trace.lines[0].checks[0].cosine, Some(0.61));
    assert_eq!(trace.lines[0].checks[0].evidence, "0.610 against 0.65");
    assert!(trace.lines[1].checks[0].evidence.contains("not looked for"));
    assert_eq!(traces["bare"].reason.as_deref(), Some("it has no rules"));
    let traces = run(&skills, "a message of some length", "d", &NotReady);
    assert_eq!(traces["s"].lines[0].checks[0].evidence, "model not ready");
    assert!(!traces["s"].activated);
}
