//! Whether a clone holds work of the person's, which replacing it would lose.

use std::ffi::OsStr;
use std::path::Path;

use git2::{ErrorCode, ObjectType, Oid, Repository, RepositoryOpenFlags, Status, StatusOptions, Tree, TreeWalkMode};

use super::fault::GitFault;
use super::{Address, register};
use crate::text;

/// What is in a clone besides what was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    None,
    /// In words: `agents/x.toml` and 3 more files.
    Some(String),
    /// The folder was not made by git.
    NoClone,
}

/// # Errors
/// When the clone is damaged.
pub fn changes(place: &Path, folders: &[&str]) -> Result<Changes, GitFault> {
    register::prepare()?;
    let repository = match open(place) {
        Ok(repository) => repository,
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(Changes::NoClone),
        Err(error) => return Err(error.into()),
    };
    let Ok(commit) = repository.head().and_then(|head| head.peel_to_commit()) else {
        return Ok(Changes::NoClone);
    };
    if !was_fetched(&repository, commit.id())? {
        return Ok(Changes::Some("commits that were made here".to_owned()));
    }
    let mut paths = changed(&repository, place, &commit.tree()?)?;
    paths.extend(added(&repository, folders)?);
    Ok(match paths.as_slice() {
        [] => Changes::None,
        [one] => Changes::Some(one.clone()),
        [first, rest @ ..] => Changes::Some(format!("{first} and {} more", rest.len())),
    })
}

/// The commit that a clone of this address is at.
pub fn head(place: &Path, address: &Address) -> Option<String> {
    register::prepare().ok()?;
    let repository = open(place).ok()?;
    let origin = repository.find_remote("origin").ok()?.url().ok()?.to_owned();
    let same = |text: &str| text.trim_end_matches('/').trim_end_matches(".git").to_owned();
    if same(&origin) != same(&address.as_git().ok()?) {
        return None;
    }
    let commit = repository.head().ok()?.peel_to_commit().ok()?;
    Some(commit.id().to_string())
}

/// Never looks for a repository in the folders above.
fn open(place: &Path) -> Result<Repository, git2::Error> {
    Repository::open_ext(place, RepositoryOpenFlags::NO_SEARCH, &[] as &[&OsStr])
}

/// Whether the commit is part of what some branch was at the other end.
fn was_fetched(repository: &Repository, commit: Oid) -> Result<bool, GitFault> {
    for reference in repository.references_glob("refs/remotes/*")? {
        let Some(tip) = reference?.peel_to_commit().ok().map(|tip| tip.id()) else { continue };
        // A shallow clone has no history to look in.
        if tip == commit || repository.graph_descendant_of(tip, commit).unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Files that differ from the commit. One that only differs as git translates line ends is the same.
fn changed(repository: &Repository, place: &Path, tree: &Tree<'_>) -> Result<Vec<String>, GitFault> {
    let mut paths = Vec::new();
    tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
        if entry.kind() != Some(ObjectType::Blob) {
            return 0;
        }
        let Ok(name) = entry.name() else { return 0 };
        let path = format!("{folder}{name}");
        if on_disk(&place.join(&path)) != Some(entry.id()) {
            let status = repository.status_file(Path::new(&path));
            if status != Ok(Status::CURRENT) {
                paths.push(text::sanitize_line(&path).into_owned());
            }
        }
        0
    })?;
    Ok(paths)
}

fn on_disk(path: &Path) -> Option<Oid> {
    let metadata = path.symlink_metadata().ok()?;
    if metadata.is_symlink() {
        let target = std::fs::read_link(path).ok()?;
        return Oid::hash_object(ObjectType::Blob, target.as_os_str().as_encoded_bytes()).ok();
    }
    Oid::hash_file(ObjectType::Blob, path).ok()
}

/// New files where a tap keeps its own. Elsewhere systems and editors leave things behind.
fn added(repository: &Repository, folders: &[&str]) -> Result<Vec<String>, GitFault> {
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).exclude_submodules(true);
    let statuses = repository.statuses(Some(&mut options))?;
    let new = statuses.iter().filter(|entry| entry.status().contains(Status::WT_NEW));
    let paths = new.filter_map(|entry| entry.path().ok().map(str::to_owned));
    let counts = |path: &String| {
        let hidden = path.split('/').any(|part| part.starts_with('.') || part == "__pycache__");
        !hidden && path.split('/').next().is_some_and(|first| folders.contains(&first))
    };
    Ok(paths.filter(counts).map(|path| text::sanitize_line(&path).into_owned()).collect())
}
