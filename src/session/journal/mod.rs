//! The journal of a session on disk, and nothing but the journal.
//!
//! Owns: the session's folder and its modes, the lock, `journal.jsonl` (one event a line, only LF
//! ends a record), `blobs/` for large bodies, reading it all back.
//!
//! Does not own: what events mean, when a turn ends, who is shown what.
//!
//! Invariant: after [`Journal::record`] returned, the event is with the operating system, or the
//! caller was told why not and the file ends at the last whole record. Reading never fails on
//! content: what cannot be read is counted and named by line.

mod blobs;
mod folder;
mod line;
mod lock;
mod read;
mod write;

pub use blobs::{Blobs, INLINE_MAX};
pub use folder::{create_private_folder, open_private, write_private};
pub use line::{Line, Unreadable, parse};
pub use lock::{Lock, Locked, holder_of};
pub use read::{Reading, Skipped, read};
pub use write::{Disk, Journal, Sink, Trouble};

/// Name of the journal file in a session's folder.
pub const JOURNAL: &str = "journal.jsonl";

#[cfg(test)]
mod tests;
