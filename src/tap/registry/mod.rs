//! Which taps there are: connecting, disconnecting, refreshing them, and their order.
//!
//! Owns: `<data>/taps.toml`, the folder `<data>/taps/`, the records of when each tap was fetched, the
//! built-in tap. Does not own: the transfer itself ([`git`](super::git)), what is in a tap.
//!
//! Invariant: what is on disk is whole at every moment. A tap is fetched aside and put in place by one
//! rename; one that could not be fetched leaves everything as it was, is named with the reason, and
//! costs no other. Reading what there is ([`Taps::effective`]) never uses the network and never waits.

mod connect;
mod fault;
mod file;
mod name;
mod records;
mod refresh;
mod stage;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

pub use connect::{Connected, Disconnected, How};
pub use fault::RegistryFault;
pub use name::Name;
pub use records::{Failure, Record};
pub use refresh::{Background, Outcome, Refreshed, Told, Which};

use super::{Tap, TapKind, starter};
use crate::config::{Paths, Problem};
use crate::text::human;

/// Where `user/repo` is cloned from.
pub const HOST: &str = "https://github.com";

/// The variable that names another host, as a company's own or a mirror: `https://git.example.org`,
/// or a `file:///` folder with `<user>/octomind-<repo>` in it.
pub const HOST_VARIABLE: &str = "OCTOMIND_TAP_HOST";

/// The connected taps of one data root. Holds nothing: each question reads the disk.
#[derive(Debug, Clone)]
pub struct Taps {
    /// `<data>/taps/`.
    folder: PathBuf,
    /// `<data>/taps.toml`.
    file: PathBuf,
    cache: PathBuf,
    host: String,
}

/// A tap and how it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    pub tap: Tap,
    /// When it was last fetched, or tried; empty for linked folders and the starter tap.
    pub record: Record,
}

/// What there is, and what of `taps.toml` was skipped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// In order of priority.
    pub taps: Vec<Standing>,
    pub problems: Vec<Problem>,
}

impl Taps {
    /// Touches nothing.
    pub fn open(paths: &Paths) -> Self {
        Self {
            folder: paths.taps.clone(),
            file: paths.taps_file.clone(),
            cache: paths.cache.clone(),
            host: HOST.to_owned(),
        }
    }

    /// With another host for `user/repo`, as [`HOST_VARIABLE`] gives it.
    #[must_use]
    pub fn hosted_at(mut self, host: Option<&str>) -> Self {
        if let Some(host) = host {
            host.trim_end_matches('/').clone_into(&mut self.host);
        }
        self
    }

    /// Every tap in order of priority: the person's in the order added, the built-in one, the starter
    /// tap. One that cannot be read says why.
    pub fn effective(&self) -> Vec<Tap> {
        self.listing(SystemTime::now()).taps.into_iter().map(|standing| standing.tap).collect()
    }

    /// The same with what was skipped and how each stands.
    pub fn listing(&self, now: SystemTime) -> Listing {
        let (entries, problems) = file::read(&self.file);
        let mut taps: Vec<Standing> = entries.iter().map(|entry| self.standing(entry, now)).collect();
        taps.push(self.built_in(now));
        taps.push(self.starter());
        Listing { taps, problems }
    }

    fn standing(&self, entry: &file::Entry, now: SystemTime) -> Standing {
        match &entry.from {
            file::From::Folder(path) => {
                let unavailable = match path.is_dir() {
                    true => None,
                    false => Some(format!("the folder {} is not there", path.display())),
                };
                let tap = Tap { name: entry.name.to_string(), kind: TapKind::Linked, root: path.clone(), unavailable };
                Standing { tap, record: Record::default() }
            }
            file::From::Address(url) => {
                let url = url.clone().unwrap_or_else(|| entry.name.address(&self.host));
                self.cloned(&entry.name, TapKind::Clone { url }, now)
            }
        }
    }

    fn built_in(&self, now: SystemTime) -> Standing {
        let name = Name::built_in();
        let url = name.address(&self.host);
        self.cloned(&name, TapKind::BuiltIn { url }, now)
    }

    fn cloned(&self, name: &Name, kind: TapKind, now: SystemTime) -> Standing {
        let root = name.folder(&self.folder);
        let record = records::read(&self.folder, name);
        let unavailable = (!root.is_dir()).then(|| match &record.failed {
            Some(failure) => {
                format!("it could not be fetched {}: {}", ago(failure.at, now), failure.reason)
            }
            None => "it was not fetched yet".to_owned(),
        });
        Standing { tap: Tap { name: name.to_string(), kind, root, unavailable }, record }
    }

    fn starter(&self) -> Standing {
        let (root, unavailable) = match starter::place(&self.cache) {
            Ok(root) => (root, None),
            Err(error) => (self.cache.clone(), Some(format!("it could not be unpacked: {error}"))),
        };
        let tap = Tap { name: starter::NAME.to_owned(), kind: TapKind::Starter, root, unavailable };
        Standing { tap, record: Record::default() }
    }

    /// What is fetched: the person's clones and the built-in tap.
    fn clones(&self, now: SystemTime) -> Vec<Standing> {
        let (entries, _) = file::read(&self.file);
        let clones = entries.iter().filter(|entry| matches!(entry.from, file::From::Address(_)));
        clones.map(|entry| self.standing(entry, now)).chain([self.built_in(now)]).collect()
    }
}

impl Standing {
    /// How long ago the tap was known to be up to date; `None` when it never was, or needs no fetching.
    pub fn age(&self, now: SystemTime) -> Option<Duration> {
        self.record.checked.map(|then| now.duration_since(then).unwrap_or_default())
    }

    /// Why it may be out of date, when the last attempt failed but something older is there.
    pub fn stale(&self, now: SystemTime) -> Option<String> {
        let failure = self.record.failed.as_ref().filter(|_| self.tap.unavailable.is_none())?;
        let since =
            self.record.checked.map_or_else(|| "of unknown age".to_owned(), |then| format!("from {}", ago(then, now)));
        Some(format!("what is there is {since}; refreshing failed {}: {}", ago(failure.at, now), failure.reason))
    }
}

fn ago(then: SystemTime, now: SystemTime) -> String {
    let since = now.duration_since(then).unwrap_or_default();
    human::ago(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
