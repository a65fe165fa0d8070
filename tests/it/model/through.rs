//! Ollama, and the protocols that genai speaks, over a real socket.

use octomind::model::{Delta, Message, Part, ToolResult, open};
use octomind::proto::{CallId, FaultKind, ReasoningBlock, StopReason, ToolCall, Usage};

use super::endpoint::{Do, chunk, head, serve, status, stream};
use super::{collect, config, env, request, run, text};

const NDJSON: &str = "application/x-ndjson";
const SSE: &str = "text/event-stream";

#[test]
fn ollama_answers_and_gets_a_context_that_fits() {
    let reply = [
        "{\"message\":{\"role\":\"assistant\",\"thinking\":\"hm\"},\"done\":false}\n",
        "{\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"tool_calls\":[{\"function\":{\"name\":\"ls\",\"arguments\":{\"p\":\"x\"}}}]},\"done\":false}\n",
        "{\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":21,\"eval_count\":4}\n",
    ];
    let endpoint = serve(vec![stream(NDJSON, &reply)]);
    let model = open("acme:qwen3", &config(&endpoint.url, "ollama"), &env()).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request(&"word ".repeat(9000))));
    assert_eq!((text(&deltas).as_str(), fault), ("Hi", None));
    assert_eq!(deltas[0], Delta::Reasoning("hm".into()));
    assert!(deltas.iter().any(|d| matches!(d, Delta::Call(call) if call.name == "ls" && call.arguments == serde_json::json!({"p": "x"}) && !call.provider_id.is_empty())));
    assert!(deltas.contains(&Delta::Usage(Usage { input: 21, output: 4, ..Usage::default() })));
    assert_eq!(deltas.last(), Some(&Delta::Stop(StopReason::ToolCalls)));
    let seen = endpoint.seen.recv().unwrap();
    assert!(seen.head.starts_with("POST /api/chat "), "{}", seen.head);
    assert_eq!(seen.body["options"]["num_ctx"], 16_384, "{}", seen.body["options"]);
    assert_eq!(seen.body["options"]["num_predict"], 1000);
    assert_eq!(seen.body.get("think"), None, "models without thinking refuse it");
}

#[test]
fn ollama_errors_inside_the_stream_are_not_passed_over() {
    let endpoint = serve(vec![
        stream(NDJSON, &["{\"error\":\"model 'nope' not found, try pulling it first\"}\n"]),
        vec![head(NDJSON), chunk("{\"message\":{\"content\":\"half\"},\"done\":false}\n"), Do::Reset],
        stream(NDJSON, &["{\"message\":{\"content\":\"half\"},\"done\":false}\n"]),
        status("404 Not Found", "", "{\"error\":\"model \\\"nope\\\" not found\"}"),
    ]);
    let model = open("acme:nope", &config(&endpoint.url, "ollama"), &env()).unwrap();
    let mut kinds = Vec::new();
    for _ in 0..4 {
        let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
        kinds.push((text(&deltas), fault.unwrap().kind));
    }
    let half = || ("half".to_owned(), FaultKind::Cut);
    let unknown = || (String::new(), FaultKind::UnknownModel);
    assert_eq!(kinds, vec![unknown(), half(), half(), unknown()]);
}

#[test]
fn a_stalled_stream_is_a_stall_here_too() {
    let endpoint = serve(vec![vec![head(NDJSON), chunk("{\"message\":{\"content\":\"a\"}}\n"), Do::Hang]]);
    let model = open("acme:m", &config(&endpoint.url, "ollama"), &env()).unwrap();
    let mut quick = request("hi");
    quick.idle_timeout = std::time::Duration::from_millis(300);
    let (deltas, fault) = run(collect(model.as_ref(), quick));
    assert_eq!((text(&deltas).as_str(), fault.unwrap().kind), ("a", FaultKind::Stalled));
}

fn gemini(endpoint: &str) -> std::sync::Arc<dyn octomind::model::Model> {
    let env = octomind::config::Env::from_pairs([
        ("GEMINI_API_KEY", "AIza-very-secret"),
        ("GOOGLE_STUDIO_API_URL", &format!("{endpoint}/v1beta")),
    ]);
    open("google-studio:gemini-3-pro", &octomind::config::Config::template(), &env).unwrap()
}

#[test]
fn gemini_gets_its_thought_signature_back() {
    let part = r#"{"functionCall":{"name":"ls","args":{"p":"x"}},"thoughtSignature":"SIG"}"#;
    let reply = format!(
        "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{part}],\"role\":\"model\"}},\"finishReason\":\"STOP\"}}],\"usageMetadata\":{{\"promptTokenCount\":5,\"candidatesTokenCount\":2,\"totalTokenCount\":7}}}}\n\n"
    );
    let endpoint = serve(vec![stream(SSE, &[&reply])]);
    let model = gemini(&endpoint.url);
    let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
    assert_eq!(fault, None);
    let call = deltas.iter().find_map(|d| if let Delta::Call(call) = d { Some(call.clone()) } else { None }).unwrap();
    assert_eq!((call.name.as_str(), call.signature.as_deref()), ("ls", Some("SIG")));
    assert_eq!(deltas.last(), Some(&Delta::Stop(StopReason::ToolCalls)));
    let reasoning: Vec<ReasoningBlock> = deltas
        .iter()
        .filter_map(|d| if let Delta::ReasoningDone(block) = d { Some(block.clone()) } else { None })
        .collect();

    let mut next = request("hi");
    next.messages.push(Message::Assistant {
        text: String::new(),
        reasoning,
        calls: vec![ToolCall {
            id: CallId("1".into()),
            provider_id: call.provider_id.clone(),
            wire_name: call.name,
            arguments: call.arguments,
            malformed: None,
            signature: call.signature,
        }],
        model: "google-studio:gemini-3-pro".into(),
    });
    next.messages.push(Message::Tools(vec![ToolResult {
        provider_id: call.provider_id,
        wire_name: "ls".into(),
        parts: vec![Part::Text("a.txt".into())],
        error: false,
    }]));
    endpoint.seen.recv().unwrap();
    run(collect(model.as_ref(), next));
    let sent = endpoint.seen.recv().unwrap().body.to_string();
    assert_eq!(sent.matches("\"thoughtSignature\":\"SIG\"").count(), 1, "{sent}");
    assert!(sent.contains("functionResponse") && sent.contains("a.txt"));
}

