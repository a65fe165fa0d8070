use super::*;
use crate::proto::{
    Approval, ApprovalMode, CallId, Content, Fault, Gap, GapState, Reported, RequestId, SelfReport, Seq, TurnId, Usage,
};

fn event(body: Body) -> Event {
    Event { seq: Seq(1), at: 0, order: None, body }
}

fn ended(outcome: TurnOutcome) -> Body {
    Body::TurnEnded { turn: TurnId(1), outcome, elapsed_ms: 1 }
}

fn fault(kind: FaultKind) -> Body {
    Body::RequestFailed {
        request: RequestId(1),
        purpose: Purpose::Main,
        fault: Fault::new(kind, "It failed.", "Retry."),
    }
}

fn request(purpose: Purpose) -> Body {
    Body::RequestStarted {
        request: RequestId(1),
        purpose,
        model: String::new(),
        estimated_tokens: 0,
        bytes: 0,
        tools: 0,
        prefix: String::new(),
    }
}

fn tool(outcome: ToolOutcome) -> Body {
    Body::ToolFinished {
        call: CallId("c".to_owned()),
        outcome,
        content: Content::default(),
        full_bytes: 0,
        spill: None,
        elapsed_ms: 0,
    }
}

fn untrusted() -> Body {
    let folder = "/p".to_owned();
    Body::Decided(Decision::Trust { folder, content_hash: String::new(), trusted: false, by: "policy".to_owned() })
}

fn error(source: &str) -> Body {
    Body::Notice { level: Level::Error, source: source.to_owned(), text: "Why.".to_owned(), hint: None }
}

fn unapproved() -> Body {
    Body::Decided(Decision::Approval(Box::new(Approval {
        call: CallId("c".to_owned()),
        server: "files".to_owned(),
        tool: "shell".to_owned(),
        about: "rm x".to_owned(),
        mode: ApprovalMode::Writes,
        parts: Vec::new(),
        why: String::new(),
        outcome: ApprovalOutcome::NobodyThere,
        remembered: Vec::new(),
        waited_ms: 0,
    })))
}

#[test]
fn a_call_that_nobody_could_approve_is_denied() {
    let mut verdict = Verdict::default();
    for body in [unapproved(), tool(ToolOutcome::Refused), untrusted(), unapproved(), ended(TurnOutcome::Done)] {
        verdict.note(&event(body));
    }
    let (exit, why) = verdict.exit();
    assert_eq!(exit, Exit::Denied);
    assert_eq!(why, "2 calls were refused: nobody is here to approve; -c ui.approval=off lets all run");
}

fn lost() -> Body {
    Body::Decided(Decision::LostCall { excerpt: String::new(), nudged: false })
}

fn finished(purpose: Purpose) -> Body {
    Body::RequestFinished { request: RequestId(1), purpose, usage: Usage::default(), first_token_ms: 0, elapsed_ms: 0 }
}

fn gate(outcome: GateOutcome, then: GateThen) -> Body {
    let gap = |finding: &str, state| Gap {
        finding: finding.to_owned(),
        blocking: true,
        reference: String::new(),
        quote: String::new(),
        state,
    };
    let refuted = GapState::Refuted { why: String::new() };
    Body::Decided(Decision::Gate(Arc::new(GateVerdict {
        attempt: 1,
        of: 3,
        claim: None,
        outcome,
        why: "The model did not answer.".to_owned(),
        mutations: Vec::new(),
        checks: Vec::new(),
        prohibitions: Vec::new(),
        evidence: Vec::new(),
        gaps: vec![gap("a", GapState::Stands), gap("b", refuted), gap("c", GapState::Stands)],
        then,
        requests: Vec::new(),
        model: String::new(),
        elapsed_ms: 0,
    })))
}

fn sent_back() -> Body {
    gate(GateOutcome::Gaps, GateThen::RunAgain { note: String::new() })
}

fn given_up() -> Body {
    gate(GateOutcome::Gaps, GateThen::Ended { why: "No runs are left.".to_owned() })
}

fn says(state: Option<AgentState>) -> Body {
    let report = state.map(|state| SelfReport {
        state,
        focus: String::new(),
        next: String::new(),
        carry: Vec::new(),
        plan: None,
        memories: Vec::new(),
        behaviors: Vec::new(),
    });
    let (request, trouble, dropped) = (RequestId(1), None, Vec::new());
    Body::Decided(Decision::Reported(Box::new(Reported { request, report, trouble, dropped })))
}

fn judged(bodies: Vec<Body>) -> Verdict {
    let mut verdict = Verdict::default();
    bodies.into_iter().for_each(|body| verdict.note(&event(body)));
    verdict
}

