//! What was deleted, for as long as it can be put back.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::{Shelf, ShelfError, TRASH_DAYS};
use crate::proto::{SessionRow, Timestamp};
use crate::session::journal::create_private_folder;
use crate::session::store::checked_name;

const DAY_MS: u64 = 86_400_000;

/// Something deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trashed {
    pub name: String,
    pub at: Timestamp,
    folder: PathBuf,
}

impl Shelf {
    /// Into the trash, under when it was deleted and its name.
    pub fn delete(&self, name: &str, now: Timestamp) -> Result<(), ShelfError> {
        let folder = self.folder(name)?;
        // Held over the move, so that no process takes it up in the middle of it.
        let _lock = self.locked(name, &folder)?;
        let into = self.trash.join(format!("{now}-{name}"));
        create_private_folder(&self.trash)
            .and_then(|()| fs::rename(&folder, into))
            .map_err(|error| ShelfError::Disk(name.to_owned(), error))
    }

    /// Puts back what was deleted last under this name.
    pub fn restore(&self, name: &str) -> Result<SessionRow, ShelfError> {
        let name = checked_name(name)?;
        let deleted = self.trashed().into_iter().filter(|one| one.name == name).max_by_key(|one| one.at);
        let Some(deleted) = deleted else { return Err(ShelfError::NotDeleted(name.to_owned())) };
        let folder = self.sessions.join(name);
        if folder.exists() {
            return Err(ShelfError::Taken(name.to_owned()));
        }
        create_private_folder(&self.sessions)
            .and_then(|()| fs::rename(&deleted.folder, &folder))
            .map_err(|error| ShelfError::Disk(name.to_owned(), error))?;
        Ok(self.row(&folder))
    }

    /// All that can be put back.
    pub fn trashed(&self) -> Vec<Trashed> {
        let entries = fs::read_dir(&self.trash).into_iter().flatten().flatten();
        let one = |entry: fs::DirEntry| {
            let told = entry.file_name().to_string_lossy().into_owned();
            let (at, name) = told.split_once('-')?;
            Some(Trashed { name: name.to_owned(), at: at.parse().ok()?, folder: entry.path() })
        };
        entries.filter_map(one).collect()
    }

    /// Removes what was deleted longer ago than it is kept.
    pub fn purge(&self, now: Timestamp) -> io::Result<()> {
        let old = self.trashed().into_iter().filter(|one| now.saturating_sub(one.at) > TRASH_DAYS * DAY_MS);
        let mut worst = Ok(());
        for one in old {
            worst = fs::remove_dir_all(&one.folder).and(worst);
        }
        worst
    }
}
