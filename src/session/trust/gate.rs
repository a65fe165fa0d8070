//! The check before each use: what runs now is what was accepted.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::scan::{Found, Known, Show, scan, scan_with};
use crate::mcp::local::Allowed;

/// Holds what was accepted for one project. Cheap to ask: unchanged files are not read again.
#[derive(Debug)]
pub struct Gate {
    workdir: PathBuf,
    state: Mutex<State>,
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
        Arc::new(Self { workdir, state: Mutex::default() })
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
    pub fn check(&self) -> Result<(), String> {
        let mut state = self.lock();
        let Some(found) = scan_with(&self.workdir, &mut state.known, Show::Nothing) else { return Ok(()) };
        if state.accepted.as_ref() == Some(&found.content_hash) {
            return Ok(());
        }
        Err(match &state.denied {
            Some((hash, why)) if *hash == found.content_hash => why.clone(),
            _ if state.accepted.is_some() => {
                "The scripts under .agents changed since they were accepted, so they wait for a new answer.".into()
            }
            _ => "The scripts under .agents were not accepted yet, so none of them runs.".into(),
        })
    }

    /// What somebody should be asked about now: neither accepted nor denied.
    pub fn unanswered(&self) -> Option<Found> {
        let found = scan(&self.workdir)?;
        let state = self.lock();
        let answered = state.accepted.as_ref() == Some(&found.content_hash)
            || state.denied.as_ref().is_some_and(|(hash, _)| *hash == found.content_hash);
        (!answered).then_some(found)
    }

    /// For [`crate::mcp::local::opener`].
    pub fn allowed(self: &Arc<Self>) -> Allowed {
        let gate = Arc::clone(self);
        Arc::new(move || gate.check())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
