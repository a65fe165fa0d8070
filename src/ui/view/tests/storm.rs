//! Anything may be typed, pasted, clicked, streamed and resized, in any order: nothing panics, nothing is
//! drawn outside the screen, and no control character reaches a cell.
//!
//! `OCTOMIND_STORM_STEPS` sets how many steps are taken, `OCTOMIND_STORM_SEED` repeats one run.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::fixture::Fixture;
use super::*;
use crate::port::Delivery;
use crate::ui::action::Action;
use crate::ui::composer::Found;
use crate::ui::effect::Effect;
use crate::ui::input::{Input, Mouse, MouseKind, TerminalAnswer};
use crate::ui::keys::{Code, Key, Modifiers};
use crate::ui::theme::Shade;
use crate::ui::update::{Msg, Outcome, Said, update};

/// In the suite; `OCTOMIND_STORM_STEPS=200000` is what a release is tried with.
const STEPS: u64 = 6_000;
/// A frame is drawn this often, as keys that come in one read are looked at together.
const STEPS_A_FRAME: u64 = 10;
/// The last inputs are told when something goes wrong.
const TOLD: usize = 40;

const SIZES: [(u16, u16); 12] = [
    (120, 40),
    (80, 24),
    (40, 12),
    (39, 12),
    (40, 11),
    (1, 1),
    (300, 90),
    (119, 24),
    (79, 40),
    (200, 12),
    (41, 90),
    (2, 50),
];

/// What a person, a model or a server may say: wide, joined, combining, steering and endless text.
const TEXTS: [&str; 14] = [
    "plain words",
    "/role developer:rust",
    "/",
    "@src",
    "!ls",
    "测试宽字符 mixed with narrow",
    "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 zero\u{200b}width",
    "e\u{301}\u{302}\u{303}\u{304} combining",
    "\u{1b}[2J\u{1b}]52;c;UA==\u{7}\u{9b}31m",
    "\u{202e}evil\u{2066}\u{e0041}\u{feff}",
    "tabs\tand\r\nlines\n\n\n\rover",
    "| a | b |\n|---|:-:|\n| one | 二 |\n\n> > quote\n\n```rust\nfn main() {}\n```\n- [ ] item",
    "[link](https://example.org/\u{1b}x) `code` **bold *both* bold**",
    "\u{0}\u{1}\u{85}\u{2028}\u{ad}\u{180e}",
];

struct Storm {
    fixture: Fixture,
    random: u64,
    last: VecDeque<String>,
    slot: u32,
    written: usize,
}

impl Storm {
    fn new(seed: u64, keymap: &str) -> Self {
        let mut fixture = Fixture::working();
        fixture.state.keymap = Arc::new(keys::load(keymap, None).keymap.unwrap());
        fixture.state.size = SIZES[0];
        Self { fixture, random: seed, last: VecDeque::new(), slot: 0, written: 0 }
    }

