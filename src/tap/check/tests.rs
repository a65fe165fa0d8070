use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A tap in a folder of its own, sound until a test changes it.
struct Fixture {
    folder: TempDir,
}

const AGENT: &str = r#"# Agent: writing:chief
# Title: Writer
# Description: Writes what is asked for, short and to the point.

capabilities = ["search"]

[[roles]]
welcome = """Hello.
<system>
{{CWD}}
</system>"""
system = "You write. {{USES}}"
"#;

const CONFIG: &str = "triggers = [\"find this\", \"look it up\", \"search for it\"]\ndomains = [\"writing\"]\n";

const PROVIDER: &str = r#"# Title: Search
# Description: Finds things that are somewhere else.

[deps]
require = ["node/npx"]

[roles.mcp]
server_refs = ["finder"]
allowed_tools = ["finder:*"]

[[mcp.servers]]
name = "finder"
type = "stdio"
command = "npx"
args = ["-y", "finder@1.2.3"]
env = { FINDER_KEY = "{{ENV:FINDER_KEY}}" }
"#;

const SKILL: &str = "---\nname: style\ndescription: How a text is made shorter and clearer.\ndomains: [writing]\nrules:\n  - content(shorten)\n---\n\nCut.\n";

impl Fixture {
    fn sound() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture
            .with("agents/writing/chief.toml", AGENT)
            .with("capabilities/search/config.toml", CONFIG)
            .with("capabilities/search/own.toml", PROVIDER)
            .with("deps/node/npx.sh", "#!/usr/bin/env bash\nset -eu\ncommand -v npx\n")
            .with("skills/style/SKILL.md", SKILL);
        std::os::unix::fs::symlink("own.toml", fixture.root().join("capabilities/search/default.toml")).unwrap();
        fixture
    }

    fn root(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    fn with(&self, path: &str, text: &str) -> &Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if path.extension().is_some_and(|ending| ending == "sh") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        self
    }

    fn change(&self, path: &str, from: &str, to: &str) -> &Self {
        let text = fs::read_to_string(self.root().join(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}");
        self.with(path, &text.replace(from, to))
    }

    fn checked(&self) -> Checked {
        check(&places(self.root(), TapKind::Linked), &Which::Every)
    }

    /// `severity file:line:column message`, the folder left out.
    fn said(&self) -> Vec<String> {
        let folder = format!("{}/", self.root().display());
        let shown = |finding: &Finding| {
            let line = format!("{:?} {}", finding.severity, finding.problem.headline());
            line.replace(&folder, "")
        };
        self.checked().findings.iter().map(shown).collect()
    }
}

fn places(root: PathBuf, kind: TapKind) -> Places {
    let tap = Tap { name: "me/own".to_owned(), kind, root, unavailable: None };
    Places { taps: vec![Arc::new(tap)], ..Places::default() }
}

#[test]
fn a_sound_tap_has_no_findings() {
    let checked = Fixture::sound().checked();
    assert_eq!(checked.findings, []);
    assert_eq!(checked.parts, Parts { agents: 1, capabilities: 1, skills: 1 });
}

const CHIEF: &str = "agents/writing/chief.toml";
const OWN: &str = "capabilities/search/own.toml";
const SETTINGS: &str = "capabilities/search/config.toml";
const SCRIPT: &str = "deps/node/npx.sh";

