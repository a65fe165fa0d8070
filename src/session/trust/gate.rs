//! The check before each use: what runs now is what was accepted.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::scan::{Known, Show, scan_with};
use crate::mcp::Unlisted;
use crate::mcp::local::Allowed;

/// The first look at a project takes no longer; what is listed before it would be listed as refused.
const FIRST_LOOK: Duration = Duration::from_secs(20);

/// Holds what was accepted for one project. Cheap to ask: unchanged files are not read again.
#[derive(Debug)]
pub struct Gate {
    workdir: PathBuf,
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
}

impl Gate {
    pub fn new(workdir: PathBuf) -> Arc<Self> {
        Arc::new(Self { workdir, state: Mutex::default(), looked: Mutex::default(), look_over: Condvar::new() })
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

    /// Whether what is there now was accepted. Reads the disk; not for an async thread.
    pub fn check(&self) -> Result<(), Unlisted> {
        let mut state = self.lock();
        let Some(found) = scan_with(&self.workdir, &mut state.known, Show::Nothing) else { return Ok(()) };
        if state.accepted.as_ref() == Some(&found.content_hash) {
            return Ok(());
        }
        Err(match &state.denied {
            Some((hash, why)) if *hash == found.content_hash => Unlisted::Failed(why.clone()),
            _ if state.accepted.is_some() => Unlisted::Waits(
                "The scripts under .agents changed since they were accepted, so they wait for a new answer.".into(),
            ),
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
