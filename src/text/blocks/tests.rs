use proptest::prelude::*;

use super::{has_intent, strip_blocks};

#[test]
fn blocks_go_and_everything_else_stays() {
    let table = [
        ("plain text", "plain text"),
        ("a <b>x</b> c", "a  c"),
        ("a<b>x</b>c", "a c"),
        ("<log>query the postgres schema</log>", ""),
        ("see <log level=\"a > b\">x\ny</log> now", "see  now"),
        ("<a><a>x</a></a> rest", " rest"),
        ("<a>x<b>y</a>z</b> rest", "z</b> rest"),
        ("x < y and y > z", "x < y and y > z"),
        ("Vec<String> never closed", "Vec<String> never closed"),
        ("a <br/> b", "a <br/> b"),
        ("stray </end> here", "stray </end> here"),
        ("<system>one</system><file path='x'>two</file>do it", "do it"),
        ("<a>one</a> middle <a>two</a>", " middle "),
        ("unfinished <a>tail", "unfinished <a>tail"),
        ("é<ü>ß</ü>é", "é é"),
        ("<!-- launch the rocket -->go", "go"),
        ("a<!-- <b> -->c</b> d", "a c</b> d"),
        ("<a>x<!-- </a> -->y</a>z", "z"),
        ("<?xml version=\"1.0\"?><![CDATA[one]]>two", "two"),
        ("<!-- never closed", "<!-- never closed"),
        ("", ""),
    ];
    for (text, kept) in table {
        assert_eq!(strip_blocks(text), kept, "{text}");
    }
}

#[test]
fn eight_characters_are_an_intent() {
    assert!(!has_intent("1234567"));
    assert!(has_intent("12345678"));
    assert!(!has_intent("1 2 3 4 5 6 7 \n\t"));
    assert!(!has_intent(&strip_blocks("<log>query the postgres schema</log> do it")));
}

#[test]
fn many_open_tags_are_read_in_one_pass() {
    let text = format!("{}{}", "<a>".repeat(50_000), "</b>".repeat(50_000));
    assert_eq!(strip_blocks(&text), text);
}

proptest! {
    #[test]
    fn any_text_is_taken(text in "(<|</|>|/|a|b|é| |\"|'|\n){0,60}") {
        let once = strip_blocks(&text);
        prop_assert!(once.len() <= text.len());
    }
}
