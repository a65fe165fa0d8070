//! What a terminal makes of the bytes: every theme that comes along, and the keys of every keymap.

use std::fmt::Write as _;

use super::fixture::Fixture;
use super::*;
use crate::ui::input::Input;
use crate::ui::keys::Key;
use crate::ui::term::Screen;
use crate::ui::theme::{BUILT_IN, Theme, load};
use crate::ui::update::{Msg, Said, update};

const WIDTH: u16 = 100;
const HEIGHT: u16 = 30;

/// The state as a terminal shows it after the real bytes of one frame.
fn terminal(fixture: &mut Fixture, theme: &Theme) -> vt100::Parser {
    let Fixture { state, cache, .. } = fixture;
    state.size = (WIDTH, HEIGHT);
    let layout = prepare(state, cache, Rect::new(0, 0, WIDTH, HEIGHT));
    let mut bytes = Vec::new();
    let mut screen = Screen::new(&mut bytes, (WIDTH, HEIGHT), cache.links().clone()).unwrap();
    screen.draw(|frame| draw(state, cache, &layout, theme, frame)).unwrap();
    drop(screen);
    let [rows, columns] = [HEIGHT, WIDTH].map(|cells| std::num::NonZeroU16::new(cells).unwrap());
    let mut parser = vt100::Parser::new(rows, columns, 0);
    parser.process(&bytes);
    parser
}

/// Something of everything: prose with code, a diff, a failed tool, a server that is down, a notice.
fn everything() -> Fixture {
    let mut fixture = Fixture::working();
    let (reason, advice) = ("the command `uvx` was not found".to_owned(), "install uv".to_owned());
    fixture.server("time", ServerState::Failed { reason, advice }, &[], 0);
    fixture.user((1, 0, 1), "make the tests pass");
    fixture.call((1, 1, 2), "filesystem", "shell", serde_json::json!({"command": "cargo test"}));
    fixture.result((1, 1, 2), ToolOutcome::Error, "error[E0308]: mismatched types", 8123);
    let edit = serde_json::json!({"path": "src/lib.rs", "old": "fn two() -> u8 {\n    \"2\"\n}\n", "new": "fn two() -> u8 {\n    2\n}\n"});
    fixture.call((1, 2, 2), "filesystem", "edit", edit);
    fixture.result((1, 2, 2), ToolOutcome::Ok, "edited src/lib.rs", 12);
    fixture.assistant(
        (1, 3, 3),
        "Now **two** is a number, see [the book](https://example.org):\n\n```rust\nlet two: u8 = 2; // not \"2\"\n```",
    );
    fixture.idle();
    fixture.state.composer.insert("thank you");
    fixture
}

/// How a cell looks, as the terminal understood it.
fn look(cell: &vt100::Cell) -> String {
    let colour = |colour: vt100::Color| match colour {
        vt100::Color::Default => "-".to_owned(),
        vt100::Color::Idx(index) => index.to_string(),
        vt100::Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    };
    let mut look = format!("{} on {}", colour(cell.fgcolor()), colour(cell.bgcolor()));
    for (has, word) in [
        (cell.bold(), " bold"),
        (cell.dim(), " dim"),
        (cell.italic(), " italic"),
        (cell.underline(), " underline"),
        (cell.inverse(), " inverse"),
    ] {
        if has {
            look.push_str(word);
        }
    }
    look
}

/// Each look once, with the first words that have it.
fn looks(screen: &vt100::Screen) -> Vec<(String, String)> {
    let mut looks: Vec<(String, String)> = Vec::new();
    for row in 0..HEIGHT {
        let mut run: Option<(String, String)> = None;
        let mut runs = Vec::new();
        for column in 0..WIDTH {
            let cell = screen.cell(row, column).unwrap();
            let look = look(cell);
            match &mut run {
                Some((last, text)) if *last == look => text.push_str(cell.contents()),
                _ => runs.extend(run.replace((look, cell.contents().to_owned()))),
            }
        }
        runs.extend(run);
        for (look, text) in runs {
            let text = text.trim();
            if !text.is_empty() && !looks.iter().any(|(known, _)| *known == look) {
                looks.push((look, text.chars().take(24).collect()));
            }
        }
    }
    looks
}

