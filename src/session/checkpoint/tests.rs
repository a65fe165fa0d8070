use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::proto::{ByHand, FileFate};

/// A folder, and checkpoints of it that lie elsewhere.
struct Play {
    dir: tempfile::TempDir,
    kept: Checkpoints,
    changes: Vec<FileChange>,
}

impl Play {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("work");
        fs::create_dir(&root).unwrap();
        let kept = Checkpoints::new(&root, dir.path().join("kept"), "play", Vec::new());
        Self { dir, kept, changes: Vec::new() }
    }

    fn root(&self) -> std::path::PathBuf {
        self.dir.path().join("work")
    }

    fn write(&self, path: &str, content: &[u8]) {
        let place = self.root().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
    }

    /// What the tools do.
    fn batch(&mut self, work: impl FnOnce(&Self)) -> Vec<FileChange> {
        self.named(None, work)
    }

    fn named(&mut self, only: Option<Vec<PathBuf>>, work: impl FnOnce(&Self)) -> Vec<FileChange> {
        self.kept.look(None).unwrap();
        let begun = SystemTime::now();
        work(self);
        let window = Window { begun, ended: SystemTime::now(), only };
        let changes = self.kept.changed(&window).unwrap();
        self.changes.extend(changes.clone());
        changes
    }

    fn wishes(&self) -> Vec<Wish> {
        Wish::of(self.changes.iter())
    }

    fn tree(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        tree(&self.root())
    }
}

/// Everything below a folder, with modes.
fn tree(root: &Path) -> BTreeMap<String, (u32, Vec<u8>)> {
    let walk = ignore::WalkBuilder::new(root).standard_filters(false).build();
    let entries = walk.map(Result::unwrap).filter(|entry| entry.depth() > 0).map(|entry| {
        let meta = entry.path().symlink_metadata().unwrap();
        let path = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
        (path, (meta.mode(), scan::content(entry.path(), &meta).unwrap()))
    });
    entries.collect()
}

fn paths(changes: &[FileChange]) -> Vec<&str> {
    changes.iter().map(|change| change.path.as_str()).collect()
}

