use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;
use serde_json::json;

use super::super::apply::{Change, apply, splice};
use super::super::document::{Document, Ending, Line};
use super::super::ids::{LineId, marks};
use super::Session;

fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

/// Changes that do not touch each other, from a list of cut points.
fn changes(count: usize) -> impl Strategy<Value = Vec<Change>> {
    let new = prop::collection::vec("[a-z]{0,3}", 0..3);
    prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, any::<bool>(), new), 0..5).prop_map(move |raw| {
        let mut at = 0;
        let mut out = Vec::new();
        let mut raw: Vec<_> =
            raw.into_iter().map(|(start, span, insert, new)| (start.index(count + 1), span, insert, new)).collect();
        raw.sort_by_key(|(start, ..)| *start);
        for (start, span, insert, lines) in raw {
            let start = start.max(at);
            if insert && !lines.is_empty() {
                out.push(Change::Insert { at: start, lines });
                at = start;
            } else if start < count {
                let last = (start + span).min(count - 1);
                out.push(Change::Replace { first: start, last, lines });
                at = last + 1;
            }
        }
        out
    })
}

/// What the changes mean, by the simplest means: from the bottom up on a plain list.
fn model(lines: &[String], changes: &[Change]) -> Vec<String> {
    let mut lines = lines.to_vec();
    for change in changes.iter().rev() {
        match change {
            Change::Replace { first, last, lines: new } => drop(lines.splice(*first..=*last, new.iter().cloned())),
            Change::Insert { at, lines: new } => drop(lines.splice(*at..*at, new.iter().cloned())),
        }
    }
    lines
}

proptest! {
    #[test]
    fn a_file_read_and_written_is_the_same(text in "(\u{feff})?([ab\t]{0,3}(\n|\r\n|\r))*[ab]{0,2}") {
        prop_assert_eq!(Document::from_text(&text).bytes(), text.as_bytes());
    }

    #[test]
    fn edits_in_any_order_equal_the_model(
        (text, changes, shuffled) in "([ab]{0,3}(\n|\r\n)){0,8}[ab]{0,2}".prop_flat_map(|text: String| {
            let count = Document::from_text(&text).lines.len();
            (Just(text), changes(count)).prop_flat_map(|(text, changes)| {
                // Insertions at one place mean their order; all else may be given in any.
                let distinct = changes.windows(2).all(|pair| !matches!(pair,
                    [Change::Insert { at, .. }, Change::Insert { at: other, .. }] if at == other));
                let shuffled = if distinct { Just(changes.clone()).prop_shuffle().boxed() } else { Just(changes.clone()).boxed() };
                (Just(text), Just(changes), shuffled)
            })
        })
    ) {
        let document = Document::from_text(&text);
        let usual = document.usual_ending();
        let new = apply(&document.lines, &shuffled, usual).unwrap();
        prop_assert_eq!(texts(&new), model(&texts(&document.lines), &changes));
        let open = document.lines.last().is_some_and(|line| line.ending == Ending::None);
        for (index, line) in new.iter().enumerate() {
            let may_be_open = open && index + 1 == new.len();
            prop_assert_eq!(line.ending == Ending::None, may_be_open);
        }
    }

    #[test]
    fn a_splice_equals_replacing_in_the_text(
        text in "([ab]{0,2}\n){0,6}([ab]{1,2})?",
        (from, to) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        new in "[xy\n]{0,4}",
    ) {
        let document = Document::from_text(&text);
        let joined = document.joined();
        let (a, b) = (from.index(joined.len() + 1), to.index(joined.len() + 1));
        let (start, end) = (a.min(b), a.max(b));
        prop_assume!(start < end);
        let lines = apply(&document.lines, &[splice(&joined, start, end, &new)], Ending::Lf).unwrap();
        let after = Document { bom: false, lines }.joined();
        let plain = format!("{}{new}{}", &joined[..start], &joined[end..]);
        // Only whether the last line has an ending is kept as it was.
        prop_assert_eq!(after.trim_end_matches('\n'), plain.trim_end_matches('\n'));
        prop_assert!(after.len().abs_diff(plain.len()) <= 1);
    }

    #[test]
    fn an_id_depends_only_on_the_lines_up_to_its_own(lines in prop::collection::vec("[a-c}]{0,6}", 1..20), at in any::<prop::sample::Index>()) {
        let at = at.index(lines.len());
        let before = marks(lines.iter().map(String::as_str));
        let mut changed = lines.clone();
        changed[at] = format!("{}changed", changed[at]);
        let after = marks(changed.iter().map(String::as_str));
        prop_assert_eq!(&before[..at], &after[..at]);
        let again = marks(lines.iter().map(String::as_str));
        prop_assert_eq!(before, again);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Another program changes the file after it was viewed: an edit of lines that read otherwise now
    /// writes nothing, and one of lines that read the same hits just those.
    #[test]
    fn an_edit_never_hits_a_line_that_was_not_meant(
        before in prop::collection::vec("[ab}]{0,2}|word[0-9]", 1..12),
        (at, span) in (any::<prop::sample::Index>(), 0usize..3),
        (place, cut, put) in (any::<prop::sample::Index>(), 0usize..3, prop::collection::vec("[ab}]{0,2}|word[0-9]", 0..3)),
    ) {
        let first = at.index(before.len());
        let last = (first + span).min(before.len() - 1);
        let mut now = before.clone();
        let place = place.index(before.len() + 1);
        now.splice(place..(place + cut).min(before.len()), put);
        let meant_still_there = now.get(first..=last) == before.get(first..=last);
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let session = Session::start().await;
            let join = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            session.put("f", join(&before));
            let view = session.ok("view", json!({"path": "f"})).await;
            let id = |line: usize| view.lines().nth(line + 1).unwrap().split('|').next().unwrap().to_owned();
            session.put("f", join(&now));
            let edit = json!({"path": "f", "edits": [{"from": id(first), "to": id(last), "text": "NEW"}]});
            let result = session.call("edit", edit).await;
            if result.is_error == Some(true) {
                assert_eq!(session.get("f"), join(&now));
            } else {
                assert!(meant_still_there);
                let mut expected = now.clone();
                expected.splice(first..=last, ["NEW".to_owned()]);
                assert_eq!(session.get("f"), join(&expected));
            }
        });
    }
}

