use super::*;
use crate::config::source::SourceKind;

#[test]
fn one_bad_line_costs_itself_and_is_named() {
    for bad in ["{\"a\":", "B = ", "B = \"open", "= 1", "[half", "B", "\u{0}\u{0}"] {
        let text = format!("A = \"1\"\n{bad}\nC = \"3\"\n");
        let (found, problems) = texts(&Source::new(SourceKind::File, "inputs.toml", text));
        assert_eq!(found.get("A").map(String::as_str), Some("1"), "{bad:?}");
        assert!(!problems.is_empty(), "{bad:?}");
        assert!(
            problems.iter().any(|problem| problem.location().starts_with("inputs.toml:2:")),
            "{bad:?}: {problems:?}"
        );
        assert!(!found.contains_key("B"), "{bad:?}: a guess is not a value");
    }
}

#[test]
fn what_is_no_string_is_skipped_and_a_missing_file_is_empty() {
    let (found, problems) = texts(&Source::new(SourceKind::File, "inputs.toml", "A = 1\nB = \"two\"\n"));
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [("B".to_owned(), "two".to_owned())]);
    assert_eq!(problems.len(), 1);
    assert_eq!(read_texts(Path::new("/nowhere/inputs.toml")), (BTreeMap::new(), vec![]));
}
