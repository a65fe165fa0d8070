//! The tap that comes with the binary: unpacked once for each version, for other programs read files.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use include_dir::{Dir, DirEntry, File, include_dir};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha2::{Digest, Sha256};

use crate::config::make_private_folder;

pub const NAME: &str = "octomind/starter";

static CONTENT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/assets/tap");

const PREFIX: &str = "starter-tap-";

/// Another version of the program may still run scripts from its own; it is removed when nobody
/// started that version for this long.
const KEPT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How often a use is written down.
const NOTED: Duration = Duration::from_secs(60 * 60);

/// The folder of the starter tap, unpacked if it is not. Where the cache cannot be written, it is below
/// the folder for temporary files.
///
/// # Errors
/// When neither can be written.
pub fn place(cache: &Path) -> io::Result<PathBuf> {
    in_folder(cache, &CONTENT, SystemTime::now()).or_else(|error| {
        let own = own_temporary_folder().map_err(|_| error)?;
        in_folder(&own, &CONTENT, SystemTime::now())
    })
}

/// Every file of the starter tap with its content, by path.
pub fn files() -> Vec<(&'static Path, &'static [u8])> {
    files_of(&CONTENT).into_iter().map(|file| (file.path(), file.contents())).collect()
}

fn in_folder(folder: &Path, content: &'static Dir<'static>, now: SystemTime) -> io::Result<PathBuf> {
    let name = format!("{PREFIX}{}", hash(content));
    let root = folder.join(&name);
    if !is_whole(&root, content) {
        make_private_folder(folder)?;
        unpack(folder, &name, content)?;
        remove_others(folder, &name, now);
    }
    note_use(&root, now);
    Ok(root)
}

/// 16 hexadecimal digits over all paths and contents.
fn hash(content: &'static Dir<'static>) -> String {
    static OF_CONTENT: OnceLock<String> = OnceLock::new();
    let make = || {
        let mut hasher = Sha256::new();
        for file in files_of(content) {
            for part in [file.path().as_os_str().as_encoded_bytes(), file.contents()] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hasher.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    };
    match std::ptr::eq(content, &CONTENT) {
        true => OF_CONTENT.get_or_init(make).clone(),
        false => make(),
    }
}

fn files_of(folder: &'static Dir<'static>) -> Vec<&'static File<'static>> {
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(inner) => folders.push(inner),
                DirEntry::File(file) => files.push(file),
            }
        }
    }
    files.sort_by_key(|file| file.path());
    files
}

/// Whether every file is there as it was made: programs that tidy up take single files away, and a
/// script that was changed must not be run.
fn is_whole(root: &Path, content: &'static Dir<'static>) -> bool {
    root.is_dir()
        && files_of(content).into_iter().all(|file| {
            let there = fs::symlink_metadata(root.join(file.path()));
            let in_size = there.is_ok_and(|there| there.is_file() && there.len() == file.contents().len() as u64);
            in_size && fs::read(root.join(file.path())).is_ok_and(|bytes| bytes == file.contents())
        })
}

/// Aside, then in place by one rename. Another process may do the same at the same time.
fn unpack(folder: &Path, name: &str, content: &'static Dir<'static>) -> io::Result<()> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let aside = folder.join(format!(".{name}.{}.{since}", std::process::id()));
    let outcome = write_all(&aside, content).and_then(|()| put(&aside, &folder.join(name)));
    // Either it failed, or what lies there now is what was there before.
    let _ = fs::remove_dir_all(&aside);
    outcome
}

fn write_all(root: &Path, content: &'static Dir<'static>) -> io::Result<()> {
    make_private_folder(root)?;
    for file in files_of(content) {
        let path = root.join(file.path());
        if let Some(parent) = path.parent() {
            make_private_folder(parent)?;
        }
        let mode = if path.extension().is_some_and(|extension| extension == "sh") { 0o500 } else { 0o400 };
        let mut written = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        written.write_all(file.contents())?;
    }
    Ok(())
}

fn put(aside: &Path, root: &Path) -> io::Result<()> {
    match fs::rename(aside, root) {
        Ok(()) => Ok(()),
        // Something is there: damaged, or made by another process just now.
        Err(_) if renameat_with(CWD, aside, CWD, root, RenameFlags::EXCHANGE).is_ok() => Ok(()),
        Err(_) => {
            fs::remove_dir_all(root)?;
            fs::rename(aside, root)
        }
    }
}

/// A file beside the folder, whose time says when it was last used.
fn note_use(root: &Path, now: SystemTime) {
    let mark = mark(root);
    let noted = used(&mark).is_some_and(|then| now.duration_since(then).is_ok_and(|since| since < NOTED));
    if !noted {
        // Without a mark the folder is only removed earlier.
        let opened = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&mark);
        let _ = opened.and_then(|file| file.set_modified(now));
    }
}

fn mark(root: &Path) -> PathBuf {
    let mut name = root.file_name().unwrap_or_default().to_os_string();
    name.push(".used");
    root.with_file_name(name)
}

fn used(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).and_then(|data| data.modified()).ok()
}

/// Removes what other versions left, and what was never finished. What cannot be removed stays.
fn remove_others(folder: &Path, current: &str, now: SystemTime) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let of_starter = name.trim_start_matches('.').starts_with(PREFIX);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !of_starter || !is_folder || name == current {
            continue;
        }
        let root = entry.path();
        let last = used(&mark(&root)).or_else(|| used(&root));
        if last.is_some_and(|then| now.duration_since(then).is_ok_and(|since| since >= KEPT)) {
            let _ = fs::remove_dir_all(&root);
            let _ = fs::remove_file(mark(&root));
        }
    }
}

/// Below the folder that everyone can write to, so only one of our own that nobody else can change: its
/// scripts are run.
fn own_temporary_folder() -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("octomind-{user}"));
    make_private_folder(&folder)?;
    let there = fs::symlink_metadata(&folder)?;
    let own = there.is_dir() && there.uid() == user && there.permissions().mode() & 0o077 == 0;
    if own { Ok(folder) } else { Err(io::Error::other(format!("{} belongs to someone else", folder.display()))) }
}

#[cfg(test)]
mod tests;
