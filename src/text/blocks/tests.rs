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
        ("<a>x<b>y</a>z</b> rest", " rest"),
        ("x < y and y > z", "x < y and y > z"),
        ("Vec<String> never closed", "Vec<String> never closed"),
        ("a <br/> b", "a <br/> b"),
        ("stray </end> here", "stray </end> here"),
        ("<system>one</system><file path='x'>two</file>do it", "do it"),
        ("<a>one</a> middle <a>two</a>", " middle "),
        ("unfinished <a>tail", "unfinished "),
        ("é<ü>ß</ü>é", "é é"),
        ("<!-- launch the rocket -->go", "go"),
        ("a<!-- <b> -->c</b> d", "a c</b> d"),
        ("<a>x<!-- </a> -->y</a>z", "z"),
        ("<?xml version=\"1.0\"?><![CDATA[one]]>two", "two"),
        ("<!-- never closed", ""),
        ("do it\n<![CDATA[ never closed", "do it\n"),
        ("<?php never closed", ""),
        ("what does <? mean", "what does <? mean"),
        // A paste that was cut off, or that ends its own block.
        ("<doc>launch the rocket to orbit", ""),
        ("look at this\n  <doc id=\"1\"> launch the rocket", "look at this\n  "),
        ("look at this: <log>\nlaunch the rocket", "look at this: "),
        ("<doc>x</doc>launch the rocket</doc> now", " now"),
        ("<doc>x</doc> mine <doc>y</doc>launch</doc> too", " mine  too"),
        ("<rows><row>launch</row><row>the rocket", ""),
        ("read <doc title=\"a\">launch the rocket", "read "),
        ("<doc title=\"launch the rocket", ""),
        ("mine\n<svg path='M 1 2", "mine\n"),
        // Prose keeps its words.
        ("is a < b and b > c here", "is a < b and b > c here"),
        ("sort a Vec<String> by length", "sort a Vec<String> by length"),
        ("call parse::<u32>() on it", "call parse::<u32>() on it"),
        ("HashMap<String, Vec<u8>> is slow", "HashMap<String, Vec<u8>> is slow"),
        ("why is the <div> tag not centred", "why is the <div> tag not centred"),
        ("rename <old> to <new>, please", "rename <old> to <new>, please"),
        ("write to <me@example.com> about it", "write to <me@example.com> about it"),
        ("<https://example.com/1> is down", "<https://example.com/1> is down"),
        ("one<br>two\n<br>three", "one<br>two\n<br>three"),
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
    let text = format!("x{}{}", "<a>".repeat(50_000), "</b>".repeat(50_000));
    assert_eq!(strip_blocks(&text), text);
    let text = format!("{}{}", "<a></a>".repeat(50_000), "</a>".repeat(50_000));
    assert_eq!(strip_blocks(&text), "");
    assert_eq!(strip_blocks(&"\n<a b='".repeat(50_000)), "\n");
}

proptest! {
    #[test]
    fn any_text_is_taken(text in "(<|</|>|/|a|b|é| |\"|'|\n){0,60}") {
        let once = strip_blocks(&text);
        prop_assert!(once.len() <= text.len());
    }
}