#[test]
fn whatever_the_tools_did_is_taken_back_to_the_byte() {
    let mut play = Play::new();
    play.write("a.txt", b"one\n");
    play.write("src/b.bin", &[0, 159, 146, 150]);
    play.write("gone.txt", b"here");
    play.write("old/name.txt", b"moved");
    play.write("run.sh", b"#!/bin/sh\n");
    symlink("a.txt", play.root().join("link")).unwrap();
    let before = play.tree();
    play.batch(|play| {
        play.write("a.txt", b"two\n");
        play.write("src/b.bin", &[1, 2, 3]);
        fs::remove_file(play.root().join("gone.txt")).unwrap();
        fs::create_dir(play.root().join("new")).unwrap();
        fs::rename(play.root().join("old/name.txt"), play.root().join("new/name.txt")).unwrap();
        fs::remove_dir(play.root().join("old")).unwrap();
        fs::set_permissions(play.root().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(play.root().join("link")).unwrap();
        symlink("src", play.root().join("link")).unwrap();
        play.write("deep/er/c.txt", b"c");
    });
    play.batch(|play| play.write("a.txt", b"three\n"));
    let after = play.tree();
    let preview = play.kept.preview(&play.wishes()).unwrap();
    let told: Vec<_> = preview.iter().map(|file| (file.path.as_str(), &file.fate)).collect();
    assert_eq!(
        told,
        [
            ("a.txt", &FileFate::Changed),
            ("deep/er/c.txt", &FileFate::Deleted),
            ("gone.txt", &FileFate::Created),
            ("link", &FileFate::Changed),
            ("new/name.txt", &FileFate::Deleted),
            ("old/name.txt", &FileFate::Created),
            ("run.sh", &FileFate::Changed),
            ("src/b.bin", &FileFate::Changed),
        ]
    );
    assert_eq!((preview[0].added, preview[0].removed), (1, 1));
    assert!(preview[0].diff.contains("-three\n+one"), "{}", preview[0].diff);
    let outcome = play.kept.restore(&play.wishes(), ByHand::Leave).unwrap();
    assert_eq!(play.tree(), before);
    assert!(outcome.left.is_empty());
    // And back again.
    let undone = play.kept.restore(&Wish::of(outcome.files.iter()), ByHand::Leave).unwrap();
    assert_eq!(play.tree(), after);
    assert!(undone.left.is_empty());
}

#[test]
fn what_somebody_else_changed_is_left_alone_unless_asked_for() {
    let mut play = Play::new();
    for name in ["after", "between", "before", "alone", "lost"] {
        play.write(name, b"start");
    }
    play.write("before", b"by hand first");
    play.batch(|play| {
        ["after", "between", "before", "lost"].iter().for_each(|name| play.write(name, b"tools"));
    });
    play.write("between", b"by hand");
    play.batch(|play| play.write("between", b"tools again"));
    play.write("after", b"by hand");
    play.write("alone", b"by hand");
    fs::remove_file(play.root().join("lost")).unwrap();
    let outcome = play.kept.restore(&play.wishes(), ByHand::Leave).unwrap();
    assert_eq!(paths(&outcome.files), ["before"]);
    let left: Vec<_> = outcome.left.iter().map(|left| left.path.as_str()).collect();
    assert_eq!(left, ["after", "between", "lost"]);
    let read = |name: &str| fs::read_to_string(play.root().join(name)).unwrap();
    assert_eq!((read("before"), read("after")), ("by hand first".to_owned(), "by hand".to_owned()));
    assert_eq!((read("between"), read("alone")), ("tools again".to_owned(), "by hand".to_owned()));
    let outcome = play.kept.restore(&play.wishes(), ByHand::Restore).unwrap();
    assert!(outcome.left.is_empty());
    assert_eq!((read("after"), read("between"), read("lost")), ("start".into(), "start".into(), "start".into()));
    assert_eq!(read("alone"), "by hand", "the tools never wrote it");
    // What was replaced is kept.
    play.kept.restore(&Wish::of(outcome.files.iter()), ByHand::Leave).unwrap();
    assert_eq!(read("after"), "by hand");
}

#[test]
fn an_edit_by_hand_beside_the_calls_is_not_theirs() {
    let mut play = Play::new();
    play.write("named", b"one");
    play.write("other", b"one");
    let only = Some(vec![fs::canonicalize(play.root()).unwrap().join("sub/named")]);
    let changes = play.named(only, |play| {
        play.write("sub/named", b"tools");
        play.write("other", b"by hand, at the same time");
    });
    assert_eq!(paths(&changes), ["sub", "sub/named"]);
    // After the calls, and before the look that follows them.
    play.kept.look(None).unwrap();
    let window = Window { begun: SystemTime::now(), ended: SystemTime::now() - Duration::from_secs(60), only: None };
    play.write("other", b"later");
    assert_eq!(play.kept.changed(&window).unwrap(), []);
}

#[test]
fn nothing_outside_the_folder_is_reached() {
    let mut play = Play::new();
    let outside = play.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("f"), "theirs").unwrap();
    play.write("sub/f", b"one");
    play.batch(|play| play.write("sub/f", b"two"));
    // The folder is swapped for a link that leads out.
    fs::remove_dir_all(play.root().join("sub")).unwrap();
    symlink(&outside, play.root().join("sub")).unwrap();
    fs::write(outside.join("f"), "two").unwrap();
    for by_hand in [ByHand::Leave, ByHand::Restore] {
        let outcome = play.kept.restore(&play.wishes(), by_hand).unwrap();
        assert_eq!(outcome.files, []);
        assert_eq!(outcome.left[0].path, "sub/f");
    }
    assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "two");
    // A link is replaced, not written through.
    let mut play = Play::new();
    play.write("f", b"one");
    play.batch(|play| {
        fs::remove_file(play.root().join("f")).unwrap();
        symlink(outside.join("f"), play.root().join("f")).unwrap();
    });
    play.kept.restore(&play.wishes(), ByHand::Leave).unwrap();
    assert_eq!(fs::read_to_string(play.root().join("f")).unwrap(), "one");
    assert_eq!(fs::read_to_string(outside.join("f")).unwrap(), "two");
}

