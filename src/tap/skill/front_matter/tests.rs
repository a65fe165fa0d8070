use proptest::prelude::*;

use super::{Kind, Value, fences, read, words};

fn kind_of(key: &str) -> Kind {
    match key {
        "name" | "description" => Kind::Text,
        "domains" | "rules" => Kind::List,
        _ => Kind::Ignored,
    }
}

/// The value of a key, list items joined by `|`, and how many remarks there were.
fn value(text: &str, key: &str) -> (String, usize) {
    let fences = fences(text).unwrap();
    let found = read(text, fences.header, &kind_of);
    let value = match found.field(key).map(|field| &field.value) {
        Some(Value::Text(piece)) => piece.text.clone(),
        Some(Value::List(items)) => items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join("|"),
        Some(Value::Nothing) => "(nothing)".to_owned(),
        None => "(no key)".to_owned(),
    };
    (value, found.remarks.len())
}

#[test]
fn texts_as_found_in_the_wild() {
    let table = [
        ("description: plain", "plain", 0),
        ("description : space before the colon", "space before the colon", 0),
        ("description:\ttab after the colon", "tab after the colon", 0),
        ("description: 42", "42", 0),
        ("description: 1.50", "1.50", 0),
        ("description: a: b, C# and #tags # too", "a: b, C# and #tags # too", 0),
        ("description:no space", "no space", 0),
        ("\"description\": quoted key", "quoted key", 0),
        ("description: \"quoted: \\\"x\\\" # no comment\" # comment", "quoted: \"x\" # no comment", 0),
        ("description: 'it''s'", "it's", 0),
        ("description: \"two\n  lines\"", "two lines", 0),
        ("description: \"a\\tb\\u0041\\x42\"", "a\tbAB", 0),
        ("description: \"\\bword\\b\"", "\\bword\\b", 0),
        ("description: \"Foo\" and \"bar\"", "\"Foo\" and \"bar\"", 0),
        ("description: \"never closed", "never closed", 1),
        ("description: goes on\n  over lines", "goes on over lines", 0),
        ("description:\n  starts below\n\n  with a gap", "starts below\nwith a gap", 0),
        ("description: >\n  folded\n  text\n\n  next\nname: x", "folded text\nnext\n", 0),
        ("description: >-\n  folded\n  text", "folded text", 0),
        ("description: >+\n  kept\n\nname: x", "kept\n\n", 0),
        ("description: |\n  literal\n    deeper\n  text", "literal\n  deeper\ntext\n", 0),
        ("description: |-\n  literal\n  text\n\n", "literal\ntext", 0),
        ("description: |2-\n    indented", "  indented", 0),
        ("description: >- # comment\n  text", "text", 0),
        ("description: >\n  a\n   deeper\n  b", "a\n deeper\nb\n", 0),
        ("description: |-\n\ttab", "tab", 0),
        ("description: > 3 of them", "> 3 of them", 0),
        ("metadata:\n  description: nested\nname: x", "(no key)", 0),
        ("metadata:\n  description: nested\ndescription: real", "real", 0),
        ("other: [\n  a,\n]\ndescription: x", "x", 0),
        ("description: first\ndescription: second", "first", 1),
        ("not a key\ndescription: x", "x", 1),
        ("# comment\n\ndescription: x", "x", 0),
        ("  name: n\n  description: all indented", "all indented", 0),
        ("description:\n- a\n- b", "(nothing)", 1),
        ("description:", "(nothing)", 0),
        ("description: # nothing", "(nothing)", 0),
    ];
    for (header, wanted, remarks) in table {
        for (newline, start) in [("\n", "---\n"), ("\r\n", "--- \r\n")] {
            let text = format!("{start}{header}\n---\nbody").replace('\n', newline).replace("\r\r", "\r");
            assert_eq!(value(&text, "description"), (wanted.to_owned(), remarks), "{header:?} with {newline:?}");
        }
    }
}

