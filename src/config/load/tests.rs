use super::*;
use crate::config::Origin;
use crate::proto::ApprovalMode;

/// The template as a person's file, with lines replaced.
fn edited(edits: &[(&str, &str)]) -> String {
    edits.iter().fold(TEMPLATE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "the template has no {from:?}");
        text.replacen(from, to, 1)
    })
}

fn file(label: &str, text: impl Into<String>) -> Source {
    Source::new(SourceKind::File, label, text)
}

fn with(text: impl Into<String>) -> Loaded {
    load(&Sources { files: vec![file("config.toml", text)], ..Sources::default() })
}

fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.problems.iter().map(Problem::headline).collect()
}

#[test]
fn the_template_has_no_problem_and_is_the_same_as_a_file() {
    let bare = load(&Sources::default());
    assert_eq!(messages(&bare), Vec::<String>::new());
    assert_eq!(bare.notices, vec![]);
    let as_file = with(TEMPLATE);
    assert_eq!(messages(&as_file), Vec::<String>::new());
    assert_eq!(as_file.notices, vec![]);
    assert_eq!(as_file.config, bare.config);
    assert_eq!(bare.origins.of("model.name"), Origin::Template);
    let line = TEMPLATE.lines().position(|line| line == "name = \"auto\"").unwrap() + 1;
    assert_eq!(as_file.origins.of("model.name"), Origin::File { file: "config.toml".into(), line });
}

#[test]
fn an_unknown_key_costs_only_itself() {
    let loaded = with(edited(&[("temperature = 0.3 ", "temperatur = 0.9\ntemperature = 0.4 ")]));
    assert_eq!(messages(&loaded).len(), 1);
    assert_eq!(loaded.config.model.temperature, 0.4);
    assert_eq!(loaded.problems[0].hint.as_deref(), Some("did you mean `temperature`?"));
}

/// What is wrong, where, and what to write instead: one edit of the template each.
#[test]
fn each_kind_of_mistake_is_placed_and_advised() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "sandbox = false",
            "sandbox = false\ncolour = 1",
            "unknown key `colour` at the top level",
            "known here: version",
        ),
        ("log_level = \"info\"", "log_level = \"inf\"", "`log_level` must be one of none, info, debug", "\"info\""),
        ("top_p = 0.7 ", "top_p = 1.7 ", "`model.top_p` must be a number from 0 to 1", ""),
        ("top_p = 0.7 ", "top_p = nan ", "`model.top_p` must be a number from 0 to 1", ""),
        ("max_tokens = 32768", "max_tokens = \"many\"", "must be a whole number from 1 to 10000000, not a string", ""),
        ("max_tokens = 32768", "max_tokens = 99999999999999999999", "must be a whole number", ""),
        ("mouse = true", "mouse = \"true\"", "`ui.mouse` must be true or false, not a string", "without quotes"),
        ("name = \"auto\"", "name = \"gpt-5\"", "`model.name` must be provider:model", "anthropic:"),
        ("tokens_threshold = 5000 ", "tokens_threshold = 100 ", "0 or a whole number from 512", ""),
        ("max_session_tokens_threshold = 200000", "max_session_tokens_threshold = 2000001", "from 0 to 2000000", ""),
        ("[encoder]", "[encodr]\nmodel = \"x\"\n[encoder]", "unknown key `encodr`", "did you mean `encoder`?"),
        ("[decision]", "[[decision]]", "`decision` must be a table", ""),
        (
            "[decision]",
            "sandbox = true\n[decision]",
            "unknown key `sandbox` in [supervisor.condense]",
            "at the top level",
        ),
        ("[ui]", "[ui]\nui = 1\ntheme = 5\n[x]", "`ui.theme` must be a string, not a whole number", ""),
        ("[mcp]", "[[mcp]]\n[mcp2]", "`mcp` must be a table", ""),
        ("[registry]", "[providers.mine]\nprotocol = \"openai\"\n[registry]", "`mine` lacks `base_url`", "base_url = "),
        ("[registry]", "[providers.mine]\nbase_url = \"mine.com\"\n[registry]", "must begin with http", ""),
    ];
    for (from, to, message, hint) in cases {
        let loaded = with(edited(&[(from, to)]));
        let found = loaded.problems.iter().find(|problem| problem.message.contains(message));
        let problem = found.unwrap_or_else(|| panic!("{to:?} gave {:?}", messages(&loaded)));
        let place = problem.place.as_ref().unwrap();
        assert!(place.line > 1, "{to:?}: {}", problem.location());
        assert!(problem.hint.as_deref().unwrap_or_default().contains(hint), "{to:?}: {:?}", problem.hint);
        assert_eq!(loaded.config.roles.len(), 2, "{to:?} costs only itself");
    }
}

