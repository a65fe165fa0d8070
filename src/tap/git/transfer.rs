//! One transfer from the first request to the last file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use git2::{
    AutotagOption, Commit, Direction, ErrorCode, FetchOptions, Oid, RemoteCallbacks, Repository, RepositoryInitOptions,
};

use super::bounds::{Phase, Progress};
use super::fault::GitFault;
use super::operation::Operation;
use super::{Address, Fetched, register, tree};
use crate::config::make_private_folder;
use crate::text::human;

/// At most this often is progress told.
const BEAT: Duration = Duration::from_millis(100);

/// What is fetched and where to.
pub(super) struct Job {
    pub address: Address,
    pub into: PathBuf,
    /// The commit that is there already.
    pub known: Option<String>,
}

pub(super) fn run(fetch: &Job, operation: &Operation, tell: &dyn Fn(Progress)) -> Result<Fetched, GitFault> {
    steps(fetch, operation, tell).map_err(|fault| with_disk(fault, &fetch.into, free(&fetch.into)))
}

/// With less than this free, a failure that the library has no words for is the disk's.
const LITTLE: u64 = 1 << 20;

fn free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    rustix::fs::statvfs(there).ok().map(|about| about.f_bavail.saturating_mul(about.f_frsize))
}

/// The library says of a full disk no more than that there is no error.
fn with_disk(fault: GitFault, folder: &Path, free: Option<u64>) -> GitFault {
    let GitFault::Git(said) = &fault else { return fault };
    let full = said.contains("No space left") || free.is_some_and(|free| free < LITTLE);
    match (full, free) {
        (true, free) => {
            let free = free.map_or_else(String::new, |free| format!("; {} are free", human::bytes(free)));
            GitFault::Disk { path: folder.display().to_string(), reason: format!("no space is left on its disk{free}") }
        }
        (false, _) if said.is_empty() || said == "no error" => {
            GitFault::Git(format!("it gave no reason while writing {}", folder.display()))
        }
        _ => fault,
    }
}

fn steps(fetch: &Job, operation: &Operation, tell: &dyn Fn(Progress)) -> Result<Fetched, GitFault> {
    register::prepare()?;
    let mut told = Told { tell, last: None };
    told.tell(Progress { phase: Phase::Connecting, done: 0, total: 0, bytes: 0 }, true);
    if let Address::File(path) = &fetch.address
        && !path.is_dir()
    {
        return Err(GitFault::Missing { address: fetch.address.to_string() });
    }
    let repository = init(fetch)?;
    let Some(branch) = register::with(operation, || receive(fetch, &repository, operation, &mut told))? else {
        return Ok(Fetched::Unchanged);
    };
    write(fetch, &repository, &branch, operation, &mut told)
}

/// Tells progress, but not too often.
pub(super) struct Told<'told> {
    tell: &'told dyn Fn(Progress),
    last: Option<Instant>,
}

impl Told<'_> {
    pub fn tell(&mut self, progress: Progress, whatever: bool) {
        if whatever || self.last.is_none_or(|last| last.elapsed() >= BEAT) {
            self.last = Some(Instant::now());
            (self.tell)(progress);
        }
    }
}

fn init(fetch: &Job) -> Result<Repository, GitFault> {
    let mut options = RepositoryInitOptions::new();
    options.external_template(false).no_reinit(true).mkpath(true);
    make_private_folder(&fetch.into).map_err(|error| GitFault::disk(&fetch.into, &error))?;
    let repository = Repository::init_opts(&fetch.into, &options).map_err(|error| GitFault::Disk {
        path: fetch.into.display().to_string(),
        reason: error.message().to_owned(),
    })?;
    // Only a text about hooks is in it; a folder for them invites some.
    let _ = std::fs::remove_dir_all(repository.path().join("hooks"));
    Ok(repository)
}

/// What the default branch is called where it was fetched from, if that was told, and the reference
/// that it was fetched into.
struct Branch {
    name: Option<String>,
    into: String,
}

