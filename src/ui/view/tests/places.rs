//! Where things stand, and what lies under a cell.

use super::fixture::{Fixture, NOW};
use super::*;
use crate::ui::state::{Reader, Scroll, Selection, Subject, Toast};
use crate::ui::theme::{BUILT_IN, Role, load};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

fn session(turns: u32) -> Fixture {
    let mut fixture = Fixture::working();
    for turn in 1..=turns {
        fixture.user((turn, 0, 1), &format!("question {turn}"));
        fixture.assistant((turn, 1, 2), &format!("answer {turn}"));
    }
    fixture.idle();
    fixture
}

#[test]
fn the_mouse_finds_what_is_drawn() {
    let mut fixture = session(2);
    let layout = fixture.layout(120, 40);
    assert_eq!(layout.hit(5, 2), Hit::Entry { order: Order::from((1, 0, 1)), line: 0 });
    assert_eq!(layout.hit(5, 4), Hit::Entry { order: Order::from((1, 1, 2)), line: 1 });
    assert_eq!(layout.hit(5, 30), Hit::Transcript);
    assert_eq!(layout.hit(70, 2), Hit::Surface(None), "a heading is no item");
    assert_eq!(layout.hit(70, 4), Hit::Surface(Some(1)));
    assert_eq!(layout.hit(66, 1), Hit::Tab(Pane::Surface));
    assert_eq!(layout.hit(6, 38), Hit::Composer { row: 0, column: 2 });
    assert_eq!(layout.hit(6, 0), Hit::Nothing);
}

/// Drags from one cell to another and returns what would be copied.
fn dragged(fixture: &mut Fixture, from: (u16, u16), to: (u16, u16)) -> String {
    let layout = fixture.layout(120, 40);
    let (ground, from) = layout.pointed(from.0, from.1, None).spot.unwrap();
    let mut selection = Selection { ground, from, to: from };
    selection.to = layout.pointed(to.0, to.1, Some(&selection)).spot.unwrap().1;
    fixture.state.selection = Some(selection);
    selected(&fixture.state, &mut fixture.cache, &layout)
}

#[test]
fn what_is_dragged_over_is_copied_unwrapped_and_without_furniture() {
    let mut fixture = Fixture::working();
    let long = "one two three four five six seven eight nine ten eleven twelve thirteen";
    fixture.user((1, 0, 1), long);
    fixture.assistant((1, 1, 2), "测试abc and\n\n- a point");
    fixture.call((1, 1, 3), "files", "shell", serde_json::json!({"command": "x"}));
    fixture.result((1, 1, 3), ToolOutcome::Ok, &"0123456789".repeat(9), 5);
    fixture.idle();
    fixture.state.transcript.toggled.insert(Order::from((1, 1, 3)));
    fixture.layout(120, 40);
    assert_eq!(dragged(&mut fixture, (2, 2), (40, 3)), long);
    assert_eq!(dragged(&mut fixture, (40, 3), (2, 2)), long, "also backwards");
    assert_eq!(dragged(&mut fixture, (7, 2), (13, 2)), "one two");
    assert_eq!(dragged(&mut fixture, (3, 5), (4, 5)), "测试", "half a character is a whole one");
    let both = dragged(&mut fixture, (9, 3), (119, 7));
    assert!(both.contains("thirteen\n\n测试abc and\n\n"), "{both}");
    let whole = dragged(&mut fixture, (2, 5), (119, 39));
    assert!(whole.ends_with(&"0123456789".repeat(9)), "{whole}");
    let surface = dragged(&mut fixture, (64, 2), (119, 2));
    assert_eq!(surface, "STATIC  developer:chief");
    fixture.state.selection = None;
    let plain = fixture.styled(120, 40);
    dragged(&mut fixture, (7, 2), (13, 2));
    assert_ne!(plain, fixture.styled(120, 40), "what is selected is marked");
}

#[test]
fn the_way_back_to_the_end_can_be_clicked() {
    let mut fixture = session(40);
    fixture.state.transcript.pending = vec![ScrollBy::Top];
    let text = fixture.text(120, 40);
    let (row, line) = text.lines().enumerate().find(|(_, line)| line.contains("more ↓")).unwrap();
    let column = line.split("more").next().unwrap().chars().count();
    assert_eq!(fixture.layout(120, 40).hit(column as u16, row as u16), Hit::Below);
}

#[test]
fn an_overlay_takes_the_mouse() {
    let mut fixture = session(2);
    fixture.state.layers.push(Layer::picker(Listing::Palette));
    let layout = fixture.layout(80, 24);
    let inner = layout.over.as_ref().unwrap().inner();
    assert_eq!(layout.hit(0, 0), Hit::OutsideOver);
    assert_eq!(layout.hit(inner.x, inner.y), Hit::Over(None), "the filter is no item");
    assert_eq!(layout.hit(inner.x, inner.y + 2), Hit::Over(Some(0)));
}

