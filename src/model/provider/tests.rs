use super::*;

fn find(name: &str, env: &[(&str, &str)], extra: &str) -> Result<(Provider, String), Fault> {
    let mut config = Config::template();
    let table: std::collections::BTreeMap<String, crate::config::schema::Provider> = toml::from_str(extra).unwrap();
    config.providers = table;
    Provider::find(name, &config, &Env::from_pairs(env.iter().copied()))
}

#[test]
fn every_prefix_is_known_and_none_twice() {
    let names: Vec<&str> = TABLE.iter().flat_map(|row| row.names.iter().copied()).collect();
    let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
    for name in names {
        let (provider, model) = find(&format!("{name}:some/model:7b"), &[], "").unwrap();
        assert_eq!((provider.name.as_str(), model.as_str()), (name, "some/model:7b"));
    }
}

#[test]
fn addresses_follow_the_environment() {
    let url = |name: &str, env: &[(&str, &str)]| find(name, env, "").unwrap().0.base_url;
    assert_eq!(url("ollama:x", &[]), "http://localhost:11434");
    for (host, expected) in [
        ("box", "http://box:11434"),
        ("box:9", "http://box:9"),
        ("0.0.0.0", "http://localhost:11434"),
        (":8", "http://localhost:8"),
        ("https://o.example/", "https://o.example"),
        ("http://box:9/", "http://box:9"),
    ] {
        assert_eq!(url("ollama:x", &[("OLLAMA_HOST", host)]), expected, "{host}");
    }
    assert_eq!(url("octohub:auto", &[("OCTOHUB_API_URL", "http://h/v1")]), "http://h/v1");
    assert_eq!(url("octohub:auto", &[("OCTOHUB_API_URL", "http://h/")]), "http://h/v1");
    assert_eq!(url("groq:x", &[("GROQ_API_URL", "http://g/")]), "http://g");
    assert_eq!(url("local:x", &[]), "http://localhost:11434/v1");
}

#[test]
fn a_server_at_home_needs_no_key_but_gets_the_one_there_is() {
    let key = |env: &[(&str, &str)]| find("ollama:x", env, "").unwrap().0.key;
    assert_eq!(key(&[]), Key::NotNeeded);
    assert!(matches!(key(&[("OLLAMA_API_KEY", "k")]), Key::Found { .. }));
    assert!(matches!(find("kimi:k", &[("KIMI_API_KEY", "k")], "").unwrap().0.key, Key::Found { .. }));
    assert!(matches!(find("groq:k", &[], "").unwrap().0.key, Key::Missing { variable } if variable == "GROQ_API_KEY"));
}

#[test]
fn a_configured_provider_wins_over_a_known_one_of_its_name() {
    let extra =
        "[openai]\nbase_url = 'http://mine/v1'\nprotocol = 'anthropic'\napi_key_env = 'MINE'\ncontext_window = 9\n";
    let (provider, _) = find("openai:m", &[("MINE", " k ")], extra).unwrap();
    assert_eq!((provider.base_url.as_str(), provider.speech), ("http://mine/v1", Speech::Messages));
    assert_eq!(provider.key, Key::Found { variable: "MINE".into(), value: "k".into() });
    assert_eq!(provider.context_window, Some(9));
    assert!(!format!("{provider:?}").contains("value"), "keys are not shown");
}

#[test]
fn an_unknown_prefix_is_told_the_nearest_name_and_all_of_them() {
    let fault = |name: &str| find(name, &[], "").unwrap_err();
    assert!(fault("anthropc:x").advice.contains("anthropic:x"), "{:?}", fault("anthropc:x"));
    assert!(fault("google:gemini-2.5").advice.contains("google-studio:gemini-2.5"));
    assert!(fault("gpt-4o").message.contains("names no provider"));
    assert!(fault("zzzzzz:x").advice.contains("[providers.zzzzzz]") && fault("zzzzzz:x").advice.contains("ollama"));
    assert_eq!(fault("openai:").kind, FaultKind::UnknownModel);
}

#[test]
fn openai_models_are_spoken_to_as_they_need() {
    let speech = |name: &str| find(name, &[], "").unwrap().0.speech;
    assert_eq!(speech("openai:gpt-5.6-mini"), Speech::Responses);
    assert!(matches!(speech("openai:o3"), Speech::Chat(Dialect { reasoning_model: true, .. })));
    assert!(matches!(speech("openai:gpt-4o"), Speech::Chat(Dialect { reasoning_model: false, .. })));
    assert!(matches!(speech("openrouter:anthropic/claude-x"), Speech::Chat(Dialect { cache_marks: true, .. })));
    assert!(
        matches!(speech("together:moonshotai/Kimi-K2-Thinking"), Speech::Chat(d) if d.carrier == Carrier::ReasoningContent)
    );
}

#[test]
fn an_own_endpoint_is_sent_an_effort_when_it_is_known_to_take_one() {
    let takes = |name: &str, extra: &str| {
        find(name, &[], &format!("[mine]\nbase_url = 'http://m/v1'\n{extra}"))
            .map(|(provider, model)| provider.takes_effort(&model))
            .unwrap()
    };
    for (model, extra, wanted) in [
        ("mine:o3", "", true),
        ("mine:openai/gpt-oss-120b", "", true),
        ("mine:qwen3", "", false),
        ("mine:qwen3", "reasoning = true", true),
        ("mine:gpt-5", "reasoning = false", false),
        ("mine:unheard-of", "protocol = 'anthropic'", false),
        ("mine:claude-sonnet-4-6", "protocol = 'anthropic'", true),
    ] {
        assert_eq!(takes(model, extra), wanted, "{model} {extra}");
    }
}