/// Every theme with all colours, and one of them with ever fewer.
#[test]
fn each_theme_in_a_terminal() {
    let fewer = [("dark", Depth::Indexed), ("dark", Depth::Sixteen), ("dark", Depth::None)];
    let all = BUILT_IN.iter().map(|(name, _)| (*name, Depth::Full)).chain(fewer);
    let mut plain: Option<String> = None;
    for (name, depth) in all {
        let theme = load(name, None, depth).theme.unwrap();
        let parser = terminal(&mut everything(), &theme);
        let screen = parser.screen();
        let text = plain.get_or_insert_with(|| screen.contents());
        assert_eq!(screen.contents(), *text, "{name} {depth:?} says something else than the others");
        for row in 0..HEIGHT {
            for column in 0..WIDTH {
                let cell = screen.cell(row, column).unwrap();
                let unseen = cell.fgcolor() == cell.bgcolor() && cell.fgcolor() != vt100::Color::Default;
                assert!(!unseen || cell.contents().trim().is_empty(), "{name}: {} at {row},{column}", cell.contents());
                for colour in [cell.fgcolor(), cell.bgcolor()] {
                    let fits = match (name, depth) {
                        ("mono", _) | (_, Depth::None) => colour == vt100::Color::Default,
                        ("ansi16", _) | (_, Depth::Sixteen) => {
                            matches!(colour, vt100::Color::Default | vt100::Color::Idx(0..16))
                        }
                        (_, Depth::Indexed) => !matches!(colour, vt100::Color::Rgb(..)),
                        (_, Depth::Full) => true,
                    };
                    assert!(fits, "{name} {depth:?} uses {colour:?} at {row},{column}");
                }
            }
        }
        let mut table = String::new();
        for (look, sample) in looks(screen) {
            let _ = writeln!(table, "{look:<32} {sample}");
        }
        insta::assert_snapshot!(format!("terminal_{name}_{depth:?}").to_lowercase(), table);
    }
    insta::assert_snapshot!("terminal_text", plain.unwrap());
}

/// What is pressed, from a fresh screen on.
const PRESSED: [(&str, &str); 7] = [
    ("a fresh screen", ""),
    ("a message", "h i"),
    ("esc", "h i esc"),
    ("the panes", "esc esc tab"),
    ("a prefix", "esc esc tab g"),
    ("help", "f1"),
    ("the palette", "ctrl-p"),
];

/// The last rows tell who gets the keys; they and what lies over the panes are what keymaps change.
#[test]
fn each_keymap_in_a_terminal() {
    let theme = dump::theme();
    for (name, _) in keys::BUILT_IN {
        let mut shown = String::new();
        for (what, pressed) in PRESSED {
            let mut fixture = everything();
            fixture.state.composer.clear();
            fixture.state.keymap = Arc::new(keys::load(name, None).keymap.unwrap());
            for key in Key::parse_sequence(pressed).unwrap() {
                let at = fixture.state.now + 10;
                let _ = update(&mut fixture.state, Msg { at, said: Said::Input(Input::Key(key)) });
            }
            // Long enough that a prefix is explained.
            let at = fixture.state.now + 1_000;
            let _ = update(&mut fixture.state, Msg { at, said: Said::Tick });
            let over = !fixture.state.layers.is_empty() || fixture.state.which_key().is_some();
            let parser = terminal(&mut fixture, &theme);
            let screen = parser.screen();
            let first = if over { 1 } else { HEIGHT - 4 };
            let _ = writeln!(shown, "── {what}: {pressed}");
            for row in screen.rows(0, WIDTH).skip(usize::from(first)) {
                let _ = writeln!(shown, "{}", row.trim_end());
            }
            let (row, column) = screen.cursor_position();
            let caret = if screen.hide_cursor() { "hidden".to_owned() } else { format!("{column},{row}") };
            let _ = writeln!(shown, "caret {caret}");
        }
        insta::assert_snapshot!(format!("terminal_keys_{name}"), shown);
    }
}
