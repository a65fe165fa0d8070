//! The folder of all sessions: listing them in pieces, looking into one, and what is done to one as a
//! whole.
//!
//! Owns: titles given from outside, forks, the trash and when it is emptied.
//!
//! Does not own: what a session does ([`super::actor`]), the format of a journal ([`super::journal`]).
//!
//! Invariant: nothing is done to a session that a process has open, and nothing is lost by a deletion
//! within [`TRASH_DAYS`]. Everything here blocks.

mod fork;
mod list;
mod trash;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::journal::{JOURNAL, Lock, Locked};
use super::store::{self, checked_name};
use crate::proto::{Body, Event, Seq, SessionRow, ShelfAnswer, ShelfCommand, Timestamp};
use crate::text;

pub use crate::proto::TRASH_DAYS;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    #[error("{0}")]
    Name(#[from] store::NameError),
    #[error("{0} is the session you are in. Go to another one first.")]
    Own(String),
    #[error("{0} is open elsewhere ({1}). Close it there first.")]
    Open(String, String),
    #[error("There is a session called {0} already.")]
    Taken(String),
    #[error("No deleted session is called {0}. They are kept for {TRASH_DAYS} days.")]
    NotDeleted(String),
    #[error("A title cannot be empty.")]
    NoTitle,
    #[error("{0} cannot be read or written: {1}.")]
    Disk(String, io::Error),
}

/// The sessions of a data root.
#[derive(Debug, Clone)]
pub struct Shelf {
    sessions: PathBuf,
    trash: PathBuf,
    /// The session of the one who asks.
    own: Option<String>,
}

impl Shelf {
    pub fn new(sessions: PathBuf, own: Option<String>) -> Self {
        let trash = sessions.with_file_name("trash");
        Self { sessions, trash, own }
    }

    /// Does what is asked; `tell` gives false when nobody listens any more.
    pub fn answer(&self, command: ShelfCommand, now: Timestamp, tell: &mut dyn FnMut(ShelfAnswer) -> bool) {
        let (name, done) = match command {
            ShelfCommand::List => {
                // What cannot be removed is tried again with the next list.
                let _ = self.purge(now);
                return self.list(tell);
            }
            ShelfCommand::Preview { name } => {
                let said = self.preview(&name).unwrap_or_default();
                tell(ShelfAnswer::Previewed { name, said: said.into() });
                return;
            }
            ShelfCommand::Rename { name, title } => {
                let done = self.rename(&name, &title, now);
                let renamed = |title| ShelfAnswer::Renamed { name: name.clone(), title };
                (name.clone(), done.map(renamed))
            }
            ShelfCommand::Fork { name } => {
                let done = self.fork(&name, now);
                let forked = |row| ShelfAnswer::Forked { name: name.clone(), fork: Box::new(row) };
                (name.clone(), done.map(forked))
            }
            ShelfCommand::Delete { name } => {
                let done = self.delete(&name, now);
                (name.clone(), done.map(|()| ShelfAnswer::Deleted { name }))
            }
            ShelfCommand::Restore { name } => {
                let done = self.restore(&name);
                (name, done.map(|row| ShelfAnswer::Restored { row: Box::new(row) }))
            }
        };
        tell(done.unwrap_or_else(|error| ShelfAnswer::Refused { name, why: error.to_string() }));
    }

    /// Gives a session that nobody has open another title.
    pub fn rename(&self, name: &str, title: &str, now: Timestamp) -> Result<String, ShelfError> {
        let title = text::sanitize_line(title.trim()).into_owned();
        if title.is_empty() {
            return Err(ShelfError::NoTitle);
        }
        let folder = self.folder(name)?;
        let _lock = self.locked(name, &folder)?;
        self.append(name, &folder, now, Body::TitleChanged { title: title.clone() })?;
        Ok(title)
    }

    /// Writes a record behind the last whole one.
    fn append(&self, name: &str, folder: &Path, now: Timestamp, body: Body) -> Result<(), ShelfError> {
        let disk = |error| ShelfError::Disk(name.to_owned(), error);
        let path = folder.join(JOURNAL);
        let end = list::end(&path).map_err(disk)?;
        let event = Event { seq: Seq(end.seq.0 + 1), at: now, order: None, body };
        let mut line = serde_json::to_vec(&event).map_err(|error| disk(error.into()))?;
        line.push(b'\n');
        let mut file = OpenOptions::new().append(true).open(&path).map_err(disk)?;
        file.set_len(end.good_bytes).and_then(|()| file.write_all(&line)).map_err(disk)
    }

    fn folder(&self, name: &str) -> Result<PathBuf, ShelfError> {
        let folder = self.sessions.join(checked_name(name)?);
        if !folder.join(JOURNAL).is_file() {
            return Err(store::NameError::Unknown(name.to_owned()).into());
        }
        Ok(folder)
    }

    /// The session for us alone, as long as the lock lives.
    fn locked(&self, name: &str, folder: &Path) -> Result<Lock, ShelfError> {
        if self.own.as_deref() == Some(name) {
            return Err(ShelfError::Own(name.to_owned()));
        }
        match Lock::take(folder) {
            Ok(Locked::Mine(lock)) => Ok(lock),
            Ok(Locked::Held(by)) => Err(ShelfError::Open(name.to_owned(), by)),
            Err(error) => Err(ShelfError::Disk(name.to_owned(), error)),
        }
    }

    fn row(&self, folder: &Path) -> SessionRow {
        list::row(folder, self.own.as_deref())
    }
}

#[cfg(test)]
mod tests;
