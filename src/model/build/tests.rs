use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::proto::{Attachment, Body, CallId, Origin, RequestId, StopReason};

fn profile() -> ModelProfile {
    ModelProfile {
        name: "p:m".into(),
        reasoning_effort: crate::proto::Effort::Medium,
        max_tokens: 1000,
        temperature: 0.3,
        top_p: 1.0,
        top_k: 0,
        max_retries: 1,
        retry_timeout: 1,
        request_timeout_seconds: 60,
    }
}

fn build(bodies: &[Body], traits: Traits) -> (Request, Vec<Decision>) {
    let mut history = History::default();
    bodies.iter().for_each(|body| history.apply(body));
    let profile = profile();
    let frame = Frame {
        model: "p:m",
        traits,
        system: "be brief",
        tools: &[],
        static_tools: 0,
        profile: &profile,
        schema: None,
    };
    request(&history, &frame, &|hash| match hash {
        "known" => Some(Content::Text("the whole".to_owned())),
        "picture" => Some(Content::Media { media_type: "image/png".into(), base64: "QUJD".into() }),
        _ => None,
    })
}

fn user(text: &str) -> Body {
    Body::UserMessage { content: Content::Text(text.into()), attachments: vec![], origin: Origin::Person }
}

fn call(id: &str, provider_id: &str, name: &str) -> ToolCall {
    ToolCall {
        id: CallId(id.into()),
        provider_id: provider_id.into(),
        wire_name: name.into(),
        arguments: serde_json::json!({}),
        malformed: None,
        signature: None,
    }
}

fn assistant(text: &str, calls: Vec<ToolCall>, reasoning: Vec<ReasoningBlock>, model: &str) -> Body {
    Body::AssistantMessage {
        request: RequestId(1),
        text: text.into(),
        reasoning,
        reasoning_ms: 0,
        calls,
        stop: StopReason::End,
        scripted: false,
        model: model.into(),
    }
}

fn finished(id: &str, content: Content) -> Body {
    Body::ToolFinished {
        call: CallId(id.into()),
        outcome: ToolOutcome::Ok,
        content,
        full_bytes: 0,
        spill: None,
        elapsed_ms: 0,
    }
}

fn kinds(decisions: &[Decision]) -> Vec<(RepairKind, u32)> {
    decisions
        .iter()
        .map(|decision| match decision {
            Decision::RequestRepaired { kind, count, .. } => (*kind, *count),
            other => panic!("not a repair: {other:?}"),
        })
        .collect()
}

fn results(request: &Request) -> Vec<Vec<(String, String)>> {
    let text = |result: &ToolResult| match &result.parts[0] {
        Part::Text(text) => text.clone(),
        Part::Media { media_type, .. } => media_type.clone(),
    };
    request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tools(list) => Some(list.iter().map(|r| (r.provider_id.clone(), text(r))).collect()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_dangling_call_of_a_later_turn_does_not_take_the_earlier_result() {
    let bodies = [
        user("one"),
        assistant("", vec![call("call_1", "call_1", "ls")], vec![], "p:m"),
        finished("call_1", Content::Text("first".into())),
        user("two"),
        assistant("", vec![call("call_1", "call_1", "ls")], vec![], "p:m"),
        user("three"),
    ];
    let (request, decisions) = build(&bodies, Traits::default());
    assert_eq!(
        results(&request),
        vec![vec![("call_1".into(), "first".into())], vec![("call_1_2".into(), INTERRUPTED.into())]]
    );
    assert_eq!(kinds(&decisions), vec![(RepairKind::CallId, 1), (RepairKind::DanglingCall, 1)]);
}

#[test]
fn results_come_in_call_order_whatever_order_they_finished_in() {
    let bodies = [
        user("go"),
        assistant("", vec![call("a", "a", "ls"), call("b", "b", "ls")], vec![], "p:m"),
        finished("b", Content::Text("B".into())),
        user("typed in between"),
        finished("a", Content::Text("A".into())),
    ];
    let (request, decisions) = build(&bodies, Traits::default());
    assert_eq!(results(&request), vec![vec![("a".into(), "A".into()), ("b".into(), "B".into())]]);
    assert_eq!(decisions, vec![]);
    assert!(matches!(request.messages[2], Message::Tools(_)), "results stand right after their calls");
}

#[test]
fn a_result_nobody_asked_for_is_left_out_and_named() {
    let (request, decisions) = build(&[user("hi"), finished("ghost", Content::Text("x".into()))], Traits::default());
    assert_eq!(request.messages, vec![Message::User(vec![Part::Text("hi".into())])]);
    assert_eq!(kinds(&decisions), vec![(RepairKind::OrphanResult, 1)]);
}

#[test]
fn stored_names_that_providers_refuse_are_changed_on_replay() {
    let long = "x".repeat(80);
    let bodies = [
        user("go"),
        assistant("", vec![call("a", "", "no such tool"), call("b", "i d", &long)], vec![], "p:m"),
        finished("a", Content::Text("x".into())),
        finished("b", Content::Text(" ".into())),
    ];
    let (request, decisions) = build(&bodies, Traits::default());
    let Message::Assistant { calls, .. } = &request.messages[1] else { panic!("no assistant") };
    assert_eq!((calls[0].wire_name.as_str(), calls[0].provider_id.as_str()), ("no_such_tool", "call_1"));
    assert_eq!((calls[1].wire_name.len(), calls[1].provider_id.as_str()), (64, "i_d"));
    assert_eq!(kinds(&decisions), vec![(RepairKind::CallId, 2), (RepairKind::ToolName, 2)]);
    assert_eq!(results(&request)[0][1].1, "(no output)");
}

#[test]
fn reasoning_goes_back_only_to_the_model_that_wrote_it() {
    let block = ReasoningBlock { text: "hm".into(), signature: Some("s".into()), redacted: None };
    let bodies = [
        user("a"),
        assistant("mine", vec![], vec![block.clone()], "p:m"),
        user("b"),
        assistant("theirs", vec![], vec![block.clone()], "other:m"),
        user("c"),
    ];
    let welcome = Traits { reasoning: Replay::Welcome, ..Traits::default() };
    let (request, decisions) = build(&bodies, welcome);
    let kept: Vec<usize> = request
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { reasoning, .. } => Some(reasoning.len()),
            _ => None,
        })
        .collect();
    assert_eq!(kept, vec![1, 0]);
    assert_eq!(kinds(&decisions), vec![(RepairKind::Reasoning, 1)]);
}

