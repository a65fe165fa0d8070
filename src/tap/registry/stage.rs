//! Folders that are made aside and put in place by one rename, and what is left of those whose maker
//! died.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::{Name, RegistryFault, records};
use crate::config::{lock_within, make_private_folder, replace};

/// A name no owner can have; on the same file system as the taps.
const FOLDER: &str = ".staging";

/// A stage younger than this is not looked at: its maker may not have locked it yet.
const SETTLED: Duration = Duration::from_secs(60);

/// A folder of its own for one fetch. It goes with everything in it when this is dropped.
#[derive(Debug)]
pub(super) struct Stage {
    /// Holds `new` while it is made, and `old` while it is replaced.
    folder: PathBuf,
    lock_file: PathBuf,
    _lock: File,
}

impl Stage {
    pub fn open(taps: &Path) -> Result<Self, RegistryFault> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let all = taps.join(FOLDER);
        let disk = |error: io::Error| RegistryFault::disk(&all, &error);
        make_private_folder(&all).map_err(disk)?;
        sweep(&all);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let own = format!("{}-{since}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let lock_file = all.join(format!("{own}.lock"));
        let lock = File::options().write(true).create_new(true).mode(0o600).open(&lock_file).map_err(disk)?;
        lock.try_lock().map_err(|error| disk(error.into()))?;
        let folder = all.join(own);
        make_private_folder(&folder).map_err(disk)?;
        Ok(Self { folder, lock_file, _lock: lock })
    }

    /// Where the new folder is to be made; not there yet.
    pub fn new_folder(&self) -> PathBuf {
        self.folder.join("new")
    }

    /// Puts the new folder where the tap belongs. A reader finds either the old or the new one there.
    pub fn put(&self, name: &Name, taps: &Path) -> Result<(), RegistryFault> {
        let place = name.folder(taps);
        let disk = |error: io::Error| RegistryFault::disk(&place, &error);
        if let Some(parent) = place.parent() {
            make_private_folder(parent).map_err(disk)?;
        }
        let new = self.new_folder();
        if fs::symlink_metadata(&place).is_err() {
            return fs::rename(&new, &place).map_err(disk);
        }
        if renameat_with(CWD, &new, CWD, &place, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
        // Not every file system can swap. If this process dies in between, the sweep puts `old` back.
        let old = self.folder.join("old");
        replace(&self.folder.join("name"), &name.to_string()).map_err(disk)?;
        fs::rename(&place, &old).map_err(disk)?;
        fs::rename(&new, &place).map_err(|error| {
            // The first error is the one worth telling.
            let _ = fs::rename(&old, &place);
            disk(error)
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What cannot be removed now is swept up by a later fetch.
        let _ = fs::remove_dir_all(&self.folder);
        let _ = fs::remove_file(&self.lock_file);
    }
}

/// Removes the stages of processes that ended in the middle of a fetch. The operating system lets go
/// of a lock when its holder dies.
fn sweep(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else { return };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let lock_file = entry.path();
        let settled = entry
            .metadata()
            .and_then(|data| data.modified())
            .is_ok_and(|then| now.duration_since(then).is_ok_and(|age| age >= SETTLED));
        if settled && lock_file.extension().is_some_and(|ending| ending == "lock") {
            sweep_one(&lock_file, all);
        }
    }
}

fn sweep_one(lock_file: &Path, all: &Path) {
    let Ok(lock) = File::options().write(true).open(lock_file) else { return };
    if lock.try_lock().is_err() {
        return;
    }
    let folder = lock_file.with_extension("");
    if let (Some(taps), Ok(name)) = (all.parent(), fs::read_to_string(folder.join("name")))
        && let Ok(name) = Name::parse(&name)
        && fs::symlink_metadata(name.folder(taps)).is_err()
    {
        // Nothing more can be done where this fails: the tap is then fetched again.
        let _ = fs::rename(folder.join("old"), name.folder(taps));
    }
    let gone = fs::remove_dir_all(&folder);
    if gone.is_ok() || gone.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let _ = fs::remove_file(lock_file);
    }
}

/// One fetch of a tap at a time; `None` when another process is at it.
pub(super) fn fetch_lock(taps: &Path, name: &Name) -> Result<Option<File>, RegistryFault> {
    let file = name.record(&taps.join(records::FOLDER)).with_extension("lock");
    let disk = |error: io::Error| RegistryFault::disk(&file, &error);
    if let Some(folder) = file.parent() {
        make_private_folder(folder).map_err(disk)?;
    }
    lock_within(&file, Duration::ZERO).map_err(disk)
}