/// `None` when the known commit is the newest.
fn receive(
    fetch: &Job,
    repository: &Repository,
    operation: &Operation,
    told: &mut Told<'_>,
) -> Result<Option<Branch>, GitFault> {
    let url = fetch.address.as_git()?;
    let mut remote = repository.remote("origin", &url)?;
    let reason = |error: git2::Error| mean(operation.reason(error), &fetch.address);
    let mut connection = remote.connect_auth(Direction::Fetch, None, None).map_err(reason)?;
    let newest = connection.list().map_err(reason)?.iter().find(|head| head.name() == "HEAD").map(|head| head.oid());
    let newest = newest.ok_or_else(|| GitFault::Empty { address: fetch.address.to_string() })?;
    if fetch.known.as_deref().is_some_and(|known| Oid::from_str(known).is_ok_and(|known| known == newest)) {
        return Ok(None);
    }
    let name = connection.default_branch().ok().and_then(|name| name.as_str().ok().map(str::to_owned));
    let name = name.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned));
    let (from, into) = match &name {
        Some(name) => (format!("refs/heads/{name}"), format!("refs/remotes/origin/{name}")),
        None => ("HEAD".to_owned(), "refs/remotes/origin/HEAD".to_owned()),
    };
    let refspec = format!("+{from}:{into}");
    let shallow = matches!(&fetch.address, Address::Http(_));
    let mut fetched = download(connection.remote(), &refspec, shallow, operation, told);
    if shallow && fetched.as_ref().is_err_and(|error| error.message().contains("shallow")) {
        // A server that cannot leave the history out.
        fetched = download(connection.remote(), &refspec, false, operation, told);
    }
    fetched.map_err(reason)?;
    Ok(Some(Branch { name, into }))
}

fn download(
    remote: &mut git2::Remote<'_>,
    refspec: &str,
    shallow: bool,
    operation: &Operation,
    told: &mut Told<'_>,
) -> Result<(), git2::Error> {
    let mut callbacks = RemoteCallbacks::new();
    callbacks.transfer_progress(|stats| {
        let (done, total) = (stats.received_objects() as u64, stats.total_objects() as u64);
        let bytes = stats.received_bytes() as u64;
        told.tell(Progress { phase: Phase::Receiving, done, total, bytes }, done == total);
        let may = operation.check().and_then(|()| operation.check_received(bytes));
        may.map_err(|fault| operation.fail(fault)).is_ok()
    });
    let mut options = FetchOptions::new();
    options.remote_callbacks(callbacks).download_tags(AutotagOption::None).update_fetchhead(false);
    if shallow {
        options.depth(1);
    }
    remote.fetch(&[refspec], Some(&mut options), None)
}

/// What the library's own words come to for a person.
fn mean(fault: GitFault, address: &Address) -> GitFault {
    match (fault, address) {
        (GitFault::Git(reason), Address::File(_)) if reason.contains("find repository") => {
            GitFault::NoRepository { address: address.to_string(), reason: "the folder was not made by git".to_owned() }
        }
        (fault, _) => fault,
    }
}

fn write(
    fetch: &Job,
    repository: &Repository,
    branch: &Branch,
    operation: &Operation,
    told: &mut Told<'_>,
) -> Result<Fetched, GitFault> {
    let commit = repository.find_reference(&branch.into)?.peel_to_commit()?;
    let tree = commit.tree()?;
    let submodules = tree::write(repository, &tree, &fetch.into, operation, told)?;
    settle(repository, branch, &commit)?;
    let mut index = repository.index()?;
    index.read_tree(&tree)?;
    index.write()?;
    Ok(Fetched::New { commit: commit.id().to_string(), submodules })
}

/// Makes it a clone like any other, for whoever looks at it with git.
fn settle(repository: &Repository, branch: &Branch, commit: &Commit<'_>) -> Result<(), GitFault> {
    let name = branch.name.as_deref().unwrap_or("main");
    let own = format!("refs/heads/{name}");
    match repository.reference(&own, commit.id(), true, "fetched") {
        Ok(_) => {}
        // An odd name of a branch is no reason to do without its files.
        Err(error) if error.code() == ErrorCode::InvalidSpec => return Ok(repository.set_head_detached(commit.id())?),
        Err(error) => return Err(error.into()),
    }
    repository.set_head(&own)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let place = Path::new("/data/taps");
        let said = |said: &str, free| with_disk(GitFault::Git(said.to_owned()), place, free).to_string();
        let full = "/data/taps cannot be written: no space is left on its disk; ";
        assert_eq!(said("no error", Some(0)), format!("{full}0 B are free"));
        assert!(said("could not write: No space left on device", Some(5 << 20)).starts_with(full));
        assert_eq!(said("no error", Some(1 << 30)), "git failed: it gave no reason while writing /data/taps");
        assert_eq!(said("corrupt loose object", Some(1 << 30)), "git failed: corrupt loose object");
        assert_eq!(with_disk(GitFault::Stopped, place, Some(0)), GitFault::Stopped);
    }
}