#[test]
fn a_tool_message_without_reasoning_gets_an_empty_carrier_where_one_is_demanded() {
    let bodies =
        [user("a"), assistant("", vec![call("a", "a", "ls")], vec![], "p:m"), finished("a", Content::default())];
    let demanded = Traits { reasoning: Replay::Demanded, ..Traits::default() };
    let (request, decisions) = build(&bodies, demanded);
    let Message::Assistant { reasoning, .. } = &request.messages[1] else { panic!("no assistant") };
    assert_eq!(reasoning, &vec![ReasoningBlock::default()]);
    assert_eq!(kinds(&decisions), vec![(RepairKind::Reasoning, 1)]);
}

#[test]
fn images_become_a_note_for_a_model_without_eyes_and_never_text() {
    let image = Content::Media { media_type: "image/png".into(), base64: "QUJD".into() };
    let attachment = Attachment { name: "a\"b.png".into(), media_type: "image/png".into(), content: image.clone() };
    let message =
        Body::UserMessage { content: Content::default(), attachments: vec![attachment], origin: Origin::Person };
    let (blind, decisions) = build(std::slice::from_ref(&message), Traits::default());
    let shown = format!("{:?}", blind.messages);
    assert!(shown.contains("left out: this model does not take images") && !shown.contains("QUJD"), "{shown}");
    assert_eq!(kinds(&decisions), vec![(RepairKind::UnsupportedContent, 1)]);
    let (seeing, decisions) = build(&[message], Traits { images: true, ..Traits::default() });
    assert_eq!(
        seeing.messages,
        vec![Message::User(vec![
            Part::Text("[file: a_b.png]".into()),
            Part::Media { media_type: "image/png".into(), base64: "QUJD".into() }
        ])]
    );
    assert_eq!(decisions, vec![]);
}

#[test]
fn a_blob_is_loaded_and_a_lost_one_leaves_its_preview() {
    let blob = |hash: &str| Content::Blob { hash: hash.into(), bytes: 9, preview: "the".into() };
    let bodies = [
        user("a"),
        assistant("", vec![call("a", "a", "x"), call("b", "b", "x")], vec![], "p:m"),
        finished("a", blob("known")),
        finished("b", blob("lost")),
    ];
    let (request, decisions) = build(&bodies, Traits::default());
    assert_eq!(results(&request)[0][0].1, "the whole");
    assert_eq!(results(&request)[0][1].1, "the\n[the rest of 9 bytes is gone]");
    assert_eq!(kinds(&decisions), vec![(RepairKind::UnsupportedContent, 1)]);
}

