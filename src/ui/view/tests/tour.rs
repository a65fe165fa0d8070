//! The screens of `assets/tour.md`: drawn here, and compared, so that they are what one sees.
//!
//! `OCTOMIND_WRITE_TOUR=1 cargo test --lib the_tour_shows` writes them anew.

use std::fmt::Write as _;

use super::fixture::Fixture;
use super::*;
use crate::ui::action::{Action, Call};
use crate::ui::state::{ContextSide, Noun, Pane, Reader, Subject, Tabled, ThemeRow};

const WIDTH: u16 = 84;
const HEIGHT: u16 = 24;

/// Title, the action that opens it, what it is for, and a screen of it.
type Stop = (&'static str, Action, &'static str, fn() -> Fixture);

const STOPS: &[Stop] = &[
    (
        "What if",
        Action::WhatIf,
        "Type a message and see what it would bring. Nothing is sent, nothing changes.",
        || surface::tried("explain why this postgres query is slow", Some(surface::answer())),
    ),
    (
        "Why",
        Action::Why,
        "Why a tool, capability or skill is here or is not: the stages in order, from the records.",
        || {
            let mut fixture = surface::session();
            let subject = Subject::Why(Noun::Capability, "docker".to_owned());
            fixture.state.layers.push(Layer::Reader(Reader { subject, offset: 0 }));
            fixture
        },
    ),
    (
        "Switches",
        Action::Switches,
        "Every mechanic of the supervisor: how it stands, where that comes from, what it did.",
        || supervisor::over(supervisor::watched(), supervisor::table(Tabled::Switches, 1)),
    ),
    (
        "Wire",
        Action::Wire,
        "Every model call, the supervisor's too; enter shows what was sent and what came back.",
        || supervisor::over(supervisor::calls(), supervisor::table(Tabled::Calls, 2)),
    ),
    (
        "Context",
        Action::Context,
        "What fills the window, down to each tool; the other side tells the cached share of every request.",
        || supervisor::over(overlays::filled(), supervisor::table(Tabled::Context(ContextSide::Parts), 1)),
    ),
    ("Time", Action::Time, "The session at any of its events: every pane shows it as it was then.", overlays::past),
    ("Sessions", Action::Sessions, "Other sessions: find, go there, rename, fork, delete and put back.", || {
        supervisor::over(overlays::shelved(), supervisor::table(Tabled::Sessions, 1))
    }),
    (
        "Servers",
        Action::Servers,
        "How the tool servers stand, what they said last, and how to start one again.",
        || supervisor::over(overlays::serving(), supervisor::table(Tabled::Servers, 3)),
    ),
    (
        "Rewind",
        Action::Rewind,
        "Back to before a prompt: the conversation, the files that tools changed, or both.",
        || rewind::listed(None),
    ),
    ("Themes", Action::Themes, "The marked one is shown while the list is open.", || {
        let mut fixture = surface::session();
        fixture.state.themes.rows = crate::ui::theme::BUILT_IN
            .iter()
            .map(|(name, _)| ThemeRow { name: (*name).to_owned(), words: String::new() })
            .collect();
        supervisor::over(fixture, supervisor::table(Tabled::Themes, 3))
    }),
    ("Palette", Action::Palette, "Everything there is, by name.", || {
        supervisor::over(surface::session(), Layer::picker(Listing::Palette))
    }),
    ("Help", Action::Help, "All keys, made from the keymap in force.", || {
        supervisor::over(surface::session(), Layer::picker(Listing::Help))
    }),
    ("Log", Action::Log, "What this process logged.", overlays::logged),
];

fn page() -> String {
    let mut page = "# The workbench in screens\n\nDrawn by a test from the real screen, with the keys of the default \
                    keymap. `octomind tour` shows them live.\n"
        .to_owned();
    for (title, action, words, make) in STOPS {
        let mut fixture = make();
        let mut keys = fixture.state.keymap.keys_for(&Call::new(*action));
        keys.sort_by_key(|keys| keys.chars().count());
        let keys: Vec<String> = keys.into_iter().take(2).map(|keys| format!("`{keys}`")).collect();
        fixture.state.focus = Pane::Composer;
        let screen = fixture.text(WIDTH, HEIGHT);
        let _ = write!(page, "\n## {title} ({})\n\n{words}\n\n```text\n{}\n```\n", keys.join(", "), screen.trim_end());
    }
    page
}

#[test]
fn the_tour_shows_what_one_sees() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/tour.md");
    let page = page();
    if std::env::var_os("OCTOMIND_WRITE_TOUR").is_some() {
        std::fs::write(file, &page).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    let differs = page.lines().zip(kept.lines()).find(|(drawn, kept)| drawn != kept);
    assert!(
        page == kept,
        "assets/tour.md is not what the screen shows ({differs:?}); OCTOMIND_WRITE_TOUR=1 writes it anew"
    );
}
