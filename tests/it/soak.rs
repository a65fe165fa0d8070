//! Days of use in minutes: servers that crash and change their lists, interrupts, other roles, session after
//! session. Memory, open files, tasks and children end where they began.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use octomind::config::schema::{Server, ServerType};
use octomind::config::{Env, Paths, Sources, load};
use octomind::port::follow;
use octomind::proto::{Command, ServerState, Snapshot, SubmitMode};
use octomind::session::{Handle, Pick, Start, start};

/// How long the long one runs.
const SECONDS: &str = "OCTOMIND_SOAK_SECONDS";

const SCRIPT: &str = r#"
words = 1
[[turn]]
match = "^work"
[[turn.reply]]
text = "I work on it, in a few words that come one by one."
calls = [{ tool = "hello", arguments = {} }, { tool = "nap", arguments = { ms = 5 } }, { tool = "work", arguments = { steps = 3, ms = 2 } }]
[[turn.reply]]
text = "And again."
calls = [{ tool = "binary", arguments = {} }, { tool = "image", arguments = {} }, { tool = "fail", arguments = {} }]
[[turn.reply]]
text = "It is done."
[[turn]]
match = "^crash"
[[turn.reply]]
calls = [{ tool = "crash", arguments = {} }]
[[turn.reply]]
text = "It went down."
[[turn]]
match = "^hang"
[[turn.reply]]
calls = [{ tool = "hang", arguments = {} }]
[[turn.reply]]
text = "It came back."
[[turn]]
match = "^stream"
[[turn.reply]]
pace_ms = 1
repeat = 5000
text = "drip "
[[turn]]
otherwise = true
[[turn.reply]]
text = "heard: {{message}}"
"#;

fn server(name: &str, mode: &str) -> Server {
    Server {
        name: name.to_owned(),
        kind: ServerType::Stdio,
        timeout_seconds: 30,
        tools: Vec::new(),
        auto_bind: Vec::new(),
        url: None,
        headers: BTreeMap::new(),
        command: Some(std::env::current_exe().unwrap().to_string_lossy().into_owned()),
        args: ["fake_server::entry", "--exact", "--nocapture"].map(str::to_owned).to_vec(),
        env: BTreeMap::from([("OCTOMIND_FAKE_SERVER".to_owned(), mode.to_owned())]),
        cwd: None,
    }
}

fn begin(root: &Path) -> Handle {
    fs::create_dir_all(root.join("project")).unwrap();
    fs::write(root.join("script.toml"), SCRIPT).unwrap();
    let mut loaded = load(&Sources::default());
    let config = &mut loaded.config;
    config.default = "assistant".to_owned();
    config.auto_capabilities = false;
    config.supervisor.enabled = false;
    config.mcp.servers = vec![server("steady", "ok"), server("changing", "listchanged")];
    config.roles.retain(|role| role.name == "assistant");
    let role = &mut config.roles[0];
    role.mcp.server_refs = vec!["steady".to_owned(), "changing".to_owned()];
    role.mcp.allowed_tools.clear();
    let mut other = role.clone();
    other.name = "other".to_owned();
    other.mcp.server_refs = vec!["steady".to_owned()];
    config.roles.push(other);
    start(Start {
        loaded: Arc::new(loaded),
        paths: Paths::new(root.join("data"), None),
        env: Env::from_pairs([("PATH", std::env::var("PATH").unwrap_or_default())]),
        workdir: root.join("project"),
        role: None,
        model: Some(format!("script:{}", root.join("script.toml").display())),
        pick: Pick::New { name: None },
        person: true,
        trust: false,
        schema: None,
        holding: Default::default(),
    })
}

struct Session {
    handle: Handle,
    own: Snapshot,
}

impl Session {
    async fn until(&mut self, what: &str, wanted: impl Fn(&Snapshot) -> bool) {
        let wait = async {
            while !wanted(&self.own) {
                let delivery = self.handle.port.events.next().await.expect("the session goes on");
                follow(&mut self.own, &delivery, &self.handle.port.snapshot);
            }
        };
        let came = tokio::time::timeout(Duration::from_secs(90), wait).await;
        came.unwrap_or_else(|_| panic!("never: {what}; {:?} {:?}", self.own.run, self.own.servers));
    }

    async fn send(&self, command: Command) {
        self.handle.port.commands.send(command).await.unwrap();
    }