#[test]
fn ids_differ_for_nearly_all_lines_and_for_brackets_in_other_places() {
    let lines: Vec<String> = (0..10_000).map(|number| format!("let value = {number};")).collect();
    let ids = marks(lines.iter().map(String::as_str));
    let same = ids.iter().filter(|mark| **mark == ids[0]).count();
    assert!(same < 30, "{same} of 10,000 lines share an id");
    let ids = marks(["fn one() {", "}", "", "fn two() {", "}", ""]);
    assert_ne!(ids[1], ids[4]);
    assert_ne!(ids[2], ids[5]);
    assert_ne!(ids[1], ids[2]);
}

#[test]
fn ids_are_read_as_printed_and_as_models_write_them() {
    for text in ["12:ab", " 12:ab ", "12:AB", "12:ab|let x;", ">12:ab|let x;", "> 12:ab|"] {
        let id = LineId::parse(text).unwrap();
        assert_eq!((id.number, id.mark.unwrap().to_string().as_str()), (12, "ab"), "{text}");
    }
    assert_eq!(LineId::parse("0").unwrap().number, 0);
    for text in ["", "ab", "12:", "12:abc", "12:é", "-1:ab", "a:12"] {
        assert!(LineId::parse(text).is_none(), "{text}");
    }
}

#[tokio::test]
async fn edits_by_id_apply_together_and_give_new_ids() {
    let session = Session::start().await;
    session.put("a.txt", "one\r\ntwo\r\nthree\r\nfour");
    let (one, two, four) =
        (session.id("a.txt", "one").await, session.id("a.txt", "two").await, session.id("a.txt", "four").await);
    let text = session
        .ok("edit", json!({"path": "a.txt", "edits": [
            {"from": four, "text": "4"}, {"after": one, "text": "one and a half\n"}, {"from": two, "to": two, "text": ""},
        ]}))
        .await;
    assert_eq!(session.get("a.txt"), "one\r\none and a half\r\nthree\r\n4");
    assert!(text.starts_with("a.txt: +2 -2 lines, 4 now.\n@@"), "{text}");
    let id = text.lines().find_map(|line| line.strip_prefix('+').and_then(|line| line.strip_suffix("|4"))).unwrap();
    assert_eq!(id, session.id("a.txt", "4").await);
}

#[tokio::test]
async fn a_stale_id_writes_nothing_and_shows_the_lines_of_now() {
    let session = Session::start().await;
    session.put("a.txt", "one\ntwo\nthree\n");
    let (one, three) = (session.id("a.txt", "one").await, session.id("a.txt", "three").await);
    session.put("a.txt", "one\n2\nthree\n");
    // Both ends still fit; what is between them was changed by somebody else.
    let text =
        session.refused("edit", json!({"path": "a.txt", "edits": [{"from": one, "to": three, "text": "x"}]})).await;
    assert!(text.contains("nothing was changed") && text.contains("|2\n"), "{text}");
    assert_eq!(session.get("a.txt"), "one\n2\nthree\n");
    session.put("a.txt", "zero\none\n2\nthree\n");
    let edits = json!([{"after": "0", "text": "top"}, {"from": one, "text": "x"}]);
    let text = session.refused("edit", json!({"path": "a.txt", "edits": edits})).await;
    assert!(text.contains("|zero\n"), "{text}");
    assert_eq!(session.get("a.txt"), "zero\none\n2\nthree\n");
    // The ids it was told now work.
    let id = text.lines().find_map(|line| line.strip_suffix("|one")).unwrap();
    session.ok("edit", json!({"path": "a.txt", "edits": {"from": id, "text": "x"}})).await;
    assert_eq!(session.get("a.txt"), "zero\nx\n2\nthree\n");
}

