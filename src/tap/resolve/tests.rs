use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::config::schema::{Config, Role, RoleMcp};
use crate::config::{ServerChoice, resolve_role};
use crate::tap::fixture::{agent, capability, catalogue, four_taps, provider, stdio};
use crate::tap::manifest::Manifest;
use crate::tap::{Agent, Capability, Catalogue, Provider, Severity, Tag, Tap, Uses};

fn installed() -> Catalogue {
    let taps = four_taps();
    let tags = [
        "assistant:chief",
        "assistant:writer",
        "developer:chief",
        "developer:general",
        "developer:general-rust",
        "doctor:blood",
        "doctor:nutrition",
    ];
    catalogue(&taps, tags.iter().map(|tag| agent(&taps[2], tag)).collect(), Vec::new())
}

#[test]
fn tags_are_read() {
    let read = |text: &str| Tag::parse(text).map(|tag| (tag.domain, tag.spec, tag.version));
    let tag = |domain: &str, spec: &str, version: Option<&str>| {
        Ok((domain.to_owned(), spec.to_owned(), version.map(str::to_owned)))
    };
    let table = [
        ("developer:general", tag("developer", "general", None)),
        (" developer:general-rust ", tag("developer", "general-rust", None)),
        ("a1:b_2@1.4.0-beta", tag("a1", "b_2", Some("1.4.0-beta"))),
        ("developer", Err(TagError::NoColon)),
        ("a:b:c", Err(TagError::ManyColons)),
        (":b", Err(TagError::Empty("domain"))),
        ("a:", Err(TagError::Empty("agent name"))),
        ("a:b@", Err(TagError::Empty("version"))),
        ("../x:b", Err(TagError::Letters("domain"))),
        ("a:b/../c", Err(TagError::Letters("agent name"))),
        ("a:-b", Err(TagError::Letters("agent name"))),
        ("a:é", Err(TagError::Letters("agent name"))),
    ];
    for (text, expected) in table {
        assert_eq!(read(text), expected, "{text}");
    }
    assert_eq!(read(&format!("a:{}", "b".repeat(65))), Err(TagError::Long("agent name")));
    assert_eq!(Uses::parse("*"), Ok(Uses::EveryChief));
    assert_eq!(Uses::parse("developer"), Ok(Uses::Domain("developer".to_owned())));
    assert_eq!(Uses::parse("a:b").unwrap(), Uses::Agent(Tag::parse("a:b").unwrap()));
    assert!(Uses::parse("**").is_err());
}

#[test]
fn a_name_means_a_role_first_then_a_domains_chief_and_a_tag_its_agent() {
    let catalogue = installed();
    let roles = ["assistant", "developer", "mine", "doctor:blood"];
    let table = [
        (None, &roles[..], "agent assistant:chief"),
        (Some(""), &roles[..], "agent assistant:chief"),
        (Some("developer"), &roles[..], "role developer"),
        (Some("developer"), &[], "agent developer:chief"),
        (Some("developer@2"), &[], "agent developer:chief"),
        (Some("developer@2"), &roles[..], "role developer"),
        (Some("mine"), &roles[..], "role mine"),
        (Some("developer:chief"), &roles[..], "agent developer:chief"),
        (Some("developer:general"), &roles[..], "agent developer:general"),
        (Some("developer:general@3.1"), &roles[..], "agent developer:general"),
        (Some("developer:general-rust"), &roles[..], "agent developer:general-rust"),
        (Some("doctor:nutrition"), &roles[..], "agent doctor:nutrition"),
        // What the configuration has under the very name is never replaced by a tap's.
        (Some("doctor:blood"), &roles[..], "role doctor:blood"),
    ];
    for (asked, roles, expected) in table {
        let found = resolve(asked, roles, &catalogue).unwrap();
        let shown = match &found.target {
            Target::Role(name) => format!("role {name}"),
            Target::Agent(agent) => format!("agent {}", agent.tag),
        };
        assert_eq!(shown, expected, "{asked:?}");
        assert!(!found.tried.is_empty());
    }
    assert_eq!(resolve(Some("developer:general@3.1"), &[], &catalogue).unwrap().version.as_deref(), Some("3.1"));
    let tried = resolve(Some("developer"), &[], &catalogue).unwrap().tried;
    assert_eq!(
        tried,
        [
            "a role `developer` of the configuration: there is none",
            "the domain `developer`: it is there, so its chief is meant",
            "the agent developer:chief: muvon/tap has it",
        ]
    );
}