    async fn say(&self, text: &str) {
        let text = text.to_owned();
        self.send(Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Queue }).await;
    }

    async fn turn(&mut self, text: &str) {
        let turn = self.own.turn.0 + 1;
        self.say(text).await;
        self.until(text, |own| own.turn.0 == turn && !own.run.busy()).await;
    }

    /// A turn that is stopped as soon as it is under way.
    async fn stopped(&mut self, text: &str) {
        let turn = self.own.turn.0 + 1;
        self.say(text).await;
        self.until(text, |own| own.turn.0 == turn && own.run.busy()).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.send(Command::Interrupt).await;
        self.until(&format!("{text} is stopped"), |own| own.turn.0 == turn && !own.run.busy()).await;
    }

    async fn role(&mut self, name: &str) {
        self.say(&format!("/role {name}")).await;
        self.until(name, |own| own.session.role == name).await;
    }

    fn is_down(&self, server: &str) -> bool {
        let down = |state: &ServerState| matches!(state, ServerState::Failed { .. } | ServerState::Waiting { .. });
        self.own.servers.iter().any(|one| one.name == server && down(&one.state))
    }

    /// What a person does within an hour or so.
    async fn round(&mut self) {
        self.turn("work").await;
        self.turn("crash it").await;
        if self.is_down("steady") {
            self.send(Command::RestartServer { name: "steady".to_owned() }).await;
        }
        let ready = |own: &Snapshot| {
            own.servers.iter().any(|one| one.name == "steady" && matches!(one.state, ServerState::Ready { .. }))
        };
        self.until("steady is back", ready).await;
        self.stopped("hang").await;
        self.stopped("stream").await;
        self.role("other").await;
        self.turn("work").await;
        self.role("assistant").await;
        self.turn("hello").await;
    }

    async fn quit(self) {
        self.send(Command::Quit).await;
        tokio::time::timeout(Duration::from_secs(30), self.handle.done).await.expect("it ends").unwrap();
    }
}

/// What one session left behind.
#[derive(Debug, Clone, Copy)]
struct Sample {
    seconds: u64,
    megabytes: f64,
    files: usize,
    tasks: usize,
    children: usize,
    turns: u32,
}

fn children() -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks.map(|task| of(task).split_whitespace().count()).sum()
}

fn sample(begun: Instant, turns: u32) -> Sample {
    let pages: f64 = fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    Sample {
        seconds: begun.elapsed().as_secs(),
        megabytes: pages * 4096.0 / 1024.0 / 1024.0,
        files: fs::read_dir("/proc/self/fd").unwrap().count(),
        tasks: tokio::runtime::Handle::current().metrics().num_alive_tasks(),
        children: children(),
        turns,
    }
}

async fn session(begun: Instant, rounds: usize) -> Sample {
    let root = tempfile::tempdir().unwrap();
    let mut session = Session { handle: begin(root.path()), own: Snapshot::default() };
    session.until("the servers", |own| own.servers.len() == 2).await;
    for _ in 0..rounds {
        session.round().await;
    }
    let turns = session.own.turn.0;
    session.quit().await;
    // Threads for blocking work and the last pipes end a moment after the session.
    let settled = Instant::now();
    while tokio::runtime::Handle::current().metrics().num_alive_tasks() > 0 && settled.elapsed().as_secs() < 10 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    sample(begun, turns)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_leaves_no_task_behind() {
    let begun = Instant::now();
    let last = session(begun, 1).await;
    assert_eq!(last.tasks, 0, "{last:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes ten minutes"]
async fn soak() {
    let length = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let begun = Instant::now();
    let mut samples = Vec::new();
    while begun.elapsed() < Duration::from_secs(length) {
        let one = session(begun, 4).await;
        println!("{one:?}");
        samples.push(one);
    }
    let turns: u32 = samples.iter().map(|one| one.turns).sum();
    let seconds = samples.last().map_or(0, |one| one.seconds);
    println!("{} sessions, {turns} turns in {seconds} s", samples.len());
    // The first ones fill caches.
    let warm = &samples[(samples.len() / 4).min(3)..];
    let quarter = (warm.len() / 4).max(1);
    let (first, last) = (&warm[..quarter], &warm[warm.len() - quarter..]);
    let most = |part: &[Sample], of: fn(&Sample) -> f64| part.iter().map(of).fold(0.0, f64::max);
    let (before, after) = (most(first, |one| one.megabytes), most(last, |one| one.megabytes));
    assert!(after <= before * 1.1 + 8.0, "memory grew from {before:.1} to {after:.1} MB");
    let (before, after) = (most(first, |one| one.files as f64), most(last, |one| one.files as f64));
    assert!(after <= before + 2.0, "open files grew from {before} to {after}");
    assert!(samples.iter().all(|one| one.tasks == 0 && one.children == 0), "tasks or children are left: {samples:#?}");
}
