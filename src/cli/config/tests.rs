use std::fs;

use super::*;

struct Place {
    folder: tempfile::TempDir,
    pairs: Vec<(String, String)>,
}

impl Place {
    fn new(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir_all(data.join("config")).unwrap();
        fs::write(data.join("config/config.toml"), config).unwrap();
        let pairs = vec![
            ("OCTOMIND_DATA_DIR".to_owned(), data.display().to_string()),
            ("SOME_TOKEN".to_owned(), "very-secret-value".to_owned()),
        ];
        Self { folder, pairs }
    }

    fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            arguments: ConfigArguments,
        }
        let line: Line = clap::Parser::parse_from([&["config"], arguments].concat());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let env = Env::from_pairs(self.pairs.clone());
        let code = run_in(&line.arguments, env, self.folder.path(), &mut out, &mut err).unwrap();
        let text =
            |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(&self.folder.path().display().to_string(), "~");
        (code == ExitCode::SUCCESS, text(out), text(err))
    }
}

const SERVER: &str = "\n[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"x\"\nargs = [\"very-secret-value\"]\n\
                      timeout_seconds = 30\ntools = []\nenv = { API_KEY = \"literal\", OTHER_KEY = \"${SOME_TOKEN}\" }\n";

#[test]
fn show_prints_every_value_with_its_origin_and_no_secret() {
    let place = Place::new(&format!("{}{SERVER}", crate::config::TEMPLATE));
    let (good, out, err) = place.run(&["--show", "-c", "model.temperature=0.9"]);
    assert!(good, "{err}");
    let line =
        |start: &str| out.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start}\n{out}"));
    assert!(line("model.temperature = 0.9").ends_with("# command line"));
    assert!(line("model.top_p = 0.7").contains("# ~/data/config/config.toml:"));
    assert!(line("ui.theme = \"auto\"").contains("config.toml:"));
    assert!(line("roles.assistant.system = ").contains('…'), "one line a value");
    assert!(line("mcp.servers.s.env.API_KEY").contains("\"[masked]\""));
    assert!(line("mcp.servers.s.env.OTHER_KEY").contains("${SOME_TOKEN}"));
    assert!(line("mcp.servers.s.args").contains("[SOME_TOKEN masked]"));
    assert!(!out.contains("literal") && !out.contains("very-secret-value"));
    let bare = Place::new("");
    fs::remove_file(bare.folder.path().join("data/config/config.toml")).unwrap();
    let (_, out, _) = bare.run(&["--show"]);
    assert!(out.contains("# template"));
    assert!(!bare.folder.path().join("data/config/config.toml").exists(), "looking writes nothing");
}

#[test]
fn validate_prints_all_problems_and_fails() {
    let broken = crate::config::TEMPLATE.replace("top_p = 0.7 ", "top_p = 7 ").replace("[decision]", "[decison]");
    let (good, out, err) = Place::new(&broken).run(&["--validate"]);
    assert!(!good);
    assert_eq!(out, "read ~/data/config/config.toml: 2 problems\n");
    assert!(err.contains("error: `model.top_p` must be a number from 0 to 1\n"), "{err}");
    assert!(err.contains(" = hint: did you mean `decision`?"), "{err}");
    let (good, out, err) = Place::new(crate::config::TEMPLATE).run(&["--validate"]);
    assert!(good);
    assert_eq!((out.as_str(), err.as_str()), ("read ~/data/config/config.toml: no problems\n", ""));
}

#[test]
fn path_prints_the_path_whatever_the_file_says() {
    let (good, out, err) = Place::new("[[[").run(&["--path"]);
    assert!(good && err.is_empty());
    assert_eq!(out, "~/data/config/config.toml\n");
}

#[test]
fn a_bad_line_of_an_env_file_is_told_and_fails_nothing() {
    let place = Place::new(crate::config::TEMPLATE);
    fs::write(place.folder.path().join(".env"), "no assignment\nLD_PRELOAD=x\n").unwrap();
    let (good, _, err) = place.run(&["--validate"]);
    assert!(good);
    assert!(err.contains("~/.env:1:1") && err.contains("may not set `LD_PRELOAD`"), "{err}");
}

#[test]
fn the_bare_command_writes_the_file_once() {
    let place = Place::new("");
    let file = place.folder.path().join("data/config/config.toml");
    fs::remove_file(&file).unwrap();
    let (good, out, err) = place.run(&[]);
    assert!(good, "{err}");
    assert_eq!(out, "read ~/data/config/config.toml: no problems\n");
    assert_eq!(err, "note: wrote ~/data/config/config.toml\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), crate::config::TEMPLATE);
}

#[test]
fn names_that_lead_nowhere_are_named() {
    let server = "[[mcp.servers]]\nname = \"every\"\ntype = \"stdio\"\ncommand = \"x\"\nargs = []\n";
    let config = crate::config::TEMPLATE.replace("default = \"assistant:chief\"", "default = \"asistant\"").replacen(
        "server_refs = [",
        "server_refs = [\"evry\", ",
        1,
    );
    let (good, _, err) = Place::new(&format!("{config}\n{server}")).run(&["--validate"]);
    assert!(!good, "{err}");
    for said in [
        "`default` names the role `asistant`, which is not there",
        "did you mean `assistant`?",
        "no server `evry` is configured",
        "did you mean `every`?",
        "note: no role uses the server `every`",
    ] {
        assert!(err.contains(said), "{said}: {err}");
    }
    assert!(err.contains("config.toml:"), "{err}");
}

#[test]
fn a_server_needs_no_timeout_and_no_tools() {
    let server = "[[mcp.servers]]\nname = \"s\"\ntype = \"stdio\"\ncommand = \"x\"\nargs = []\n";
    let place = Place::new(&format!("{}\n{server}", crate::config::TEMPLATE));
    let (good, out, err) = place.run(&["--show"]);
    assert!(good && out.contains("mcp.servers.s.timeout_seconds = 30"), "{out}{err}");
}
