use super::*;
use crate::config::load::{Sources, TEMPLATE, load};
use crate::config::source::{Source, SourceKind};

fn config(more: &str) -> Config {
    let text = format!("{TEMPLATE}\n{more}");
    let loaded = load(&Sources { files: vec![Source::new(SourceKind::File, "c", text)], ..Sources::default() });
    assert_eq!(loaded.problems, vec![]);
    loaded.config
}

fn server(name: &str, tools: &str, auto_bind: &str) -> String {
    format!(
        "[[mcp.servers]]\nname = \"{name}\"\ntype = \"builtin\"\ntimeout_seconds = 30\ntools = {tools}\n\
         auto_bind = {auto_bind}\n"
    )
}

fn role(name: &str, refs: &str, allowed: &str) -> String {
    format!(
        "[[roles]]\nname = \"{name}\"\nsystem = \"s\"\nwelcome = \"w\"\n\
         [roles.mcp]\nserver_refs = {refs}\nallowed_tools = {allowed}\n"
    )
}

fn chosen(config: &Config, name: &str) -> (Vec<(String, Vec<String>)>, Vec<String>) {
    let resolved = resolve_role(config, name).unwrap();
    let servers = resolved.servers.into_iter().map(|choice| (choice.server.name, choice.filter)).collect();
    (servers, resolved.notices.into_iter().map(|notice| notice.message).collect())
}

#[test]
fn pattern_forms_against_two_servers() {
    let none: &[&str] = &[];
    let two = "[\"a\", \"b\"]";
    // allowed_tools → filters of a (own filter `x_*`) and b (none); `None` = left out.
    type Row<'row> = (&'row str, Option<&'row [&'row str]>, Option<&'row [&'row str]>);
    let rows: &[Row<'_>] = &[
        ("[]", Some(&["x_*"]), Some(none)),
        ("[\"a:*\", \"b:*\"]", Some(none), Some(none)),
        ("[\"a:*\"]", Some(none), None),
        ("[\"a:get_*\", \"b:run\"]", Some(&["get_*"]), Some(&["run"])),
        ("[\"view\"]", Some(&["view"]), Some(&["view"])),
        ("[\"v_*\"]", Some(&["v_*"]), Some(&["v_*"])),
        ("[\"view\", \"a:run\"]", Some(&["view", "run"]), Some(&["view"])),
    ];
    for (allowed, a, b) in rows {
        let config = config(&format!(
            "{}{}{}",
            server("a", "[\"x_*\"]", "[]"),
            server("b", "[]", "[]"),
            role("r", two, allowed)
        ));
        let (servers, notices) = chosen(&config, "r");
        let find = |name: &str| servers.iter().find(|(known, _)| known == name).map(|(_, filter)| filter.clone());
        let expected = |filter: &Option<&[&str]>| filter.map(|f| f.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!((find("a"), find("b")), (expected(a), expected(b)), "{allowed}");
        assert_eq!(notices.len(), usize::from(a.is_none()) + usize::from(b.is_none()), "{allowed}: {notices:?}");
    }
}

#[test]
fn a_reference_that_leads_nowhere_is_named() {
    let (servers, notices) =
        chosen(&config(&role("r", "[\"filez\", \"files\", \"files\"]", "[\"github:*\", \"files:*\"]")), "r");
    assert_eq!(servers.len(), 1, "named twice, there once");
    assert_eq!(notices.len(), 2);
    assert!(notices[0].contains("no server `filez`") && notices[0].contains("did you mean `files`?"), "{notices:?}");
    assert!(notices[1].contains("`github:*`"), "{notices:?}");
}

