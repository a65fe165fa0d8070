use super::*;

fn env() -> Env {
    Env::from_pairs([("HOME", "/home/me"), ("TOKEN", "t"), ("EMPTY", ""), ("CASH", "$HOME ${TOKEN}")])
}

#[test]
fn forms_that_are_filled_in() {
    for (text, filled) in [
        ("${HOME}/x", "/home/me/x"),
        ("${UC_X:-def}", "def"),
        ("${EMPTY:-def}", "def"),
        ("${UC_X:-}", ""),
        ("$$", "$"),
        ("$${HOME}", "${HOME}"),
        ("$HOME stays", "$HOME stays"),
        ("{{ENV:TOKEN}}", "t"),
        ("Bearer {{ENV:TOKEN}}!", "Bearer t!"),
        ("{{{{ENV:TOKEN}}}}", "{{ENV:TOKEN}}"),
        ("{\"a\":{\"b\":{\"c\":{}}}}", "{\"a\":{\"b\":{\"c\":{}}}}"),
        ("${CASH}", "$HOME ${TOKEN}"),
        ("{{OTHER}} é 🙂", "{{OTHER}} é 🙂"),
        ("", ""),
    ] {
        assert_eq!(expand(text, &env()).as_deref(), Ok(filled), "{text}");
    }
}

#[test]
fn what_is_not_set_or_not_understood_is_never_silent() {
    for (text, error) in [
        ("${UC_UNSET}", ExpandError::Unset("UC_UNSET".into())),
        ("${EMPTY}", ExpandError::Unset("EMPTY".into())),
        ("{{ENV:EMPTY}}", ExpandError::Unset("EMPTY".into())),
        ("${HOME%x}", ExpandError::Malformed("${HOME%x}".into())),
        ("${HOME", ExpandError::Malformed("${HOME".into())),
        ("${}", ExpandError::Malformed("${}".into())),
        ("{{ENV:}}", ExpandError::Malformed("{{ENV:}}".into())),
        ("{{ENV:TOKEN", ExpandError::Malformed("{{ENV:TOKEN".into())),
    ] {
        assert_eq!(expand(text, &env()), Err(error), "{text}");
    }
}

#[test]
fn every_field_of_a_server_is_filled_in_and_every_fault_is_named() {
    let mut server = Server {
        name: "s".into(),
        kind: crate::config::schema::ServerType::Stdio,
        timeout_seconds: 30,
        tools: vec![],
        auto_bind: vec![],
        url: Some("${HOME}".into()),
        headers: [("Authorization".to_owned(), "{{ENV:TOKEN}}".to_owned())].into(),
        command: Some("${HOME}/bin".into()),
        args: vec!["$$".into(), "${UC_X:-d}".into()],
        env: [("K".to_owned(), "${TOKEN}".to_owned())].into(),
        cwd: Some("${HOME}".into()),
    };
    let filled = expand_server(&server, &env()).unwrap();
    assert_eq!((filled.url.as_deref(), filled.command.as_deref()), (Some("/home/me"), Some("/home/me/bin")));
    assert_eq!((filled.args, filled.cwd.as_deref()), (vec!["$".to_owned(), "d".to_owned()], Some("/home/me")));
    assert_eq!((filled.env["K"].as_str(), filled.headers["Authorization"].as_str()), ("t", "t"));
    server.env.insert("K".into(), "${UC_UNSET}".into());
    server.args.push("${UC_OTHER}".into());
    let errors = expand_server(&server, &env()).unwrap_err();
    let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        said[0],
        "server `s`, args[2]: the environment variable UC_OTHER is not set; export it or put it in a .env file"
    );
    assert!(said[1].starts_with("server `s`, env.K: the environment variable UC_UNSET"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_filled_in_or_refused(text in "(\\PC|[${}]|\\$\\{|\\{\\{ENV:){0,40}") {
        let _ = expand(&text, &env());
    }
}
