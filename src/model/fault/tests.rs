use std::time::Duration;

use serde_json::json;

use super::*;

fn asked() -> Asked {
    Asked {
        provider: "acme".into(),
        model: "m1".into(),
        key_variable: Some("ACME_API_KEY".into()),
        host: "acme.example".into(),
    }
}

fn headers(name: &'static str, value: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
}

#[test]
fn a_date_to_wait_for_counts_from_now() {
    let date = "Wed, 21 Oct 2015 07:28:00 GMT";
    let then = httpdate::parse_http_date(date).unwrap();
    let wait = |now| retry_after(&headers("retry-after", date), now);
    assert_eq!(wait(then - Duration::from_secs(90)), Some(90_000));
    assert_eq!(wait(then + Duration::from_secs(90)), Some(0));
    let odd = |value| retry_after(&headers("retry-after", value), then);
    assert_eq!((odd("2.5"), odd("-1"), odd("soon"), odd("inf")), (Some(2500), None, None, None));
}

#[test]
fn waits_are_read_from_words() {
    for (words, wait) in [
        ("Please try again in 20s.", Some(20_000)),
        ("try again in 7.66s", Some(7660)),
        ("Try again in 6ms", Some(6)),
        ("Please retry in 2 minutes", Some(120_000)),
        ("try again in a while", None),
        ("", None),
    ] {
        assert_eq!(wait_in_words(words), wait, "{words}");
    }
}

#[test]
fn an_overflow_gives_its_numbers() {
    for (message, expected) in [
        ("prompt is too long: 210000 tokens > 200000 maximum", "The prompt has 210000 tokens, m1 takes 200000."),
        (
            "maximum context length is 8,192 tokens. However, your messages resulted in 9,001 tokens",
            "The prompt has 9001 tokens, m1 takes 8192.",
        ),
        (
            "request (15123 tokens) exceeds the available context size (4096 tokens)",
            "The prompt has 15123 tokens, m1 takes 4096.",
        ),
        ("Your input exceeds the context window of this model", "The prompt is longer than m1 takes."),
    ] {
        let fault = from_error(&asked(), &json!({ "message": message }));
        assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::ContextOverflow, expected));
    }
}

#[test]
fn errors_are_found_wherever_a_provider_puts_them() {
    let kind = |value| from_error(&asked(), &value).kind;
    assert_eq!(
        kind(json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "x"}}])),
        FaultKind::RateLimit
    );
    assert_eq!(
        kind(json!({"error": {"message": "Provider returned error", "metadata": {"raw": "overloaded"}}})),
        FaultKind::Overloaded
    );
    assert_eq!(kind(json!({"detail": "Invalid API key"})), FaultKind::WrongKey);
    assert_eq!(
        kind(json!({"type": "error", "error": {"type": "not_found_error", "message": "model: claude-9"}})),
        FaultKind::UnknownModel
    );
    assert_eq!(
        kind(json!({"error": {"type": "invalid_request_error", "message": "tools.0: bad"}})),
        FaultKind::BadRequest
    );
    assert_eq!(kind(json!("boom")), FaultKind::Server);
    assert_eq!(kind(json!({})), FaultKind::Server);
}

#[test]
fn nothing_that_looks_like_a_key_is_kept() {
    for secret in
        ["sk-proj-abc", "gsk_12345", "AIzaSyABC", "(sk-abc123)", "0123456789abcdef0123456789abcdef", "'xai-zz'"]
    {
        let kept = shorten(&format!("bad key {secret} given"));
        assert_eq!(kept, "bad key … given", "{secret}");
    }
    assert_eq!(shorten("model claude-sonnet-4-5-20250929 not found"), "model claude-sonnet-4-5-20250929 not found");
    assert_eq!(shorten(&"long ".repeat(400)).chars().count(), 401);
}

#[test]
fn every_fault_is_one_sentence_with_advice() {
    let faults = [
        cancelled(),
        stalled(Duration::from_millis(1500)),
        cut("acme"),
        no_key(&asked()),
        protocol(&asked(), "x", "y"),
        from_status(&asked(), 418, &HeaderMap::new(), "", SystemTime::UNIX_EPOCH),
        from_status(&asked(), 502, &HeaderMap::new(), "<html><h1>Bad gateway</h1></html>", SystemTime::UNIX_EPOCH),
    ];
    for fault in faults {
        assert!(fault.message.ends_with('.') && !fault.message.contains('\n'), "{fault:?}");
        assert!(fault.advice.ends_with('.') && !fault.advice.contains('<'), "{fault:?}");
    }
}
