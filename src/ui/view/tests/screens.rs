//! Whole screens. Read as a stranger would before accepting a change.

use serde_json::json;

use super::fixture::{Fixture, NOW};
use super::*;

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn session() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.user((1, 0, 1), "explain why this postgres query is slow");
    fixture.at(
        (1, 1, 1),
        Body::Decided(Decision::RequestRepaired {
            kind: RepairKind::DanglingCall,
            count: 1,
            detail: "a call without a result got one that says interrupted".to_owned(),
        }),
    );
    fixture.call(
        (1, 1, 3),
        "postgres",
        "query",
        json!({"sql": "EXPLAIN ANALYZE SELECT * FROM orders WHERE customer_id = 7"}),
    );
    let plan = "Seq Scan on orders  (cost=0.00..24102.00 rows=1200000 width=97)\n  Filter: (customer_id = 7)\n\
                  Rows Removed by Filter: 1199958\nPlanning Time: 0.1 ms\nExecution Time: 118.4 ms\n";
    fixture.result((1, 1, 3), ToolOutcome::Ok, plan, 120);
    fixture.assistant(
        (1, 2, 2),
        "The plan scans `orders` from end to end because nothing indexes **customer_id**.\n\n\
         ## What to do\n\n1. add an index\n2. run `ANALYZE`\n   - once is enough\n\n\
         ```sql\nCREATE INDEX CONCURRENTLY orders_customer ON orders (customer_id);\n```\n\n\
         | step | before | after |\n|---|--:|--:|\n| scan | 118 ms | 0.2 ms |\n| plan | 0.1 ms | 0.1 ms |\n",
    );
    fixture.idle();
    fixture
}

fn candidate(source: &str, model: &str, usable: bool, why: &str) -> ModelCandidate {
    let (source, model, why) = (source.to_owned(), model.to_owned(), why.to_owned());
    ModelCandidate { source, model, usable, why }
}

/// Nothing is configured: what everybody sees first.
#[test]
fn welcome_to_the_tour() {
    each_size("welcome_tour", tour);
}

fn tour() -> Fixture {
    let mut fixture = Fixture::new();
    let model =
        ModelInfo { name: "script:tour".to_owned(), context_window: Some(200_000), scripted: true, priced: false };
    fixture.live(Body::ModelChanged { model, effort: Effort::Medium });
    let notice = Body::Notice {
        level: Level::Info,
        source: "config".to_owned(),
        text: "wrote /home/ada/.local/share/octomind/config/config.toml".to_owned(),
        hint: None,
    };
    fixture.at((0, 0, 1), notice);
    let unset = |name: &str| candidate(name, "", false, "not set");
    let deaf = |url: &str| candidate(url, "", false, "nothing listens there");
    fixture.at(
        (0, 0, 2),
        Body::Decided(Decision::ModelChosen {
            chosen: "script:tour".to_owned(),
            candidates: vec![
                unset("ANTHROPIC_API_KEY"),
                unset("OPENAI_API_KEY"),
                unset("OPENROUTER_API_KEY"),
                unset("GEMINI_API_KEY"),
                unset("DEEPSEEK_API_KEY"),
                deaf("http://localhost:11434"),
                deaf("http://localhost:8080/v1"),
                candidate("built in", "script:tour", true, "no key and no local server was found"),
            ],
        }),
    );
    fixture.server("files", ServerState::Ready { since: NOW - 3200 }, &["view", "edit", "search", "shell"], 310);
    fixture
}

#[test]
fn the_welcome_gives_way_to_what_is_said_and_to_what_would_not_fit() {
    let mut fixture = tour();
    assert!(fixture.text(80, 24).contains("the tour: five minutes"));
    fixture.at(
        (0, 0, 3),
        Body::Notice {
            level: Level::Warning,
            source: "config".to_owned(),
            text: "line 4 is not understood".to_owned(),
            hint: None,
        },
    );
    let both = fixture.text(80, 24);
    assert!(both.contains("the tour: five minutes") && both.contains("line 4 is not understood"), "{both}");
    let fault = Fault::new(FaultKind::Server, "long ".repeat(400), "");
    fixture.at((0, 0, 4), Body::RequestFailed { request: RequestId(1), purpose: Purpose::Main, fault });
    assert!(!fixture.text(80, 24).contains("the tour: five minutes"));
    let mut fixture = tour();
    fixture.user((1, 0, 1), "hello");
    assert!(!fixture.text(80, 24).contains("the tour: five minutes"));
}