    /// Below `most`.
    fn pick(&mut self, most: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap() % most
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.pick(of.len())]
    }

    fn key(&mut self) -> Key {
        let letters: Vec<char> = (' '..='~').chain("äß界🙂\u{301}".chars()).collect();
        let named = [
            Code::Enter,
            Code::Tab,
            Code::Backspace,
            Code::Delete,
            Code::Insert,
            Code::Esc,
            Code::Up,
            Code::Down,
            Code::Left,
            Code::Right,
            Code::Home,
            Code::End,
            Code::PageUp,
            Code::PageDown,
        ];
        let code = match self.pick(8) {
            0..4 => Code::Char(self.one(&letters)),
            4..7 => self.one(&named),
            _ => Code::Function(u8::try_from(1 + self.pick(12)).unwrap()),
        };
        let mut modifiers = Modifiers::default();
        if self.pick(4) == 0 {
            modifiers.ctrl = self.pick(2) == 0;
            modifiers.alt = self.pick(2) == 0;
            modifiers.shift = self.pick(3) == 0;
        }
        Key::new(code, modifiers)
    }

    fn said(&mut self) -> Said {
        match self.pick(100) {
            0..70 => Said::Input(Input::Key(self.key())),
            70..74 => {
                let times = if self.pick(60) == 0 { 2000 } else { 1 + self.pick(3) };
                Said::Input(Input::Paste(self.one(&TEXTS).repeat(times)))
            }
            74..84 => self.mouse(),
            84..87 => {
                let (columns, rows) = self.one(&SIZES);
                Said::Resized(columns, rows)
            }
            87..89 => Said::Tick,
            89 => Said::Input(Input::Focus(self.pick(2) == 0)),
            90 => {
                let answers = [
                    TerminalAnswer::Background(Shade::Light),
                    TerminalAnswer::Background(Shade::Dark),
                    TerminalAnswer::KittyKeyboard,
                    TerminalAnswer::Attributes,
                ];
                Said::Input(Input::Answer(self.one(&answers)))
            }
            _ => self.news(),
        }
    }

    fn mouse(&mut self) -> Said {
        let kinds = [MouseKind::Press, MouseKind::Drag, MouseKind::Release, MouseKind::WheelUp, MouseKind::WheelDown];
        let (columns, rows) = self.fixture.state.size;
        // Also outside: a drag may end there.
        let column = u16::try_from(self.pick(usize::from(columns) + 3)).unwrap();
        let row = u16::try_from(self.pick(usize::from(rows) + 3)).unwrap();
        let mouse = Mouse { kind: self.one(&kinds), column, row, modifiers: Modifiers::default() };
        let layout = self.fixture.layout(columns, rows);
        let within = self.fixture.state.selection.as_ref().filter(|_| mouse.kind != MouseKind::Press);
        Said::Mouse(mouse, layout.pointed(column, row, within))
    }

    /// Something that happens in the session.
    fn news(&mut self) -> Said {
        let text = self.one(&TEXTS).to_owned();
        let turn = TurnId(1 + self.slot / 8);
        self.slot += 1;
        let request = RequestId(self.slot / 4);
        let body = match self.pick(9) {
            0 => Body::TurnStarted { turn },
            1 => Body::TurnEnded { turn, outcome: TurnOutcome::Done, elapsed_ms: 5 },
            2 => Body::UserMessage { content: Content::Text(text), attachments: Vec::new(), origin: Origin::Person },
            3 => {
                self.written += text.len();
                Body::TextDelta { request, offset: (self.written - text.len()) as u64, text }
            }
            4 => Body::ToolStarted {
                call: CallId(self.slot.to_string()),
                server: text.clone(),
                tool: "edit".to_owned(),
                arguments: serde_json::json!({ "command": text, "old": "a\nb", "new": "a\nc" }),
            },
            5 => Body::ToolFinished {
                call: CallId((self.slot - 1).to_string()),
                outcome: ToolOutcome::Error,
                content: Content::Text(text.repeat(20)),
                full_bytes: 7,
                spill: Some(text),
                elapsed_ms: 7,
            },
            6 => Body::Queued { id: QueueId(self.slot), text, mode: SubmitMode::Steer },
            7 => Body::Asked(Ask {
                id: AskId(self.slot),
                kind: AskKind::Secret { key: text.clone(), wanted_by: text.clone(), kept_in: text },
            }),
            _ => Body::Notice { level: Level::Warning, source: text.clone(), text: text.clone(), hint: Some(text) },
        };
        let order = Some(Order { turn: turn.0, round: 0, slot: self.slot });
        let event = Event { seq: Seq(u64::from(self.slot) + 1000), at: self.fixture.state.now, order, body };
        Said::Session(vec![Delivery::Event(Arc::new(event))], None)
    }

    fn step(&mut self) {
        let said = self.said();
        if self.last.len() == TOLD {
            self.last.pop_front();
        }
        let told: String = format!("{said:?}").chars().take(200).collect();
        self.last.push_back(told);
        self.take(said);
    }

    fn take(&mut self, said: Said) {
        let wait = 1 + self.pick(400) as u64;
        let at = self.fixture.state.now + wait;
        let effects = update(&mut self.fixture.state, Msg { at, said });
        for effect in effects {
            let outcome = match effect {
                Effect::FindFiles(query) => {
                    let paths = Arc::new(vec!["src/main.rs".to_owned(), "äöü 界.txt".to_owned()]);
                    Outcome::Found(Found { query, paths })
                }
                Effect::EditDraft(text) => Outcome::Edited(Ok(text + "\n界")),
                Effect::Copy { .. } | Effect::CopySelection => Outcome::Copied(Err("no clipboard".to_owned())),
                Effect::Send(command) if self.pick(20) == 0 => Outcome::Unsent(command),
                _ => continue,
            };
            let _ = update(&mut self.fixture.state, Msg { at, said: Said::Outcome(outcome) });
        }
    }

    fn draw(&mut self) {
        let (width, height) = self.fixture.state.size;
        let (buffer, caret) = dump::screen(&mut self.fixture.state, &mut self.fixture.cache, width, height);
        assert_eq!((buffer.area.width, buffer.area.height), (width, height));
        for cell in buffer.content() {
            let symbol = cell.symbol();
            let steering = symbol.chars().find(|letter| steers(*letter));
            assert_eq!(steering, None, "{symbol:?} would reach the terminal");
            assert!(crate::text::width(symbol) <= 2, "{symbol:?} is too wide for a cell");
        }
        if let Some((column, row)) = caret {
            assert!(column < width && row < height, "the caret is outside: {column}, {row} of {width}×{height}");
        }
    }
}

