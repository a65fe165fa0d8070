//! What this server has shown of each file, so that a change made by others is noticed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::document::Document;
use super::ids;

/// Hashes of the lines of files as they were last shown or written here.
#[derive(Debug, Default)]
pub struct Seen {
    files: Mutex<HashMap<PathBuf, Vec<u64>>>,
}

/// How a file stands against what was shown of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Unseen,
    Same,
    Changed,
}

impl Seen {
    pub fn note(&self, path: &Path, document: &Document) {
        let hashes = document.texts().map(|text| ids::hash(text.as_bytes())).collect();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), hashes);
    }

    pub fn standing(&self, path: &Path, document: &Document) -> Standing {
        match self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            None => Standing::Unseen,
            Some(hashes) => {
                let same = hashes.len() == document.lines.len()
                    && hashes.iter().zip(document.texts()).all(|(hash, text)| *hash == ids::hash(text.as_bytes()));
                if same { Standing::Same } else { Standing::Changed }
            }
        }
    }

    /// Whether lines `first..=last` (from 0) are as they were shown; true for a file never shown.
    pub fn unchanged(&self, path: &Path, document: &Document, first: usize, last: usize) -> bool {
        match self.files.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
            None => true,
            Some(hashes) => (first..=last).all(|index| {
                document.lines.get(index).map(|line| ids::hash(line.text.as_bytes())) == hashes.get(index).copied()
            }),
        }
    }
}
