use std::time::{Duration, Instant};

use proptest::prelude::*;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::*;

fn typed(text: &str) -> Composer {
    let mut composer = Composer::default();
    for letter in text.chars() {
        composer.type_char(letter);
    }
    composer
}

fn shown(composer: &Composer, width: u16) -> Vec<String> {
    let row = |row: Row| composer.pieces(row).into_iter().map(|(_, text)| text.into_owned()).collect::<String>();
    composer.rows(width).into_iter().map(row).collect()
}

#[test]
fn wide_characters_are_edited_whole_and_the_caret_stays_under_them() {
    let mut composer = typed("测试abc，🙂é");
    assert_eq!(composer.caret_cell(80), (0, 4 + 3 + 2 + 2 + 1));
    for _ in 0..3 {
        composer.go(Motion::Left);
    }
    assert_eq!(composer.caret_cell(80), (0, 7));
    composer.delete(Motion::Left);
    assert_eq!(composer.content(), "测试ab，🙂é");
    let mut family = typed("x👨‍👩‍👧e\u{301}");
    family.delete(Motion::Left);
    assert_eq!(family.content(), "x👨‍👩‍👧");
    family.delete(Motion::Left);
    assert_eq!(family.content(), "x");
}

#[test]
fn line_ends_of_a_paste_become_newlines() {
    let mut composer = Composer::default();
    composer.paste("测试\r\nabc\r🙂");
    assert_eq!(composer.content(), "测试\nabc\n🙂");
    assert_eq!(composer.caret_cell(80), (2, 2));
}

#[test]
fn a_long_paste_is_one_unit_and_is_sent_intact() {
    let paste = "line\n".repeat(120);
    let mut composer = typed("see ");
    composer.paste(&paste);
    composer.insert(" please");
    assert_eq!(shown(&composer, 80), ["see [pasted 120 lines] please"]);
    assert_eq!(composer.content(), format!("see {paste} please"));
    for _ in 0.." please".len() {
        composer.go(Motion::Left);
    }
    composer.delete(Motion::Left);
    assert_eq!(composer.content(), "see  please");
    composer.undo();
    assert_eq!(composer.content(), format!("see {paste} please"));
    assert!(composer.expand_chip());
    assert_eq!(composer.chips().len(), 0);
    assert_eq!(composer.content(), format!("see {paste} please"));
    composer.undo();
    assert_eq!(composer.chips().len(), 1);
}

#[test]
fn a_megabyte_pastes_in_no_time() {
    let paste = "0123456789\n".repeat(100_000);
    let begun = Instant::now();
    let mut composer = Composer::default();
    composer.paste(&paste);
    let _ = composer.rows(80);
    assert!(begun.elapsed() < Duration::from_millis(400), "{:?}", begun.elapsed());
    assert_eq!(composer.take(), paste);
}

#[test]
fn controls_in_a_paste_are_shown_and_kept() {
    let mut composer = Composer::default();
    composer.paste("a\x1b[2Jb\x07\u{202e}c\td");
    assert_eq!(shown(&composer, 80), ["a␛[2Jb␇␦c    d"]);
    assert_eq!(composer.content(), "a\x1b[2Jb\x07\u{202e}c\td");
}

#[test]
fn rows_break_after_words() {
    let composer = typed("the quick brown fox");
    assert_eq!(shown(&composer, 11), ["the quick ", "brown fox"]);
    assert_eq!(shown(&typed("abcdefghij"), 5), ["abcd", "efgh", "ij"]);
    assert_eq!(shown(&typed("测试测试"), 6), ["测试", "测试"]);
}

#[test]
fn up_and_down_keep_the_column() {
    let mut composer = typed("long first line\nx\nlong third line");
    for _ in 0..5 {
        composer.go(Motion::Left);
    }
    assert_eq!(composer.caret_cell(80), (2, 10));
    composer.go(Motion::Up);
    assert_eq!(composer.caret_cell(80), (1, 1));
    composer.go(Motion::Up);
    assert_eq!(composer.caret_cell(80), (0, 10));
    composer.go(Motion::Down);
    composer.go(Motion::Down);
    assert_eq!(composer.caret_cell(80), (2, 10));
}

#[test]
fn words_and_kills() {
    let mut composer = typed("git commit --amend");
    composer.delete(Motion::WordLeft);
    composer.delete(Motion::WordLeft);
    assert_eq!(composer.content(), "git commit ");
    composer.yank();
    assert_eq!(composer.content(), "git commit --amend");
    composer.go(Motion::TextStart);
    composer.delete(Motion::LineEnd);
    assert!(composer.is_empty());
    composer.yank();
    composer.yank();
    assert_eq!(composer.content(), "git commit --amendgit commit --amend");
}

