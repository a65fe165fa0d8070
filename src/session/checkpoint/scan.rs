//! One look at the folder: what lies in it, and what it holds.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use ignore::{DirEntry, WalkBuilder};

use super::keep::Keep;
use crate::proto::FileState;
use crate::text::human;

/// A folder with more entries than this is not covered.
const ENTRIES: usize = 20_000;

/// A file larger than this is not covered, bytes.
pub const LARGEST: u64 = 4 * 1024 * 1024;

/// All files together, bytes.
const WHOLE: u64 = 256 * 1024 * 1024;

/// Files that are named among those that are not covered.
const NAMED: usize = 20;

#[derive(Debug, Clone, Default)]
pub struct Scan {
    pub files: BTreeMap<String, Seen>,
    /// What is not covered, and why.
    pub uncovered: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    stat: Stat,
    pub state: FileState,
    /// False for what is too large: nothing is known of its content.
    pub kept: bool,
}

/// As long as none of it changes, the content is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    mode: u32,
}

impl Stat {
    fn of(meta: &Metadata) -> Self {
        Self {
            size: meta.len(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
            inode: meta.ino(),
            mode: meta.mode(),
        }
    }
}

impl Seen {
    /// When anything about it was changed last, by a clock that nobody sets.
    pub fn changed(&self) -> SystemTime {
        let (seconds, nanos) = self.stat.changed;
        let since = Duration::new(u64::try_from(seconds).unwrap_or(0), u32::try_from(nanos).unwrap_or(0));
        SystemTime::UNIX_EPOCH + since
    }
}

/// Looks at everything that is not ignored and keeps the content of what is not `known`.
pub fn scan(root: &Path, ours: &[PathBuf], known: Scan, keep: &Keep, stop: &AtomicBool) -> Result<Scan, String> {
    let mut scan = Scan::default();
    let mut whole = 0_u64;
    for entry in walk(root, ours) {
        if stop.load(Ordering::Relaxed) {
            return Err("the program was leaving".to_owned());
        }
        // What cannot be read is not covered, and nothing here could restore it.
        let Ok(entry) = entry else { continue };
        if entry.depth() == 0 {
            continue;
        }
        if scan.files.len() >= ENTRIES {
            return Err(format!("it has more than {ENTRIES} files"));
        }
        let Ok(relative) = entry.path().strip_prefix(root) else { continue };
        let Some(path) = relative.to_str() else {
            uncovered(&mut scan, &relative.to_string_lossy(), "its name is not UTF-8");
            continue;
        };
        let Ok(meta) = entry.path().symlink_metadata() else { continue };
        if meta.is_file() {
            whole += meta.len();
        }
        if whole > WHOLE {
            return Err(format!("its files are larger than {} together", human::bytes(WHOLE)));
        }
        look_at(&mut scan, &known, keep, (path, entry.path()), &meta);
    }
    Ok(scan)
}

fn walk(root: &Path, ours: &[PathBuf]) -> ignore::Walk {
    let ours = ours.to_vec();
    WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry: &DirEntry| {
            entry.depth() == 0 || (entry.file_name() != ".git" && !ours.iter().any(|own| entry.path() == own))
        })
        .build()
}

fn uncovered(scan: &mut Scan, path: &str, why: &str) {
    if scan.uncovered.len() < NAMED {
        scan.uncovered.push(format!("{path}: {why}"));
    }
}

fn look_at(scan: &mut Scan, known: &Scan, keep: &Keep, (path, place): (&str, &Path), meta: &Metadata) {
    let stat = Stat::of(meta);
    if let Some(seen) = known.files.get(path).filter(|seen| seen.stat == stat) {
        if !seen.kept {
            uncovered(scan, path, "it is too large");
        }
        scan.files.insert(path.to_owned(), seen.clone());
        return;
    }
    let large = meta.is_file() && meta.len() > LARGEST;
    let content = if large { None } else { content(place, meta) };
    let blob = match &content {
        Some(content) if !meta.is_dir() => keep.put(content).ok(),
        Some(_) => Some(String::new()),
        None => None,
    };
    let kept = blob.is_some();
    if !kept {
        uncovered(scan, path, if large { "it is too large" } else { "it cannot be read" });
    }
    let state = FileState { blob: blob.unwrap_or_default(), mode: meta.mode() };
    scan.files.insert(path.to_owned(), Seen { stat, state, kept });
}

/// Of a file its bytes, of a link where it leads, of a folder nothing; `None` for what is neither.
pub fn content(place: &Path, meta: &Metadata) -> Option<Vec<u8>> {
    if meta.is_symlink() {
        return Some(std::fs::read_link(place).ok()?.as_os_str().as_bytes().to_vec());
    }
    match (meta.is_file(), meta.is_dir()) {
        (true, _) => std::fs::read(place).ok(),
        (_, true) => Some(Vec::new()),
        _ => None,
    }
}
