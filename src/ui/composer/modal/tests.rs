use super::*;

/// Runs commands by their names on a text with `|` for the caret; `f=x` gives a character, digits a count.
fn after(text: &str, words: &str) -> (Composer, String) {
    let mut composer = Composer::default();
    let caret = text.find('|').unwrap();
    composer.insert(&text.replacen('|', "", 1));
    composer.enter_normal();
    composer.draft.caret = caret;
    let mut count = None;
    for word in words.split_whitespace() {
        if let Ok(number) = word.parse() {
            count = Some(number);
        } else if let Some(typed) = word.strip_prefix('=') {
            typed.chars().for_each(|letter| composer.vi_character(letter));
        } else if let Some(typed) = word.strip_prefix('+') {
            typed.chars().for_each(|letter| composer.type_char(letter));
        } else if word == "esc" {
            composer.enter_normal();
        } else if word == "undo" {
            composer.undo();
        } else {
            composer.vi(Vi::parse(word).unwrap_or_else(|| panic!("no command {word}")), count.take());
        }
    }
    let mut shown = composer.content();
    shown.insert(composer.caret(), '|');
    (composer, shown)
}

#[test]
fn commands_do_what_vi_does() {
    let cases = [
        ("one tw|o", "left", "one t|wo"),
        ("|one two", "word-next", "one |two"),
        ("|one, two", "word-next", "one|, two"),
        ("|one, two", "big-word-next", "one, |two"),
        ("|one two", "word-end word-end", "one tw|o"),
        ("one tw|o", "word-back", "one |two"),
        ("one, tw|o", "2 big-word-back", "|one, two"),
        ("one\n\nt|wo", "2 word-back", "one\n|\ntwo"),
        ("  one t|wo", "line-start", "|  one two"),
        ("  one t|wo", "first-letter", "  |one two"),
        ("|one two", "line-end", "one tw|o"),
        ("a\nb\n|c", "text-start", "|a\nb\nc"),
        ("|a\nb\nc", "text-end", "a\nb\n|c"),
        ("|a\nb\nc", "2 text-end", "a\n|b\nc"),
        ("|one two", "delete word-next", "|two"),
        ("|one two three", "2 delete word-next", "|three"),
        ("|one two three", "delete 2 word-next", "|three"),
        ("one |two\n  three", "delete word-next", "one| \n  three"),
        ("|one two", "change word-next +x", "x| two"),
        ("on|e two", "change word-next +x", "onx| two"),
        ("|a two", "change word-next +x", "x| two"),
        ("x |a two", "change word-next +y", "x y| two"),
        ("one t|wo", "delete line-start", "|wo"),
        ("a|b\ncd\nef", "delete delete", "|cd\nef"),
        ("ab\nc|d", "delete delete", "|ab"),
        ("|ab\ncd\nef", "2 delete delete", "|ef"),
        ("a|b\ncd\nef", "delete down", "|ef"),
        ("ab\nc|d", "delete down", "ab\nc|d"),
        ("a|b\ncd", "change change +x", "x|\ncd"),
        ("a|b\ncd", "yank yank put-after", "ab\n|ab\ncd"),
        ("ab\nc|d", "yank yank put-before", "ab\n|cd\ncd"),
        ("ab\nc|d", "yank-line put-after", "ab\ncd\n|cd"),
        ("|ab cd", "yank word-next put-after", "aab| b cd"),
        ("|ab", "delete-char put-after", "b|a"),
        ("|abc", "2 delete-char", "|c"),
        ("ab|c", "2 delete-char-back", "|c"),
        ("ab|c", "delete-char", "a|b"),
        ("one |two three", "delete-rest", "one| "),
        ("one |two three", "change-rest +x", "one x|"),
        ("|abc", "change-char +x", "x|bc"),
        ("|one two", "find =t", "one |two"),
        ("|one two", "till =t", "one| two"),
        ("one t|wo", "find-back =n", "o|ne two"),
        ("one t|wo", "till-back =n", "on|e two"),
        ("|a,b,c", "find =, seek-again", "a,b|,c"),
        ("|a,b,c", "find =, seek-again seek-reversed", "a|,b,c"),
        ("|a,b,c", "till =, seek-again", "a,|b,c"),
        ("|a,b,c", "delete find =,", "|b,c"),
        ("|a,b,c", "delete till =,", "|,b,c"),
        ("|a,b,c", "2 delete find =,", "|c"),
        ("|a,b", "delete find =x", "|a,b"),
        ("one t|wo three", "delete insert =w", "one | three"),
        ("one t|wo three", "delete append =w", "one |three"),
        ("one t|wo", "change insert =w +x", "one x|"),
        ("|abc", "replace-char =x", "|xbc"),
        ("|abc", "2 replace-char =x", "x|xc"),
        ("a|b", "5 replace-char =x", "a|b"),
        ("|aBc", "3 toggle-case", "Ab|C"),
        ("on|e\n  two", "join", "one| two"),
        ("o|ne", "append +x", "onx|e"),
        ("  o|ne", "insert-line-start +x", "  x|one"),
        ("o|ne\ntwo", "append-line-end +x", "onex|\ntwo"),
        ("o|ne\ntwo", "open-below +x", "one\nx|\ntwo"),
        ("one\nt|wo", "open-above +x", "one\nx|\ntwo"),
        ("on|e", "append +x esc", "one|x"),
        ("|one two", "delete word-next undo", "|one two"),
        ("|one two", "change word-next +x +y esc undo", "|one two"),
        ("|a b c", "delete word-next repeat", "|c"),
        ("|a b c d", "delete word-next 2 repeat", "|d"),
        ("|a b c", "change word-next +x esc word-next repeat", "x |x c"),
        ("|a\nb", "append-line-end +; esc down repeat", "a;\nb|;"),
        ("|abc", "3 insert +x esc", "xx|xabc"),
        ("|a.b.c.d", "delete find =. repeat", "|c.d"),
        ("|one two", "visual word-end delete", "| two"),
        ("|ab cd ef", "visual right delete repeat", "|d ef"),
        ("o|ne\ntwo\nthree", "visual-lines down delete", "|three"),
        ("|one\ntwo", "visual-lines change +x", "x|\ntwo"),
        ("|one two", "visual word-end upper-case", "|ONE two"),
        ("|one Two", "upper-case word-next", "|ONE Two"),
        ("|One two", "visual line-end toggle-case", "|oNE TWO"),
        ("|one two", "visual word-end yank line-end put-after", "one twoon|e"),
        ("|ab", "yank right right visual put-after", "a|a"),
        ("|abc def", "visual right replace-char =x", "|xxc def"),
        ("|abc\ndef\nghi", "visual-lines down join", "abc| def\nghi"),
        ("a|bcd", "visual right right open-below left delete", "|"),
        ("o|ne\n\ntwo", "visual-lines 2 down indent", "    |one\n\n    two"),
        ("      |one", "outdent outdent", "  |one"),
        ("o|ne\ntwo\nthree", "2 indent indent repeat", "        |one\n        two\nthree"),
        ("say \"he|llo there\" now", "change insert =\" +x", "say \"x|\" now"),
        ("|say 'a \\' b' now", "delete append ='", "say |now"),
        ("f(a, |b)", "delete insert =(", "f(|)"),
        ("f(a, |(b)) x", "delete insert =b", "f(a, (|)) x"),
        ("f(a, |b) x", "delete append =)", "f| x"),
        ("{\n  a|\n}", "delete append =B", "|"),
        ("one a-b|-c two", "delete append =W", "one |two"),
        ("a\nb|\n\nc", "delete insert =p", "|\nc"),
        ("one |two three", "visual insert =w change +x", "one x| three"),
        ("|(a [b])", "match-pair", "(a [b]|)"),
        ("(a [b]|)", "delete match-pair", "|"),
        ("one tw|o", "word-end-back", "on|e two"),
        ("a\nb\n\n|c", "paragraph-back", "a\nb\n|\nc"),
        ("|a\nb\n\nc", "delete paragraph-next", "|\nc"),
        ("🧑‍🌾é|x", "left left delete-char", "|éx"),
    ];
    let wrong: Vec<String> = cases
        .into_iter()
        .map(|(text, words, expected)| (text, words, expected, after(text, words).1))
        .filter(|(_, _, expected, found)| expected != found)
        .map(|(text, words, expected, found)| format!("{text:?} {words}: {found:?}, not {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_operator_waits_is_shown_and_can_be_let_go() {
    let (mut composer, _) = after("|one two", "2 delete");
    assert_eq!(composer.modal.typed(), "2d");
    assert!(composer.cancel_command());
    assert!(!composer.cancel_command());
    let (composer, shown) = after("|one two", "delete yank word-next");
    assert_eq!(shown, "one |two", "another operator lets go of both");
    assert!(!composer.modal.operating());
    let (composer, _) = after("|one two", "delete find");
    assert_eq!(composer.modal.typed(), "df");
    assert!(composer.modal.awaits());
}

#[test]
fn a_folded_paste_is_one_character() {
    let mut composer = Composer::default();
    composer.paste(&"line\n".repeat(20));
    composer.insert(" x");
    composer.enter_normal();
    composer.vi(Vi::TextStart, None);
    composer.vi(Vi::ToggleCase, None);
    composer.vi(Vi::DeleteChar, None);
    assert_eq!(composer.content(), " x");
    composer.vi(Vi::PutBefore, None);
    assert_eq!(composer.content(), format!("{} x", "line\n".repeat(20)));
}

proptest::proptest! {
    /// Whatever is done in whatever order: the caret stands on a grapheme and nothing panics.
    #[test]
    fn any_commands_in_any_order_keep_the_caret_on_a_grapheme(
        text in "[aé🧑‍🌾 ,\n\t]{0,24}",
        steps in proptest::collection::vec((0..Vi::ALL.len(), 0..4_usize, proptest::char::any()), 0..24),
    ) {
        let mut composer = Composer::default();
        composer.insert(&text);
        composer.enter_normal();
        for (command, count, letter) in steps {
            composer.vi(Vi::ALL[command], (count > 0).then_some(count));
            if composer.modal.awaits() {
                composer.vi_character(letter);
            }
            if !composer.modal.is_normal() {
                composer.enter_normal();
            }
            let caret = composer.caret();
            let line = composer.draft.line(caret);
            proptest::prop_assert!(composer.text().is_char_boundary(caret));
            proptest::prop_assert!(caret < line.end || line.is_empty(), "{caret} {line:?} {:?}", composer.text());
        }
    }
}
