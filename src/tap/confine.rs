//! Looking into a folder without ever leaving it.

use std::io;
use std::path::{Path, PathBuf};

use crate::config::Problem;

/// A folder that nothing read from it may lead out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Root {
    pub path: PathBuf,
    /// The same with every link followed.
    real: PathBuf,
}

/// Something in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub path: PathBuf,
    pub kind: EntryKind,
    /// Where it leads with every link followed, if it is a link.
    pub link: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
}

/// What a folder holds, by name, and what of it is not usable.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
}

impl Root {
    /// # Errors
    /// When the folder is not there or cannot be entered.
    pub fn new(path: &Path) -> io::Result<Self> {
        let real = std::fs::canonicalize(path)?;
        // Reading it shows whether that is allowed.
        std::fs::read_dir(&real)?;
        Ok(Self { path: path.to_path_buf(), real })
    }

    /// What a folder of it holds; nothing when there is no such folder. Hidden names are passed over,
    /// a link out of the root is a problem.
    pub fn list(&self, folder: &Path) -> Listing {
        let mut listing = Listing::default();
        let label = folder.display().to_string();
        let entries = match self.enter(folder) {
            Ok(Some(entries)) => entries,
            Ok(None) => return listing,
            Err(problem) => {
                listing.problems.push(problem);
                return listing;
            }
        };
        for entry in entries {
            match entry.map_err(|error| Problem::of_file(&label, format!("this folder cannot be read: {error}"))) {
                Ok(entry) => match self.entry(&entry) {
                    Ok(entry) => listing.entries.extend(entry),
                    Err(problem) => listing.problems.push(problem),
                },
                Err(problem) => listing.problems.push(problem),
            }
        }
        listing.entries.sort_by(|one, other| one.name.cmp(&other.name));
        listing.problems.sort_by(|one, other| one.file.cmp(&other.file));
        listing
    }

    fn enter(&self, folder: &Path) -> Result<Option<std::fs::ReadDir>, Problem> {
        let label = folder.display().to_string();
        let linked = std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
        if linked {
            self.follow(folder)?;
        }
        match std::fs::read_dir(folder) {
            Ok(entries) => Ok(Some(entries)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Problem::of_file(&label, format!("this folder cannot be read: {error}"))),
        }
    }

    fn entry(&self, entry: &std::fs::DirEntry) -> Result<Option<Entry>, Problem> {
        let path = entry.path();
        let label = path.display().to_string();
        let unreadable = |error: io::Error| Problem::of_file(&label, format!("this cannot be read: {error}"));
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            return Err(Problem::of_file(&label, "this name is not UTF-8, so it was passed over"));
        };
        if name.starts_with('.') {
            return Ok(None);
        }
        let kind = entry.file_type().map_err(unreadable)?;
        if !kind.is_symlink() {
            let kind = match (kind.is_dir(), kind.is_file()) {
                (true, _) => EntryKind::Folder,
                (_, true) => EntryKind::File,
                _ => {
                    return Err(Problem::of_file(&label, "this is neither a file nor a folder, so it was passed over"));
                }
            };
            return Ok(Some(Entry { name, path, kind, link: None }));
        }
        let target = self.follow(&path)?;
        let kind = match std::fs::metadata(&target).map_err(unreadable)?.is_dir() {
            true => EntryKind::Folder,
            false => EntryKind::File,
        };
        Ok(Some(Entry { name, path, kind, link: Some(target) }))
    }

    /// Where a link leads, if that is inside.
    fn follow(&self, link: &Path) -> Result<PathBuf, Problem> {
        let label = link.display().to_string();
        match std::fs::canonicalize(link) {
            Ok(target) if target.starts_with(&self.real) => Ok(target),
            Ok(_) => Err(Problem::of_file(&label, "this link leads out of its tap, so it was not followed")
                .hint("a tap holds all its files itself")),
            Err(error) => Err(Problem::of_file(&label, format!("this link leads nowhere: {error}"))),
        }
    }
}

/// Whether a text is the name of one file or folder and nothing else.
pub(super) fn is_file_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 128
        && !text.starts_with('.')
        && !text.contains(['/', '\\', ':'])
        && !text.chars().any(|letter| letter.is_control() || letter.is_whitespace())
}