#[test]
fn gemini_errors_name_the_cause() {
    let body = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}"#;
    let endpoint = serve(vec![
        status("400 Bad Request", "content-type: application/json\r\n", body),
        stream(
            SSE,
            &[
                "data: {\"error\":{\"code\":503,\"message\":\"The model is overloaded.\",\"status\":\"UNAVAILABLE\"}}\n\n",
            ],
        ),
    ]);
    let model = gemini(&endpoint.url);
    let fault = run(collect(model.as_ref(), request("hi"))).1.unwrap();
    assert_eq!(fault.kind, FaultKind::WrongKey, "{fault:?}");
    assert!(fault.advice.contains("GEMINI_API_KEY"));
    let fault = run(collect(model.as_ref(), request("hi"))).1.unwrap();
    assert_eq!(fault.kind, FaultKind::Overloaded, "{fault:?}");
}

#[test]
fn responses_stream_text_calls_and_usage() {
    let events = [
        r#"{"type":"response.created","response":{"id":"r1","status":"in_progress"}}"#,
        r#"{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Hi"}"#,
        r#"{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"f","call_id":"c1","name":"ls","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","item_id":"f","output_index":1,"delta":"{\"p\":\"x\"}"}"#,
        r#"{"type":"response.function_call_arguments.done","item_id":"f","output_index":1,"arguments":"{\"p\":\"x\"}"}"#,
        r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"f","call_id":"c1","name":"ls","arguments":"{\"p\":\"x\"}"}}"#,
        r#"{"type":"response.completed","response":{"id":"r1","object":"response","created_at":1,"model":"gpt-x","status":"completed","output":[],"usage":{"input_tokens":11,"output_tokens":3,"total_tokens":14}}}"#,
    ];
    let reply: String = events
        .iter()
        .map(|json| {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            format!("event: {}\ndata: {json}\n\n", value["type"].as_str().unwrap())
        })
        .collect();
    let endpoint = serve(vec![stream(SSE, &[&reply])]);
    let model = open("acme:gpt-x", &config(&format!("{}/v1", endpoint.url), "responses"), &env()).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
    assert_eq!((text(&deltas).as_str(), fault), ("Hi", None));
    assert!(deltas.iter().any(|d| matches!(d, Delta::Call(call) if call.provider_id == "c1" && call.arguments == serde_json::json!({"p": "x"}))), "{deltas:?}");
    assert!(deltas.contains(&Delta::Usage(Usage { input: 11, output: 3, ..Usage::default() })), "{deltas:?}");
    let seen = endpoint.seen.recv().unwrap();
    assert!(seen.head.starts_with("POST /v1/responses "), "{}", seen.head);
    assert_eq!(seen.body.get("temperature"), None);
}

#[test]
fn a_failed_response_says_why() {
    let failed = |code: &str, message: &str| {
        format!(
            "event: response.failed\ndata: {{\"type\":\"response.failed\",\"response\":{{\"id\":\"r1\",\"object\":\"response\",\"created_at\":1,\"model\":\"m\",\"status\":\"failed\",\"output\":[],\"error\":{{\"code\":\"{code}\",\"message\":\"{message}\"}}}}}}\n\n"
        )
    };
    let endpoint = serve(vec![
        stream(SSE, &[&failed("rate_limit_exceeded", "Rate limit reached, try again in 2s")]),
        stream(SSE, &[&failed("context_length_exceeded", "Your input exceeds the context window")]),
        status("401 Unauthorized", "", r#"{"error":{"code":"invalid_api_key"}}"#),
        vec![head(SSE), chunk("data: {\"type\":\"response.output_text.delta\",\"delta\":\"half\"}\n\n"), Do::Reset],
    ]);
    let model = open("acme:gpt-x", &config(&format!("{}/v1", endpoint.url), "responses"), &env()).unwrap();
    let kinds: Vec<FaultKind> = (0..4).map(|_| run(collect(model.as_ref(), request("hi"))).1.unwrap().kind).collect();
    assert_eq!(kinds, [FaultKind::RateLimit, FaultKind::ContextOverflow, FaultKind::WrongKey, FaultKind::Cut]);
}

#[test]
fn an_account_without_summaries_is_asked_without_them_from_then_on() {
    let refusal = r#"{"error":{"message":"Your organization must be verified to generate reasoning summaries.","type":"invalid_request_error","param":"reasoning.summary","code":"unsupported_value"}}"#;
    let fine = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{}}\n\n";
    let endpoint = serve(vec![status("400 Bad Request", "", refusal), stream(SSE, &[fine])]);
    let model = open("acme:gpt-5.2", &config(&format!("{}/v1", endpoint.url), "responses"), &env()).unwrap();
    for _ in 0..2 {
        let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
        assert_eq!((text(&deltas).as_str(), fault), ("Hi", None));
    }
    let asked: Vec<bool> =
        endpoint.seen.try_iter().map(|seen| seen.body["reasoning"].get("summary").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
}
