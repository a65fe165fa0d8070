use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::tap::Provider;
use crate::tap::fixture::{TRIGGERS, linked, provider_text, stdio, write};

/// Reads `capabilities/files` of a tap with these files.
fn read_folder(root: &Path) -> (Option<Capability>, Vec<String>) {
    let tap = linked("mine/tap", root);
    let confined = Root::new(root).unwrap();
    let listing = confined.list(&root.join("capabilities"));
    assert_eq!(listing.entries.len(), 1, "{listing:?}");
    let (capability, findings) = read(&confined, &listing.entries[0], &tap);
    let base = format!("{}/", root.join("capabilities/files").display());
    let line = |one: &Finding| format!("{:?} {}", one.severity, one.problem.headline()).replace(&base, "");
    (capability, findings.iter().map(line).collect())
}

fn read_files(files: &[(&str, &str)]) -> (Option<Capability>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("capabilities/files")).unwrap();
    for (name, text) in files {
        write(folder.path(), &format!("capabilities/files/{name}"), text);
    }
    read_folder(folder.path())
}

fn names(providers: &[Provider]) -> Vec<(&str, Option<&str>)> {
    providers.iter().map(|one| (one.name.as_str(), one.links_to.as_deref())).collect()
}

#[test]
fn a_capability_is_read_with_its_providers() {
    let octofs = provider_text("octofs");
    let config = format!("{TRIGGERS}domains = [\"developer\"]\n");
    let (capability, findings) = read_files(&[
        ("config.toml", &config),
        ("default.toml", "octofs.toml\n"),
        ("octofs.toml", &octofs),
        ("README.md", "x"),
    ]);
    assert_eq!(findings, Vec::<String>::new());
    let capability = capability.unwrap();
    assert_eq!((capability.triggers.len(), capability.domains.as_slice()), (2, &["developer".to_owned()][..]));
    assert_eq!(names(&capability.providers), [("default", Some("octofs")), ("octofs", None)]);
    let default = &capability.providers[0];
    assert_eq!((default.title.as_str(), default.description.as_str()), ("Provider octofs", "Gives octofs"));
    assert_eq!(
        (default.deps.as_slice(), default.server_refs.as_slice()),
        (&["org/octofs".to_owned()][..], &["octofs".to_owned()][..])
    );
    assert_eq!(default.allowed_tools, ["octofs:*"]);
    assert!(default.file.ends_with("default.toml"));
}

