use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (file, text) in files {
            let path = place.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn pipe(&self, file: &str) {
        mknodat(CWD, self.0.path().join(file), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    /// Files that the walk gives, ignore files aside.
    fn found(&self, below: &str) -> Vec<String> {
        let root = self.0.path();
        let files = walk(&root.join(below)).build().map(Result::unwrap);
        let files = files.filter(|entry| {
            entry.file_type().unwrap().is_file() && !entry.file_name().as_encoded_bytes().ends_with(b"ignore")
        });
        let mut files: Vec<String> =
            files.map(|entry| entry.path().strip_prefix(root).unwrap().display().to_string()).collect();
        files.sort();
        files
    }
}

#[test]
fn ignore_files_count_as_git_has_it() {
    let place = Place::with(&[
        (".gitignore", "*.log\n/made/\n[\n"),
        ("a.log", ""),
        ("made/b.rs", ""),
        ("src/made/c.rs", ""),
        ("src/.gitignore", "!kept.log\nd.rs\n"),
        ("src/kept.log", ""),
        ("src/other.log", ""),
        ("src/d.rs", ""),
        ("src/.ignore", "!d.rs\n"),
        (".hidden", ""),
        (".git/config", ""),
        (".git/info/exclude", "private\n"),
        ("private", ""),
        ("inner/.git/config", ""),
        ("inner/e.log", ""),
    ]);
    let all = [".hidden", "inner/e.log", "src/d.rs", "src/kept.log", "src/made/c.rs"];
    assert_eq!(place.found(""), all);
    assert_eq!(place.found("src"), &all[2..]);
    // What is asked for by name is looked at.
    assert_eq!(place.found("made"), ["made/b.rs"]);
}

#[test]
fn an_ignore_file_that_would_never_end_is_not_read() {
    let place = Place::with(&[(".ignore", "*.log\n"), ("a.log", ""), ("sub/b.rs", ""), ("sub/deep/c.rs", "")]);
    place.pipe(".gitignore");
    symlink("/dev/zero", place.0.path().join("sub/.gitignore")).unwrap();
    place.pipe("sub/.ignore");
    let huge = fs::File::create(place.0.path().join("sub/deep/.gitignore")).unwrap();
    huge.set_len(MAX_BYTES + 1).unwrap();
    let begun = Instant::now();
    assert_eq!(place.found(""), ["sub/b.rs", "sub/deep/c.rs"]);
    assert_eq!(place.found("sub/deep"), ["sub/deep/c.rs"]);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn what_goes_with_the_next_commit() {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = dir.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let goes = |path: &str| goes_with_commits(&dir.path().join(path));
    assert!(!goes(".env"), "no repository");
    write("repo/.git/HEAD", "x");
    assert!(goes("repo/.env") && goes("repo/deep/er/.env"));
    write("repo/.ignore", ".env\n");
    assert!(goes("repo/.env"), "git does not read that");
    write("repo/deep/.gitignore", ".env*\n");
    assert!(goes("repo/.env") && !goes("repo/deep/er/.env"));
    write("repo/.gitignore", "deep/er/\n");
    write("repo/deep/.gitignore", "!.env\n");
    assert!(!goes("repo/deep/er/.env") && goes("repo/deep/.env"), "its folder is ignored");
    write("repo/.git/info/exclude", "/.env\n");
    assert!(!goes("repo/.env"));
}
