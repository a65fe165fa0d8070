use std::fs;

use super::*;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for (spec, title) in [("chief", "Chief of trade"), ("small", "Small trade")] {
            let text = format!(
                "# Title: {title}\n# Description: Trades.\n\n[[roles]]\nsystem = \"You trade.\"\nwelcome = \"\"\n"
            );
            home.write(&format!("tap/agents/trade/{spec}.toml"), &text);
        }
        home.write("tap/agents/trade/broken.toml", "[[roles]\n");
        let provider = "[roles.mcp]\nserver_refs = [\"files\"]\nallowed_tools = []\n[[mcp.servers]]\nname = \"files\"\n\
                        type = \"builtin\"\n";
        home.write("tap/capabilities/scales/default.toml", provider);
        home.write("tap/capabilities/scales/config.toml", "triggers = [\"weigh this\"]\ndomains = [\"trade\"]\n");
        let tap = home.0.path().join("tap").display().to_string();
        home.write("data/taps.toml", &format!("[[taps]]\nname = \"me/tap\"\nlocal_path = {tap:?}\n"));
        home
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.0.path().join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn ran(&self, list: &str, domain: Option<&str>, json: bool) -> (String, String, ExitCode) {
        let env = Env::from_pairs([("OCTOMIND_DATA_DIR", self.0.path().join("data").display().to_string())]);
        let asked = Listed { domain: domain.map(str::to_owned), json };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let list = if list == "agents" { agents } else { capabilities };
        let code = list(&asked, &env, self.0.path(), &mut out, &mut err).unwrap();
        (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap(), code)
    }
}

#[test]
fn agents_of_taps_and_roles_of_the_configuration_are_listed_and_what_is_broken_is_named() {
    let home = Home::new();
    let (out, err, code) = home.ran("agents", None, false);
    assert_eq!(code, ExitCode::from(Exit::Done));
    let row = |name: &str| out.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {out}"));
    assert!(row("assistant ").contains("configuration"), "{out}");
    assert!(row("trade:chief").contains("Chief of trade") && row("trade:chief").contains("me/tap"), "{out}");
    assert!(row("assistant:chief").contains("octomind/starter"), "{out}");
    assert!(err.contains("note: the agent trade:broken of me/tap cannot be used: "), "{err}");

    let (out, _, _) = home.ran("agents", Some("trade"), false);
    let names: Vec<&str> = out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["NAME", "trade:chief", "trade:small"]);

    let (out, _, _) = home.ran("agents", Some("trade"), true);
    let list: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((list[0]["name"].as_str(), list[0]["title"].as_str()), (Some("trade:chief"), Some("Chief of trade")));
    assert_eq!(list.as_array().map(Vec::len), Some(2));
}

#[test]
fn capabilities_are_listed_for_a_domain() {
    let home = Home::new();
    let (out, _, _) = home.ran("capabilities", Some("trade"), true);
    let list: Value = serde_json::from_str(&out).unwrap();
    let scales = list.as_array().unwrap().iter().find(|one| one["name"] == "scales").unwrap();
    assert_eq!((&scales["triggers"][0], &scales["from"]), (&json!("weigh this"), &json!("me/tap")));
    let (out, _, _) = home.ran("capabilities", Some("nowhere"), false);
    assert!(!out.contains("scales") && out.contains("shell"), "{out}");
}

#[test]
fn a_domain_that_nobody_has_is_an_error_that_names_those_there_are() {
    let (out, err, code) = Home::new().ran("agents", Some("nowhere"), false);
    assert_eq!((out.as_str(), code), ("", ExitCode::from(Exit::Failed)));
    assert!(err.contains("no agent is of the domain nowhere") && err.contains("trade"), "{err}");
}
