//! Keeping an answer where it belongs.

use std::path::{Path, PathBuf};

use super::inputs::{Inputs, lock};
use super::needs::{Key, KeyKind};
use super::{KeepError, dotenv};
use crate::config::{Env, Paths, is_private};

/// Longest value that is kept, in bytes; an environment variable holds little more.
const VALUE_BYTES: usize = 64 * 1024;

/// The files that answers are kept in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub inputs: PathBuf,
    /// `./.env`.
    pub project: PathBuf,
    /// The person's own `.env`, for what a project's may not set.
    pub person: PathBuf,
}

impl Places {
    pub fn new(paths: &Paths, workdir: &Path) -> Self {
        Self { inputs: paths.inputs_file.clone(), project: workdir.join(".env"), person: paths.env_file.clone() }
    }

    /// The file for this key.
    pub fn file(&self, key: &Key) -> &Path {
        match key.kind {
            KeyKind::Input => &self.inputs,
            KeyKind::Env if Env::default().takes_from_project(&key.name) => &self.project,
            KeyKind::Env => &self.person,
        }
    }
}

/// An answer that is in its file now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub file: PathBuf,
    /// Where a damaged file was moved to.
    pub set_aside: Option<PathBuf>,
}

/// Keeps an answer in its file, and gives it to the running session: `inputs` and `env` have it
/// afterwards, also when the file could not be written. Blocks for a moment.
///
/// # Errors
/// When the value is none, or could not be written.
pub fn keep(
    key: &Key,
    answer: &str,
    places: &Places,
    inputs: &mut Inputs,
    env: &mut Env,
    now_ms: u64,
) -> Result<Kept, KeepError> {
    let answer = answer.trim();
    if answer.is_empty() {
        return Err(KeepError::Empty);
    }
    if answer.len() > VALUE_BYTES {
        return Err(KeepError::TooLong(VALUE_BYTES));
    }
    let file = places.file(key).to_owned();
    match key.kind {
        KeyKind::Input => {
            env.mask().add_given(&key.name, answer);
            let set_aside = inputs.keep(&key.name, answer, now_ms)?;
            Ok(Kept { file, set_aside })
        }
        KeyKind::Env => {
            let _lock = lock(&places.inputs);
            let written = file
                .parent()
                .filter(|_| file == places.person)
                .map_or(Ok(()), crate::config::make_private_folder)
                .map_err(|error| KeepError::Io { path: file.display().to_string(), error })
                .and_then(|()| dotenv::append(&file, &key.name, answer));
            env.add_from_file(&key.name, answer, &file, *written.as_ref().unwrap_or(&0), is_private(&key.name, answer));
            written.map(|_| Kept { file, set_aside: None })
        }
    }
}
