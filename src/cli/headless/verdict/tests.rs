use super::*;
use crate::proto::{CallId, Content, Fault, RequestId, Seq, TurnId, Usage};

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

fn lost() -> Body {
    Body::Decided(Decision::LostCall { excerpt: String::new(), nudged: false })
}

fn finished(purpose: Purpose) -> Body {
    Body::RequestFinished { request: RequestId(1), purpose, usage: Usage::default(), first_token_ms: 0, elapsed_ms: 0 }
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
        let mut verdict = Verdict::default();
        bodies.into_iter().for_each(|body| verdict.note(&event(body)));
        assert_eq!(verdict.exit().0, exit, "{name}");
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
