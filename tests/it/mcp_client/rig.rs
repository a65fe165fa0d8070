use std::sync::Arc;
use std::time::Duration;

use octomind::mcp::{CallResult, Options, Policy, Progress, ServerSpec, Servers};
use octomind::proto::{Body, Content, Decision, Level, ServerState, ToolInfo, ToolOutcome};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub const DEADLINE: Duration = Duration::from_secs(60);

/// Servers under test, and everything they told.
pub struct Rig {
    pub servers: Servers,
    events: UnboundedReceiver<Body>,
    pub told: Vec<Body>,
}

pub fn options() -> Options {
    let mut options = Options::new(std::env::temp_dir(), Arc::new(|text| Ok(text.to_owned())));
    options.policy = Policy {
        delays: vec![Duration::from_millis(30)],
        connect: Duration::from_secs(20),
        grace: Duration::from_secs(2),
        debounce: Duration::from_millis(30),
        group: Duration::from_millis(100),
        patience: Duration::from_secs(10),
    };
    options
}

impl Rig {
    pub fn new(options: Options) -> Self {
        let (sender, events) = unbounded_channel();
        Self { servers: Servers::new(sender, options), events, told: Vec::new() }
    }

    /// Starts the servers and waits until each is ready or not.
    pub async fn start(specs: Vec<ServerSpec>) -> Self {
        let mut rig = Self::new(options());
        rig.servers.start(specs);
        assert_eq!(rig.servers.settled(DEADLINE).await, Vec::<String>::new());
        rig.drain();
        rig
    }

    pub fn drain(&mut self) {
        while let Ok(body) = self.events.try_recv() {
            self.told.push(body);
        }
    }

    /// Waits for something to be told, looking at what was told before as well.
    pub async fn until(&mut self, what: &str, fits: impl Fn(&Body) -> bool) -> Body {
        let from = self.told.iter().position(&fits);
        if let Some(index) = from {
            return self.told[index].clone();
        }
        loop {
            let body = timeout(DEADLINE, self.events.recv()).await;
            let body = body.unwrap_or_else(|_| panic!("waited for {what}; told: {:#?}", self.told)).expect("open");
            self.told.push(body.clone());
            if fits(&body) {
                return body;
            }
        }
    }

    pub async fn state(&mut self, server: &str, what: &str, fits: impl Fn(&ServerState) -> bool) -> ServerState {
        let body = self
            .until(
                what,
                |body| matches!(body, Body::ServerChanged { server: name, state, .. } if name == server && fits(state)),
            )
            .await;
        match body {
            Body::ServerChanged { state, .. } => state,
            _ => unreachable!(),
        }
    }

    pub async fn notice(&mut self, part: &str) -> (Level, String, Option<String>) {
        match self.until(part, |body| matches!(body, Body::Notice { text, .. } if text.contains(part))).await {
            Body::Notice { level, text, hint, .. } => (level, text, hint),
            _ => unreachable!(),
        }
    }

    /// The last list of a server.
    pub fn tools(&mut self, server: &str) -> Vec<ToolInfo> {
        self.drain();
        let list = self.told.iter().rev().find_map(|body| match body {
            Body::ServerTools { server: name, tools } if name == server => Some(tools.clone()),
            _ => None,
        });
        list.unwrap_or_default()
    }

    pub fn decisions(&mut self) -> Vec<Decision> {
        self.drain();
        let decided = |body: &Body| match body {
            Body::Decided(decision) => Some(decision.clone()),
            _ => None,
        };
        self.told.iter().filter_map(decided).collect()
    }

    pub fn notices(&mut self) -> Vec<String> {
        self.drain();
        let notice = |body: &Body| match body {
            Body::Notice { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.told.iter().filter_map(notice).collect()
    }

    pub fn wire_names(&self) -> Vec<String> {
        self.servers.catalog().iter().map(|tool| tool.info.wire_name.clone()).collect()
    }

    pub async fn call(&self, server: &str, tool: &str, arguments: Value) -> CallResult {
        let (progress, _keep) = unbounded_channel::<Progress>();
        let call = self.servers.call(server, tool, arguments, progress, CancellationToken::new());
        timeout(DEADLINE, call).await.expect("the call ends")
    }

    pub async fn words(&self, server: &str, tool: &str, arguments: Value) -> (ToolOutcome, String) {
        let result = self.call(server, tool, arguments).await;
        match result.content {
            Content::Text(words) => (result.outcome, words),
            other => panic!("{other:?}"),
        }
    }

    /// Process id of a fake server.
    pub async fn pid(&self, server: &str) -> u32 {
        let (_, words) = self.words(server, "status", Value::Null).await;
        words.rsplit(' ').next().unwrap().parse().unwrap()
    }

    pub async fn end(self) {
        timeout(DEADLINE, self.servers.shutdown()).await.expect("shutdown ends");
    }
}

/// Whether a process is there and is not only waiting to be reaped.
pub fn alive(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z') && !rest.starts_with('X'))
}

/// Waits until a process is gone.
pub async fn gone(pid: u32) {
    let wait = async {
        while alive(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(DEADLINE, wait).await.unwrap_or_else(|_| panic!("process {pid} is still there"));
}
