use proptest::prelude::*;
use serde_json::json;

use super::*;

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        "\\PC{0,8}".prop_map(Content::Text),
        Just(Content::Blob { hash: "00".into(), bytes: 9, preview: "p".into() }),
        Just(Content::Parts(vec![
            Content::Text("a".into()),
            Content::Media { media_type: "image/png".into(), base64: "QUJD".into() }
        ])),
    ]
}

fn call() -> impl Strategy<Value = CallId> {
    (0u8..4).prop_map(|id| CallId(format!("c{id}")))
}

fn request() -> impl Strategy<Value = RequestId> {
    (0u32..3).prop_map(RequestId)
}

fn outcome() -> impl Strategy<Value = ToolOutcome> {
    prop_oneof![Just(ToolOutcome::Ok), Just(ToolOutcome::Error), Just(ToolOutcome::Cancelled)]
}

fn rewind() -> impl Strategy<Value = RewindEvent> {
    let state = |name: &str| Some(FileState { blob: name.to_owned(), mode: 0o100_644 });
    let change = move |path: u8| FileChange { path: format!("f{path}"), before: state("a"), after: state("b") };
    let to = prop_oneof![(0u32..4).prop_map(|turn| RewindTo::Turn(TurnId(turn))), Just(RewindTo::Before)];
    let what = prop_oneof![Just(RewindWhat::Both), Just(RewindWhat::Files), Just(RewindWhat::Conversation)];
    prop_oneof![
        (0u32..4, 0u8..3).prop_map(move |(turn, path)| RewindEvent::FilesChanged {
            turn: TurnId(turn),
            changes: vec![change(path)]
        }),
        (to, what, 0u8..3).prop_map(move |(to, what, path)| {
            let files = vec![change(path)];
            RewindEvent::Rewound(Box::new(Rewound { to, what, messages: 2, files, left: Vec::new() }))
        }),
    ]
}

fn session_body() -> impl Strategy<Value = Body> {
    let text = || "[a-z]{0,4}";
    prop_oneof![
        text().prop_map(|name| Body::SessionStarted {
            name,
            role: "r".into(),
            workdir: "/w".into(),
            folder: "/f".into(),
            version: "1".into()
        }),
        any::<bool>().prop_map(|held| Body::SessionResumed {
            events: 1,
            skipped: 0,
            read_only: held.then(|| "process 1".into()),
            version: "1".into()
        }),
        text().prop_map(|role| Body::RoleChanged { role }),
        text().prop_map(|name| Body::ModelChanged {
            model: ModelInfo { name, ..ModelInfo::default() },
            effort: Effort::High
        }),
        text().prop_map(|title| Body::TitleChanged { title }),
        rewind().prop_map(Body::Rewind),
        Just(Body::ViewCleared),
        Just(Body::SessionEnded),
        (0u32..4).prop_map(|turn| Body::TurnStarted { turn: TurnId(turn) }),
        (0u32..4).prop_map(|turn| Body::TurnEnded {
            turn: TurnId(turn),
            outcome: TurnOutcome::Failed("x".into()),
            elapsed_ms: 3
        }),
        content().prop_map(|content| Body::UserMessage { content, attachments: Vec::new(), origin: Origin::Person }),
        ((0u32..3), text()).prop_map(|(id, text)| Body::Queued { id: QueueId(id), text, mode: SubmitMode::Queue }),
        ((0u32..3), text()).prop_map(|(id, text)| Body::QueueEdited { id: QueueId(id), text }),
        (0u32..3).prop_map(|id| Body::Unqueued { id: QueueId(id) }),
    ]
}