#[test]
fn a_missing_required_table_comes_with_the_block_to_paste_and_every_one_is_named_at_once() {
    let tables = [
        "skills",
        "compression",
        "supervisor",
        "supervisor.learning",
        "supervisor.learning.evolution",
        "supervisor.gate",
        "supervisor.authorizer",
        "supervisor.evaluate",
        "supervisor.hindsight",
        "supervisor.plan",
        "supervisor.condense",
        "model",
    ];
    for table in tables {
        let mut document: toml_edit::DocumentMut = TEMPLATE.parse().unwrap();
        let mut parts: Vec<_> = table.split('.').collect();
        let last = parts.pop().unwrap();
        let parent = parts.iter().fold(document.as_item_mut(), |item, part| &mut item[*part]);
        parent.as_table_mut().unwrap().remove(last);
        let loaded = with(document.to_string());
        assert_eq!(loaded.problems.len(), 1, "{table}: {:?}", messages(&loaded));
        assert!(loaded.problems[0].message.contains(&format!("[{table}] is missing")), "{:?}", messages(&loaded));
        let block = loaded.problems[0].hint.as_deref().unwrap().split_once("add\n").unwrap().1;
        assert_eq!(loaded.config, Config::template(), "{table}: the default is used");
        let mended = format!("{document}\n{block}\n");
        assert_eq!(messages(&with(&mended)), Vec::<String>::new(), "{table}: pasting the block mends it:\n{block}");
    }
    let bare = with("version = 17\n");
    assert_eq!(bare.problems.len(), 5, "one for the values, one a table: {:?}", messages(&bare));
    assert_eq!(bare.config, Config::template());
}

#[test]
fn missing_values_of_a_table_are_one_problem_and_a_misspelt_one_is_named_beside_it() {
    let loaded = with(edited(&[("max_retries = 1\n", ""), ("top_p = 0.7 ", "top_pp = 0.7 ")]));
    let said = messages(&loaded);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].ends_with("`model.top_p`, `model.max_retries` are missing"), "{said:?}");
    let hint = loaded.problems[0].hint.as_deref().unwrap();
    assert!(hint.ends_with("add below [model]\ntop_p = 0.7\nmax_retries = 1"), "{hint}");
}

#[test]
fn a_field_left_out_of_a_required_table_takes_the_codes_value_not_the_templates() {
    let loaded = with(edited(&[("[supervisor.learning]\nenabled = true", "[supervisor.learning]")]));
    assert_eq!(messages(&loaded), Vec::<String>::new());
    assert!(Config::template().supervisor.learning.enabled);
    assert!(!loaded.config.supervisor.learning.enabled);
    assert_eq!(loaded.origins.of("supervisor.learning.enabled"), Origin::BuiltIn);
}

/// The template against the values serde gives when a key is left out.
#[test]
fn the_template_equals_the_defaults_in_code() {
    let left_out = edited(&[
        ("min_samples = 8\nnoise_margin = 0.1\ncost_allowance = 0.1\ncost_per_gain = 1.0\nmax_trial_uses = 40", ""),
        ("enabled = false                 # needs the gate", ""),
        ("adaptive = false", ""),
        ("[supervisor.hindsight]\nenabled = false", "[supervisor.hindsight]"),
        ("recall = false\nskills = false\ncapabilities = false\nauthorizer = false\ncondense = false", ""),
        ("compression = false\ndistill = false\nplan = false\ngate = false\nevolution = false", ""),
        ("enabled = false\nvalidator = true\ntelemetry = true ", ""),
        (
            "[compression.attention.governance]\nenabled = true\nverify_hash = true",
            "[compression.attention.governance]",
        ),
        ("taps = false", ""),
        ("cache_ttl_hours = 24", ""),
        ("theme = \"auto\"\nkeymap = \"default\"\nmouse = true\nmotion = true\nnotifications = true", ""),
        ("transcript_ratio = 0.52", ""),
        ("links = \"auto\"", ""),
        ("images = \"auto\"", ""),
        ("screen_reader = false", ""),
    ]);
    let loaded = with(left_out);
    assert_eq!(messages(&loaded), Vec::<String>::new());
    assert_eq!(loaded.config, Config::template());
    assert_eq!(loaded.origins.of("ui.mouse"), Origin::BuiltIn);
    let template = Config::template();
    assert_eq!(template.ui, crate::config::schema::Ui::default());
    assert_eq!(template.encoder, crate::config::schema::Encoder::default());
    assert_eq!(template.version, VERSION);
}