#[test]
fn the_persons_repository_is_neither_run_nor_written() {
    let mut play = Play::new();
    let repository = git2::Repository::init(play.root()).unwrap();
    let marker = play.dir.path().join("ran");
    let hook = format!("#!/bin/sh\ntouch {}\n", marker.display());
    for name in ["post-checkout", "pre-commit", "fsmonitor", "post-index-change"] {
        let place = repository.path().join("hooks").join(name);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, &hook).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut config = repository.config().unwrap();
    config.set_str("core.fsmonitor", &repository.path().join("hooks/fsmonitor").to_string_lossy()).unwrap();
    config.set_str("filter.x.clean", &format!("touch {}", marker.display())).unwrap();
    play.write(".gitattributes", b"* filter=x\n");
    play.write("f", b"one\r\n");
    let before = tree(repository.path());
    play.batch(|play| play.write("f", b"two\n"));
    play.kept.restore(&play.wishes(), ByHand::Leave).unwrap();
    assert_eq!(fs::read(play.root().join("f")).unwrap(), b"one\r\n", "no filter changes a byte");
    assert_eq!(tree(repository.path()), before);
    assert!(!marker.exists());
}

#[test]
fn what_is_not_covered_is_named() {
    let mut play = Play::new();
    play.write("large", &vec![b'x'; scan::LARGEST as usize + 1]);
    play.write(".gitignore", b"ignored\n");
    play.write("ignored", b"one");
    play.kept.look(None).unwrap();
    assert_eq!(play.kept.uncovered(), ["large: it is too large"]);
    let changes = play.batch(|play| {
        play.write("large", b"small now");
        play.write("ignored", b"two");
    });
    assert_eq!(changes, []);
}

#[derive(Debug, Clone)]
enum Deed {
    Write(u8, u8),
    Remove(u8),
    Mode(u8),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0u8..6, any::<u8>()).prop_map(|(path, content)| Deed::Write(path, content)),
        1 => (0u8..6).prop_map(Deed::Remove),
        1 => (0u8..6).prop_map(Deed::Mode),
    ]
}

const PATHS: [&str; 6] = ["a", "b", "d/a", "d/e/a", "f/a", "g"];

/// True when it did something.
fn done(play: &Play, deed: &Deed) -> Option<&'static str> {
    let place = |path: u8| play.root().join(PATHS[usize::from(path)]);
    match *deed {
        Deed::Write(path, content) => {
            play.write(PATHS[usize::from(path)], &[content; 3]);
            Some(PATHS[usize::from(path)])
        }
        Deed::Remove(path) => fs::remove_file(place(path)).ok().map(|()| PATHS[usize::from(path)]),
        Deed::Mode(path) => {
            let mode = place(path).metadata().ok()?.mode() ^ 0o100;
            fs::set_permissions(place(path), fs::Permissions::from_mode(mode)).ok()?;
            Some(PATHS[usize::from(path)])
        }
    }
}

fn files(play: &Play) -> BTreeMap<String, (u32, Vec<u8>)> {
    play.tree().into_iter().filter(|(path, _)| PATHS.contains(&path.as_str())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Rounds of the tools' and a person's deeds in turn.
    #[test]
    fn a_restored_tree_is_the_old_one_but_for_what_people_did(
        rounds in prop::collection::vec((prop::collection::vec(deed(), 0..4), prop::collection::vec(deed(), 0..2)), 1..4),
    ) {
        let mut play = Play::new();
        for path in &PATHS[..4] {
            play.write(path, b"start");
        }
        let start = files(&play);
        let mut states = vec![start.clone()];
        let mut by_hand = std::collections::BTreeSet::new();
        for (tools, person) in &rounds {
            play.batch(|play| {
                for deed in tools {
                    done(play, deed);
                }
            });
            by_hand.extend(person.iter().filter_map(|deed| done(&play, deed)));
            states.push(files(&play));
        }
        let before = files(&play);
        let outcome = play.kept.restore(&play.wishes(), ByHand::Leave).unwrap();
        let after = files(&play);
        for path in PATHS {
            if by_hand.contains(path) {
                // A person's deed that changed nothing in the end leaves the file to the tools.
                let same = after.get(path) == before.get(path) || states.iter().any(|state| state.get(path) == after.get(path));
                prop_assert!(same, "{path} is nobody's: {after:?}");
            } else {
                prop_assert_eq!(after.get(path), start.get(path), "{}", path);
            }
        }
        play.kept.restore(&Wish::of(outcome.files.iter()), ByHand::Leave).unwrap();
        prop_assert_eq!(files(&play), before);
    }
}
