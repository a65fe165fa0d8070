//! A project, a tap and a script for the model, and a session over them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::server;
use crate::config::{Env, Paths, Sources, load};
use crate::port::{Delivery, follow};
use crate::proto::*;
use crate::session::encoder::Sentences;
use crate::session::encoder::tests::words;
use crate::session::{Handle, Pick, SessionEnd, Start, start};
use crate::surface::explain::explain;

const DEADLINE: Duration = Duration::from_secs(60);

/// Files of a session that is to be played.
pub struct Ground {
    pub dir: tempfile::TempDir,
    script: String,
    env: Vec<(String, String)>,
    /// The role that is asked for.
    pub role: Option<&'static str>,
}

/// One capability of the tap.
#[derive(Default)]
pub struct Written<'a> {
    pub name: &'a str,
    pub triggers: &'a [&'a str],
    pub domains: &'a str,
    /// Server, its tools, and more of its environment.
    pub server: Option<(&'a str, &'a str, &'a str)>,
    pub allowed: &'a str,
    pub deps: &'a str,
}

impl Ground {
    /// With the agent `data:chief`, which has the server `notes` and the session's own tools.
    pub fn new() -> Self {
        let ground = Self {
            dir: tempfile::tempdir().unwrap(),
            script: String::new(),
            env: Vec::new(),
            role: Some("data:chief"),
        };
        let tap = ground.dir.path().join("tap").display().to_string();
        ground.write("data/taps.toml", &format!("[[taps]]\nname = \"me/tap\"\nlocal_path = {tap:?}\n"));
        ground.write("work/keep", "");
        ground.capability(&Written {
            name: "notes",
            server: Some(("notes", "jot,peek", "")),
            allowed: "notes:jot",
            ..<_>::default()
        });
        for agent in ["data/chief", "music/chief"] {
            let text = "# Title: Keeper\n# Description: Keeps what it is given.\n\
                        capabilities = [\"runtime\", \"notes\"]\n[[roles]]\nsystem = \"Keep.\"\nwelcome = \"\"\n";
            ground.write(&format!("tap/agents/{agent}.toml"), text);
        }
        ground
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn capability(&self, written: &Written<'_>) {
        let Written { name, triggers, domains, server, allowed, deps } = written;
        let mut text = format!("# Title: About {name}\n# Description: Does what {name} does.\n");
        if !deps.is_empty() {
            text.push_str(&format!("[deps]\nrequire = [\"{deps}\"]\n"));
        }
        if let Some((server, tools, more)) = server {
            let allowed = if allowed.is_empty() { format!("{server}:*") } else { (*allowed).to_owned() };
            text.push_str(&format!("[roles.mcp]\nserver_refs = [\"{server}\"]\nallowed_tools = [\"{allowed}\"]\n"));
            text.push_str(&server::table(server, tools, more));
        }
        self.write(&format!("tap/capabilities/{name}/default.toml"), &text);
        if !triggers.is_empty() {
            let domains = if domains.is_empty() { String::new() } else { format!("domains = [\"{domains}\"]\n") };
            let config = format!("triggers = {triggers:?}\n{domains}");
            self.write(&format!("tap/capabilities/{name}/config.toml"), &config);
        }
    }

    /// One with a server of its own, named as it is.
    pub fn simple(&self, name: &str, trigger: &str, tools: &str) {
        self.capability(&Written { name, triggers: &[trigger], server: Some((name, tools, "")), ..<_>::default() });
    }

    /// What the model does when a message fits.
    pub fn answer(&mut self, pattern: &str, calls: &[&str]) {
        self.script.push_str(&format!("[[turn]]\nmatch = \"{pattern}\"\n"));
        for call in calls {
            self.script.push_str(&format!("[[turn.reply]]\ntext = \"I call.\"\ncalls = [{call}]\n"));
        }
        self.script.push_str("[[turn.reply]]\ntext = \"Done.\"\n");
    }

    pub fn set(&mut self, key: &str, value: &str) {
        self.env.push((key.to_owned(), value.to_owned()));
    }

    pub fn open(&self) -> Play {
        self.open_as(Pick::New { name: Some("play".to_owned()) }, true)
    }

    pub fn open_as(&self, pick: Pick, person: bool) -> Play {
        self.open_with(pick, person, words())
    }

    pub fn open_with(&self, pick: Pick, person: bool, encoder: Arc<Sentences>) -> Play {
        let otherwise = "[[turn]]\notherwise = true\n[[turn.reply]]\ntext = \"Yes.\"\n";
        self.write("script.toml", &format!("{}{otherwise}", self.script));
        let root = self.dir.path();
        let path = std::env::var("PATH").unwrap_or_default();
        let fixed = [("PATH", path.as_str()), ("HOME", "/nonexistent"), ("OCTOMIND_TAP_HOST", "file:///nonexistent")];
        let own = self.env.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let start = Start {
            loaded: Arc::new(load(&unsupervised())),
            paths: Paths::new(root.join("data"), None),
            env: Env::from_pairs(fixed.into_iter().chain(own)),
            workdir: root.join("work"),
            role: self.role.map(str::to_owned),
            model: Some(format!("script:{}", root.join("script.toml").display())),
            pick,
            person,
            trust: true,
            schema: None,
            holding: Default::default(),
        };
        let handle = start::begin(start, encoder, std::future::ready(()));
        Play { handle, own: Snapshot::default(), seen: Vec::new() }
    }
}

pub struct Play {
    pub handle: Handle,
    pub own: Snapshot,
    pub seen: Vec<Event>,
}

impl Play {
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&Snapshot, &[Event]) -> bool) {
        let end = tokio::time::Instant::now() + DEADLINE;
        while !wanted(&self.own, &self.seen) {
            let delivery = tokio::time::timeout_at(end, self.handle.port.events.next()).await;
            let Ok(Some(delivery)) = delivery else {
                panic!("never came: {what}\n{:#?}\n{:#?}", self.lines(), self.own.surface)
            };
            follow(&mut self.own, &delivery, &self.handle.port.snapshot);
            if let Delivery::Event(event) = delivery {
                self.seen.push((*event).clone());
            }
        }
    }

    pub async fn ready(&mut self) {
        self.served().await;
        self.until("the encoder", |own, _| matches!(own.encoder, EncoderState::Ready { .. })).await;
    }

    /// All but the encoder.
    pub async fn served(&mut self) {
        let served = |own: &Snapshot, _: &[Event]| {
            let notes = |view: &ServerView| view.name == "notes" && matches!(view.state, ServerState::Ready { .. });
            own.servers.iter().any(notes) && own.surface.absent > 0
        };
        self.until("the start", served).await;
    }

    /// Steps of the start-up cells of the transcript.
    pub fn steps(&self) -> Vec<(StartStep, StepState, String)> {
        steps(&self.own)
    }

    pub async fn command(&self, command: Command) {
        self.handle.port.commands.send(command).await.unwrap();
    }

    pub async fn submit(&self, text: &str) {
        let text = text.to_owned();
        self.command(Command::Submit { text, attachments: Vec::new(), mode: SubmitMode::Steer }).await;
    }

    /// A whole turn.
    pub async fn say(&mut self, text: &str) {
        let turn = self.own.turn.0 + 1;
        self.submit(text).await;
        self.until("the turn's end", |own, _| own.turn.0 == turn && !own.run.busy()).await;
    }

    pub async fn slash(&mut self, line: &str) -> String {
        let from = self.seen.len();
        self.submit(line).await;
        let answered = |event: &Event| match &event.body {
            Body::CommandOutput { line: said, output } if said == line => Some(output.clone()),
            _ => None,
        };
        self.until("the command's answer", |_, seen| {
            seen[from.min(seen.len())..].iter().any(|event| answered(event).is_some())
        })
        .await;
        self.seen[from..].iter().find_map(answered).unwrap()
    }

    pub async fn enable(&self, name: &str) {
        self.command(Command::Surface(SurfaceCommand::Enable { name: name.to_owned() })).await;
    }

    /// Until a capability is on and its server works.
    pub async fn on(&mut self, name: &str) {
        let on = |own: &Snapshot, _: &[Event]| {
            let all = own.surface.dynamic.iter().chain(&own.surface.held);
            let Some(one) = all.into_iter().find(|one| one.name == name) else { return false };
            one.servers.iter().all(|(server, _)| {
                let ready = |view: &ServerView| matches!(view.state, ServerState::Ready { .. });
                own.servers.iter().any(|view| view.name == *server && ready(view)) && works(own, server)
            })
        };
        self.until(&format!("{name} is on"), on).await;
    }

    pub fn dynamic(&self) -> Vec<&str> {
        self.own.surface.dynamic.iter().map(|one| one.name.as_str()).collect()
    }

    pub fn running(&self) -> Vec<&str> {
        self.own.servers.iter().map(|view| view.name.as_str()).collect()
    }

    /// Wire names of what the model is shown, in its order.
    pub fn shown(&self) -> Vec<&str> {
        let shown = self.own.surface.tools.iter().filter(|tool| tool.left_out.is_none());
        shown.map(|tool| tool.wire_name.as_str()).collect()
    }

    pub fn routed(&self) -> Vec<&Routing> {
        let routings = self.seen.iter().filter_map(|event| match &event.body {
            Body::Decided(Decision::Routed(routing)) => Some(routing.as_ref()),
            _ => None,
        });
        routings.collect()
    }

    pub fn refusals(&self) -> Vec<&Refusal> {
        let refusals = self.seen.iter().filter_map(|event| match &event.body {
            Body::Decided(Decision::CapabilityRefused(refusal)) => Some(refusal.as_ref()),
            _ => None,
        });
        refusals.collect()
    }

    pub fn departures(&self) -> Vec<&Deactivation> {
        let gone = self.seen.iter().filter_map(|event| match &event.body {
            Body::Decided(Decision::CapabilityDeactivated(gone)) => Some(gone.as_ref()),
            _ => None,
        });
        gone.collect()
    }

    /// Tools and prefix of each request.
    pub fn requests(&self) -> Vec<(u32, String)> {
        let requests = self.seen.iter().filter_map(|event| match &event.body {
            Body::RequestStarted { tools, prefix, .. } => Some((*tools, prefix.clone())),
            _ => None,
        });
        requests.collect()
    }

    pub fn results(&self) -> Vec<(ToolOutcome, String)> {
        let results = self.seen.iter().filter_map(|event| match &event.body {
            Body::ToolFinished { outcome, content: Content::Text(text), .. } => Some((*outcome, text.clone())),
            Body::ToolFinished { outcome, content, .. } => Some((*outcome, format!("{content:?}"))),
            _ => None,
        });
        results.collect()
    }

    /// Why something is there or not, from the records, as text.
    pub fn why(&self, subject: &str) -> String {
        let found = explain(&self.own, subject);
        let compared = self.own.last_routing().map_or(0, |routing| routing.scores.len());
        let mut text = format!("{:?} {}: {}\n", found.kind, found.subject, found.headline);
        for stage in &found.stages {
            text.push_str(&format!("{:?} {}\n", stage.passed, stage.stage));
            for line in &stage.evidence {
                // How the starter tap's own compare is not what is looked at.
                let line = if line.starts_with("runner-up") { "runner-up …" } else { line.as_str() };
                let line = line.replace(&format!(" of {compared}"), " of N");
                text.push_str(&format!("    {line}\n"));
            }
        }
        text.push_str(&format!("= {}\n", found.answer));
        if let Some(fix) = &found.fix {
            text.push_str(&format!("> {fix}\n"));
        }
        text
    }

    pub fn lines(&self) -> Vec<String> {
        self.own.notes.iter().map(|note| format!("{}: {}", note.source, note.text)).collect()
    }

    pub async fn quit(self) -> SessionEnd {
        self.command(Command::Quit).await;
        self.handle.done.await.unwrap()
    }
}

/// Whether the record of the surface says nothing against a server.
pub fn works(own: &Snapshot, server: &str) -> bool {
    own.surface.references.iter().any(|known| known.server == server && known.trouble.is_none())
}

pub fn steps(own: &Snapshot) -> Vec<(StartStep, StepState, String)> {
    let cells = own.transcript.entries().iter().filter_map(|entry| match &entry.kind {
        EntryKind::StartUp { steps } => Some(steps),
        _ => None,
    });
    cells.flatten().map(|step| (step.step, step.state.clone(), step.detail.clone())).collect()
}

pub fn alive(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// The supervisor is no part of these plays.
fn unsupervised() -> Sources {
    Sources { command_line: vec!["supervisor.enabled=false".to_owned()], ..Sources::default() }
}