#[test]
fn one_malformed_role_among_three_is_named_and_the_others_load() {
    let roles = "[[roles]]\nname = \"one\"\nsystem = \"a\"\nwelcome = \"\"\n\
                 [[roles]]\nname = \"two\"\nsytem = \"b\"\nwelcome = \"\"\n\
                 [[roles]]\nname = \"three\"\nsystem = \"c\"\nwelcome = \"\"\n";
    let loaded = with(format!("{TEMPLATE}\n{roles}"));
    let names: Vec<_> = loaded.config.roles.iter().map(|role| role.name.as_str()).collect();
    assert_eq!(names, ["assistant", "researcher", "one", "three"]);
    let said = messages(&loaded).join("\n");
    assert!(said.contains("`two` in [[roles]] lacks `system`; it was left out"), "{said}");
    assert!(said.contains("unknown key `sytem`"), "{said}");
}

#[test]
fn a_server_needs_what_its_type_needs() {
    let cases = [
        ("type = \"stdio\"\nargs = []", "the stdio server `s` in [[mcp.servers]] lacks `command`"),
        ("type = \"stdio\"\ncommand = \"x\"", "lacks `args`"),
        ("type = \"http\"", "lacks `url`"),
        ("type = \"sse\"", "must be one of builtin, stdio, http"),
        ("type = \"builtin\"\nenv = { A = 1 }", "`mcp.servers.s.env.A` must be a string"),
        ("type = \"builtin\"\nauto_bind = [1]", "must be a list of strings"),
    ];
    let narrowed = with(format!("{TEMPLATE}\n[[mcp.servers]]\nname=\"s\"\ntype=\"builtin\"\ntools=[\"a\", 1]\n"));
    assert_eq!(narrowed.config.mcp.servers.len(), 1, "a filter that cannot be read must not become none");
    for (lines, message) in cases {
        let server = format!("[[mcp.servers]]\nname = \"s\"\ntimeout_seconds = 30\ntools = []\n{lines}\n");
        let loaded = with(format!("{TEMPLATE}\n{server}"));
        let said = messages(&loaded).join("\n");
        assert!(said.contains(message), "{lines}: {said}");
        assert!(loaded.config.mcp.servers.iter().any(|server| server.name == "files"));
    }
    for wrong in [0, 3601] {
        let server = format!("[[mcp.servers]]\nname=\"s\"\ntype=\"builtin\"\ntimeout_seconds={wrong}\ntools=[]\n");
        let loaded = with(format!("{TEMPLATE}\n{server}"));
        assert!(messages(&loaded).join("\n").contains("from 1 to 3600"));
        assert_eq!(loaded.config.mcp.servers.len(), 1);
    }
}

