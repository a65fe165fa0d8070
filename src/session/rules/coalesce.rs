use std::time::Duration;

use tokio::time::Instant;

/// At most one event of a kind in this time; one screen frame.
pub const INTERVAL: Duration = Duration::from_millis(16);

/// Gathers the pieces of a stream into few events: the first at once, then one an [`INTERVAL`].
#[derive(Debug, Default)]
pub struct Coalescer {
    pending: String,
    /// Bytes handed out before.
    offset: u64,
    last: Option<Instant>,
}

impl Coalescer {
    pub fn push(&mut self, piece: &str) {
        self.pending.push_str(piece);
    }

    /// When the next event may go out; `None` when nothing waits.
    pub fn due(&self) -> Option<Instant> {
        if self.pending.is_empty() { None } else { self.last.map(|last| last + INTERVAL) }
    }

    /// What waits, with the length of all before it, if it is time.
    pub fn take(&mut self, now: Instant) -> Option<(u64, String)> {
        if self.last.is_some_and(|last| now < last + INTERVAL) {
            return None;
        }
        let taken = self.take_all()?;
        self.last = Some(now);
        Some(taken)
    }

    /// What waits, whatever the time.
    pub fn take_all(&mut self) -> Option<(u64, String)> {
        if self.pending.is_empty() {
            return None;
        }
        let text = std::mem::take(&mut self.pending);
        let offset = self.offset;
        self.offset += text.len() as u64;
        Some((offset, text))
    }
}
