use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use portable_pty::CommandBuilder;
use serde_json::Value;

use crate::workbench::pty::{PATIENCE, Pty, until};

/// A role of the configuration: what is looked at here is the process, not how an agent is made ready.
pub const PLAIN: &str = "default=assistant";

/// A script answers no verifier: the supervisor is on only where a test says something about it.
fn unwatched(words: &[&str]) -> &'static [&'static str] {
    let asked_for = words.iter().any(|word| word.contains("supervisor.") || *word == "tour");
    if asked_for { &[] } else { &["-c", "supervisor.enabled=false"] }
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_octomind");

/// Inherited by all that a session starts.
const MARK: &str = "OCTOMIND_TEST_MARK";

/// What most tests play. `{{message}}` and the like are the script's own templates.
pub const SCRIPT: &str = r#"
words = 2

[[turn]]
match = "^look"
[[turn.reply]]
text = "I look around."
calls = [{ tool = "list", arguments = { path = ".", depth = 1 } }]
[[turn.reply]]
text = "I saw: {{last_result}}"

[[turn]]
match = "^run (.+)"
[[turn.reply]]
calls = [{ tool = "shell", arguments = { command = "{{1}}", timeout_seconds = 600 } }]
[[turn.reply]]
text = "It ran: {{last_result}}"

[[turn]]
match = "^stream"
[[turn.reply]]
pace_ms = 3
repeat = 2000
text = "drip drop\n\n"

[[turn]]
match = "^crowded$"
[[turn.reply]]
fault = { kind = "overloaded", retry_after_ms = 120000, message = "The scripted provider is busy." }

[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

/// A folder with a home, a data root, a project and a script.
pub struct Home {
    root: tempfile::TempDir,
}

/// How a run without a person ended.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

impl Said {
    /// The lines of standard output as JSON objects.
    pub fn objects(&self) -> Vec<Value> {
        let object = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let objects: Vec<Value> = self.out.lines().map(object).collect();
        assert!(objects.iter().all(|object| object.is_object() && object["type"].is_string()), "{}", self.out);
        objects
    }
}

impl Home {
    pub fn new() -> Self {
        Self::playing(SCRIPT)
    }

    pub fn playing(script: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        fs::write(root.path().join("project/poem.txt"), "a line\n").unwrap();
        let home = Self { root };
        home.play(script);
        home
    }

    /// Another script from now on.
    pub fn play(&self, script: &str) {
        fs::write(self.path("script.toml"), script).unwrap();
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join(relative)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn model(&self) -> String {
        format!("script:{}", self.path("script.toml").display())
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let path = |relative| self.path(relative).display().to_string();
        vec![
            ("HOME", path("")),
            ("OCTOMIND_DATA_DIR", path("data")),
            // Nothing is fetched from outside.
            ("OCTOMIND_TAP_HOST", format!("file://{}", path("no-taps"))),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            (MARK, path("")),
        ]
    }

    /// The binary with these words, in the project, with an environment of its own.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        let quiet = if words.first() == Some(&"run") { unwatched(words) } else { &[] };
        command.args(words).args(quiet).env_clear().envs(self.environment()).current_dir(self.path("project"));
        command
    }

    /// Starts `octomind run …` on the script and hands the message over.
    pub fn spawn(&self, words: &[&str], message: &str) -> Child {
        let model = self.model();
        let words: Vec<&str> =
            ["run", "--model", &model, "-c", PLAIN].into_iter().chain(words.iter().copied()).collect();
        started(self.command(&words), message)
    }

    pub fn run(&self, words: &[&str], message: &str) -> Said {
        ended(self.spawn(words, message))
    }

    /// The workbench on the script.
    pub fn workbench(&self, words: &[&str], columns: u16, rows: u16) -> Pty {
        self.in_terminal(&[], words, columns, rows)
    }

    /// The same, after the words of a shell that starts it.
    pub fn in_terminal(&self, before: &[&str], words: &[&str], columns: u16, rows: u16) -> Pty {
        let pty = self.opened(before, words, columns, rows);
        pty.wait("the composer", |pty| pty.text().contains('›'));
        pty
    }

    /// The session in plain lines, after words that set what the terminal says of itself.
    pub fn lines(&self, before: &[&str], words: &[&str]) -> Pty {
        let pty = self.opened(before, words, 80, 24);
        pty.wait("the prompt", |pty| pty.raw().contains("you: "));
        pty
    }

    fn opened(&self, before: &[&str], words: &[&str], columns: u16, rows: u16) -> Pty {
        let model = self.model();
        let asked: &[&str] = if words.contains(&"tour") { &[] } else { &["--model", &model, "-c", PLAIN] };
        let all: Vec<&str> =
            before.iter().chain(&[PROGRAM]).chain(words).chain(asked).chain(unwatched(words)).copied().collect();
        let mut command = CommandBuilder::new(all[0]);
        command.args(&all[1..]);
        command.env_clear();
        command.cwd(self.path("project"));
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        Pty::open(command, columns, rows)
    }

    /// Command lines of what was started here and lives.
    pub fn alive(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.path("").display());
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ours = |folder: &Path| {
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
        };
        let command = |folder: &Path| {
            String::from_utf8_lossy(&fs::read(folder.join("cmdline")).unwrap_or_default()).replace('\0', " ")
        };
        entries.map(|entry| entry.path()).filter(|folder| ours(folder)).map(|folder| command(&folder)).collect()
    }

    pub fn wait_alive(&self, what: &str) {
        let found = until(PATIENCE, || self.alive().iter().any(|command| command.contains(what)));
        assert!(found, "never started: {what}; alive: {:?}", self.alive());
    }

    #[track_caller]
    pub fn assert_nothing_alive(&self) {
        assert!(until(Duration::from_secs(10), || self.alive().is_empty()), "still alive: {:?}", self.alive());
    }

    pub fn journal(&self, session: &str) -> PathBuf {
        self.data().join("sessions").join(session).join("journal.jsonl")
    }

    /// The names of the sessions on disk.
    pub fn sessions(&self) -> Vec<String> {
        let entries = fs::read_dir(self.data().join("sessions")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// The bodies of one kind in a journal; a torn end is passed over.
    pub fn recorded(&self, session: &str, kind: &str) -> Vec<Value> {
        let text = fs::read(self.journal(session)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.filter_map(|event| event["body"].get(kind).cloned()).collect()
    }
}

pub fn started(mut command: Command, message: &str) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A run that is refused does not read its input.
    let _ = child.stdin.take().unwrap().write_all(message.as_bytes());
    child
}

/// Waits for a run; one that hangs is killed and fails the test.
#[track_caller]
pub fn ended(mut child: Child) -> Said {
    let mut out = child.stdout.take();
    let mut err = child.stderr.take();
    let read = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_end(&mut bytes);
            }
            bytes
        })
    };
    let out = read(out.take().map(|pipe| Box::new(pipe) as _));
    let err = read(err.take().map(|pipe| Box::new(pipe) as _));
    let over = until(PATIENCE, || matches!(child.try_wait(), Ok(Some(_))));
    if !over {
        let _ = child.kill();
    }
    let status = child.wait().unwrap();
    let said = Said::from(Output { status, stdout: out.join().unwrap(), stderr: err.join().unwrap() });
    assert!(over, "it hung: {said:?}");
    said
}
