//! No byte of a model, a tool, a server, a file, a branch, a skill or a plugin steers the terminal.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::Command;

use portable_pty::CommandBuilder;
use rustix::process::Signal;
use serde_json::json;

use super::home::{Home, PROGRAM, ended, started};
use crate::workbench::pty::Pty;

/// Title, clipboard, link, DCS, colours, cursor, a C1 control of each kind, direction, nothing to see, tags.
const EVIL: &str = "\u{1b}]0;PWNED\u{7}\u{1b}]52;c;UFdORUQ=\u{7}\u{1b}]8;;http://pwned\u{1b}\\E\u{1b}]8;;\u{1b}\\\
    \u{1b}Ppwned\u{1b}\\\u{1b}[2J\u{1b}[31mV\u{9b}32m\u{9d}0;PWNED\u{9c}\u{90}pwned\u{9c}\u{202e}\u{2066}\u{200b}\
    \u{feff}\u{e0049}\u{e004c}\u{8}\u{7f}\r\u{b}L";

/// What of [`EVIL`] may stand in the name of a file.
fn evil_name() -> PathBuf {
    PathBuf::from(OsStr::from_bytes(EVIL.replace('/', ":").as_bytes()).to_owned())
}

/// What git takes as the name of a branch.
const BRANCH: &str = "br\u{202e}\u{200b}\u{e0041}\u{9b}31m\u{9d}0;PWNED\u{9c}anch";

fn hidden(letter: char) -> bool {
    letter != '\n' && (letter.is_control() || octomind::text::is_hidden(letter))
}

#[track_caller]
fn assert_plain(place: &str, text: &str) {
    if let Some(at) = text.find(hidden) {
        let begin = text[..at].char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        panic!("{place} holds {:?}: …{:?}", text[at..].chars().next(), &text[begin..(at + 12).min(text.len())]);
    }
}

/// What a full-screen program of ours may write: characters, colours, places and modes.
#[track_caller]
fn assert_ours(place: &str, raw: &str) {
    let mut rest = raw;
    while let Some(at) = rest.find(|letter: char| hidden(letter) && !matches!(letter, '\r' | '\t')) {
        let sequence = &rest[at..];
        let shown: String = sequence.chars().take(40).collect();
        let used = if let Some(body) = sequence.strip_prefix("\u{1b}[") {
            let end = body.find(|c: char| ('@'..='~').contains(&c)).unwrap_or(0);
            assert!("mHhlJKABCDGrSTXLMPtuncq".contains(&body[end..=end]), "{place}: CSI {shown:?}");
            end + 3
        } else if let Some(body) = sequence.strip_prefix("\u{1b}]") {
            // Only questions about colours.
            let end = body.find(['\u{7}', '\u{1b}']).unwrap_or(body.len());
            assert!(body[..end].starts_with("11;?") || body[..end].starts_with("10;?"), "{place}: OSC {shown:?}");
            end + 2
        } else if let Some(letter) = sequence.strip_prefix('\u{1b}').and_then(|rest| rest.chars().next()) {
            assert!("\\78=>(".contains(letter), "{place}: ESC {shown:?}");
            2
        } else {
            assert_eq!(&sequence[..1], "\u{7}", "{place}: {shown:?}");
            1
        };
        rest = &sequence[used..];
    }
}

fn toml(text: &str) -> String {
    json!(text).to_string().replace('\u{7f}', "\\u007f")
}