#[test]
fn the_welcome_does_not_look_for_a_model_that_cannot_be_opened() {
    let mut fixture = Fixture::new();
    assert!(fixture.text(100, 30).contains("looking for one"));
    let notice = Body::Notice {
        level: Level::Error,
        source: "model".to_owned(),
        text: "There is no provider bogus.".to_owned(),
        hint: None,
    };
    fixture.at((0, 0, 1), notice);
    let told = fixture.text(100, 30);
    assert!(told.contains("none yet") && told.contains("no provider bogus"), "{told}");
}

#[test]
fn welcome() {
    each_size("welcome", || {
        let mut fixture = Fixture::with_model();
        fixture.at(
            (0, 0, 1),
            Body::Decided(Decision::ModelChosen {
                chosen: "anthropic:claude-sonnet-5".to_owned(),
                candidates: vec![
                    candidate("OPENAI_API_KEY", "openai:gpt-5", false, "not set"),
                    candidate("ANTHROPIC_API_KEY", "anthropic:claude-sonnet-5", true, "set, so it is used"),
                ],
            }),
        );
        fixture.server("filesystem", ServerState::Starting { since: NOW - 3200, attempt: 1 }, &[], 0);
        fixture
    });
}

#[test]
fn a_finished_turn() {
    each_size("finished", session);
}

#[test]
fn streaming() {
    each_size("streaming", || {
        let mut fixture = Fixture::working();
        fixture.user((1, 0, 1), "what is in this folder?");
        fixture.state.now = NOW + 2400;
        fixture.delta((1, 1, 2), 0, "It holds a **small web sh");
        fixture.state.now = NOW + 4000;
        fixture
    });
}

#[test]
fn tools() {
    each_size("tools", || {
        let mut fixture = Fixture::working();
        fixture.user((1, 0, 1), "make the tests pass");
        fixture.call((1, 1, 2), "filesystem", "shell", json!({"command": "cargo test", "timeout": 60}));
        fixture.result((1, 1, 2), ToolOutcome::Error, "error[E0308]: mismatched types\n  --> src/lib.rs:4:5\n", 8123);
        let edit = json!({"path": "src/lib.rs", "old": "fn two() -> u8 {\n    \"2\"\n}\n", "new": "fn two() -> u8 {\n    2\n}\n"});
        fixture.call((1, 2, 2), "filesystem", "edit", edit);
        fixture.result((1, 2, 2), ToolOutcome::Ok, "edited src/lib.rs", 12);
        fixture.call((1, 3, 2), "filesystem", "search", json!({"pattern": "fn two", "path": "."}));
        fixture.result((1, 3, 2), ToolOutcome::Refused, "the path is outside of the workspace", 0);
        fixture.call((1, 4, 2), "filesystem", "shell", json!({"command": "cargo test --workspace"}));
        fixture.at(
            (1, 4, 2),
            Body::ToolProgress {
                call: CallId("(1, 4, 2)".to_owned()),
                note: Some("compiling shop v0.1.0".to_owned()),
                fraction: Some(0.45),
            },
        );
        fixture.state.now = NOW + 3200;
        fixture
    });
}

#[test]
fn faults_notices_and_servers() {
    each_size("faults", || {
        let mut fixture = Fixture::with_model();
        let reason = "the command `uvx` was not found".to_owned();
        let advice = "install uv, or remove the server from the role".to_owned();
        fixture.server("filesystem", ServerState::Ready { since: NOW }, &["view", "edit", "search", "shell"], 310);
        fixture.server("time", ServerState::Failed { reason, advice }, &[], 0);
        let retry =
            ServerState::Waiting { reason: "it ended with code 1".to_owned(), retry_at: NOW + 4000, attempt: 2 };
        fixture.server("browser", retry, &[], 0);
        fixture.user((1, 0, 1), "hello");
        fixture.at(
            (1, 0, 2),
            Body::Notice {
                level: Level::Warning,
                source: "config".to_owned(),
                text: "octomind.toml:14:3 has an unknown key `modle`".to_owned(),
                hint: Some("did you mean `model`?".to_owned()),
            },
        );
        let mut fault = Fault::new(
            FaultKind::WrongKey,
            "The provider refused the key in ANTHROPIC_API_KEY.",
            "Set a valid key and send the message again.",
        );
        fault.detail = Some("401 invalid x-api-key".to_owned());
        fixture.at((1, 1, 2), Body::RequestFailed { request: RequestId(1), purpose: Purpose::Main, fault });
        fixture.idle();
        fixture
    });
}