#[test]
fn undo_goes_by_words_and_clear_can_be_undone() {
    let mut composer = typed("one two three");
    composer.undo();
    assert_eq!(composer.content(), "one two");
    composer.redo();
    assert_eq!(composer.content(), "one two three");
    composer.clear();
    assert!(composer.is_empty());
    composer.undo();
    assert_eq!(composer.content(), "one two three");
}

#[test]
fn history_walks_and_comes_back_to_the_draft() {
    let mut composer = Composer::default();
    composer.history.load(vec!["first".to_owned(), "second".to_owned()]);
    composer.insert("draft");
    assert!(composer.history_previous());
    assert_eq!(composer.content(), "second");
    assert!(composer.history_previous());
    assert_eq!(composer.content(), "first");
    assert!(!composer.history_previous());
    assert!(composer.history_next());
    assert!(composer.history_next());
    assert_eq!(composer.content(), "draft");
    assert!(!composer.history_next());
    let _ = composer.take();
    assert_eq!(composer.history.entries(), ["first", "second", "draft"]);
}

#[test]
fn commands_complete_at_the_beginning_only() {
    let composer = typed("/mo");
    let open = composer.completion.as_ref().unwrap();
    assert_eq!((open.kind, open.candidates[0].label.as_str()), (CompletionKind::Command, "/model"));
    assert!(typed("see /mo").completion.is_none());
    assert!(typed("/model x").completion.is_none());
    assert!(typed("/usr/bin").completion.is_none());
    let mut composer = typed("/qu");
    assert_eq!(composer.completion.as_ref().unwrap().candidates[0].label, "/exit", "by its other name");
    assert!(composer.complete());
    assert_eq!(composer.content(), "/exit");
}

#[test]
fn a_closed_list_stays_closed_for_its_word() {
    let mut composer = typed("/m");
    composer.dismiss_completion();
    composer.type_char('o');
    assert!(composer.completion.is_none());
    composer.delete(Motion::TextStart);
    composer.type_char('/');
    assert!(composer.completion.is_some());
}

#[test]
fn files_complete_after_an_at_sign() {
    let mut composer = typed("look at @ma");
    assert_eq!(composer.wants_files().as_deref(), Some("ma"));
    assert_eq!(composer.wants_files(), None, "asked for once");
    let found = |query: &str, paths: &[&str]| Found {
        query: query.to_owned(),
        paths: std::sync::Arc::new(paths.iter().map(|path| (*path).to_owned()).collect()),
    };
    composer.set_found(found("ma", &["src/main.rs", "Makefile", "map.rs"]));
    composer.type_char('i');
    let labels = |composer: &Composer| -> Vec<String> {
        composer.completion.iter().flat_map(|open| &open.candidates).map(|one| one.label.clone()).collect()
    };
    assert_eq!(labels(&composer)[0], "@src/main.rs", "until the answer comes what is known is narrowed");
    assert!(!labels(&composer).contains(&"@map.rs".to_owned()));
    assert_eq!(composer.wants_files().as_deref(), Some("mai"));
    composer.set_found(found("mai", &["src/main.rs", "mail.rs"]));
    composer.set_found(found("ma", &["map.rs"]));
    assert_eq!(labels(&composer), ["@src/main.rs", "@mail.rs"], "a late answer changes nothing");
    composer.completion_move(1);
    composer.set_found(found("mai", &["a/mai.rs", "src/main.rs", "mail.rs"]));
    assert_eq!(composer.completion.as_ref().unwrap().selected, 2, "the mark stays on what it was put on");
    composer.completion_move(-1);
    assert!(composer.complete());
    assert_eq!(composer.content(), "look at @src/main.rs ");
    assert!(typed("me@ma").wants_files().is_none(), "an address is no file");
}

#[derive(Debug, Clone)]
enum Step {
    Type(char),
    Paste(String),
    Go(Motion),
    Delete(Motion),
    Undo,
    Redo,
    Yank,
    Newline,
    Expand,
    Clear,
    Click(usize, usize),
    Older,
    Newer,
}

fn motion() -> impl Strategy<Value = Motion> {
    use Motion::*;
    prop::sample::select(vec![Left, Right, Up, Down, WordLeft, WordRight, LineStart, LineEnd, TextStart, TextEnd])
}