#[test]
fn what_is_meant_by_nothing_is_told_with_what_there_is() {
    let catalogue = installed();
    let fail = |asked: &str| *resolve(Some(asked), &["assistant", "reviewer"], &catalogue).unwrap_err();

    let error = fail("doctor");
    assert_eq!(error.reason, Reason::NoChief { domain: "doctor".to_owned() });
    assert_eq!(error.agents, ["doctor:blood — Title of doctor:blood", "doctor:nutrition — Title of doctor:nutrition"]);
    assert!(error.to_string().contains("doctor:nutrition"), "{error}");
    assert_eq!(error.nearest, Vec::<String>::new(), "the domain is known; nothing is guessed");

    assert!(matches!(fail("doctor:chief").reason, Reason::NoChief { .. }));

    let error = fail("develper");
    assert_eq!((error.reason.clone(), error.nearest.as_slice()), (Reason::UnknownName, &["developer".to_owned()][..]));
    assert!(error.to_string().contains("did you mean `developer`?"), "{error}");

    let error = fail("developer:generl");
    assert!(matches!(error.reason, Reason::NoAgent { .. }));
    assert_eq!(error.nearest[0], "developer:general");
    assert_eq!(error.agents.len(), 3);

    assert_eq!(fail("nutrition").nearest, ["doctor:nutrition"]);
    assert_eq!(fail("reviewr").nearest, ["reviewer"]);
    assert!(matches!(fail("a:b:c").reason, Reason::NotATag(TagError::ManyColons)));
    assert!(matches!(fail("no such thing").reason, Reason::NotATag(_)));
    assert!(resolve(None, &[], &Catalogue::default()).is_err());
}

#[test]
fn a_tap_that_could_not_be_read_is_named_when_an_agent_is_missing() {
    let mut catalogue = installed();
    let lost = Tap { unavailable: Some("no network".to_owned()), ..(*catalogue.taps[1]).clone() };
    catalogue.taps[1] = Arc::new(lost);
    let error = resolve(Some("acme:agent"), &[], &catalogue).unwrap_err();
    let said = "no tap has an agent acme:agent.\nIt may be in a tap that could not be read: acme/tap: no network";
    assert_eq!(error.to_string(), said);
    // What it cannot explain is said without.
    for asked in [":general", "developer:@", "../x:y", "me/tools:helper"] {
        let error = resolve(Some(asked), &[], &catalogue).unwrap_err();
        assert!(!error.to_string().contains("no network"), "{error}");
    }
}

/// `shell` in all four taps, each with a provider of its own; `files` in the last two; `odd` without
/// default.
fn capabilities(taps: &[Arc<Tap>]) -> Vec<Arc<Capability>> {
    let mut all: Vec<Arc<Capability>> = Vec::new();
    for (tap, name) in taps.iter().zip(["mine", "acme", "octofs", "bundled"]) {
        all.push(capability(tap, "shell", &[provider(name), provider(&format!("{name}-two"))]));
    }
    all.push(capability(&taps[2], "files", &[provider("octofs")]));
    all.push(capability(&taps[3], "files", &[provider("bundled")]));
    all.push(capability(&taps[3], "starter-only", &[provider("bundled")]));
    let mut odd = (*capability(&taps[2], "odd", &[provider("one"), provider("two")])).clone();
    odd.providers.remove(0);
    all.push(Arc::new(odd));
    all
}

/// Reference, own tap, `[capabilities]`; tap and provider.
type Case<'text> = (&'text str, Option<usize>, &'text BTreeMap<String, String>, &'text str);

