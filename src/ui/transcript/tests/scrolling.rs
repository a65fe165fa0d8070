use std::collections::BTreeSet;
use std::sync::Arc;

use crate::proto::{Entry, EntryKind, Order, Origin};
use crate::ui::state::{Scroll, ScrollBy, Search};
use crate::ui::transcript::{Asked, Cache, Scene, Window};

struct Pane {
    cache: Cache,
    entries: Vec<Arc<Entry>>,
    scroll: Scroll,
    search: Option<Search>,
    width: usize,
    height: u16,
}

impl Pane {
    fn new(turns: u32) -> Self {
        let mut pane = Self {
            cache: Cache::in_place(),
            entries: Vec::new(),
            scroll: Scroll::Follow,
            search: None,
            width: 40,
            height: 10,
        };
        for turn in 1..=turns {
            pane.turn(turn);
        }
        pane
    }

    fn turn(&mut self, turn: u32) {
        let question =
            EntryKind::User { text: format!("question {turn}"), origin: Origin::Person, attachments: Vec::new() };
        self.push((turn, 0, 1), question);
        let lines = (0..turn % 7).map(|line| format!("line {line} of answer {turn}, which is long enough to wrap"));
        let text = lines.collect::<Vec<_>>().join("\n\n");
        self.push((turn, 1, 2), EntryKind::Assistant { text, streaming: false, interrupted: false, scripted: false });
    }

    fn push(&mut self, order: (u32, u32, u32), kind: EntryKind) {
        self.entries.push(Arc::new(Entry { order: Order::from(order), version: 0, at: 0, kind }));
    }

    fn step(&mut self, pending: &[ScrollBy]) -> Window {
        let (toggled, open_kinds) = (BTreeSet::new(), BTreeSet::new());
        let scene = Scene {
            session: "test",
            entries: &self.entries,
            toggled: &toggled,
            unfold_all: false,
            open_kinds: &open_kinds,
            width: self.width,
            now: 0,
            motion: true,
            keys: Default::default(),
        };
        let asked = Asked { scroll: &mut self.scroll, pending: pending.to_vec(), search: self.search.as_ref() };
        self.cache.window(&scene, asked, self.height)
    }

    /// The rows in sight.
    fn shown(&mut self, pending: &[ScrollBy]) -> Vec<String> {
        let window = self.step(pending);
        let mut rows = Vec::new();
        for part in &window.visible {
            let gap = self.cache.gap(part.order);
            for line in part.lines.clone() {
                let row = line.checked_sub(gap).map(|at| self.cache.rows(part.order)[at as usize].text.to_string());
                rows.push(row.unwrap_or_default());
            }
        }
        rows
    }
}

#[test]
fn up_and_down_by_as_much_returns() {
    let mut pane = Pane::new(40);
    pane.step(&[ScrollBy::Lines(-60)]);
    let before = pane.scroll;
    for rows in [1, 2, 7, 33] {
        pane.step(&[ScrollBy::Lines(-rows)]);
        assert_ne!(pane.scroll, before);
        pane.step(&[ScrollBy::Lines(rows)]);
        assert_eq!(pane.scroll, before, "{rows}");
    }
    pane.step(&[ScrollBy::Pages(-2), ScrollBy::HalfPages(-1), ScrollBy::HalfPages(1), ScrollBy::Pages(2)]);
    assert_eq!(pane.scroll, before);
}

#[test]
fn follows_only_at_the_end() {
    let mut pane = Pane::new(20);
    assert!(pane.step(&[]).follows);
    assert!(!pane.step(&[ScrollBy::Lines(-1)]).follows);
    let held = pane.shown(&[]);
    pane.turn(21);
    pane.turn(22);
    let window = pane.step(&[]);
    assert_eq!((window.follows, window.unseen), (false, 4));
    assert_eq!(pane.shown(&[]), held, "what is read stays where it is");
    assert!(pane.step(&[ScrollBy::Bottom]).follows);
    pane.turn(23);
    assert!(pane.step(&[]).follows);
}

#[test]
fn every_row_is_reached_once_from_top_to_end() {
    let mut pane = Pane::new(30);
    pane.step(&[ScrollBy::Top]);
    let mut rows = pane.shown(&[]);
    loop {
        let window = pane.step(&[ScrollBy::Lines(1)]);
        rows.push(pane.shown(&[]).pop().unwrap());
        if window.follows {
            break;
        }
    }
    let total = pane.step(&[]).total;
    assert_eq!(rows.len() as u64, total, "heights of all entries add up to the rows there are");
    assert_eq!(pane.step(&[ScrollBy::Top]).above, 0);
}

#[test]
fn estimates_move_nothing() {
    let mut pane = Pane::new(500);
    pane.step(&[]);
    let far = pane.entries[300].order;
    pane.step(&[ScrollBy::To(far)]);
    let first = pane.shown(&[])[0].clone();
    pane.step(&[ScrollBy::Lines(-200)]);
    pane.step(&[ScrollBy::Lines(200)]);
    assert_eq!(pane.shown(&[])[0], first);
}

