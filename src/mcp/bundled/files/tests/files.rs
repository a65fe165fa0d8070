use std::os::unix::fs::symlink;

use serde_json::json;

use super::super::limits::{LIST_LINES_PER_FOLDER, VIEW_BYTES};
use super::{Session, text};

#[tokio::test]
async fn a_long_view_keeps_head_and_tail_and_says_what_is_missing() {
    let session = Session::start().await;
    let lines: Vec<String> = (1..=5_000).map(|number| format!("line number {number}")).collect();
    session.put("long.txt", lines.join("\n"));
    let view = session.ok("view", json!({"path": "long.txt"})).await;
    assert!(view.len() < VIEW_BYTES + 500, "{}", view.len());
    assert!(view.starts_with("long.txt: 5000 lines, "), "{}", &view[..80]);
    assert!(view.contains("|line number 1\n") && view.contains("|line number 5000\n"));
    assert!(view.ends_with("(no newline at the end)\n"));
    let start = view.split("view with start=").nth(1).unwrap().split(']').next().unwrap();
    let rest = session.ok("view", json!({"path": "long.txt", "start": start, "end": "9999"})).await;
    assert!(rest.contains(&format!("|line number {start}\n")), "the first missing line is there");
    let part = session.ok("view", json!({"path": "long.txt", "start": 7, "end": 8.0})).await;
    assert!(part.contains(", lines 7-8\n7:") && part.lines().count() == 3, "{part}");
    let same = session.ok("view", json!({"path": "long.txt", "offset": 7, "limit": 2})).await;
    assert_eq!(same, part);
    session.put("wide.txt", "x".repeat(100_000));
    let wide = session.ok("view", json!({"path": "wide.txt"})).await;
    assert!(wide.len() < 1_200 && wide.contains("…[99000 more characters]"), "{wide}");
}

#[tokio::test]
async fn what_cannot_be_viewed_is_said_with_what_to_do() {
    let session = Session::start().await;
    session.put("src/config.rs", "x\n");
    session.put("bin", [0u8, 1, 2, 3]);
    session.put("latin", b"ok\ncaf\xe9\n");
    session.put("wide", b"\xff\xfea\0");
    session.put("empty", "");
    symlink("loop", session.path().join("loop")).unwrap();
    for (path, reason) in [
        ("src/confg.rs", "There is no src/confg.rs. Did you mean src/config.rs?"),
        ("sr/config.rs", "Did you mean src?"),
        ("zzzzzz", "Look with list or search."),
        ("bin", "bin is binary (4 bytes)"),
        ("latin", "not UTF-8: byte 0xe9 in line 2"),
        ("wide", "UTF-16"),
        ("loop", "Cannot open loop"),
        ("/dev/null", "not a regular file"),
        ("/proc/self/maps", "made by the kernel while it is read"),
    ] {
        let text = session.refused("view", json!({"path": path})).await;
        assert!(text.contains(reason), "{path}: {text}");
    }
    for name in ["two\nlines", "esc\u{1b}[2J", "new/two\nlines/x"] {
        let text = session.refused("write", json!({"path": name, "content": "x"})).await;
        assert!(text.contains("control character"), "{text}");
    }
    let text = session.refused("view", json!({"path": "src/config.rs", "start": 5})).await;
    assert!(text.contains("has 1 lines, so it ends before `start`"), "{text}");
    assert_eq!(session.ok("view", json!({"path": "empty"})).await, "empty: empty file.\n");
    assert!(session.ok("view", json!({"path": "src"})).await.contains("config.rs 2 B"));
}

#[tokio::test]
async fn an_image_comes_as_an_image_unless_it_is_too_large() {
    let session = Session::start().await;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.extend([7; 100]);
    session.put("picture.dat", &png);
    let result = session.call("view", json!({"path": "picture.dat"})).await;
    let image = result.content.iter().find_map(|part| part.as_image()).unwrap();
    assert_eq!(image.mime_type, "image/png");
    assert!(text(&result).contains("108 bytes"));
    png.resize(4_000_000, 0);
    session.put("large.png", &png);
    let text = session.refused("view", json!({"path": "large.png"})).await;
    assert!(text.contains("4000000 bytes") && text.contains("smaller copy"), "{text}");
}