#[test]
fn a_reference_means_the_own_tap_then_the_first_and_a_pin_means_its_tap() {
    let taps = four_taps();
    let catalogue = catalogue(&taps, Vec::new(), capabilities(&taps));
    let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs.iter().map(|(name, provider)| ((*name).to_owned(), (*provider).to_owned())).collect()
    };
    let none = map(&[]);
    let second = map(&[("shell", "octofs-two")]);
    let bundled = map(&[("files", "bundled")]);
    let table: &[Case<'_>] = &[
        ("shell", None, &none, "mine/tap mine"),
        ("shell", Some(1), &none, "acme/tap acme"),
        ("shell", Some(3), &none, "octomind/starter bundled"),
        ("files", Some(0), &none, "muvon/tap octofs"),
        ("octomind/shell", Some(0), &none, "muvon/tap octofs"),
        ("octomind/starter-only", Some(0), &none, "octomind/starter bundled"),
        ("muvon/shell", Some(0), &none, "muvon/tap octofs"),
        ("acme/shell", Some(0), &none, "acme/tap acme"),
        ("octomind/shell", Some(0), &second, "muvon/tap octofs-two"),
        // A provider that only a later tap has is taken from there.
        ("shell", Some(0), &second, "muvon/tap octofs-two"),
        ("files", Some(0), &bundled, "octomind/starter bundled"),
        ("octomind/files", Some(0), &bundled, "octomind/starter bundled"),
        ("odd", None, &map(&[("odd", "two")]), "muvon/tap two"),
    ];
    for (reference, own, providers, expected) in table {
        let own = own.map(|index| &*taps[index]);
        let choice = choose(reference, own, &catalogue, providers).unwrap();
        let shown = format!("{} {}", choice.capability.tap.name, choice.provider_name());
        assert_eq!(shown, *expected, "{reference} {providers:?}");
        assert!(!choice.why.is_empty() && choice.ignored.is_none());
    }
    let choice = choose("shell", None, &catalogue, &map(&[("shell", "nobody")])).unwrap();
    assert_eq!(choice.provider_name(), "mine");
    assert!(choice.ignored.unwrap().contains("nobody"));
}

#[test]
fn a_reference_to_nothing_says_what_is_near() {
    let taps = four_taps();
    let catalogue = catalogue(&taps, Vec::new(), capabilities(&taps));
    let fail = |reference| choose(reference, None, &catalogue, &BTreeMap::new()).unwrap_err().to_string();
    assert_eq!(fail("shel"), "no tap has a capability `shel`; did you mean `shell`?");
    assert_eq!(fail("acme/files"), "`acme` has no capability `files`");
    assert!(fail("nobody/shell").contains("no connected tap is of `nobody`"));
    assert!(fail("odd").contains("name one of one, two in [capabilities]"));
}

fn manifest(capabilities: &[&str]) -> Manifest {
    Manifest {
        tag: Tag::parse("developer:general").unwrap(),
        title: "General".to_owned(),
        description: "Does it all".to_owned(),
        uses: Vec::new(),
        capabilities: capabilities.iter().map(|name| (*name).to_owned()).collect(),
        role: Role {
            name: "written otherwise".to_owned(),
            system: "You. {{SPECIALISTS}} {{CWD}}".to_owned(),
            welcome: "{{USES}}".to_owned(),
            model: Default::default(),
            mcp: RoleMcp::default(),
        },
        deps: Vec::new(),
        servers: Vec::new(),
    }
}

fn expanded(manifest: Manifest, capabilities: Vec<Arc<Capability>>, config: &Config) -> Expanded {
    let taps = four_taps();
    let agent: Arc<Agent> = agent(&taps[2], "developer:general");
    let catalogue = catalogue(&taps, vec![agent.clone()], capabilities);
    expand(&agent, manifest, &catalogue, config)
}

fn bare_config() -> Config {
    let mut config = Config::template();
    config.mcp.servers.clear();
    config
}

