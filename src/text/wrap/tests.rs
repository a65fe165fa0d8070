use proptest::prelude::*;

use super::super::width;
use super::*;

fn rows(text: &str, columns: usize) -> Vec<&str> {
    wrap(text, columns).into_iter().map(|range| &text[range]).collect()
}

#[test]
fn where_lines_end() {
    let cases: &[(&str, usize, &[&str])] = &[
        ("", 10, &[""]),
        ("fits", 10, &["fits"]),
        ("two words", 5, &["two", "words"]),
        ("the quick brown fox", 10, &["the quick", "brown fox"]),
        ("exactly ten", 7, &["exactly", "ten"]),
        ("a\n\nb", 10, &["a", "", "b"]),
        ("a\n", 10, &["a", ""]),
        ("unbreakable", 4, &["unbr", "eaka", "ble"]),
        ("an unbreakable", 6, &["an", "unbrea", "kable"]),
        ("    indented code here", 14, &["    indented", "code here"]),
        ("        deep", 4, &["deep"]),
        ("trailing   ", 20, &["trailing   "]),
        ("trailing   ", 8, &["trailing"]),
        ("a      b", 3, &["a", "b"]),
        ("日本語の文章", 5, &["日本", "語の", "文章"]),
        ("日本語。次", 6, &["日本", "語。次"]),
        ("漢字「引用」", 6, &["漢字", "「引", "用」"]),
        ("mixed 日本語 text", 9, &["mixed 日", "本語 text"]),
        ("well-known thing", 7, &["well-", "known", "thing"]),
        ("--long-flag", 8, &["--long-", "flag"]),
        ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 4, &["👩‍👩‍👧‍👦👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]),
        ("日本", 1, &["日", "本"]),
        ("ab", 0, &["a", "b"]),
        ("     ", 3, &[""]),
    ];
    for (text, columns, expected) in cases {
        assert_eq!(rows(text, *columns), *expected, "{text:?} at {columns}");
    }
}

proptest! {
    #[test]
    fn plain_text_wraps_as_any_text_does(text in "[ a-z,.(){}'\"\t-]{0,120}", columns in 1_usize..30) {
        let (mut quick, mut thorough) = (Vec::new(), Vec::new());
        Paragraph::new(&text, 0, columns).wrap(&mut quick);
        Paragraph::new(&text, 0, columns).wrap_clusters(text.grapheme_indices(true), &mut thorough);
        prop_assert_eq!(quick, thorough);
    }

    #[test]
    fn no_row_is_too_wide_and_only_spaces_go(text in "[a-z日本。\u{301}👩\u{200d}🏽é \n-]{0,80}", columns in 2_usize..20) {
        let ranges = wrap(&text, columns);
        let mut last = 0;
        for range in &ranges {
            let row = &text[range.clone()];
            prop_assert!(width(row) <= columns || row.graphemes(true).filter(|cluster| cluster_width(cluster) > 0).count() == 1, "{row:?}");
            prop_assert!(range.start >= last);
            prop_assert!(text[last..range.start].bytes().all(|byte| matches!(byte, b' ' | b'\n')));
            last = range.end;
        }
        prop_assert!(text[last..].bytes().all(|byte| matches!(byte, b' ' | b'\n')));
        prop_assert!(!ranges.is_empty());
        let lines = text.split('\n').count();
        prop_assert!(ranges.len() >= lines);
    }
}