#[tokio::test]
async fn edits_that_make_no_sense_are_refused_with_a_reason() {
    let session = Session::start().await;
    session.put("a.txt", "one\ntwo\n");
    let (one, two) = (session.id("a.txt", "one").await, session.id("a.txt", "two").await);
    let cases = [
        (
            json!([{"from": one, "to": two, "text": "x"}, {"from": two, "text": "y"}]),
            "Edits 1 and 2 touch the same lines",
        ),
        (json!([{"from": two, "to": one, "text": "x"}]), "`to` comes before `from`"),
        (json!([{"from": "1", "text": "x"}]), "lacks the two characters"),
        (json!([{"from": "line one", "text": "x"}]), "is not a line id"),
        (json!([{"from": one}]), "`text` is missing"),
        (json!([{"from": one, "text": "1:ab|x"}]), "leave them out"),
        (json!([{"after": one, "text": ""}]), "no `text` to insert"),
        (json!([{"from": one, "text": "x", "colour": "red"}]), "not used: `colour`"),
        (json!([]), "`edits` is empty"),
        (json!("nonsense"), "not JSON"),
        (json!([{"from": one, "text": "one"}]), "already reads so"),
    ];
    for (edits, reason) in cases {
        let text = session.refused("edit", json!({"path": "a.txt", "edits": edits})).await;
        assert!(text.contains(reason), "{edits}: {text}");
        assert_eq!(session.get("a.txt"), "one\ntwo\n");
    }
    session.ok("edit", json!({"path": "a.txt", "edits": json!([{"from": one, "text": "1"}]).to_string()})).await;
    assert_eq!(session.get("a.txt"), "1\ntwo\n");
}

#[tokio::test]
async fn a_string_that_occurs_once_is_replaced() {
    let session = Session::start().await;
    session.put("a.txt", "\u{feff}fn a() {\r\n    b();\r\n}\r\nb();\r\n");
    let text = session.refused("edit", json!({"path": "a.txt", "old": "b();", "new": "c();"})).await;
    assert!(text.contains("occurs 2 times") && text.contains("|    b();"), "{text}");
    let text = session.refused("edit", json!({"path": "a.txt", "old": "  b();\n  }", "new": ""})).await;
    assert!(text.contains("other white space") && text.contains("|    b();"), "{text}");
    let text = session.refused("edit", json!({"path": "a.txt", "old": "d()", "new": ""})).await;
    assert!(text.contains("does not occur"), "{text}");
    session.ok("edit", json!({"path": "a.txt", "old_string": "b();\n}\n", "new_string": "c();\nd();\n}\n"})).await;
    assert_eq!(session.get("a.txt"), "\u{feff}fn a() {\r\n    c();\r\nd();\r\n}\r\nb();\r\n");
}

#[tokio::test]
async fn permissions_and_links_stay_and_the_outside_is_left_alone() {
    let session = Session::start().await;
    session.put("bin/tool", "#!/bin/sh\necho a\n");
    let tool = session.path().join("bin/tool");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("bin/tool", session.path().join("link")).unwrap();
    session.ok("edit", json!({"path": "link", "old": "echo a", "new": "echo b"})).await;
    assert_eq!(session.get("bin/tool"), "#!/bin/sh\necho b\n");
    assert_eq!(std::fs::metadata(&tool).unwrap().permissions().mode() & 0o777, 0o750);
    assert!(std::fs::symlink_metadata(session.path().join("link")).unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(session.path().join("bin")).unwrap().count(), 1, "a file was left behind");

    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("x");
    std::fs::write(&file, "x\n").unwrap();
    symlink(outside.path(), session.path().join("out")).unwrap();
    for path in [file.to_str().unwrap(), "out/x"] {
        session.ok("view", json!({"path": path})).await;
        for (tool, arguments) in [
            ("edit", json!({"path": path, "old": "x", "new": "y"})),
            ("write", json!({"path": path, "content": "y", "overwrite": true})),
        ] {
            let text = session.refused(tool, arguments).await;
            assert!(text.contains("write only inside"), "{text}");
        }
    }
    for path in ["out/new", "../new", "bin/../../new", "/new"] {
        let text = session.refused("write", json!({"path": path, "content": "y"})).await;
        assert!(text.contains("write only inside"), "{path}: {text}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "x\n");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);

    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o444)).unwrap();
    let text = session.refused("edit", json!({"path": "bin/tool", "old": "echo b", "new": "echo c"})).await;
    assert!(text.contains("write-protected"), "{text}");
}
