use proptest::prelude::*;

use super::*;

#[test]
fn columns_of_what_people_write() {
    let cases = [
        ("", 0),
        ("plain", 5),
        ("naïve", 5),
        ("e\u{301}", 1),
        ("日本語", 6),
        ("한국어", 6),
        ("🦀", 2),
        ("👩‍👩‍👧‍👦", 2),
        ("👍🏽", 2),
        ("🇳🇴", 2),
        ("🇳🇴🇸🇪", 4),
        ("1️⃣", 2),
        ("☁\u{fe0f}", 2),
        ("a\tb", 2),
        ("a\nb", 2),
        ("→ ✓ …", 5),
        ("\u{200b}", 0),
    ];
    for (text, columns) in cases {
        assert_eq!(width(text), columns, "{text:?}");
    }
}

#[test]
fn cutting_keeps_clusters_whole() {
    let cases = [
        ("short", 10, "short"),
        ("exactly10!", 10, "exactly10!"),
        ("a longer text", 8, "a longe…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
        ("", 0, ""),
    ];
    for (text, columns, cut) in cases {
        assert_eq!(truncate(text, columns), cut, "{text:?} to {columns}");
    }
}

#[cfg(feature = "tui")]
fn buffer_columns(text: &str) -> usize {
    use ratatui::{buffer::Buffer, layout::Rect, style::Style};
    let mut buffer = Buffer::empty(Rect::new(0, 0, 2000, 1));
    usize::from(buffer.set_stringn(0, 0, text, 2000, Style::default()).0)
}

proptest! {
    #[cfg(feature = "tui")]
    #[test]
    fn agrees_with_the_screen_buffer(text in "[\\PC\u{300}-\u{30f}\u{200d}\u{fe0f}\u{ff9e}🇦-🇿👩👧🏽☁\n\t]{0,40}") {
        prop_assert_eq!(width(&text), buffer_columns(&text));
    }

    #[test]
    fn a_cut_never_overflows(text in "\\PC{0,40}", columns in 0_usize..50) {
        prop_assert!(width(&truncate(&text, columns)) <= columns);
    }
}
