//! Which places may be written.
//!
//! Rules only ever add: what is allowed for a folder is allowed for all below it. So the hooks of a
//! repository inside the launch folder cannot be shut out here (see [`super::planted`]), while of a
//! repository outside of it only what a commit needs is opened.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Always there to be written to, whatever the rules.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Of the folder that the work trees of a repository share; neither `hooks` nor `config`.
const SHARED: [&str; 3] = ["objects", "refs", "logs"];

/// Places that may be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roots {
    /// With all below them.
    pub trees: Vec<PathBuf>,
    pub devices: Vec<PathBuf>,
    /// What was asked for and is not there, or cannot be given; one sentence each.
    pub notes: Vec<String>,
}

impl Roots {
    /// Whether the path, which need not be there, lies in one of them. Links are followed.
    pub fn hold(&self, path: &Path) -> bool {
        let real = resolved(path);
        self.trees.iter().chain(&self.devices).any(|root| real.starts_with(root))
    }
}

/// The nearest folder that is there, without links, and the rest as written.
fn resolved(path: &Path) -> PathBuf {
    if path.components().any(|part| part == Component::ParentDir) && path.canonicalize().is_err() {
        // What `..` means behind a folder that is not there is anybody's guess.
        return PathBuf::new();
    }
    for there in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (there.canonicalize(), path.strip_prefix(there)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_path_buf()
}

/// For children and for the tools within this process.
pub fn children(workdir: &Path, temp: &Path, extra: &[PathBuf]) -> Roots {
    let mut roots = Roots { devices: DEVICES.iter().map(PathBuf::from).collect(), ..Roots::default() };
    for asked in [workdir, temp].into_iter().chain(extra.iter().map(PathBuf::as_path)) {
        match asked.canonicalize() {
            Ok(real) if real.parent().is_none() => {
                roots.notes.push("the sandbox does not open / as a whole; name the folders below it".to_owned());
            }
            Ok(real) => roots.trees.push(real),
            Err(error) => {
                roots.notes.push(format!("{} is not opened by the sandbox: {error}", asked.display()));
            }
        }
    }
    match repository(workdir) {
        Repository::Linked { places } => roots.trees.extend(places),
        Repository::Outside { folder } => roots.notes.push(format!(
            "commits are not possible in this sandbox: the repository's own folder {} lies outside of {}; \
             start in the repository's top folder to make them",
            folder.display(),
            workdir.display()
        )),
        Repository::Inside | Repository::None => {}
    }
    roots
}

/// For this process, which keeps its journal, its settings and its caches.
pub fn process(children: &Roots, data: &Path, temp: &Path) -> Roots {
    let mut roots = children.clone();
    roots.trees.extend([data, temp].map(Path::to_path_buf));
    roots
}

#[derive(Debug, PartialEq, Eq)]
enum Repository {
    None,
    /// Writable with the launch folder.
    Inside,
    /// A linked work tree: what a commit from it writes elsewhere.
    Linked {
        places: Vec<PathBuf>,
    },
    Outside {
        folder: PathBuf,
    },
}

fn repository(workdir: &Path) -> Repository {
    let Some(top) = workdir.ancestors().find(|folder| folder.join(".git").exists()) else { return Repository::None };
    let marker = top.join(".git");
    if marker.is_dir() {
        return if top == workdir { Repository::Inside } else { Repository::Outside { folder: marker } };
    }
    let Some(admin) = named_in(&marker, "gitdir:").and_then(|path| top.join(path).canonicalize().ok()) else {
        return Repository::None;
    };
    if admin.starts_with(workdir) {
        return Repository::Inside;
    }
    match linked(&marker, &admin) {
        Some(places) => Repository::Linked { places },
        None => Repository::Outside { folder: admin },
    }
}

/// A project can write into its `.git` file what it likes, so nothing is opened that does not name
/// this work tree in turn and stand where git puts it.
fn linked(marker: &Path, admin: &Path) -> Option<Vec<PathBuf>> {
    let back = admin.join(fs::read_to_string(admin.join("gitdir")).ok()?.trim()).canonicalize().ok()?;
    let worktrees = admin.parent().filter(|folder| folder.ends_with("worktrees"))?;
    let shared = worktrees.parent()?;
    let said = admin.join(fs::read_to_string(admin.join("commondir")).ok()?.trim()).canonicalize().ok()?;
    if back != marker.canonicalize().ok()? || said != shared {
        return None;
    }
    let own = SHARED.iter().map(|name| shared.join(name));
    let real = |place: &PathBuf| place.canonicalize().is_ok_and(|real| real == *place && real.is_dir());
    Some(own.filter(real).chain([admin.to_path_buf()]).collect())
}

fn named_in(file: &Path, key: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned())
}

#[cfg(test)]
mod tests;
