//! The overlays that list: what fills the context, servers, sessions, the log.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::ui::state::{ContextSide, Folder, Table, Tabled};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn open(fixture: &mut Fixture, of: Tabled) {
    fixture.state.layers.push(Layer::Table(Table::new(of)));
}

fn tool(server: &str, name: &str, tokens: u64) -> (Filled, u64) {
    (Filled::Tool(server.to_owned(), name.to_owned()), tokens)
}

fn results(tool: &str, tokens: u64) -> (Filled, u64) {
    (Filled::Results(tool.to_owned()), tokens)
}

fn said(kind: &str, tokens: u64) -> (Filled, u64) {
    (Filled::Said(kind.to_owned()), tokens)
}

/// Three requests, the last one whole.
pub fn filled() -> Fixture {
    let mut fixture = Fixture::working();
    for (request, input, cached) in [(2, 12_000, 0), (3, 31_000, 11_800), (4, 45_210, 41_000)] {
        fixture.asked(request, Purpose::Main);
        let parts = vec![
            (Filled::System, 1_200),
            tool("filesystem", "view", 310),
            tool("filesystem", "shell", 620),
            tool("filesystem", "edit", 310),
            tool("orchestration", "tap", 1_070),
            (Filled::Skill("careful-migrations".to_owned()), 830),
            said("instructions", 640),
            (Filled::Own, 2_300),
            (Filled::Thinking, 4_800),
            (Filled::Answers, 6_120),
            (Filled::Calls, 2_010),
            results("view", 14_000),
            results("shell", 9_800),
            said("gate", 700),
            said("recite", 500),
        ];
        let window = Some(200_000);
        let filling = Filling { request: RequestId(request), purpose: Purpose::Main, window, parts };
        fixture.live(Body::RequestFilled(Arc::new(filling)));
        fixture.live(Body::RequestFinished {
            request: RequestId(request),
            purpose: Purpose::Main,
            usage: Usage { input, output: 400, cache_read: cached, ..Usage::default() },
            first_token_ms: 300,
            elapsed_ms: 2_000,
        });
    }
    fixture.idle();
    fixture
}

#[test]
fn what_fills_the_context() {
    each_size("context", || {
        let mut fixture = filled();
        open(&mut fixture, Tabled::Context(ContextSide::Parts));
        fixture
    });
}

#[test]
fn what_fills_the_context_opened() {
    each_size("context_open", || {
        let mut fixture = filled();
        fixture.state.opened.insert(Folder::Group(FilledGroup::Tools));
        fixture.state.opened.insert(Folder::Server("filesystem".to_owned()));
        fixture.state.opened.insert(Folder::Group(FilledGroup::Results));
        fixture.state.opened.insert(Folder::Group(FilledGroup::Notes));
        open(&mut fixture, Tabled::Context(ContextSide::Parts));
        fixture
    });
}

#[test]
fn every_request_with_its_cached_share() {
    each_size("context_requests", || {
        let mut fixture = filled();
        open(&mut fixture, Tabled::Context(ContextSide::Requests));
        fixture
    });
}

#[test]
fn before_anything_was_sent_the_context_tells_what_would_be() {
    let mut fixture = Fixture::working();
    open(&mut fixture, Tabled::Context(ContextSide::Parts));
    let shown = fixture.text(120, 40);
    assert!(shown.contains("Nothing was sent yet."), "{shown}");
    assert!(shown.contains("system prompt 1\u{2009}200"), "{shown}");
}

/// One of each state.
pub fn serving() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.server("postgres", ServerState::Starting { since: NOW - 7_400, attempt: 1 }, &[], 0);
    fixture.live(Body::ServerChanged {
        server: "github".to_owned(),
        kind: ServerKind::Stdio,
        state: ServerState::Failed {
            reason: "exited with code 3".to_owned(),
            advice: "Set GITHUB_TOKEN, then restart it.".to_owned(),
        },
        command: "npx -y @example/github".to_owned(),
        stderr: vec!["reading the token".to_owned(), "error: GITHUB_TOKEN is not set".to_owned()],
    });
    fixture.server("docker", ServerState::Disabled { by: "you".to_owned() }, &[], 0);
    let odd = ToolInfo {
        name: "run all".to_owned(),
        wire_name: "run_all".to_owned(),
        summary: "Runs everything".to_owned(),
        tokens: 90,
        repairs: Vec::new(),
        quarantine: Some(Quarantine {
            reason: "its schema is not an object".to_owned(),
            advice: "Ask whoever makes it.".to_owned(),
        }),
        filtered_by: None,
    };
    let mut tools = fixture.state.snapshot.servers[1].tools.clone();
    tools.push(odd);
    fixture.live(Body::ServerTools { server: "orchestration".to_owned(), tools });
    fixture
}

