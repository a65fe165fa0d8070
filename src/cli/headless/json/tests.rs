use super::*;
use crate::proto::{
    CallId, Effort, ModelInfo, Order, ReasoningBlock, RequestId, Seq, ServerKind, StopReason, TurnId, Usage,
};

/// A session that has seen a few things, and what `body` then writes.
fn written(body: Body, order: Option<Order>) -> String {
    let order_of_call = Some(Order { turn: 1, round: 1, slot: 2 });
    let call = CallId("c1".to_owned());
    let start = Body::SessionStarted {
        name: "demo".to_owned(),
        role: "assistant".to_owned(),
        workdir: "/p".to_owned(),
        folder: "/d/demo".to_owned(),
        version: "0".to_owned(),
    };
    let arguments = json!({ "path": "src" });
    let started = Body::ToolStarted { call, server: "files".to_owned(), tool: "list".to_owned(), arguments };
    let mut snapshot = Snapshot::default();
    snapshot.apply(&Event { seq: Seq(1), at: 1, order: None, body: start });
    snapshot.apply(&Event { seq: Seq(2), at: 2, order: order_of_call, body: started });
    let event = Event { seq: Seq(3), at: 3, order, body };
    snapshot.apply(&event);
    let lines: Vec<String> = lines(&event, &snapshot).iter().map(Value::to_string).collect();
    for line in &lines {
        let object: Value = serde_json::from_str(line).unwrap();
        assert!(!line.contains('\n') && object["type"].is_string() && object["session_id"] == "demo", "{line}");
    }
    lines.join("\n")
}

fn call_order() -> Option<Order> {
    Some(Order { turn: 1, round: 1, slot: 2 })
}

