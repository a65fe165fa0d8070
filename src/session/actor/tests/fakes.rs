//! A model and tool servers played by a test, step by step.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::config::{Loaded, Mask, schema};
use crate::mcp::{CallResult, Layer, Progress, ServerSpec, ToolDefinition};
use crate::model::{Delta, DeltaStream, Model, RawCall, Request, Traits};
use crate::port::{Delivery, follow};
use crate::proto::*;
use crate::session::encoder::Sentences;
use crate::session::rules::Limits;
use crate::session::{
    Approval, Assignment, Children, Descent, Handle, Models, Offers, Person, Pick, Refused, RefusedBy, Resolution,
    Role, Roles, Setup, StartTools, Supervision, Switch, Telling, Tools, TrustDesk, Wares,
};

type Step = Result<Delta, Fault>;

/// What the model was asked, and the end into which the test puts its reply.
pub struct Asked {
    pub request: Request,
    pub cancel: CancellationToken,
    reply: UnboundedSender<Step>,
}

impl Asked {
    /// What it is for.
    pub fn purpose(&self) -> Purpose {
        self.request.purpose
    }

    pub fn send(&self, delta: Delta) {
        let _ = self.reply.send(Ok(delta));
    }

    pub fn text(&self, text: &str) {
        self.send(Delta::Text(text.into()));
    }

    pub fn call(&self, id: &str, name: &str, arguments: Value) {
        let (provider_id, name) = (id.into(), name.into());
        self.send(Delta::Call(RawCall { provider_id, name, arguments, malformed: None, signature: None }));
    }

    pub fn usage(&self, input: u64, cost: f64) {
        self.send(Delta::Usage(Usage { input, output: 5, cost: Some(cost), ..Usage::default() }));
    }

    pub fn stop(&self, reason: StopReason) {
        self.send(Delta::Stop(reason));
    }

    pub fn answer(&self, text: &str) {
        self.text(text);
        self.stop(StopReason::End);
    }

    pub fn fail(&self, fault: Fault) {
        let _ = self.reply.send(Err(fault));
    }
}

#[derive(Debug)]
pub struct FakeModel {
    name: String,
    asked: UnboundedSender<Asked>,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Asked")
    }
}

impl Model for FakeModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { name: self.name.clone(), context_window: Some(100_000), scripted: false, priced: true }
    }

    fn traits(&self) -> Traits {
        Traits::default()
    }

    fn stream(&self, request: Request, cancel: CancellationToken) -> DeltaStream {
        let (reply, mut steps) = unbounded_channel();
        let _ = self.asked.send(Asked { request, cancel, reply });
        Box::pin(futures::stream::poll_fn(move |context| steps.poll_recv(context)))
    }

    fn wire(&self, request: &Request) -> Value {
        json!({ "model": self.name, "system": request.system, "messages": said(request) })
    }
}

#[derive(Debug)]
pub struct FakeModels {
    asked: UnboundedSender<Asked>,
    gate: Arc<Notify>,
    held: bool,
}

#[async_trait]
impl Models for FakeModels {
    fn open(&self, name: &str) -> Result<Arc<dyn Model>, Fault> {
        if name.starts_with("fake:") {
            return Ok(Arc::new(FakeModel { name: name.into(), asked: self.asked.clone() }));
        }
        Err(Fault::new(FaultKind::UnknownModel, format!("There is no model {name}."), "Use a fake."))
    }

    async fn choose(&self) -> (String, Decision) {
        if self.held {
            self.gate.notified().await;
        }
        let chosen = "fake:chosen".to_owned();
        (chosen.clone(), Decision::ModelChosen { chosen, candidates: Vec::new() })
    }
}

/// A running call, ended by the test.
#[derive(Debug)]
pub struct Call {
    pub tool: String,
    pub arguments: Value,
    pub cancel: CancellationToken,
    pub progress: UnboundedSender<Progress>,
    end: oneshot::Sender<CallResult>,
}

impl Call {
    pub fn ok(self, text: &str) {
        self.end(ToolOutcome::Ok, text);
    }

    pub fn end(self, outcome: ToolOutcome, text: &str) {
        let _ = self.end.send(CallResult { outcome, content: Content::Text(text.into()) });
    }
}

#[derive(Debug)]
pub struct FakeTools {
    calls: UnboundedSender<Call>,
    catalog: Arc<Vec<ToolDefinition>>,
    still: Vec<String>,
    events: UnboundedSender<Body>,
    settles: Arc<Notify>,
    held: bool,
    pub down: Arc<Mutex<u32>>,
}

