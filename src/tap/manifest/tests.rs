use std::path::Path;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::config::{Source, SourceKind};
use crate::tap::fixture::{agent, linked, manifest, tap, write};
use crate::tap::{Agent, Finding, Severity, Tag, TapKind, Uses};

fn read(text: &str) -> Parsed {
    let source = Source::new(SourceKind::File, "general.toml", text);
    parse(&source, &Tag::parse("developer:general").unwrap(), "mine/tap")
}

fn lines(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|one| format!("{:?} {}", one.severity, one.problem.headline())).collect()
}

const WHOLE: &str = r#"# agents/developer/general.toml
# Agent: developer:general
# Title: General developer
# Description: Writes code: all of it
# Uses: doctor, developer:rust, *

capabilities = ["files", "acme/shell"]

[deps]
require = ["org/tool"]

[[roles]]
temperature = 0.1
top_p = 1
top_k = 10
model = "anthropic:claude"
system = """
Work in {{{{CWD}}}}.
"""
welcome = "In {{CWD}} on {{DATE}}"

[roles.mcp]
server_refs = ["own"]
allowed_tools = ["own:*"]

[[mcp.servers]]
name = "own"
type = "http"
url = "https://example.org"
timeout_seconds = 60
tools = []
"#;

#[test]
fn a_whole_manifest_is_read() {
    let parsed = read(WHOLE);
    assert_eq!(lines(&parsed.findings), Vec::<String>::new());
    let manifest = parsed.manifest.unwrap();
    assert_eq!(manifest.title, "General developer");
    assert_eq!(manifest.description, "Writes code: all of it");
    let rust = Tag::parse("developer:rust").unwrap();
    assert_eq!(manifest.uses, [Uses::Domain("doctor".to_owned()), Uses::Agent(rust), Uses::EveryChief]);
    let uses: Vec<&str> = parsed.uses_spans.iter().map(|span| &WHOLE[span.clone()]).collect();
    assert_eq!(uses, ["doctor", "developer:rust", "*"]);
    assert_eq!(manifest.capabilities, ["files", "acme/shell"]);
    let names: Vec<&str> = parsed.capability_spans.iter().map(|span| &WHOLE[span.clone()]).collect();
    assert_eq!(names, ["\"files\"", "\"acme/shell\""]);
    assert_eq!(manifest.deps, ["org/tool"]);
    assert_eq!(manifest.role.name, "developer:general");
    assert_eq!(manifest.role.model.name.as_deref(), Some("anthropic:claude"));
    let model = &manifest.role.model;
    assert_eq!((model.temperature, model.top_p, model.top_k), (Some(0.1), Some(1.0), Some(10)));
    assert_eq!(manifest.role.mcp.server_refs, ["own"]);
    assert_eq!(manifest.servers[0].url.as_deref(), Some("https://example.org"));
}

#[test]
fn a_byte_order_mark_and_carriage_returns_change_nothing() {
    let parsed = read(&format!("\u{feff}{}", WHOLE.replace('\n', "\r\n")));
    assert_eq!(lines(&parsed.findings), Vec::<String>::new());
    let plain = read(WHOLE).manifest.unwrap();
    let manifest = parsed.manifest.unwrap();
    assert_eq!(
        (&manifest.title, &manifest.description, &manifest.uses),
        (&plain.title, &plain.description, &plain.uses)
    );
}

#[test]
fn a_nested_profile_goes_before_flat_sampling() {
    let manifest =
        read("[[roles]]\nsystem = \"s\"\ntemperature = 1\n[roles.model]\nname = \"a:b\"\ntemperature = 0\n").manifest;
    let model = manifest.unwrap().role.model;
    assert_eq!((model.name.as_deref(), model.temperature), (Some("a:b"), Some(0.0)));
}