#[test]
fn the_caret_is_where_the_text_says() {
    let mut fixture = session(1);
    fixture.state.composer.insert("测试abc，🙂é");
    let caret = |fixture: &mut Fixture| fixture.styled(80, 24).lines().last().map(str::to_owned).unwrap();
    // Border, air, prompt: the text begins in column 4. 2+2+1+1+1+2+2+1 columns of text.
    assert_eq!(caret(&mut fixture), "caret 16,22");
    for column in [15, 13, 11] {
        fixture.state.composer.go(crate::ui::composer::Motion::Left);
        assert_eq!(caret(&mut fixture), format!("caret {column},22"));
    }
}

#[test]
fn the_composer_grows_to_a_third_and_no_further() {
    let mut fixture = session(1);
    let mut heights = Vec::new();
    for _ in 0..20 {
        heights.push(fixture.layout(80, 24).composer.outline.height);
        fixture.state.composer.newline();
    }
    assert_eq!(heights[..7], [3, 4, 5, 6, 7, 8, 8]);
    assert_eq!(heights.last(), Some(&8));
    let layout = fixture.layout(80, 24);
    assert!(layout.composer.text.contains(layout.composer.caret), "the caret stays in sight");
}

#[test]
fn waiting_messages_stand_above_the_text() {
    let mut fixture = session(1);
    for (id, mode) in [(1, SubmitMode::Steer), (2, SubmitMode::Queue)] {
        fixture.live(Body::Queued { id: QueueId(id), text: format!("message {id}"), mode });
    }
    let shown = fixture.text(80, 24);
    assert!(shown.contains("│ ⋯ next step  message 1"), "{shown}");
    assert!(shown.contains("│ ⋯ after this message 2"), "{shown}");
    assert!(shown.contains("2 queued"), "{shown}");
}

#[test]
fn any_size_is_drawn_whole() {
    for (width, height) in [(1, 1), (39, 12), (40, 11), (40, 12), (79, 24), (81, 13), (119, 40), (500, 150), (681, 180)]
    {
        let mut fixture = session(40);
        let shown = fixture.text(width, height);
        let rows: Vec<&str> = shown.lines().collect();
        assert_eq!(rows.len(), usize::from(height));
        if width >= 40 && height >= 12 {
            for row in &rows[1..] {
                assert_eq!(crate::text::width(row), usize::from(width), "{width}×{height}: {row:?}");
                assert!(row.ends_with(['│', '┐', '┤', '┘', '┃']), "{width}×{height}: {row:?}");
            }
        }
    }
}

#[test]
fn after_many_resizes_the_last_size_wins() {
    let mut fixture = session(60);
    fixture.text(100, 30);
    fixture.state.transcript.pending = vec![ScrollBy::Lines(-50)];
    fixture.text(100, 30);
    let held = fixture.state.transcript.scroll;
    for (width, height) in [(68, 20), (119, 40), (40, 12), (200, 60), (100, 30)] {
        fixture.text(width, height);
    }
    assert_eq!(fixture.state.transcript.scroll, held);
    let mut fresh = session(60);
    fresh.state.transcript.scroll = held;
    assert_eq!(fixture.text(100, 30), fresh.text(100, 30));
}

#[test]
fn zoom_and_tabs_show_the_focused_pane() {
    let mut fixture = session(1);
    fixture.state.focus = Pane::Notes;
    let shown = fixture.text(80, 24);
    assert!(shown.contains("nothing to note yet") && shown.contains("answer 1"), "{shown}");
    fixture.state.zoom = true;
    let shown = fixture.text(120, 40);
    assert!(shown.contains("nothing to note yet") && !shown.contains("answer 1"), "{shown}");
    // Typing does not change which pane is looked at.
    fixture.state.focus = Pane::Composer;
    assert!(fixture.text(120, 40).contains("nothing to note yet"));
}

