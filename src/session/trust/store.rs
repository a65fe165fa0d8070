//! Answers of the past: one JSON object a line, appended, the last of a hash counts.
//!
//! Appending needs no lock between processes, and a broken line costs only itself.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::proto::Timestamp;

/// Bytes of the file that are read: its end, some ten thousand answers.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredAnswer {
    Accepted,
    Declined,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    hash: String,
    answer: StoredAnswer,
    /// For people who read the file.
    #[serde(default)]
    folder: String,
    #[serde(default)]
    at: Timestamp,
}

/// The remembered answers.
#[derive(Debug, Default)]
pub struct Store {
    path: PathBuf,
    answers: HashMap<String, StoredAnswer>,
}

impl Store {
    /// Reads what can be read; each problem is one sentence. Never fails: what is lost is asked
    /// again.
    pub fn open(path: &Path) -> (Self, Vec<String>) {
        let mut store = Self { path: path.to_owned(), answers: HashMap::new() };
        let mut problems = Vec::new();
        let text = match end_of(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return (store, problems),
            Err(error) => {
                problems
                    .push(format!("Cannot read {}: {error}. What was accepted before is asked again.", path.display()));
                return (store, problems);
            }
        };
        let mut broken = 0usize;
        for line in text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            match serde_json::from_slice::<Line>(line) {
                Ok(line) => {
                    store.answers.insert(line.hash, line.answer);
                }
                Err(_) => broken += 1,
            }
        }
        if broken > 0 {
            problems.push(format!("{} has {broken} lines that are no answers; they were skipped.", path.display()));
        }
        (store, problems)
    }

    pub fn answer(&self, hash: &str) -> Option<StoredAnswer> {
        self.answers.get(hash).copied()
    }

    pub fn is_trusted(&self, hash: &str) -> bool {
        self.answer(hash) == Some(StoredAnswer::Accepted)
    }

    /// Remembers an answer, in this process even when it cannot be written.
    pub fn remember(&mut self, hash: &str, answer: StoredAnswer, folder: &str, at: Timestamp) -> io::Result<()> {
        self.answers.insert(hash.to_owned(), answer);
        let line = Line { hash: hash.to_owned(), answer, folder: folder.to_owned(), at };
        let line = serde_json::to_string(&line).map_err(io::Error::other)?;
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&self.path)?;
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        // The line end in front closes a line that was torn; one write, so that lines never mix.
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_data()
    }
}

/// The end of the file, from a line start.
fn end_of(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let skipped = length.saturating_sub(MOST_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    if skipped > 0 {
        let start = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
        bytes.drain(..start);
    }
    Ok(bytes)
}
