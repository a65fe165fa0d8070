//! How long checkpoints are kept, and how much of them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::session::journal::write_private;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Days after the last use of a folder's checkpoints, and bytes of all of them together.
pub const DAYS: u32 = 30;
pub const BYTES: u64 = 2_000_000_000;

/// What was used so lately may be in use.
const IN_USE: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// When they were looked through last.
const LOOKED_THROUGH: &str = "looked-through";

/// The checkpoints of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub place: PathBuf,
    pub used: SystemTime,
    pub bytes: u64,
}

/// What is kept below the folder of all checkpoints, the oldest first.
pub fn held(data: &Path) -> Vec<Held> {
    let entries = fs::read_dir(data).into_iter().flatten().flatten();
    let places = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
    let mut held: Vec<Held> = places
        .filter(|place| is_ours(place))
        .map(|place| Held { used: used(&place), bytes: bytes_below(&place), place })
        .collect();
    held.sort_by_key(|one| one.used);
    held
}

/// A repository under a name that [`super::place`] gives; nothing else is ever taken away.
fn is_ours(place: &Path) -> bool {
    let name = place.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) && place.join("HEAD").is_file()
}

fn used(place: &Path) -> SystemTime {
    let parts = [place.to_owned(), place.join("objects"), place.join("refs/sessions")];
    let changed = parts.iter().filter_map(|part| part.symlink_metadata().and_then(|meta| meta.modified()).ok());
    changed.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |meta: Metadata, path: PathBuf| if meta.is_dir() { bytes_below(&path) } else { meta.len() };
    entries.filter_map(|entry| Some(size(entry.path().symlink_metadata().ok()?, entry.path()))).sum()
}

/// Takes away what is too old or too much, never `own`; once a day. What went.
pub fn clean(data: &Path, own: &Path, now: SystemTime) -> Vec<Held> {
    let mark = data.join(LOOKED_THROUGH);
    let since = |at: SystemTime| now.duration_since(at).unwrap_or_default();
    let looked = mark.symlink_metadata().and_then(|meta| meta.modified());
    if !data.is_dir() || looked.is_ok_and(|at| since(at) < DAY) {
        return Vec::new();
    }
    if let Err(error) = write_private(&mark, b"") {
        tracing::debug!("{} cannot be written: {error}", mark.display());
        return Vec::new();
    }
    let all = held(data);
    let mut whole: u64 = all.iter().map(|one| one.bytes).sum();
    let mut gone = Vec::new();
    for one in all.into_iter().filter(|one| one.place != own) {
        let old = since(one.used) > DAY * DAYS;
        let much = whole > BYTES && since(one.used) > IN_USE;
        if !old && !much {
            continue;
        }
        match fs::remove_dir_all(&one.place) {
            Ok(()) => {
                whole -= one.bytes;
                gone.push(one);
            }
            Err(error) => tracing::warn!("old checkpoints stay in {}: {error}", one.place.display()),
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(many: u32) -> Duration {
        DAY * many
    }

    fn kept(data: &Path, name: &str, bytes: u64) -> PathBuf {
        let place = data.join(name);
        fs::create_dir_all(place.join("objects")).unwrap();
        fs::write(place.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::File::create(place.join("objects/pack")).unwrap().set_len(bytes).unwrap();
        place
    }

    fn names(held: &[Held]) -> Vec<String> {
        held.iter().map(|one| one.place.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    fn aged(place: &Path, ago: Duration, now: SystemTime) {
        for part in [place.join("objects"), place.to_owned()] {
            fs::File::open(part).unwrap().set_modified(now - ago).unwrap();
        }
    }

    #[test]
    fn what_is_old_goes_and_nothing_else() {
        let data = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let own = kept(data.path(), "00000000000000aa", 10);
        let old = kept(data.path(), "00000000000000bb", 10);
        let lately = kept(data.path(), "00000000000000cc", 10);
        let foreign = kept(data.path(), "notes", 10);
        for (place, ago) in [(&own, days(90)), (&old, days(31)), (&lately, days(29)), (&foreign, days(90))] {
            aged(place, ago, now);
        }
        assert_eq!(names(&clean(data.path(), &own, now)), ["00000000000000bb"]);
        assert!(own.is_dir() && lately.is_dir() && foreign.is_dir() && !old.exists());
        aged(&lately, days(31), now);
        assert_eq!(clean(data.path(), &own, now), [], "once a day");
        assert_eq!(clean(data.path(), &own, now + days(2)).len(), 1);
    }

    #[test]
    fn of_too_much_the_oldest_go_unless_they_may_be_in_use() {
        let data = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let own = kept(data.path(), "00000000000000aa", BYTES / 2 - 1_000);
        let parts = [("00000000000000b1", 9), ("00000000000000b2", 8), ("00000000000000b3", 0)];
        for (name, ago) in parts {
            let place = kept(data.path(), name, BYTES / 4);
            aged(&place, days(ago), now);
        }
        assert_eq!(names(&held(data.path()))[0], "00000000000000b1", "the oldest first");
        assert_eq!(names(&clean(data.path(), &own, now)), ["00000000000000b1"], "one was enough");
        let more = kept(data.path(), "00000000000000b4", BYTES);
        aged(&more, days(0), now);
        let next = now + days(1) + Duration::from_secs(1);
        assert_eq!(names(&clean(data.path(), &own, next)), ["00000000000000b2"], "the others are of yesterday");
    }
}
