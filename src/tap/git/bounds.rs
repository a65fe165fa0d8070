//! How long and how much a transfer may take, and what is told meanwhile.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// What one transfer may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// From the first request to the last file.
    pub time: Duration,
    /// Without a single byte.
    pub silence: Duration,
    /// Bytes of the list of branches and tags.
    pub listed: u64,
    /// Bytes received.
    pub received: u64,
    /// Bytes of the files written.
    pub written: u64,
    /// Files, links and folders.
    pub entries: usize,
}

impl Default for Bounds {
    /// The public registry has about 5 MB in 650 files; a tap fifty times as large is a mistake.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(180),
            silence: Duration::from_secs(30),
            listed: 4 << 20,
            received: 128 << 20,
            written: 256 << 20,
            entries: 50_000,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connecting,
    Receiving,
    /// Files are being written.
    Writing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    /// Objects received, or entries written.
    pub done: u64,
    /// Of how many; 0 = not known yet.
    pub total: u64,
    /// Bytes received so far.
    pub bytes: u64,
}

/// What a piece of work may use, how it is stopped, and who is told about it.
#[derive(Clone, Copy)]
pub struct Work<'work> {
    pub bounds: Bounds,
    pub stop: &'work CancellationToken,
    /// Called at most some ten times a second and at the end of each phase.
    /// The text is the tap's name.
    pub progress: &'work (dyn Fn(&str, Progress) + Sync),
}
