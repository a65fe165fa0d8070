use crate::config::load::{Loaded, Sources, load};

fn with(arguments: &[&str]) -> Loaded {
    let command_line = arguments.iter().map(ToString::to_string).collect();
    load(&Sources { command_line, ..Sources::default() })
}

#[test]
fn values_are_toml_or_bare_text_where_text_is_wanted() {
    let loaded = with(&[
        "model.name=anthropic:claude-sonnet-5",
        "model.temperature = 1",
        "default=developer",
        "roles.assistant.system=\"short\"",
        "roles.researcher.model=local:small",
        "mcp.servers.files.tools=[\"view\"]",
        "providers.mine.base_url=http://localhost:1/v1",
        "providers.mine.context_window=4096",
        "taps.\"dev:x\"=a:b",
        "ui.mouse=false",
        "roles.researcher.welcome=17",
        "roles.researcher.model.temperature=0.2",
        "log_level=debug",
    ]);
    assert_eq!(loaded.problems, vec![]);
    let config = loaded.config;
    assert_eq!((config.model.name.as_str(), config.model.temperature), ("anthropic:claude-sonnet-5", 1.0));
    assert_eq!((config.default.as_str(), config.roles[0].system.as_str()), ("developer", "short"));
    assert_eq!(config.roles[1].model.name.as_deref(), Some("local:small"));
    assert_eq!(config.roles[1].model.temperature, Some(0.2), "a name alone leaves the rest");
    assert_eq!(config.mcp.servers[0].tools, ["view"]);
    assert_eq!(config.providers["mine"].context_window, Some(4096));
    assert_eq!(config.taps["dev:x"], "a:b");
    assert!(!config.ui.mouse);
    assert_eq!(config.roles[1].welcome, "17", "text stays text even when it looks like a number");
}

#[test]
fn a_bad_assignment_is_a_problem_with_a_hint_and_changes_nothing() {
    let plain = with(&[]).config;
    for (argument, message, hint) in [
        ("model.nam=x", "unknown key `model.nam`", "did you mean `model.name`?"),
        ("nonsense", "this is not key=value", "for example"),
        ("=1", "this is not a dotted key", ""),
        ("a..b=1", "this is not a dotted key", ""),
        ("model.temperature=9", "`model.temperature` must be a number from 0 to 2", ""),
        ("model.temperature=warm", "`model.temperature` must be a number", ""),
        ("sandbox=yes", "`sandbox` must be true or false", ""),
        ("model=x:y", "`model` must be a table", ""),
        ("version.x=1", "`version` is a value", ""),
        ("roles.assistent.system=x", "no `assistent` in [[roles]]", "did you mean `assistant`?"),
        ("mcp.servers.files=1", "is a table", ""),
        ("providers.mine.images=true", "there is no [providers.mine]", "base_url"),
        ("ui.theme=\"open", "this is not TOML", ""),
        ("taps.a.b=c", "`taps` holds names and strings", ""),
    ] {
        let loaded = with(&[argument]);
        assert_eq!(loaded.problems.len(), 1, "{argument}: {:?}", loaded.problems);
        let problem = &loaded.problems[0];
        assert!(problem.message.contains(message), "{argument}: {}", problem.message);
        assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{argument}: {:?}", problem.hint);
        assert!(problem.to_string().contains("--> command line -c:1:"), "{problem}");
        assert_eq!(loaded.config, plain, "{argument}");
    }
}
