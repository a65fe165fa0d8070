use std::sync::Arc;

use super::*;
use crate::cli::args::{CommandLine, Subcommands, parse};
use crate::cli::table::Paint;
use crate::proto::{
    Cause, Decision, DynamicCapability, Event, IntentSource, Order, RouteOutcome, RouteWait, Routing, Seq, Skip,
    SurfaceView, TurnId,
};
use crate::session::journal::JOURNAL;

/// Three turns: nothing was compared in the first, docker was brought in by hand in the second, the third
/// changed nothing.
fn journal(sessions: &Path) {
    let folder = sessions.join("brisk-otter");
    std::fs::create_dir_all(&folder).unwrap();
    let routing = Routing {
        turn: TurnId(1),
        source: IntentSource::Message,
        message_hash: String::new(),
        excerpt: "do it".to_owned(),
        domain: "developer".to_owned(),
        model: String::new(),
        backend: String::new(),
        threshold: 0.65,
        needed_margin: 0.06,
        scores: Vec::new(),
        margin: 0.0,
        ineligible: Vec::new(),
        outcome: RouteOutcome::Skipped(Skip::TooShort { characters: 4 }),
        encoding_us: 0,
        deciding_us: 0,
        wait: RouteWait::None,
    };
    let docker = DynamicCapability {
        name: "docker".to_owned(),
        title: "Docker".to_owned(),
        tap: "muvon/tap".to_owned(),
        provider: "cli".to_owned(),
        cause: Cause::Person,
        score: None,
        margin: None,
        activated: 5,
        used: None,
        pinned: false,
        servers: vec![("docker".to_owned(), Vec::new())],
        deps: Vec::new(),
    };
    let activation = crate::proto::Activation {
        capability: "docker".to_owned(),
        title: "Docker".to_owned(),
        tap: "muvon/tap".to_owned(),
        provider: "cli".to_owned(),
        cause: Cause::Person,
        score: None,
        margin: None,
        servers: Vec::new(),
        deps: Vec::new(),
        evicted: None,
        back_for: None,
    };
    let (name, role, version) = ("brisk-otter".to_owned(), "developer:general".to_owned(), "1".to_owned());
    let (workdir, shown) = ("/work".to_owned(), folder.display().to_string());
    let bodies = [
        Body::SessionStarted { name, role, workdir, folder: shown, version },
        Body::TurnStarted { turn: TurnId(1) },
        Body::Decided(Decision::Routed(Arc::new(routing))),
        Body::TurnStarted { turn: TurnId(2) },
        Body::Decided(Decision::CapabilityActivated(Box::new(activation))),
        Body::SurfaceChanged(Arc::new(SurfaceView {
            domain: "developer".to_owned(),
            dynamic: vec![docker],
            ..SurfaceView::default()
        })),
        Body::TurnStarted { turn: TurnId(3) },
    ];
    let line = |(index, body): (usize, Body)| {
        let number = u32::try_from(index).unwrap() + 1;
        let order = Some(Order { turn: number / 2, round: 0, slot: number });
        let event = Event { seq: Seq(u64::from(number)), at: u64::from(number), order, body };
        serde_json::to_string(&event).unwrap() + "\n"
    };
    let mut text: String = bodies.into_iter().enumerate().map(line).collect();
    text.push_str("{\"broken\": true}\n");
    std::fs::write(folder.join(JOURNAL), text).unwrap();
}

fn run(words: &[&str]) -> (Exit, String, String) {
    let line = parse(["octomind", "explain"].iter().chain(words).copied()).unwrap();
    let CommandLine { command: Some(Subcommands::Explain(arguments)), .. } = line else { panic!("{line:?}") };
    let sessions = tempfile::tempdir().unwrap();
    journal(sessions.path());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let look = Look { columns: 80, paint: Paint::Plain };
    let exit = run_in(&arguments, (sessions.path(), Path::new("/work")), look, &mut out, &mut err).unwrap();
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn why_it_is_here() {
    let (exit, out, err) = run(&["docker"]);
    assert_eq!(exit, Exit::Done);
    assert_eq!(err, "note: left out of the journal as unreadable: 1 record\n");
    insta::assert_snapshot!(out, @r#"
docker · Docker · on
capability · brisk-otter, t3

✔ tap           muvon/tap, provider cli
· triggers      not needed: it was asked for by name
✔ domain        the session is of developer
✔ environment
· gate          not needed: you asked for it
✔ activation    t2 by you
✔ recency       place 1 of 1 to go, the one that goes next
                not used since it came in t2

why   it is here because you asked for it
"#);
}

#[test]
fn as_it_was_at_a_turn() {
    let (exit, out, _) = run(&["docker", "--session", "brisk", "--at", "1"]);
    assert_eq!(exit, Exit::Failed);
    assert!(out.starts_with("docker is not known in this session\n"), "{out}");
    let (exit, out, _) = run(&["docker", "--at", "2"]);
    assert_eq!(exit, Exit::Done);
    assert!(out.contains("brisk-otter, t2\n"), "{out}");
    let (exit, out, err) = run(&["docker", "--at", "4"]);
    assert_eq!((exit, out.as_str()), (Exit::BadInput, ""));
    assert!(err.contains("brisk-otter has 3 turns only, so there is no turn 4"), "{err}");
}

#[test]
fn one_object_for_programs() {
    let (_, out, _) = run(&["docker", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (told["version"].as_u64(), told["turn"].as_u64(), told["session"].as_str()),
        (Some(1), Some(3), Some("brisk-otter"))
    );
    assert_eq!((&told["kind"], &told["stages"][0]["passed"]), (&"capability".into(), &"yes".into()));
    let (exit, out, _) = run(&["dokcer", "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &told["nearest"][0]), (Exit::Failed, &"docker".into()));
}

#[test]
fn a_session_that_is_not_there() {
    let (exit, out, err) = run(&["docker", "--session", "nobody"]);
    assert_eq!((exit, out.as_str()), (Exit::BadInput, ""));
    assert!(err.contains("nobody"), "{err}");
}