/// What is wrong, whether the agent can still be started, and what is said, with its place.
#[test]
fn every_mistake_is_named_with_its_place() {
    let head = "# Title: T\n# Description: D\n";
    let role = "[[roles]]\nsystem = \"s\"\n";
    let table: &[(&str, String, bool, &[&str])] = &[
        (
            "no headers",
            role.to_owned(),
            true,
            &[
                "Warning general.toml:1:1: there is no `# Title:` among the comments at the top",
                "Warning general.toml:1:1: there is no `# Description:` among the comments at the top",
            ],
        ),
        (
            "a header below the first key",
            format!("a = 1\n{head}{role}"),
            true,
            &[
                "Warning general.toml:1:1: there is no `# Title:` among the comments at the top",
                "Warning general.toml:1:1: there is no `# Description:` among the comments at the top",
                "Warning general.toml:1:1: unknown key `a` at the top level; it has no effect",
            ],
        ),
        (
            "headers twice",
            format!("{head}#title: U\n{role}"),
            true,
            &["Warning general.toml:3:9: `# Title:` stands twice; the first is used"],
        ),
        (
            "another tag",
            format!("{head}# Agent: developer:other\n{role}"),
            true,
            &[
                "Warning general.toml:3:10: `# Agent:` says `developer:other`, but by its place this is developer:general",
            ],
        ),
        (
            "bad uses",
            format!("{head}# Uses: doctor,a:b:c\n{role}"),
            true,
            &[
                "Error general.toml:3:16: `# Uses:` entry `a:b:c` is not understood: it has more than one colon; a tag is domain:agent",
            ],
        ),
        (
            "hidden letters",
            format!("# Title: T\u{200b}\u{202e}x\n# Description: D\n{role}"),
            true,
            &["Warning general.toml:1:10: `# Title:` has characters that nobody sees; they are taken out"],
        ),
        ("not TOML", format!("{head}[[roles]\nsystem = 1"), false, &["Error general.toml:3:"]),
        ("no role", head.to_owned(), false, &["Error general.toml:1:1: there is no [[roles]], so this is no agent"]),
        (
            "no entry in roles",
            format!("{head}# Uses: a:b:c\nroles = []\n"),
            false,
            &[
                "Error general.toml:3:9: `# Uses:` entry `a:b:c` is not understood",
                "Error general.toml:1:1: [[roles]] is empty, so this is no agent",
            ],
        ),
        (
            "two roles",
            format!("{head}{role}name = \"a\"\n{role}name = \"b\"\n"),
            false,
            &["Error general.toml:6:1: there is more than one [[roles]], so which is the agent cannot be told"],
        ),
        (
            "a role without system",
            format!("{head}[[roles]]\nwelcome = \"w\"\n"),
            false,
            &["Error general.toml:3:1: entry 1 of [[roles]] lacks `system`; it was left out"],
        ),
        (
            "an unknown key",
            format!("{head}{role}temperatur = 1\n"),
            true,
            &["Warning general.toml:5:1: unknown key `temperatur` in [roles.0]; it has no effect"],
        ),
        (
            "a name",
            format!("{head}{role}name = \"x\"\n"),
            true,
            &["Note general.toml:5:1: `name` has no effect: the role is named by the tag"],
        ),
        (
            "out of range",
            format!("{head}{role}temperature = 3\n"),
            true,
            &["Error general.toml:5:15: `roles.0.temperature` must be a number from 0 to 2"],
        ),
        (
            "capabilities",
            format!("{head}capabilities = [\"a\", \"a\", \"../b\", \"\"]\n{role}"),
            true,
            &[
                "Warning general.toml:3:22: the capability `a` is named twice",
                "Error general.toml:3:27: `../b` is no name of a capability, so it has no effect",
                "Error general.toml:3:35: `` is no name of a capability, so it has no effect",
            ],
        ),
        (
            "deps",
            format!("{head}[deps]\nrequire = [\"tool\", \"../../x\", \"a/b\"]\n{role}"),
            true,
            &[
                "Error general.toml:4:12: `tool` names no script of deps/, so it is not run",
                "Error general.toml:4:20: `../../x` names no script of deps/, so it is not run",
            ],
        ),
        (
            "half a filter",
            format!("{head}{role}[roles.mcp]\nserver_refs = []\n"),
            false,
            &["Error general.toml:5:8: entry 1 of [[roles]] lacks `allowed_tools`; it was left out"],
        ),
        (
            "a server without command",
            format!("{head}{role}[[mcp.servers]]\nname = \"x\"\ntype = \"stdio\"\ntimeout_seconds = 1\ntools = []\n"),
            true,
            &[
                "Error general.toml:5:1: the stdio server `x` in [[mcp.servers]] lacks `command`, `args`; it was left out",
            ],
        ),
        (
            "the session in the prompt",
            format!("{head}[[roles]]\nsystem = \"\"\"\n{{{{{{{{CWD}}}}}}}}\nin {{{{CWD}}}}\n\"\"\"\n"),
            true,
            &[
                "Warning general.toml:6:4: {{CWD}} stands in `system`, which then changes with every session and is never cached",
            ],
        ),
        (
            "an empty prompt",
            format!("{head}[[roles]]\nsystem = \" \"\n"),
            true,
            &["Warning general.toml:4:10: `system` is empty"],
        ),
    ];
    for (case, text, usable, expected) in table {
        let parsed = read(text);
        let found = lines(&parsed.findings);
        assert_eq!(parsed.manifest.is_some(), *usable, "{case}: {found:?}");
        assert_eq!(found.len(), expected.len(), "{case}: {found:#?}");
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found.starts_with(expected), "{case}:\n{found}\n{expected}");
        }
    }
}