#[async_trait]
impl Tools for FakeTools {
    fn catalog(&self) -> Arc<Vec<ToolDefinition>> {
        Arc::clone(&self.catalog)
    }

    async fn settled(&self, within: Duration) -> Vec<String> {
        if self.held {
            let _ = tokio::time::timeout(within, self.settles.notified()).await;
        }
        self.still.clone()
    }

    async fn call(
        &self,
        tool: &ToolDefinition,
        arguments: Value,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult {
        let (end, ended) = oneshot::channel();
        let _ = self.calls.send(Call { tool: tool.name.clone(), arguments, cancel, progress, end });
        ended.await.unwrap_or(CallResult { outcome: ToolOutcome::Lost, content: Content::default() })
    }

    fn changes_on_disk(&self) -> bool {
        true
    }

    async fn refresh(&self) {}

    fn add(&self, _server: ServerSpec) {}

    fn retire(&self, _server: &str) {}

    fn show(&self, _server: &str, _tools: Option<Vec<String>>) {}

    async fn restart(&self, server: &str) {
        let body = Body::Notice { level: Level::Info, source: server.into(), text: "restarted".into(), hint: None };
        let _ = self.events.send(body);
    }

    async fn disable(&self, _server: &str) {}

    async fn shutdown(&self) {
        *self.down.lock().unwrap() += 1;
    }
}

#[derive(Debug)]
struct FakeStart {
    calls: UnboundedSender<Call>,
    settles: Arc<Notify>,
    held: bool,
    still: Vec<String>,
    down: Arc<Mutex<u32>>,
    tools: Vec<ToolDefinition>,
}

impl StartTools for FakeStart {
    fn start(&self, _servers: Vec<ServerSpec>, events: UnboundedSender<Body>) -> Arc<dyn Tools> {
        let catalog = Arc::new(self.tools.clone());
        let state =
            if self.held { ServerState::Starting { since: 0, attempt: 1 } } else { ServerState::Ready { since: 0 } };
        let mut servers: Vec<&str> = catalog.iter().map(|tool: &ToolDefinition| tool.server.as_str()).collect();
        servers.dedup();
        for server in if servers.is_empty() { vec!["fake"] } else { servers } {
            let _ = events.send(Body::ServerChanged {
                server: server.to_owned(),
                kind: if server == "files" { ServerKind::Builtin } else { ServerKind::Stdio },
                state: state.clone(),
                command: String::new(),
                stderr: Vec::new(),
            });
            let own = catalog.iter().filter(|tool| tool.server == server);
            let tools = own.map(|tool| tool.info.clone()).collect();
            let _ = events.send(Body::ServerTools { server: server.to_owned(), tools });
        }
        let (still, settles, down) = (self.still.clone(), Arc::clone(&self.settles), Arc::clone(&self.down));
        Arc::new(FakeTools { calls: self.calls.clone(), catalog, still, events, settles, held: self.held, down })
    }
}

pub fn tool(name: &str) -> ToolDefinition {
    let info = ToolInfo {
        name: name.into(),
        wire_name: name.into(),
        summary: String::new(),
        tokens: 10,
        repairs: Vec::new(),
        quarantine: None,
        filtered_by: None,
    };
    ToolDefinition {
        server: "fake".into(),
        layer: Layer::Static,
        name: name.into(),
        description: "does it".into(),
        schema: json!({"type": "object"}),
        read_only: None,
        destructive: None,
        info,
    }
}

/// A tool of the server that comes with the program.
pub fn bundled(name: &str, read_only: bool) -> ToolDefinition {
    ToolDefinition { server: "files".into(), ..annotated(name, read_only) }
}

/// A tool that says what it does.
pub fn annotated(name: &str, read_only: bool) -> ToolDefinition {
    ToolDefinition { read_only: Some(read_only), destructive: Some(!read_only), ..tool(name) }
}

#[derive(Debug, Default)]
pub struct FakeRoles {
    /// Who makes agents ready; `None` = they are at once.
    prepare: Option<UnboundedSender<Preparing>>,
}

impl std::fmt::Debug for Preparing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Preparing {}", self.name)
    }
}

#[async_trait]
impl Roles for FakeRoles {
    fn resolve(&self, name: Option<&str>) -> Result<Resolution, String> {
        let name = name.unwrap_or("assistant");
        if name == "missing" {
            return Err("There is no role missing.".into());
        }
        let role = Box::new(self.role(name));
        Ok(if name.contains(':') { Resolution::ToPrepare(role) } else { Resolution::Ready(role) })
    }

    fn usual(&self) -> Result<Role, String> {
        Ok(self.role("assistant"))
    }