/// A home where everything that has a name or a text of its own is hostile.
fn hostile() -> (Home, PathBuf) {
    let evil = toml(EVIL);
    // Markdown makes characters of them.
    let entities = toml(&format!("{EVIL} &#27;]0;PWNED&#7; &#x9b;31m &#x202e; &#x200b; [a](http://b/&#27;[2J)"));
    let script = format!(
        "[[turn]]\nmatch = \"^all\"\n[[turn.reply]]\nreasoning = {evil}\ntext = {entities}\n\
         calls = [{{ tool = \"list\", arguments = {{ path = \".\", note = {evil} }} }}, \
         {{ tool = \"list\", arguments = {{ path = \".\" }} }}, {{ tool = {evil}, arguments = {{}} }}, \
         {{ tool = \"shell\", arguments = {{ command = \"cat said; cat said >&2; git branch; exit 3\" }} }}, \
         {{ tool = \"speak\", arguments = {{ x = {evil} }} }}, {{ tool = \"fail\", arguments = {{}} }}]\n\
         [[turn.reply]]\ntext = \"all of it {{{{last_result}}}} is over\"\n\
         [[turn]]\nmatch = \"^fault\"\n[[turn.reply]]\nfault = {{ kind = \"bad_request\", message = {evil} }}\n\
         [[turn]]\notherwise = true\n[[turn.reply]]\ntext = \"heard: {{{{message}}}}\"\n"
    );
    let home = Home::playing(&script);
    let folder = home.path("project").join(evil_name());
    fs::create_dir_all(folder.join(".agents/tools")).unwrap();
    fs::write(folder.join("said"), EVIL).unwrap();
    fs::write(folder.join(evil_name()), EVIL).unwrap();
    for (name, text) in [
        ("fine", format!("---\nname: fine\ndescription: {evil}\nrules: content(\"all\")\n---\n{EVIL}\n")),
        ("named", format!("---\nname: {evil}\ndescription: d\nrules: content(\"all\")\n---\n{EVIL}\n")),
        ("broken", format!("---\nname: broken\n{EVIL}: [\ndescription {EVIL}\n---\n")),
    ] {
        let skill = folder.join(".agents/skills").join(name);
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    let skill = folder.join(".agents/skills").join(evil_name());
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), format!("---\n{EVIL}\n---\n")).unwrap();
    fs::write(folder.join(".agents/tools").join(evil_name()), format!("#!/bin/sh\n# @description {EVIL}\n")).unwrap();
    let plugin = folder.join(".agents/plugins").join(evil_name());
    fs::create_dir_all(&plugin).unwrap();
    fs::write(plugin.join("plugin.json"), format!("{{{EVIL}")).unwrap();
    for words in [&["init", "-q"][..], &["checkout", "-q", "-b", BRANCH]] {
        let done = Command::new("git").args(words).current_dir(&folder).env("HOME", home.path("")).status().unwrap();
        assert!(done.success(), "{words:?}");
    }
    fs::create_dir_all(home.data().join("config")).unwrap();
    fs::write(home.data().join("config/more.toml"), config()).unwrap();
    (home, folder)
}

fn config() -> String {
    let program = toml(&std::env::current_exe().unwrap().to_string_lossy());
    format!(
        "[[mcp.servers]]\nname = \"speaker\"\ntype = \"stdio\"\ncommand = {program}\n\
         args = [\"fake_server::entry\", \"--exact\", \"--nocapture\"]\nenv = {{ OCTOMIND_FAKE_SERVER = \"evil\" }}\n\
         [[mcp.servers]]\nname = \"dies\"\ntype = \"stdio\"\ncommand = \"sh\"\nargs = [\"-c\", {}]\n\
         [[roles]]\nname = \"open\"\nsystem = \"You work in {{{{CWD}}}}, {{{{GIT_STATUS}}}}.\"\nwelcome = {}\n[roles.mcp]\n\
         server_refs = [\"files\", \"speaker\", \"dies\"]\nallowed_tools = []\n",
        toml("cat said >&2; exit 3"),
        toml(EVIL),
    )
}

fn command(home: &Home, folder: &PathBuf, words: &[&str]) -> Command {
    let mut command = home.command(words);
    command.current_dir(folder).env("OCTOMIND_SKILLS", "fine,named");
    command
}

