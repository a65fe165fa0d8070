//! What the files of a session's folder held, so that what the tools changed can be taken back.
//!
//! Owns: how long they are kept, looking at the folder, keeping contents in a bare repository of our own, telling what a round of
//! calls changed, restoring.
//!
//! Does not own: when any of it is done, and what is recorded of it (the session's task and its journal).
//!
//! Invariant: nothing outside the folder is written, no link is followed, and the person's own repository
//! is neither read nor written. A file that does not stand as the session left it is not touched unless
//! the person asked for it. In doubt a change is not ours.

pub(crate) mod bound;
mod keep;
mod restore;
mod scan;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use crate::proto::FileChange;
use keep::Keep;
pub use restore::{Outcome, Wish};
use scan::{Scan, Seen, scan};

/// What the last look saw still holds so long.
const FRESH: Duration = Duration::from_secs(2);

/// A batch of calls waits so long for the look before it.
const PATIENCE: Duration = Duration::from_secs(10);

/// File systems stamp changes by a clock that lags behind, by less than this.
const LAG: Duration = Duration::from_millis(30);

/// Checkpoints of one folder, made by one session.
#[derive(Debug)]
pub struct Checkpoints {
    root: PathBuf,
    /// The folder of our repository, and the name under which this session keeps things in it.
    store: PathBuf,
    session: String,
    /// What we write ourselves.
    ours: Vec<PathBuf>,
    last: Mutex<Option<Look>>,
    stop: AtomicBool,
}

#[derive(Debug)]
struct Look {
    at: Instant,
    scan: Scan,
}

/// When a batch of calls ran, and which files it names if it can have changed no others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub begun: SystemTime,
    pub ended: SystemTime,
    pub only: Option<Vec<PathBuf>>,
}

/// Who may have changed files since the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// Nobody for long: a look that is fresh will do.
    ModelSpoke,
    /// The person, who was waited for.
    PersonAnswered,
}

impl Checkpoints {
    /// `ours` is left out wherever it lies.
    pub fn new(root: &Path, store: PathBuf, session: &str, ours: Vec<PathBuf>) -> Self {
        // A folder that cannot be resolved cannot be looked at either, which each look says.
        let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let session = session.to_owned();
        Self { root, store, session, ours, last: Mutex::default(), stop: AtomicBool::new(false) }
    }

    /// Takes checkpoints of other folders away that are too old or too many. Blocking.
    pub fn clean(&self, now: SystemTime) {
        for gone in self.store.parent().map(|data| bound::clean(data, &self.store, now)).unwrap_or_default() {
            tracing::info!("checkpoints in {} were not used for long and are gone", gone.place.display());
        }
    }

    /// Looks that run end early: the program leaves.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How the folder looks before calls that may change it. What cannot be looked at, or not in time, is
    /// told by [`Self::changed`].
    pub async fn before(self: &Arc<Self>, since: Since) {
        let checkpoints = Arc::clone(self);
        let fresh = if since == Since::ModelSpoke { Some(FRESH) } else { None };
        let looked = tokio::task::spawn_blocking(move || checkpoints.look(fresh));
        drop(tokio::time::timeout(PATIENCE, looked).await);
    }

    /// What was seen last, unless it is older than this. Blocking.
    ///
    /// # Errors
    /// Why the folder is not covered, in one clause.
    pub fn look(&self, fresh: Option<Duration>) -> Result<(), String> {
        let mut last = self.lock();
        if let (Some(look), Some(fresh)) = (&*last, fresh)
            && look.at.elapsed() < fresh
        {
            return Ok(());
        }
        let known = last.take().map(|look| look.scan).unwrap_or_default();
        *last = Some(Look { at: Instant::now(), scan: self.scan(known)? });
        Ok(())
    }

    /// What the calls of a batch changed since [`Self::before`]. Blocking.
    ///
    /// # Errors
    /// Why that is not known, in one clause.
    pub fn changed(&self, window: &Window) -> Result<Vec<FileChange>, String> {
        let mut last = self.lock();
        let Some(Look { scan: before, .. }) = last.take() else {
            return Err("it was not looked at before".to_owned());
        };
        let after = self.scan(before.clone())?;
        let changes = changes(&before.files, &after.files, |path, seen| self.within(window, path, seen));
        *last = Some(Look { at: Instant::now(), scan: after });
        drop(last);
        if !changes.is_empty() {
            let kept = Keep::open(&self.store).and_then(|keep| keep.hold(&self.session, &changes));
            // The contents are there all the same; only a clean-up by hand would take them.
            kept.unwrap_or_else(|error| tracing::warn!("checkpoints are not held together: {error}"));
        }
        Ok(changes)
    }

    /// Files that are not covered, and why. Of the last look.
    pub fn uncovered(&self) -> Vec<String> {
        self.lock().as_ref().map(|look| look.scan.uncovered.clone()).unwrap_or_default()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Look>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn scan(&self, known: Scan) -> Result<Scan, String> {
        let keep =
            Keep::open(&self.store).map_err(|error| format!("{} cannot be used ({error})", self.store.display()))?;
        scan(&self.root, &self.ours, known, &keep, &self.stop)
    }

    /// Whether a path that looks different now became so while the calls ran.
    fn within(&self, window: &Window, path: &str, now: Option<&Seen>) -> bool {
        if let Some(only) = &window.only
            && !only.iter().any(|named| named.starts_with(self.root.join(path)))
        {
            return false;
        }
        let begun = window.begun.checked_sub(LAG).unwrap_or(window.begun);
        match now {
            Some(seen) => seen.changed() >= begun && seen.changed() <= window.ended,
            None => self.lost_since(path, begun),
        }
    }

    /// Nothing tells when a file went but the folder it went from.
    fn lost_since(&self, path: &str, begun: SystemTime) -> bool {
        let whole = self.root.join(path);
        let folder = whole.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
        let there = folder.filter_map(|folder| folder.symlink_metadata().ok()).next();
        there.and_then(|meta| meta.modified().ok()).is_some_and(|at| at >= begun)
    }
}

/// What differs between two looks and counts.
fn changes(
    before: &BTreeMap<String, Seen>,
    after: &BTreeMap<String, Seen>,
    counts: impl Fn(&str, Option<&Seen>) -> bool,
) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    for path in paths {
        let (was, is) = (before.get(path), after.get(path));
        let (was_state, is_state) = (was.map(|seen| &seen.state), is.map(|seen| &seen.state));
        // What was too large to be kept says nothing.
        if was_state == is_state || was.is_some_and(|seen| !seen.kept) || is.is_some_and(|seen| !seen.kept) {
            continue;
        }
        if counts(path, is) {
            let (before, after) = (was_state.cloned(), is_state.cloned());
            changes.push(FileChange { path: path.clone(), before, after });
        }
    }
    changes
}

/// Where the checkpoints of a folder are kept, below the folder of all checkpoints.
pub fn place(data: &Path, root: &Path) -> PathBuf {
    use sha2::{Digest, Sha256};
    let root = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    data.join(name)
}

#[cfg(test)]
mod tests;
