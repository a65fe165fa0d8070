//! Putting files back, and saying beforehand what that would change.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::keep::Keep;
use super::{Checkpoints, scan};
use crate::proto::{ByHand, FileChange, FileFate, FileLeft, FilePreview, FileState};

/// A longer diff is not shown, bytes.
const DIFF: usize = 64 * 1024;

const AFTER: &str = "changed by hand after the session's last write";
const BETWEEN: &str = "changed by hand between the session's writes";

/// How a path should be again, and how the session left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    path: String,
    target: Option<FileState>,
    left: Option<FileState>,
    /// Somebody else wrote between two writes of the session.
    broken: bool,
}

/// What a restoration came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// From what was there to what is there now.
    pub files: Vec<FileChange>,
    pub left: Vec<FileLeft>,
}

/// What is to be done about a wish.
enum Step {
    /// It is so already.
    Nothing,
    Restore,
    ByHand(&'static str),
    Stays(String),
}

impl Wish {
    /// One for each path that these changes, oldest first, are about.
    pub fn of<'a>(changes: impl Iterator<Item = &'a FileChange>) -> Vec<Self> {
        let mut wishes: BTreeMap<&str, Self> = BTreeMap::new();
        for change in changes {
            match wishes.get_mut(change.path.as_str()) {
                Some(wish) => {
                    wish.broken |= wish.left != change.before;
                    wish.left.clone_from(&change.after);
                }
                None => {
                    let (target, left) = (change.before.clone(), change.after.clone());
                    wishes.insert(&change.path, Self { path: change.path.clone(), target, left, broken: false });
                }
            }
        }
        wishes.into_values().collect()
    }

    fn is_folder(&self) -> bool {
        [&self.target, &self.left].into_iter().flatten().all(FileState::is_folder)
    }

    fn step(&self, now: Option<&FileState>) -> Step {
        if now == self.target.as_ref() {
            return Step::Nothing;
        }
        match (now == self.left.as_ref(), self.broken) {
            (true, false) => Step::Restore,
            (true, true) => Step::ByHand(BETWEEN),
            (false, _) => Step::ByHand(AFTER),
        }
    }
}

impl Checkpoints {
    /// What [`Self::restore`] would do. Blocking.
    pub fn preview(&self, wishes: &[Wish]) -> Result<Vec<FilePreview>, String> {
        let keep = self.keep()?;
        let shown = wishes.iter().filter(|wish| !wish.is_folder());
        Ok(shown.filter_map(|wish| self.previewed(&keep, wish)).collect())
    }

    fn previewed(&self, keep: &Keep, wish: &Wish) -> Option<FilePreview> {
        let (now, step) = self.judged(wish);
        let fate = match step {
            Step::Nothing => return None,
            Step::ByHand(why) => FileFate::ByHand { why: why.to_owned() },
            Step::Stays(why) => FileFate::Stays { why },
            Step::Restore => match (&now, &wish.target) {
                (None, _) => FileFate::Created,
                (_, None) => FileFate::Deleted,
                _ => FileFate::Changed,
            },
        };
        let here = fs::symlink_metadata(self.root.join(&wish.path));
        let from = match (&now, here) {
            (Some(_), Ok(meta)) => scan::content(&self.root.join(&wish.path), &meta).unwrap_or_default(),
            _ => Vec::new(),
        };
        let to = wish.target.as_ref().filter(|state| !state.is_folder());
        let to = to.and_then(|state| keep.get(&state.blob).ok()).unwrap_or_default();
        let (diff, added, removed) = difference(&from, &to);
        Some(FilePreview { path: wish.path.clone(), fate, added, removed, diff })
    }

    /// Puts everything back that the session changed and that stands as it left it. Blocking. What is
    /// there now is kept first.
    pub fn restore(&self, wishes: &[Wish], by_hand: ByHand) -> Result<Outcome, String> {
        let keep = self.keep()?;
        let mut outcome = Outcome::default();
        // Contents of folders go before the folders, and folders come before their contents.
        let (gone, come): (Vec<_>, Vec<_>) = wishes.iter().partition(|wish| wish.target.is_none());
        for wish in gone.into_iter().rev().chain(come) {
            let (now, step) = self.judged(wish);
            let why = match step {
                Step::Nothing => None,
                Step::ByHand(why) if by_hand == ByHand::Leave => Some(why.to_owned()),
                Step::Stays(why) => Some(why),
                Step::Restore | Step::ByHand(_) => self.put_back(&keep, wish, now.as_ref()).err(),
            };
            match why {
                None => {
                    outcome.files.push(FileChange { path: wish.path.clone(), before: now, after: wish.target.clone() })
                }
                Some(_) if wish.is_folder() => {}
                Some(why) => outcome.left.push(FileLeft { path: wish.path.clone(), why }),
            }
        }
        outcome.files.sort_by(|one, two| one.path.cmp(&two.path));
        outcome.left.sort_by(|one, two| one.path.cmp(&two.path));
        let held = keep.hold(&self.session, &outcome.files);
        held.unwrap_or_else(|error| tracing::warn!("checkpoints are not held together: {error}"));
        // The next look is compared with what is there now.
        let looked = self.look(None);
        looked.unwrap_or_else(|error| tracing::warn!("the folder was not looked at after a rewind: {error}"));
        Ok(outcome)
    }

