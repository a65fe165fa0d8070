//! What is being written, kept for the next start: for each session of a folder, and one for a session in
//! which nothing was said yet.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::composer::Draft;
use super::state::State;
use crate::config::Mask;
use crate::proto::{AskKind, Level, Timestamp};

/// How long a change waits to be written, milliseconds.
const KEEP_AFTER_MS: u64 = 1_000;

/// Drafts kept of a folder, and the bytes of one.
const MAX_DRAFTS: usize = 20;
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// One draft; an empty text lets go of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// Empty for a session in which nothing was said yet.
    pub session: String,
    pub text: String,
}

/// The drafts of a folder, the newest first.
pub type Drafts = Vec<Keep>;

/// What was kept last, and when there is something to keep.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Keeping {
    last: Draft,
    due: Option<Timestamp>,
    found: Option<Drafts>,
}

impl Keeping {
    /// What was left behind; it is taken up once the session is known.
    pub fn found(&mut self, drafts: Drafts) {
        self.found = Some(drafts);
    }

    /// When a change is to be written.
    pub fn due(&self) -> Option<Timestamp> {
        self.due
    }
}

impl State {
    /// The session a draft belongs to; `None` until there is one.
    fn draft_session(&self) -> Option<String> {
        let session = &self.snapshot.session;
        let name = if self.snapshot.turn.0 == 0 { String::new() } else { session.name.clone() };
        (!session.name.is_empty()).then_some(name)
    }

    /// What is to be written now.
    pub fn keep_draft(&mut self) -> Option<Keep> {
        if self.composer.draft().says_the_same(&self.drafts.last) {
            self.drafts.due = None;
            return None;
        }
        let due = *self.drafts.due.get_or_insert(self.now + KEEP_AFTER_MS);
        // What was sent is let go of at once.
        if self.now < due && !self.composer.is_empty() {
            return None;
        }
        self.draft_left()
    }

    /// What is not written yet. A value that may answer a question for a secret never is.
    pub fn draft_left(&mut self) -> Option<Keep> {
        if self.composer.draft().says_the_same(&self.drafts.last) {
            return None;
        }
        let secret = |kind: &AskKind| matches!(kind, AskKind::Secret { .. });
        if self.snapshot.asks.iter().any(|(ask, _)| secret(&ask.kind)) {
            self.drafts.due = Some(self.now + KEEP_AFTER_MS);
            return None;
        }
        let session = self.draft_session()?;
        let known = !self.drafts.last.is_empty();
        self.drafts.last = self.composer.draft().clone();
        self.drafts.due = None;
        let text = self.composer.content();
        (known || !text.is_empty()).then_some(Keep { session, text })
    }

    /// Puts back what was being written when the workbench was left.
    pub fn restore_draft(&mut self) {
        let Some(session) = self.drafts.found.as_ref().and_then(|_| self.draft_session()) else { return };
        let found = self.drafts.found.take().unwrap_or_default();
        let Some(keep) = found.into_iter().find(|keep| keep.session == session) else { return };
        if self.composer.is_empty() {
            self.composer.restore(&keep.text);
            self.drafts.last = self.composer.draft().clone();
            self.toast(Level::Info, "the message you had not sent is back");
        } else if self.composer.content() != keep.text {
            self.composer.history.push(&keep.text);
            self.toast(Level::Info, "the message you had not sent is the last one of the history");
        }
    }
}

/// The drafts of one folder on disk, readable by the person alone.
#[derive(Debug, Clone)]
pub struct DraftFile {
    path: PathBuf,
    /// The number of the last write that was begun, so that a late one never wins.
    written: Arc<Mutex<u64>>,
    begun: u64,
}

impl DraftFile {
    pub fn new(data: &Path, workdir: &Path) -> Self {
        let path = data.join("drafts").join(format!("{}.json", super::store::folder_name(workdir)));
        Self { path, written: Arc::default(), begun: 0 }
    }

    /// None when there is no file or nothing in it can be read.
    pub fn load(&self) -> Drafts {
        let small = fs::metadata(&self.path).is_ok_and(|meta| meta.is_file() && meta.len() <= 4 * MAX_BYTES as u64);
        let read = small.then(|| fs::read(&self.path).ok()).flatten();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// A write whose order is that of this call; to be run anywhere.
    pub fn write(&mut self, keep: Keep, mask: Mask) -> impl FnOnce() -> io::Result<()> + Send + use<> {
        self.begun += 1;
        let (file, turn) = (self.clone(), self.begun);
        move || {
            let mut written = file.written.lock().unwrap_or_else(PoisonError::into_inner);
            if *written >= turn {
                return Ok(());
            }
            *written = turn;
            file.put(Keep { text: mask.owned(keep.text), ..keep })
        }
    }

    fn put(&self, keep: Keep) -> io::Result<()> {
        let before = self.load();
        let mut drafts = before.clone();
        drafts.retain(|known| known.session != keep.session);
        if !keep.text.trim().is_empty() && keep.text.len() <= MAX_BYTES {
            drafts.insert(0, keep);
        }
        drafts.truncate(MAX_DRAFTS);
        if drafts == before {
            return Ok(());
        }
        if drafts.is_empty() {
            return fs::remove_file(&self.path);
        }
        if let Some(folder) = self.path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let aside = self.path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&aside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
        file.write_all(&serde_json::to_vec(&drafts)?)?;
        fs::rename(&aside, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keep(session: &str, text: &str) -> Keep {
        Keep { session: session.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn drafts_are_private_masked_apart_and_gone_once_sent() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let mut file = DraftFile::new(data.path(), Path::new("/project"));
        let mask = Mask::of(["tok-12345678".to_owned()]);
        file.write(keep("one", "use tok-12345678"), mask.clone())().unwrap();
        file.write(keep("", "hello\nthere"), mask.clone())().unwrap();
        let again = DraftFile::new(data.path(), Path::new("/project"));
        assert_eq!(again.load(), [keep("", "hello\nthere"), keep("one", "use [masked]")]);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file.path), mode(file.path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(DraftFile::new(data.path(), Path::new("/other")).load(), []);
        file.write(keep("", ""), mask.clone())().unwrap();
        assert_eq!(again.load(), [keep("one", "use [masked]")]);
        file.write(keep("one", " "), mask)().unwrap();
        assert!(!file.path.exists());
    }

    #[test]
    fn a_late_write_never_wins() {
        let data = tempfile::tempdir().unwrap();
        let mut file = DraftFile::new(data.path(), Path::new("/project"));
        let early = file.write(keep("", "early"), Mask::of([]));
        let late = file.write(keep("", "late"), Mask::of([]));
        late().unwrap();
        early().unwrap();
        assert_eq!(file.load(), [keep("", "late")]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_no_draft() {
        let data = tempfile::tempdir().unwrap();
        let mut file = DraftFile::new(data.path(), Path::new("/project"));
        fs::create_dir_all(file.path.parent().unwrap()).unwrap();
        fs::write(&file.path, "[{\"torn").unwrap();
        assert_eq!(file.load(), []);
        file.write(keep("", "new"), Mask::of([]))().unwrap();
        assert_eq!(file.load(), [keep("", "new")]);
    }
}
