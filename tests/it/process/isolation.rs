//! One bad part at a time: it is named with its place and what to do, and everything else works.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::process::Signal;

use super::home::Home;
use super::screens::flowed;

fn put(home: &Home, file: &str, text: &str) {
    let path = home.path(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// What is bad, how it comes to be, and what has to be said: the part, the place, the way out.
type Case = (&'static str, fn(&Home), &'static [&'static str]);

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0";

const CASES: [Case; 8] = [
    (
        "a skill without a closing fence",
        |home| put(home, "project/.agents/skills/bad/SKILL.md", "---\nname: bad\ndescription: d\n"),
        &["skill", "bad cannot be used", ".agents/skills/bad/SKILL.md", "hint:"],
    ),
    (
        "a skill that is binary",
        |home| {
            put(home, "project/.agents/skills/bad/SKILL.md", "");
            fs::write(home.path("project/.agents/skills/bad/SKILL.md"), [0xff, 0xfe, 0, 1, 2]).unwrap();
        },
        &["bad cannot be used", ".agents/skills/bad/SKILL.md", "hint:"],
    ),
    (
        "a plugin whose manifest is torn",
        |home| put(home, "project/.agents/plugins/odd/plugin.json", "{\"name\": \"od"),
        &["plugin", "odd cannot be used", ".agents/plugins/odd/plugin.json", "hint:"],
    ),
    (
        "a plugin whose list of servers is torn",
        |home| {
            let head = format!(
                "{{\"$schema\":\"{SCHEMA}/plugin.schema.json\",\"name\":\"odd\",\"version\":\"1.0.0\",\"description\":\"x\"}}"
            );
            put(home, ".config/agents/plugins/odd/plugin.json", &head);
            put(home, ".config/agents/plugins/odd/mcp.json", "[");
        },
        &["plugin", "odd", "mcp.json", "hint:"],
    ),
    (
        "the list of taps",
        |home| put(home, "data/taps.toml", "[[tap]\nname = "),
        &["Taps are missing", "taps.toml:1:", "hint:"],
    ),
    (
        "answers of the past",
        |home| {
            put(home, "data/trust.jsonl", "{\"hash\":\"");
            put(home, "project/.agents/tools/deploy", "#!/bin/sh\n# @description Deploys.\n");
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(home.path("project/.agents/tools/deploy"), mode).unwrap();
        },
        &["trust.jsonl", "skipped", "--trust"],
    ),
    (
        "a line of the person's own .env",
        |home| put(home, "data/config/.env", "GOOD=1\nthis is no assignment\n"),
        &[".env:2", "hint:"],
    ),
    (
        "a session beside this one",
        |home| {
            put(home, "data/sessions/torn/journal.jsonl", "\0\0\0\0");
            fs::File::create(home.path("data/sessions/giant.jsonl")).unwrap().set_len(3 << 30).unwrap();
        },
        &[],
    ),
];

#[test]
fn each_bad_part_is_named_and_the_run_works() {
    let mut wrong = Vec::new();
    for (what, arrange, says) in CASES {
        let home = Home::new();
        arrange(&home);
        let said = home.run(&["-c", "auto_capabilities=false"], "look here");
        if said.code != Some(0) || !said.out.contains("poem.txt") {
            wrong.push(format!("{what}: it does not work: {said:?}"));
        }
        for words in says {
            if !said.err.contains(words) {
                wrong.push(format!("{what}: `{words}` is not in\n{}", said.err));
            }
        }
        home.assert_nothing_alive();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a run without a person refuses to guess about, the workbench names and goes on.
#[test]
fn each_bad_line_of_the_configuration_is_named_in_the_workbench_and_it_works() {
    let cases = [
        ("more.toml", "colour = 1\n", "colour"),
        ("more.toml", "[supervisor.authorizer]\ndeney = []\n", "deney"),
        ("more.toml", "[[roles]]\nname = 7\n", "more.toml:2"),
        ("more.toml", "[[mcp.servers]]\nname = \"x\"\ntype = \"telepathy\"\n", "mcp.servers.x.type"),
        ("more.toml", "[model\n", "more.toml:1"),
        ("keymaps/mine.toml", "inherits = \"default\"\n[global]\n\"ctrl-\" = \"nonsense\"\n", "mine.toml:3"),
        ("themes/mine.toml", "inherits = \"dark\"\n[palette]\nred = \"#12\"\n", "mine.toml:3"),
    ];
    for (file, text, named) in cases {
        let home = Home::new();
        put(&home, &format!("data/config/{file}"), text);
        let own = match Path::new(file).parent().and_then(Path::to_str) {
            Some("keymaps") => &["-c", "ui.keymap=mine"][..],
            Some("themes") => &["-c", "ui.theme=mine"],
            _ => &[],
        };
        let words = [own, &["-c", "auto_capabilities=false"]].concat();
        let mut pty = home.workbench(&words, 78, 40);
        pty.wait("the composer", |pty| pty.text().contains('›'));
        pty.send(b"look here\r");
        pty.wait_for("poem.txt");
        pty.send(b"\x1b5");
        pty.wait(&format!("{file}: {named}"), |pty| flowed(pty).contains(named));
        pty.kill(Signal::TERM);
        pty.end();
        pty.assert_restored();
        home.assert_nothing_alive();
    }
}
