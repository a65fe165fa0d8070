//! Bringing clones up to date, in the foreground or behind a session.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio_util::sync::CancellationToken;

use super::connect::{FOLDERS, holds_tap, may_replace};
use super::records::{self, Failure, Record};
use super::stage::{self, Stage};
use super::{Name, RegistryFault, Standing, Taps};
use crate::tap::TapKind;
use crate::tap::git::{self, Address, Bounds, Fetch, Fetched, GitFault, Progress, Work};

/// After a failure it is not tried again sooner than this, unless asked for.
const REST: Duration = Duration::from_secs(10 * 60);

/// So many taps are fetched at once.
const AT_ONCE: usize = 4;

/// What to refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// Every clone and the built-in tap.
    All,
    /// Those that were not looked at for this long, or never. Taps that failed a moment ago are left alone.
    Due(Duration),
    /// This one; a name in any spelling that connecting takes.
    One(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refreshed {
    pub name: String,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Its files are those of this commit now.
    Updated {
        commit: String,
    },
    Unchanged,
    /// It is what it was before.
    Failed(RegistryFault),
}

/// What a refresh behind a session tells.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    Progress { name: String, progress: Progress },
    Done(Refreshed),
}

/// A refresh behind a session; it ends when this is dropped.
#[derive(Debug)]
pub struct Background {
    stop: CancellationToken,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Background {
    /// Waits until it is through.
    pub fn finish(mut self) {
        if let Some(thread) = self.thread.take() {
            // A panic there was told on its own.
            let _ = thread.join();
        }
    }
}

impl Taps {
    /// Whether any tap should be refreshed. Reads the disk only.
    pub fn is_due(&self, older_than: Duration, now: SystemTime) -> bool {
        self.chosen(&Which::Due(older_than), now).is_ok_and(|chosen| !chosen.is_empty())
    }

    /// Refreshes and blocks until done. Taps that cannot be refreshed stay as they are. Linked folders
    /// and the starter tap need none and are left out.
    ///
    /// # Errors
    /// When the one that was asked for is not connected, or needs no refreshing.
    pub fn refresh(&self, which: &Which, work: Work<'_>) -> Result<Vec<Refreshed>, RegistryFault> {
        let now = SystemTime::now();
        let chosen = self.chosen(which, now)?;
        let mut all = Vec::new();
        for group in chosen.chunks(AT_ONCE) {
            std::thread::scope(|scope| {
                let threads: Vec<_> = group
                    .iter()
                    .map(|(name, url)| scope.spawn(move || self.refresh_one(name, url, now, work)))
                    .collect();
                all.extend(threads.into_iter().zip(group).map(|(thread, (name, _))| {
                    let ended = || GitFault::Git("the transfer ended unexpectedly".to_owned()).into();
                    let outcome = thread.join().unwrap_or_else(|_| Outcome::Failed(ended()));
                    Refreshed { name: name.to_string(), outcome }
                }));
            });
        }
        Ok(all)
    }

    /// The same on a thread of its own: returns at once. `tell` is called from other threads.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn refresh_in_background(
        &self,
        which: Which,
        bounds: Bounds,
        tell: impl Fn(Told) + Send + Sync + 'static,
    ) -> std::io::Result<Background> {
        let (taps, stop) = (self.clone(), CancellationToken::new());
        let inner = stop.clone();
        let tell = Arc::new(tell);
        let thread = std::thread::Builder::new().name("taps".to_owned()).spawn(move || {
            let progress = |name: &str, progress| tell(Told::Progress { name: name.to_owned(), progress });
            let work = Work { bounds, stop: &inner, progress: &progress };
            match taps.refresh(&which, work) {
                Ok(all) => all.into_iter().for_each(|refreshed| tell(Told::Done(refreshed))),
                Err(fault) => {
                    let name = if let Which::One(name) = which { name } else { String::new() };
                    tell(Told::Done(Refreshed { name, outcome: Outcome::Failed(fault) }));
                }
            }
        })?;
        Ok(Background { stop, thread: Some(thread) })
    }

