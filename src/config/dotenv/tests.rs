use super::*;
use crate::config::source::SourceKind;

fn read(text: &str) -> Parsed {
    parse(&Source::new(SourceKind::File, ".env", text))
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let parsed = read(text);
    assert_eq!(parsed.problems, vec![], "{text:?}");
    parsed.entries.into_iter().map(|entry| (entry.name, entry.value)).collect()
}

#[test]
fn forms_that_are_read() {
    let cases: &[(&str, &str)] = &[
        ("A=1", "1"),
        ("A = 1 ", "1"),
        ("export A=1", "1"),
        ("export\tA=1", "1"),
        ("\u{feff}A=1", "1"),
        ("A=1\r", "1"),
        ("A=", ""),
        ("A= # only a comment", ""),
        ("A=one # two", "one"),
        ("A=one#two", "one#two"),
        ("A='one # two'", "one # two"),
        ("A=\"one # two\" # three", "one # two"),
        ("A=\"line\\nnext\\t\\\"q\\\"\"", "line\nnext\t\"q\""),
        ("A='raw\\n'", "raw\\n"),
        ("A=\"two\nlines\"", "two\nlines"),
        ("A=\"two\r\nlines\"", "two\nlines"),
        ("A=a=b", "a=b"),
        ("A=ключ", "ключ"),
        ("A=it's", "it's"),
    ];
    for (text, value) in cases {
        assert_eq!(pairs(text), [("A".to_owned(), (*value).to_owned())], "{text:?}");
    }
    assert_eq!(pairs("# comment\n\n  \n"), vec![]);
    let crlf = pairs("A=1\r\nB=\"2\"\r\nC='3'\r\n");
    assert_eq!(crlf.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
}

#[test]
fn a_bad_line_costs_only_itself_and_is_placed() {
    let parsed = read("A=1\nnonsense\n2B=x\nC=\"open\nD=4\n");
    let names: Vec<_> = parsed.entries.iter().map(|entry| (entry.name.as_str(), entry.line)).collect();
    assert_eq!(names, [("A", 1), ("D", 5)]);
    let places: Vec<_> = parsed.problems.iter().map(Problem::location).collect();
    assert_eq!(places, [".env:2:1", ".env:3:1", ".env:4:1"]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_to_its_end(text in "(\\PC|[\"'=#\\\\\r\n ])*") {
        let parsed = read(&text);
        for entry in parsed.entries {
            proptest::prop_assert!(is_name(&entry.name));
        }
    }
}