/// What no cell may hold: controls, directions, and what is not seen. Joiners and variation selectors are
/// part of emoji.
fn steers(letter: char) -> bool {
    let unseen = ['\u{200b}', '\u{200e}', '\u{200f}', '\u{feff}', '\u{ad}', '\u{180e}'];
    let ranges = ['\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}', '\u{e0000}'..='\u{e007f}'];
    letter.is_control() || unseen.contains(&letter) || ranges.iter().any(|range| range.contains(&letter))
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().unwrap())
}

fn storm(keymap: &str, steps: u64) {
    let seed = number("OCTOMIND_STORM_SEED", 1);
    let mut storm = Storm::new(seed, keymap);
    for step in 0..steps {
        let done = catch_unwind(AssertUnwindSafe(|| {
            storm.step();
            if step % STEPS_A_FRAME == 0 {
                storm.draw();
            }
        }));
        if let Err(panic) = done {
            eprintln!("step {step} of seed {seed} with {keymap}, at {:?}; before it:", storm.fixture.state.size);
            for input in &storm.last {
                eprintln!("  {input}");
            }
            resume_unwind(panic);
        }
    }
}

#[test]
fn nothing_that_is_typed_clicked_or_streamed_breaks_the_screen() {
    storm("default", number("OCTOMIND_STORM_STEPS", STEPS));
}

#[test]
fn nor_with_the_keys_of_vim() {
    storm("vim", number("OCTOMIND_STORM_STEPS", STEPS) / 4);
}

#[test]
fn nor_with_the_keys_of_emacs() {
    storm("emacs", number("OCTOMIND_STORM_STEPS", STEPS) / 4);
}

/// Every action can be asked for at any time, from the palette.
#[test]
fn every_action_runs_in_every_state_of_a_storm() {
    let mut storm = Storm::new(5, "default");
    for _ in 0..6 {
        for action in Action::ALL {
            if !matches!(action, Action::Quit) {
                let call = crate::ui::action::Call::new(*action);
                if call.check().is_ok() {
                    storm.take(Said::Call(call));
                }
            }
            storm.step();
        }
        storm.draw();
    }
}
