//! Prompts to go back to, and what came of it.

use super::fixture::*;
use super::*;
use crate::ui::state::{Rewinding, Table, Tabled};

fn each_size(name: &str, mut make: impl FnMut() -> Fixture) {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let shown = make().styled(width, height);
        insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown);
    }
}

fn prompts() -> Fixture {
    let mut fixture = Fixture::working();
    for (turn, text) in [(1, "add a health check to the api"), (2, "now log every request\nwith its duration")] {
        fixture.live(Body::TurnStarted { turn: TurnId(turn) });
        fixture.user((turn, 0, 0), text);
        fixture.live(Body::TurnEnded { turn: TurnId(turn), outcome: TurnOutcome::Done, elapsed_ms: 900 });
    }
    fixture
}

fn file(path: &str, fate: FileFate, diff: &str) -> FilePreview {
    let lines = |sign| diff.lines().filter(|line| line.starts_with(sign)).count() as u32;
    FilePreview { path: path.into(), fate, added: lines('+'), removed: lines('-'), diff: diff.into() }
}

pub fn listed(refused: Option<&str>) -> Fixture {
    let mut fixture = prompts();
    let to = RewindTo::Turn(TurnId(2));
    let by_hand = FileFate::ByHand { why: "changed by hand after the session's last write".into() };
    let files = vec![
        file("src/api.rs", FileFate::Changed, "@@ -3,2 +3,1 @@\n fn serve() {\n-    log(\"{request}\");\n"),
        file("src/log.rs", FileFate::Deleted, ""),
        file("README.md", by_hand, ""),
    ];
    let uncovered = vec!["assets/film.mp4: it is too large".to_owned()];
    let refused = refused.map(str::to_owned);
    let preview = RewindPreview { to, messages: 4, files, uncovered, refused };
    fixture.state.rewinding = Rewinding { asked: Some(to), preview: Some(Arc::new(preview)), by_hand: ByHand::Leave };
    fixture.state.focus = Pane::Transcript;
    fixture.state.layers = vec![Layer::Table(Table::new(Tabled::Rewind))];
    fixture
}

#[test]
fn the_list_of_prompts() {
    each_size("rewind", || listed(None));
    let mut refused = listed(Some("a turn runs; stop it first"));
    assert!(refused.text(160, 40).contains("The session does not go back: a turn runs; stop it"));
    let mut empty = Fixture::working();
    empty.state.layers = vec![Layer::Table(Table::new(Tabled::Rewind))];
    assert!(empty.text(80, 24).contains("there is no prompt to go back to yet"));
}

#[test]
fn a_rewind_in_the_transcript() {
    each_size("rewound", || {
        let mut fixture = prompts();
        let state = |blob: &str| Some(FileState { blob: blob.into(), mode: 0o100_644 });
        let files = vec![
            FileChange { path: "src/api.rs".into(), before: state("b"), after: state("a") },
            FileChange { path: "src/log.rs".into(), before: state("c"), after: None },
        ];
        let why = "changed by hand after the session's last write".to_owned();
        let left = vec![FileLeft { path: "README.md".into(), why }];
        let to = RewindTo::Turn(TurnId(2));
        let rewound = Rewound { to, what: RewindWhat::Both, messages: 4, files, left };
        fixture.at((2, 0, 9), Body::Rewind(RewindEvent::Rewound(Box::new(rewound))));
        fixture
    });
}
