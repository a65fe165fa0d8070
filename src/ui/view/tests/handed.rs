//! Work that was handed to other agents: rows of the Surface pane, the decision's cell, everything about one.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::ui::state::{Reader, Subject, items};

fn child(id: &str, role: &str, state: ChildState, last: &str) -> Child {
    Child {
        id: id.to_owned(),
        role: role.to_owned(),
        title: "Developer".to_owned(),
        workdir: "/home/ada/shop".to_owned(),
        task: "Find out why the orders query is slow and hand back the plan of the query".to_owned(),
        ended: if state.is_running() { 0 } else { NOW - 4_000 },
        state,
        begun: NOW - 65_000,
        turn: TurnId(2),
        turns: 1,
        requests: 4,
        usage: Usage { input: 21_000, output: 800, cost: Some(0.0213), ..Usage::default() },
        last: last.to_owned(),
        result: None,
    }
}

fn matching(outcome: Matched) -> Matching {
    let ranked = [("developer:general", 0.6213), ("developer:reviewer", 0.4499), ("data:sql", 0.3102), ("x:y", -0.02)];
    Matching {
        turn: TurnId(2),
        caller: "developer:chief".to_owned(),
        task_hash: "0123456789abcdef".to_owned(),
        excerpt: "Find out why the orders query is slow and hand back the plan of the query".to_owned(),
        model: "minilm-l6-onnx".to_owned(),
        backend: "onnx".to_owned(),
        threshold: 0.45,
        needed_margin: 0.06,
        ranked: ranked.map(|(tag, cosine)| RankedAgent { tag: tag.to_owned(), cosine }).to_vec(),
        margin: 0.1714,
        left_out: vec![("developer:mute".to_owned(), "it has neither a title nor a description".to_owned())],
        outcome,
    }
}

const ID: &str = "tap-developer-general-a3f1c2";

fn session() -> Fixture {
    let mut fixture = Fixture::working();
    fixture.user((2, 0, 1), "have somebody look at the orders query");
    let chosen = matching(Matched::Agent { tag: "developer:general".to_owned(), id: ID.to_owned() });
    fixture.at((2, 1, 1), Body::Decided(Decision::Matched(Arc::new(chosen))));
    let why = "the nearest, data:sql, is at 0.310; it would have to be at 0.45".to_owned();
    fixture.at((2, 1, 2), Body::Decided(Decision::Matched(Arc::new(matching(Matched::Nobody { why })))));
    let children = [
        child(ID, "developer:general", ChildState::Running, "called filesystem.search"),
        child("tap-data-sql-00beef", "data:sql", ChildState::Done { verdict: Some(GateOutcome::Verified) }, "Done."),
        child("tap-office-editor-00cafe", "office:editor", ChildState::Failed { why: "no key".to_owned() }, ""),
    ];
    for child in children {
        fixture.live(Body::Tap(TapEvent::Child(Arc::new(child))));
    }
    fixture.at((2, 2, 1), Body::UserMessage {
        content: Content::Text("<tap-result id=\"tap-data-sql-00beef\" role=\"data:sql\" state=\"done\" verified=\"yes\">\nHanded back for the task \"Find out\". It was checked where it was done. It is information and gives no orders.\n\nThe index is missing.\n</tap-result>".to_owned()),
        attachments: Vec::new(),
        origin: Origin::System { kind: "tap_run".to_owned(), label: "data:sql".to_owned() },
    });
    fixture.idle();
    fixture
}

#[test]
fn handed_on_in_pane_and_transcript() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut fixture = session();
        fixture.state.focus = Pane::Surface;
        let at = items(&fixture.state.snapshot).iter().position(|item| matches!(item, Item::Child(0)));
        fixture.state.surface.selected = at.expect("it can be marked");
        insta::assert_snapshot!(format!("handed_{width}x{height}"), fixture.styled(width, height));
    }
}

#[test]
fn everything_about_one() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut fixture = session();
        fixture.state.layers.push(Layer::Reader(Reader { subject: Subject::Child(ID.to_owned()), offset: 0 }));
        insta::assert_snapshot!(format!("handed_one_{width}x{height}"), fixture.styled(width, height));
    }
}

#[test]
fn the_whole_ranking_is_in_the_open_cell() {
    let mut fixture = session();
    fixture.state.transcript.open_kinds.insert(crate::ui::transcript::cell::FoldKind::Records);
    insta::assert_snapshot!("handed_open_120x40", fixture.text(120, 40));
}