#[test]
fn lists_as_found_in_the_wild() {
    let table = [
        ("domains: a b", "a b", 0),
        ("domains: [a, b]", "a|b", 0),
        ("domains: [a,\n  \"b, c\",\n  'd'\n]", "a|b, c|d", 0),
        ("domains:\n  - a\n  - \"b\"\n", "a|b", 0),
        ("domains:\n- a\n# comment\n- b\nname: x", "a|b", 0),
        ("domains:\n\t- a\n\t- b", "a|b", 0),
        ("domains: []", "", 0),
        ("domains:", "", 0),
        ("domains: [a, b", "a|b", 1),
        ("domains: {a: b}", "(nothing)", 1),
        ("domains: \"a b\"", "a b", 0),
        ("domains: |\n  a\n  - b", "a|b", 0),
        ("domains:\n  - goes\n    on\n  - b", "goes on|b", 0),
        ("domains: [match((?i)\\b[a,b](c|d]e)), content(x)]", "match((?i)\\b[a,b](c|d]e))|content(x)", 0),
    ];
    for (header, wanted, remarks) in table {
        let text = format!("---\n{header}\n---\n");
        assert_eq!(value(&text, "domains"), (wanted.to_owned(), remarks), "{header:?}");
    }
}

#[test]
fn words_end_at_space_comma_or_comment() {
    let text = "---\ndomains: a, b \"c\" Bash(git add:*) # none\n---\n";
    let found = read(text, fences(text).unwrap().header, &kind_of);
    let Some(Value::List(items)) = found.field("domains").map(|field| &field.value) else { panic!("no list") };
    let found = words(&items[0]);
    let named: Vec<(&str, &str)> = found.iter().map(|word| (word.text.as_str(), &text[word.span.clone()])).collect();
    assert_eq!(named, [("a", "a"), ("b", "b"), ("c", "\"c\""), ("Bash(git add:*)", "Bash(git add:*)")]);
}

#[test]
fn fences_are_found_or_the_reason_is() {
    let body = |text: &str| fences(text).map(|fences| text[fences.body].to_owned()).map_err(|remark| remark.message);
    assert_eq!(body("---\nname: x\n---\n\nbody\n").unwrap(), "body\n");
    assert_eq!(body("\n\n---  \nname: x\n---\t\nbody").unwrap(), "body");
    assert_eq!(body("---\r\nname: x\r\n---\r\n\r\nbody\r\nmore\r\n").unwrap(), "body\r\nmore\r\n");
    assert_eq!(body("---\nname: x\n...\nbody").unwrap(), "body");
    assert_eq!(body("---\nname: x\n---").unwrap(), "");
    assert!(body("").unwrap_err().contains("empty"));
    assert!(body("# Title\n").unwrap_err().contains("no front matter"));
    assert!(body("---\nname: x\n").unwrap_err().contains("never ends"));
}

proptest! {
    #[test]
    fn every_span_lies_inside_the_text(
        header in "(name|description|domains|rules|x| |:|\n|\r\n|-|>|\\||\\[|\\]|\"|'|#|,|\\(|\\)|\\\\|é|\t|\\{){0,60}"
    ) {
        let text = format!("---\n{header}\n---\nbody");
        if let Ok(fences) = fences(&text) {
            let found = read(&text, fences.header, &kind_of);
            let spans = found.fields.iter().flat_map(|field| {
                let values = match &field.value {
                    Value::Text(piece) => vec![piece.clone()],
                    Value::List(items) => items.clone(),
                    Value::Nothing => Vec::new(),
                };
                values.into_iter().map(|piece| (piece.exact, piece.text, piece.span))
            });
            for (exact, value, span) in spans {
                let raw = text.get(span.clone());
                prop_assert!(raw.is_some(), "{span:?} of {text:?}");
                prop_assert!(!exact || raw == Some(value.as_str()), "{value:?} is not {raw:?}");
            }
            for remark in found.remarks {
                prop_assert!(text.get(remark.span).is_some());
            }
        }
    }
}