#[test]
fn a_guard_that_cannot_be_read_counts_as_on_and_is_said_loudly() {
    for (from, to) in [
        ("sandbox = false", "sandbox = \"yes\""),
        ("sandbox = false", "sandbx = false\nsandbox = false"),
        ("sandbox = false", "sandbxo = true"),
        ("[supervisor.authorizer]\nenabled = false", "[supervisor.authorizer]\nenabled = false\ndeney = [\"rm\"]"),
        ("[supervisor.authorizer]\nenabled = false", "[supervisor.authorizer]\nenabld = true"),
        ("[decision]", "[guardrails]\ndeny = []\n[decision]"),
        ("[decision]", "[trust]\nall = true\n[decision]"),
    ] {
        let loaded = with(edited(&[(from, to)]));
        assert_eq!(loaded.problems[0].weight, Weight::Security, "{to:?}: {:?}", messages(&loaded));
        assert!(loaded.problems[0].to_string().starts_with("error (security): "));
    }
    for wrong in ["approval = \"write\"", "approval = true", "aproval = \"writes\""] {
        let loaded = with(edited(&[("approval = \"off\"", wrong)]));
        assert_eq!(loaded.config.ui.approval, ApprovalMode::All, "{wrong}: {:?}", messages(&loaded));
        assert!(loaded.problems[0].to_string().contains("counts as \"all\""), "{}", loaded.problems[0]);
    }
    let project = with_project("[ui]\napproval = \"all\"");
    assert_eq!((project.config.ui.approval, project.problems.len()), (ApprovalMode::All, 0));
    assert!(with(edited(&[("sandbox = false", "sandbox = \"yes\"")])).config.sandbox);
    let misspelt = with(edited(&[("sandbox = false", "sandbxo = true")]));
    assert!(misspelt.config.sandbox);
    assert_eq!(misspelt.problems.len(), 1, "not called missing as well: {:?}", messages(&misspelt));
    assert!(
        !with(edited(&[("sandbox = false", "sandbox = false\nsandbxo = true")])).config.sandbox,
        "what is plainly said holds"
    );
    let authorizer =
        with(edited(&[("[supervisor.authorizer]\nenabled = false", "[supervisor.authorizer]\nenabld = true")]));
    assert!(authorizer.config.supervisor.authorizer.enabled);
}

#[test]
fn keys_of_upstream_are_accepted_and_listed_once() {
    let loaded = with(edited(&[
        (
            "sandbox = false",
            "sandbox = false\ntelemetry = true\ncommit_attribution = \"x\"\nmarkdown_theme = \"m\"\nsystem = \"s\"",
        ),
        ("version = 17", "version = 19"),
        ("[decision]", "[timing]\nanything = [1, 2]\n[decision]"),
        (
            "[supervisor]\nenabled = true",
            "[supervisor]\nenabled = true\nclaim_check = true\nmax_consecutive_steers = 3",
        ),
        (
            "[supervisor.gate]\nenabled = true",
            "[supervisor.gate]\nenabled = true\nmax_iterations = 2\nverifier_model = \"\"",
        ),
        (
            "[supervisor.plan]",
            "[supervisor.recite]\nx = 1\n[supervisor.detectors]\nloop_threshold = 3\n[supervisor.plan]",
        ),
        ("threshold = 70000", "hints_enabled = true\npressure_levels = []\nignore_cost = true\nthreshold = 70000"),
    ]));
    assert_eq!(messages(&loaded), Vec::<String>::new());
    let said: Vec<_> = loaded.notices.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("version 19"), "{said:?}");
    assert!(
        said[1].contains("not used here: commit_attribution, markdown_theme, system, telemetry, timing"),
        "{said:?}"
    );
    assert!(said[2].contains("supervisor.gate.verifier_model") && said[2].contains("compression.hints_enabled"));
}

#[test]
fn a_model_may_be_given_by_name_alone_and_old_sampling_on_a_role_counts_unless_its_model_says_otherwise() {
    let role = "[[roles]]\nname = \"old\"\nsystem = \"\"\nwelcome = \"\"\ntemperature = 1\ntop_k = 7\n\
                model = { temperature = 0.5 }\n[[roles]]\nname = \"short\"\nsystem = \"\"\nwelcome = \"\"\nmodel = \"a:b\"\n";
    let loaded = with(format!("{TEMPLATE}\n{role}"));
    assert_eq!(messages(&loaded), Vec::<String>::new());
    let find = |name: &str| loaded.config.roles.iter().find(|role| role.name == name).unwrap().model.clone();
    assert_eq!((find("old").temperature, find("old").top_k), (Some(0.5), Some(7)));
    assert_eq!(find("short").name.as_deref(), Some("a:b"));
    let supervisor = edited(&[("[supervisor]\nenabled = true", "[supervisor]\nenabled = true\nmodel = \"x:y\"")]);
    let cut =
        supervisor.replace("[supervisor.model]\nmax_tokens = 8192\ntemperature = 0.0\ntop_p = 1.0\ntop_k = 0", "");
    let loaded = with(cut);
    assert_eq!(messages(&loaded), Vec::<String>::new());
    assert_eq!(loaded.config.supervisor.model.name.as_deref(), Some("x:y"));
    assert_eq!(loaded.config.supervisor.model.max_tokens, None, "the rest is inherited from [model]");
}

fn server(name: &str, command: &str) -> String {
    format!(
        "[[mcp.servers]]\nname={name:?}\ntype=\"stdio\"\ncommand={command:?}\nargs=[]\ntimeout_seconds=30\ntools=[]\n"
    )
}

