//! Questions about tool calls, and what became of them.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::proto::{
    Approval, ApprovalMode, ApprovalOutcome, ApprovalPart, ApprovalPreview, ApprovalRequest, ApprovalStanding,
    PartStanding,
};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn part(text: &str, standing: PartStanding, why: &str) -> ApprovalPart {
    ApprovalPart { text: text.to_owned(), standing, why: why.to_owned() }
}

fn request(command: &str, parts: Vec<ApprovalPart>, about: &str) -> ApprovalRequest {
    ApprovalRequest {
        call: CallId("c1".to_owned()),
        server: "files".to_owned(),
        tool: "shell".to_owned(),
        arguments: serde_json::json!({ "command": command, "cwd": "web" }),
        parts,
        why: "2 of 3 commands may change something".to_owned(),
        preview: None,
        remembers: vec![about.to_owned()],
        refuses: vec![about.to_owned()],
        warnings: Vec::new(),
        number: 1,
        of: 2,
    }
}

fn several() -> ApprovalRequest {
    let parts = vec![
        part("git status --short", PartStanding::Reads, "only reads"),
        part("npm run build", PartStanding::Allowed, "you allowed `npm run build` with any arguments for this session"),
        part("rm -rf dist/old", PartStanding::Asks, "its program can do anything"),
    ];
    let mut request =
        request("git status --short && npm run build && rm -rf dist/old", parts, "exactly `rm -rf dist/old`, in web");
    request.warnings = vec![
        "`rm -rf dist/old`: its program can do anything, so an answer for the session is about exactly this text."
            .to_owned(),
    ];
    request
}

fn edit() -> ApprovalRequest {
    let mut diff = "@@ -10,4 +10,64 @@\n fn total(orders: &[Order]) -> u64 {\n-    orders.iter().map(|o| o.cents).sum()\n+    orders.iter().map(|order| order.cents).sum()\n }\n".to_owned();
    for line in 0..60 {
        diff.push_str(&format!("+// line {line} of what is new\n"));
    }
    ApprovalRequest {
        tool: "edit".to_owned(),
        arguments: serde_json::json!({ "path": "src/orders.rs" }),
        why: "it changes a file".to_owned(),
        preview: Some(ApprovalPreview {
            path: "src/orders.rs".to_owned(),
            creates: false,
            added: 61,
            removed: 1,
            diff,
            note: None,
        }),
        remembers: vec!["edits and writes of /home/ada/shop/src/orders.rs".to_owned()],
        refuses: vec!["edits and writes of /home/ada/shop/src/orders.rs".to_owned()],
        number: 1,
        of: 1,
        ..request("", vec![part("files.edit", PartStanding::Asks, "it changes a file")], "")
    }
}

fn asked(request: ApprovalRequest) -> Fixture {
    let mut fixture = Fixture::working();
    let standing = ApprovalStanding { mode: ApprovalMode::Writes, ..ApprovalStanding::default() };
    fixture.live(Body::Approvals(Arc::new(standing)));
    fixture.user((1, 0, 0), "tidy up and build");
    fixture.assistant((1, 0, 2), "I will remove what is old.");
    fixture.at((1, 0, 3), Body::Asked(Ask { id: AskId(1), kind: AskKind::Approval(Arc::new(request)) }));
    fixture
}

fn focused(request: ApprovalRequest, offset: usize) -> Fixture {
    let mut fixture = asked(request);
    fixture.state.question = Some(Question { ask: AskId(1), text: String::new(), offset });
    fixture
}

fn decision(outcome: ApprovalOutcome, about: &str, remembered: &[&str]) -> Body {
    Body::Decided(Decision::Approval(Box::new(Approval {
        call: CallId("c".to_owned()),
        server: "files".to_owned(),
        tool: "shell".to_owned(),
        about: about.to_owned(),
        mode: ApprovalMode::Writes,
        parts: vec![part(about, PartStanding::Asks, "may change something")],
        why: "it may change something".to_owned(),
        outcome,
        remembered: remembered.iter().map(|one| (*one).to_owned()).collect(),
        waited_ms: 74_000,
    })))
}

#[test]
fn a_command_part_by_part() {
    each_size("approval_command", || focused(several(), 0));
}

#[test]
fn an_edit_with_its_diff() {
    each_size("approval_edit", || focused(edit(), 0));
}

/// However long it is, all of it can be read.
#[test]
fn a_long_diff_is_read_to_its_end() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        assert!(!focused(edit(), 0).text(width, height).contains("line 59 of"), "{width}");
        let mut fixture = focused(edit(), usize::MAX / 2);
        assert!(fixture.text(width, height).contains("line 59 of"), "{}", fixture.text(width, height));
    }
}

#[test]
fn a_call_waits_in_the_transcript() {
    each_size("approval_waits", || asked(several()));
}

#[test]
fn what_was_decided_and_by_whom() {
    each_size("approval_decided", || {
        let mut fixture = asked(several());
        let order = (1, 0, 3);
        fixture.live(Body::Answered { ask: AskId(1), answer: Answer::Session });
        fixture.at(order, decision(ApprovalOutcome::Session, "cargo test --lib", &["`cargo test` with any arguments"]));
        fixture.at((1, 0, 5), decision(ApprovalOutcome::Once, "git commit -m 'tidy'", &[]));
        fixture.at((1, 0, 7), decision(ApprovalOutcome::Refused, "git push", &[]));
        fixture.at((1, 0, 9), decision(ApprovalOutcome::NobodyThere, "rm x", &[]));
        fixture.idle();
        fixture
    });
}

#[test]
fn a_decision_in_full_says_what_it_rested_on() {
    let mut fixture = asked(several());
    fixture.live(Body::Answered { ask: AskId(1), answer: Answer::Yes });
    fixture.at((1, 0, 3), decision(ApprovalOutcome::Once, "git commit -m 'tidy'", &[]));
    fixture.state.transcript.unfold_all = true;
    let shown = fixture.text(120, 40);
    for words in ["allowed once by you", "why  it may change something", "waited  1 m 14 s", "may change something"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

#[test]
fn the_status_line_says_that_a_call_waits_and_how_long() {
    let mut fixture = asked(several());
    fixture.state.snapshot.run = RunState::Approving { since: NOW - 12_000 };
    for (width, height, words) in
        [(120, 40, "a call waits for your yes 12"), (80, 24, "a call waits"), (40, 12, "your yes 12 s")]
    {
        let shown = fixture.text(width, height);
        assert!(shown.contains(words), "{words}\n{shown}");
        assert!(shown.contains("esc stops"), "{shown}");
    }
    assert!(fixture.text(120, 40).contains("approval writes"), "the header tells the mode");
}

/// What is shown is what would run: nothing in it is hidden, and nothing speaks to the terminal.
#[test]
fn nothing_that_would_run_is_invisible() {
    let evil = "ls \u{1b}[2K\u{202e}\u{200b}; rm x";
    let parts = vec![part(evil, PartStanding::Asks, evil), part("b", PartStanding::Asks, "")];
    let mut hidden = request(evil, parts, evil);
    hidden.preview = Some(ApprovalPreview {
        path: evil.to_owned(),
        creates: true,
        added: 1,
        removed: 0,
        diff: format!("+{evil}\n"),
        note: Some(evil.to_owned()),
    });
    for request in [hidden.clone(), ApprovalRequest { preview: None, ..hidden }] {
        let mut fixture = focused(request, 0);
        let shown = fixture.text(120, 40);
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{shown:?}");
        assert!(shown.contains("⟨U+202E⟩") && shown.contains("⟨U+200B⟩"), "{shown}");
    }
}