#[test]
fn only_clones_are_served_from_what_is_kept() {
    let clone = TapKind::Clone { url: String::new() };
    let built_in = TapKind::BuiltIn { url: String::new() };
    let hours = |hours: u64| Duration::from_secs(hours * 3600);
    let kept = |age, against_tap| Some(Cached { age: hours(age), against_tap });
    use AgainstTap::{Older, Unreadable, UpToDate};
    let table = [
        (&clone, None, 24, CacheUse::TapThenKeep),
        (&clone, kept(1, UpToDate), 24, CacheUse::Fresh),
        (&clone, kept(1, Unreadable), 24, CacheUse::Fresh),
        (&clone, kept(24, UpToDate), 24, CacheUse::Stale),
        (&clone, kept(900, Unreadable), 24, CacheUse::Stale),
        (&clone, kept(0, UpToDate), 0, CacheUse::Stale),
        (&clone, kept(1, Older), 24, CacheUse::TapThenKeep),
        (&built_in, kept(1, UpToDate), 24, CacheUse::Fresh),
        (&built_in, kept(25, UpToDate), 24, CacheUse::Stale),
        (&TapKind::Linked, kept(1, UpToDate), 24, CacheUse::Tap),
        (&TapKind::Linked, None, 24, CacheUse::Tap),
        (&TapKind::Linked, kept(900, Unreadable), 24, CacheUse::Tap),
        (&TapKind::Starter, kept(1, UpToDate), 24, CacheUse::Tap),
    ];
    for (kind, cached, ttl, expected) in table {
        assert_eq!(decide(cached, hours(ttl), kind), expected, "{kind:?} {cached:?} {ttl}");
    }
}

fn agent_in(root: &Path, kind: TapKind) -> Agent {
    let agent = (*agent(&tap("acme/tap", kind, root), "developer:general")).clone();
    Agent { file: root.join("agents/developer/general.toml"), ..agent }
}