#[cfg(unix)]
#[test]
fn a_default_may_be_a_link_but_not_out_of_the_tap() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tap");
    write(&root, "capabilities/files/config.toml", TRIGGERS);
    write(&root, "capabilities/files/octofs.toml", &provider_text("octofs"));
    let link = root.join("capabilities/files/default.toml");
    std::os::unix::fs::symlink("octofs.toml", &link).unwrap();
    let (capability, findings) = read_folder(&root);
    assert_eq!(findings, Vec::<String>::new());
    assert_eq!(names(&capability.unwrap().providers), [("default", Some("octofs")), ("octofs", None)]);

    write(folder.path(), "outside.toml", &provider_text("outside"));
    for target in ["../../../outside.toml", "/etc/hostname", "nowhere.toml"] {
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(target, &link).unwrap();
        let (capability, findings) = read_folder(&root);
        assert_eq!(names(&capability.unwrap().providers), [("octofs", None)], "{target}");
        assert!(findings[0].starts_with("Error default.toml: this link leads "), "{findings:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_leads_out_of_the_tap_is_not_entered() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("tap");
    write(folder.path(), "outside/files/default.toml", &provider_text("x"));
    std::fs::create_dir_all(&root).unwrap();
    std::os::unix::fs::symlink(folder.path().join("outside"), root.join("capabilities")).unwrap();
    let confined = Root::new(&root).unwrap();
    let listing = confined.list(&root.join("capabilities"));
    assert!(listing.entries.is_empty());
    assert!(listing.problems[0].message.contains("leads out of its tap"), "{listing:?}");
}

/// What it is about, files, the providers there are, and what is said.
type Case<'text> = (&'text str, &'text [(&'text str, &'text str)], &'text [&'text str], &'text [&'text str]);

#[test]
fn every_mistake_costs_only_its_file() {
    let good = provider_text("good");
    let bad_filter = good.replace("allowed_tools = [\"good:*\"]", "allowed_tools = \"good:*\"");
    let no_filter = good.replace("allowed_tools = [\"good:*\"]\n", "");
    let stranger = good.replace("server_refs = [\"good\"]", "server_refs = [\"goof\"]");
    let config = ("config.toml", TRIGGERS);
    let table: &[Case<'_>] = &[
        (
            "no config",
            &[("default.toml", &good)],
            &["default"],
            &[
                "Warning ", // The folder itself.
            ],
        ),
        (
            "triggers of another type",
            &[("config.toml", "triggers = \"x\""), ("default.toml", &good)],
            &["default"],
            &["Error config.toml:1:12: `triggers` must be a list of strings, not a string"],
        ),
        (
            "no triggers",
            &[("config.toml", "domains = []"), ("default.toml", &good)],
            &["default"],
            &["Warning config.toml:1:1: there are no triggers"],
        ),
        (
            "odd triggers",
            &[("config.toml", "triggers = [\"a b\", \" \", \"a b\"]\nmodel = 1"), ("default.toml", &good)],
            &["default"],
            &[
                "Warning config.toml:2:1: unknown key `model` at the top level",
                "Warning config.toml:1:20: this trigger is empty",
                "Warning config.toml:1:25: this trigger stands twice",
            ],
        ),
        (
            "a link to nothing",
            &[config, ("default.toml", "lost.toml"), ("good.toml", &good)],
            &["good"],
            &["Error default.toml: this is a link to lost.toml, which is not there", "Warning "],
        ),
        (
            "a link elsewhere",
            &[config, ("default.toml", "../other/good.toml"), ("good.toml", &good)],
            &["good"],
            &["Error default.toml:1:1: this names `../other/good.toml`, which is not a file beside it", "Warning "],
        ),
        (
            "a circle",
            &[config, ("a.toml", "b.toml"), ("b.toml", "a.toml"), ("default.toml", &good)],
            &["default"],
            &[
                "Error a.toml: this is a link to b.toml, which leads on and on",
                "Error b.toml: this is a link to a.toml, which leads on and on",
            ],
        ),
        (
            "a link to a bad one",
            &[config, ("default.toml", "bad.toml"), ("bad.toml", "= 1")],
            &[],
            &[
                "Warning bad.toml:1:1: there is no `# Title:`",
                "Warning bad.toml:1:1: there is no `# Description:`",
                "Error bad.toml:1:1: this is not TOML",
                "Error default.toml: this is a link to bad.toml, which is not there or cannot be used",
                "Error ",
            ],
        ),
        (
            "a filter that would widen",
            &[config, ("default.toml", &good), ("two.toml", &bad_filter)],
            &["default"],
            &["Error two.toml:7:17: `roles.mcp.allowed_tools` must be a list of strings"],
        ),
        (
            "no filter",
            &[config, ("default.toml", &no_filter)],
            &["default"],
            &["Warning default.toml:5:8: allowed_tools is missing"],
        ),
        (
            "a stranger",
            &[config, ("default.toml", &stranger)],
            &["default"],
            &[
                "Warning default.toml:6:16: server_refs names `goof`, which this file does not declare",
                "Warning default.toml:7:18: allowed_tools names `good:*`, but `good` is not among server_refs",
                "Warning default.toml:8:1: the server `good` is not among server_refs, so it is never used",
            ],
        ),
        (
            "an empty one",
            &[config, ("default.toml", "# Title: a\n# Description: b\n")],
            &["default"],
            &["Warning default.toml:1:1: this provider has neither deps nor servers"],
        ),
        ("nothing at all", &[config], &[], &["Error "]),
    ];
    for (case, files, providers, expected) in table {
        let (capability, found) = read_files(files);
        let there: Vec<String> =
            capability.iter().flat_map(|one| one.providers.iter().map(|one| one.name.clone())).collect();
        assert_eq!(there, *providers, "{case}: {found:#?}");
        assert_eq!(found.len(), expected.len(), "{case}: {found:#?}");
        for (found, expected) in found.iter().zip(*expected) {
            assert!(found.starts_with(expected), "{case}:\n{found}\n{expected}");
        }
    }
}

#[test]
fn without_sound_domains_there_are_no_triggers() {
    for config in ["domains = \"developer\"\n", "domains = [\"developer\", \"a b\"]\n", "domains = [1]\n"] {
        let text = format!("{TRIGGERS}{config}");
        let (capability, findings) = read_files(&[("config.toml", &text), ("default.toml", &provider_text("x"))]);
        assert_eq!(capability.unwrap().triggers, Vec::<String>::new(), "{config}");
        assert_eq!(findings.len(), 1, "{findings:?}");
    }
}

#[test]
fn environment_keys_are_found_wherever_a_server_needs_them() {
    let mut server = stdio("s");
    server.env.insert("A".to_owned(), "x{{ENV:FROM_ENV}}y{{ENV: SPACED }}".to_owned());
    server.headers.insert("Authorization".to_owned(), "Bearer {{ENV:FROM_HEADER}}".to_owned());
    server.args = vec!["{{ENV:FROM_ARGS}}{{ENV:FROM_ENV}}".to_owned(), "{{{{ENV:DOUBLED}}}}".to_owned()];
    server.url = Some("https://{{ENV:FROM_URL}}/".to_owned());
    server.command = Some("{{ENV:FROM_COMMAND}} {{ENV:not closed".to_owned());
    server.cwd = Some("{{ENV:NOT_LOOKED_AT}}".to_owned());
    server.args.push("{{ENV:}} {{ENV:1X}} {{INPUT:KEY}}".to_owned());
    let keys = environment_keys(&[server]);
    assert_eq!(keys, ["FROM_ARGS", "FROM_COMMAND", "FROM_ENV", "FROM_HEADER", "FROM_URL", "SPACED"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_stops_the_reader(config in "(\\PC|\n){0,80}", provider in "(\\PC|\n){0,120}") {
        let (capability, findings) = read_files(&[("config.toml", &config), ("default.toml", &provider)]);
        prop_assert!(capability.is_some() || findings.iter().any(|one| one.starts_with("Error")));
    }

    #[test]
    fn no_text_stops_the_search_for_keys(text in "[{}ENV:A é]{0,60}") {
        let mut server = stdio("s");
        server.args = vec![text];
        environment_keys(&[server]);
    }
}