fn step() -> impl Strategy<Value = Step> {
    let letters = vec![
        'a', ' ', '测', '🙂', 'e', '\u{301}', '\u{200d}', '👩', '🇩', '🇪', '\u{fffc}', '/', '@', '\t', '\u{1b}', 'क',
        '\u{94d}', 'ष', '\u{202e}',
    ];
    let pastes = vec!["x", "a\r\nb", "🇩", "\u{301}", "\u{fffc}\u{301}", "one\ntwo\nthree"];
    prop_oneof![
        6 => prop::sample::select(letters).prop_map(Step::Type),
        2 => prop::sample::select(pastes).prop_map(|text| Step::Paste(text.to_owned())),
        1 => Just(Step::Paste("line\n".repeat(20))),
        4 => motion().prop_map(Step::Go),
        4 => motion().prop_map(Step::Delete),
        2 => Just(Step::Undo),
        1 => Just(Step::Redo),
        1 => Just(Step::Yank),
        1 => Just(Step::Newline),
        1 => Just(Step::Expand),
        1 => Just(Step::Clear),
        1 => (0..5_usize, 0..12_usize).prop_map(|(row, column)| Step::Click(row, column)),
        1 => Just(Step::Older),
        1 => Just(Step::Newer),
    ]
}

fn take_step(composer: &mut Composer, step: &Step) {
    match step {
        Step::Type(letter) => composer.type_char(*letter),
        Step::Paste(text) => composer.paste(text),
        Step::Go(motion) => composer.go(*motion),
        Step::Delete(motion) => composer.delete(*motion),
        Step::Undo => composer.undo(),
        Step::Redo => composer.redo(),
        Step::Yank => composer.yank(),
        Step::Newline => composer.newline(),
        Step::Expand => drop(composer.expand_chip()),
        Step::Clear => composer.clear(),
        Step::Click(row, column) => composer.click(*row, *column),
        Step::Older => drop(composer.history_previous()),
        Step::Newer => drop(composer.history_next()),
    }
}

/// On a boundary of graphemes, or beside a chip.
fn on_boundary(composer: &Composer) -> bool {
    let (text, caret) = (composer.text(), composer.caret());
    let beside_chip = text[..caret].ends_with(Chip::MARK) || text[caret..].starts_with(Chip::MARK);
    beside_chip || GraphemeCursor::new(caret, text.len(), true).is_boundary(text, 0).unwrap_or(false)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_edits_keep_the_composer_whole(steps in prop::collection::vec(step(), 1..60)) {
        let mut composer = Composer { width: 9, ..Composer::default() };
        composer.history.load(vec!["older 🙂".to_owned()]);
        for step in &steps {
            take_step(&mut composer, step);
            prop_assert!(on_boundary(&composer), "after {step:?} in {:?} at {}", composer.text(), composer.caret());
            prop_assert_eq!(composer.text().matches(Chip::MARK).count(), composer.chips().len());
            let rows = composer.rows(9);
            let (row, column) = composer.caret_cell(9);
            prop_assert!(row < rows.len());
            let wide = composer.chips().iter().map(|chip| chip.label.len()).max().unwrap_or(0).max(9);
            prop_assert!(column <= wide, "column {column}");
            for row in rows {
                for (_, piece) in composer.pieces(row) {
                    prop_assert!(!piece.chars().any(char::is_control), "{piece:?}");
                }
            }
        }
        let content = composer.content();
        prop_assert_eq!(composer.take(), content);
    }

    #[test]
    fn undo_returns_to_where_it_was(before in "[a-z 🙂é]{0,12}", steps in prop::collection::vec(step(), 1..20)) {
        let mut composer = typed(&before);
        let start = composer.content();
        let undone = composer.undo.len();
        let edits: Vec<_> = steps.iter().filter(|step| !matches!(step, Step::Undo | Step::Redo)).collect();
        composer.go(Motion::TextEnd);
        composer.type_char(' ');
        for step in edits {
            take_step(&mut composer, step);
        }
        let end = composer.content();
        while composer.undo.len() > undone {
            composer.undo();
        }
        prop_assert_eq!(composer.content(), start);
        while !composer.redo.is_empty() {
            composer.redo();
        }
        prop_assert_eq!(composer.content(), end);
    }

    #[test]
    fn what_is_pasted_is_sent(text in "\\PC{0,40}(\n[ -~]{0,30}){0,12}") {
        let mut composer = typed("<");
        composer.paste(&text);
        composer.insert(">");
        prop_assert_eq!(composer.content(), format!("<{}>", if Chip::folds(&text) { text } else { Chip::escape(&text) }));
    }

    #[test]
    fn left_and_right_are_each_others_way_back(text in "\\PC{1,20}") {
        let mut composer = typed(&text);
        let count = composer.text().graphemes(true).count() + 40;
        for _ in 0..count {
            composer.go(Motion::Left);
        }
        prop_assert_eq!(composer.caret(), 0);
        for _ in 0..count {
            composer.go(Motion::Right);
        }
        prop_assert_eq!(composer.caret(), composer.text().len());
    }
}
