//! An own copy of what was accepted. It is written from the very bytes that were hashed, so that what
//! runs is what was accepted, whatever happens to the files between the look and the run.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use super::scan::{FOLDERS, Known, Show, scan_into};
use crate::mcp::Moved;
use crate::session::journal::{create_private_folder, open_private};

/// Held by whoever runs from the folder beside it.
const LOCK: &str = "lock";

/// The copied content, below the folder of a copy.
const FILES: &str = "files";

/// A copy on disk; gone with this value.
#[derive(Debug)]
pub(super) struct Copied {
    folder: PathBuf,
    content_hash: String,
    moved: Moved,
    /// Says to other processes that this copy is in use.
    _lock: File,
}

impl Copied {
    /// Copies what would run of a project, below `place`, or where temporary files go when that takes
    /// nothing.
    ///
    /// # Errors
    /// Why neither does.
    pub fn make(workdir: &Path, place: &Path) -> io::Result<Self> {
        let name = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let made = create_private_folder(place).and_then(|()| {
            sweep_left_behind(place);
            Self::fill(workdir, place.join(&name))
        });
        made.or_else(|error| {
            let temporary = std::env::temp_dir().join(format!("octomind-accepted-{name}"));
            Self::fill(workdir, temporary)
                .map_err(|_| io::Error::new(error.kind(), format!("{}: {error}", place.display())))
        })
    }

    fn fill(workdir: &Path, folder: PathBuf) -> io::Result<Self> {
        // One that is there already is somebody else's.
        DirBuilder::new().mode(0o700).create(&folder)?;
        let lock = open_private(&folder.join(LOCK))?;
        lock.try_lock()?;
        let mut copying = Copying::new(folder.join(FILES));
        let found = scan_into(workdir, &mut Known::new(), Show::Nothing, Some(&mut copying));
        let moved = moved(workdir, &folder.join(FILES));
        let content_hash = found.map(|found| found.content_hash).unwrap_or_default();
        let copied = Self { folder, content_hash, moved, _lock: lock };
        match copying.failed {
            Some(error) => Err(error),
            None => Ok(copied),
        }
    }

    /// Of what was copied.
    pub fn content_hash(&self) -> &str {
        &self.content_hash
    }

    pub fn moved(&self) -> &Moved {
        &self.moved
    }

    pub fn is_there(&self) -> bool {
        self.folder.join(FILES).is_dir()
    }
}

impl Drop for Copied {
    fn drop(&mut self) {
        // What cannot be removed now is removed by whoever copies next.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folders whose files run, by the name they are asked for and by their real one.
fn moved(workdir: &Path, files: &Path) -> Moved {
    let mut pairs = Vec::new();
    for folder in FOLDERS {
        let from = workdir.join(folder);
        let to = files.join(folder);
        if let Ok(real) = from.canonicalize()
            && real != from
        {
            pairs.push((real, to.clone()));
        }
        pairs.push((from, to));
    }
    Moved::new(pairs)
}

/// Removes the copies of processes that were killed.
fn sweep_left_behind(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let free = match File::open(entry.path().join(LOCK)) {
            Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
            // One that is just being made has no lock yet.
            Err(_) => false,
        };
        if free {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Writes files where they belong while they are read for their hash.
#[derive(Debug)]
pub(super) struct Copying {
    root: PathBuf,
    /// Where a real folder was copied to first, so that a loop of links ends here too.
    folders: HashMap<PathBuf, PathBuf>,
    failed: Option<io::Error>,
}

impl Copying {
    fn new(root: PathBuf) -> Self {
        Self { root, folders: HashMap::new(), failed: None }
    }

    /// What lies outside the project has no place in a copy of it.
    fn target(&self, relative: &Path) -> Option<PathBuf> {
        let mut target = self.root.clone();
        for part in relative.components() {
            match part {
                Component::Normal(name) => target.push(name),
                Component::CurDir => {}
                _ => return None,
            }
        }
        Some(target)
    }

    /// A folder that is walked for the first time.
    pub fn folder(&mut self, relative: &Path, real: &Path) {
        let Some(target) = self.target(relative) else { return };
        let made = create_private_folder(&target);
        self.keep(made);
        self.folders.insert(real.to_owned(), target);
    }

    /// A folder that was walked by another name before.
    pub fn folder_again(&mut self, relative: &Path, real: &Path) {
        let (Some(target), Some(first)) = (self.target(relative), self.folders.get(real).cloned()) else { return };
        if target == first {
            return;
        }
        let made = self.parent(&target).and_then(|()| match symlink(first, target) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        });
        self.keep(made);
    }

    /// Where the bytes of a file go while they are hashed; `None` when nowhere.
    pub fn file(&mut self, relative: &Path, executable: bool) -> Option<Sink> {
        let target = self.target(relative)?;
        let mode = if executable { 0o500 } else { 0o400 };
        let opened = self.parent(&target).and_then(|()| {
            match OpenOptions::new().write(true).create_new(true).mode(mode).open(&target) {
                Ok(file) => Ok(Some(Sink { file, failed: None })),
                // A script that guardrails name may lie in a folder that was copied before.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
                Err(error) => Err(error),
            }
        });
        match opened {
            Ok(sink) => sink,
            Err(error) => {
                self.keep(Err(error));
                None
            }
        }
    }

    /// All of a file was handed over.
    pub fn done(&mut self, sink: Sink) {
        self.keep(sink.failed.map_or(Ok(()), Err));
    }

    fn parent(&self, target: &Path) -> io::Result<()> {
        target.parent().map_or(Ok(()), create_private_folder)
    }

    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }
}

/// One file of a copy. That it cannot be written does not spoil the hash; it is told at the end.
#[derive(Debug)]
pub(super) struct Sink {
    file: File,
    failed: Option<io::Error>,
}

impl Sink {
    pub fn put(&mut self, bytes: &[u8]) {
        if self.failed.is_none()
            && let Err(error) = self.file.write_all(bytes)
        {
            self.failed = Some(error);
        }
    }
}