#[test]
fn a_server_binds_itself_to_exactly_the_role_it_names() {
    let text = format!(
        "{}{}{}{}{}",
        server("own", "[\"only\"]", "[\"developer\", \"tight\"]"),
        role("tight", "[\"files\"]", "[\"files:view\"]"),
        role("developer", "[\"files\"]", "[]"),
        role("developer:general", "[]", "[]"),
        role("none", "[]", "[]"),
    );
    let config = config(&text);
    let names = |role: &str| chosen(&config, role).0.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("developer"), ["files", "own"]);
    assert_eq!(names("developer:general"), Vec::<String>::new());
    assert_eq!(names("none"), Vec::<String>::new());
    let tight = chosen(&config, "tight").0;
    assert_eq!(tight, [("files".into(), vec!["view".into()]), ("own".into(), vec![])], "bound servers give all tools");
}

#[test]
fn the_global_filter_only_narrows() {
    let servers = format!("{}{}", server("a", "[]", "[]"), server("b", "[]", "[]"));
    let mut config = config(&format!("{servers}{}", role("r", "[\"a\", \"b\"]", "[\"a:get_*\", \"b:*\"]")));
    config.mcp.allowed_tools = vec!["a:get_one".into(), "a:put".into()];
    let (servers, notices) = chosen(&config, "r");
    assert_eq!(servers, [("a".to_owned(), vec!["get_one".to_owned()])]);
    assert!(notices[0].contains("`b` was left out, as [mcp] allowed_tools"), "{notices:?}");
    config.mcp.allowed_tools = vec!["a:*".into(), "b:*".into()];
    assert_eq!(chosen(&config, "r").0[0], ("a".to_owned(), vec!["get_*".to_owned()]));
}

#[test]
fn the_model_comes_from_the_role_then_the_tag_then_the_profile() {
    let text = format!(
        "[taps]\n\"dev:own\" = \"tap:model\"\n\"dev:plain\" = \"tap:model\"\nplain = \"tap:model\"\n{}model = {{ name = \"own:model\", temperature = 0.2 }}\n{}{}",
        "[[roles]]\nname = \"dev:own\"\nsystem = \"\"\nwelcome = \"\"\n",
        role("dev:plain", "[]", "[]"),
        role("plain", "[]", "[]"),
    );
    let config = config(&text);
    let model = |name: &str| resolve_role(&config, name).unwrap().profile.name;
    assert_eq!(model("dev:own"), "own:model");
    assert_eq!(model("dev:plain"), "tap:model");
    assert_eq!(model("plain"), "auto", "only tags are looked up");
    let (own, plain) = (resolve_role(&config, "dev:own").unwrap(), resolve_role(&config, "plain").unwrap());
    assert_eq!((own.profile.temperature, own.profile.top_p), (0.2, plain.profile.top_p));
}

#[test]
fn an_unknown_role_is_an_error_with_a_way_out() {
    let config = Config::template();
    assert_eq!(
        resolve_role(&config, "resercher").unwrap_err().to_string(),
        "there is no role `resercher`; did you mean `researcher`?"
    );
    let error = resolve_role(&config, "zzz").unwrap_err().to_string();
    assert!(error.ends_with("there are: assistant, researcher"), "{error}");
}

#[test]
fn a_default_that_is_no_role_here_is_replaced_and_said() {
    let mut config = Config { default: "assistant".to_owned(), ..Config::template() };
    assert_eq!(default_role(&config).unwrap().1, None);
    for (default, started) in
        [("researcher:chief", "researcher"), ("assistant:concierge", "assistant"), ("law:uk", "assistant")]
    {
        config.default = default.to_owned();
        let (role, notice) = default_role(&config).unwrap();
        assert_eq!(role.name, started);
        assert!(notice.unwrap().message.contains(default));
    }
    config.roles.clear();
    assert!(default_role(&config).is_err());
}

#[test]
fn filters_let_through_names_and_prefixes() {
    let filter = ["view".to_owned(), "get_*".to_owned()];
    for (tool, through) in [("view", true), ("viewer", false), ("get_x", true), ("get_", true), ("put", false)] {
        assert_eq!(allows(&filter, tool), through, "{tool}");
    }
    assert!(allows(&[], "anything"));
}