    /// Names and addresses of what is to be refreshed.
    fn chosen(&self, which: &Which, now: SystemTime) -> Result<Vec<(Name, String)>, RegistryFault> {
        let standings = self.clones(now);
        let chosen = match which {
            Which::All => standings,
            Which::Due(age) => standings.into_iter().filter(|standing| is_due(standing, *age, now)).collect(),
            Which::One(name) => {
                let name = Name::parse(name)?;
                let is = |standing: &Standing| Name::parse(&standing.tap.name).is_ok_and(|other| other.is(&name));
                let one: Vec<Standing> = standings.into_iter().filter(is).collect();
                if one.is_empty() {
                    return Err(RegistryFault::NoClone { name: name.to_string() });
                }
                one
            }
        };
        Ok(chosen
            .into_iter()
            .filter_map(|standing| match standing.tap.kind {
                TapKind::Clone { url } | TapKind::BuiltIn { url } => Some((Name::parse(&standing.tap.name).ok()?, url)),
                TapKind::Linked | TapKind::Starter => None,
            })
            .collect())
    }

    fn refresh_one(&self, name: &Name, url: &str, now: SystemTime, work: Work<'_>) -> Outcome {
        let fetched = Address::parse(url)
            .map_err(RegistryFault::from)
            .and_then(|address| fetch_into_place(&self.folder, name, &address, now, work));
        match fetched {
            Ok(Got { commit: Some(commit), .. }) => Outcome::Updated { commit },
            Ok(Got { commit: None, .. }) => Outcome::Unchanged,
            Err(fault) => {
                self.note(name, &fault, now);
                Outcome::Failed(fault)
            }
        }
    }

    /// Remembers a failure, for the next start to tell. That it was stopped, or that another process is
    /// at it, says nothing about the tap.
    fn note(&self, name: &Name, fault: &RegistryFault, now: SystemTime) {
        if matches!(fault, RegistryFault::Git(GitFault::Stopped) | RegistryFault::Busy { .. }) {
            return;
        }
        let known = records::read(&self.folder, name);
        let record = Record { failed: Some(Failure { at: now, reason: fault.to_string() }), ..known };
        if let Err(error) = records::write(&self.folder, name, &record) {
            tracing::warn!(tap = %name, %error, "how fetching went could not be written down");
        }
    }
}

fn is_due(standing: &Standing, older_than: Duration, now: SystemTime) -> bool {
    let since = |then: SystemTime| now.duration_since(then).unwrap_or_default();
    let rests = standing.record.failed.as_ref().is_some_and(|failure| since(failure.at) < REST);
    let fresh =
        standing.tap.unavailable.is_none() && standing.record.checked.is_some_and(|then| since(then) < older_than);
    !rests && !fresh
}

/// What a fetch came to.
#[derive(Debug, Default)]
pub(super) struct Got {
    /// `None` when the newest was there already.
    pub commit: Option<String>,
    pub submodules: Vec<String>,
}

/// Fetches aside and puts the result in place.
pub(super) fn fetch_into_place(
    taps: &Path,
    name: &Name,
    address: &Address,
    now: SystemTime,
    work: Work<'_>,
) -> Result<Got, RegistryFault> {
    let busy = || RegistryFault::Busy { name: name.to_string() };
    let _lock = stage::fetch_lock(taps, name)?.ok_or_else(busy)?;
    let place = name.folder(taps);
    let is_clone = fs::symlink_metadata(&place).is_ok_and(|there| there.is_dir());
    // What the clone says counts, not what was written down about it; of another address it says nothing.
    let known = is_clone.then(|| git::head(&place, address)).flatten();
    let stage = Stage::open(taps)?;
    let new = stage.new_folder();
    let label = name.to_string();
    let fetched = git::fetch(Fetch { address, name: &label, into: &new, known: known.as_deref() }, work)?;
    let got = match fetched {
        Fetched::Unchanged => Got::default(),
        Fetched::New { commit, submodules } => {
            if !holds_tap(&new) {
                return Err(RegistryFault::NoTap { address: address.to_string(), folders: FOLDERS.join(", ") });
            }
            may_replace(name, &place)?;
            stage.put(name, taps)?;
            Got { commit: Some(commit), submodules }
        }
    };
    let commit = got.commit.clone().or(known);
    let record = Record { checked: Some(now), commit, failed: None };
    if let Err(error) = records::write(taps, name, &record) {
        tracing::warn!(tap = %name, %error, "when it was fetched could not be written down");
    }
    Ok(got)
}
