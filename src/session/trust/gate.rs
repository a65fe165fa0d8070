//! The check before each use: what runs now is what was accepted.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::copy::Copied;
use super::scan::{Known, Show, scan_with};
use crate::mcp::local::Allowed;
use crate::mcp::{Moved, Unlisted};

/// The first look at a project takes no longer; what is listed before it would be listed as refused.
const FIRST_LOOK: Duration = Duration::from_secs(20);

/// Holds what was accepted for one project. Cheap to ask: unchanged files are not read again.
#[derive(Debug)]
pub struct Gate {
    workdir: PathBuf,
    /// Where copies lie.
    place: PathBuf,
    state: Mutex<State>,
    looked: Mutex<bool>,
    look_over: Condvar,
}

#[derive(Debug, Default)]
struct State {
    accepted: Option<String>,
    /// Why the answer was no, if it was.
    denied: Option<(String, String)>,
    known: Known,
    /// What runs. Older ones may still be in use.
    copies: Vec<Copied>,
}

impl Gate {
    /// What was accepted runs from a copy below `place`.
    pub fn new(workdir: PathBuf, place: PathBuf) -> Arc<Self> {
        Arc::new(Self { workdir, place, state: Mutex::default(), looked: Mutex::default(), look_over: Condvar::new() })
    }

    /// The project was looked at, so that whoever waits for a decision has it, or knows of none.
    pub fn looked(&self) {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.look_over.notify_all();
    }

    fn wait_for_look(&self) {
        let looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        // Past the time the answer is as good as it gets.
        drop(self.look_over.wait_timeout_while(looked, FIRST_LOOK, |looked| !*looked));
    }

    /// This content may run.
    pub fn accept(&self, content_hash: &str) {
        self.lock().accepted = Some(content_hash.to_owned());
    }

    /// This content may not, and why: one sentence.
    pub fn deny(&self, content_hash: &str, why: &str) {
        let mut state = self.lock();
        state.denied = Some((content_hash.to_owned(), why.to_owned()));
        if state.accepted.as_deref() == Some(content_hash) {
            state.accepted = None;
        }
    }

    /// Whether what is there now was accepted, and where it runs from. Reads the disk; not for an async
    /// thread.
    pub fn check(&self) -> Result<Moved, Unlisted> {
        let mut state = self.lock();
        let Some(found) = scan_with(&self.workdir, &mut state.known, Show::Nothing) else {
            return Ok(Moved::default());
        };
        if state.accepted.as_ref() == Some(&found.content_hash) {
            // More than a hash covers runs where it is: the person said so with --trust.
            return match found.uncovered {
                Some(_) => Ok(Moved::default()),
                None => state.copy(&self.workdir, &self.place, &found.content_hash),
            };
        }
        Err(match &state.denied {
            Some((hash, why)) if *hash == found.content_hash => Unlisted::Failed(why.clone()),
            _ if state.accepted.is_some() => changed(),
            _ => Unlisted::Waits("The scripts under .agents wait for an answer; none of them runs before.".into()),
        })
    }

    /// The hash of what is there now. Reads the disk; not for an async thread.
    pub fn content_hash(&self) -> Option<String> {
        scan_with(&self.workdir, &mut self.lock().known, Show::Nothing).map(|found| found.content_hash)
    }

    /// For [`crate::mcp::local::opener`]. Waits for the first look, so that it does not matter which is faster.
    pub fn allowed(self: &Arc<Self>) -> Allowed {
        let gate = Arc::clone(self);
        Arc::new(move || {
            gate.wait_for_look();
            gate.check()
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Where the accepted content runs from; it is copied when that was not done yet.
    fn copy(&mut self, workdir: &Path, place: &Path, content_hash: &str) -> Result<Moved, Unlisted> {
        self.copies.retain(Copied::is_there);
        if let Some(known) = self.copies.iter().find(|copied| copied.content_hash() == content_hash) {
            return Ok(known.moved().clone());
        }
        let copied = Copied::make(workdir, place).map_err(|error| {
            Unlisted::Failed(format!(
                "The scripts under .agents run from a copy, which cannot be made ({error}). Make room there, or make \
                 it writable."
            ))
        })?;
        // Somebody changed the files just now.
        if copied.content_hash() != content_hash {
            return Err(changed());
        }
        let moved = copied.moved().clone();
        self.copies.push(copied);
        Ok(moved)
    }
}

fn changed() -> Unlisted {
    Unlisted::Waits("The scripts under .agents changed since they were accepted, so they wait for a new answer.".into())
}