#[test]
fn files_are_laid_over_each_other_in_order_and_a_broken_one_costs_itself() {
    let files = vec![
        file("config.toml", format!("{TEMPLATE}\n{}{}", server("a", "first"), server("b", "first"))),
        file("more.toml", format!("[model]\ntemperature = 0.9\n[ui]\nmouse = false\n{}", server("a", "second"))),
        file("broken.toml", "[model\ntemperature = 1.9\n"),
        file("mcp-a.toml", server("c", "third")),
    ];
    let loaded = load(&Sources { files, ..Sources::default() });
    assert_eq!(loaded.problems.len(), 1, "{:?}", messages(&loaded));
    assert!(loaded.problems[0].location().starts_with("broken.toml:1:"));
    assert!(loaded.problems[0].message.contains("not TOML"));
    assert_eq!((loaded.config.model.temperature, loaded.config.ui.mouse, loaded.config.ui.motion), (0.9, false, true));
    let commands: Vec<_> = loaded.config.mcp.servers.iter().map(|s| s.command.as_deref().unwrap_or("-")).collect();
    assert_eq!(commands, ["-", "second", "first", "third"]);
    assert_eq!(loaded.origins.of("model.temperature"), Origin::File { file: "more.toml".into(), line: 2 });
    assert_eq!(loaded.origins.of("mcp.servers.a.command"), Origin::File { file: "more.toml".into(), line: 8 });
    assert!(matches!(loaded.origins.of("mcp.servers.c"), Origin::File { file, .. } if file == "mcp-a.toml"));
}

#[test]
fn a_name_given_twice_in_one_file_is_a_problem_and_the_later_one_is_used() {
    let loaded = with(format!("{TEMPLATE}\n{}{}", server("a", "first"), server("a", "second")));
    assert_eq!(loaded.problems.len(), 1);
    assert!(loaded.problems[0].message.contains("`a` stands twice in [[mcp.servers]]"));
    assert_eq!(loaded.config.mcp.servers.last().unwrap().command.as_deref(), Some("second"));
}

fn with_project(project: &str) -> Loaded {
    load(&Sources {
        files: vec![file("config.toml", format!("{TEMPLATE}\n{}", server("github", "mine")))],
        project: Some(Source::new(SourceKind::Project, ".agents/octomind.toml", project)),
        ..Sources::default()
    })
}

#[test]
fn a_project_sets_what_cannot_execute_and_nothing_else() {
    let loaded = with_project("default = \"developer\"\nsandbox = true\n[model]\ntemperature = 0.1\nname = \"a:b\"\n");
    assert_eq!(messages(&loaded), Vec::<String>::new());
    assert_eq!((loaded.config.default.as_str(), loaded.config.sandbox), ("developer", true));
    assert_eq!(loaded.config.model.name, "a:b");
    assert_eq!(
        loaded.origins.of("model.temperature"),
        Origin::Project { file: ".agents/octomind.toml".into(), line: 4 }
    );
    for refused in [
        "sandbox = false",
        "[ui]\napproval = \"off\"",
        "[ui]\napproval = \"writes\"",
        "[providers.evil]\nbase_url = \"http://evil\"",
        "[[hooks]]\nname = \"h\"\nbind = \"x\"\nscript = \"y\"",
        "[[agents]]\nname = \"a\"\ndescription = \"\"\ncommand = \"x\"",
        "[[commands]]\nname = \"a\"\ncommand = \"x\"\ninput_mode=\"all\"\noutput_mode=\"none\"\noutput_role=\"user\"",
        "[model]\nname = \"cli:codex\"",
        "[model]\nname = \"script:evil.toml\"",
        "[supervisor.model]\nname = \"script:evil.toml\"",
        "[supervisor.authorizer]\nenabled = false",
        "[supervisor.evaluate]\nmodel = \"a:b\"",
        "max_session_spending_threshold = 1000.0",
        "[skills]\nauto_validation = true",
        "[mcp]\nallowed_tools = []",
        "[encoder]\nmodel = \"/evil\"",
    ] {
        let loaded = with_project(refused);
        assert_eq!(loaded.problems.len(), 1, "{refused}: {:?}", messages(&loaded));
        assert_eq!(loaded.problems[0].weight, Weight::Security, "{refused}");
        let plain = with_project("");
        assert_eq!(loaded.config, plain.config, "{refused}");
    }
}