#[test]
fn capabilities_come_together_as_unions() {
    let taps = four_taps();
    let with = |name: &str, allowed: &[&str], deps: &[&str]| Provider {
        allowed_tools: allowed.iter().map(|tool| (*tool).to_owned()).collect(),
        deps: deps.iter().map(|dep| (*dep).to_owned()).collect(),
        ..provider(name)
    };
    let mut all_of_it = with("web", &[], &[]);
    all_of_it.servers[0].tools = vec!["fetch".to_owned()];
    let toolchain =
        Provider { server_refs: vec![], allowed_tools: vec![], servers: vec![], ..with("cargo", &[], &["rust/cargo"]) };
    let capabilities = vec![
        capability(&taps[2], "read", &[with("octofs", &["octofs:view"], &["muvon/octofs"])]),
        capability(&taps[2], "write", &[with("octofs", &["octofs:edit", "octofs:view"], &["muvon/octofs"])]),
        capability(&taps[2], "delegate", &[with("workers", &["agent_*"], &[])]),
        capability(&taps[2], "web", &[all_of_it]),
        capability(&taps[2], "rust", &[toolchain]),
        capability(&taps[0], "mine", &[with("octofs", &["octofs:view"], &["muvon/octofs"])]),
    ];
    let manifest = manifest(&["read", "write", "delegate", "web", "rust", "mine", "missing", "octomind/read"]);
    let expanded = expanded(manifest, capabilities, &bare_config());

    assert_eq!(expanded.role.name, "developer:general");
    assert_eq!(expanded.role.mcp.server_refs, ["octofs", "workers", "web"]);
    assert_eq!(expanded.role.mcp.allowed_tools, ["octofs:view", "octofs:edit", "workers:agent_*", "web:fetch"]);
    let servers: Vec<&str> = expanded.servers.iter().map(|one| one.server.name.as_str()).collect();
    assert_eq!(servers, ["octofs", "workers", "web"]);
    let deps: Vec<String> =
        expanded.deps.iter().map(|dep| format!("{} of {} for {:?}", dep.name, dep.tap.name, dep.wanted_by)).collect();
    assert_eq!(
        deps,
        [
            "muvon/octofs of muvon/tap for [\"read\", \"write\"]",
            "rust/cargo of muvon/tap for [\"rust\"]",
            // Each tap runs its own script.
            "muvon/octofs of mine/tap for [\"mine\"]",
        ]
    );
    let toolchains: Vec<&str> =
        expanded.capabilities.iter().filter(|one| one.is_toolchain()).map(|one| one.name.as_str()).collect();
    assert_eq!(toolchains, ["rust"]);
    assert_eq!(expanded.capabilities.len(), 6);
    let findings: Vec<_> = expanded.findings.iter().map(|one| (one.severity, one.problem.message.as_str())).collect();
    assert_eq!(findings[0], (Severity::Error, "no tap has a capability `missing`"));
    assert!(findings[1].1.contains("`octomind/read` is named more than once"), "{findings:?}");
    assert_eq!(findings.len(), 2);
    assert_eq!(expanded.decisions().len(), 6);
}

#[test]
fn the_configurations_server_wins_and_a_differing_one_is_named() {
    let taps = four_taps();
    let mut config = bare_config();
    let mut own = stdio("octofs");
    own.command = Some("/opt/octofs".to_owned());
    config.mcp.servers.push(own.clone());
    let mut other = provider("web");
    other.servers[0].args = vec!["--other".to_owned()];
    let capabilities = vec![
        capability(&taps[2], "files", &[provider("octofs")]),
        capability(&taps[2], "web", &[provider("web")]),
        capability(&taps[2], "web-two", &[other]),
    ];
    let expanded = expanded(manifest(&["files", "web", "web-two"]), capabilities, &config);
    let servers: Vec<&str> = expanded.servers.iter().map(|one| one.server.name.as_str()).collect();
    assert_eq!(servers, ["web"]);
    let findings: Vec<_> = expanded.findings.iter().map(|one| (one.severity, one.problem.message.as_str())).collect();
    assert_eq!(findings.len(), 2, "{findings:?}");
    assert!(findings[0].0 == Severity::Warning && findings[0].1.contains("`web` of capability `web-two` differs"));
    assert!(findings[1].0 == Severity::Note && findings[1].1.contains("the configuration has one"));

    let merged = expanded.configuration(&config);
    let role = resolve_role(&merged, "developer:general").unwrap();
    let choices: Vec<(&str, Option<&str>)> = role
        .servers
        .iter()
        .map(|ServerChoice { server, .. }| (server.name.as_str(), server.command.as_deref()))
        .collect();
    assert_eq!(choices, [("octofs", Some("/opt/octofs")), ("web", Some("web"))]);
    assert!(role.notices.is_empty(), "{:?}", role.notices);
}

