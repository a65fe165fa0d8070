//! Whether a command changed the working tree: what lies in it before and after, by size and time.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ignore::{DirEntry, WalkBuilder};

/// How long a look may take; a tree that is larger is not known.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    longest: Duration,
    /// So many entries are looked at in any case: a small tree is known on a busy machine too.
    few: u64,
    /// Even for those.
    patience: Duration,
}

const BOUNDS: Bounds =
    Bounds { longest: Duration::from_millis(50), few: 2_000, patience: Duration::from_millis(1_000) };

/// What the last look saw still holds so long, when nothing of ours ran since.
const FRESH: Duration = Duration::from_secs(5);

/// Files of the repository that tell of commits, checkouts and resets.
const OF_REPOSITORY: [&str; 2] = [".git/HEAD", ".git/logs/HEAD"];

/// The working tree of a session.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    /// What we write ourselves.
    ours: PathBuf,
    last: Mutex<Option<(Instant, Look)>>,
}

/// What was seen; `None` when the time was over first.
pub type Look = Option<u64>;

impl Tree {
    pub fn new(root: PathBuf, ours: PathBuf) -> Self {
        Self { root, ours, last: Mutex::default() }
    }

    /// Something ran that may have changed it.
    pub fn touched(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// How it looks before a command; what the last look saw, if that still holds.
    pub async fn before(self: &Arc<Self>) -> Look {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        match last {
            Some((at, look)) if look.is_some() && at.elapsed() < FRESH => look,
            _ => self.look().await,
        }
    }

    /// How it looks after a command.
    pub async fn after(self: &Arc<Self>) -> Look {
        let look = self.look().await;
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), look));
        look
    }

    async fn look(self: &Arc<Self>) -> Look {
        let tree = Arc::clone(self);
        // Off the session's task: a folder on a network may take as long as it likes.
        let looked = tokio::task::spawn_blocking(move || look(&tree.root, &tree.ours, BOUNDS));
        tokio::time::timeout(BOUNDS.patience, looked).await.ok()?.ok()?
    }
}

/// Whether a command between two looks changed something; `None` when that is not known.
pub fn changed(before: Look, after: Look) -> Option<bool> {
    Some(before? != after?)
}

/// Everything that is not ignored, in no order.
fn look(root: &Path, ours: &Path, bounds: Bounds) -> Look {
    let begun = Instant::now();
    let ours = ours.to_owned();
    // One thread: waking others takes longer than walking through most projects.
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| entry.file_name() != ".git" && entry.path() != ours)
        .build();
    let mut sum = 0_u64;
    for (seen, entry) in (0_u64..).zip(walk) {
        if begun.elapsed() >= if seen < bounds.few { bounds.patience } else { bounds.longest } {
            return None;
        }
        // What cannot be read now could not be read before.
        if let Ok(entry) = entry {
            sum = sum.wrapping_add(mark(&entry));
        }
    }
    for file in OF_REPOSITORY {
        let path = root.join(file);
        if let Ok(meta) = path.metadata() {
            sum = sum.wrapping_add(mark_of(&path, &meta));
        }
    }
    Some(sum)
}

fn mark(entry: &DirEntry) -> u64 {
    match entry.metadata() {
        Ok(meta) => mark_of(entry.path(), &meta),
        Err(_) => 1,
    }
}

/// A folder counts by its name: what is in it counts by itself.
fn mark_of(path: &Path, meta: &std::fs::Metadata) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    if !meta.is_dir() {
        meta.len().hash(&mut hasher);
        meta.modified().ok().hash(&mut hasher);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            (meta.ino(), meta.mode(), meta.ctime_nsec()).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_tree_looks_different_when_something_in_it_changed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at(".gitignore"), "target/\n").unwrap();
        std::fs::create_dir_all(at("src/empty")).unwrap();
        std::fs::create_dir_all(at(".git/logs")).unwrap();
        std::fs::write(at("src/one.rs"), "one").unwrap();
        let tree = Arc::new(Tree::new(dir.path().to_owned(), at("sessions")));
        let minute = Duration::from_secs(60);
        let bounds = Bounds { longest: minute, few: 0, patience: minute };
        let seen = async || look(dir.path(), &at("sessions"), bounds).unwrap();
        let steps: [(&str, bool, &dyn Fn()); 10] = [
            ("nothing", false, &|| {}),
            ("read", false, &|| drop(std::fs::read(at("src/one.rs")).unwrap())),
            ("written anew with the same text", true, &|| {
                std::thread::sleep(Duration::from_millis(15));
                std::fs::write(at("src/one.rs"), "one").unwrap();
            }),
            ("new", true, &|| std::fs::write(at("src/two.rs"), "").unwrap()),
            ("renamed", true, &|| std::fs::rename(at("src/two.rs"), at("src/three.rs")).unwrap()),
            ("removed", true, &|| std::fs::remove_file(at("src/three.rs")).unwrap()),
            ("an empty folder", true, &|| std::fs::create_dir(at("src/other")).unwrap()),
            ("ignored", false, &|| {
                std::fs::create_dir_all(at("target/debug")).unwrap();
                std::fs::write(at("target/debug/x"), "x").unwrap();
            }),
            ("our journal", false, &|| {
                std::fs::create_dir(at("sessions")).unwrap();
                std::fs::write(at("sessions/journal.jsonl"), "x").unwrap();
            }),
            ("committed", true, &|| std::fs::write(at(".git/logs/HEAD"), "a commit").unwrap()),
        ];
        for (what, expected, step) in steps {
            let before = seen().await;
            step();
            assert_eq!(changed(Some(before), Some(seen().await)), Some(expected), "{what}");
        }
        let first = tree.before().await;
        assert_eq!(changed(first, tree.after().await), Some(false));
        std::fs::write(at("src/four.rs"), "").unwrap();
        tree.touched();
        assert_eq!(changed(first, tree.before().await), Some(true), "what was touched is looked at again");
    }

    #[test]
    fn a_tree_that_is_too_large_is_not_known() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["one", "two"] {
            std::fs::write(dir.path().join(name), "").unwrap();
        }
        // The folder itself is the first of three.
        let known = |few| {
            let bounds = Bounds { longest: Duration::ZERO, few, patience: Duration::from_secs(60) };
            look(dir.path(), &dir.path().join("x"), bounds).is_some()
        };
        assert_eq!([known(0), known(2), known(3)], [false, false, true]);
        let bounds = Bounds { longest: Duration::ZERO, few: 3, patience: Duration::ZERO };
        assert_eq!(look(dir.path(), dir.path(), bounds), None);
        let (known, other) = (Some(1), Some(2));
        for (before, after, expected) in
            [(known, known, Some(false)), (known, other, Some(true)), (None, known, None), (known, None, None)]
        {
            assert_eq!(changed(before, after), expected);
        }
    }
}