fn any_body() -> impl Strategy<Value = Body> {
    let id = prop_oneof![Just(""), Just("1"), Just("2"), Just("call 1")];
    let name = prop_oneof![Just(""), Just("ls"), Just("bad name!"), Just("é")];
    let text = prop_oneof![Just(""), Just(" \n"), Just("words")];
    let content = prop_oneof![
        text.clone().prop_map(|text| Content::Text(text.into())),
        Just(Content::Media { media_type: "image/png".into(), base64: "QQ==".into() }),
        Just(Content::Parts(vec![])),
        Just(Content::Blob { hash: "lost".into(), bytes: 1, preview: String::new() }),
    ];
    let arguments =
        prop_oneof![Just(serde_json::json!({})), Just(serde_json::json!("{bad")), Just(serde_json::json!([1]))];
    let calls = proptest::collection::vec(
        (id.clone(), id.clone(), name, arguments)
            .prop_map(|(id, provider_id, name, arguments)| ToolCall { arguments, ..call(id, provider_id, name) }),
        0..3,
    );
    let model = prop_oneof![Just("p:m"), Just("other:m")];
    let reasoning =
        proptest::collection::vec(Just(ReasoningBlock { text: "r".into(), signature: None, redacted: None }), 0..2);
    prop_oneof![
        content.clone().prop_map(|content| Body::UserMessage { content, attachments: vec![], origin: Origin::Person }),
        (text, calls, reasoning, model)
            .prop_map(|(text, calls, reasoning, model)| assistant(text, calls, reasoning, model)),
        (id, content).prop_map(|(id, content)| finished(id, content)),
        Just(Body::ViewCleared),
    ]
}

fn valid(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn filled(parts: &[Part]) -> bool {
    !parts.is_empty() && parts.iter().all(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()))
}

fn check(request: &Request) {
    let mut ids = BTreeSet::new();
    for (index, message) in request.messages.iter().enumerate() {
        let next = request.messages.get(index + 1);
        match message {
            Message::User(parts) => {
                assert!(filled(parts));
                assert!(!matches!(next, Some(Message::User(_))), "two user messages in a row");
            }
            Message::Assistant { text, calls, .. } => {
                assert!(!text.trim().is_empty() || !calls.is_empty());
                for call in calls {
                    assert!(valid(&call.provider_id) && ids.insert(call.provider_id.clone()));
                    assert!(valid(&call.wire_name) && call.arguments.is_object());
                }
                let answered = match next {
                    Some(Message::Tools(results)) => results.iter().map(|result| result.provider_id.clone()).collect(),
                    _ => vec![],
                };
                assert_eq!(answered, calls.iter().map(|call| call.provider_id.clone()).collect::<Vec<_>>());
            }
            Message::Tools(results) => {
                assert!(matches!(request.messages.get(index.wrapping_sub(1)), Some(Message::Assistant { .. })));
                assert!(results.iter().all(|result| filled(&result.parts)));
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_happened_the_request_is_one_a_provider_takes(
        bodies in proptest::collection::vec(any_body(), 0..16),
        demanded in any::<bool>(),
        images in any::<bool>(),
    ) {
        let reasoning = if demanded { Replay::Demanded } else { Replay::Never };
        let traits = Traits { reasoning, images, ..Traits::default() };
        let (request, decisions) = build(&bodies, traits);
        check(&request);
        prop_assert_eq!(build(&bodies, traits), (request, decisions));
    }

    #[test]
    fn what_was_sent_stays_as_it_was_when_the_history_grows(
        bodies in proptest::collection::vec(any_body(), 0..12),
    ) {
        // Up to the last answered message: later results may still fill what is open now.
        let mut closed = bodies.clone();
        closed.push(assistant("end", vec![], vec![], "p:m"));
        let results_only_after = |body: &Body| !matches!(body, Body::ToolFinished { .. });
        let (before, _) = build(&closed, Traits::default());
        let mut longer = closed;
        longer.extend(bodies.into_iter().filter(results_only_after));
        let (after, _) = build(&longer, Traits::default());
        prop_assert_eq!(&after.messages[..before.messages.len()], &before.messages[..]);
    }
}

#[test]
fn media_beside_the_journal_is_loaded_when_it_is_sent() {
    let content = Content::Blob { hash: "picture".into(), bytes: 3, preview: "[image/png]".into() };
    let bodies = [Body::UserMessage { content, attachments: vec![], origin: Origin::Person }];
    let (sent, _) = build(&bodies, Traits { images: true, ..Traits::default() });
    assert_eq!(
        sent.messages,
        [Message::User(vec![Part::Media { media_type: "image/png".into(), base64: "QUJD".into() }])]
    );
    let (sent, repairs) = build(&bodies, Traits::default());
    assert!(
        matches!(&sent.messages[0], Message::User(parts) if matches!(&parts[0], Part::Text(text) if text.contains("left out")))
    );
    assert_eq!(repairs.len(), 1);
}
