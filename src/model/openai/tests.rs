use serde_json::json;

use super::*;
use crate::model::{Message, Part, Request, ToolResult, ToolSpec};
use crate::proto::{CallId, Effort, ReasoningBlock, ToolCall};

fn request() -> Request {
    Request {
        purpose: crate::proto::Purpose::Main,
        system: "sys".into(),
        tools: vec![ToolSpec { name: "ls".into(), description: "d".into(), schema: json!({"type": "object"}) }],
        static_tools: 1,
        messages: vec![Message::User(vec![Part::Text("a".into()), Part::Text("b".into())])],
        effort: Effort::Medium,
        max_tokens: 10,
        temperature: 0.5,
        top_p: 0.75,
        top_k: 4,
        schema: None,
        idle_timeout: std::time::Duration::ZERO,
    }
}

fn round(reasoning: Vec<ReasoningBlock>, parts: Vec<Part>) -> Vec<Message> {
    let call = ToolCall {
        id: CallId("1".into()),
        provider_id: "c1".into(),
        wire_name: "ls".into(),
        arguments: json!({"p": 1}),
        malformed: None,
        signature: Some("SIG".into()),
    };
    vec![
        Message::Assistant { text: String::new(), reasoning, calls: vec![call], model: "m".into() },
        Message::Tools(vec![ToolResult { provider_id: "c1".into(), wire_name: "ls".into(), parts, error: false }]),
    ]
}

#[test]
fn a_plain_body_is_exactly_this() {
    assert_eq!(
        body(&Dialect::plain(), "m", &request()).to_string(),
        r#"{"model":"m","stream":true,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"ls","description":"d","parameters":{"type":"object"}}}],"messages":[{"role":"system","content":"sys"},{"role":"user","content":"a\n\nb"}],"max_tokens":10,"temperature":0.5,"top_p":0.75}"#
    );
}

#[test]
fn effort_goes_where_each_dialect_wants_it() {
    let with = |effort: EffortStyle, level: Effort| {
        let request = Request { effort: level, ..request() };
        body(&Dialect { effort, ..Dialect::plain() }, "m", &request)
    };
    assert_eq!(with(EffortStyle::Plain, Effort::Max)["reasoning_effort"], "xhigh");
    assert_eq!(with(EffortStyle::Nested, Effort::Low)["reasoning"], json!({"effort": "low"}));
    assert_eq!(with(EffortStyle::Nested, Effort::None)["reasoning"], json!({"enabled": false}));
    assert_eq!(with(EffortStyle::Thinking, Effort::None)["thinking"], json!({"type": "disabled"}));
    assert_eq!(with(EffortStyle::Absent, Effort::High).get("reasoning_effort"), None);
}

#[test]
fn sampling_is_left_out_where_it_is_refused() {
    let with = |sampling: Sampling, effort: Effort| {
        let request = Request { effort, ..request() };
        let body = body(&Dialect { sampling, ..Dialect::plain() }, "m", &request);
        (body.get("temperature").is_some(), body.get("top_p").is_some())
    };
    assert_eq!(with(Sampling::Always, Effort::High), (true, true));
    assert_eq!(with(Sampling::UnlessThinking, Effort::High), (false, false));
    assert_eq!(with(Sampling::UnlessThinking, Effort::None), (true, true));
    assert_eq!(with(Sampling::Never, Effort::None), (false, false));
    let body = body(&Dialect { reasoning_model: true, ..Dialect::plain() }, "o3", &request());
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(10), None));
}

