//! Folders of skills, as they are found.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{activation_text, body, listing, read, settle};
use crate::tap::{Finding, Severity, Skill, SkillSource, Tap, TapKind};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn skills(&self) -> PathBuf {
        self.root().join(".agents/skills")
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(&self, folder: &str, name: &str) {
        self.write(
            &format!(".agents/skills/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: d\n---\nBody of {folder}\n"),
        );
    }

    fn read(&self) -> (Vec<Skill>, Vec<Finding>) {
        read(&self.skills(), SkillSource::Workdir)
    }
}

fn names(skills: &[Skill]) -> Vec<&str> {
    skills.iter().map(|skill| skill.name.as_str()).collect()
}

fn said(findings: &[Finding]) -> Vec<(Severity, &str)> {
    findings.iter().map(|finding| (finding.severity, finding.problem.message.as_str())).collect()
}

#[test]
fn an_odd_header_is_no_reason_to_lose_a_skill() {
    let place = Place::new();
    place.write(".agents/skills/42/SKILL.md", "\u{feff}--- \nname : 42\ndescription: x\n---\nB\n");
    place.write(".agents/skills/crlf/SKILL.md", "---\r\nname: crlf\r\ndescription: x\r\n---\r\nB\r\nC\r\n");
    place.write(".agents/skills/fold/SKILL.md", "---\nname: fold\ndescription: >-\n  one\n  two\n---\nB\n");
    let (skills, findings) = place.read();
    assert_eq!(names(&skills), ["42", "crlf", "fold"]);
    assert_eq!(said(&findings), []);
    assert_eq!(body(&skills[1]).unwrap(), "B\r\nC\r\n");
    assert_eq!(skills[2].description, "one two");
}

#[test]
fn every_key_is_read() {
    let place = Place::new();
    let text = "---\nname: s\ntitle: \"T: t\"\ndescription: d\nlicense: MIT\ncompatibility: any\nallowed-tools: Bash(git add:*) Read\n\
                capabilities:\n  - one\n  - two\ndomains: [a, b]\nmetadata:\n  name: other\nrules:\n  - content(x) file(y)\n  - content(z)\n---\n";
    place.write(".agents/skills/s/SKILL.md", text);
    let (skills, findings) = place.read();
    assert_eq!(said(&findings), []);
    let skill = &skills[0];
    assert_eq!((skill.title.as_str(), skill.license.as_str(), skill.compatibility.as_str()), ("T: t", "MIT", "any"));
    assert_eq!(skill.allowed_tools, ["Bash(git add:*)", "Read"]);
    assert_eq!(
        (&skill.capabilities[..], &skill.domains[..]),
        (&["one".into(), "two".into()][..], &["a".into(), "b".into()][..])
    );
    let lines: Vec<(u32, usize)> = skill.rules.iter().map(|group| (group.line, group.checks.len())).collect();
    assert_eq!(lines, [(15, 2), (16, 1)]);
    let span = skill.rules[0].checks[1].span.clone();
    assert_eq!(&text[span], "file(y)");
}

#[test]
fn a_skill_without_name_or_description_is_rejected_once_with_its_place() {
    let place = Place::new();
    place.write(".agents/skills/a/SKILL.md", "---\ntitle: t\n---\nB\n");
    place.write(".agents/skills/b/SKILL.md", "---\nname: b\ndescription:\n---\nB\n");
    place.write(".agents/skills/c/SKILL.md", "# No header\n");
    place.write(".agents/skills/d/SKILL.md", b"---\nname: d\xff\n---\n");
    let (skills, findings) = place.read();
    assert_eq!(names(&skills), Vec::<&str>::new());
    let places: Vec<(&str, &str)> = findings
        .iter()
        .map(|finding| (finding.part.name.as_str(), finding.problem.message.split(',').next().unwrap()))
        .collect();
    assert_eq!(places[0], ("a", "the skill has no `name` and no `description`"));
    assert_eq!(places[1], ("b", "the skill has no `description`"));
    assert!(places[2].1.starts_with("there is no front matter"));
    assert!(places[3].1.contains("not UTF-8"));
    assert_eq!(places.len(), 4);
    let lines: Vec<usize> = findings.iter().map(|finding| finding.problem.place.as_ref().unwrap().line).collect();
    assert_eq!(lines, [1, 3, 1, 2]);
    // Reading again says the same, so that whoever shows it can tell it is the same.
    assert_eq!(place.read().1, findings);
}

#[test]
fn doubts_are_said_and_cost_nothing() {
    let place = Place::new();
    let text = "---\nname: other\ndescription: d\nallowed_tools: x\nrules:\n  - developer(x)\n  - match([)\n---\n";
    place.write(".agents/skills/s/SKILL.md", text);
    let (skills, findings) = place.read();
    assert_eq!(names(&skills), ["other"]);
    let lines: Vec<(Severity, usize)> =
        findings.iter().map(|finding| (finding.severity, finding.problem.place.as_ref().unwrap().line)).collect();
    let warning = Severity::Warning;
    assert_eq!(lines, [(Severity::Error, 7), (warning, 4), (warning, 2), (warning, 6), (warning, 5)]);
}

