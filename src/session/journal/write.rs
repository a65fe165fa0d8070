//! Appending to the journal, and what happens when the disk says no.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Blobs, JOURNAL, Lock, open_private};
use crate::port::merged;
use crate::proto::{Body, Content, Event, RequestId, Tier, Timestamp};

/// Deltas wait at most so long for company, milliseconds.
const DELTA_WAIT_MS: u64 = 1000;

/// Deltas are written when so many bytes wait.
const DELTA_BYTES: usize = 8 * 1024;

/// Records kept in memory while the disk takes none; beyond it they are only in the session.
const BACKLOG_MAX: usize = 32 * 1024 * 1024;

/// Where records go: a file, or a fake disk in tests.
pub trait Sink: Send + std::fmt::Debug {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn truncate(&mut self, len: u64) -> io::Result<()>;
    /// A handle whose sync makes everything appended so far durable.
    fn sync_handle(&self) -> io::Result<Option<File>>;
}

/// The real file.
#[derive(Debug)]
pub struct Disk(File);

impl Sink for Disk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_handle(&self) -> io::Result<Option<File>> {
        self.0.try_clone().map(Some)
    }
}

/// Something about the journal that the person must be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("The journal cannot be written ({0}); the session goes on in memory only.")]
    Failing(String),
    #[error("The journal is written again; nothing was lost.")]
    Recovered,
    #[error("The journal is written again, but {0} records before this one are not in it.")]
    Gap(u64),
}

#[derive(Debug)]
enum State {
    Writing(Box<dyn Sink>),
    /// The disk took no record; they wait here until it does.
    Failing {
        sink: Box<dyn Sink>,
        backlog: Vec<u8>,
        lost: u64,
    },
    /// Another process writes, or there is no folder: nothing is kept.
    Off,
}

/// The writing end. All of it runs on the session's own task.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    state: State,
    /// Bytes of whole records in the file.
    len: u64,
    deltas: Vec<Event>,
    delta_bytes: usize,
    deltas_since: Timestamp,
    blobs: Blobs,
    _lock: Option<Lock>,
}

impl Journal {
    /// Opens the journal for appending after `good_bytes`; what stands after them is cut off.
    pub fn open(folder: &Path, good_bytes: u64, lock: Lock) -> io::Result<Self> {
        let file = open_private(&folder.join(JOURNAL))?;
        if file.metadata()?.len() > good_bytes {
            file.set_len(good_bytes)?;
        }
        Ok(Self::on(folder, Box::new(Disk(file)), good_bytes, Some(lock)))
    }

    /// A journal on any sink.
    pub fn on(folder: &Path, sink: Box<dyn Sink>, len: u64, lock: Option<Lock>) -> Self {
        Self { state: State::Writing(sink), len, _lock: lock, ..Self::off(folder) }
    }

    /// A journal that keeps nothing.
    pub fn off(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            state: State::Off,
            len: 0,
            deltas: Vec::new(),
            delta_bytes: 0,
            deltas_since: 0,
            blobs: Blobs::new(folder),
            _lock: None,
        }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    pub fn writes(&self) -> bool {
        !matches!(self.state, State::Off)
    }

    /// Puts the large bodies of an event aside. Without a disk that takes them they stay inside.
    pub fn offload(&self, content: Content) -> Content {
        if !matches!(self.state, State::Writing(_)) {
            return content;
        }
        self.blobs.offload(content.clone()).unwrap_or(content)
    }

    /// Appends the event if its kind is kept, before anyone is shown it.
    pub fn record(&mut self, event: &Event) -> Result<(), Trouble> {
        match (&event.body, event.tier()) {
            (Body::TextDelta { .. } | Body::ReasoningDelta { .. }, _) => self.defer(event),
            (_, Tier::Progress | Tier::Live) => Ok(()),
            (Body::AssistantMessage { request, .. }, Tier::Durable) => {
                self.forget(*request);
                let flushed = self.flush_deltas();
                self.append(event).and(flushed)
            }
            (_, Tier::Durable) => {
                let flushed = self.flush_deltas();
                self.append(event).and(flushed)
            }
        }
    }