#[test]
fn a_project_cannot_stand_in_for_what_the_person_has() {
    let loaded = with_project(&format!("{}{}", server("github", "evil"), server("new", "evil")));
    let said = messages(&loaded).join("\n");
    assert!(said.contains("the project's server `github` would replace the one of config.toml; yours stays"), "{said}");
    assert!(said.contains("a project may not bring a server (`new`)"), "{said}");
    let commands: Vec<_> = loaded.config.mcp.servers.iter().filter_map(|server| server.command.as_deref()).collect();
    assert_eq!(commands, ["mine"]);
    let role = |name: &str| format!("[[roles]]\nname = {name:?}\nsystem = \"evil\"\nwelcome = \"\"\n");
    let loaded = with_project(&format!("{}{}", role("assistant"), role("reviewer")));
    assert_eq!(loaded.problems.len(), 1, "{:?}", messages(&loaded));
    assert!(loaded.problems[0].message.contains("`assistant` in [[roles]] would replace the one you have"));
    assert_ne!(loaded.config.roles[0].system, "evil");
    assert_eq!(loaded.config.roles.last().unwrap().name, "reviewer");
}

#[test]
fn the_nearest_layer_wins_and_each_value_knows_where_it_came_from() {
    let mut sources = Sources {
        files: vec![file("config.toml", edited(&[("temperature = 0.3 ", "temperature = 0.4 ")]))],
        ..Sources::default()
    };
    let temperature = |sources: &Sources| {
        let loaded = load(sources);
        assert_eq!(messages(&loaded), Vec::<String>::new());
        (loaded.config.model.temperature, loaded.origins.of("model.temperature"))
    };
    assert!(matches!(temperature(&sources), (0.4, Origin::File { .. })));
    sources.project = Some(Source::new(SourceKind::Project, "p", "[model]\ntemperature = 0.5"));
    assert!(matches!(temperature(&sources), (0.5, Origin::Project { line: 2, .. })));
    sources.command_line = vec!["model.temperature=0.6".into()];
    let argument = "model.temperature=0.6".to_owned();
    assert_eq!(temperature(&sources), (0.6, Origin::CommandLine { argument }));
    let loaded = load(&sources).switched("model.temperature = 0.7").unwrap();
    assert_eq!((loaded.config.model.temperature, loaded.origins.of("model.temperature")), (0.7, Origin::Session));
    let refused = loaded.switched("model.temperature = 7").unwrap_err();
    assert!(refused.message.contains("from 0 to 2"));
}

#[test]
fn evolution_without_the_gate_is_refused_with_the_reason() {
    let loaded = load(&Sources::default());
    let refused = loaded
        .switched("supervisor.gate.enabled=false")
        .and_then(|l| l.switched("supervisor.learning.evolution.enabled=true"));
    assert!(refused.unwrap_err().message.contains("evolution needs the gate"));
    assert!(loaded.switched("supervisor.learning.evolution.enabled=true").is_ok());
    let file = with(edited(&[
        ("[supervisor.gate]\nenabled = true", "[supervisor.gate]\nenabled = false"),
        ("enabled = false                 # needs the gate", "enabled = true"),
    ]));
    assert_eq!(file.problems.len(), 1);
    assert!(!file.config.supervisor.learning.evolution.enabled);
}

#[test]
fn the_default_roles_stay_small() {
    for role in Config::template().roles {
        assert!(role.system.len() <= 1200, "{} has {} bytes", role.name, role.system.len());
        assert!(!role.system.trim().is_empty());
    }
}

mod folders {
    use std::fs;

    use super::*;

