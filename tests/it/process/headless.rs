//! Runs without a person: honest exit codes, one object a line, never a question.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use super::endpoint::{Endpoint, Plan};
use super::home::{Home, Said, ended, started};
use crate::workbench::pty::{PATIENCE, until};

const TROUBLE: &str = r#"
priced = true

[[turn]]
match = "fails"
[[turn.reply]]
fault = { kind = "bad_request", message = "The scripted provider refuses." }

[[turn]]
match = "dear"
[[turn.reply]]
text = "That costs."
calls = [{ tool = "list", arguments = { path = "." } }]
usage = { input = 1000, output = 1000, cost = 5.0 }
[[turn.reply]]
text = "And more."
usage = { input = 1000, output = 1000, cost = 5.0 }

[[turn]]
match = "greet"
[[turn.reply]]
calls = [{ tool = "greet", arguments = { name = "Ada" } }]
[[turn.reply]]
text = "It said: {{last_result}}"

[[turn]]
match = "sleep"
[[turn.reply]]
calls = [{ tool = "shell", arguments = { command = "sleep 300" } }]

[[turn]]
match = "makes"
[[turn.reply]]
calls = [{ tool = "shell", arguments = { command = "touch made" } }]
[[turn.reply]]
text = "It was refused."

[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

fn exit_of(said: &Said) -> Option<u64> {
    said.objects().last().and_then(|last| last.pointer("/data/exit")).and_then(Value::as_u64)
}

#[test]
fn exit_codes_are_honest_in_both_formats() {
    let home = Home::playing(TROUBLE);
    let cases: [(&[&str], &str, i32, &str); 7] = [
        (&[], "hello", 0, ""),
        (&[], "it fails", 1, "The scripted provider refuses."),
        (&["--resume", "nowhere"], "hello", 2, "nowhere"),
        (&["-c", "max_request_spending_threshold=1.0"], "dear", 3, "$"),
        (&["-c", "ui.approval=writes"], "makes", 3, "nobody is here to approve"),
        (&["--model", "anthropic:claude-sonnet-5"], "hello", 69, "ANTHROPIC_API_KEY"),
        (&["-c", "modle.name=x"], "hello", 78, "modle"),
    ];
    for (words, message, code, reason) in cases {
        for format in ["plain", "jsonl"] {
            let words: Vec<&str> = words.iter().copied().chain(["--format", format]).collect();
            let said = match words.contains(&"--model") {
                // The model is named once.
                true => ended(started(home.command(&[&["run"], words.as_slice()].concat()), message)),
                false => home.run(&words, message),
            };
            assert_eq!(said.code, Some(code), "{words:?}: {said:?}");
            assert!(said.err.contains(reason) || said.out.contains(reason), "{words:?}: {said:?}");
            // What is refused before it begins says so on standard error only.
            if format == "jsonl" && code != 78 {
                assert_eq!(exit_of(&said), u64::try_from(code).ok(), "{words:?}: {said:?}");
            }
        }
    }
    home.assert_nothing_alive();
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn signals_end_a_tool_its_server_and_the_run() {
    let home = Home::playing(TROUBLE);
    for (kind, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 143)] {
        let child = home.spawn(&["--format", "jsonl"], "sleep");
        home.wait_alive("sleep 300");
        signal(&child, kind);
        let said = ended(child);
        assert_eq!((said.code, exit_of(&said)), (Some(code), u64::try_from(code).ok()), "{said:?}");
        home.assert_nothing_alive();
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let flood: String = (0..60_000).map(|number| format!("word{number} ")).collect();
    let home = Home::playing(&format!("[[turn]]\n[[turn.reply]]\nwords = 1\ntext = '{flood}'\n"));
    for format in ["plain", "jsonl"] {
        let mut child = home.spawn(&["--format", format], "flood");
        let mut out = child.stdout.take().unwrap();
        out.read_exact(&mut [0; 10]).unwrap();
        drop(out);
        let said = ended(child);
        assert_eq!(said.code, Some(141), "{said:?}");
        assert!(!said.err.contains("panic") && !said.err.contains("Broken pipe"), "{said:?}");
        home.assert_nothing_alive();
    }
    let mut shell = std::process::Command::new("sh");
    let own = home.command(&[]);
    let line = format!("{} run --model '{}' | head -c 5", super::home::PROGRAM, home.model());
    shell.args(["-c", &line]).env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = ended(started(shell, "flood"));
    assert_eq!((said.code, said.out.as_str()), (Some(0), "word0"), "{said:?}");
    assert!(!said.err.contains("panic"), "{said:?}");
}

#[test]
fn nothing_is_asked_and_what_is_not_trusted_does_not_run() {
    let home = Home::playing(TROUBLE);
    let tools = home.path("project/.agents/tools");
    fs::create_dir_all(&tools).unwrap();
    let tool = "#!/bin/sh\n# @description Greets someone.\n# @param *name string Whom to greet.\n\
                echo \"good day, $OCTOMIND_PARAM_NAME\"\n";
    fs::write(tools.join("greet"), tool).unwrap();
    fs::set_permissions(tools.join("greet"), fs::Permissions::from_mode(0o755)).unwrap();
    let said = home.run(&["--format", "jsonl"], "greet");
    assert_eq!(said.code, Some(3), "{said:?}");
    let results: Vec<Value> = said.objects().into_iter().filter(|line| line["type"] == "tool_result").collect();
    assert!(results.len() == 1 && results[0]["outcome"] == "refused", "{said:?}");
    assert!(!said.out.contains("good day"), "{said:?}");
    let said = home.run(&["--trust"], "greet");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("good day, Ada"), "{said:?}");
}

#[test]
fn a_session_is_named_taken_up_and_changed_for_one_run() {
    let home = Home::new();
    assert_eq!(home.run(&["--name", "one"], "first").code, Some(0));
    let said = home.run(&["--name", "one", "--format", "jsonl", "-c", "model.reasoning_effort=high"], "second");
    assert_eq!(said.code, Some(0));
    let objects = said.objects();
    assert!(objects.iter().all(|line| line["session_id"] == "one"), "{objects:#?}");
    let answers: Vec<&str> =
        objects.iter().filter(|line| line["type"] == "assistant").filter_map(|line| line["content"].as_str()).collect();
    assert_eq!(answers, ["heard: second"], "only what is new is told");
    for words in [&["--resume", "one"][..], &["--resume"], &["--resume-recent"]] {
        let said = home.run(words, "again");
        assert_eq!((said.code, said.out.trim()), (Some(0), "heard: again"), "{said:?}");
    }
    assert_eq!(home.sessions(), ["one"]);
    assert_eq!(home.recorded("one", "user_message").len(), 5);
    let said = home.run(&["-c", "model.reasoning_effort=high", "--format", "jsonl"], "hello");
    assert!(said.objects().iter().any(|line| line.pointer("/data/effort") == Some(&json!("high"))), "{said:?}");
}

fn provider(address: &str) -> String {
    format!("providers.fake.base_url={address}")
}

#[test]
fn a_schema_goes_out_with_the_request() {
    let home = Home::new();
    let endpoint = Endpoint::start(Plan::one_shot()).unwrap();
    let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]});
    fs::write(home.path("project/schema.json"), schema.to_string()).unwrap();
    let fake = provider(&endpoint.base_url);
    let words = ["run", "--model", "fake:instant", "-c", &fake, "--schema", "schema.json"];
    let said = ended(started(home.command(&words), "hello"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let sent = endpoint.take().remove(0).request;
    assert_eq!(sent.pointer("/response_format/json_schema/schema"), Some(&schema), "{sent:#}");
}

#[test]
fn an_endpoint_that_is_not_there_is_named() {
    let home = Home::new();
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let fake = provider(&format!("http://{address}/v1"));
    let words = ["run", "--model", "fake:instant", "-c", &fake, "-c", "model.max_retries=0", "--format", "jsonl"];
    let said = ended(started(home.command(&words), "hello"));
    assert_eq!((said.code, exit_of(&said)), (Some(1), Some(1)), "{said:?}");
    let errors: Vec<Value> = said.objects().into_iter().filter(|line| line["type"] == "error").collect();
    assert!(
        errors.iter().any(|line| line["message"].as_str().is_some_and(|text| text.contains(&address.to_string()))),
        "{errors:?}"
    );
}

#[test]
fn a_server_that_does_not_start_does_not_stop_the_run() {
    let home = Home::new();
    assert_eq!(home.run(&["--name", "first"], "hello").code, Some(0));
    let file = home.data().join("config/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    let broken = "[[mcp.servers]]\nname = \"broken\"\ntype = \"stdio\"\ncommand = \"no-such-program\"\nargs = []\n\
                  timeout_seconds = 30\ntools = []\n\n[[mcp.servers]]\nname = \"dies\"\ntype = \"stdio\"\ncommand = \"sh\"\n\
                  args = [\"-c\", \"echo it cannot work >&2; exit 7\"]\ntimeout_seconds = 30\ntools = []\n\n[[mcp.servers]]\n";
    let text = text.replacen("[[mcp.servers]]\n", broken, 1);
    let text = text.replace("server_refs = [\"files\"]", "server_refs = [\"broken\", \"dies\", \"files\"]");
    fs::write(&file, text).unwrap();
    let said = home.run(&["--format", "jsonl"], "look");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("poem.txt"), "{said:?}");
    for named in ["no-such-program", "it cannot work"] {
        assert!(said.out.contains(named), "{named}: {said:?}");
    }
    home.assert_nothing_alive();
}

#[test]
fn a_run_in_a_terminal_still_asks_nothing() {
    let home = Home::new();
    let mut pty = {
        let line =
            format!("echo hello | {} run --model '{}'; echo code $?; read line", super::home::PROGRAM, home.model());
        let mut command = portable_pty::CommandBuilder::new("sh");
        command.args(["-c", &line]);
        command.env_clear();
        command.cwd(home.path("project"));
        for (name, value) in home.command(&[]).get_envs() {
            command.env(name, value.unwrap());
        }
        crate::workbench::pty::Pty::open(command, 80, 24)
    };
    pty.wait_for("code 0");
    assert!(pty.text().contains("heard: hello") && !pty.screen().alternate_screen(), "{}", pty.text());
    pty.send(b"\n");
    assert_eq!(pty.end(), Some(0));
    assert!(until(PATIENCE, || home.alive().is_empty()));
}

#[test]
fn a_message_that_never_ends_coming_does_not_start_anything() {
    let home = Home::new();
    let mut command = home.command(&["run", "--model", &home.model()]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    assert!(!until(std::time::Duration::from_millis(200), || home.data().exists()));
    signal(&child, if ignores_interrupts() { Signal::TERM } else { Signal::INT });
    let said = ended(child);
    drop(input);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("", ""), "{said:?}");
}

/// A shell that runs this in the background has them ignored, and every child of ours with us.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (Signal::INT.as_raw() - 1) != 0
}