    /// Milliseconds from now until waiting deltas must be written. A clock that went back since they came
    /// says nothing about how long they waited: they are written at once.
    pub fn due_in(&self, now: Timestamp) -> Option<u64> {
        let waited = now.checked_sub(self.deltas_since).unwrap_or(DELTA_WAIT_MS);
        (!self.deltas.is_empty()).then(|| DELTA_WAIT_MS.saturating_sub(waited))
    }

    /// Writes the deltas that wait.
    pub fn flush_deltas(&mut self) -> Result<(), Trouble> {
        let mut result = Ok(());
        for delta in std::mem::take(&mut self.deltas) {
            result = result.and(self.append(&delta));
        }
        self.delta_bytes = 0;
        result
    }

    /// A turn is over: tries the disk again if it failed, and gives what must be synced, which may
    /// take long and is done off the session's task.
    pub fn settle(&mut self) -> (Result<(), Trouble>, Option<File>) {
        let result = self.flush_deltas().and_then(|()| self.retry());
        let handle = match &self.state {
            State::Writing(sink) => sink.sync_handle().ok().flatten(),
            State::Failing { .. } | State::Off => None,
        };
        (result, handle)
    }

    fn defer(&mut self, event: &Event) -> Result<(), Trouble> {
        if !self.writes() {
            return Ok(());
        }
        if self.deltas.is_empty() {
            self.deltas_since = event.at;
        }
        self.delta_bytes += match &event.body {
            Body::TextDelta { text, .. } | Body::ReasoningDelta { text, .. } => text.len(),
            _ => 0,
        };
        match self.deltas.last().and_then(|last| merged(last, event)) {
            Some(both) => {
                self.deltas.pop();
                self.deltas.push(both);
            }
            None => self.deltas.push(event.clone()),
        }
        if self.delta_bytes >= DELTA_BYTES || self.due_in(event.at) == Some(0) {
            return self.flush_deltas();
        }
        Ok(())
    }

    /// The whole message is here: its deltas say nothing more.
    fn forget(&mut self, done: RequestId) {
        self.deltas.retain(|delta| match &delta.body {
            Body::TextDelta { request, .. } | Body::ReasoningDelta { request, .. } => *request != done,
            _ => true,
        });
    }

    fn append(&mut self, event: &Event) -> Result<(), Trouble> {
        let mut record = match serde_json::to_vec(event) {
            Ok(record) => record,
            Err(error) => return Err(Trouble::Failing(error.to_string())),
        };
        record.push(b'\n');
        match &mut self.state {
            State::Off => Ok(()),
            State::Failing { backlog, lost, .. } => {
                if backlog.len() + record.len() <= BACKLOG_MAX && *lost == 0 {
                    backlog.extend_from_slice(&record);
                } else {
                    *lost += 1;
                }
                Ok(())
            }
            State::Writing(sink) => match sink.append(&record) {
                Ok(()) => {
                    self.len += record.len() as u64;
                    Ok(())
                }
                Err(error) => {
                    // Best effort: where even this fails, reading cuts the torn record off.
                    let _ = sink.truncate(self.len);
                    self.fail(record);
                    Err(Trouble::Failing(plain(&error)))
                }
            },
        }
    }

    fn fail(&mut self, backlog: Vec<u8>) {
        if let State::Writing(sink) = std::mem::replace(&mut self.state, State::Off) {
            self.state = State::Failing { sink, backlog, lost: 0 };
        }
    }

    fn retry(&mut self) -> Result<(), Trouble> {
        let State::Failing { sink, backlog, lost } = &mut self.state else { return Ok(()) };
        if sink.truncate(self.len).and_then(|()| sink.append(backlog)).is_err() {
            let _ = sink.truncate(self.len);
            return Ok(());
        }
        self.len += backlog.len() as u64;
        let lost = *lost;
        if let State::Failing { sink, .. } = std::mem::replace(&mut self.state, State::Off) {
            self.state = State::Writing(sink);
        }
        Err(if lost == 0 { Trouble::Recovered } else { Trouble::Gap(lost) })
    }
}

/// The operating system's words for the errors people meet here.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::FileTooLarge => "the limit of a file's size is reached".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
