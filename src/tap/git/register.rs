//! The one place that changes what is global in libgit2.

use std::cell::RefCell;
use std::sync::OnceLock;

use git2::transport::{self, Transport};
use git2::{ConfigLevel, Error, Remote};

use super::http::Requests;
use super::operation::Operation;

thread_local! {
    /// The transfer of this thread: the library makes transports with no word about what for.
    static CURRENT: RefCell<Option<Operation>> = const { RefCell::new(None) };
}

/// Runs a transfer with its transports bound to this operation.
pub(super) fn with<Value>(operation: &Operation, run: impl FnOnce() -> Value) -> Value {
    CURRENT.with(|current| current.replace(Some(operation.clone())));
    let value = run();
    CURRENT.with(|current| current.replace(None));
    value
}

/// Sends http and https through our client, and keeps the person's and the system's git settings out:
/// they could name helpers, other addresses and proxies of their own. Must be called before anything
/// else of git2.
pub(super) fn prepare() -> Result<(), Error> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    let done = DONE.get_or_init(|| set_up().map_err(|error| error.message().to_owned()));
    done.clone().map_err(|reason| Error::from_str(&reason))
}

#[allow(unsafe_code, reason = "the library's global settings have no safe interface")]
fn set_up() -> Result<(), Error> {
    let levels = [ConfigLevel::System, ConfigLevel::Global, ConfigLevel::XDG, ConfigLevel::ProgramData];
    // SAFETY: these calls change global state of libgit2 without a lock, so nothing else may use the
    // library meanwhile. Only this folder uses it, each of its entries calls `prepare` first, and the
    // `OnceLock` lets one thread through while the others wait until it is done.
    unsafe {
        for level in levels {
            git2::opts::set_search_path(level, "")?;
        }
        // A team's repository on a shared disk belongs to someone else. That matters to programs that
        // run what a repository's settings name; nothing here does.
        git2::opts::set_verify_owner_validation(false)?;
        transport::register("http", make)?;
        transport::register("https", make)?;
    }
    Ok(())
}

fn make(remote: &Remote<'_>) -> Result<Transport, Error> {
    let operation = CURRENT.with(|current| current.borrow().clone());
    let operation = operation.ok_or_else(|| Error::from_str("this thread transfers nothing"))?;
    let requests = Requests::new(&operation).map_err(|fault| {
        let text = Error::from_str(&fault.to_string());
        operation.fail(fault);
        text
    })?;
    Transport::smart(remote, true, requests)
}