#[test]
fn what_happened_and_how_it_exits() {
    let failed = || ended(TurnOutcome::Failed("It failed.".to_owned()));
    let done = || ended(TurnOutcome::Done);
    let cases: Vec<(&str, Vec<Body>, Exit)> = vec![
        ("plain success", vec![request(Purpose::Main), finished(Purpose::Main), done()], Exit::Done),
        ("nothing came", vec![], Exit::Failed),
        ("no such role or session", vec![error("start")], Exit::Usage),
        ("a trouble of its own", vec![error("session")], Exit::Failed),
        ("no key", vec![fault(FaultKind::NoKey), failed()], Exit::NoModel),
        ("wrong key", vec![fault(FaultKind::WrongKey), failed()], Exit::NoModel),
        ("unknown model", vec![fault(FaultKind::UnknownModel), failed()], Exit::NoModel),
        ("network", vec![fault(FaultKind::Network), failed()], Exit::Failed),
        ("a retry that worked", vec![fault(FaultKind::Overloaded), request(Purpose::Main), done()], Exit::Done),
        ("limit", vec![ended(TurnOutcome::Stopped("limit".to_owned()))], Exit::Denied),
        ("interrupted inside", vec![ended(TurnOutcome::Interrupted)], Exit::Interrupted),
        ("denied call", vec![untrusted(), tool(ToolOutcome::Refused), done()], Exit::Denied),
        ("denied trust, not needed", vec![untrusted(), tool(ToolOutcome::Ok), done()], Exit::Done),
        ("wrong call, mended", vec![tool(ToolOutcome::Refused), tool(ToolOutcome::Ok), done()], Exit::Done),
        ("a failing tool", vec![tool(ToolOutcome::Error), done()], Exit::Done),
        ("call as text", vec![request(Purpose::Main), lost(), done()], Exit::Failed),
        ("call as text, mended", vec![lost(), request(Purpose::Main), done()], Exit::Done),
    ];
    for (name, bodies, exit) in cases {
        assert_eq!(judged(bodies).exit().0, exit, "{name}");
    }
}

#[test]
fn a_session_that_is_open_elsewhere_fails() {
    let mut verdict = Verdict::default();
    let holder = Some("process 7".to_owned());
    verdict.note(&event(Body::SessionResumed { events: 3, skipped: 0, read_only: holder, version: String::new() }));
    assert!(verdict.is_read_only());
    assert_eq!(verdict.exit().0, Exit::Failed);
    assert!(verdict.exit().1.contains("process 7"));
}

#[test]
fn what_the_gate_did_not_accept_is_no_success() {
    let done = || ended(TurnOutcome::Done);
    let begun = || Body::TurnStarted { turn: TurnId(2) };
    let pass = |outcome| gate(outcome, GateThen::Accepted);
    let cases: Vec<(&str, Vec<Body>, Exit)> = vec![
        ("verified", vec![pass(GateOutcome::Verified), done()], Exit::Done),
        ("unknown", vec![pass(GateOutcome::Unknown), done()], Exit::Done),
        ("indeterminate", vec![pass(GateOutcome::Indeterminate), done()], Exit::Done),
        ("gaps, then pass", vec![sent_back(), pass(GateOutcome::Unknown), done()], Exit::Done),
        ("gaps to the end", vec![sent_back(), sent_back(), given_up(), done()], Exit::Gaps),
        ("sent back, then the gate was switched off", vec![sent_back(), done()], Exit::Done),
        ("gaps of the turn before", vec![given_up(), begun(), done()], Exit::Done),
        ("gaps and a denied call", vec![untrusted(), tool(ToolOutcome::Refused), given_up(), done()], Exit::Denied),
        ("a failed turn", vec![given_up(), ended(TurnOutcome::Failed("no".to_owned()))], Exit::Failed),
        ("stopped by hand", vec![given_up(), ended(TurnOutcome::Interrupted)], Exit::Interrupted),
    ];
    for (name, bodies, exit) in cases {
        assert_eq!(judged(bodies).exit().0, exit, "{name}");
    }
    assert_eq!(judged(vec![given_up(), done()]).exit().1, "2 gaps are left: No runs are left");
    assert_eq!(judged(vec![sent_back(), given_up(), done()]).gate(), Some(GateOutcome::Gaps));
}

#[test]
fn a_success_says_what_it_does_not_mean() {
    let done = || ended(TurnOutcome::Done);
    let pass = |outcome| gate(outcome, GateThen::Accepted);
    let cases: Vec<(Vec<Body>, &str)> = vec![
        (vec![pass(GateOutcome::Indeterminate), done()], "so nothing is verified: The model did not answer"),
        (vec![says(Some(AgentState::Blocked)), pass(GateOutcome::Unknown), done()], "it says that it is blocked"),
        (vec![says(Some(AgentState::NeedInput)), done()], "needs an answer of yours"),
        (vec![says(Some(AgentState::NeedInput)), says(None), done()], ""),
        (vec![says(Some(AgentState::Done)), pass(GateOutcome::Verified), done()], ""),
        (vec![pass(GateOutcome::Indeterminate), ended(TurnOutcome::Interrupted)], ""),
    ];
    for (bodies, wanted) in cases {
        let warning = judged(bodies).warning().unwrap_or_default();
        assert!(warning.contains(wanted) && warning.is_empty() == wanted.is_empty(), "{warning:?}, not {wanted:?}");
    }
}
