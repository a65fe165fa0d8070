//! A session with a scripted model, the real file server, and everything of the supervisor's real.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use octomind::config::schema::ServerType;
use octomind::config::{Env, Loaded, Paths, Sources, load};
use octomind::port::follow;
use octomind::proto::{
    Body, Command, Content, Decision, Event, GateVerdict, Mechanic, Origin, Purpose, RequestId, Snapshot, SubmitMode,
    ToolOutcome, TurnOutcome,
};
use octomind::session::journal::{self, JOURNAL};
use octomind::session::{Handle, Pick, SessionEnd, Start, start};
use tempfile::TempDir;

use super::script::Script;

pub struct Stage {
    pub root: TempDir,
    pub handle: Handle,
    pub own: Snapshot,
}

const NAME: &str = "played";

/// The configuration of the tests: everything as in the template but what costs time.
pub fn config(root: &TempDir, script: Script, set: &[&str]) -> Start {
    fs::create_dir_all(root.path().join("project")).unwrap();
    let file = root.path().join("script.toml");
    fs::write(&file, script.text()).unwrap();
    let command_line = set.iter().map(|assignment| (*assignment).to_owned()).collect();
    let loaded = load(&Sources { command_line, ..Sources::default() });
    Start {
        loaded: Arc::new(as_played(loaded)),
        paths: Paths::new(root.path().join("data"), None),
        env: Env::from_pairs([("PATH", std::env::var("PATH").unwrap_or_default())]),
        workdir: root.path().join("project"),
        role: None,
        model: Some(format!("script:{}", file.display())),
        pick: Pick::New { name: Some(NAME.into()) },
        person: false,
        trust: false,
        schema: None,
        holding: Default::default(),
    }
}

/// The bundled server is a child of the real binary, which this is not.
pub fn as_played(mut loaded: Loaded) -> Loaded {
    assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
    loaded.config.default = "assistant".to_owned();
    loaded.config.auto_capabilities = false;
    let server = loaded.config.mcp.servers.iter_mut().find(|server| server.name == "files").unwrap();
    server.kind = ServerType::Stdio;
    server.command = Some(env!("CARGO_BIN_EXE_octomind").to_owned());
    server.args = vec!["mcp".to_owned(), "files".to_owned()];
    loaded
}

impl Stage {
    /// Must be called within a runtime. `set` are assignments as after `-c`.
    pub fn begin(script: Script, set: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let start = config(&root, script, set);
        Self::of(root, start)
    }

