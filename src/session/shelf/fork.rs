//! A new session that begins with all that another one holds.

use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Shelf, ShelfError};
use crate::proto::{Body, Event, SessionRow, Timestamp};
use crate::session::journal::{JOURNAL, Line, create_private_folder, open_private, parse};
use crate::session::store::generated_name;

/// Where large bodies of a session lie; they never change.
const BLOBS: &str = "blobs";

/// Where a record that names its session says so.
const STARTED: &str = "\"session_started\"";

impl Shelf {
    /// Copies what is written by now; the session may go on meanwhile.
    pub fn fork(&self, name: &str, now: Timestamp) -> Result<SessionRow, ShelfError> {
        let from = self.folder(name)?;
        let into = self.free_folder(&from, now);
        let copied = copy(&from, &into).and_then(|()| self.entitle(name, &from, &into, now));
        match copied {
            Ok(()) => Ok(self.row(&into)),
            Err(error) => {
                // Half a session is none; that it cannot be removed is told by the error already.
                let _ = fs::remove_dir_all(&into);
                Err(ShelfError::Disk(name.to_owned(), error))
            }
        }
    }

    fn free_folder(&self, from: &Path, now: Timestamp) -> PathBuf {
        let workdir = self.row(from).workdir;
        let mut folder = PathBuf::new();
        for attempt in 0..64u64 {
            let chance = RandomState::new().hash_one((now, attempt)) as u16;
            folder = self.sessions.join(generated_name(now, Path::new(&workdir), chance));
            if !folder.exists() {
                break;
            }
        }
        folder
    }

    fn entitle(&self, name: &str, from: &Path, into: &Path, now: Timestamp) -> io::Result<()> {
        let told = self.row(from).title;
        let title = format!("fork of {}", if told.is_empty() { name } else { &told });
        self.append(name, into, now, Body::TitleChanged { title }).map_err(io::Error::other)
    }
}

fn copy(from: &Path, into: &Path) -> io::Result<()> {
    create_private_folder(into)?;
    journal(from, into)?;
    let Ok(blobs) = fs::read_dir(from.join(BLOBS)) else { return Ok(()) };
    create_private_folder(&into.join(BLOBS))?;
    for blob in blobs.flatten() {
        let target = into.join(BLOBS).join(blob.file_name());
        // On a disk without links the bytes are copied.
        if fs::hard_link(blob.path(), &target).is_err() {
            fs::copy(blob.path(), &target)?;
        }
    }
    Ok(())
}

/// Every whole record, those that name the session with the new name.
fn journal(from: &Path, into: &Path) -> io::Result<()> {
    let name = into.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut lines = BufReader::new(File::open(from.join(JOURNAL))?);
    let mut out = BufWriter::new(open_private(&into.join(JOURNAL))?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        // What is being written at the moment is no record yet.
        let Some(record) = line.strip_suffix(b"\n") else { break };
        let head = String::from_utf8_lossy(&record[..record.len().min(160)]).contains(STARTED);
        match (head, parse(record)) {
            (true, Line::Event(event)) => {
                serde_json::to_writer(&mut out, &renamed(*event, &name, into))?;
                out.write_all(b"\n")?;
            }
            _ => out.write_all(&line)?,
        }
        line.clear();
    }
    out.flush()
}

fn renamed(event: Event, name: &str, folder: &Path) -> Event {
    let body = match event.body {
        Body::SessionStarted { role, workdir, version, .. } => {
            Body::SessionStarted { name: name.to_owned(), role, workdir, folder: folder.display().to_string(), version }
        }
        other => other,
    };
    Event { body, ..event }
}
