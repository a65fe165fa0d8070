//! Finding everything of a project that would run.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use super::copy::{Copying, Sink};

use crate::proto::Runnable;

/// Folders all of whose files count: a script may read any file beside it.
pub(super) const FOLDERS: [&str; 2] = [".agents/tools", ".agents/plugins"];

/// Names the scripts of pipes, hooks and validators, which count too, wherever they lie.
const GUARDRAILS: &str = ".agents/guardrails.toml";

/// Bytes shown of one file. The hash covers all of it.
const SHOWN_BYTES: usize = 256 * 1024;

/// Files and bytes covered at most; beyond that nothing can be accepted.
const MOST_FILES: usize = 5_000;
const MOST_BYTES: u64 = 128 * 1024 * 1024;

/// A list of guardrails larger than this cannot be followed.
const MOST_GUARDRAILS: u64 = 1024 * 1024;

/// Folder levels below the start.
const MOST_DEPTH: usize = 32;

/// What a project would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The project's folder.
    pub folder: String,
    /// By path, relative to the folder; a link reads `path -> target`.
    pub items: Vec<Runnable>,
    /// SHA-256 over paths, links, executable bits and contents, in hex.
    pub content_hash: String,
    /// Why the hash does not cover everything, if so. One sentence.
    pub uncovered: Option<String>,
}

/// Hashes of files that did not change since: by device, inode, size and both times.
pub type Known = HashMap<(u64, u64, u64, i64, i64), [u8; 32]>;

/// Everything under `.agents` that would run, and the guardrail scripts; `None` when there is none.
pub fn scan(workdir: &Path) -> Option<Found> {
    scan_with(workdir, &mut Known::new(), Show::Contents)
}

/// Whether contents are wanted, or only their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Contents,
    Nothing,
}

pub fn scan_with(workdir: &Path, known: &mut Known, show: Show) -> Option<Found> {
    scan_into(workdir, known, show, None)
}

/// The same, with a copy of everything that is read.
pub(super) fn scan_into(workdir: &Path, known: &mut Known, show: Show, copying: Option<&mut Copying>) -> Option<Found> {
    let (entries, folders) = (BTreeMap::new(), BTreeSet::new());
    let mut sweep = Sweep { workdir, known, show, copying, entries, folders, bytes: 0, uncovered: None };
    for folder in FOLDERS {
        let path = workdir.join(folder);
        if fs::symlink_metadata(&path).is_ok() {
            sweep.path(&path, 0);
        }
    }
    let guardrails = workdir.join(GUARDRAILS);
    if fs::symlink_metadata(&guardrails).is_ok() {
        sweep.path(&guardrails, 0);
        let scripts = guardrail_scripts(&guardrails);
        if scripts.is_none() {
            sweep.uncovered.get_or_insert(format!("{GUARDRAILS} has more than {MOST_GUARDRAILS} bytes."));
        }
        for script in scripts.unwrap_or_default() {
            let script = workdir.join(script);
            // A program is a file; a folder named here would only be walked for nothing.
            if !script.is_dir() {
                sweep.path(&script, 0);
            }
        }
    }
    if sweep.entries.is_empty() && sweep.uncovered.is_none() {
        return None;
    }
    let mut hash = Sha256::new();
    for (name, entry) in &sweep.entries {
        field(&mut hash, name);
        field(&mut hash, &entry.digest);
    }
    Some(Found {
        folder: workdir.display().to_string(),
        content_hash: hex(&hash.finalize()),
        items: sweep.entries.into_values().map(|entry| entry.item).collect(),
        uncovered: sweep.uncovered,
    })
}

struct Entry {
    item: Runnable,
    digest: [u8; 32],
}

struct Name {
    bytes: Vec<u8>,
    shown: String,
}

struct Sweep<'a> {
    workdir: &'a Path,
    known: &'a mut Known,
    show: Show,
    copying: Option<&'a mut Copying>,
    /// By the bytes of the path and of a link's target: what is shown of them may not be unique.
    entries: BTreeMap<Vec<u8>, Entry>,
    /// Real folders already walked, so that a loop of links ends.
    folders: BTreeSet<PathBuf>,
    bytes: u64,
    uncovered: Option<String>,
}