fn request_body() -> impl Strategy<Value = Body> {
    let usage = any::<(u16, u16, Option<f32>)>().prop_map(|(input, output, cost)| Usage {
        input: input.into(),
        output: output.into(),
        cost: cost.filter(|cost| cost.is_finite()).map(f64::from),
        ..Usage::default()
    });
    let purpose = prop_oneof![Just(Purpose::Main), Just(Purpose::Supervisor(crate::proto::Mechanic::Gate))];
    prop_oneof![
        request().prop_map(|request| Body::RequestStarted {
            request,
            purpose: Purpose::Main,
            model: "m".into(),
            estimated_tokens: 1,
            bytes: 2,
            tools: 3,
            prefix: "p".into()
        }),
        (request(), 0u64..6, "\\PC{0,3}").prop_map(|(request, offset, text)| Body::TextDelta { request, offset, text }),
        (request(), 0u64..6, "\\PC{0,3}").prop_map(|(request, offset, text)| Body::ReasoningDelta {
            request,
            offset,
            text
        }),
        request().prop_map(|request| Body::CallForming { request, tool: "t".into(), argument_bytes: 4 }),
        (request(), "\\PC{0,5}", any::<bool>()).prop_map(|(request, text, thought)| Body::AssistantMessage {
            request,
            text,
            reasoning: if thought {
                vec![ReasoningBlock { text: "hm".into(), ..ReasoningBlock::default() }]
            } else {
                Vec::new()
            },
            reasoning_ms: 5,
            calls: Vec::new(),
            stop: StopReason::Interrupted,
            scripted: false,
            model: "m".into()
        }),
        (request(), purpose, usage).prop_map(|(request, purpose, usage)| Body::RequestFinished {
            request,
            purpose,
            usage,
            first_token_ms: 1,
            elapsed_ms: 2
        }),
        request().prop_map(|request| Body::RequestFailed {
            request,
            purpose: Purpose::Main,
            fault: Fault::new(FaultKind::Server, "m", "a")
        }),
        request().prop_map(|request| Body::RetryScheduled { request, at: 9, attempt: 1, of: 2, reason: "r".into() }),
    ]
}

fn other_body() -> impl Strategy<Value = Body> {
    let server = || "[ab]";
    prop_oneof![
        call().prop_map(|call| Body::ToolStarted {
            call,
            server: "s".into(),
            tool: "t".into(),
            arguments: json!({"a": 1.5})
        }),
        (call(), any::<Option<f32>>()).prop_map(|(call, fraction)| Body::ToolProgress {
            call,
            note: Some("n".into()),
            fraction
        }),
        (call(), outcome(), content()).prop_map(|(call, outcome, content)| Body::ToolFinished {
            call,
            outcome,
            content,
            full_bytes: 1,
            spill: None,
            elapsed_ms: 2
        }),
        server().prop_map(|server| Body::ServerChanged {
            server,
            kind: ServerKind::Stdio,
            state: ServerState::Ready { since: 1 },
            command: "c".into(),
            stderr: vec!["e".into()]
        }),
        server().prop_map(|server| Body::ServerTools { server, tools: Vec::new() }),
        server().prop_map(|server| Body::ServerGone { server }),
        Just(Body::Decided(Decision::CallRefused { tool: "t".into(), reason: "r".into() })),
        any::<f32>().prop_filter("finite", |factor| factor.is_finite()).prop_map(|factor| Body::Decided(
            Decision::Calibrated {
                model: "m".into(),
                estimated: 1,
                reported: 2,
                factor_before: factor,
                factor_after: factor
            }
        )),
        Just(Body::Notice { level: Level::Warning, source: "s".into(), text: "t".into(), hint: None }),
        Just(Body::CommandOutput { line: "/x".into(), output: "o".into() }),
        (0u32..3).prop_map(|id| Body::Asked(Ask { id: AskId(id), kind: AskKind::RetryCutStream { shown_chars: 1 } })),
        (0u32..3).prop_map(|id| Body::Answered { ask: AskId(id), answer: Answer::No }),
        any::<Option<u32>>().prop_map(|window| Body::ContextMeasured {
            tokens: 1,
            window: window.map(u64::from),
            system: 2,
            tools: 3,
            history: 4
        }),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let order = prop::option::weighted(0.8, (0u32..4, 0u32..3, 0u32..5).prop_map(Order::from));
    // Mostly rising, with gaps; now and then one that came before.
    let step = prop_oneof![9 => 1u64..4, 1 => Just(0)];
    let body = prop_oneof![session_body(), request_body(), other_body()];
    prop::collection::vec((step, order, body), 0..60).prop_map(|drafts| {
        let mut seq = 0;
        drafts
            .into_iter()
            .map(|(step, order, body)| {
                seq += step;
                Event { seq: Seq(seq), at: 1000 + seq, order, body }
            })
            .collect()
    })
}

fn folded<'a>(events: impl IntoIterator<Item = &'a Event>) -> Snapshot {
    let mut snapshot = Snapshot::default();
    events.into_iter().for_each(|event| snapshot.apply(event));
    snapshot
}