#[test]
fn a_reference_to_a_server_nobody_declares_is_named() {
    let mut manifest = manifest(&[]);
    manifest.role.mcp = RoleMcp { server_refs: vec!["note".to_owned()], allowed_tools: vec!["note:*".to_owned()] };
    manifest.servers = vec![stdio("notes")];
    manifest.deps = vec!["org/files".to_owned()];
    let expanded = expanded(manifest, Vec::new(), &bare_config());
    assert_eq!(expanded.findings.len(), 1);
    assert_eq!(expanded.findings[0].problem.hint.as_deref(), Some("did you mean `notes`?"));
    assert_eq!(expanded.deps.len(), 1);
}

#[test]
fn both_placeholders_of_specialists_become_one_sentence() {
    let table = [
        ("a {{SPECIALISTS}} b", format!("a {SPECIALIST_SENTENCE} b")),
        ("{{USES}}{{USES}}", format!("{SPECIALIST_SENTENCE}{SPECIALIST_SENTENCE}")),
        ("{{{{USES}}}}", "{{USES}}".to_owned()),
        ("{{{{SPECIALISTS}}}} {{SPECIALISTS}}", format!("{{{{SPECIALISTS}}}} {SPECIALIST_SENTENCE}")),
        ("{{CWD}} {{ USES }} {{USES}", "{{CWD}} {{ USES }} {{USES}".to_owned()),
        ("{{{USES}}}", format!("{{{SPECIALIST_SENTENCE}}}")),
        ("é{{", "é{{".to_owned()),
    ];
    for (text, expected) in table {
        assert_eq!(sentence::fill(text), expected, "{text}");
    }
    assert!(SPECIALIST_SENTENCE.contains("tap(action=\"run\", prompt=…)"));
    let expanded = expanded(manifest(&[]), Vec::new(), &bare_config());
    assert_eq!(expanded.role.system, format!("You. {SPECIALIST_SENTENCE} {{{{CWD}}}}"));
    assert_eq!(expanded.role.welcome, "{{USES}}");
}

proptest! {
    #[test]
    fn any_text_resolves_to_something_or_an_error(text in "\\PC{0,40}|[a-z:@/*{}-]{0,30}") {
        let catalogue = installed();
        match resolve(Some(&text), &["assistant"], &catalogue) {
            Ok(found) => prop_assert!(!found.tried.is_empty()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        let _ = Tag::parse(&text).map(|tag| {
            assert_eq!(Tag::parse(&tag.to_string()).unwrap(), Tag { version: None, ..tag });
        });
        let _ = Uses::parse(&text);
        let _ = choose(&text, None, &catalogue, &BTreeMap::new());
    }

    #[test]
    fn filling_in_the_sentence_never_fails(text in "[{}USEa ]{0,40}") {
        let filled = sentence::fill(&text);
        prop_assert!(text.contains("{{USES}}") || filled == text);
    }
}

/// A server of a tap that is called like one of ours would be taken for it.
#[test]
fn names_of_our_own_servers_are_not_to_be_had() {
    let taps = four_taps();
    let mut leak = provider("leak");
    leak.servers[0].name = "runtime".to_owned();
    leak.server_refs = vec!["runtime".to_owned()];
    let mut manifest = manifest(&["leak"]);
    manifest.servers.clear();
    let expanded = expanded(manifest, vec![capability(&taps[2], "leak", &[leak])], &bare_config());
    assert!(expanded.servers.is_empty());
    assert!(expanded.findings[0].problem.message.contains("the name belongs to a server of octomind"));
}