#[test]
fn scrolled_up_in_a_long_transcript() {
    each_size("scrolled", || {
        let mut fixture = Fixture::working();
        for turn in 1..60 {
            fixture.user((turn, 0, 1), &format!("question {turn}"));
            fixture.assistant((turn, 1, 2), &format!("Answer {turn} has a first line.\n\nAnd a second one."));
        }
        fixture.idle();
        fixture.state.focus = Pane::Transcript;
        fixture.state.transcript.search = Some(Search { query: "second".to_owned(), editing: false });
        fixture.text(120, 40);
        fixture.state.transcript.pending = vec![ScrollBy::Lines(-40)];
        fixture.text(120, 40);
        fixture.user((60, 0, 1), "one more");
        fixture.idle();
        fixture
    });
}

#[test]
fn unicode() {
    each_size("unicode", || {
        let mut fixture = Fixture::working();
        fixture
            .user((1, 0, 1), "测试abc，🙂é — 日本語のとても長い文章はどこで折り返されるのでしょうか、見てみましょう。");
        fixture.assistant(
            (1, 1, 2),
            "family 👨‍👩‍👧‍👦 flag 🇩🇪 accents e\u{301} o\u{308}\n\nhidden \u{202e}txt.exe\u{202c} and \u{1b}[31mred\u{1b}[0m\n\n| 名前 | 値 |\n|---|---|\n| りんご | 🍎 |\n",
        );
        fixture.call((1, 2, 2), "filesystem", "shell", json!({"command": "printf '10%%\\r100%%'"}));
        fixture.result((1, 2, 2), ToolOutcome::Ok, "10%\r20%\r100%\na\r\nb\n", 5);
        fixture.idle();
        fixture.state.composer.insert("测试abc，🙂é");
        fixture
    });
}

#[test]
fn question_of_trust() {
    each_size("trust", || {
        let mut fixture = Fixture::working();
        let item = |path: &str, content: &str| Runnable { path: path.to_owned(), content: content.to_owned() };
        let kind = AskKind::Trust {
            folder: "/home/ada/shop".to_owned(),
            items: vec![
                item(
                    ".agents/tools/deploy.sh",
                    "#!/bin/sh\n# deploy: ships the shop\nrsync -a dist/ shop:/srv\u{200b}/\n",
                ),
                item(".agents/tools/stock.py", "#!/usr/bin/env python3\nprint('stock')\n"),
            ],
            content_hash: "0011aabb".to_owned(),
        };
        fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(1), kind }));
        fixture.state.question = Some(Question { ask: AskId(1), text: String::new(), offset: 0 });
        fixture
    });
}

#[test]
fn question_of_a_missing_sandbox() {
    each_size("unheld", || {
        let mut fixture = Fixture::new();
        let why = "the kernel has no Landlock, which came with Linux 5.13".to_owned();
        fixture.at((0, 0, 1), Body::Asked(Ask { id: AskId(0), kind: AskKind::Unheld { why } }));
        fixture.state.question = Some(Question { ask: AskId(0), text: String::new(), offset: 0 });
        fixture
    });
}

#[test]
fn help() {
    each_size("help", || {
        let mut fixture = session();
        fixture.state.layers.push(Layer::picker(Listing::Help));
        fixture
    });
}

#[test]
fn palette_under_a_filter() {
    let mut fixture = session();
    fixture.state.layers.push(Layer::Picker(Picker {
        of: Listing::Palette,
        filter: "fold".to_owned(),
        selected: 1,
        offset: 0,
    }));
    insta::assert_snapshot!(fixture.styled(80, 24));
}