    async fn check(&self, name: &str) -> Result<(), Refused> {
        if name.ends_with(":slow") {
            std::future::pending::<()>().await;
        }
        if name.ends_with(":none") { Err(no_agent(name)) } else { Ok(()) }
    }

    async fn prepare(&self, name: &str, telling: &Telling) -> Result<Role, Refused> {
        if let Some(prepare) = &self.prepare {
            let (answer, outcome) = oneshot::channel();
            let _ = prepare.send(Preparing { name: name.into(), telling: telling.clone(), over: answer });
            return outcome.await.unwrap_or_else(|_| Err(no_agent("nobody")));
        }
        Ok(self.role(name))
    }

    fn names(&self) -> Vec<String> {
        ["assistant", "expert"].map(str::to_owned).to_vec()
    }

    async fn fill(&self, role: &str, texts: Vec<String>) -> Vec<String> {
        texts.into_iter().map(|text| text.replace("{{ROLE}}", role)).collect()
    }
}

pub fn no_agent(name: &str) -> Refused {
    Refused { by: RefusedBy::Name, message: format!("no tap has an agent {name}"), hint: None }
}

/// An agent that a test makes ready.
pub struct Preparing {
    pub name: String,
    pub telling: Telling,
    over: oneshot::Sender<Result<Role, Refused>>,
}

impl Preparing {
    pub fn over(self, outcome: Result<Role, Refused>) {
        let _ = self.over.send(outcome);
    }
}

impl FakeRoles {
    pub fn role(&self, name: &str) -> Role {
        let mut profile = Config::template().model;
        profile.name = match name {
            "broken" => "nowhere:model".into(),
            "expert" => "fake:expert".into(),
            "lucky" => "auto".into(),
            _ => "fake:one".into(),
        };
        (profile.max_retries, profile.retry_timeout) = (2, 1);
        Role {
            name: name.into(),
            system: "You are {{ROLE}}.".into(),
            welcome: String::new(),
            profile,
            servers: Vec::new(),
            runtime: (name == "runtime").then(Vec::new),
            orchestration: name.ends_with("chief").then(Vec::new),
            capabilities: Vec::new(),
            notices: Vec::new(),
        }
    }
}

/// A session played by a test. Time is tokio's, so waits cost nothing.
pub struct Stage {
    pub handle: Handle,
    pub own: Snapshot,
    pub seen: Vec<Event>,
    pub asked: UnboundedReceiver<Asked>,
    pub calls: UnboundedReceiver<Call>,
    pub preparing: UnboundedReceiver<Preparing>,
    pub settles: Arc<Notify>,
    pub down: Arc<Mutex<u32>>,
}

/// What a stage is set up with.
#[derive(Clone)]
pub struct Wanted {
    pub pick: Pick,
    pub role: Option<&'static str>,
    pub person: Person,
    pub limits: Limits,
    pub request_limit: u64,
    pub result_limit: u64,
    pub mask: Mask,
    /// Servers do not settle before the test says so, or never.
    pub held: bool,
    pub still: Vec<String>,
    pub checkpoints: Option<std::path::PathBuf>,
    pub trust: Option<Arc<TrustDesk>>,
    pub offers: Option<Arc<Offers>>,
    pub encoder: Option<Arc<Sentences>>,
    pub wares: Option<Arc<Wares>>,
    /// The test makes agents ready.
    pub prepares: bool,
    /// `[supervisor]`; off unless a test is about it.
    pub supervisor: schema::Supervisor,
    /// Where its values come from.
    pub loaded: Option<Arc<Loaded>>,
    pub tools: Vec<ToolDefinition>,
    pub schema: Option<Value>,
    /// Why there is no sandbox though it was asked for.
    pub unheld: Option<String>,
    /// By how much the clock was set back, milliseconds.
    pub back: Arc<AtomicU64>,
    pub approval: Approval,
    /// Work can be handed on.
    pub hands: bool,
    pub descent: Option<Descent>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            pick: Pick::New { name: Some("play".into()) },
            role: None,
            person: Person::Present,
            limits: Limits::default(),
            request_limit: 0,
            result_limit: 0,
            mask: Mask::default(),
            held: false,
            still: Vec::new(),
            checkpoints: None,
            trust: None,
            offers: None,
            encoder: None,
            wares: None,
            prepares: false,
            supervisor: unsupervised(),
            loaded: None,
            tools: ["alpha", "beta"].map(tool).to_vec(),
            unheld: None,
            back: Arc::default(),
            schema: None,
            approval: Approval::default(),
            hands: false,
            descent: None,
        }
    }
}

