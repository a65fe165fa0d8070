//! Looking whether what a plan assumes is so. Blocking; reads only, and runs nothing.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::proto::AssumptionState;
use crate::supervisor::plan::Watched;

/// More of a file that names a branch is not read, bytes.
const HEAD_MAX: u64 = 4096;

/// How an assumption stands; commands are never run for it.
pub fn observe(workdir: &Path, watched: &Watched) -> AssumptionState {
    let told = match watched {
        Watched::FileExists(path) => exists(workdir, path),
        Watched::FileMissing(path) => exists(workdir, path).map(|there| !there),
        Watched::BranchIs(name) => branch(workdir).map(|branch| branch.as_deref() == Some(name.as_str())),
        Watched::CommandOk(_) => Err("only the session's own calls tell it".to_owned()),
        Watched::Unknown(why) => Err(why.clone()),
    };
    match told {
        Ok(true) => AssumptionState::Holds,
        Ok(false) => AssumptionState::Broken,
        Err(why) => AssumptionState::Unknown { why },
    }
}

/// Whether something is at this path of the working directory.
///
/// # Errors
/// Why that cannot be told, one clause.
fn exists(workdir: &Path, path: &str) -> Result<bool, String> {
    let inside = confined(path)?;
    let root = fs::canonicalize(workdir).map_err(|error| format!("the working directory cannot be read: {error}"))?;
    let whole = root.join(inside);
    match fs::canonicalize(&whole) {
        Ok(real) if real.starts_with(&root) => Ok(true),
        Ok(_) => Err(leads_out(path)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            // What lies behind a link that leads out is not ours to look at.
            if nearest_there(&whole).starts_with(&root) { Ok(false) } else { Err(leads_out(path)) }
        }
        Err(error) => Err(format!("{path} cannot be looked at: {error}")),
    }
}

/// The branch that is checked out; `None` when a commit is.
///
/// # Errors
/// Why that cannot be told, one clause.
fn branch(workdir: &Path) -> Result<Option<String>, String> {
    let none = || "the working directory is in no git repository".to_owned();
    let git = workdir.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists()).ok_or_else(none)?;
    let folder = if git.is_file() { linked(&git)? } else { git };
    let head = read_short(&folder.join("HEAD"))?;
    Ok(head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned))
}

/// Where the `.git` file of a worktree points.
fn linked(git: &Path) -> Result<PathBuf, String> {
    let text = read_short(git)?;
    let folder =
        text.trim().strip_prefix("gitdir: ").ok_or_else(|| format!("{} cannot be understood", git.display()))?;
    Ok(git.parent().unwrap_or(git).join(folder))
}

fn read_short(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}", path.display());
    let metadata = fs::metadata(path).map_err(failed)?;
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() || metadata.len() > HEAD_MAX {
        return Err(format!("{} cannot be understood", path.display()));
    }
    fs::read_to_string(path).map_err(failed)
}

/// A path that cannot lead out by how it is written.
fn confined(path: &str) -> Result<&Path, String> {
    let inside = Path::new(path);
    let within = inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if within && !path.trim().is_empty() { Ok(inside) } else { Err(leads_out(path)) }
}

fn leads_out(path: &str) -> String {
    format!("{path} is not in the working directory")
}

/// The folder nearest to a path that is there, without links.
fn nearest_there(path: &Path) -> PathBuf {
    path.ancestors().skip(1).find_map(|folder| fs::canonicalize(folder).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
