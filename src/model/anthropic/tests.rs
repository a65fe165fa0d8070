use serde_json::{Value, json};

use super::*;
use crate::model::{Message, Part, Request, ToolResult, ToolSpec};
use crate::proto::{CallId, Effort, ReasoningBlock, ToolCall};

fn tool(name: &str) -> ToolSpec {
    ToolSpec { name: name.into(), description: "d".into(), schema: json!({"type": "object"}) }
}

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.into())])
}

fn request(messages: Vec<Message>) -> Request {
    Request {
        purpose: crate::proto::Purpose::Main,
        system: "sys".into(),
        tools: vec![tool("a"), tool("b"), tool("dynamic")],
        static_tools: 2,
        messages,
        effort: Effort::Medium,
        max_tokens: 20_000,
        temperature: 0.5,
        top_p: 0.9,
        top_k: 3,
        schema: None,
        idle_timeout: std::time::Duration::ZERO,
    }
}

fn round(id: &str, reasoning: Vec<ReasoningBlock>) -> Vec<Message> {
    let call = ToolCall {
        id: CallId(id.into()),
        provider_id: id.into(),
        wire_name: "a".into(),
        arguments: json!({"p": 1}),
        malformed: None,
        signature: None,
    };
    let result = ToolResult {
        provider_id: id.into(),
        wire_name: "a".into(),
        parts: vec![Part::Text("out".into()), Part::Media { media_type: "image/png".into(), base64: "QQ==".into() }],
        error: true,
    };
    vec![
        Message::Assistant { text: "ok \n".into(), reasoning, calls: vec![call], model: "m".into() },
        Message::Tools(vec![result]),
    ]
}

fn signed() -> ReasoningBlock {
    ReasoningBlock { text: "hm".into(), signature: Some("S".into()), redacted: None }
}

fn marks(body: &Value) -> usize {
    body.to_string().matches("cache_control").count()
}

#[test]
fn there_are_four_marks_however_long_the_session_and_none_on_a_dynamic_tool() {
    let mut messages = vec![user("one")];
    assert_eq!(marks(&body("claude-x", &request(messages.clone()))), 3);
    for index in 0..7 {
        messages.extend(round(&index.to_string(), vec![]));
    }
    messages.push(user("steer"));
    let body = body("claude-x", &request(messages));
    assert_eq!(marks(&body), 4);
    assert!(body["system"][0].get("cache_control").is_some());
    assert!(body["tools"][1].get("cache_control").is_some(), "the last static tool");
    assert!(body["tools"][2].get("cache_control").is_none());
    let last = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["content"][1]["text"], "steer", "results and the message after them are one turn");
    assert!(last["content"][1].get("cache_control").is_some());
}

#[test]
fn what_passes_with_the_request_is_behind_the_mark() {
    let note = "<octomind-note kind=\"recite\">\nthe goal\n</octomind-note>";
    let mut messages = vec![user("one")];
    messages.extend(round("1", vec![signed()]));
    let without = body("claude-x", &request(messages.clone()));
    messages.push(user(note));
    let with = body("claude-x", &request(messages.clone()));
    let last = with["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["content"][1]["text"], note);
    assert!(last["content"][0].get("cache_control").is_some() && last["content"][1].get("cache_control").is_none());
    assert_eq!(marks(&with), marks(&without));
    assert_eq!(with["thinking"], without["thinking"]);
    // A round that began without thinking is still one.
    messages.truncate(1);
    messages.extend(round("1", vec![]));
    let open = body("claude-x", &request(messages.clone()));
    messages.push(user(note));
    assert_eq!(body("claude-x", &request(messages))["thinking"], open["thinking"]);
}

#[test]
fn only_dynamic_tools_means_no_mark_on_tools() {
    let request = Request { static_tools: 0, ..request(vec![user("x")]) };
    assert!(!body("claude-x", &request)["tools"].to_string().contains("cache_control"));
}

#[test]
fn the_static_prefix_is_the_same_bytes_from_turn_to_turn() {
    let prefix = |messages| {
        let body = body("claude-x", &request(messages));
        (body["system"].to_string(), body["tools"].to_string())
    };
    let mut longer = vec![user("one")];
    longer.extend(round("1", vec![]));
    assert_eq!(prefix(vec![user("one")]), prefix(longer));
}

#[test]
fn thinking_hidden_thinking_calls_and_results_go_back_in_their_order() {
    let hidden = ReasoningBlock { redacted: Some("XYZ".into()), ..ReasoningBlock::default() };
    let unsigned = ReasoningBlock { text: "lost".into(), ..ReasoningBlock::default() };
    let mut messages = vec![user("one")];
    messages.extend(round("t1", vec![signed(), hidden, unsigned]));
    let body = body("claude-sonnet-4-5", &request(messages));
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            {"type": "thinking", "thinking": "hm", "signature": "S"},
            {"type": "redacted_thinking", "data": "XYZ"},
            {"type": "text", "text": "ok"},
            {"type": "tool_use", "id": "t1", "name": "a", "input": {"p": 1}},
        ])
    );
    let result = &body["messages"][2]["content"][0];
    assert_eq!((&result["tool_use_id"], &result["is_error"]), (&json!("t1"), &json!(true)));
    assert_eq!(result["content"][1]["source"]["data"], "QQ==");
}

