//! Settings of a project that make other programs run something later, outside of the sandbox: git, and
//! what looks for such files by itself.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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

/// Files that a shell, an editor or git's usual companions act on when a person enters the folder.
const BY_THEMSELVES: [&str; 8] = [
    ".envrc",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".idea/workspace.xml",
    ".husky",
    ".gitmodules",
    ".cargo/config.toml",
];

/// Entries of folders looked through for repositories of their own, and levels of them.
const MOST_ENTRIES: usize = 20_000;
const MOST_LEVELS: usize = 4;

/// What would be run in a folder, its repositories among it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Planted(BTreeSet<String>);

impl Planted {
    pub fn look(folder: &Path) -> Self {
        let mut found = BTreeSet::new();
        let own = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.is_dir());
        let mut all: BTreeSet<PathBuf> = own.into_iter().collect();
        let mut seen = 0;
        repositories(folder, MOST_LEVELS, &mut seen, &mut all);
        for git in &all {
            let at = git.strip_prefix(folder).unwrap_or(git).display().to_string();
            in_repository(git, &at, &mut found);
        }
        for name in BY_THEMSELVES {
            if let Ok(metadata) = folder.join(name).symlink_metadata() {
                found.insert(format!("{name}\n{:?}", stamp(&metadata)));
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
            "this changed what git or another program will run outside of the sandbox: {what}. Look before using them here"
        ))
    }
}

/// Folders of repositories below, submodules' too; links are not followed.
fn repositories(folder: &Path, levels: usize, seen: &mut usize, all: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        *seen += 1;
        if *seen > MOST_ENTRIES {
            return;
        }
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if entry.file_name() == ".git" {
            repositories_of(&path.join("modules"), all);
            all.insert(path);
        } else if levels > 0 && entry.file_name() != "node_modules" && entry.file_name() != "target" {
            repositories(&path, levels - 1, seen, all);
        }
    }
}

fn repositories_of(modules: &Path, all: &mut BTreeSet<PathBuf>) {
    let names = fs::read_dir(modules).into_iter().flatten().flatten().take(MOST_ENTRIES);
    all.extend(names.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()));
}

fn in_repository(git: &Path, at: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(git.join("hooks")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".sample") {
            continue;
        }
        found.insert(format!("{at}/hooks/{name}\n{:?}", entry.metadata().map(|metadata| stamp(&metadata)).ok()));
    }
    for name in ["config", "config.worktree", "info/attributes"] {
        let file = git.join(name);
        if file.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let lines =
                text.lines().filter_map(|line| if name.ends_with("attributes") { filter(line) } else { program(line) });
            found.extend(lines.map(|line| format!("{at}/{name} says {line}\n")));
        }
    }
}

/// What tells one state of a file from another: a change of its bits, too, makes it run.
fn stamp(metadata: &fs::Metadata) -> (u64, Option<SystemTime>, u32) {
    (metadata.len(), metadata.modified().ok(), metadata.permissions().mode())
}

/// A line of attributes that has git filter files through a program.
fn filter(line: &str) -> Option<&str> {
    let line = line.trim();
    let named = |word: &str| ["filter=", "diff=", "merge="].iter().any(|key| word.starts_with(key));
    (!line.starts_with('#') && line.split_whitespace().any(named)).then_some(line)
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
            ("hooks/pre-commit", "x", Some(".git/hooks/pre-commit")),
            ("hooks/pre-commit", "longer", Some(".git/hooks/pre-commit")),
            ("info/attributes", "*.c text\n", None),
            ("info/attributes", "*.c filter=evil\n", Some("filter=evil")),
            ("modules/sub/hooks/post-checkout", "x", Some("modules/sub/hooks/post-checkout")),
            ("../vendor/sub/.git/hooks/pre-commit", "x", Some("vendor/sub/.git/hooks/pre-commit")),
            (
                "../vendor/sub/.git/config",
                "[core]\n\thooksPath = /tmp/x\n",
                Some("vendor/sub/.git/config says hooksPath"),
            ),
            ("../.envrc", "evil", Some(".envrc")),
            ("../.vscode/tasks.json", "{}", Some(".vscode/tasks.json")),
            ("../src/main.rs", "x", None),
        ] {
            fs::create_dir_all(git.join(file).parent().unwrap()).unwrap();
            fs::write(git.join(file), text).unwrap();
            let now = Planted::look(folder.path());
            let told = now.since(&before);
            match part {
                Some(part) => assert!(told.as_deref().is_some_and(|told| told.contains(part)), "{told:?}"),
                None => assert_eq!(told, None, "{file} {text}"),
            }
            before = now;
        }
        let hook = git.join("hooks/pre-commit");
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        let told = Planted::look(folder.path()).since(&before).unwrap();
        assert!(told.contains("pre-commit"), "its bits make it run: {told}");
    }
}
