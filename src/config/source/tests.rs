use std::time::{Duration, Instant};

use super::*;

fn source(text: &str) -> Source {
    Source::new(SourceKind::File, "a.toml", text)
}

#[test]
fn places_are_those_of_a_plain_count() {
    for text in ["", "\n", "a", "a\n", "\r\n", "one\r\ntwo\n\nthree", "é\n€\n"] {
        let source = source(text);
        for offset in 0..=text.len() + 2 {
            let within = offset.min(text.len());
            let line = text.as_bytes()[..within].iter().filter(|byte| **byte == b'\n').count() + 1;
            assert_eq!(source.line_of(offset), line, "{text:?} at {offset}");
            let range = source.line_range(offset);
            let start = text.as_bytes()[..within].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            assert_eq!(range.start, start, "{text:?} at {offset}");
            assert!(range.end >= range.start && !text.as_bytes()[range].contains(&b'\n'), "{text:?} at {offset}");
        }
    }
}

/// Counting from the start of the text for each problem would take minutes.
#[test]
fn many_problems_of_a_large_text_cost_little() {
    let begun = Instant::now();
    let many_lines = source(&"a: b\n".repeat(100_000));
    let one_line = source(&"a, ".repeat(300_000));
    for at in 0..2_000 {
        assert_eq!(Problem::at(&many_lines, at * 200..at * 200 + 1, "x").place.unwrap().line, at * 40 + 1);
        assert_eq!(Problem::at(&one_line, at * 30..at * 30 + 500_000, "x").place.unwrap().column, at * 30 + 1);
    }
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}
