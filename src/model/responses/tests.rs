use serde_json::json;

use super::*;
use crate::model::{Message, Part, Request, ToolResult, ToolSpec};
use crate::proto::{CallId, Effort, ReasoningBlock, ToolCall};

fn request(messages: Vec<Message>) -> Request {
    Request {
        purpose: crate::proto::Purpose::Main,
        system: "sys".into(),
        tools: vec![ToolSpec { name: "ls".into(), description: "d".into(), schema: json!({"type": "object"}) }],
        static_tools: 1,
        messages,
        effort: Effort::Medium,
        max_tokens: 10,
        temperature: 0.5,
        top_p: 0.75,
        top_k: 4,
        schema: None,
        idle_timeout: std::time::Duration::ZERO,
    }
}

fn user(text: &str) -> Message {
    Message::User(vec![Part::Text(text.into())])
}

#[test]
fn a_plain_body_is_exactly_this() {
    assert_eq!(
        body("gpt-5.2", &request(vec![user("a")]), Summaries::Asked).to_string(),
        r#"{"model":"gpt-5.2","stream":true,"store":false,"instructions":"sys","tools":[{"type":"function","name":"ls","description":"d","parameters":{"type":"object"},"strict":false}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}],"max_output_tokens":16,"reasoning":{"effort":"medium","summary":"auto"},"include":["reasoning.encrypted_content"]}"#
    );
}

#[test]
fn reasoning_goes_back_in_its_place_and_results_follow() {
    let call = |id: &str| ToolCall {
        id: CallId(id.into()),
        provider_id: id.into(),
        wire_name: "ls".into(),
        arguments: json!({"p": 1}),
        malformed: None,
        signature: None,
    };
    let kept = |proof: &str, after: usize| {
        let item = json!({"type": "reasoning", "summary": [], "encrypted_content": proof});
        let redacted = serde_json::to_string(&Kept { item, after }).unwrap();
        ReasoningBlock { text: "shown".into(), signature: None, redacted: Some(redacted) }
    };
    let unproved = ReasoningBlock { text: "hm".into(), signature: None, redacted: None };
    let of_genai = ReasoningBlock { redacted: Some("[{\"ReasoningContent\":\"x\"}]".into()), ..unproved.clone() };
    let reasoning = vec![kept("E0", 0), unproved, of_genai, kept("E1", 1), kept("E2", 2)];
    let image = Part::Media { media_type: "image/png".into(), base64: "QQ==".into() };
    let result = |id: &str, parts| ToolResult { provider_id: id.into(), wire_name: "ls".into(), parts, error: false };
    let messages = vec![
        user("go"),
        Message::Assistant {
            text: "I look.".into(),
            reasoning,
            calls: vec![call("c1"), call("c2")],
            model: "m".into(),
        },
        Message::Tools(vec![
            result("c1", vec![Part::Text("one".into()), Part::Text("two".into())]),
            result("c2", vec![Part::Text("seen".into()), image]),
        ]),
    ];
    let body = body("gpt-5.2", &request(messages), Summaries::LeftOut);
    let short: Vec<String> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| match item["type"].as_str().unwrap() {
            "reasoning" => item["encrypted_content"].as_str().unwrap().to_owned(),
            "message" => format!("{} {}", item["role"].as_str().unwrap(), item["content"][0]["text"]),
            other => format!("{other} {} {}", item["call_id"].as_str().unwrap(), item["output"]),
        })
        .collect();
    assert_eq!(
        short,
        [
            "user \"go\"",
            "E0",
            "assistant \"I look.\"",
            "function_call c1 null",
            "E1",
            "function_call c2 null",
            "function_call_output c1 \"one\\ntwo\"",
            "function_call_output c2 [{\"type\":\"input_text\",\"text\":\"seen\"},{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,QQ==\"}]",
        ]
    );
    assert_eq!(body["input"][3]["arguments"], "{\"p\":1}");
    assert_eq!(body["reasoning"], json!({"effort": "medium"}));
}

#[test]
fn every_model_is_asked_for_an_effort_it_takes_or_for_none() {
    let asked = |model: &str, effort: Effort| {
        let body = body(model, &Request { effort, ..request(vec![user("a")]) }, Summaries::Asked);
        let word = body["reasoning"]["effort"].as_str().map(str::to_owned);
        (word, body.get("temperature").is_some(), body.get("include").is_some())
    };
    let reasons = |word: &str| (Some(word.to_owned()), false, true);
    for (model, effort, word) in [
        ("gpt-5-mini", Effort::None, "minimal"),
        ("gpt-5", Effort::Max, "high"),
        ("gpt-5-codex", Effort::None, "low"),
        ("gpt-5-pro", Effort::Low, "high"),
        ("gpt-5.1", Effort::None, "none"),
        ("gpt-5.1", Effort::Xhigh, "high"),
        ("gpt-5.1-codex-max", Effort::Max, "xhigh"),
        ("gpt-5.2", Effort::Max, "xhigh"),
        ("gpt-5.2-pro", Effort::Low, "medium"),
        ("gpt-5.3-codex", Effort::None, "low"),
        ("gpt-6-mini", Effort::None, "none"),
        ("o3-pro", Effort::Max, "high"),
        ("openai/gpt-oss-120b", Effort::None, "low"),
    ] {
        assert_eq!(asked(model, effort), reasons(word), "{model} {effort:?}");
    }
    assert_eq!(asked("gpt-4.1", Effort::High), (None, true, false));
    assert_eq!(asked("qwen3-32b", Effort::High), (None, true, false));
    assert_eq!(asked("gpt-x", Effort::High), (None, false, false), "nothing that it may refuse");
}