#[test]
fn a_manifest_is_kept_and_served_while_its_clone_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("clone");
    write(&root, "agents/developer/general.toml", &manifest("General", ""));
    let agent = agent_in(&root, TapKind::Clone { url: String::new() });
    let cache = Cache { folder: folder.path().join("data/agents"), time_to_live: Duration::from_secs(3600) };
    let now = SystemTime::now() + Duration::from_secs(1);

    let first = fetch(&agent, &cache, now).unwrap();
    assert_eq!((first.used, first.not_kept.as_ref(), first.wants_refresh()), (CacheUse::TapThenKeep, None, false));
    assert!(cache.folder.join("developer/general.toml").is_file());
    std::fs::rename(&root, folder.path().join("aside")).unwrap();
    let second = fetch(&agent, &cache, now).unwrap();
    assert_eq!(second.used, CacheUse::Fresh);
    // Places in it are those of the tap's file.
    assert_eq!(second.source, first.source);
    let third = fetch(&agent, &cache, now + Duration::from_secs(7200)).unwrap();
    assert!(third.wants_refresh());
    assert_eq!(third.source, first.source);

    // Another tap's agent of the same tag is another manifest.
    let other = Agent { tap: linked("other/tap", &root), ..agent.clone() };
    assert!(fetch(&other, &cache, now).unwrap_err().message.contains("not there any more"));
    let other = Agent { tap: tap("other/tap", agent.tap.kind.clone(), &root), ..agent };
    assert!(fetch(&other, &cache, now).is_err());
}

#[test]
fn a_linked_taps_manifest_is_read_itself_and_a_newer_clones_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tap");
    let file = "agents/developer/general.toml";
    write(&root, file, &manifest("One", ""));
    let cache = Cache { folder: folder.path().join("agents"), time_to_live: Duration::from_secs(3600) };
    let clone = agent_in(&root, TapKind::Clone { url: String::new() });
    let now = SystemTime::now() + Duration::from_secs(100);
    fetch(&clone, &cache, now).unwrap();

    write(&root, file, &manifest("Two", ""));
    let local = Agent { tap: linked("acme/tap", &root), ..clone.clone() };
    let fetched = fetch(&local, &cache, now).unwrap();
    assert_eq!(fetched.used, CacheUse::Tap);
    assert!(fetched.source.text.contains("Two"));

    let file = std::fs::File::options().append(true).open(root.join(file)).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(50)).unwrap();
    let fetched = fetch(&clone, &cache, now).unwrap();
    assert_eq!(fetched.used, CacheUse::TapThenKeep);
    assert!(fetched.source.text.contains("Two"));
}

#[test]
fn a_folder_that_cannot_be_written_costs_only_the_keeping() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "agents/developer/general.toml", &manifest("One", ""));
    write(folder.path(), "blocked", "a file where the folder would be");
    let cache = Cache { folder: folder.path().join("blocked"), time_to_live: Duration::ZERO };
    let agent = agent_in(folder.path(), TapKind::Clone { url: String::new() });
    let fetched = fetch(&agent, &cache, SystemTime::now()).unwrap();
    assert!(fetched.not_kept.is_some());
}

proptest! {
    #[test]
    fn no_text_stops_the_reader(text in "(\\PC|\n|\t|\r){0,200}") {
        within(&text, &read(&text))?;
    }

    #[test]
    fn no_damaged_manifest_stops_the_reader(at in 0..WHOLE.len(), length in 0usize..40, put in "[\\PC\n\"\\[\\]=#{}]{0,6}") {
        let end = (at + length).min(WHOLE.len());
        if WHOLE.is_char_boundary(at) && WHOLE.is_char_boundary(end) {
            let text = format!("{}{put}{}", &WHOLE[..at], &WHOLE[end..]);
            within(&text, &read(&text))?;
        }
    }
}

/// Every place is inside the text, and what cannot be started is explained.
fn within(text: &str, parsed: &Parsed) -> Result<(), TestCaseError> {
    let lines = text.lines().count().max(1) + 1;
    for finding in &parsed.findings {
        if let Some(place) = &finding.problem.place {
            prop_assert!(place.line >= 1 && place.line <= lines, "{:?} in {text:?}", place);
        }
    }
    prop_assert!(parsed.manifest.is_some() || parsed.findings.iter().any(|one| one.severity == Severity::Error));
    for span in parsed.uses_spans.iter().chain(&parsed.capability_spans) {
        let inside = text.trim_start_matches('\u{feff}').get(span.clone()).is_some();
        prop_assert!(inside);
    }
    Ok(())
}