/// Sessions out of the same fakes.
struct FakeChildren(Setup);

impl std::fmt::Debug for FakeChildren {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("FakeChildren")
    }
}

impl Children for FakeChildren {
    fn start(&self, assignment: Assignment) -> Handle {
        let Assignment { role, workdir, pick, model: _, limits, descent } = assignment;
        let children = Some(Arc::new(Self(self.0.clone())) as Arc<dyn Children>);
        let (role, descent) = (Some(role), Some(descent));
        let person = Person::Absent;
        crate::session::launch(Setup { role, workdir, pick, limits, descent, children, person, ..self.0.clone() })
    }
}

/// `[supervisor]` as the template has it, switched off.
pub fn unsupervised() -> schema::Supervisor {
    schema::Supervisor { enabled: false, ..Config::template().supervisor }
}

/// The supervisor on, with every mechanic that asks a model off.
pub fn watched() -> schema::Supervisor {
    let off = || schema::Switch { enabled: false };
    let template = Config::template().supervisor;
    let condense = schema::Condense { enabled: false, ..template.condense.clone() };
    schema::Supervisor { enabled: true, gate: off(), plan: off(), authorizer: off(), condense, ..template }
}

impl Stage {
    pub fn open(dir: &Path, wanted: Wanted) -> Self {
        let (asked, asks) = unbounded_channel();
        let (calls, called) = unbounded_channel();
        let (prepare, preparing) = unbounded_channel();
        let (settles, down) = (Arc::new(Notify::new()), Arc::new(Mutex::new(0)));
        let started = tokio::time::Instant::now();
        let setup = Setup {
            models: Arc::new(FakeModels { asked, gate: Arc::default(), held: false }),
            tools: Arc::new(FakeStart {
                calls,
                settles: Arc::clone(&settles),
                held: wanted.held,
                still: wanted.still,
                down: Arc::clone(&down),
                tools: wanted.tools,
            }),
            roles: Arc::new(FakeRoles { prepare: wanted.prepares.then_some(prepare) }),
            clock: Arc::new(move || {
                1_800_000_000_000 + started.elapsed().as_millis() as u64 - wanted.back.load(Ordering::Relaxed)
            }),
            chance: Arc::new(|| 0.5),
            sessions: dir.join("sessions"),
            workdir: dir.to_owned(),
            role: wanted.role.map(str::to_owned),
            model: None,
            pick: wanted.pick,
            person: wanted.person,
            mask: wanted.mask,
            limits: wanted.limits,
            request_limit: wanted.request_limit,
            result_limit: wanted.result_limit,
            schema: wanted.schema,
            opening: Vec::new(),
            trust: wanted.trust,
            offers: wanted.offers,
            encoder: wanted.encoder,
            skill_rules: Switch::On,
            wares: wanted.wares,
            checkpoints: wanted.checkpoints,
            auto_capabilities: Switch::On,
            supervision: Supervision {
                profile: wanted.supervisor.model.over(&Config::template().model),
                config: wanted.supervisor,
                loaded: wanted.loaded,
                config_file: dir.join("config.toml"),
            },
            unheld: wanted.unheld,
            approval: wanted.approval,
            children: None,
            descent: wanted.descent,
        };
        let children = wanted.hands.then(|| Arc::new(FakeChildren(setup.clone())) as Arc<dyn Children>);
        let setup = Setup { children, ..setup };
        let handle = crate::session::launch(setup);
        let own = (**handle.port.snapshot.borrow()).clone();
        Self { handle, own, seen: Vec::new(), asked: asks, calls: called, preparing, settles, down }
    }

    pub async fn command(&self, command: Command) {
        self.handle.port.commands.send(command).await.unwrap();
    }

    pub async fn say(&self, text: &str) {
        self.submit(text, SubmitMode::Steer).await;
    }

    pub async fn submit(&self, text: &str, mode: SubmitMode) {
        self.command(Command::Submit { text: text.into(), attachments: Vec::new(), mode }).await;
    }

    pub async fn asked(&mut self) -> Asked {
        tokio::time::timeout(Duration::from_secs(60), self.asked.recv()).await.expect("no request came").unwrap()
    }

    pub async fn preparing(&mut self) -> Preparing {
        tokio::time::timeout(Duration::from_secs(60), self.preparing.recv()).await.expect("nothing began").unwrap()
    }

    pub async fn called(&mut self) -> Call {
        tokio::time::timeout(Duration::from_secs(60), self.calls.recv()).await.expect("no call came").unwrap()
    }