    #[test]
    fn a_first_run_writes_the_template_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"), None);
        let loaded = open(&paths, folder.path(), Vec::new());
        assert_eq!(messages(&loaded), Vec::<String>::new());
        assert_eq!(fs::read_to_string(&paths.config_file).unwrap(), TEMPLATE);
        assert_eq!(loaded.config, Config::template());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&paths.config_file), mode(&paths.config_folder)), (0o600, 0o700));
        }
        fs::write(&paths.config_file, "mine").unwrap();
        let loaded = open(&paths, folder.path(), Vec::new());
        assert_eq!(loaded.problems.len(), 1);
        assert_eq!(fs::read_to_string(&paths.config_file).unwrap(), "mine", "never written over");
    }

    #[test]
    fn neighbours_are_read_by_name_and_mcp_files_last() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"), None);
        fs::create_dir_all(&paths.config_folder).unwrap();
        for name in ["mcp-a.toml", "mcp.toml", "zz.toml", "config.toml", "aa.toml", ".hidden.toml", "notes.txt"] {
            fs::write(paths.config_folder.join(name), "").unwrap();
        }
        let sources = Sources::read(&paths, folder.path(), Vec::new());
        let names: Vec<_> = sources.files.iter().map(|source| Path::new(&source.label).file_name().unwrap()).collect();
        assert_eq!(names, ["config.toml", "aa.toml", "mcp.toml", "zz.toml", "mcp-a.toml"]);
        let alone = Paths::new(folder.path().join("data"), Some(paths.config_folder.join("aa.toml")));
        assert_eq!(Sources::read(&alone, folder.path(), Vec::new()).files.len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_named_and_the_defaults_are_used() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"), None);
        fs::create_dir_all(paths.config_folder.join("folder.toml")).unwrap();
        fs::write(&paths.config_file, b"version = 17\n# \xff\n").unwrap();
        let loaded = open(&paths, folder.path(), Vec::new());
        assert_eq!(loaded.config, Config::template());
        let said = messages(&loaded).join("\n");
        assert!(said.contains("config.toml:2:3: this file is not UTF-8"), "{said}");
        assert!(said.contains("folder.toml: this is not an ordinary file"), "{said}");
    }
}

mod anything {
    use proptest::prelude::*;

    use super::*;

    /// Lines of the template taken out, doubled, cut or swapped: near enough to reach every check.
    fn mangled() -> impl Strategy<Value = String> {
        let lines = TEMPLATE.lines().count();
        proptest::collection::vec((0..lines, 0..6_u8, "[ -~]{0,12}"), 1..12).prop_map(|edits| {
            let mut lines: Vec<String> = TEMPLATE.lines().map(str::to_owned).collect();
            for (at, edit, text) in edits {
                let at = at.min(lines.len() - 1);
                match edit {
                    0 => lines[at] = String::new(),
                    1 => lines[at] = text,
                    2 => {
                        let line = lines[at].clone();
                        lines.push(line);
                    }
                    3 => lines[at] = lines[at].replace('=', &format!("= {text}")),
                    4 => lines[at] = lines[at].replacen(|letter: char| letter.is_ascii_lowercase(), &text, 1),
                    _ => lines[at].insert(0, 'x'),
                }
            }
            lines.join("\n")
        })
    }

    fn usable(loaded: &Loaded) {
        for problem in &loaded.problems {
            assert!(!problem.to_string().contains("could not be used"), "schema and types disagree: {problem}");
        }
        assert!(!loaded.config.roles.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_mangled_template_always_gives_a_configuration(text in mangled()) {
            usable(&with(text));
        }

        #[test]
        fn any_bytes_give_a_configuration(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            usable(&with(String::from_utf8_lossy(&bytes).into_owned()));
        }

        #[test]
        fn any_assignment_gives_a_configuration(
            key in "([a-z_.\"]{0,30}|model|roles|mcp\\.servers|providers\\.[a-z]{1,3}(\\.[a-z_]{1,9})?|taps\\.\"a:b\")",
            value in "\\PC{0,20}",
        ) {
            let loaded = load(&Sources { command_line: vec![format!("{key}={value}")], ..Sources::default() });
            usable(&loaded);
        }

        #[test]
        fn any_project_file_gives_a_configuration(text in mangled()) {
            let project = Some(Source::new(SourceKind::Project, "p", text));
            let loaded = load(&Sources { project, ..Sources::default() });
            usable(&loaded);
            prop_assert_eq!(&loaded.config.mcp, &Config::template().mcp);
            prop_assert_eq!(&loaded.config.hooks, &Config::template().hooks);
        }
    }
}

/// Thousands of mistakes must not hold up the start: the work grows with the size, not its square.
#[test]
fn a_large_file_of_mistakes_is_read_in_reasonable_time() {
    let text: String = (0..10_000).map(|index| format!("unknown_{index} = 1\n")).collect();
    let begun = std::time::Instant::now();
    let loaded = with(text);
    assert!(loaded.problems.len() > 10_000);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
}
