use super::*;

/// Each part by its text, with what else is known of it.
fn told(line: &str) -> Vec<String> {
    match parts(line) {
        Err(why) => vec![format!("?? {why}")],
        Ok(parts) => parts.iter().map(show).collect(),
    }
}

fn show(part: &Part) -> String {
    let mut shown = part.text.clone();
    for file in &part.writes {
        shown.push_str(&format!(" >>{file}"));
    }
    if part.assigns {
        shown.push_str(" [sets]");
    }
    if let Some(folder) = &part.folder {
        shown.push_str(&format!(" [in {folder}]"));
    }
    if let Some(inside) = part.inside {
        shown.push_str(&format!(" [{inside}]"));
    }
    shown
}

#[test]
fn a_line_is_told_apart_into_its_commands() {
    let cases: &[(&str, &[&str])] = &[
        ("ls -l", &["ls -l"]),
        ("a && b; c | d || e & f", &["a", "b", "c", "d", "e", "f"]),
        ("a\nb\n\n c ", &["a", "b", "c"]),
        ("a |& b", &["a", "b"]),
        ("a \\\n  b", &["a \\\n  b"]),
        ("(a; b) && c", &["a", "b", "c"]),
        ("(a) > out", &["a", "> out >>out"]),
        ("! grep x y", &["! grep x y"]),
        ("echo 'a && rm b; c'", &["echo 'a && rm b; c'"]),
        ("echo \"a && rm b\" '|' \\; x", &["echo \"a && rm b\" '|' \\; x"]),
        ("echo $(rm a)", &["rm a [$(…)]", "echo $(rm a)"]),
        ("echo \"$(rm a | b)\" c", &["rm a [$(…)]", "b [$(…)]", "echo \"$(rm a | b)\" c"]),
        ("echo `rm a`", &["rm a [`…`]", "echo `rm a`"]),
        ("diff <(sort a) <(sort b)", &["sort a [<(…)]", "sort b [<(…)]", "diff <(sort a) <(sort b)"]),
        ("x > a 2>> b <c &> d", &["x > a 2>> b <c &> d >>a >>b >>d"]),
        ("x 2>&1 >/dev/null 2>/dev/null >&2", &["x 2>&1 >/dev/null 2>/dev/null >&2"]),
        ("x >&file <> both >| hard", &["x >&file <> both >| hard >>file >>both >>hard"]),
        ("x < /dev/tcp/1.2.3.4/80", &["x < /dev/tcp/1.2.3.4/80 >>/dev/tcp/1.2.3.4/80"]),
        ("x <<< \"$(rm a)\"", &["rm a [$(…)]", "x <<< \"$(rm a)\""]),
        ("FOO=1 BAR=$(rm a) make", &["rm a [$(…)]", "FOO=1 BAR=$(rm a) make [sets]"]),
        ("PATH=/evil; ls", &["PATH=/evil [sets]", "ls"]),
        (
            "cd sub && make; cd deeper && make",
            &["cd sub", "make [in sub]", "cd deeper [in sub]", "make [in sub/deeper]"],
        ),
        ("(cd sub && make); make", &["cd sub", "make [in sub]", "make"]),
        ("sh -c 'ls && rm x'", &["ls [sh -c]", "rm x [sh -c]"]),
        (
            "cd a; bash -lc 'cd b; rm x' > log",
            &["cd a", "bash -lc 'cd b; rm x' > log >>log [in a]", "cd b [in a] [sh -c]", "rm x [in a/b] [sh -c]"],
        ),
        ("sh -c \"rm $X\"", &["sh -c \"rm $X\""]),
        ("sudo rm x", &["sudo rm x"]),
        ("find . -exec rm {} \\;", &["find . -exec rm {} \\;"]),
        ("ls # and rm x", &["ls"]),
        ("ls #x\nrm y", &["ls", "rm y"]),
        ("echo a#b", &["echo a#b"]),
        ("", &[]),
        ("  # nothing\n", &[]),
    ];
    for (line, wanted) in cases {
        assert_eq!(told(line), *wanted, "{line}");
    }
}

/// What is not understood for sure is not guessed at.
#[test]
fn what_is_not_understood_is_said() {
    let deep = format!("{}ls{}", "$(".repeat(20), ")".repeat(20));
    let long = "a ".repeat(20_000);
    let cases = [
        "cat > x <<EOF\nhello\nEOF",
        "for f in *; do rm $f; done",
        "if true; then rm x; fi",
        "case x in y) rm x;; esac",
        "{ rm x; }",
        "[[ -f x ]] && rm x",
        "ls() { rm -rf /; }; ls",
        "function ls { rm -rf /; }",
        "a=(1 2)",
        "echo $((1+1))",
        "((x++))",
        "echo ${x:-$(rm y)}",
        "echo ${x:=y}",
        "$'\\x72m' x",
        "echo 'open",
        "echo \"open",
        "echo $(open",
        "(a",
        "a)",
        "(a) b",
        "ls >",
        "ls \\",
        "ls\r\nrm x",
        "ls\u{a0}x",
        "l\u{200b}s",
        "ls \u{1b}[2K",
        &deep,
        &long,
    ];
    for line in cases {
        assert!(parts(line).is_err(), "{line:?} gave {:?}", told(line));
    }
}

#[test]
fn words_know_whether_the_shell_changes_them() {
    let words = |line: &str| -> Vec<(String, bool)> {
        let parts = parts(line).unwrap();
        parts.last().unwrap().words.iter().map(|word| (word.text.clone(), word.plain)).collect()
    };
    let wanted = [("a", true), ("b c", true), ("$x", false), ("*.rs", false), ("*.rs", true), ("HEAD~1", true)];
    let wanted: Vec<(String, bool)> = wanted.iter().map(|(text, plain)| ((*text).to_owned(), *plain)).collect();
    assert_eq!(words("a 'b c' \"$x\" *.rs '*.rs' HEAD~1"), wanted);
    assert_eq!(words("\\l\"s\" ~/x"), [("ls".to_owned(), true), ("~/x".to_owned(), false)]);
    assert_eq!(words("[ -f x ]").iter().filter(|(_, plain)| !plain).count(), 0);
}

proptest::proptest! {
    /// Whatever is written, it ends, and nothing that was written gets lost: a program that stands first
    /// after a separator is found.
    #[test]
    fn any_line_is_read_to_its_end(line in "[a-z '\"$()`;&|<>\\\\\n#{}*=!~\\[\\]-]{0,60}") {
        let _ = parts(&line);
        if let Ok(found) = parts(&format!("{line}\nzz9 here")) {
            let quoted = found.iter().any(|part| part.text.contains("zz9"));
            proptest::prop_assert!(quoted || line.contains('#') || line.ends_with('\\'), "{line:?} {found:?}");
        }
    }
}