#[test]
fn assistant_and_thinking() {
    let body = Body::AssistantMessage {
        request: RequestId(1),
        text: "Two\nlines \u{1b}".to_owned(),
        reasoning: vec![ReasoningBlock { text: "Hm.".to_owned(), ..ReasoningBlock::default() }],
        reasoning_ms: 5,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: "a:b".to_owned(),
    };
    insta::assert_snapshot!(written(body, Some(Order { turn: 1, round: 2, slot: 1 })), @r##"
{"type":"thinking","session_id":"demo","content":"Hm."}
{"type":"assistant","session_id":"demo","content":"Two\nlines \u001b"}
"##);
}

#[test]
fn tool_use() {
    let body = Body::ToolStarted {
        call: CallId("c2".to_owned()),
        server: "files".to_owned(),
        tool: "view".to_owned(),
        arguments: json!({ "path": "a" }),
    };
    insta::assert_snapshot!(written(body, Some(Order { turn: 1, round: 1, slot: 3 })), @r##"
{"type":"tool_use","session_id":"demo","tool":"view","tool_id":"c2","server":"files","params":{"path":"a"}}
"##);
}

#[test]
fn tool_result() {
    let image = Content::Media { media_type: "image/png".to_owned(), base64: "AAAA".repeat(500) };
    let body = Body::ToolFinished {
        call: CallId("c1".to_owned()),
        outcome: ToolOutcome::Error,
        content: Content::Parts(vec![Content::Text("no".to_owned()), image]),
        full_bytes: 2,
        spill: Some("/d/whole.txt".to_owned()),
        elapsed_ms: 7,
    };
    insta::assert_snapshot!(written(body, call_order()), @r##"
{"type":"tool_result","session_id":"demo","tool":"list","tool_id":"c1","server":"files","content":"no\n[image/png, 1.5 KB]","success":false,"outcome":"error","elapsed_ms":7,"whole":"/d/whole.txt"}
"##);
}

#[test]
fn cost_is_of_the_session_and_null_when_unknown() {
    let finished = |cost| Body::RequestFinished {
        request: RequestId(1),
        purpose: Purpose::Main,
        usage: Usage { input: 1000, output: 20, cache_read: 900, cache_write: 5, reasoning: 7, cost },
        first_token_ms: 1,
        elapsed_ms: 2,
    };
    insta::assert_snapshot!(written(finished(Some(0.25)), None), @r##"
{"type":"cost","session_id":"demo","session_tokens":1020,"session_cost":0.25,"input_tokens":1000,"output_tokens":20,"cache_read_tokens":900,"cache_write_tokens":5,"reasoning_tokens":7,"auxiliary_tokens":0,"auxiliary_cost":null,"children_tokens":0,"children_cost":null}
"##);
    insta::assert_snapshot!(written(finished(None), None), @r##"
{"type":"cost","session_id":"demo","session_tokens":1020,"session_cost":null,"input_tokens":1000,"output_tokens":20,"cache_read_tokens":900,"cache_write_tokens":5,"reasoning_tokens":7,"auxiliary_tokens":0,"auxiliary_cost":null,"children_tokens":0,"children_cost":null}
"##);
}

#[test]
fn status() {
    let model = ModelInfo { name: "script:tour".to_owned(), scripted: true, ..ModelInfo::default() };
    let bodies = [
        Body::ModelChanged { model, effort: Effort::High },
        Body::TurnEnded { turn: TurnId(1), outcome: TurnOutcome::Stopped("$1 spent".to_owned()), elapsed_ms: 9 },
        Body::Notice { level: Level::Info, source: "config".to_owned(), text: "wrote it".to_owned(), hint: None },
        Body::CommandOutput { line: "/info".to_owned(), output: "all well".to_owned() },
        Body::Decided(Decision::CallRefused { tool: "rm".to_owned(), reason: "no such tool".to_owned() }),
        Body::ServerChanged {
            server: "git".to_owned(),
            kind: ServerKind::Stdio,
            state: ServerState::Failed { reason: "exit code 1.".to_owned(), advice: "Set KEY.".to_owned() },
            command: "git-mcp".to_owned(),
            stderr: vec!["KEY missing".to_owned()],
        },
    ];
    let all: Vec<String> = bodies.into_iter().map(|body| written(body, None)).collect();
    insta::assert_snapshot!(all.join("\n"), @r##"
{"type":"status","session_id":"demo","message":"model script:tour","data":{"model":"script:tour","effort":"high","scripted":true}}
{"type":"status","session_id":"demo","message":"stopped","data":{"turn":1,"outcome":"stopped","reason":"$1 spent","elapsed_ms":9}}
{"type":"status","session_id":"demo","message":"wrote it","data":{"level":"info","source":"config","hint":null}}
{"type":"status","session_id":"demo","message":"all well","data":{"command":"/info"}}
{"type":"status","session_id":"demo","message":"rm refused: no such tool","data":{"level":"warning","source":"tools","decision":{"call_refused":{"tool":"rm","reason":"no such tool"}}}}
{"type":"status","session_id":"demo","message":"git: exit code 1. Set KEY.","data":{"server":"git","state":{"failed":{"reason":"exit code 1.","advice":"Set KEY."}},"stderr":["KEY missing"]}}
"##);
}

/// The gate that cannot be asked is no error of the run: the verdict says what follows.
#[test]
fn a_call_beside_the_agents_own() {
    let purpose = Purpose::Supervisor(crate::proto::Mechanic::Gate);
    let usage = Usage { input: 50, output: 5, cost: Some(0.5), ..Usage::default() };
    let request = RequestId(2);
    let fault = Fault::new(crate::proto::FaultKind::Network, "No connection.", "Wait.");
    let bodies = [
        Body::RequestFailed { request, purpose, fault },
        Body::RequestFinished { request, purpose, usage, first_token_ms: 1, elapsed_ms: 2 },
    ];
    let all: Vec<String> = bodies.into_iter().map(|body| written(body, None)).collect();
    insta::assert_snapshot!(all.join("\n"), @r##"
{"type":"status","session_id":"demo","message":"No connection.","data":{"level":"warning","source":"model","purpose":{"supervisor":"gate"},"kind":"network"}}
{"type":"cost","session_id":"demo","session_tokens":55,"session_cost":0.5,"input_tokens":50,"output_tokens":5,"cache_read_tokens":0,"cache_write_tokens":0,"reasoning_tokens":0,"auxiliary_tokens":55,"auxiliary_cost":0.5,"children_tokens":0,"children_cost":null}
"##);
}

#[test]
fn error() {
    let fault = Fault::new(crate::proto::FaultKind::RateLimit, "Too many requests.", "Wait a minute.");
    let failed = Body::RequestFailed { request: RequestId(1), purpose: Purpose::Main, fault };
    let notice =
        Body::Notice { level: Level::Error, source: "journal".to_owned(), text: "disk full".to_owned(), hint: None };
    insta::assert_snapshot!([written(failed, None), written(notice, None)].join("\n"), @r##"
{"type":"error","session_id":"demo","message":"Too many requests.","data":{"kind":"rate_limit","advice":"Wait a minute.","detail":null}}
{"type":"error","session_id":"demo","message":"disk full","data":{"source":"journal","hint":null}}
"##);
}

#[test]
fn mcp_notification() {
    let body = Body::ToolProgress { call: CallId("c1".to_owned()), note: Some("half".to_owned()), fraction: Some(0.5) };
    insta::assert_snapshot!(written(body, call_order()), @r##"
{"type":"mcp_notification","session_id":"demo","server":"files","method":"notifications/progress","params":{"progress":0.5,"message":"half"},"tool_id":"c1"}
"##);
}

#[test]
fn injected() {
    let body = Body::UserMessage {
        content: Content::Text("<validation/>".to_owned()),
        attachments: Vec::new(),
        origin: Origin::System { kind: "skill_validator".to_owned(), label: "lint".to_owned() },
    };
    insta::assert_snapshot!(written(body, Some(Order { turn: 2, round: 0, slot: 1 })), @r##"
{"type":"injected","session_id":"demo","source_kind":"skill_validator","source_label":"lint","content":"<validation/>"}
"##);
}

#[test]
fn what_is_no_line() {
    let person =
        Body::UserMessage { content: Content::Text("hi".to_owned()), attachments: Vec::new(), origin: Origin::Person };
    let delta = Body::TextDelta { request: RequestId(1), offset: 0, text: "x".to_owned() };
    for body in [person, delta, Body::ViewCleared, Body::SessionEnded] {
        assert_eq!(written(body, Some(Order { turn: 2, round: 0, slot: 1 })), "");
    }
}
