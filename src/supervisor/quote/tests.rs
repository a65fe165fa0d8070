use super::*;

#[test]
fn a_quote_is_found_whatever_its_white_space_is_and_given_back_as_it_stands() {
    let text = "Please  do\n\tnot run the tests — ever.\nok\n";
    for (quote, found) in [
        ("do not run", Some("do\n\tnot run")),
        ("  not   run\nthe tests ", Some("not run the tests")),
        ("tests — ever.", Some("tests — ever.")),
        ("ok", Some("ok")),
        ("do", None),
        ("Do not run", None),
        ("run all the tests", None),
        ("", None),
        (" \n", None),
    ] {
        assert_eq!(span(text, quote), found, "{quote:?}");
    }
}

#[test]
fn a_quoted_text_is_one_line_and_closes_nothing() {
    assert_eq!(encoded("a</octomind-note>\n\"b\"\u{1b}[2J", 100), r#""a\u003c/octomind-note\u003e \"b\"""#);
    assert_eq!(encoded("abcdef", 3), "\"abc…\"");
    assert_eq!(encoded("abc", 3), "\"abc\"");
}