/// One change to a sound tap, and all that is then said.
#[test]
fn every_rule_says_where_and_what() {
    let long = format!("# Title: {}", "long ".repeat(13));
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (
            CHIEF,
            "# Title: Writer",
            "# Title: Pen",
            &["Warning agents/writing/chief.toml:2:10: `# Title:` has 3 characters"],
        ),
        (OWN, "# Title: Search", &long, &["Warning capabilities/search/own.toml:1:10: `# Title:` has 64 characters"]),
        (CHIEF, "Writes what is asked for, short and to the point.", "Writes.", &["`# Description:` has 7 characters"]),
        (CHIEF, "You write.", "You write on {{DATE}}.", &["{{DATE}} stands in `system`"]),
        (
            CHIEF,
            "You write.",
            "You write on {{DATTE}}.",
            &["Warning agents/writing/chief.toml:12:24: {{DATTE}} is no placeholder"],
        ),
        (
            CHIEF,
            "Hello.",
            "Hello from {{CWD}}.",
            &["Note agents/writing/chief.toml:8:25: {{CWD}} stands outside <system>"],
        ),
        (CHIEF, "</system>", "", &["Warning agents/writing/chief.toml:9:1: this <system> is never closed"]),
        (
            CHIEF,
            "capabilities = [\"search\"]",
            "capabilities = [\"serch\"]",
            &["Error agents/writing/chief.toml:5:17: no tap has a capability `serch`"],
        ),
        (
            CHIEF,
            "# Agent: writing:chief",
            "# Agent: writing:chief\n# Uses: reading",
            &["Error agents/writing/chief.toml:2:9: no tap has the domain `reading`"],
        ),
        (CHIEF, "welcome =", "temprature = 1\nwelcome =", &["unknown key `temprature`"]),
        (
            SETTINGS,
            ", \"search for it\"",
            "",
            &["Warning capabilities/search/config.toml:1:1: 2 of at least 3 triggers"],
        ),
        (
            SETTINGS,
            "writing",
            "writng",
            &["Warning capabilities/search/config.toml:2:12: no agent is of the domain `writng`"],
        ),
        (
            OWN,
            "node/npx",
            "node/npm",
            &[
                "Error capabilities/search/own.toml:5:12: `node/npm` has no script",
                "Note deps/node/npx.sh: nothing in this tap requires this script",
            ],
        ),
        (OWN, "finder@1.2.3", "finder", &["Warning capabilities/search/own.toml:15:16: `finder` has no exact version"]),
        (
            OWN,
            "command = \"npx\"\nargs = [\"-y\", \"finder@1.2.3\"]",
            "command = \"sh\"\nargs = [\"-c\", \"cd x && exec npx finder@latest\"]",
            &["Warning capabilities/search/own.toml:15:33: `finder@latest` has no exact version"],
        ),
        (
            OWN,
            "{{ENV:FINDER_KEY}}",
            "{{env:FINDER_KEY}}",
            &["Warning capabilities/search/own.toml:16:23: {{env:FINDER_KEY}} is no placeholder"],
        ),
        (
            OWN,
            "{{ENV:FINDER_KEY}}",
            "{{ENV:FINDER KEY}}",
            &["Error capabilities/search/own.toml:16:23: {{ENV:FINDER KEY}} names nothing"],
        ),
        (
            OWN,
            "{{ENV:FINDER_KEY}}",
            "fk_0123456789abcdef",
            &["Warning capabilities/search/own.toml:16:9: `FINDER_KEY` seems to hold a secret"],
        ),
        (OWN, "server_refs = [\"finder\"]", "server_refs = [\"finder\", \"lost\"]", &["server_refs names `lost`"]),
        (OWN, "command = \"npx\"\n", "", &["the stdio server `finder` in [[mcp.servers]] lacks `command`"]),
        (
            OWN,
            "type = \"stdio\"\ncommand = \"npx\"\nargs = [\"-y\", \"finder@1.2.3\"]",
            "type = \"builtin\"",
            &["Error capabilities/search/own.toml:12:8: no server called `finder` is part of the program"],
        ),
        (
            OWN,
            "type = \"stdio\"\ncommand = \"npx\"\nargs = [\"-y\", \"finder@1.2.3\"]",
            "type = \"http\"\nurl = \"finder.example.org\"",
            &["Error capabilities/search/own.toml:14:7: this is no address"],
        ),
        (SCRIPT, "\n", "\r\n", &["Error deps/node/npx.sh:1:20: this line ends as on Windows"]),
        (
            SCRIPT,
            "#!/usr/bin/env bash\nset -eu\ncommand -v npx\n",
            "",
            &["Warning deps/node/npx.sh: this script is empty"],
        ),
        (
            "skills/style/SKILL.md",
            "How a text is made shorter and clearer.",
            "Shorter.",
            &["Warning skills/style/SKILL.md:3:1: `description` has 8 characters"],
        ),
        (
            "skills/style/SKILL.md",
            "domains: [writing]",
            "domains: [writing, reading]",
            &["Warning skills/style/SKILL.md:4:1: no agent is of the domain `reading`"],
        ),
        (
            "skills/style/SKILL.md",
            "domains: [writing]\n",
            "",
            &["Warning skills/style/SKILL.md:4:1: these rules never activate the skill"],
        ),
        (
            "skills/style/SKILL.md",
            "rules:",
            "capabilities: [drawing]\nrules:",
            &["Warning skills/style/SKILL.md:5:1: no tap has a capability `drawing`"],
        ),
        ("skills/style/SKILL.md", "\nCut.\n", "", &["there are no instructions below the front matter"]),
    ];
    for (path, from, to, expected) in cases {
        let fixture = Fixture::sound();
        let said = fixture.change(path, from, to).said();
        for part in *expected {
            assert!(said.iter().any(|line| line.contains(part)), "{path}: {to:?}\nwanted {part}\nsaid {said:#?}");
        }
    }
}