#[test]
fn a_server_is_shown_in_full() {
    let mut fixture = session(1);
    fixture.state.layers.push(Layer::Reader(Reader { subject: Subject::Server("filesystem".to_owned()), offset: 99 }));
    let shown = fixture.text(80, 24);
    for words in ["Server filesystem", "ready", "npx -y @example/filesystem", "What edit is for", "listens on stdio"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let Some(Layer::Reader(reader)) = fixture.state.layers.last() else { panic!("the reader is open") };
    assert!(reader.offset < 10, "an offset past the end is clamped");
    fixture.state.layers = vec![Layer::Reader(Reader { subject: Subject::Server("gone".to_owned()), offset: 0 })];
    assert!(fixture.text(80, 24).contains("not there any more"));
}

#[test]
fn kept_off_and_filtered_tools_say_why() {
    let mut fixture = session(1);
    let tool = |name: &str, reason: Option<&str>, filter: Option<&str>| ToolInfo {
        name: name.to_owned(),
        wire_name: name.to_owned(),
        summary: String::new(),
        tokens: 100,
        repairs: Vec::new(),
        quarantine: reason.map(|reason| Quarantine { reason: reason.to_owned(), advice: String::new() }),
        filtered_by: filter.map(str::to_owned),
    };
    let tools = vec![
        tool("view", None, None),
        tool("broken", Some("its schema is not an object"), None),
        tool("danger", None, Some("the role")),
    ];
    fixture.live(Body::ServerTools { server: "filesystem".to_owned(), tools });
    let shown = fixture.text(160, 40);
    assert!(shown.contains("✘ broken  kept off: its schema is not an object"), "{shown}");
    assert!(shown.contains("− 1 left out by the role: danger"), "{shown}");
    assert_eq!(items(&fixture.state.snapshot), [Item::Server(0), Item::Tool { server: 0, tool: 1 }, Item::Server(1)]);
}

#[test]
fn a_secret_is_never_shown() {
    let mut fixture = session(1);
    let kind = AskKind::Secret {
        key: "API_KEY".to_owned(),
        wanted_by: "server time".to_owned(),
        kept_in: "inputs.toml".to_owned(),
    };
    fixture.live(Body::Asked(Ask { id: AskId(3), kind }));
    fixture.state.question = Some(Question { ask: AskId(3), text: "hunter2".to_owned(), offset: 0 });
    let shown = fixture.text(80, 24);
    assert!(shown.contains("•••••••") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn toasts_lie_over_everything_and_end() {
    let mut fixture = session(1);
    let toast =
        Toast { level: Level::Warning, text: "copied by OSC 52, unconfirmed".to_owned(), until: NOW + 10, about: None };
    fixture.state.toasts.push(toast);
    assert!(fixture.text(80, 24).contains("! copied by OSC 52"));
    fixture.state.now = NOW + 11;
    assert!(!fixture.text(80, 24).contains("copied by OSC 52"));
}

/// Names of folders and sessions come from outside.
#[test]
fn nothing_from_outside_steers_the_terminal() {
    let mut fixture = session(1);
    let evil = "a\u{7}\u{1b}]52;c;UA==\u{7}\u{202e}b\u{9b}2J";
    fixture.live(Body::SessionStarted {
        name: evil.to_owned(),
        role: evil.to_owned(),
        workdir: evil.to_owned(),
        folder: evil.to_owned(),
        version: evil.to_owned(),
    });
    fixture.server(evil, ServerState::Failed { reason: evil.to_owned(), advice: evil.to_owned() }, &[evil], 3);
    fixture.live(Body::Notice { level: Level::Error, source: evil.to_owned(), text: evil.to_owned(), hint: None });
    fixture.live(Body::Queued { id: QueueId(1), text: evil.to_owned(), mode: SubmitMode::Steer });
    fixture.state.toasts.push(Toast { level: Level::Info, text: evil.to_owned(), until: NOW + 10, about: None });
    fixture.state.transcript.search = Some(Search { query: evil.to_owned(), editing: true });
    let noted = fixture.state.snapshot.notes[0].seq;
    for subject in [Subject::Server(evil.to_owned()), Subject::Note(noted)] {
        fixture.state.layers = vec![Layer::Reader(Reader { subject, offset: 0 })];
        for (width, height) in [(120, 40), (80, 24)] {
            let shown = fixture.text(width, height);
            let bad = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!shown.chars().any(bad), "{shown:?}");
            assert!(!shown.contains("UA=="), "{shown}");
        }
    }
}

/// State is told by words and marks: with every theme, also one without colours, the characters are
/// the same.
#[test]
fn every_theme_draws_the_same_characters() {
    let mut screens = Vec::new();
    for (name, _) in BUILT_IN {
        let theme = load(name, None, Depth::Sixteen).theme.unwrap();
        let mut fixture = session(3);
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        let layout = fixture.layout(80, 24);
        terminal.draw(|frame| draw(&fixture.state, &fixture.cache, &layout, &theme, frame)).unwrap();
        screens.push(dump::text(terminal.backend().buffer()));
        assert_ne!(theme.style(Role::UiSelection), theme.style(Role::UiText), "{name} marks the selected row");
    }
    assert!(screens.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn scrolling_down_to_the_end_follows_again() {
    let mut fixture = session(60);
    fixture.text(80, 24);
    fixture.state.transcript.pending = vec![ScrollBy::Pages(-3)];
    assert!(fixture.text(80, 24).contains("more ↓"));
    assert_ne!(fixture.state.transcript.scroll, Scroll::Follow);
    fixture.state.transcript.pending = vec![ScrollBy::Pages(4)];
    assert!(!fixture.text(80, 24).contains("more ↓"));
    assert_eq!(fixture.state.transcript.scroll, Scroll::Follow);
}