#[test]
fn reasoning_goes_back_in_the_field_it_came_from() {
    let details = r#"[{"type":"reasoning.text","text":"hm","signature":"S"}]"#;
    let block = ReasoningBlock { text: "hm".into(), signature: None, redacted: Some(details.into()) };
    let sent = |carrier, reasoning| {
        let mut request = request();
        request.messages.extend(round(reasoning, vec![Part::Text("x".into())]));
        body(&Dialect { carrier, ..Dialect::plain() }, "m", &request)["messages"][2].clone()
    };
    assert_eq!(sent(Carrier::ReasoningContent, vec![block.clone()])["reasoning_content"], "hm");
    let empty = sent(Carrier::ReasoningContent, vec![ReasoningBlock::default()]);
    assert_eq!(empty["reasoning_content"], "", "the empty carrier is sent");
    let back: serde_json::Value = serde_json::from_str(details).unwrap();
    assert_eq!(sent(Carrier::Details, vec![block.clone()])["reasoning_details"], back);
    let absent = sent(Carrier::Absent, vec![block]);
    assert_eq!((absent.get("reasoning_content"), &absent["content"]), (None, &serde_json::Value::Null));
    assert_eq!(absent["tool_calls"][0]["function"]["arguments"], "{\"p\":1}");
    assert_eq!(absent["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "SIG");
}

#[test]
fn an_image_of_a_tool_follows_in_a_user_message() {
    let mut request = request();
    let image = Part::Media { media_type: "image/png".into(), base64: "QQ==".into() };
    request.messages.extend(round(vec![], vec![Part::Text("seen".into()), image]));
    let messages = body(&Dialect::plain(), "m", &request)["messages"].clone();
    assert_eq!(messages[3]["content"], "seen\n[image/png of this result follows below]");
    assert_eq!(messages[4]["role"], "user");
    assert_eq!(messages[4]["content"][1]["image_url"]["url"], "data:image/png;base64,QQ==");
}

#[test]
fn what_passes_with_the_request_is_behind_the_marks_of_a_gateway() {
    let note = "<octomind-note kind=\"recite\">\nthe goal\n</octomind-note>";
    let marked = Dialect { cache_marks: true, ..Dialect::plain() };
    let mut request = request();
    request.messages = vec![Message::User(vec![Part::Text("go".into()), Part::Text(note.into())])];
    let content = body(&marked, "anthropic/x", &request)["messages"][1]["content"].clone();
    assert_eq!((&content[0]["text"], &content[1]["text"]), (&"go".into(), &note.into()));
    assert!(content[0].get("cache_control").is_some() && content[1].get("cache_control").is_none());
    request.messages = vec![Message::User(vec![Part::Text("go".into())])];
    request.messages.extend(round(vec![], vec![Part::Text("x".into())]));
    request.messages.push(Message::User(vec![Part::Text(note.into())]));
    let messages = body(&marked, "anthropic/x", &request)["messages"].clone();
    assert!(messages[1]["content"][0].get("cache_control").is_some(), "the newest that stays");
    assert_eq!(messages.as_array().unwrap().last().unwrap()["content"], note);
}

#[test]
fn a_gateway_to_anthropic_gets_at_most_four_marks() {
    let mut request = request();
    for _ in 0..6 {
        request.messages.extend(round(vec![], vec![Part::Text("x".into())]));
        request.messages.push(Message::User(vec![Part::Text("more".into())]));
    }
    let body = body(&Dialect { cache_marks: true, ..Dialect::plain() }, "anthropic/x", &request);
    assert_eq!(body.to_string().matches("cache_control").count(), 3);
    let messages = body["messages"].as_array().unwrap();
    assert!(messages[0]["content"][0].get("cache_control").is_some());
    assert!(messages.last().unwrap()["content"][0].get("cache_control").is_some());
}

#[test]
fn two_thousand_chunks_cost_little() {
    let mut decoder = Decoder::new(crate::model::fault::Asked::default());
    let chunk = r#"{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}"#;
    let begun = std::time::Instant::now();
    let mut out = Vec::new();
    for _ in 0..2000 {
        decoder.event("", chunk, &mut out).unwrap();
    }
    assert_eq!(out.len(), 2000);
    // 0.1 s when optimised; ten times that here, on a busy machine and without optimisation.
    assert!(begun.elapsed().as_millis() < 1000, "{:?}", begun.elapsed());
}
