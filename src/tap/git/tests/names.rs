use super::super::tree::{check_name, check_target};
use super::*;

#[test]
fn addresses() {
    for good in [
        "https://github.com/u/octomind-r",
        "file:///srv/x.git",
        "http://127.0.0.1:9/x",
        "http://localhost/x",
        "http://[::1]/x",
    ] {
        Address::parse(good).unwrap();
    }
    for (bad, part) in [
        ("http://example.org/x", "use https"),
        ("http://127.0.0.1.example.org/x", "use https"),
        ("https://u:secret@example.org/x", "passwords are not kept"),
        ("https://token@example.org/x", "passwords are not kept"),
        ("https://example.org/x?a=b", "leave that out"),
        ("ssh://git@example.org/x", "only https"),
        ("git@example.org:x/y", "https://host/user/repository"),
        ("file://elsewhere/x", "absolute"),
        ("ext::sh -c touch x", "only https"),
    ] {
        let told = Address::parse(bad).unwrap_err().to_string();
        assert!(told.contains(part) && !told.contains("secret") && !told.contains("token@"), "{bad}: {told}");
    }
    let segments = |text: &str| Address::parse(text).unwrap().segments().join(" ");
    assert_eq!(segments("https://example.org/a/b/octomind-c.git/"), "a b octomind-c");
    assert_eq!(segments("file:///srv/octomind-c.git"), "srv octomind-c");
}

#[test]
fn names_of_files() {
    for good in ["a", "default.toml", ".gitignore", ".gitattributes", "日本", "a b", "git", ".github", "...a"] {
        assert_eq!(check_name(good.as_bytes()), Ok(()), "{good}");
    }
    for bad in [
        "",
        ".",
        "..",
        "a/b",
        "/abs",
        "..\\x",
        "C:",
        "c:x",
        ".git",
        ".GIT",
        ".git ",
        ".git.",
        ".git::$INDEX",
        "git~1",
        "GIT~1",
        ".g\u{200c}it",
        ".g\u{200d}it",
        "\u{feff}.git",
        "a\nb",
        "a\u{1b}[2J",
        "a\0b",
    ] {
        assert!(check_name(bad.as_bytes()).is_err(), "{bad:?}");
    }
    assert!(check_name(b"\xff").is_err());
}

#[test]
fn targets_of_links() {
    for (good, depth) in [("x.toml", 0), ("./x", 0), ("a/b", 0), ("../x", 1), ("../../x/y", 2), ("..", 1), ("a//b", 0)]
    {
        assert_eq!(check_target(good.as_bytes(), depth), Ok(()), "{good} at {depth}");
    }
    for (bad, depth) in [
        ("", 5),
        ("/etc/passwd", 5),
        ("..", 0),
        ("../x", 0),
        ("../../x", 1),
        ("a/../../x", 5),
        ("a/..", 5),
        ("..\\x", 5),
        (".git/config", 5),
        ("../.GIT/hooks", 5),
        ("C:/x", 5),
        ("//x", 5),
    ] {
        assert!(check_target(bad.as_bytes(), depth).is_err(), "{bad} at {depth}");
    }
    assert!(check_target(b"a\0b", 5).is_err());
    assert!(check_target(b"\xff", 5).is_err());
}
