//! Fetching a repository: address in, a folder with its files out.
//!
//! Owns: addresses ([`Address`]), the transfer over http(s) and from files, its bounds, and writing a
//! commit's files so that none can lie outside. Does not own: where a tap goes, which taps there are,
//! when they are fetched.
//!
//! Invariant: nothing that was fetched is run or asks anything. There are no hooks, filters,
//! submodules, credential helpers or prompts, the person's and the system's git settings are not
//! read, and a tree with a path that leads out is refused whole.
//!
//! Everything here blocks its thread, a fetch never for longer than its bounds say. The transfer runs on
//! a thread of its own, so that it may be called from wherever blocking is allowed.

mod address;
mod bounds;
mod fault;

pub use address::Address;
pub use bounds::{Bounds, Phase, Progress, Work};
pub use fault::GitFault;

mod changes;
mod http;
mod operation;
mod register;
mod transfer;
mod tree;
mod watch;

use std::path::Path;

pub use changes::{Changes, changes, head};

use operation::Operation;
use transfer::Job;

/// One fetch.
#[derive(Debug, Clone, Copy)]
pub struct Fetch<'fetch> {
    pub address: &'fetch Address,
    /// For the progress.
    pub name: &'fetch str,
    /// The folder that is made. It must not be there; what is in it after a failure is of no use.
    pub into: &'fetch Path,
    /// The commit that is there already; if the address has no other, nothing is fetched.
    pub known: Option<&'fetch str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// The address holds the known commit.
    Unchanged,
    New {
        commit: String,
        /// Folders that are other repositories; they are left empty.
        submodules: Vec<String>,
    },
}

/// Fetches the newest commit of the default branch and writes its files.
///
/// # Errors
/// See [`GitFault`].
pub fn fetch(fetch: Fetch<'_>, work: Work<'_>) -> Result<Fetched, GitFault> {
    let operation = Operation::new(fetch.address.host(), work.bounds, work.stop.child_token());
    let (address, known) = (fetch.address.clone(), fetch.known.map(str::to_owned));
    let job = Job { address, into: fetch.into.to_owned(), known };
    watch::run(job, &operation, &|progress| (work.progress)(fetch.name, progress))
}

/// Makes a folder a repository, with nothing committed.
///
/// # Errors
/// When it cannot be written.
pub fn start(folder: &Path) -> Result<(), GitFault> {
    register::prepare()?;
    let mut options = git2::RepositoryInitOptions::new();
    options.external_template(false).initial_head("main");
    git2::Repository::init_opts(folder, &options)?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