    /// Follows until the snapshot is as wanted.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&Snapshot) -> bool) {
        let end = tokio::time::Instant::now() + Duration::from_secs(600);
        while !wanted(&self.own) {
            let delivery = tokio::time::timeout_at(end, self.handle.port.events.next()).await;
            let Ok(Some(delivery)) = delivery else { panic!("never came: {what}\n{:#?}", self.own) };
            follow(&mut self.own, &delivery, &self.handle.port.snapshot);
            if let Delivery::Event(event) = delivery {
                self.seen.push((*event).clone());
            }
        }
    }

    /// Follows one step.
    pub async fn until_next(&mut self) {
        let delivery = tokio::time::timeout(Duration::from_secs(60), self.handle.port.events.next()).await;
        let Ok(Some(delivery)) = delivery else { panic!("nothing came") };
        follow(&mut self.own, &delivery, &self.handle.port.snapshot);
        if let Delivery::Event(event) = delivery {
            self.seen.push((*event).clone());
        }
    }

    /// Decisions of the supervisor, oldest first.
    pub fn records(&self) -> Vec<&Decision> {
        self.own.supervisor.records.iter().map(|record| &record.decision).collect()
    }

    pub async fn until_idle(&mut self, turns: u32) {
        self.until("the turn's end", |own| own.turn.0 >= turns && !own.run.busy()).await;
    }

    /// Leaves and gives the session's end.
    pub async fn quit(self) -> crate::session::SessionEnd {
        self.command(Command::Quit).await;
        self.handle.done.await.unwrap()
    }

    pub fn outcome(&self) -> TurnOutcome {
        self.own.totals.last_turn.clone().expect("a turn ended").0
    }

    /// The transcript in short lines.
    pub fn lines(&self) -> Vec<String> {
        self.own.transcript.entries().iter().map(|entry| line(&entry.kind)).collect()
    }

    pub fn notices(&self) -> Vec<String> {
        self.own.notes.iter().map(|note| note.text.clone()).collect()
    }
}

fn line(kind: &EntryKind) -> String {
    match kind {
        EntryKind::User { text, origin: Origin::Person, .. } => format!("you: {text}"),
        EntryKind::User { text, .. } => format!("system: {text}"),
        EntryKind::Assistant { text, streaming, interrupted, .. } => {
            let marks = [(*streaming, "…"), (*interrupted, " ⏹")];
            let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
            format!("model: {text}{marks}")
        }
        EntryKind::Thinking { text, .. } => format!("thinks: {text}"),
        EntryKind::Tool { tool, state, .. } => match state {
            ToolState::Running { note, .. } => format!("{tool}: runs {}", note.clone().unwrap_or_default()),
            ToolState::Finished { outcome, content, .. } => format!("{tool}: {outcome:?} {}", text_of(content)),
        },
        EntryKind::Decision(decision) => format!("decided: {}", decision.headline().2),
        EntryKind::Notice { text, .. } => format!("notice: {text}"),
        EntryKind::Fault(fault) => format!("fault: {fault}"),
        EntryKind::StartUp { steps } => format!("start: {} steps", steps.len()),
        EntryKind::Skill { skill, forgotten } => {
            format!("skill: {}{}", skill.name, if *forgotten { " gone" } else { "" })
        }
        EntryKind::Command { line, output } => format!("{line} → {output}"),
        EntryKind::Shell(view) => match &view.state {
            ShellState::Running { tail, .. } => format!("$ {}: runs {tail}", view.command),
            ShellState::Finished { end, content, .. } => format!("$ {}: {end:?} {}", view.command, text_of(content)),
        },
        EntryKind::Asked { answered, .. } => format!("asked: {answered:?}"),
        EntryKind::Rewound(rewound) => format!("rewound: {}", rewound.headline().1),
    }
}

pub fn text_of(content: &Content) -> String {
    match content {
        Content::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

/// Message texts of a request, in order.
pub fn said(request: &Request) -> Vec<String> {
    use crate::model::{Message, Part};
    let parts = |parts: &[Part]| {
        let text = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Media { media_type, .. } => media_type.clone(),
        };
        parts.iter().map(text).collect::<Vec<_>>().join(" | ")
    };
    let line = |message: &Message| match message {
        Message::User(content) => format!("user: {}", parts(content)),
        Message::Assistant { text, calls, .. } => format!("assistant: {text} +{}", calls.len()),
        Message::Tools(results) => {
            format!("tools: {}", results.iter().map(|result| parts(&result.parts)).collect::<Vec<_>>().join(" / "))
        }
    };
    request.messages.iter().map(line).collect()
}

pub fn fault(kind: FaultKind) -> Fault {
    Fault::new(kind, "It went wrong.", "Try again.")
}