#[test]
fn each_generation_is_asked_to_think_in_its_own_way() {
    let with = |model: &str, effort: Effort| body(model, &Request { effort, ..request(vec![user("x")]) });
    let budget = with("claude-sonnet-4-5", Effort::Medium);
    assert_eq!(budget["thinking"], json!({"type": "enabled", "budget_tokens": 8192}));
    assert!(budget.get("temperature").is_none() && budget.get("top_k").is_none(), "thinking takes no sampling");
    let adaptive = with("claude-opus-4-6", Effort::Xhigh);
    assert_eq!(
        (&adaptive["thinking"]["type"], &adaptive["output_config"]["effort"]),
        (&json!("adaptive"), &json!("high"))
    );
    assert_eq!(with("claude-opus-4-8", Effort::Xhigh)["output_config"]["effort"], "xhigh");
    assert_eq!(with("anthropic/claude-sonnet-4.6", Effort::Low)["output_config"]["effort"], "low");
    let off = with("claude-sonnet-4-5", Effort::None);
    assert_eq!((off.get("thinking"), &off["temperature"], &off["top_k"]), (None, &json!(0.5), &json!(3)));
    assert!(off.get("top_p").is_none(), "temperature and top_p are refused together");
    assert_eq!(with("claude-sonnet-5", Effort::None)["thinking"], json!({"type": "disabled"}));
    for plain in ["claude-3-5-haiku-20241022", "MiniMax-M2", "glm-5"] {
        assert!(with(plain, Effort::High).get("thinking").is_none(), "{plain}");
    }
}

#[test]
fn thinking_is_not_asked_for_in_a_round_that_began_without_it() {
    let mut bare = vec![user("x")];
    bare.extend(round("t", vec![]));
    assert!(body("claude-sonnet-4-5", &request(bare.clone())).get("thinking").is_none());
    bare.push(user("next"));
    assert!(body("claude-sonnet-4-5", &request(bare)).get("thinking").is_some(), "a new turn may think again");
    let mut thought = vec![user("x")];
    thought.extend(round("t", vec![signed()]));
    assert!(body("claude-sonnet-4-5", &request(thought)).get("thinking").is_some());
    let small = Request { max_tokens: 1500, ..request(vec![user("x")]) };
    assert!(body("claude-sonnet-4-5", &small).get("thinking").is_none(), "no room for a budget");
}

#[test]
fn a_schema_is_sent_beside_the_effort() {
    let request = Request { schema: Some(json!({"type": "object"})), ..request(vec![user("x")]) };
    let config = body("claude-opus-4-6", &request)["output_config"].clone();
    assert_eq!((&config["effort"], &config["format"]["type"]), (&json!("medium"), &json!("json_schema")));
}
