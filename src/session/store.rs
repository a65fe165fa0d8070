//! The folder of all sessions: their names, what each is about, which one is meant.
//!
//! Only beginnings and ends of journals are read here, so that one giant file costs nothing.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::journal::{JOURNAL, Line, parse};
use crate::proto::{Body, Content, Event, Origin, TapEvent, Timestamp};
use crate::text;

/// Bytes read of a journal's beginning, and of its end.
const PEEK: u64 = 64 * 1024;

/// Bytes of a session's name.
const NAME_MAX: usize = 120;

/// Characters of the project's name that go into a session's.
const PROJECT_MAX: usize = 40;

/// What a list of sessions says of one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    pub name: String,
    pub folder: PathBuf,
    /// Given by the person, else the first line of the first message.
    pub title: String,
    pub role: String,
    pub model: String,
    pub workdir: String,
    /// Of the last event; 0 when none can be read.
    pub updated: Timestamp,
    pub turns: u32,
    pub bytes: u64,
    /// The session that it works for.
    pub parent: Option<String>,
}

/// Why a session cannot be named or found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("A session's name cannot be empty.")]
    Empty,
    #[error("A session's name may have at most {NAME_MAX} bytes.")]
    TooLong,
    #[error("A session's name becomes a folder: {0:?} cannot be in it.")]
    Forbidden(String),
    #[error("There is no session called {0:?}. `octomind run` starts a new one.")]
    Unknown(String),
    #[error("{0:?} begins the names of several sessions: {1}. Write more of the name.")]
    Ambiguous(String, String),
    #[error("There is no earlier session of this folder.")]
    NoneHere,
}

/// A name nobody chose: `YYMMDD-<project>-HHMM-<4 hex>`, in UTC.
pub fn generated_name(now: Timestamp, workdir: &Path, chance: u16) -> String {
    let (year, month, day) = civil(now / 86_400_000);
    let minutes = now / 60_000 % 1440;
    let project = project_name(workdir);
    format!("{:02}{month:02}{day:02}-{project}-{:02}{:02}-{chance:04x}", year % 100, minutes / 60, minutes % 60)
}

fn project_name(workdir: &Path) -> String {
    let base = workdir.file_name().unwrap_or_default().to_string_lossy();
    let mut clean = String::new();
    for letter in base.chars().take(PROJECT_MAX) {
        let kept = if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
        if kept != '-' || !clean.ends_with('-') {
            clean.push(kept);
        }
    }
    let clean = clean.trim_matches('-');
    if clean.is_empty() { "project".to_owned() } else { clean.to_owned() }
}

/// Checks a name that a person chose; it becomes a folder as it is.
pub fn checked_name(name: &str) -> Result<&str, NameError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if name.len() > NAME_MAX {
        return Err(NameError::TooLong);
    }
    let bad = |letter: &char| {
        matches!(letter, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
            || letter.is_control()
            || text::is_hidden(*letter)
            || invisible(*letter)
    };
    if let Some(letter) = name.chars().find(bad) {
        return Err(NameError::Forbidden(letter.to_string()));
    }
    if name.starts_with('.') || name.ends_with('.') {
        return Err(NameError::Forbidden(".".to_owned()));
    }
    if name.starts_with('-') {
        return Err(NameError::Forbidden("-".to_owned()));
    }
    Ok(name)
}

fn invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// All sessions, the most recently used first. One that cannot be read is in the list with its name.
pub fn list(sessions: &Path) -> io::Result<Vec<Summary>> {
    let entries = match fs::read_dir(sessions) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found: Vec<Summary> = entries
        .flatten()
        .filter(|entry| entry.path().join(JOURNAL).is_file())
        .map(|entry| summary(&entry.path()))
        .collect();
    found.sort_by(|a, b| b.updated.cmp(&a.updated).then_with(|| a.name.cmp(&b.name)));
    Ok(found)
}

/// What can be said of one session from the two ends of its journal.
pub fn summary(folder: &Path) -> Summary {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut summary = Summary { name, folder: folder.to_owned(), ..Summary::default() };
    for event in ends(&folder.join(JOURNAL), &mut summary.bytes).unwrap_or_default() {
        summary.take(&event);
    }
    summary
}

impl Summary {
    fn take(&mut self, event: &Event) {
        self.updated = self.updated.max(event.at);
        match &event.body {
            Body::SessionStarted { role, workdir, .. } => {
                self.role.clone_from(role);
                self.workdir.clone_from(workdir);
            }
            Body::Tap(TapEvent::Of { parent }) => self.parent = Some(parent.clone()),
            Body::RoleChanged { role } => self.role.clone_from(role),
            Body::ModelChanged { model, .. } => self.model.clone_from(&model.name),
            Body::TitleChanged { title } => self.title.clone_from(title),
            Body::TurnStarted { turn } | Body::TurnEnded { turn, .. } => self.turns = self.turns.max(turn.0),
            Body::UserMessage { content: Content::Text(text), origin: Origin::Person, .. } if self.title.is_empty() => {
                self.title =
                    text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim().chars().take(80).collect();
            }
            _ => {}
        }
    }
}

/// Events from the beginning and the end of a journal; of a long one, not those between.
fn ends(path: &Path, bytes: &mut u64) -> io::Result<Vec<Event>> {
    let mut file = File::open(path)?;
    *bytes = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(PEEK).read_to_end(&mut head)?;
    let mut events = events_in(&head);
    if *bytes > PEEK {
        let from = (*bytes - PEEK).max(PEEK);
        file.seek(SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        file.take(PEEK).read_to_end(&mut tail)?;
        events.extend(events_in(&tail));
    }
    Ok(events)
}

fn events_in(bytes: &[u8]) -> Vec<Event> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| match parse(line) {
            Line::Event(event) => Some(*event),
            Line::Unreadable(_) => None,
        })
        .collect()
}

/// The session of this name, or the only one whose name begins so.
pub fn find(sessions: &Path, name: &str) -> Result<PathBuf, NameError> {
    let name = checked_name(name)?;
    let exact = sessions.join(name);
    if exact.join(JOURNAL).is_file() {
        return Ok(exact);
    }
    let mut matching: Vec<String> = fs::read_dir(sessions)
        .map(|entries| {
            entries
                .flatten()
                .filter(|entry| entry.path().join(JOURNAL).is_file())
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .filter(|found| found.starts_with(name))
                .collect()
        })
        .unwrap_or_default();
    matching.sort();
    match matching.as_slice() {
        [] => Err(NameError::Unknown(name.to_owned())),
        [only] => Ok(sessions.join(only)),
        several => {
            let shown = several.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            Err(NameError::Ambiguous(name.to_owned(), shown))
        }
    }
}

/// The session of this folder that was used last; not one that worked for another.
pub fn most_recent(sessions: &Path, workdir: &Path) -> Result<PathBuf, NameError> {
    let here = workdir.to_string_lossy();
    let all = list(sessions).map_err(|_| NameError::NoneHere)?;
    let mut mine =
        all.into_iter().filter(|summary| summary.workdir == here && summary.turns > 0 && summary.parent.is_none());
    mine.next().map(|summary| summary.folder).ok_or(NameError::NoneHere)
}

/// Year, month and day of a day since 1970-01-01 (Howard Hinnant's `civil_from_days`).
pub(crate) fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests;
