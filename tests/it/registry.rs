//! The public registry's real files, where they are at hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use octomind::config::{Config, resolve_role};
use octomind::tap::catalogue::{Places, build, view};
use octomind::tap::manifest::{self, Cache};
use octomind::tap::resolve::{Target, expand, resolve};
use octomind::tap::{Catalogue, PartKind, Severity, Tap, TapKind};

/// `OCTOMIND_SHARED`, or `../shared` beside the package.
fn registry() -> Option<PathBuf> {
    let shared = std::env::var_os("OCTOMIND_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let root = shared.join("data/tap");
    let there = root.join("agents").is_dir();
    if !there {
        println!("skipped: the registry's files are not at {}", root.display());
    }
    there.then_some(root)
}

fn load(root: &Path) -> Catalogue {
    let tap = Tap {
        name: "muvon/tap".to_owned(),
        kind: TapKind::BuiltIn { url: "https://github.com/muvon/octomind-tap".to_owned() },
        root: root.to_path_buf(),
        unavailable: None,
    };
    let workdir = tempfile::tempdir().unwrap();
    build(&Places { taps: vec![Arc::new(tap)], workdir: workdir.path().to_path_buf(), user: None, generated: None })
}

/// Capabilities without `config.toml`: only a manifest can name them.
const STATIC_ONLY: [&str; 14] = [
    "avatar",
    "captions",
    "composition",
    "image-gen",
    "lipsync",
    "music",
    "octoweb",
    "publish-instagram",
    "publish-tiktok",
    "publish-youtube",
    "runtime",
    "stock",
    "video-gen",
    "voice",
];

#[test]
fn every_agent_and_capability_of_the_public_registry_loads() {
    let Some(root) = registry() else { return };
    let catalogue = load(&root);
    assert_eq!(catalogue.agents.len(), 137);
    assert_eq!(catalogue.domains().count(), 35);
    assert_eq!(catalogue.capabilities.len(), 72);
    let providers: usize = catalogue.capabilities.iter().map(|one| one.providers.len()).sum();
    let links = catalogue.capabilities.iter().flat_map(|one| &one.providers).filter(|one| one.links_to.is_some());
    assert_eq!((providers, links.count()), (162, 69));
    assert_eq!(catalogue.skills.len(), 101);
    let silent: Vec<&str> =
        catalogue.capabilities.iter().filter(|one| one.triggers.is_empty()).map(|one| one.name.as_str()).collect();
    assert_eq!(silent, STATIC_ONLY);
    let postgres = catalogue.capability("database-postgres").unwrap();
    assert_eq!(postgres.providers[0].environment, ["POSTGRES_CONNECTION_STRING"]);
    assert!(!catalogue.agents.iter().any(|agent| agent.title.is_empty() || agent.description.is_empty()));
}

/// Nothing of it is left out; this is all there is to say about its agents and capabilities.
#[test]
fn what_is_doubtful_in_the_public_registry_is_exactly_this() {
    let Some(root) = registry() else { return };
    let catalogue = load(&root);
    let base = format!("{}/", root.display());
    let found: Vec<String> = catalogue
        .findings
        .iter()
        .filter(|finding| matches!(finding.part.kind, PartKind::Agent | PartKind::Capability | PartKind::Tap))
        .map(|finding| format!("{:?} {}", finding.severity, finding.problem.headline().replace(&base, "")))
        .collect();
    let cached = "stands in `system`, which then changes with every session and is never cached";
    let mut expected = vec![
        format!("Warning agents/octomind/assistant.toml:179:48: {{{{CWD}}}} {cached}"),
        format!("Warning agents/octomind/tap.toml:272:20: {{{{CWD}}}} {cached}"),
        format!("Warning agents/octomind/tap.toml:356:116: {{{{DATE}}}} {cached}"),
    ];
    expected.extend(STATIC_ONLY.iter().map(|name| {
        format!(
            "Warning capabilities/{name}: there is no config.toml, so only a manifest can name this capability; \
             it never activates by itself"
        )
    }));
    assert_eq!(found, expected);
}

#[test]
fn every_agent_of_the_public_registry_becomes_a_role() {
    let Some(root) = registry() else { return };
    let catalogue = load(&root);
    let kept = tempfile::tempdir().unwrap();
    let cache = Cache { folder: kept.path().to_path_buf(), time_to_live: Duration::from_secs(3600) };
    let config = Config::template();
    for agent in &catalogue.agents {
        let tag = agent.tag.to_string();
        let found = resolve(Some(&tag), &["assistant"], &catalogue).unwrap();
        let Target::Agent(agent) = found.target else { panic!("{tag} is an agent") };
        let source = manifest::fetch(&agent, &cache, SystemTime::now()).unwrap().source;
        let parsed = manifest::parse(&source, &agent.tag, &agent.tap.name);
        let expanded = expand(&agent, parsed.manifest.unwrap(), &catalogue, &config);
        let grave: Vec<_> = expanded.findings.iter().filter(|one| one.severity != Severity::Note).collect();
        assert!(grave.is_empty(), "{tag}: {grave:?}");
        assert_eq!(expanded.capabilities.len(), agent.capabilities.len(), "{tag}");
        let role = resolve_role(&expanded.configuration(&config), &tag).unwrap();
        assert!(role.notices.is_empty(), "{tag}: {:?}", role.notices);
        assert_eq!(role.servers.len(), expanded.role.mcp.server_refs.len(), "{tag}");
    }
}

#[test]
fn a_domain_of_the_public_registry_has_no_chief_yet_and_says_whom_there_is() {
    let Some(root) = registry() else { return };
    let catalogue = load(&root);
    let error = resolve(Some("video"), &[], &catalogue).unwrap_err();
    let agents = catalogue.agents_of("video").count();
    assert!(agents > 1 && error.agents.len() == agents, "{error}");
    assert!(error.to_string().starts_with("the domain `video` has no chief"), "{error}");
    let shown = view(&catalogue, None);
    assert_eq!((shown.agents.len(), shown.capabilities.len()), (137, 72));
}
