//! Which capabilities and skills were used last, over all sessions: a small file under the data root.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::{Paths, lock_within, make_private_folder, read_ordinary, replace};
use crate::embed::Service;

/// More are forgotten, the oldest first.
const MOST_NAMES: usize = 128;
/// A longer name is no capability's.
const MOST_BYTES: usize = 256;
/// Longest wait for another process that is just writing; without the lock the use is not kept.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Names, the latest first. Each call reads the file, so that processes see each other's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recent {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    used: Vec<String>,
}

impl Recent {
    pub fn at(paths: &Paths) -> Self {
        Self { path: paths.data.join("used.json") }
    }

    /// # Errors
    /// Why the file says nothing, in a clause. Only the order of reading depends on it.
    pub fn names(&self) -> Result<Vec<String>, String> {
        self.read()
            .map_err(|error| format!("{} is ignored, so what was used last is not known: {error}", self.path.display()))
    }

    fn read(&self) -> io::Result<Vec<String>> {
        let bytes = match read_ordinary(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes?,
        };
        let kept: Kept = serde_json::from_slice(&bytes)?;
        Ok(kept.used.into_iter().filter(|name| is_name(name)).take(MOST_NAMES).collect())
    }

    /// Puts these before all others, the first of them first. A file that cannot be read is replaced.
    ///
    /// # Errors
    /// Why it is not kept, in a clause.
    pub fn used(&self, names: &[String]) -> Result<(), String> {
        self.write(names).map_err(|error| {
            format!("{} cannot be written, so what was used last is not known: {error}", self.path.display())
        })
    }

    fn write(&self, names: &[String]) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        let lock = lock_within(&self.path.with_file_name(".used.json.lock"), LOCK_WAIT)?;
        let _lock = lock.ok_or_else(|| io::Error::other("another process keeps it locked"))?;
        // Not an ordinary file: it is somebody's, and renaming another over it would take it from them.
        if fs::symlink_metadata(&self.path).is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not an ordinary file"));
        }
        let before = self.read().unwrap_or_default();
        let used = first(names, &before);
        if used == before {
            return Ok(());
        }
        replace(&self.path, &serde_json::to_string(&Kept { used })?)
    }
}

/// What was used last, and who is told that it is not known.
pub struct Usage {
    recent: Option<Recent>,
    service: Service,
}

impl Usage {
    pub fn new(recent: Option<Recent>, service: Service) -> Self {
        Self { recent, service }
    }

    pub fn latest(&self) -> Vec<String> {
        let names = self.recent.as_ref().map_or(Ok(Vec::new()), Recent::names);
        names.unwrap_or_else(|why| {
            self.service.note_once(why);
            Vec::new()
        })
    }

    pub fn keep(&self, names: &[String]) {
        if let Some(Err(why)) = self.recent.as_ref().map(|recent| recent.used(names)) {
            self.service.note_once(why);
        }
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= MOST_BYTES && !name.chars().any(char::is_control)
}

/// `names` before what of `before` they do not name.
fn first(names: &[String], before: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(MOST_NAMES);
    for name in names.iter().chain(before).filter(|name| is_name(name)) {
        if all.len() == MOST_NAMES {
            break;
        }
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn recent(folder: &Path) -> Recent {
        Recent::at(&Paths::new(folder.join("data"), None))
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn the_latest_comes_first_and_nothing_twice() {
        let folder = tempfile::tempdir().unwrap();
        let recent = recent(folder.path());
        assert_eq!(recent.names(), Ok(Vec::new()));
        recent.used(&names(&["one"])).unwrap();
        recent.used(&names(&["two", "three"])).unwrap();
        recent.used(&names(&["one", "", "a\nb", &"x".repeat(MOST_BYTES + 1)])).unwrap();
        assert_eq!(recent.names().unwrap(), ["one", "two", "three"]);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let recent = recent(folder.path());
        let many: Vec<String> = (0..MOST_NAMES + 9).map(|number| format!("of-{number}")).collect();
        recent.used(&many).unwrap();
        recent.used(&names(&["latest"])).unwrap();
        let kept = recent.names().unwrap();
        assert_eq!((kept.len(), kept[0].as_str(), kept[1].as_str()), (MOST_NAMES, "latest", "of-0"));
    }

    #[test]
    fn what_cannot_be_read_is_named_and_made_anew_at_the_next_use() {
        for spoilt in ["", "{\"used\": [\"one\"", "[]", "{\"used\": [1]}", "\u{0}\u{1}", &"x".repeat(2 << 20)] {
            let folder = tempfile::tempdir().unwrap();
            let recent = recent(folder.path());
            fs::create_dir_all(recent.path.parent().unwrap()).unwrap();
            fs::write(&recent.path, spoilt).unwrap();
            let why = recent.names().unwrap_err();
            assert!(why.starts_with(&format!("{} is ignored", recent.path.display())), "{why}");
            recent.used(&names(&["one"])).unwrap();
            assert_eq!(recent.names().unwrap(), ["one"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_named_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let recent = recent(folder.path());
        fs::create_dir_all(recent.path.parent().unwrap()).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &recent.path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR).unwrap();
        for why in [recent.names().unwrap_err(), recent.used(&names(&["one"])).unwrap_err()] {
            assert!(why.contains("not an ordinary file"), "{why}");
        }
        assert!(!fs::symlink_metadata(&recent.path).unwrap().is_file());
    }

    #[test]
    fn two_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                let recent = recent(folder.path());
                std::thread::spawn(move || {
                    for number in 0..4 {
                        recent.used(&[format!("of-{writer}-{number}")]).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(recent(folder.path()).names().unwrap().len(), 12);
    }
}
