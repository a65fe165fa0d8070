//! A session that was recorded, for the commands that only read it.
//!
//! Owns: which session a name means, and what is said of one that cannot be read, or not wholly.
//!
//! Does not own: what is made of its records.

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use crate::proto::{Event, counted};
use crate::session::journal::{self, JOURNAL};
use crate::session::store;
use crate::text::sanitize_line;

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

/// What `read` makes of the session's folder; `None` when the session cannot be read, which is then
/// said. The newest of the working directory when none is named. `read` also gives the number of
/// records that could not be read.
///
/// # Errors
/// When nothing can be written.
pub(super) fn read<T>(
    session: Option<&str>,
    (sessions, workdir): (&Path, &Path),
    err: &mut dyn Write,
    read: impl FnOnce(&Path) -> Result<(T, u64), String>,
) -> std::io::Result<Option<T>> {
    let folder = match session {
        Some(name) => store::find(sessions, name),
        None => store::most_recent(sessions, workdir),
    };
    let (made, skipped) = match folder.map_err(|error| error.to_string()).and_then(|folder| read(&folder)) {
        Ok(made) => made,
        Err(why) => {
            writeln!(err, "octomind: {}", sanitize_line(&why))?;
            return Ok(None);
        }
    };
    if skipped > 0 {
        writeln!(err, "note: left out of the journal as unreadable: {}", counted(skipped, "record"))?;
    }
    Ok(Some(made))
}

/// Takes every event of the session in this folder; how many records could not be read.
///
/// # Errors
/// In one sentence, when there is no journal that can be read.
pub(super) fn events(folder: &Path, take: impl FnMut(Event)) -> Result<u64, String> {
    let file = folder.join(JOURNAL);
    let reading = journal::read(&file, take).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(reading.skipped)
}