impl Sweep<'_> {
    fn path(&mut self, path: &Path, depth: usize) {
        if self.entries.len() >= MOST_FILES {
            self.uncovered.get_or_insert(format!("it has more than {MOST_FILES} files."));
            return;
        }
        let target = fs::read_link(path).ok();
        let name = self.name(path, target.as_deref());
        // Follows links: what they lead to is what would run.
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                if target.is_some() {
                    self.add(name, String::new(), fixed(b"link to a folder"));
                }
                self.folder(path, depth);
            }
            Ok(meta) if meta.is_file() => self.file(name, path, &meta),
            Ok(_) => self.add(name, "(not a regular file)".into(), fixed(b"special")),
            Err(error) => self.unreadable(name, &error),
        }
    }

    fn folder(&mut self, path: &Path, depth: usize) {
        if depth >= MOST_DEPTH {
            let shown = self.shown(path);
            self.uncovered.get_or_insert(format!("{shown} is nested more than {MOST_DEPTH} deep."));
            return;
        }
        match fs::canonicalize(path) {
            Ok(real) => {
                let relative = path.strip_prefix(self.workdir).unwrap_or(path);
                if !self.folders.insert(real.clone()) {
                    if let Some(copying) = &mut self.copying {
                        copying.folder_again(relative, &real);
                    }
                    return;
                }
                if let Some(copying) = &mut self.copying {
                    copying.folder(relative, &real);
                }
            }
            Err(error) => return self.unreadable(self.name(path, None), &error),
        }
        match fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>())
        {
            Ok(mut paths) => {
                paths.sort();
                for path in paths {
                    self.path(&path, depth + 1);
                }
            }
            Err(error) => self.unreadable(self.name(path, None), &error),
        }
    }

    fn file(&mut self, name: Name, path: &Path, meta: &Metadata) {
        self.bytes += meta.len();
        if self.bytes > MOST_BYTES {
            self.uncovered.get_or_insert(format!("it has more than {MOST_BYTES} bytes."));
            return;
        }
        let key = (
            meta.dev(),
            meta.ino(),
            meta.len(),
            meta.mtime().wrapping_mul(1_000_000_000).wrapping_add(meta.mtime_nsec()),
            meta.ctime().wrapping_mul(1_000_000_000).wrapping_add(meta.ctime_nsec()),
        );
        let executable = meta.permissions().mode() & 0o111 != 0;
        let relative = path.strip_prefix(self.workdir).unwrap_or(path);
        let mut sink = self.copying.as_mut().and_then(|copying| copying.file(relative, executable));
        let (content_digest, content) = match (self.known.get(&key), self.show) {
            (Some(digest), Show::Nothing) => (*digest, String::new()),
            _ => match read(path, sink.as_mut()) {
                Ok((digest, content)) => {
                    if settled(meta) {
                        self.known.insert(key, digest);
                    }
                    (digest, content)
                }
                Err(error) => return self.unreadable(name, &error),
            },
        };
        if let (Some(copying), Some(sink)) = (&mut self.copying, sink) {
            copying.done(sink);
        }
        let mut hash = Sha256::new();
        field(&mut hash, &[u8::from(executable)]);
        field(&mut hash, &content_digest);
        self.add(name, content, hash.finalize().into());
    }

    fn unreadable(&mut self, name: Name, error: &io::Error) {
        let digest = fixed(b"unreadable");
        self.add(name, format!("(cannot be read: {error})"), digest);
    }

    fn add(&mut self, name: Name, content: String, digest: [u8; 32]) {
        let content = if self.show == Show::Contents { content } else { String::new() };
        self.entries.insert(name.bytes, Entry { item: Runnable { path: name.shown, content }, digest });
    }

    fn name(&self, path: &Path, target: Option<&Path>) -> Name {
        let mut bytes = path.strip_prefix(self.workdir).unwrap_or(path).as_os_str().as_bytes().to_vec();
        let mut shown = self.shown(path);
        if let Some(target) = target {
            bytes.push(0);
            bytes.extend_from_slice(target.as_os_str().as_bytes());
            shown = format!("{shown} -> {}", target.display());
        }
        Name { bytes, shown }
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(self.workdir).unwrap_or(path).display().to_string()
    }
}

/// Whether the times can tell a later change: one within their resolution would look the same.
fn settled(meta: &Metadata) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    u64::try_from(meta.ctime()).is_ok_and(|changed| changed + 2 < now)
}

/// The hash of a whole file, and as much of it as is shown. The same bytes go to the sink.
fn read(path: &Path, mut sink: Option<&mut Sink>) -> io::Result<([u8; 32], String)> {
    let mut file = open_ordinary(path)?;
    let mut hash = Sha256::new();
    let mut shown = Vec::new();
    let mut total = 0u64;
    let mut buffer = vec![0u8; 64 * 1024];
    loop {
        let count = file.read(&mut buffer)?;
        let read = buffer.get(..count).unwrap_or_default();
        if read.is_empty() {
            break;
        }
        total += count as u64;
        if total > MOST_BYTES {
            return Err(io::Error::other("it grew while it was read"));
        }
        hash.update(read);
        if let Some(sink) = &mut sink {
            sink.put(read);
        }
        let room = SHOWN_BYTES - shown.len();
        shown.extend_from_slice(read.get(..count.min(room)).unwrap_or_default());
    }
    let content = if shown.contains(&0) {
        format!("(binary, {total} bytes)")
    } else if total > shown.len() as u64 {
        format!("{}\n(… {total} bytes in all)", String::from_utf8_lossy(&shown))
    } else {
        String::from_utf8_lossy(&shown).into_owned()
    };
    Ok((hash.finalize().into(), content))
}

/// Opens a regular file; a pipe or a device, which could wait or go on for ever, is an error.
fn open_ordinary(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// The programs that guardrails name; `None` when there is too much to read. A file that does not
/// parse runs nothing.
fn guardrail_scripts(path: &Path) -> Option<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    let read = open_ordinary(path).and_then(|file| file.take(MOST_GUARDRAILS + 1).read_to_end(&mut bytes));
    if bytes.len() as u64 > MOST_GUARDRAILS {
        return None;
    }
    let table = read.ok().and_then(|_| String::from_utf8(bytes).ok()?.parse::<toml::Table>().ok()).unwrap_or_default();
    let named = [("pipe", "command"), ("hook", "script"), ("validator", "script")];
    let scripts = named
        .iter()
        .filter_map(|(section, key)| Some((table.get(*section)?.as_array()?, key)))
        .flat_map(|(rows, key)| rows.iter().filter_map(move |row| row.get(*key)?.as_str()))
        .map(PathBuf::from)
        .collect();
    Some(scripts)
}

/// Length first, so that no two lists of fields hash alike.
fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

fn fixed(text: &[u8]) -> [u8; 32] {
    Sha256::digest(text).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