    pub fn of(root: TempDir, begun: Start) -> Self {
        let handle = start(begun);
        Self { root, handle, own: Snapshot::default() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub async fn send(&self, command: Command) {
        self.handle.port.commands.send(command).await.unwrap();
    }

    pub async fn say(&self, text: &str) {
        let text = text.to_owned();
        self.send(Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Queue }).await;
    }

    pub async fn until(&mut self, wanted: impl Fn(&Snapshot) -> bool) {
        let wait = async {
            while !wanted(&self.own) {
                let delivery = self.handle.port.events.next().await.expect("the session goes on");
                follow(&mut self.own, &delivery, &self.handle.port.snapshot);
            }
        };
        if tokio::time::timeout(Duration::from_secs(60), wait).await.is_err() {
            panic!("what is waited for does not come; last: {:#?}", self.events().split_off(self.events().len() - 5));
        }
    }

    /// A message, and its whole turn.
    pub async fn turn(&mut self, text: &str) -> TurnOutcome {
        let turn = self.own.turn.0 + 1;
        self.say(text).await;
        self.until(|own| own.turn.0 == turn && !own.run.busy()).await;
        self.own.totals.last_turn.clone().unwrap().0
    }

    /// A slash command; what it says.
    pub async fn command(&mut self, line: &str) -> String {
        let before = self.answers(line);
        self.say(line).await;
        let wanted = line.to_owned();
        let count = before.len();
        self.until(move |own| answers(own, &wanted).len() > count).await;
        self.answers(line).pop().unwrap()
    }

    fn answers(&self, line: &str) -> Vec<String> {
        answers(&self.own, line)
    }

    pub async fn quit(self) -> (SessionEnd, TempDir) {
        self.send(Command::Quit).await;
        (self.handle.done.await.unwrap(), self.root)
    }

    pub fn folder(&self) -> PathBuf {
        self.root.path().join("data/sessions").join(NAME)
    }

    /// Everything so far. An event is in the journal before anybody is shown it.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        match journal::read(&self.folder().join(JOURNAL), |event| events.push(event)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            read => assert_eq!(read.unwrap().skipped, 0),
        }
        events
    }

    pub fn decisions(&self) -> Vec<Decision> {
        let decided = |event: Event| match event.body {
            Body::Decided(decision) => Some(decision),
            _ => None,
        };
        self.events().into_iter().filter_map(decided).collect()
    }

    pub fn verdicts(&self) -> Vec<Arc<GateVerdict>> {
        let verdict = |decision| match decision {
            Decision::Gate(verdict) => Some(verdict),
            _ => None,
        };
        self.decisions().into_iter().filter_map(verdict).collect()
    }

    /// Requests of the agent's own, or of a mechanic.
    pub fn requests(&self, of: Option<Mechanic>) -> Vec<RequestId> {
        let wanted = of.map_or(Purpose::Main, Purpose::Supervisor);
        let begun = |event: Event| match event.body {
            Body::RequestStarted { request, purpose, .. } if purpose == wanted => Some(request),
            _ => None,
        };
        self.events().into_iter().filter_map(begun).collect()
    }

    /// What was sent and received, as Wire shows it.
    pub async fn wire(&mut self, request: RequestId) -> (String, String) {
        self.send(Command::Wire { request }).await;
        let found = async {
            loop {
                let delivery = self.handle.port.events.next().await.expect("the session goes on");
                follow(&mut self.own, &delivery, &self.handle.port.snapshot);
                if let octomind::port::Delivery::Event(event) = &delivery
                    && let Body::Wire { request: of, sent, received } = &event.body
                    && *of == request
                {
                    return (sent.clone(), received.clone());
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), found).await.expect("Wire answers")
    }

    /// The body of the agent's last request.
    pub async fn last_sent(&mut self) -> String {
        let last = *self.requests(None).last().unwrap();
        self.wire(last).await.0
    }

    /// Results of calls, in order: tool, how it ended, what it said.
    pub fn results(&self) -> Vec<(String, ToolOutcome, String)> {
        let mut tools = std::collections::HashMap::new();
        let mut results = Vec::new();
        for event in self.events() {
            match event.body {
                Body::ToolStarted { call, tool, .. } => {
                    tools.insert(call, tool);
                }
                Body::ToolFinished { call, outcome, content, .. } => {
                    results.push((tools.get(&call).cloned().unwrap_or_default(), outcome, flat(&content)));
                }
                _ => {}
            }
        }
        results
    }

    /// Notes of the runtime in the history: their kind and text.
    pub fn notes(&self) -> Vec<(String, String)> {
        let note = |event: Event| match event.body {
            Body::UserMessage { content, origin: Origin::System { kind, .. }, .. } => Some((kind, flat(&content))),
            _ => None,
        };
        self.events().into_iter().filter_map(note).collect()
    }

    /// What the agent said, as the person reads it.
    pub fn replies(&self) -> Vec<String> {
        let said = |event: Event| match event.body {
            Body::AssistantMessage { text, .. } => Some(text),
            _ => None,
        };
        self.events().into_iter().filter_map(said).collect()
    }
}

fn answers(own: &Snapshot, wanted: &str) -> Vec<String> {
    use octomind::proto::EntryKind;
    let answer = |kind: &EntryKind| match kind {
        EntryKind::Command { line, output } if line == wanted => Some(output.clone()),
        _ => None,
    };
    own.transcript.entries().iter().filter_map(|entry| answer(&entry.kind)).collect()
}

pub fn flat(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        Content::Blob { preview, .. } => preview.clone(),
        Content::Media { .. } => String::new(),
        Content::Parts(parts) => parts.iter().map(flat).collect(),
    }
}
