//! What cells lead to, and images.

use super::fixture::*;
use super::*;
use crate::ui::state::{Picture, Reader, Subject};
use crate::ui::term::probe::Images;
use crate::ui::theme::tag;

/// The words of each row that lead somewhere.
fn leading(fixture: &mut Fixture, columns: u16, rows: u16) -> Vec<String> {
    let area = Rect::new(0, 0, columns, rows);
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(columns, rows)).unwrap();
    let layout = prepare(&mut fixture.state, &mut fixture.cache, area);
    let theme = crate::ui::theme::load("dark", None, Depth::Full).theme.unwrap();
    let _ = terminal.draw(|frame| draw(&fixture.state, &fixture.cache, &layout, &theme, frame)).unwrap();
    let buffer = terminal.backend().buffer().clone();
    let words = |y: u16| {
        let cells = (0..columns).filter(|x| tag::of(&buffer[(*x, y)]).is_some());
        cells.map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>()
    };
    (0..rows).map(words).filter(|words| !words.is_empty()).collect()
}

#[test]
fn cells_lead_somewhere_only_in_terminals_that_make_links() {
    let mut fixture = Fixture::working();
    fixture.user((1, 1, 1), "look at https://a.example/x");
    fixture.assistant((1, 1, 2), "see src/main.rs:12");
    assert_eq!(leading(&mut fixture, 80, 24), Vec::<String>::new());
    fixture.state.terminal.links = true;
    assert_eq!(leading(&mut fixture, 80, 24), ["https://a.example/x", "src/main.rs:12"]);
    let file = "file:///home/ada/shop/src/main.rs";
    assert!(fixture.cache.links().number(file).is_some_and(|number| number <= 2), "the file is known by {file}");
}

#[test]
fn what_lies_over_a_link_does_not_lead_there() {
    let mut fixture = Fixture::working();
    fixture.state.terminal.links = true;
    let text = "https://a.example/x\n\n".repeat(30);
    fixture.assistant((1, 1, 1), &text);
    let before = leading(&mut fixture, 80, 24).len();
    fixture.state.layers.push(Layer::picker(Listing::Help));
    let over = leading(&mut fixture, 80, 24);
    assert!(before > 5 && over.len() < before, "{before} {over:?}");
    assert!(over.iter().all(|words| "https://a.example/x".contains(words.as_str())), "{over:?}");
}

#[test]
fn an_image_is_a_labelled_placeholder_and_has_a_box_of_its_own() {
    let mut fixture = Fixture::working();
    fixture.call((1, 1, 1), "browser", "screenshot", serde_json::json!({}));
    // The header of a PNG of 640 × 480.
    let base64 = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHgCAIAAAAAAAAA".to_owned();
    let content = Content::Media { media_type: "image/png".to_owned(), base64 };
    fixture.at(
        (1, 1, 1),
        Body::ToolFinished {
            call: CallId(format!("{:?}", (1, 1, 1))),
            outcome: ToolOutcome::Ok,
            content,
            full_bytes: 33,
            spill: None,
            elapsed_ms: 5,
        },
    );
    let shown = fixture.text(80, 24);
    assert!(shown.contains("[image/png, 640 × 480, 33 B]"), "{shown}");
    let rows = fixture.state.lead_rows("");
    assert_eq!(rows[0].words, "image/png, 640 × 480, 33 B, from browser.screenshot");
    let picture = Picture { order: (1, 1, 1).into(), index: 0 };
    assert!(!fixture.state.draws(picture));
    fixture.state.terminal.images = Images::Kitty;
    assert!(fixture.state.draws(picture));
    fixture.state.layers.push(Layer::Reader(Reader { subject: Subject::Picture(picture), offset: 0 }));
    let shown = fixture.text(80, 24);
    assert!(shown.contains("Image from browser.screenshot") && shown.contains("open in the viewer"), "{shown}");
}
