use std::time::{Duration, Instant};

use futures::StreamExt;
use octomind::model::{Delta, RawCall, open};
use octomind::proto::{FaultKind, StopReason, Usage};
use tokio_util::sync::CancellationToken;

use super::endpoint::{Do, chunk, end, head, serve, status, stream};
use super::{collect, config, env, request, run, text};

const SSE: &str = "text/event-stream";

fn say(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

#[test]
fn a_chat_reply_comes_over_the_wire_with_its_cost() {
    let reply = [
        say("Hel"),
        say("lo"),
        r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#.to_owned() + "\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000000,\"completion_tokens\":0}}\n\ndata: [DONE]\n\n".to_owned(),
    ]
    .concat();
    // Cut in the middle of a character and of a line end.
    let endpoint = serve(vec![stream(SSE, &[&reply[..7], &reply[7..60], &reply[60..]])]);
    let mut config = config(&format!("{}/v1", endpoint.url), "openai");
    config.providers.get_mut("acme").unwrap().prices = Some(toml::from_str("input = 2.0").unwrap());
    let model = open("acme:m1", &config, &env()).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
    assert_eq!(fault, None);
    assert_eq!(text(&deltas), "Hello");
    let call = RawCall {
        provider_id: "c".into(),
        name: "ls".into(),
        arguments: serde_json::json!({}),
        malformed: None,
        signature: None,
    };
    assert_eq!(
        deltas[2..],
        [
            Delta::Usage(Usage { input: 1_000_000, cost: Some(2.0), ..Usage::default() }),
            Delta::Call(call),
            Delta::Stop(StopReason::ToolCalls)
        ]
    );
    let seen = endpoint.seen.recv().unwrap();
    assert!(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{}", seen.head);
    assert!(seen.head.contains("authorization: Bearer sk-very-secret-key-0123456789"));
    assert_eq!(seen.body, model.wire(&request("hi")), "Wire shows what was sent");
    assert!(model.info().priced);
}

#[test]
fn a_messages_reply_comes_over_the_wire() {
    let reply = "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    let endpoint = serve(vec![stream(SSE, &[reply])]);
    for (suffix, path) in [("", "/v1/messages"), ("/v1", "/v1/messages"), ("/anthropic", "/anthropic/v1/messages")] {
        let model = open("acme:claude-x", &config(&format!("{}{suffix}", endpoint.url), "anthropic"), &env()).unwrap();
        let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
        assert_eq!((text(&deltas).as_str(), fault), ("Hi", None));
        let seen = endpoint.seen.recv().unwrap();
        assert!(seen.head.starts_with(&format!("POST {path} ")), "{}", seen.head);
        assert!(seen.head.contains("x-api-key: sk-very") && seen.head.contains("anthropic-version: 2023-06-01"));
    }
}

#[test]
fn a_status_becomes_a_fault_with_what_to_do() {
    let table = [
        (
            "401 Unauthorized",
            "",
            r#"{"error":{"message":"Incorrect API key provided: sk-very-secret-key-0123456789."}}"#,
            FaultKind::WrongKey,
            None,
        ),
        ("403 Forbidden", "", r#"{"error":{"message":"Your key has no access to this"}}"#, FaultKind::WrongKey, None),
        (
            "404 Not Found",
            "",
            r#"{"error":{"message":"The model `m1` does not exist","code":"model_not_found"}}"#,
            FaultKind::UnknownModel,
            None,
        ),
        ("404 Not Found", "", "<html>nothing here</html>", FaultKind::BadRequest, None),
        (
            "400 Bad Request",
            "",
            r#"{"error":{"message":"This model's maximum context length is 4096 tokens, you sent 5000 tokens"}}"#,
            FaultKind::ContextOverflow,
            None,
        ),
        ("429 Too Many Requests", "retry-after: 3\r\n", "{}", FaultKind::RateLimit, Some(3000)),
        ("429 Too Many Requests", "retry-after-ms: 70\r\n", "", FaultKind::RateLimit, Some(70)),
        ("429 Too Many Requests", "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "", FaultKind::RateLimit, Some(0)),
        (
            "429 Too Many Requests",
            "",
            r#"{"error":{"message":"Please try again in 1.5s."}}"#,
            FaultKind::RateLimit,
            Some(1500),
        ),
        ("429 Too Many Requests", "", "", FaultKind::RateLimit, None),
        (
            "429 Too Many Requests",
            "",
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            FaultKind::OutOfCredit,
            None,
        ),
        ("402 Payment Required", "", "", FaultKind::OutOfCredit, None),
        (
            "529 Overloaded",
            "",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            FaultKind::Overloaded,
            None,
        ),
        ("503 Service Unavailable", "retry-after: 1\r\n", "<html>", FaultKind::Server, Some(1000)),
        (
            "500 Internal Server Error",
            "",
            r#"{"error":{"message":"no user query found in messages"}}"#,
            FaultKind::Server,
            None,
        ),
        ("400 Bad Request", "", r#"{"error":{"message":"tools.0.name is wrong"}}"#, FaultKind::BadRequest, None),
    ];
    for (line, headers, body, kind, wait) in table {
        let endpoint = serve(vec![status(line, headers, body)]);
        let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
        let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
        let fault = fault.expect(line);
        assert_eq!((fault.kind, fault.retry_after_ms, deltas.len()), (kind, wait, 0), "{line} {body}");
        assert!(fault.message.ends_with(['.', '!', '…']) && !fault.advice.is_empty(), "{fault:?}");
        assert!(!format!("{fault:?}").contains("secret"), "a key is shown: {fault:?}");
    }
}

#[test]
fn a_missing_key_is_named_before_anything_is_sent() {
    let fault =
        open("acme:m1", &config("http://127.0.0.1:1", "openai"), &octomind::config::Env::default()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::NoKey);
    assert!(fault.message.contains("ACME_API_KEY") && fault.advice.contains("ACME_API_KEY"));
}

#[test]
fn nobody_listening_on_this_machine_is_a_fault_of_its_own_that_says_where() {
    let model = open("acme:m1", &config("http://127.0.0.1:1/v1", "openai"), &env()).unwrap();
    let fault = run(collect(model.as_ref(), request("hi"))).1.unwrap();
    assert_eq!(fault.kind, FaultKind::NotRunning);
    assert!(fault.message.contains("127.0.0.1:1") && fault.advice.contains("Start the server"), "{fault:?}");
}

#[test]
fn a_connection_cut_in_mid_word_keeps_the_word_and_says_cut() {
    let endpoint = serve(vec![vec![head(SSE), chunk(&say("half a wo")), Do::Reset]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
    assert_eq!((text(&deltas).as_str(), fault.unwrap().kind), ("half a wo", FaultKind::Cut));
}

#[test]
fn silence_is_a_stall_and_keep_alives_are_not() {
    let beat = || [Do::Wait(Duration::from_millis(120)), chunk(": ping\n\n")];
    let mut script = vec![head(SSE), chunk(&say("a"))];
    (0..5).for_each(|_| script.extend(beat()));
    script.extend([chunk(&say("b")), chunk(": x\n"), Do::Hang]);
    let endpoint = serve(vec![script, vec![Do::Hang]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    let mut slow = request("hi");
    slow.idle_timeout = Duration::from_millis(400);
    let (deltas, fault) = run(collect(model.as_ref(), slow.clone()));
    assert_eq!((text(&deltas).as_str(), fault.unwrap().kind), ("ab", FaultKind::Stalled));
    let (_, before_any_byte) = run(collect(model.as_ref(), slow));
    assert_eq!(before_any_byte.unwrap().kind, FaultKind::Stalled);
}

#[test]
fn a_server_that_never_closes_after_its_reason_does_not_hold_the_reply() {
    let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let endpoint = serve(vec![vec![head(SSE), chunk(&say("all")), chunk(stop), Do::Hang]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    let mut quick = request("hi");
    quick.idle_timeout = Duration::from_millis(200);
    let (deltas, fault) = run(collect(model.as_ref(), quick));
    assert_eq!((text(&deltas).as_str(), fault), ("all", None));
    assert_eq!(deltas.last(), Some(&Delta::Stop(StopReason::End)));
}

#[test]
fn cancelling_closes_the_connection_at_once() {
    let endpoint = serve(vec![vec![head(SSE), chunk(&say("a")), Do::Hang]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    run(async {
        let cancel = CancellationToken::new();
        let mut stream = model.stream(request("hi"), cancel.clone());
        assert_eq!(stream.next().await, Some(Ok(Delta::Text("a".into()))));
        let asked = Instant::now();
        cancel.cancel();
        assert_eq!(stream.next().await.unwrap().unwrap_err().kind, FaultKind::Cancelled);
        assert_eq!(stream.next().await, None);
        assert!(asked.elapsed() < Duration::from_secs(5));
    });
    endpoint.left.recv_timeout(Duration::from_secs(10)).expect("the connection stayed open");
}

#[test]
fn dropping_the_stream_closes_the_connection() {
    let endpoint = serve(vec![vec![head(SSE), chunk(&say("a")), Do::Hang]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    run(async {
        let mut stream = model.stream(request("hi"), CancellationToken::new());
        assert_eq!(stream.next().await, Some(Ok(Delta::Text("a".into()))));
        drop(stream);
        let gone = tokio::task::spawn_blocking(move || endpoint.left.recv_timeout(Duration::from_secs(10)));
        gone.await.unwrap().expect("the connection stayed open");
    });
}

#[test]
fn a_key_does_not_follow_a_redirect_to_another_host() {
    let elsewhere = serve(vec![stream(SSE, &[&say("x"), "data: [DONE]\n\n"])]);
    let other = elsewhere.url.replace("127.0.0.1", "localhost");
    let moved = serve(vec![status("307 Temporary Redirect", &format!("location: {other}/v1/messages\r\n"), "")]);
    let model = open("acme:m1", &config(&moved.url, "anthropic"), &env()).unwrap();
    let (deltas, fault) = run(collect(model.as_ref(), request("hi")));
    assert_eq!((deltas.len(), fault.unwrap().kind), (0, FaultKind::BadRequest));
    assert!(elsewhere.seen.try_recv().is_err(), "the request went to another host");
}

#[test]
fn an_error_object_inside_a_good_status_is_shown_as_it_is() {
    let body = "data: {\"error\":{\"message\":\"Invalid API key\",\"type\":\"authentication_error\"}}\n\n";
    let endpoint = serve(vec![vec![head(SSE), chunk(body), end()]]);
    let model = open("acme:m1", &config(&endpoint.url, "openai"), &env()).unwrap();
    let fault = run(collect(model.as_ref(), request("hi"))).1.unwrap();
    assert_eq!((fault.kind, fault.retryable()), (FaultKind::WrongKey, false));
    assert!(fault.advice.contains("ACME_API_KEY"));
}

/// A server on one connection: two requests must come over it, or the second is never answered.
#[test]
fn a_finished_reply_leaves_its_connection_for_the_next_request() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 65_536];
        for _ in 0..2 {
            // The requests here are small enough to come in one piece or two; the last byte is `}`.
            loop {
                let read = stream.read(&mut buffer).unwrap();
                if read == 0 || buffer[read - 1] == b'}' {
                    break;
                }
            }
            for step in stream_of(&[&say("ok"), "data: [DONE]\n\n"]) {
                stream.write_all(&step).unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    });
    let model = open("acme:m1", &config(&url, "openai"), &env()).unwrap();
    run(async {
        assert_eq!(text(&collect(model.as_ref(), request("hi")).await.0), "ok");
        // While the rest of the first answer is on its way a new connection is opened, which this
        // server never answers; so an answer means that the first one was used again.
        let mut quick = request("hi");
        quick.idle_timeout = Duration::from_millis(300);
        let deadline = Instant::now() + Duration::from_secs(15);
        while text(&collect(model.as_ref(), quick.clone()).await.0) != "ok" {
            assert!(Instant::now() < deadline, "the connection was not used again");
        }
    });
}

fn stream_of(pieces: &[&str]) -> Vec<Vec<u8>> {
    let bytes = |step: Do| match step {
        Do::Send(bytes) => Some(bytes),
        _ => None,
    };
    stream(SSE, pieces).into_iter().filter_map(bytes).collect()
}
