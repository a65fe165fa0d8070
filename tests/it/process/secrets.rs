//! A secret that a tool, a server and the model write in every form stands nowhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use rustix::process::Signal;

use super::home::{Home, Said, ended, started};

const NAME: &str = "DEMO_API_KEY";

/// Long enough to be broken into lines by whatever encodes it.
const SECRET: &str = "sk-demo-Zq7/x+Yw_9aB3&cD5?eF-0123456789abcdefghijKLMNOPqrstuv=wxyzABCD/efgh";

const SCRIPT: &str = r#"
[[turn]]
match = "^leak"
[[turn.reply]]
text = "I look at it."
calls = [{ tool = "shell", arguments = { command = "printf '%s\n' \"$DEMO_API_KEY\"; printf '%s' \"$DEMO_API_KEY\" | base64 -w0; echo; printf 'me:%s' \"$DEMO_API_KEY\" | base64 -w0; echo; printf 'x%s' \"$DEMO_API_KEY\" | base64 -w0 | tr '/+' '_-'; echo; printf '%s' \"$DEMO_API_KEY\" | od -An -v -tx1 | tr -d ' \n'; echo; printf '%s' \"$DEMO_API_KEY\" | base64; exit 3" } }]
[[turn.reply]]
text = "It is {{last_result}}, you see."
[[turn]]
match = "^flood"
[[turn.reply]]
calls = [{ tool = "shell", arguments = { command = "seq 1 40000; printf '%s\n' \"$DEMO_API_KEY\"; seq 1 40000" } }]
[[turn.reply]]
fault = { kind = "bad_request", message = "The provider says: {{message}}" }
[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

const CONFIG: &str = r#"
[[mcp.servers]]
name = "leaky"
type = "stdio"
command = "sh"
args = ["-c", "echo \"it wants $API_KEY\" >&2; printenv API_KEY | base64 >&2; printenv API_KEY; exit 3"]
env = { API_KEY = "{{ENV:DEMO_API_KEY}}" }

[[roles]]
name = "watched"
system = "You work in {{CWD}}."
welcome = ""
[roles.mcp]
server_refs = ["files", "leaky"]
allowed_tools = []
"#;

/// The secret in all forms, none of which is a part of ordinary text.
fn forms() -> Vec<String> {
    let mut forms = vec![SECRET.to_owned(), SECRET.replace('/', "%2F").replace('+', "%2B")];
    for before in ["", "x", "me:"] {
        let text = format!("{before}{SECRET}");
        // What stands before changes the first letters, what comes after the last ones.
        let inner = |coded: String| coded[6..coded.len() - 6].to_owned();
        forms.extend([STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)].map(inner));
    }
    forms.extend([STANDARD.encode(SECRET), URL_SAFE.encode(SECRET)]);
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.push(hex);
    // A line of what is broken at column 76.
    forms.push(STANDARD.encode(SECRET)[..76].to_owned());
    forms
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => files(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

#[track_caller]
fn assert_absent(place: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for form in forms() {
        assert!(!text.contains(&form), "{form} stands in {place}");
    }
}

fn run(home: &Home, words: &[&str], message: &str) -> Said {
    let model = home.model();
    let words = [&["run", "--model", &model, "--name", "watched", "-c", "default=watched"], words].concat();
    let mut command: Command = home.command(&words);
    command.env(NAME, SECRET);
    ended(started(command, message))
}

#[test]
fn a_secret_stands_on_no_screen_in_no_file_and_in_no_output() {
    let home = Home::playing(SCRIPT);
    fs::create_dir_all(home.data().join("config")).unwrap();
    fs::write(home.data().join("config/more.toml"), CONFIG).unwrap();
    let typed = format!("leak {SECRET}");
    for (format, message) in [("plain", "leak it"), ("jsonl", typed.as_str()), ("plain", "flood"), ("jsonl", "flood")] {
        let said = run(&home, &["--format", format, "-c", "log_level=debug"], message);
        assert!(said.out.contains("masked") || message == "flood", "{said:?}");
        assert_absent(&format!("the output in {format}"), said.out.as_bytes());
        assert_absent(&format!("the errors in {format}"), said.err.as_bytes());
    }
    for words in [&["notes", "--full"][..], &["notes", "--format", "json"], &["explain", "leaky"], &["doctor"]] {
        let mut command = home.command(words);
        command.env(NAME, SECRET);
        let said = ended(started(command, ""));
        assert_absent(&words.join(" "), format!("{}{}", said.out, said.err).as_bytes());
    }
    let assignment = format!("{NAME}={SECRET}");
    let mut pty = home.in_terminal(&["env", &assignment], &["--resume", "watched"], 120, 40);
    pty.wait_for("you see");
    pty.send(b"leak again\r");
    pty.wait("the turn", |pty| pty.text().contains("leak again") && pty.text().contains("masked"));
    pty.send(b"\x1b");
    pty.send(b"2");
    pty.wait_for("leaky");
    pty.kill(Signal::TERM);
    pty.end();
    assert_absent("the screen", pty.raw().as_bytes());
    let mut found = Vec::new();
    files(&home.data(), &mut found);
    let shown: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    for part in ["journal.jsonl", "/wire/", "logs/octomind", "logs/mcp-leaky"] {
        assert!(shown.iter().any(|path| path.contains(part)), "no {part}: {shown:#?}");
    }
    for path in &found {
        assert_absent(&path.display().to_string(), &fs::read(path).unwrap());
    }
    let journal = fs::read_to_string(home.journal("watched")).unwrap();
    assert!(journal.contains("[DEMO_API_KEY masked]"), "it is named");
}