#[test]
fn servers_and_the_marked_one_in_full() {
    each_size("servers", || {
        let mut fixture = serving();
        open(&mut fixture, Tabled::Servers);
        fixture
    });
    each_size("servers_failed", || {
        let mut fixture = serving();
        fixture.state.layers.push(Layer::Table(Table { selected: 3, ..Table::new(Tabled::Servers) }));
        fixture
    });
}

pub fn shelved() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.idle();
    let row = |name: &str, title: &str, role: &str, ago: u64, turns: u32, cost: Option<f64>| SessionRow {
        name: name.to_owned(),
        title: title.to_owned(),
        role: role.to_owned(),
        model: "anthropic:claude-sonnet-5".to_owned(),
        workdir: "/home/ada/shop".to_owned(),
        updated: NOW - ago,
        turns,
        cost,
        bytes: 48_210,
        open_by: None,
        parent: None,
    };
    let rows = vec![
        row("brisk-otter", "why is the orders query slow", "developer:chief", 5_000, 9, Some(0.041)),
        SessionRow {
            open_by: Some("process 4711".to_owned()),
            ..row("261130-shop-0912-ab12", "write the release notes", "developer:general", 3_600_000, 3, Some(0.012))
        },
        row("261129-shop-1740-0c2e", "", "assistant", 90_000_000, 0, None),
    ];
    fixture.state.shelf.take(0, 3, &rows);
    let said = vec![
        (Speaker::Person, "write the release notes from the changes since 0.3".to_owned()),
        (Speaker::Agent, "There are **14** changes. The notes are in `NOTES.md`.".to_owned()),
    ];
    fixture.state.shelf.preview = Some(("261130-shop-0912-ab12".to_owned(), said.into()));
    fixture
}

#[test]
fn sessions_and_the_last_messages_of_one() {
    each_size("sessions", || {
        let mut fixture = shelved();
        fixture.state.layers.push(Layer::Table(Table { selected: 1, ..Table::new(Tabled::Sessions) }));
        fixture
    });
}

/// In the middle of a session that went on.
pub fn past() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.user((1, 0, 0), "why is the orders query slow?");
    fixture.assistant((1, 1, 1), "The plan scans `orders`: there is no index on `customer_id`.");
    fixture.idle();
    let then = fixture.state.snapshot.clone();
    fixture.user((2, 0, 0), "then add one");
    fixture.assistant((2, 1, 1), "It is there now.");
    fixture.idle();
    let turns = vec![(TurnId(1), 12), (TurnId(2), 40)];
    let moment = Moment {
        index: 31,
        total: 64,
        seq: Seq(32),
        at: NOW,
        name: "turn 1 ended".to_owned(),
        turns: Arc::new(turns),
        snapshot: Arc::new(then),
    };
    open(&mut fixture, Tabled::Time);
    fixture.state.show_moment(&Arc::new(moment));
    fixture
}

#[test]
fn the_past_says_that_it_is_the_past() {
    each_size("past", past);
}

pub fn logged() -> Fixture {
    use crate::ui::log::{LogLevel, LogLine};
    use crate::ui::state::LogFloor;
    let mut fixture = Fixture::working();
    let line = |ago: u64, level: LogLevel, target: &str, text: &str| LogLine {
        at: NOW - ago,
        level,
        target: target.to_owned(),
        text: text.to_owned(),
    };
    fixture.state.log.take(vec![
        line(90_000, LogLevel::Info, "octomind::embed", "the encoder is ready, 384 numbers a sentence"),
        line(
            60_000,
            LogLevel::Warning,
            "octomind::tap",
            "how fetching went could not be written down tap=muvon/tap error=No space left on device (os error 28)",
        ),
        line(5_000, LogLevel::Debug, "octomind::embed", "the embedded graph's bytes stay in memory"),
    ]);
    open(&mut fixture, Tabled::Log(LogFloor(LogLevel::Debug)));
    fixture
}

#[test]
fn the_log_of_this_run() {
    each_size("log", logged);
}