fn saved<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

proptest! {
    #[test]
    fn any_prefix_saved_and_loaded_goes_on_as_if_never_left(events in events(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(events.len() + 1);
        let mut resumed = saved(&folded(&events[..cut]));
        events[cut..].iter().for_each(|event| resumed.apply(event));
        prop_assert_eq!(resumed, folded(&events));
    }

    #[test]
    fn events_read_back_from_json_say_the_same(events in events()) {
        let back: Vec<Event> = events.iter().map(saved).collect();
        prop_assert_eq!(folded(&back), folded(&events));
    }

    #[test]
    fn a_second_application_changes_nothing(events in events()) {
        let once = folded(&events);
        let mut twice = once.clone();
        events.iter().for_each(|event| twice.apply(event));
        prop_assert_eq!(&twice, &once);
        let doubled = folded(events.iter().flat_map(|event| [event, event]));
        prop_assert_eq!(doubled, once);
    }

    #[test]
    fn entries_are_sorted_and_nothing_grows_once_the_session_ended(events in events()) {
        let mut snapshot = folded(&events);
        let end = Event { seq: Seq(u64::MAX), at: 1, order: None, body: Body::SessionEnded };
        snapshot.apply(&end);
        let entries = snapshot.transcript.entries();
        prop_assert!(entries.is_sorted_by(|a, b| a.order < b.order));
        prop_assert!(!snapshot.run.busy() && snapshot.queue.is_empty() && snapshot.asks.is_empty());
        for entry in entries {
            let grows = match &entry.kind {
                EntryKind::Assistant { streaming, .. } | EntryKind::Thinking { streaming, .. } => *streaming,
                EntryKind::Tool { state, .. } => matches!(state, ToolState::Running { .. }),
                _ => false,
            };
            prop_assert!(!grows, "{:?}", entry);
        }
    }
}

fn at(seq: u64, order: (u32, u32, u32), body: Body) -> Event {
    Event { seq: Seq(seq), at: seq, order: Some(order.into()), body }
}

fn text_of(snapshot: &Snapshot, order: (u32, u32, u32)) -> (String, bool) {
    match &snapshot.transcript.get(order.into()).unwrap().kind {
        EntryKind::Assistant { text, streaming, .. } | EntryKind::Thinking { text, streaming, .. } => {
            (text.clone(), *streaming)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_retried_stream_replaces_what_the_first_try_showed() {
    let delta = |seq, request, offset, text: &str| {
        let body = Body::TextDelta { request: RequestId(request), offset, text: text.into() };
        at(seq, (1, 1, 1), body)
    };
    let snapshot =
        folded(&[delta(1, 1, 0, "first "), delta(2, 1, 6, "try"), delta(3, 2, 0, "second"), delta(4, 2, 6, " one")]);
    assert_eq!(text_of(&snapshot, (1, 1, 1)), ("second one".into(), true));
}

#[test]
fn reasoning_that_is_not_part_of_the_message_stops_growing() {
    let thought = Body::ReasoningDelta { request: RequestId(1), offset: 0, text: "hm".into() };
    let message = Body::AssistantMessage {
        request: RequestId(1),
        text: "answer".into(),
        reasoning: Vec::new(),
        reasoning_ms: 0,
        calls: Vec::new(),
        stop: StopReason::End,
        scripted: false,
        model: "m".into(),
    };
    let mut snapshot = folded(&[at(1, (1, 1, 0), thought.clone())]);
    assert_eq!(text_of(&snapshot, (1, 1, 0)), ("hm".into(), true));
    snapshot.apply(&at(2, (1, 1, 1), message));
    assert_eq!(text_of(&snapshot, (1, 1, 0)), ("hm".into(), false));

    let ended = Body::TurnEnded { turn: TurnId(1), outcome: TurnOutcome::Interrupted, elapsed_ms: 1 };
    let snapshot = folded(&[at(1, (1, 1, 0), thought), at(2, (1, 1, 0), ended)]);
    assert_eq!(text_of(&snapshot, (1, 1, 0)), ("hm".into(), false), "an ended turn");
}

#[test]
fn a_result_changes_only_its_own_call() {
    let started = |seq, slot, id: &str| {
        let call = CallId(id.into());
        at(seq, (1, 1, slot), Body::ToolStarted { call, server: "s".into(), tool: "t".into(), arguments: json!({}) })
    };
    let finished = Body::ToolFinished {
        call: CallId("b".into()),
        outcome: ToolOutcome::Ok,
        content: Content::Text("r".into()),
        full_bytes: 1,
        spill: None,
        elapsed_ms: 1,
    };
    let snapshot = folded(&[started(1, 2, "a"), started(2, 3, "b"), at(3, (1, 1, 2), finished)]);
    let running = |slot| match &snapshot.transcript.get((1, 1, slot).into()).unwrap().kind {
        EntryKind::Tool { state, .. } => matches!(state, ToolState::Running { .. }),
        other => panic!("{other:?}"),
    };
    assert!(running(2) && running(3));
}

#[test]
fn only_what_got_smaller_is_marked_as_narrowed() {
    let call = |id: &str| CallId(id.into());
    let mut snapshot = Snapshot::default();
    for (seq, slot, id) in [(1, 1, "a"), (3, 2, "b")] {
        let (server, tool) = ("s".to_owned(), "t".to_owned());
        let arguments = json!({});
        let began = Body::ToolStarted { call: call(id), server, tool, arguments };
        snapshot.apply(&at(seq, (1, 1, slot), began));
        let finished = Body::ToolFinished {
            call: call(id),
            outcome: ToolOutcome::Ok,
            content: Content::Text("r".into()),
            full_bytes: 1,
            spill: None,
            elapsed_ms: 1,
        };
        snapshot.apply(&at(seq + 1, (1, 1, slot), finished));
    }
    let result = |id: &str, after| CondensedResult {
        call: call(id),
        tool: "t".into(),
        before: 900,
        after,
        keep: Keep::All,
        error_lines: 0,
        spill: None,
        trouble: None,
    };
    let condensed = Condensed {
        request: None,
        threshold: 512,
        multiplier: 1.0,
        multiplier_after: 1.0,
        results: vec![result("a", 900), result("b", 90), result("gone", 9)],
        passed_over: 0,
        trouble: None,
    };
    let order = (1, 1, 9);
    snapshot.apply(&at(20, order, Body::Decided(Decision::Condensed(Box::new(condensed)))));
    let narrowed = |slot| match &snapshot.transcript.get((1, 1, slot).into()).unwrap().kind {
        EntryKind::Tool { state: ToolState::Finished { narrowed, .. }, .. } => *narrowed,
        other => panic!("{other:?}"),
    };
    assert_eq!(narrowed(1), None);
    assert_eq!(narrowed(2), Some(Narrowing { before: 900, after: 90 }));
}

fn started(seq: u64, minor: u32, state: StepState, detail: &str) -> Event {
    let step = StepView { step: StartStep::Tag, state, detail: detail.to_owned(), elapsed_ms: 1, output: Vec::new() };
    Event { seq: Seq(seq), at: 1, order: Some((0, 0, minor).into()), body: Body::StartStep { step } }
}

fn steps(snapshot: &Snapshot, index: usize) -> Vec<(StepState, String)> {
    match &snapshot.transcript.entries()[index].kind {
        EntryKind::StartUp { steps } => steps.iter().map(|step| (step.state.clone(), step.detail.clone())).collect(),
        other => panic!("a start, not {other:?}"),
    }
}

#[test]
fn why_a_start_failed_is_told_once() {
    let mut snapshot = Snapshot::default();
    snapshot.apply(&started(1, 1, StepState::Failed, "`x` is nothing"));
    let (level, source) = (Level::Error, "role".to_owned());
    let notice = |text: &str| Body::Notice { level, source: source.clone(), text: text.to_owned(), hint: None };
    let event = |seq, text: &str| Event { seq: Seq(seq), at: 1, order: Some((0, 0, 9).into()), body: notice(text) };
    snapshot.apply(&event(2, "something else"));
    assert_eq!(steps(&snapshot, 0), [(StepState::Failed, "`x` is nothing".to_owned())]);
    snapshot.apply(&event(3, "`x` is nothing\nThe role y is used instead."));
    assert_eq!(steps(&snapshot, 0), [(StepState::Failed, "why stands below".to_owned())]);
}

#[test]
fn a_start_that_was_replaced_is_over() {
    let mut snapshot = Snapshot::default();
    snapshot.apply(&started(1, 1, StepState::Running, "x"));
    snapshot.apply(&started(2, 2, StepState::Running, "y"));
    assert_eq!(steps(&snapshot, 0), [(StepState::Cancelled, "x".to_owned())]);
    assert_eq!(steps(&snapshot, 1), [(StepState::Running, "y".to_owned())]);
}

/// What is done for one capability ends none of what goes on beside it, and tells how long it took.
#[test]
fn what_is_done_for_a_capability_goes_on_beside_others() {
    let mut snapshot = Snapshot::default();
    let servers = |seq, at, minor| {
        let (step, state, detail) = (StartStep::Servers, StepState::Running, "hanger for hanger".to_owned());
        let step = StepView { step, state, detail, elapsed_ms: 404, output: Vec::new() };
        Event { seq: Seq(seq), at, order: Some((1, 0, minor).into()), body: Body::StartStep { step } }
    };
    snapshot.apply(&servers(1, 1_000, 1));
    snapshot.apply(&servers(2, 2_000, 2));
    assert_eq!(steps(&snapshot, 0)[0].0, StepState::Running);
    // The process was killed: nobody knows when, so no time is told.
    let mut killed = snapshot.clone();
    let body = Body::SessionResumed { events: 2, skipped: 0, read_only: None, version: "1".to_owned() };
    killed.apply(&Event { seq: Seq(3), at: 900_000, order: None, body });
    let EntryKind::StartUp { steps: all } = &killed.transcript.entries()[0].kind else { panic!("a cell") };
    assert_eq!((&all[0].state, all[0].elapsed_ms), (&StepState::Cancelled, 0));
    let (turn, outcome, elapsed_ms) = (TurnId(1), TurnOutcome::Done, 10_000);
    let order = Some((1, 0, 9).into());
    snapshot.apply(&Event { seq: Seq(3), at: 11_000, order, body: Body::TurnEnded { turn, outcome, elapsed_ms } });
    let EntryKind::StartUp { steps } = &snapshot.transcript.entries()[0].kind else { panic!("a cell") };
    assert_eq!((&steps[0].state, steps[0].elapsed_ms), (&StepState::Cancelled, 10_000));
}
