use super::*;
use crate::config::source::SourceKind;

fn at(text: &str, marked: &str) -> Problem {
    let start = text.find(marked).unwrap();
    let source = Source::new(SourceKind::File, "config.toml", text);
    Problem::at(&source, start..start + marked.len(), "something is wrong").hint("first\nsecond")
}

#[test]
fn a_problem_shows_place_line_caret_and_hint() {
    insta::assert_snapshot!(at("version = 17\n\ncolour = 1\n", "colour"), @r"
    error: something is wrong
     --> config.toml:3:1
      |
    3 | colour = 1
      | ^^^^^^
      = hint: first
        second
    ");
}

#[test]
fn wide_characters_and_tabs_before_the_caret_do_not_shift_it() {
    for before in ["名前 = ", "🙂 é́ = ", "\t", "a = \"ж\" ", "e\u{301} = "] {
        let problem = at(&format!("{before}wrong # after"), "wrong");
        let place = problem.place.unwrap();
        let shown = crate::text::width(place.excerpt.split("wrong").next().unwrap());
        assert_eq!(place.indent, shown, "{before:?}");
        assert_eq!(place.length, 5);
        assert_eq!(place.column, before.chars().count() + 1);
    }
    assert_eq!(at("x = \"測試\"", "測試").place.unwrap().length, 4);
}

#[test]
fn nothing_a_terminal_would_act_on_is_shown() {
    let problem = at("a = \"\u{1b}]52;c;UA==\u{7}\u{202e}\u{200b}\" wrong", "wrong").hint("b\u{1b}[2J");
    let source = Source::new(SourceKind::File, "a\u{1b}]0;x\u{7}b.toml", "x");
    let shown = format!("{problem}{}{}", Problem::at(&source, 0..1, "\u{9b}x"), Notice::new("\u{1b}[31mred"));
    assert!(!shown.contains(|letter: char| letter != '\n' && unsafe_to_show(letter)), "{shown:?}");
    assert!(shown.contains("·]52;c;UA==···"), "{shown}");
}

#[test]
fn long_lines_are_cut_around_the_caret_and_a_span_past_the_end_is_held() {
    let long = format!("{} wrong {}", "a".repeat(4000), "b".repeat(4000));
    let place = at(&long, "wrong").place.unwrap();
    assert!(place.excerpt.chars().count() < 200);
    assert_eq!(crate::text::width(place.excerpt.split("wrong").next().unwrap()), place.indent);
    let source = Source::new(SourceKind::File, "f", "one\ntwo");
    let problem = Problem::at(&source, 7..99, "x");
    assert_eq!(problem.location(), "f:2:4");
    let spanning = Problem::at(&source, 1..6, "x").place.unwrap();
    assert_eq!((spanning.line, spanning.length), (1, 2));
    assert_eq!(Problem::at(&Source::new(SourceKind::File, "f", ""), 0..0, "x").location(), "f:1:1");
}

#[test]
fn crlf_and_a_byte_order_mark_do_not_shift_places() {
    let source = Source::new(SourceKind::File, "f", "\u{feff}a = 1\r\nb = 2\r\n");
    let problem = Problem::at(&source, 7..8, "x");
    assert_eq!(problem.location(), "f:2:1");
    assert_eq!(problem.place.unwrap().excerpt, "b = 2");
}
