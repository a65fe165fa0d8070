//! From a tag to a session with the real binary, over a small tap of the test's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Home {
    root: tempfile::TempDir,
}

struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

const SCRIPT: &str = "[[turn]]\notherwise = true\n[[turn.reply]]\ntext = \"heard\"\n";

impl Home {
    fn new() -> Self {
        let home = Self { root: tempfile::tempdir().unwrap() };
        home.write("script.toml", SCRIPT);
        home.write("work/keep", "");
        home.agent("trade/chief", "capabilities = [\"scales\"]", "You trade in {{INPUT:MARKET_PLACE}}.");
        home.agent("trade/small", "", "You are small.");
        home.agent("lone/one", "", "You are alone.");
        home.write(
            "tap/capabilities/scales/default.toml",
            "[deps]\nrequire = [\"org/scales\"]\n[roles.mcp]\nserver_refs = [\"files\"]\n\
             allowed_tools = [\"files:view\"]\n[[mcp.servers]]\nname = \"files\"\ntype = \"builtin\"\n",
        );
        home.write("tap/capabilities/scales/config.toml", "triggers = [\"weigh this for me\"]\n");
        home.write("tap/deps/org/scales.sh", "echo weighing; pwd > weighed\n");
        let tap = home.path("tap").display().to_string();
        home.write("data/taps.toml", &format!("[[taps]]\nname = \"me/tap\"\nlocal_path = {tap:?}\n"));
        home
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn agent(&self, place: &str, head: &str, system: &str) {
        let text = format!("# Title: A title\n{head}\n[[roles]]\nsystem = \"{system}\"\nwelcome = \"\"\n");
        self.write(&format!("tap/agents/{place}.toml"), &text);
    }

    fn run(&self, words: &[&str], message: &str, env: &[(&str, &str)]) -> Said {
        let model = format!("script:{}", self.path("script.toml").display());
        let mut child = Command::new(env!("CARGO_BIN_EXE_octomind"))
            .args(["run", "--model", &model])
            .args(words)
            .env_clear()
            .env("OCTOMIND_DATA_DIR", self.path("data"))
            .env("OCTOMIND_TAP_HOST", "file:///nonexistent")
            .env("HOME", self.root.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(env.iter().copied())
            .current_dir(self.path("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), message.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn journal(&self, name: &str) -> String {
        fs::read_to_string(self.path(&format!("data/sessions/{name}/journal.jsonl"))).unwrap()
    }

    fn sessions(&self) -> usize {
        fs::read_dir(self.path("data/sessions")).map_or(0, Iterator::count)
    }
}

fn has(path: &Path) -> bool {
    path.exists()
}

#[test]
fn a_missing_value_ends_the_run_with_78_and_says_how_to_set_it() {
    let home = Home::new();
    let said = home.run(&["trade"], "hello", &[]);
    assert_eq!((said.code, said.out.as_str()), (Some(78), ""), "{}", said.err);
    for part in ["{{INPUT:MARKET_PLACE}}", "agent trade:chief", "inputs.toml", "MARKET_PLACE = "] {
        assert!(said.err.contains(part), "{part}: {}", said.err);
    }
    assert!(!has(&home.path("work/weighed")), "no script runs before");
    assert_eq!(home.sessions(), 0, "nothing is left behind");
}

#[test]
fn a_domain_runs_its_chief_with_its_values_scripts_and_servers() {
    let home = Home::new();
    home.write("data/inputs.toml", "MARKET_PLACE = \"stall-77-secret\"\n");
    let said = home.run(&["trade", "--name", "one"], "hello", &[]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard"), "{}", said.err);
    assert!(has(&home.path("work/weighed")));
    let journal = home.journal("one");
    for part in ["role_resolved", "capability_expanded", "\"start_step\"", "\"step\":\"deps\"", "trade:chief"] {
        assert!(journal.contains(part), "{part}");
    }
    assert!(!journal.contains("stall-77-secret"), "values are masked");

    // The same session goes on with the same agent.
    let said = home.run(&["--resume", "one"], "again", &[]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard"), "{}", said.err);
    assert_eq!(home.journal("one").matches("role_resolved").count(), 2);
}

#[test]
fn names_that_mean_nothing_are_refused_before_anything_is_written() {
    let home = Home::new();
    for (name, part) in [
        ("trade:none", "no tap has an agent trade:none"),
        ("lone", "lone:one"),
        ("nonsense", "neither a role of the configuration nor a domain"),
        ("trade:a:b", "more than one colon"),
    ] {
        let said = home.run(&[name], "hello", &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{name}: {}", said.err);
        assert!(said.err.contains(part), "{name}: {}", said.err);
    }
    assert_eq!(home.sessions(), 0);
    let said = home.run(&["trade:small"], "hello", &[]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard"), "{}", said.err);
}

#[test]
fn a_script_that_fails_costs_its_capability_and_is_named() {
    let home = Home::new();
    home.write("data/inputs.toml", "MARKET_PLACE = \"Bern\"\n");
    home.write("tap/deps/org/scales.sh", "echo no weights here >&2; exit 4\n");
    let said = home.run(&["trade", "--name", "one"], "hello", &[]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard"), "{}", said.err);
    assert!(said.err.contains("scales stays off") && said.err.contains("exit code 4"), "{}", said.err);
    assert!(said.err.contains("no weights here"), "{}", said.err);
}

#[test]
fn nothing_asked_for_starts_the_assistant_and_skills_follow_the_environment_and_rules() {
    let home = Home::new();
    let skill = |name: &str, head: &str| {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n{head}---\nText of {name}.\n");
        home.write(&format!("work/.agents/skills/{name}/SKILL.md"), &text);
    };
    skill("zz-given", "");
    skill("zz-ruled", "domains: assistant\nrules:\n  - content(oolong)\n");
    let said = home.run(&["--name", "one"], "brew some oolong tea", &[("OCTOMIND_SKILLS", "zz-given,zz-none")]);
    assert_eq!((said.code, said.out.trim()), (Some(0), "heard"), "{}", said.err);
    assert!(said.err.contains("zz-none"), "{}", said.err);
    let journal = home.journal("one");
    assert!(journal.contains("assistant:chief"), "{journal}");
    for part in ["Text of zz-given.", "Text of zz-ruled.", "skill_rules"] {
        assert!(journal.contains(part), "{part}");
    }
}
