//! Settings of a repository that make git run a program later, outside of the sandbox.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Keys of git's configuration that name a program, or a file with more of them.
const PROGRAMS: [&str; 14] = [
    "fsmonitor",
    "hookspath",
    "sshcommand",
    "clean",
    "smudge",
    "process",
    "textconv",
    "external",
    "editor",
    "pager",
    "helper",
    "command",
    "path",
    "gitproxy",
];

/// Most bytes of a configuration that are read.
const LARGEST: u64 = 1024 * 1024;

/// What would be run in the repository of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Planted(BTreeSet<String>);

impl Planted {
    pub fn look(folder: &Path) -> Self {
        let Some(git) = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.is_dir()) else {
            return Self::default();
        };
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(git.join("hooks")).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".sample") {
                continue;
            }
            let stamp = entry.metadata().map(|found| (found.len(), found.modified().ok()));
            found.insert(format!("hook {name}\n{stamp:?}"));
        }
        for name in ["config", "config.worktree"] {
            let file = git.join(name);
            if file.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
                let text = fs::read_to_string(&file).unwrap_or_default();
                found.extend(text.lines().filter_map(program).map(|line| format!("{name} says {line}\n")));
            }
        }
        Self(found)
    }

    /// What has come since, one line; names are shown as they are, and sanitised with the result.
    pub fn since(&self, before: &Self) -> Option<String> {
        let new: Vec<&str> = self.0.difference(&before.0).filter_map(|entry| entry.lines().next()).collect();
        if new.is_empty() {
            return None;
        }
        let what = new.join("; ");
        Some(format!(
            "this changed what git will run outside of the sandbox, in .git: {what}. Look before using git here"
        ))
    }
}

fn program(line: &str) -> Option<&str> {
    let line = line.trim();
    let (key, value) = line.split_once('=')?;
    let key = key.rsplit(']').next().unwrap_or(key).trim().to_lowercase();
    (PROGRAMS.contains(&key.as_str()) || value.trim_start().trim_start_matches('"').starts_with('!')).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_runs_something_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("config"), "[core]\n\tbare = false\n").unwrap();
        let mut before = Planted::look(folder.path());
        for (file, text, part) in [
            ("config", "[core]\n\tbare = false\n[user]\n\tname = a\n[remote \"o\"]\n\turl = x\n", None),
            ("config", "[core]\n\tfsmonitor = ./x\n", Some("fsmonitor = ./x")),
            ("config", "[filter \"a\"] clean = evil\n", Some("clean = evil")),
            ("config", "[alias]\n\tst = \"!evil\"\n", Some("!evil")),
            ("hooks/pre-commit.sample", "x", None),
            ("hooks/pre-commit", "x", Some("hook pre-commit")),
            ("hooks/pre-commit", "longer", Some("hook pre-commit")),
        ] {
            fs::write(git.join(file), text).unwrap();
            let now = Planted::look(folder.path());
            let told = now.since(&before);
            match part {
                Some(part) => assert!(told.as_deref().is_some_and(|told| told.contains(part)), "{told:?}"),
                None => assert_eq!(told, None, "{file} {text}"),
            }
            before = now;
        }
    }
}