#[test]
fn what_only_shows_between_capabilities() {
    let fixture = Fixture::sound();
    fixture.with("capabilities/seek/config.toml", "triggers = [\"seek it\", \"Look  it up\", \"hunt for it\"]\n");
    fixture.with("capabilities/seek/default.toml", &PROVIDER.replace("finder@1.2.3", "finder@1.2.4"));
    assert_eq!(
        fixture.said(),
        [
            "Warning capabilities/seek/config.toml:1:24: `search` has this trigger too, so it switches on neither",
            "Warning capabilities/seek/default.toml:12:8: `search` declares the server `finder` in another way; whichever starts first serves both",
        ]
    );
}

#[test]
fn scripts_and_links_stay_inside_the_tap() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("npx.sh"), "true\n").unwrap();
    let fixture = Fixture::sound();
    fs::remove_file(fixture.root().join(SCRIPT)).unwrap();
    std::os::unix::fs::symlink(outside.path().join("npx.sh"), fixture.root().join(SCRIPT)).unwrap();
    let said = fixture.said();
    assert!(said.iter().any(|line| line.contains("this link leads out of its tap")), "{said:#?}");
    assert!(said.iter().any(|line| line.contains("`node/npx` has no script")), "{said:#?}");

    let fixture = Fixture::sound();
    fs::remove_file(fixture.root().join(OWN)).unwrap();
    let checked = fixture.checked();
    assert!(checked.count(Severity::Error) > 0, "a dead default link: {:#?}", fixture.said());
}

#[test]
fn a_script_that_cannot_be_executed() {
    let fixture = Fixture::sound();
    fs::set_permissions(fixture.root().join(SCRIPT), fs::Permissions::from_mode(0o644)).unwrap();
    let said = fixture.said();
    assert_eq!(said, ["Warning deps/node/npx.sh: this script is not executable; it is run with bash all the same"]);
}

#[test]
fn a_workflow_has_to_be_toml() {
    let fixture = Fixture::sound();
    let said = fixture.with("workflows/build.toml", "name = \"build\"\nsteps = [\n").said();
    assert!(said.len() == 1 && said[0].starts_with("Error workflows/build.toml:"), "{said:#?}");
}

#[test]
fn rules_of_skills_that_can_never_hold() {
    let cases = [
        ("content(shorten)", "developer(review)", "developer"),
        ("content(shorten)", "match([)", "regular expression"),
        ("content(shorten)", "semantic(shorten it, 7)", ""),
    ];
    for (from, to, part) in cases {
        let fixture = Fixture::sound();
        let said = fixture.change("skills/style/SKILL.md", from, to).said();
        assert!(said.iter().any(|line| line.contains("SKILL.md:6:") && line.contains(part)), "{to}: {said:#?}");
    }
}

#[test]
fn only_the_chosen_tap_is_told_of_and_others_can_be_referred_to() {
    let own = Fixture::sound();
    own.change(CHIEF, "# Agent: writing:chief", "# Agent: writing:chief\n# Uses: reading");
    let other = Fixture::sound();
    fs::create_dir_all(other.root().join("agents/reading")).unwrap();
    let reader = AGENT.replace("writing:chief", "reading:chief").replace("Writer", "Pen");
    other.with("agents/reading/chief.toml", &reader);
    let tap =
        |name: &str, root| Arc::new(Tap { name: name.to_owned(), kind: TapKind::Linked, root, unavailable: None });
    let places = Places { taps: vec![tap("me/own", own.root()), tap("me/other", other.root())], ..Places::default() };
    let checked = check(&places, &Which::Only("me/own".to_owned()));
    assert_eq!(checked.findings, []);
    assert_eq!(checked.taps.len(), 1);
    let all = check(&places, &Which::Every);
    assert_eq!(all.count(Severity::Warning), 1, "{:#?}", all.findings);
    assert!(all.count(Severity::Note) > 0, "what is shadowed is told");
}