#[test]
fn one_name_twice_is_listed_twice_with_the_rule() {
    let place = Place::new();
    place.skill("a", "b");
    place.skill("b", "b");
    let (skills, findings) = place.read();
    assert_eq!(names(&skills), ["b", "b"]);
    assert!(skills[0].file.ends_with("b/SKILL.md"));
    let twice = &findings[1].problem.message;
    assert!(twice.contains("is here twice") && twice.contains("its folder has that name"), "{twice}");
    let mut user = skills[1].clone();
    user.source = SkillSource::User;
    let settled = settle(skills.into_iter().chain([user]).collect());
    assert_eq!((settled.winners.len(), settled.shadowed.len(), settled.findings.len()), (1, 2, 1));
    assert!(
        settled.findings[0].problem.message.contains("of the working directory wins over this one of your own folder")
    );
}

#[test]
fn a_level_deeper_is_found_and_two_are_named() {
    let place = Place::new();
    place.skill("ios/foo", "foo");
    place.skill("a/b/c", "c");
    place.write(".agents/skills/empty/README.md", "nothing");
    place.write(".agents/skills/lower/skill.md", "---\nname: lower\ndescription: d\n---\n");
    let (skills, findings) = place.read();
    assert_eq!(names(&skills), ["foo", "lower"]);
    let said = said(&findings);
    assert!(said[0].1.contains("more than 2 levels"), "{said:?}");
    assert!(said[1] == (Severity::Note, "this folder holds no SKILL.md"), "{said:?}");
    assert!(said[2].1.contains("only find SKILL.md"), "{said:?}");
    let (skills, findings) = read(&place.skills(), SkillSource::Plugin("p".into()));
    assert_eq!(names(&skills), ["lower"]);
    assert!(findings.iter().any(|finding| finding.problem.message.contains("one level too deep for a plugin")));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_root_only() {
    use std::os::unix::fs::symlink;
    let (place, elsewhere) = (Place::new(), Place::new());
    elsewhere.skill("out", "out");
    place.write("shared/kept/SKILL.md", "---\nname: kept\ndescription: d\n---\nB\n");
    place.skill("real", "real");
    let skills = place.skills();
    symlink(place.root().join("shared/kept"), skills.join("kept")).unwrap();
    symlink("real", skills.join("again")).unwrap();
    symlink("..", skills.join("around")).unwrap();
    symlink("loop", skills.join("loop")).unwrap();
    symlink("missing", skills.join("nowhere")).unwrap();
    symlink(elsewhere.skills().join("out"), skills.join("out")).unwrap();
    fs::create_dir_all(skills.join("file")).unwrap();
    symlink(elsewhere.skills().join("out/SKILL.md"), skills.join("file/SKILL.md")).unwrap();
    let (found, findings) = place.read();
    assert_eq!(names(&found), ["kept", "real"]);
    let by_name = |name: &str| {
        let of: Vec<&Finding> = findings.iter().filter(|finding| finding.part.name == name).collect();
        assert_eq!(of.len(), 1, "{name}: {findings:?}");
        of[0].problem.message.clone()
    };
    assert!(by_name("again").contains("same skill as"));
    assert!(by_name("around").contains("back to itself"));
    assert!(by_name("loop").contains("back to itself"));
    assert!(by_name("nowhere").contains("link to nothing"));
    assert!(by_name("out").contains("outside"));
    assert!(by_name("file").contains("outside"));
    assert_eq!(body(&found[0]).unwrap(), "B\n");
}

#[test]
fn an_activation_lists_the_files_right_in_the_resource_folders() {
    let place = Place::new();
    place.skill("s", "s");
    for file in ["scripts/b.sh", "scripts/a.sh", "scripts/deep/c.sh", "references/r.md", "assets/.keep", "other/o.md"] {
        place.write(&format!(".agents/skills/s/{file}"), "x");
    }
    let (skills, _) = place.read();
    let folder = place.skills().join("s");
    let path = |file: &str| folder.join(file).display().to_string();
    let wanted = format!(
        "Body of s\n\n## Skill Resources\n\n- {}\n- {}\n- {}\n",
        path("scripts/a.sh"),
        path("scripts/b.sh"),
        path("references/r.md")
    );
    assert_eq!(activation_text(&skills[0]).unwrap(), wanted);
    fs::remove_dir_all(&folder).unwrap();
    assert!(activation_text(&skills[0]).is_err());
}

#[test]
fn descriptions_are_shortened_fairly() {
    let place = Place::new();
    for index in 0..58 {
        let length = if index == 0 { 3 } else { 500 };
        let text = format!("---\nname: s{index:02}\ndescription: {}\n---\n", "é".repeat(length));
        place.write(&format!(".agents/skills/s{index:02}/SKILL.md"), text);
    }
    let (skills, _) = place.read();
    let skills: Vec<&Skill> = skills.iter().collect();
    let short = listing(&skills, 24_000);
    assert_eq!((short.lines.len(), short.clipped), (58, 57));
    assert_eq!(short.lines[0], "- s00: ééé");
    let described: usize = short.lines.iter().map(|line| line.chars().count() - "- s00: ".len()).sum();
    assert!((23_900..=24_000).contains(&described), "{described}");
    assert_eq!(short.notice().unwrap(), "the descriptions of 57 of 58 skills were shortened to fit");
    assert_eq!(listing(&skills, usize::MAX).clipped, 0);
    assert_eq!(listing(&skills, 0).lines[1], "- s01");
}

#[test]
fn a_folder_that_is_not_there_has_no_skills() {
    let place = Place::new();
    assert_eq!(place.read(), (Vec::new(), Vec::new()));
}

/// The public registry, where it is at hand.
#[test]
fn the_public_registry_loads() {
    let shared = std::env::var_os("OCTOMIND_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let root = shared.join("data/tap");
    if !root.join("skills").is_dir() {
        return;
    }
    let tap = Arc::new(Tap { name: "muvon/tap".into(), kind: TapKind::Linked, root: root.clone(), unavailable: None });
    let (skills, findings) = read(&root.join("skills"), SkillSource::Tap(tap));
    assert_eq!(skills.len(), 101);
    let lines: usize = skills.iter().map(|skill| skill.rules.len()).sum();
    assert!(lines > 700, "{lines}");
    let mut said: Vec<(Severity, String)> = findings
        .iter()
        .map(|finding| (finding.severity, format!("{}: {}", finding.part.name, finding.problem.message)))
        .collect();
    said.sort();
    let never = |name: &str, check: &str| {
        (Severity::Warning, format!("{name}: there is no check `{check}`; it never holds, and so this line never does"))
    };
    let mut wanted: Vec<(Severity, String)> = [
        ("analytical-report", "data", 2),
        ("ats-optimization", "career", 3),
        ("code-review-lenses", "developer", 2),
        ("cover-letter", "career", 1),
        ("resume-conventions", "career", 3),
    ]
    .into_iter()
    .flat_map(|(name, check, times)| std::iter::repeat_n(never(name, check), times))
    .collect();
    wanted.sort();
    assert_eq!(said, wanted);
    assert!(skills.iter().all(|skill| body(skill).is_ok_and(|body| !body.trim().is_empty())));
}

/// What a file costs to read must not grow with the square of its length.
#[test]
fn a_hostile_header_costs_little_and_is_named() {
    use std::time::{Duration, Instant};
    let place = Place::new();
    let mut many = String::from("---\nname: many\ndescription: d\ndomains: developer\nrules:\n");
    (0..3_000).for_each(|_| many.push_str("- bin(a)\n"));
    place.write(".agents/skills/many/SKILL.md", format!("{many}---\n"));
    let rows = [
        ("rows", "- content(a)\n".repeat(50_000)),
        ("spaces", format!("[{}\n", " ".repeat(30_000))),
        ("open", format!("[{}\n", "([".repeat(15_000))),
        ("goes-on", format!("- a\n{}", "   b\n".repeat(6_000))),
        ("class", format!("- match({}\n", "[".repeat(30_000))),
        ("bad", "- bad(\n".repeat(4_000)),
    ];
    for (name, rules) in &rows {
        let text = format!("---\nname: {name}\ndescription: d\ndomains: developer\nrules: \n{rules}---\n");
        place.write(&format!(".agents/skills/{name}/SKILL.md"), text.replace("rules: \n[", "rules: ["));
    }
    let begun = Instant::now();
    let (skills, findings) = place.read();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(names(&skills), ["bad", "class", "goes-on", "many", "open", "spaces"]);
    assert_eq!(skills[3].rules.len(), super::rules::MOST);
    let of = |name: &str| findings.iter().filter(|finding| finding.part.name == name).collect::<Vec<_>>();
    assert!(of("rows")[0].problem.message.contains("the skill was left out"));
    assert_eq!(of("many")[0].problem.message, "there are 3000 rules; from here on they never hold");
    assert_eq!(of("many")[0].problem.place.as_ref().unwrap().line, 1_006);
    assert!(of("class")[0].problem.message.starts_with("this rule is longer than"));
    assert_eq!(of("bad").len(), 101);
}

/// A person must be able to read all that a model reads.
#[test]
fn characters_that_nobody_sees_do_not_reach_a_model() {
    let place = Place::new();
    let text =
        "---\nname: evil\ndescription: Go\u{202e}od\n---\nAll\u{e0041}\u{e0042} fine\u{1b}]0;PWN\u{7}.\n\tmake all\n";
    place.write(".agents/skills/evil/SKILL.md", text);
    let (skills, findings) = place.read();
    assert_eq!(skills[0].description, "Good");
    assert_eq!(activation_text(&skills[0]).unwrap(), "All fine.\n\tmake all\n");
    let said = "this line has characters that nobody sees; a model gets the text without them";
    assert_eq!(self::said(&findings), [(Severity::Warning, said)]);
    assert_eq!(findings[0].problem.place.as_ref().unwrap().line, 3);
}
