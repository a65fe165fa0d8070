//! A session built from events, as a front end would see it.

use super::*;

pub const NOW: Timestamp = 1_790_000_000_000;

pub struct Fixture {
    pub state: State,
    pub cache: Cache,
    seq: u64,
}

impl Fixture {
    pub fn new() -> Self {
        let keymap = keys::load("default", None);
        let settings = Settings { mouse: true, motion: true, notifications: true, transcript_ratio: 0.52 };
        let mut state = State::new(Snapshot::default(), Arc::new(keymap.keymap.unwrap()), settings, Depth::Full);
        state.now = NOW;
        let mut fixture = Self { state, cache: Cache::in_place(), seq: 0 };
        fixture.live(Body::SessionStarted {
            name: "brisk-otter".to_owned(),
            role: "developer:chief".to_owned(),
            workdir: "/home/ada/shop".to_owned(),
            folder: "/home/ada/.local/share/octomind/sessions/brisk-otter".to_owned(),
            version: "0.1.0".to_owned(),
        });
        fixture
    }

    pub fn with_model() -> Self {
        let mut fixture = Self::new();
        let model = ModelInfo {
            name: "anthropic:claude-sonnet-5".to_owned(),
            context_window: Some(200_000),
            scripted: false,
            priced: true,
        };
        fixture.live(Body::ModelChanged { model, effort: Effort::Medium });
        fixture
    }

    /// With servers, some usage, and notes.
    pub fn working() -> Self {
        let mut fixture = Self::with_model();
        fixture.server(
            "filesystem",
            ServerState::Ready { since: NOW - 9000 },
            &["view", "edit", "search", "shell"],
            310,
        );
        fixture.server("orchestration", ServerState::Ready { since: NOW - 9000 }, &["tap", "schedule", "monitor"], 203);
        fixture.live(Body::ContextMeasured {
            tokens: 45_210,
            window: Some(200_000),
            system: 1200,
            tools: 2310,
            history: 41_700,
        });
        fixture.live(Body::RequestFinished {
            request: RequestId(1),
            purpose: Purpose::Main,
            usage: Usage { input: 45_000, output: 900, cost: Some(0.0412), ..Usage::default() },
            first_token_ms: 400,
            elapsed_ms: 3000,
        });
        fixture
    }

    fn event(&mut self, order: Option<(u32, u32, u32)>, body: Body) {
        self.seq += 1;
        let event = Event { seq: Seq(self.seq), at: self.state.now, order: order.map(Order::from), body };
        self.state.snapshot.apply(&event);
    }

    pub fn live(&mut self, body: Body) {
        self.event(None, body);
    }

    pub fn at(&mut self, order: (u32, u32, u32), body: Body) {
        self.event(Some(order), body);
    }

    pub fn server(&mut self, name: &str, state: ServerState, tools: &[&str], tokens: u32) {
        self.live(Body::ServerChanged {
            server: name.to_owned(),
            kind: ServerKind::Stdio,
            state,
            command: format!("npx -y @example/{name}"),
            stderr: vec![format!("{name} listens on stdio")],
        });
        let tools = tools.iter().map(|tool| ToolInfo {
            name: (*tool).to_owned(),
            wire_name: (*tool).to_owned(),
            summary: format!("What {tool} is for"),
            tokens,
            repairs: Vec::new(),
            quarantine: None,
            filtered_by: None,
        });
        self.live(Body::ServerTools { server: name.to_owned(), tools: tools.collect() });
    }

    pub fn user(&mut self, order: (u32, u32, u32), text: &str) {
        self.live(Body::TurnStarted { turn: TurnId(order.0) });
        let content = Content::Text(text.to_owned());
        self.at(order, Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person });
    }

    pub fn assistant(&mut self, order: (u32, u32, u32), text: &str) {
        self.at(
            order,
            Body::AssistantMessage {
                request: RequestId(order.1),
                text: text.to_owned(),
                reasoning: Vec::new(),
                reasoning_ms: 0,
                calls: Vec::new(),
                stop: StopReason::End,
                scripted: false,
                model: "anthropic:claude-sonnet-5".to_owned(),
            },
        );
    }

    pub fn delta(&mut self, order: (u32, u32, u32), offset: usize, text: &str) {
        let body = Body::TextDelta { request: RequestId(order.1), offset: offset as u64, text: text.to_owned() };
        self.at(order, body);
    }

    pub fn call(&mut self, order: (u32, u32, u32), server: &str, tool: &str, arguments: serde_json::Value) {
        self.at(
            order,
            Body::ToolStarted {
                call: CallId(format!("{order:?}")),
                server: server.to_owned(),
                tool: tool.to_owned(),
                arguments,
            },
        );
    }

    pub fn result(&mut self, order: (u32, u32, u32), outcome: ToolOutcome, text: &str, elapsed_ms: u64) {
        self.at(
            order,
            Body::ToolFinished {
                call: CallId(format!("{order:?}")),
                outcome,
                content: Content::Text(text.to_owned()),
                full_bytes: text.len() as u64,
                spill: None,
                elapsed_ms,
            },
        );
    }

    /// A model call goes out.
    pub fn asked(&mut self, request: u32, purpose: Purpose) {
        let model = if purpose == Purpose::Main { "anthropic:claude-sonnet-5" } else { "anthropic:claude-haiku-5" };
        self.live(Body::RequestStarted {
            request: RequestId(request),
            purpose,
            model: model.to_owned(),
            estimated_tokens: 12_400,
            bytes: 48_210,
            tools: 11,
            prefix: "0123456789abcdef".to_owned(),
        });
    }

    pub fn idle(&mut self) {
        let turn = self.state.snapshot.turn;
        self.live(Body::TurnEnded { turn, outcome: TurnOutcome::Done, elapsed_ms: 4000 });
    }

    pub fn styled(&mut self, width: u16, height: u16) -> String {
        let (buffer, caret) = dump::screen(&mut self.state, &mut self.cache, width, height);
        dump::styled(&buffer, caret)
    }

    pub fn text(&mut self, width: u16, height: u16) -> String {
        let (buffer, _) = dump::screen(&mut self.state, &mut self.cache, width, height);
        dump::text(&buffer)
    }

    pub fn layout(&mut self, width: u16, height: u16) -> Layout {
        prepare(&mut self.state, &mut self.cache, Rect::new(0, 0, width, height))
    }
}
