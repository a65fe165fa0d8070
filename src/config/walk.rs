//! Walking the folders of a project as its ignore files want it.
//!
//! The files come from whoever wrote the project: one that is a pipe, a device or far too large is
//! taken as if it were not there, for reading it could last for ever.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use ignore::{DirEntry, Match, WalkBuilder};

/// An ignore file larger than this many bytes is not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// Everything below `root` that no ignore file of its folders or of those above it names. Hidden files
/// are there, `.git` is not, links are not followed; ignore files count with and without git.
pub fn walk(root: &Path) -> WalkBuilder {
    let ignored = Ignored::new();
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false);
    builder.filter_entry(move |entry| entry.depth() == 0 || (entry.file_name() != ".git" && !ignored.names(entry)));
    builder
}

/// Whether the file is in a git repository whose next commit of everything would have it too.
pub fn goes_with_commits(file: &Path) -> bool {
    let Ok(file) = std::path::absolute(file) else { return false };
    let ignored = Ignored::new();
    let nearest = file.parent().and_then(|folder| ignored.folder(folder));
    let of_any = || std::iter::successors(nearest.as_deref(), |folder| folder.above.as_deref());
    // What is in a folder that is ignored is ignored with it.
    of_any().any(|folder| folder.repository)
        && !file.ancestors().any(|path| ignored.git_names(path, path != file) == Some(true))
}

/// The ignore files that were read so far.
struct Ignored {
    folders: Mutex<HashMap<PathBuf, Option<Arc<Folder>>>>,
    /// The person's own, for every project.
    person: Option<Gitignore>,
}

/// A folder that says something about what is below it.
struct Folder {
    ignore: Option<Gitignore>,
    git: Option<Gitignore>,
    /// `.git/info/exclude`.
    exclude: Option<Gitignore>,
    /// What git ignores above a repository does not count in it.
    repository: bool,
    /// The next one above.
    above: Option<Arc<Folder>>,
}

impl Ignored {
    fn new() -> Self {
        let person = gitconfig_excludes_path().and_then(|file| rules(Path::new(""), &file));
        Self { folders: Mutex::default(), person }
    }

    fn names(&self, entry: &DirEntry) -> bool {
        // Against where it is in the file system, for the folders above the root count too.
        let Ok(path) = std::path::absolute(entry.path()) else { return false };
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let nearest = path.parent().and_then(|folder| self.folder(folder));
        let of_any = std::iter::successors(nearest.as_deref(), |folder| folder.above.as_deref());
        let ignore = first(of_any.filter_map(|folder| folder.ignore.as_ref()), &path, is_folder);
        ignore.or_else(|| self.git_names(&path, is_folder)).unwrap_or(false)
    }

    /// What the ignore files of git alone say.
    fn git_names(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let nearest = path.parent().and_then(|folder| self.folder(folder));
        let of_any = std::iter::successors(nearest.as_deref(), |folder| folder.above.as_deref());
        let mut outside = false;
        let of_repository = of_any.take_while(move |folder| !std::mem::replace(&mut outside, folder.repository));
        let (git, exclude): (Vec<_>, Vec<_>) =
            of_repository.map(|folder| (folder.git.as_ref(), folder.exclude.as_ref())).unzip();
        first(git.into_iter().chain(exclude).chain([self.person.as_ref()]).flatten(), path, is_folder)
    }

    fn folder(&self, path: &Path) -> Option<Arc<Folder>> {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        at(&mut folders, path)
    }
}

/// The first that says something has the word.
fn first<'rules>(rules: impl Iterator<Item = &'rules Gitignore>, path: &Path, is_folder: bool) -> Option<bool> {
    let mut said = rules.map(|rules| rules.matched(path, is_folder));
    said.find_map(|said| match said {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    })
}

/// The nearest folder, from this one up, that says something.
fn at(known: &mut HashMap<PathBuf, Option<Arc<Folder>>>, path: &Path) -> Option<Arc<Folder>> {
    if let Some(folder) = known.get(path) {
        return folder.clone();
    }
    let above = path.parent().and_then(|parent| at(known, parent));
    let folder = Folder {
        ignore: rules(path, &path.join(".ignore")),
        git: rules(path, &path.join(".gitignore")),
        exclude: rules(path, &path.join(".git/info/exclude")),
        repository: std::fs::symlink_metadata(path.join(".git")).is_ok(),
        above: above.clone(),
    };
    let silent = folder.ignore.is_none() && folder.git.is_none() && folder.exclude.is_none() && !folder.repository;
    let folder = if silent { above } else { Some(Arc::new(folder)) };
    known.insert(path.to_owned(), folder.clone());
    folder
}

/// What the file says about the folder; nothing when it is no ordinary file of sane size.
fn rules(folder: &Path, file: &Path) -> Option<Gitignore> {
    let text = read(file)?;
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // A line that is no pattern ignores nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

fn read(file: &Path) -> Option<String> {
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    // Should it have become a pipe since, opening it does not wait.
    let file =
        OpenOptions::new().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(file).ok()?;
    let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    if metadata.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
