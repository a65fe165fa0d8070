//! Writing the files of a commit. A tree is a list of names from someone else: everything is looked at
//! before anything is written, and one bad name refuses it whole.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use git2::{ObjectType, Odb, Oid, Repository, Tree};

use super::bounds::{Phase, Progress};
use super::fault::GitFault;
use super::operation::Operation;
use super::transfer::Told;
use crate::text;

const DEEPEST: usize = 32;
const LONGEST_TARGET: usize = 1024;
/// A folder of another repository.
const SUBMODULE: i32 = 0o160_000;
const LINK: i32 = 0o120_000;
const EXECUTABLE: i32 = 0o100;
/// Invisible too, though words of some languages need them.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// What is to be written, folders before what is in them.
#[derive(Debug, Default)]
struct Plan {
    folders: Vec<PathBuf>,
    files: Vec<(PathBuf, Oid, u32)>,
    /// Written last, so that nothing is ever written through one.
    links: Vec<(PathBuf, Vec<u8>)>,
    submodules: Vec<String>,
    bytes: u64,
}

/// Writes the tree into a folder. Returns the paths of other repositories, which are left out.
pub(super) fn write(
    repository: &Repository,
    tree: &Tree<'_>,
    into: &Path,
    operation: &Operation,
    told: &mut Told<'_>,
) -> Result<Vec<String>, GitFault> {
    let mut plan = Plan::default();
    let objects = repository.odb()?;
    plan.folder(repository, &objects, tree, Path::new(""), operation)?;
    let (total, mut done) = (plan.entries() as u64, 0);
    let mut step = || {
        done += 1;
        told.tell(Progress { phase: Phase::Writing, done, total, bytes: plan.bytes }, false);
        operation.check()
    };
    for folder in &plan.folders {
        let path = into.join(folder);
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(|error| failed(folder, &path, &error))?;
        step()?;
    }
    for (file, id, mode) in &plan.files {
        let path = into.join(file);
        let blob = repository.find_blob(*id)?;
        write_file(&path, blob.content(), *mode).map_err(|error| failed(file, &path, &error))?;
        step()?;
    }
    for (link, target) in &plan.links {
        let path = into.join(link);
        std::os::unix::fs::symlink(OsStr::from_bytes(target), &path).map_err(|error| failed(link, &path, &error))?;
        step()?;
    }
    told.tell(Progress { phase: Phase::Writing, done: total, total, bytes: plan.bytes }, true);
    Ok(plan.submodules)
}

fn write_file(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(content)
}

/// Nothing was there before, so what is there is another entry of the same tree.
fn failed(entry: &Path, path: &Path, error: &io::Error) -> GitFault {
    match error.kind() {
        io::ErrorKind::AlreadyExists => refused(entry, "is there twice, or differs from another name only by case"),
        _ => GitFault::disk(path, error),
    }
}

fn refused(path: &Path, reason: &'static str) -> GitFault {
    GitFault::Unsafe { path: text::sanitize_line(&path.to_string_lossy()).into_owned(), reason }
}

impl Plan {
    fn entries(&self) -> usize {
        self.folders.len() + self.files.len() + self.links.len() + self.submodules.len()
    }

    fn folder(
        &mut self,
        repository: &Repository,
        objects: &Odb<'_>,
        tree: &Tree<'_>,
        at: &Path,
        operation: &Operation,
    ) -> Result<(), GitFault> {
        operation.check()?;
        if at.components().count() > DEEPEST {
            return Err(refused(at, "is nested too deep"));
        }
        for entry in tree {
            let path = at.join(OsStr::from_bytes(entry.name_bytes()));
            check_name(entry.name_bytes()).map_err(|reason| refused(&path, reason))?;
            let mode = entry.filemode();
            match entry.kind() {
                Some(ObjectType::Tree) => {
                    self.folders.push(path.clone());
                    let inner = repository.find_tree(entry.id())?;
                    self.folder(repository, objects, &inner, &path, operation)?;
                }
                Some(ObjectType::Blob) if mode == LINK => self.link(repository, entry.id(), path)?,
                Some(ObjectType::Blob) => {
                    let (size, _) = objects.read_header(entry.id())?;
                    self.bytes = self.bytes.saturating_add(size as u64);
                    let mode = if mode & EXECUTABLE == 0 { 0o600 } else { 0o700 };
                    self.files.push((path, entry.id(), mode));
                }
                _ if mode == SUBMODULE => self.submodules.push(path.to_string_lossy().into_owned()),
                _ => return Err(refused(&path, "is nothing that a folder can hold")),
            }
            self.check_size(operation)?;
        }
        Ok(())
    }

    fn link(&mut self, repository: &Repository, id: Oid, path: PathBuf) -> Result<(), GitFault> {
        let target = repository.find_blob(id)?.content().to_vec();
        let depth = path.components().count() - 1;
        check_target(&target, depth).map_err(|reason| refused(&path, reason))?;
        self.links.push((path, target));
        Ok(())
    }

    fn check_size(&self, operation: &Operation) -> Result<(), GitFault> {
        let bounds = operation.bounds();
        if self.entries() > bounds.entries {
            return Err(GitFault::Many { limit: bounds.entries });
        }
        if self.bytes > bounds.written {
            return Err(GitFault::Large { limit: bounds.written });
        }
        Ok(())
    }
}

/// A name that means the same folder or file on every system, and no other.
pub(super) fn check_name(name: &[u8]) -> Result<(), &'static str> {
    let text = std::str::from_utf8(name).map_err(|_| "is not UTF-8")?;
    let drive = name.len() >= 2 && name[0].is_ascii_alphabetic() && name[1] == b':';
    if text.is_empty() || text == "." || text == ".." || text.contains(['/', '\\', '\0']) || drive {
        return Err("leads out of the repository");
    }
    if text.chars().any(char::is_control) {
        return Err("has control characters in its name");
    }
    if is_git_folder(text) {
        return Err("would be the repository's own folder");
    }
    Ok(())
}

/// `.git`, also as some file systems read it: whatever its case, with invisible characters in it, with
/// dots and spaces after it, or by its short name.
fn is_git_folder(name: &str) -> bool {
    let seen: String = name.chars().filter(|letter| !text::is_hidden(*letter) && !JOINERS.contains(letter)).collect();
    let seen = seen.trim_end_matches(['.', ' ']);
    let seen = seen.split(':').next().unwrap_or(seen);
    seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1")
}

/// A link may climb only at its beginning, and no higher than the repository's root. Its own folder is a
/// real one, so climbing ends at a real folder inside; every further step goes down, into a real folder
/// or through another link of which the same is true. So none can lead out.
pub(super) fn check_target(target: &[u8], depth: usize) -> Result<(), &'static str> {
    let text = std::str::from_utf8(target).map_err(|_| "is a link to a name that is not UTF-8")?;
    if text.is_empty() || text.len() > LONGEST_TARGET || text.contains(['\0', '\\']) {
        return Err("is a link that leads nowhere");
    }
    if text.starts_with('/') {
        return Err("is a link that leads out of the repository");
    }
    let mut climbed = 0;
    let mut down = false;
    for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." if down => return Err("is a link that climbs in the middle of its path"),
            ".." => climbed += 1,
            part => {
                down = true;
                check_name(part.as_bytes()).map_err(|_| "is a link to a name that is refused")?;
            }
        }
    }
    if climbed > depth { Err("is a link that leads out of the repository") } else { Ok(()) }
}