    fn keep(&self) -> Result<Keep, String> {
        Keep::open(&self.store)
            .map_err(|error| format!("The checkpoints in {} cannot be read: {error}.", self.store.display()))
    }

    /// How the path stands, and what is to be done about it.
    fn judged(&self, wish: &Wish) -> (Option<FileState>, Step) {
        if let Err(why) = self.reachable(&wish.path) {
            return (None, Step::Stays(why));
        }
        match self.state(&wish.path) {
            Ok(now) => {
                let step = wish.step(now.as_ref());
                (now, step)
            }
            Err(why) => (None, Step::Stays(why)),
        }
    }

    /// No link leads out of the folder on the way to the path.
    fn reachable(&self, path: &str) -> Result<(), String> {
        let relative = Path::new(path);
        let mut place = self.root.clone();
        for part in relative.parent().into_iter().flat_map(Path::components) {
            let std::path::Component::Normal(part) = part else { return Err("its path leaves the folder".to_owned()) };
            place.push(part);
            match fs::symlink_metadata(&place) {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => return Err("a folder on its way is none any more".to_owned()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    fn state(&self, path: &str) -> Result<Option<FileState>, String> {
        let place = self.root.join(path);
        let meta = match fs::symlink_metadata(&place) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if meta.is_file() && meta.len() > scan::LARGEST {
            return Err("it is too large now".to_owned());
        }
        let content = scan::content(&place, &meta).ok_or("it cannot be read")?;
        let blob = if meta.is_dir() { Ok(String::new()) } else { Keep::name(&content) };
        Ok(Some(FileState { blob: blob.map_err(|error| error.to_string())?, mode: meta.mode() }))
    }

    fn put_back(&self, keep: &Keep, wish: &Wish, now: Option<&FileState>) -> Result<(), String> {
        let place = self.root.join(&wish.path);
        if let Some(now) = now.filter(|now| !now.is_folder()) {
            let meta = fs::symlink_metadata(&place).map_err(words)?;
            let content = scan::content(&place, &meta).ok_or("it cannot be read")?;
            if keep.put(&content).map_err(|error| error.to_string())? != now.blob {
                return Err("it was changed at this very moment".to_owned());
            }
        }
        let Some(target) = &wish.target else { return remove(&place, now).map_err(words) };
        if target.is_folder() {
            return folder(&place, now, target.mode).map_err(words);
        }
        let content = keep.get(&target.blob).map_err(|_| "its content is not among the checkpoints".to_owned())?;
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(words)?;
        }
        if now.is_some_and(FileState::is_folder) {
            fs::remove_dir(&place).map_err(words)?;
        }
        replace(&place, &content, target).map_err(words)
    }
}

fn words(error: io::Error) -> String {
    error.to_string()
}

fn remove(place: &Path, now: Option<&FileState>) -> io::Result<()> {
    if now.is_some_and(FileState::is_folder) { fs::remove_dir(place) } else { fs::remove_file(place) }
}

fn folder(place: &Path, now: Option<&FileState>, mode: u32) -> io::Result<()> {
    match now {
        Some(now) if now.is_folder() => {}
        Some(_) => {
            fs::remove_file(place)?;
            fs::create_dir(place)?;
        }
        None => fs::create_dir_all(place)?,
    }
    fs::set_permissions(place, Permissions::from_mode(mode & 0o7777))
}

/// Beside it first, then in its place: nobody sees half of it, and a link is replaced, not followed.
fn replace(place: &Path, content: &[u8], target: &FileState) -> io::Result<()> {
    let beside = beside(place);
    let written = if target.is_link() {
        std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(content), &beside)
    } else {
        write_new(&beside, content, target.mode & 0o7777)
    };
    written.and_then(|()| fs::rename(&beside, place)).inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn beside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let short: String = name.chars().take(40).collect();
    place.with_file_name(format!(".{short}.octomind-{}", std::process::id()))
}

fn write_new(place: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(place)?;
    file.write_all(content)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// A unified diff, and how many lines it adds and removes.
fn difference(from: &[u8], to: &[u8]) -> (String, u32, u32) {
    let (Ok(from), Ok(to)) = (std::str::from_utf8(from), std::str::from_utf8(to)) else {
        return (String::new(), 0, 0);
    };
    let diff = TextDiff::configure().timeout(std::time::Duration::from_millis(200)).diff_lines(from, to);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count() as u32;
    let (added, removed) = (count(similar::ChangeTag::Insert), count(similar::ChangeTag::Delete));
    let mut shown = diff.unified_diff().context_radius(3).to_string();
    shown.truncate(shown.floor_char_boundary(DIFF));
    (shown, added, removed)
}
