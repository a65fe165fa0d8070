//! A model's folder in the cache.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::config::{make_private_folder, private, read_ordinary};

const COMPLETE: &str = "complete.json";

/// Written last: what lies in the folder, and what it was made from.
#[derive(Debug, Serialize, Deserialize)]
struct Complete {
    repository: String,
    revision: String,
    files: Vec<Stored>,
}

/// A file that was fetched and checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Stored {
    pub name: String,
    pub bytes: u64,
    pub sha256: String,
}

pub struct Store {
    folder: PathBuf,
}

impl Store {
    pub fn new(models: &Path, repository: &str) -> Self {
        Self { folder: models.join(repository.replace('/', "--")) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn lock_file(&self) -> PathBuf {
        self.folder.with_added_extension("lock")
    }

    pub fn create(&self) -> io::Result<()> {
        make_private_folder(&self.folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A file that is not whole yet.
    pub fn part(&self, name: &str) -> PathBuf {
        self.path(name).with_added_extension("part")
    }

    /// What the part is a part of, as the hub tags it.
    pub fn part_tag(&self, name: &str) -> PathBuf {
        self.path(name).with_added_extension("part-of")
    }

    /// Whether everything is there, in its size. Damage inside is seen when the model is read: its hash
    /// is then another.
    pub fn is_complete(&self) -> bool {
        let Ok(text) = read_ordinary(&self.folder.join(COMPLETE)) else { return false };
        let Ok(complete) = serde_json::from_slice::<Complete>(&text) else { return false };
        let whole = |file: &Stored| fs::metadata(self.path(&file.name)).is_ok_and(|found| found.len() == file.bytes);
        !complete.files.is_empty() && complete.files.iter().all(whole)
    }

    pub fn complete(&self, repository: &str, revision: &str, files: &[Stored]) -> io::Result<()> {
        let complete =
            Complete { repository: repository.to_owned(), revision: revision.to_owned(), files: files.to_vec() };
        let text = serde_json::to_vec_pretty(&complete)?;
        let part = self.part(COMPLETE);
        private().create(true).write(true).truncate(true).open(&part)?.write_all(&text)?;
        fs::rename(part, self.folder.join(COMPLETE))
    }
}