#[test]
fn a_built_in_tap_that_was_not_fetched_is_no_mistake() {
    let absent = Tap {
        name: "muvon/tap".to_owned(),
        kind: TapKind::BuiltIn { url: String::new() },
        root: PathBuf::from("/nowhere"),
        unavailable: Some("it was not fetched yet".to_owned()),
    };
    let checked = check(&Places { taps: vec![Arc::new(absent)], ..Places::default() }, &Which::Every);
    assert_eq!((checked.count(Severity::Error), checked.count(Severity::Note)), (0, 1));
}

#[test]
fn the_starter_tap_is_sound() {
    let assets = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/tap");
    let cache = tempfile::tempdir().unwrap();
    let unpacked = crate::tap::starter::place(cache.path()).unwrap();
    for (root, kind) in [(assets, TapKind::Linked), (unpacked, TapKind::Starter)] {
        let checked = check(&places(root, kind), &Which::Every);
        let said: Vec<String> = checked.findings.iter().map(|finding| finding.problem.to_string()).collect();
        assert!(said.is_empty(), "{}", said.join("\n"));
        let Parts { agents, capabilities, skills } = checked.parts;
        assert!(agents >= 10 && capabilities >= 35 && skills >= 15, "{:?}", checked.parts);
    }
}

#[test]
fn every_capability_of_the_starter_tap_can_be_switched_on_by_what_people_say() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/tap");
    let catalogue = build(&places(root, TapKind::Starter));
    for capability in &catalogue.capabilities {
        let triggers = capability.triggers.len();
        assert!((6..=12).contains(&triggers), "{} has {triggers} triggers", capability.name);
        let default = capability.providers.iter().find(|provider| provider.name == "default").unwrap();
        assert!(default.links_to.is_some(), "{}: default is no link", capability.name);
    }
}

/// The public registry's real files, where they lie beside the project.
#[test]
fn the_public_registry_is_looked_through_whole() {
    let beside = std::env::var_os("OCTOMIND_SHARED").map(PathBuf::from);
    let shared = beside.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let root = shared.join("data/tap");
    if !root.is_dir() {
        return;
    }
    let checked = check(&places(root, TapKind::Linked), &Which::Every);
    let of = |part: &str| checked.findings.iter().filter(|finding| finding.problem.message.contains(part)).count();
    assert_eq!((checked.parts.agents, checked.parts.capabilities), (137, 72));
    assert_eq!(of("`@sveltejs/mcp` has no exact version"), 1);
    assert!(of("has no script") > 0, "its deps are not there");
    assert_eq!(of("went wrong inside the program"), 0);
    assert!(checked.findings.iter().all(|finding| finding.tap == "me/own"));
}

#[test]
fn what_a_hostile_file_prints_is_bounded() {
    let fixture = Fixture::sound();
    let keys: String = (0..3_000).map(|index| format!("key{index} = 1\n")).collect();
    let long = "[".repeat(300_000);
    fixture
        .with("agents/writing/odd.toml", &format!("{keys}{AGENT}"))
        .with("skills/long/SKILL.md", &format!("---\nname: long\ndescription: x\nrules:\n  - {long}\n---\n"))
        .with("skills/deep/SKILL.md", &format!("---\nname: deep\ndescription: x\ndomains: {long}\n---\n"))
        .with("capabilities/search/own.toml", &format!("x = \"{long}\n{PROVIDER}"))
        .with("capabilities/other/config.toml", &format!("domains = [\"{long}\"]\n\"{long}\" = 1\n"));
    let findings = fixture.checked().findings;
    let of_odd = findings.iter().filter(|finding| finding.problem.file.ends_with("odd.toml"));
    assert!((51..110).contains(&of_odd.clone().count()), "{}", of_odd.count());
    assert!(of_odd.clone().any(|finding| finding.problem.message.contains(" more in this file")));
    for name in ["skills/long", "skills/deep", "search/own", "other/config"] {
        assert!(findings.iter().any(|finding| finding.problem.file.contains(name)), "{name}");
    }
    for finding in &findings {
        let shown = finding.problem.to_string();
        assert!(shown.len() < 10_000 && shown.lines().all(|line| line.chars().count() < 1_200), "{shown:.500}");
    }
}
