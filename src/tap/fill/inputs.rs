//! `inputs.toml`: answers to `{{INPUT:KEY}}`, each asked for once.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml_edit::{DocumentMut, Item, value};

use super::KeepError;
use crate::config::{Problem, lock_within, make_private_folder, read_ordinary, replace, state};

/// What was answered, as the file says.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

impl Inputs {
    /// Reads what can be read; each problem names the file and what of it was left out.
    pub fn open(path: &Path) -> (Self, Vec<Problem>) {
        let (values, problems) = state::read_texts(path);
        (Self { path: path.to_owned(), values }, problems)
    }

    pub fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// Keeps an answer, here and in the file, with whatever else is in the file now. A file that is
    /// damaged is moved aside first; what could be read of it is kept. Gives back where it went.
    ///
    /// # Errors
    /// When the file cannot be written; the answer is held here all the same.
    pub fn keep(&mut self, key: &str, answer: &str, now_ms: u64) -> Result<Option<PathBuf>, KeepError> {
        self.values.insert(key.to_owned(), answer.to_owned());
        self.write(key, answer, now_ms).map_err(|error| KeepError::Io { path: self.path.display().to_string(), error })
    }

    fn write(&mut self, key: &str, answer: &str, now_ms: u64) -> io::Result<Option<PathBuf>> {
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        let _lock = lock(&self.path);
        // A link to a file kept elsewhere stays a link.
        let path = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let (mut document, aside) = match read(&path)? {
            Some(document) => (document, None),
            None => self.set_aside(&path, now_ms)?,
        };
        document.insert(key, value(answer));
        make_private(&path)?;
        replace(&path, &document.to_string())?;
        Ok(aside)
    }

    /// Moves a damaged file away, and begins a new one with what could be read of it.
    fn set_aside(&self, path: &Path, now_ms: u64) -> io::Result<(DocumentMut, Option<PathBuf>)> {
        let (readable, _) = state::read_texts(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let aside = path.with_file_name(format!("{name}.damaged-{now_ms}"));
        make_private(path)?;
        fs::rename(path, &aside)?;
        let mut document = DocumentMut::new();
        for (key, answer) in &readable {
            document.insert(key, value(answer));
        }
        Ok((document, Some(aside)))
    }
}

/// The file as a document whose comments are kept; `None` when it is damaged.
fn read(path: &Path) -> io::Result<Option<DocumentMut>> {
    match read_ordinary(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes)
            .ok()
            .and_then(|text| text.trim_start_matches('\u{feff}').parse::<DocumentMut>().ok())
            // A table where a text should be is no state of ours either.
            .filter(|document| document.iter().all(|(_, item)| !matches!(item, Item::ArrayOfTables(_))))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(DocumentMut::new())),
        Err(error) => Err(error),
    }
}

/// Takes away what others may do with a file that holds secrets.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    match fs::metadata(path) {
        Ok(metadata) if metadata.permissions().mode() & 0o177 != 0 => {
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))
        }
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Longest wait for another process that is just writing.
const LOCK_WAIT: Duration = Duration::from_secs(1);

/// Keeps two processes from losing each other's answer. Without it, writing goes on: the file is
/// replaced whole in any case.
pub(super) fn lock(path: &Path) -> Option<File> {
    let name = path.file_name()?.to_string_lossy();
    lock_within(&path.with_file_name(format!(".{name}.lock")), LOCK_WAIT).ok().flatten()
}