#[test]
fn prompts_are_a_list_to_jump_through() {
    let mut pane = Pane::new(12);
    pane.step(&[]);
    pane.step(&[ScrollBy::Top]);
    for turn in 2..6 {
        assert_eq!(pane.shown(&[ScrollBy::Prompt(1)])[0], format!("you  question {turn}"));
    }
    for turn in (2..5).rev() {
        assert_eq!(pane.shown(&[ScrollBy::Prompt(-1)])[0], format!("you  question {turn}"));
    }
    pane.step(&[ScrollBy::Lines(1)]);
    assert_eq!(pane.shown(&[ScrollBy::Prompt(-1)])[0], "you  question 2", "back to the top of what is read");
}

#[test]
fn a_resize_keeps_what_is_read() {
    let mut pane = Pane::new(60);
    pane.step(&[]);
    pane.step(&[ScrollBy::Lines(-150)]);
    pane.step(&[ScrollBy::Prompt(-1), ScrollBy::Lines(5)]);
    let order = |scroll| match scroll {
        Scroll::At { order, .. } => order,
        Scroll::Follow => panic!("not at the end"),
    };
    let (begin, word) = (order(pane.scroll), pane.shown(&[])[0].split(' ').next().unwrap_or_default().to_owned());
    for width in [25, 80, 13, 119, 40] {
        pane.width = width;
        let shown = pane.shown(&[]);
        assert_eq!(order(pane.scroll), begin, "{width}");
        assert!(shown[0].contains(&word), "{width}: {word:?} in {:?}", shown[0]);
    }
}

#[test]
fn search_finds_counts_and_goes_round() {
    let mut pane = Pane::new(30);
    pane.search = Some(Search { query: "answer 2".to_owned(), editing: false });
    pane.step(&[]);
    // Of the turns 2 and 20 to 29: as many as they have lines (turn modulo 7).
    let lines: u32 = [2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29].iter().map(|turn: &u32| turn % 7).sum();
    assert_eq!(pane.cache.matches() as u32, lines);
    pane.step(&[ScrollBy::Top]);
    pane.step(&[ScrollBy::Match(1)]);
    let first = pane.cache.current_match();
    assert_eq!(first.map(|(order, _)| order.turn), Some(2));
    for _ in 0..lines {
        pane.step(&[ScrollBy::Match(1)]);
    }
    let round = pane.cache.current_match();
    assert_eq!(round, first, "after the last match comes the first");
    pane.step(&[ScrollBy::Match(-1)]);
    assert_eq!(pane.cache.current_match().map(|(order, _)| order.turn), Some(29));
    pane.search = Some(Search { query: "answer 2, ".to_owned(), editing: false });
    pane.step(&[]);
    assert_eq!(pane.cache.matches(), 2, "a longer query narrows");
}

#[test]
fn rendered_rows_stay_bounded() {
    let mut pane = Pane::new(12_000);
    pane.height = 50;
    pane.step(&[ScrollBy::Top]);
    for _ in 0..900 {
        pane.step(&[ScrollBy::Pages(1)]);
        assert!(pane.cache.kept_rows() < 13_000, "{}", pane.cache.kept_rows());
    }
}

#[test]
fn entries_that_go_or_come_in_between_are_noticed() {
    let mut pane = Pane::new(5);
    pane.height = 40;
    pane.step(&[]);
    let late = EntryKind::Thinking { text: "late".to_owned(), streaming: false, elapsed_ms: 10 };
    let entry = Arc::new(Entry { order: Order::from((5, 1, 1)), version: 0, at: 0, kind: late });
    pane.entries.insert(9, entry);
    assert!(pane.shown(&[]).iter().any(|row| row.contains("thought")));
    pane.entries.clear();
    assert!(pane.shown(&[]).is_empty());
    pane.turn(7);
    assert_eq!(pane.shown(&[])[0], "you  question 7");
}

#[test]
fn a_search_opens_what_folds_the_match_away_and_folds_it_again() {
    use crate::proto::{CallId, Content, ToolOutcome, ToolState};
    let mut pane = Pane::new(3);
    let output = (1..=30).map(|line| format!("row {line}\n")).collect::<String>();
    let state = ToolState::Finished {
        outcome: ToolOutcome::Ok,
        elapsed_ms: 1,
        full_bytes: output.len() as u64,
        content: Content::Text(output),
        spill: None,
        narrowed: None,
    };
    let (server, tool) = ("files".to_owned(), "run".to_owned());
    let arguments = serde_json::Value::Null;
    pane.push((4, 0, 1), EntryKind::Tool { call: CallId("c".to_owned()), server, tool, arguments, state });
    let order = Order::from((4, 0, 1));
    pane.step(&[ScrollBy::Top]);
    pane.search = Some(Search { query: "row 17".to_owned(), editing: false });
    pane.step(&[ScrollBy::Match(1)]);
    assert!(pane.cache.rows(order).len() > 30);
    let Scroll::At { order: at, line } = pane.scroll else { panic!("{:?}", pane.scroll) };
    assert!(at == order && (10..18).contains(&line), "{line}");
    pane.search = None;
    pane.step(&[]);
    assert!(pane.cache.rows(order).len() < 6);
}

#[test]
fn a_search_that_finds_nothing_moves_nothing() {
    let mut pane = Pane::new(3);
    pane.search = Some(Search { query: "nowhere".to_owned(), editing: false });
    for by in [ScrollBy::Match(-1), ScrollBy::Match(1), ScrollBy::Match(0)] {
        pane.step(&[by]);
    }
    assert_eq!(pane.scroll, Scroll::Follow);
}
