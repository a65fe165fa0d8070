use proptest::prelude::*;

use super::*;

#[test]
fn what_is_kept_and_what_goes() {
    let cases = [
        ("plain text\nsecond line", "plain text\nsecond line"),
        ("naïve 日本語 🦀 → ✓", "naïve 日本語 🦀 → ✓"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;UEFTUw==\x07x", "x"),
        ("\x1bPq#0;2;0\x1b\\x", "x"),
        ("\x1b]never closed\nnext", "\nnext"),
        ("\x1b(Bx\x1b=y\x1b7z\x1bMw", "xyzw"),
        ("\u{9b}31mred\u{9d}0;t\u{9c}x", "redx"),
        ("a\x1b", "a"),
        ("a\x1b[", "a"),
        ("\x1b[20", ""),
        ("\x1b\x1b[1mx", "x"),
        ("bell\x07 back\x08 del\x7f nul\0", "bell back del nul"),
        ("10%\r20%\r100%\n", "100%\n"),
        ("10%\r20%\r100%\r", "100%"),
        ("a\r\nb\r\r\nc", "a\nb\nc"),
        ("working…\r\x1b[Kdone\nnext", "done\nnext"),
        ("first\nold\rnew", "first\nnew"),
        ("a\u{2028}b\u{85}c\u{b}d", "a\nb\nc\nd"),
        ("\tx\ta\n12\t3", "    x   a\n12  3"),
        ("日\tx", "日  x"),
        ("abc\u{202e}fed\u{2066}x\u{2069}", "abcfedx"),
        ("a\u{200b}b\u{feff}c\u{2060}d\u{ad}e", "abcde"),
        ("hi\u{e0041}\u{e0042}\u{e007f}", "hi"),
        ("👩‍👩‍👧‍👦 👍🏽 ☁\u{fe0f} 1️⃣", "👩‍👩‍👧‍👦 👍🏽 ☁\u{fe0f} 1️⃣"),
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("a\u{200d}b\u{200c}c", "abc"),
        ("é\u{200d}\u{200d}\u{200d}é", "é\u{200d}é"),
        ("a\u{fe0f}\u{fe01}\u{e0101}b", "ab"),
        ("☁\u{fe0f}\u{fe0f}\u{fe0e}", "☁\u{fe0f}"),
        ("葛\u{e0100}\u{e0101}", "葛\u{e0100}"),
        ("e\u{301}", "e\u{301}"),
        ("\u{301}x", "x"),
    ];
    for (text, clean) in cases {
        assert_eq!(sanitize(text), clean, "{text:?}");
    }
    let tower = format!("z{}a", "\u{334}".repeat(60));
    assert_eq!(sanitize(&tower), format!("z{}a", "\u{334}".repeat(MARKS_PER_LETTER)));
}

#[test]
fn clean_text_is_borrowed() {
    assert!(matches!(sanitize("plain\nnaïve 日本語 🦀"), Cow::Borrowed(_)));
    assert!(matches!(sanitize_line(" plain "), Cow::Borrowed("plain")));
}

#[test]
fn one_row_holds_no_newline() {
    assert_eq!(sanitize_line("two\r\nlines\n"), "two lines");
    assert_eq!(sanitize_line("\x1b[2Jname\x07"), "name");
}

#[test]
fn revealed_text_hides_nothing() {
    let cases = [
        ("plain 日本語", "plain 日本語"),
        ("a\u{200b}b", "a⟨U+200B⟩b"),
        ("rm -rf /\recho hi", "rm -rf /⟨U+000D⟩echo hi"),
        ("a\r\nb\tc", "a\nb   c"),
        ("\x1b[31mx", "⟨U+001B⟩[31mx"),
        ("x\u{202e}y\u{e0041}", "x⟨U+202E⟩y⟨U+E0041⟩"),
        ("a\u{2028}b\0", "a⟨U+2028⟩b⟨U+0000⟩"),
        ("a\u{200d}b", "a⟨U+200D⟩b"),
        ("👩‍👧", "👩‍👧"),
    ];
    for (text, shown) in cases {
        assert_eq!(reveal(text), shown, "{text:?}");
    }
}

fn is_forbidden(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{2060}'
            | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-z \n\r\t]{1,6}",
        prop::sample::select(vec![
            "\x1b[",
            "\x1b]",
            "\x1bP",
            "\x1b\\",
            "\x07",
            "\x1b",
            "\u{9b}",
            "\u{9d}",
            "\u{9c}",
            "\u{200b}",
            "\u{200c}",
            "\u{200d}",
            "\u{202e}",
            "\u{2066}",
            "\u{feff}",
            "\u{fe0f}",
            "\u{fe00}",
            "\u{e0101}",
            "\u{e0041}",
            "\u{301}",
            "👩",
            "🏽",
            "🇳",
            "日",
            "é",
            "1",
            "m",
            ";",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn nothing_hostile_survives(text in hostile()) {
        for clean in [sanitize(&text), reveal(&text)] {
            prop_assert!(!clean.contains(is_forbidden), "{clean:?}");
        }
        prop_assert!(!sanitize_line(&text).contains('\n'));
    }

    #[test]
    fn cleaning_twice_changes_nothing(text in hostile()) {
        let once = sanitize(&text).into_owned();
        prop_assert_eq!(sanitize(&once), once.clone());
    }

    #[test]
    fn selectors_never_stack(text in hostile()) {
        let clean = sanitize(&text).chars().collect::<Vec<_>>();
        prop_assert!(clean.windows(2).all(|pair| !(is_selector(pair[0]) && is_selector(pair[1]))), "{clean:?}");
    }

    #[test]
    fn plain_letters_are_never_lost(text in "[a-zA-Z0-9 .,é日\n]{0,60}") {
        prop_assert_eq!(sanitize(&text), text.clone());
        prop_assert_eq!(reveal(&text), text.clone());
    }
}