#[tokio::test]
async fn write_creates_and_asks_before_it_replaces_what_was_not_seen() {
    let session = Session::start().await;
    let text = session.ok("write", json!({"path": "a/b/c.txt", "content": "1\n2\n"})).await;
    assert_eq!(text, "Created a/b/c.txt: 2 lines, 4 bytes.");
    let text = session.ok("write", json!({"path": "a/b/c.txt", "content": "1\n3\n"})).await;
    assert!(text.contains("+1 -1 lines, 2 now."), "{text}");
    session.put("theirs.txt", "old\n");
    let text = session.refused("write", json!({"path": "theirs.txt", "content": "new\n"})).await;
    assert!(text.contains("was not viewed here") && text.contains("overwrite"), "{text}");
    session.ok("view", json!({"path": "theirs.txt"})).await;
    session.put("theirs.txt", "newer\n");
    let text = session.refused("write", json!({"path": "theirs.txt", "content": "new\n"})).await;
    assert!(text.contains("changed since it was viewed"), "{text}");
    assert_eq!(session.get("theirs.txt"), "newer\n");
    session.ok("write", json!({"path": "theirs.txt", "content": "new\n", "overwrite": "true"})).await;
    assert_eq!(session.get("theirs.txt"), "new\n");
    session.put("blob", [0u8; 9]);
    let text = session.refused("write", json!({"path": "blob", "content": "x"})).await;
    assert!(text.contains("is binary (9 bytes)"), "{text}");
    session.ok("write", json!({"path": "blob", "content": "x", "overwrite": true})).await;
    assert_eq!(session.get("blob"), "x");
    for (path, reason) in [("a", "is a folder"), ("theirs.txt/x", "is a file, not a folder")] {
        let text = session.refused("write", json!({"path": path, "content": ""})).await;
        assert!(text.contains(reason), "{path}: {text}");
    }
}

#[tokio::test]
async fn search_finds_with_ids_and_respects_ignore_rules() {
    let session = Session::start().await;
    session.put(".gitignore", "target/\n");
    session.put("src/a.rs", "fn one() {}\n// Needle\nfn two() {}\n");
    session.put("src/b.txt", "needle\r\n");
    session.put("target/c.rs", "needle\n");
    session.put(".git/config", "needle\n");
    session.put("blob", b"needle\0");
    let text = session.ok("search", json!({"pattern": "needle"})).await;
    let id = session.id("src/a.rs", "// Needle").await;
    assert!(text.contains(&format!("src/a.rs\n{id}|// Needle\n")), "{text}");
    assert!(text.contains("src/b.txt\n1:") && text.contains("[2 matches in 2 files]"), "{text}");
    let text = session.ok("search", json!({"pattern": "Needle", "glob": "*.rs", "context": 1})).await;
    let context = session.id("src/a.rs", "fn one() {}").await;
    assert!(text.contains(&format!(" {context}|fn one() {{}}\n>{id}|// Needle\n")), "{text}");
    assert!(text.contains("[1 matches in 1 files]"), "{text}");
    let text = session.ok("search", json!({"pattern": "needle", "files_only": true})).await;
    assert!(text.starts_with("src/a.rs\nsrc/b.txt\n"), "{text}");
    let text = session.ok("search", json!({"pattern": "fn", "max": 1})).await;
    assert!(text.contains("stopped at 1 matches in 1 files (max 1)"), "{text}");
    let text = session.ok("search", json!({"pattern": "absent", "path": "src"})).await;
    assert!(text.contains("No match for absent in 2 files"), "{text}");
    let text = session.ok("search", json!({"pattern": "needle", "path": "target/c.rs"})).await;
    assert!(text.contains("target/c.rs\n1:"), "a file named outright is searched: {text}");
    let text = session.refused("search", json!({"pattern": "one("})).await;
    assert!(text.contains("not a valid regex") && text.contains(r"one\("), "{text}");
    let text = session.refused("search", json!({"pattern": "x", "glob": "[z-"})).await;
    assert!(text.contains("is not a glob"), "{text}");
}

#[tokio::test]
async fn list_shows_a_tree_within_limits() {
    let session = Session::start().await;
    session.put(".gitignore", "build/\n");
    session.put("build/x", "x");
    session.put("src/deep/er/x.rs", "x");
    session.put("src/lib.rs", "x".repeat(3_400));
    for number in 0..LIST_LINES_PER_FOLDER + 7 {
        session.put(&format!("many/{number:04}"), "");
    }
    session.put("zoo", "");
    let text = session.ok("list", json!({})).await;
    assert!(text.starts_with("./\n.gitignore 7 B\nmany/\n  0000 0 B\n"), "{text}");
    assert!(text.contains("[7 more entries in many/]\nsrc/\n  deep/\n  lib.rs 3.4 kB\nzoo 0 B\n"), "{text}");
    assert!(!text.contains("build"), "{text}");
    let text = session.ok("list", json!({"path": "src", "depth": 3})).await;
    assert_eq!(text, "src/\ndeep/\n  er/\n    x.rs 1 B\nlib.rs 3.4 kB\n");
    let text = session.refused("list", json!({"path": "zoo"})).await;
    assert!(text.contains("zoo is a file. Use view"), "{text}");
}