#[test]
fn nothing_foreign_steers_a_terminal_without_a_screen() {
    let (home, folder) = hostile();
    let model = home.model();
    let run = ["run", "--model", &model, "-c", "default=open", "--name", "s"];
    for message in ["all", "fault", "list\u{202e}en"] {
        let said = ended(started(command(&home, &folder, &run), message));
        assert_plain(&format!("{message}: the errors"), &said.err);
        let json = ended(started(command(&home, &folder, &[&run[..], &["--format", "jsonl"]].concat()), message));
        assert_plain(&format!("{message}: JSON"), &json.out);
        assert_plain(&format!("{message}: errors beside JSON"), &json.err);
    }
    let evil = EVIL.replace('\u{0}', "");
    for words in [
        &["notes", "--full"][..],
        &["notes", "--format", "json"],
        &["explain", "speaker"],
        &["explain", "hello", "--format", "json"],
        &["explain", &evil],
        &["doctor"],
        &["sessions"],
        &["agents"],
        &["capabilities", "--json"],
        &["taps", "check", "."],
        &["taps", "check", ".", "--json"],
        &["what-if", "all", "open"],
        &["what-if", "all", "open", "--format", "json"],
        &["config", "--validate"],
        &["config", "--show"],
        &["run", &evil],
        &["run", "--model", &evil],
        &["run", "--resume", &evil],
        &["notes", "--session", &evil],
        &["tap", &evil],
        &["untap", &evil],
    ] {
        let said = ended(started(command(&home, &folder, words), "x"));
        let shown: Vec<&str> = words.iter().map(|word| if *word == evil { "EVIL" } else { word }).collect();
        assert_plain(&format!("{shown:?}: the output"), &said.out);
        assert_plain(&format!("{shown:?}: the errors"), &said.err);
    }
    // Keys that are wrong are quoted.
    let config = home.data().join("config/more.toml");
    let text = format!("{}\n[{}]\n{} = 1\n", fs::read_to_string(&config).unwrap(), toml(EVIL), toml(EVIL));
    fs::write(&config, text).unwrap();
    for words in [&["config", "--validate"][..], &run] {
        let said = ended(started(command(&home, &folder, words), "x"));
        assert_plain(&format!("a bad key, {words:?}"), &format!("{}{}", said.out, said.err));
    }
    home.assert_nothing_alive();
}

/// In a terminal, with a screen or without one.
fn in_terminal(home: &Home, folder: &PathBuf, words: &[&str], columns: u16, rows: u16) -> Pty {
    let own = command(home, folder, &[]);
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(words);
    command.env_clear();
    command.cwd(folder);
    for (name, value) in own.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    Pty::open(command, columns, rows)
}

#[test]
fn nothing_foreign_steers_the_workbench() {
    let (home, folder) = hostile();
    let model = home.model();
    for (columns, rows) in [(120, 40), (60, 20)] {
        let words = ["--model", &model, "-c", "default=open", "-c", "supervisor.enabled=false"];
        let mut pty = in_terminal(&home, &folder, &words, columns, rows);
        pty.wait("the composer", |pty| pty.text().contains('›'));
        pty.wait("the question, or the surface", |pty| pty.text().contains("agents") || pty.text().contains("speaker"));
        pty.send(b"all\r");
        pty.wait("the answer", |pty| pty.text().contains("all of it"));
        pty.send(b"fault\r");
        pty.wait("the fault", |pty| pty.text().contains("fault"));
        // Files by name, panes, overlays, and what the terminal itself pastes.
        for keys in [
            &b"@"[..],
            b"\x1b[200~\x1b]0;PWNED\x07\xc2\x9b31m\xe2\x80\xae\x1b[201~",
            b"\x03",
            b"\x1b",
            b"2",
            b"3",
            b"4",
            b"5",
            b"1",
            b"\x1bOS",
            b"\x1b",
            b"\x1b[19~",
            b"\x1b",
            b"\x1b[24~",
            b"\x1b",
            b"\x1bOP",
            b"\x1b",
        ] {
            pty.send(keys);
            pty.wait("a still screen", |pty| pty.quiet_for(std::time::Duration::from_millis(120)));
            assert_plain("the screen", &pty.text());
        }
        pty.kill(Signal::TERM);
        pty.end();
        assert_ours(&format!("{columns}×{rows}"), &pty.raw());
    }
    // The answer itself, on a terminal.
    let words = [
        "-c",
        "echo all | \"$0\" run --model \"$1\" -c default=open -c supervisor.enabled=false; echo end",
        PROGRAM,
        &model,
    ];
    let own = command(&home, &folder, &[]);
    let mut shell = CommandBuilder::new("sh");
    shell.args(words);
    shell.env_clear();
    shell.cwd(&folder);
    for (name, value) in own.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    let mut pty = Pty::open(shell, 100, 30);
    pty.wait_for("end");
    pty.end();
    assert_ours("the answer on a terminal", &pty.raw());
    home.assert_nothing_alive();
}
