//! When each tap was fetched, and how the last attempt went wrong. A record that is lost or broken
//! costs nothing but the knowledge of an age.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::Name;
use crate::config::{make_private_folder, replace};

/// How fetching a tap went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// When it was last known to be what its address holds.
    pub checked: Option<SystemTime>,
    /// The commit it is at, as 40 hexadecimal digits.
    pub commit: Option<String>,
    /// The last attempt, if it failed.
    pub failed: Option<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub at: SystemTime,
    /// One plain sentence.
    pub reason: String,
}

/// As written: milliseconds since 1970.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Written {
    checked: Option<u64>,
    commit: Option<String>,
    failed_at: Option<u64>,
    reason: Option<String>,
}

/// A name no owner can have.
pub(super) const FOLDER: &str = ".fetched";

pub(super) fn read(taps: &Path, name: &Name) -> Record {
    let written: Written =
        fs::read_to_string(file(taps, name)).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let failed = written.failed_at.zip(written.reason);
    Record {
        // A clone that someone else made has no record: git touches this file whenever it fetches.
        checked: written.checked.map(time).or_else(|| touched(&name.folder(taps))),
        commit: written.commit,
        failed: failed.map(|(at, reason)| Failure { at: time(at), reason }),
    }
}

pub(super) fn write(taps: &Path, name: &Name, record: &Record) -> std::io::Result<()> {
    let written = Written {
        checked: record.checked.map(millis),
        commit: record.commit.clone(),
        failed_at: record.failed.as_ref().map(|failure| millis(failure.at)),
        reason: record.failed.as_ref().map(|failure| failure.reason.clone()),
    };
    let file = file(taps, name);
    if let Some(folder) = file.parent() {
        make_private_folder(folder)?;
    }
    replace(&file, &serde_json::to_string(&written)?)
}

fn file(taps: &Path, name: &Name) -> PathBuf {
    name.record(&taps.join(FOLDER))
}

fn touched(clone: &Path) -> Option<SystemTime> {
    let git = clone.join(".git");
    let head = fs::metadata(git.join("FETCH_HEAD")).or_else(|_| fs::metadata(git.join("HEAD"))).ok()?;
    head.modified().ok()
}

fn time(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis)).unwrap_or(UNIX_EPOCH)
}

fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
