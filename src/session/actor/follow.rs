//! What the process that writes this session adds to the journal, while we only read it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

use super::Actor;
use crate::proto::{Body, Event, Order, Seq};
use crate::session::journal::{Line, parse};

/// How often the journal's length is looked at.
const INTERVAL: Duration = Duration::from_secs(1);

/// Bytes taken up at a time; the rest waits for the next look.
const MOST: u64 = 4 * 1024 * 1024;

/// A journal that another process writes.
pub(super) struct Followed {
    path: PathBuf,
    /// Up to here it was read, always at the end of a record.
    offset: u64,
    pub due: Instant,
}

impl Followed {
    pub fn new(path: PathBuf, offset: u64) -> Self {
        Self { path, offset, due: Instant::now() + INTERVAL }
    }

    /// The records that came since the last look.
    fn look(&mut self) -> io::Result<Vec<Event>> {
        self.due = Instant::now() + INTERVAL;
        if std::fs::metadata(&self.path)?.len() <= self.offset {
            return Ok(Vec::new());
        }
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(MOST).read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.offset += whole as u64;
        let readable = bytes[..whole].split(|byte| *byte == b'\n').filter_map(|line| match parse(line) {
            Line::Event(event) => Some(*event),
            Line::Unreadable(_) => None,
        });
        Ok(readable.collect())
    }
}

impl Actor {
    /// Shows what the other process wrote. A look that fails is made again.
    pub(super) fn follow_writer(&mut self) {
        let Some(followed) = self.followed.as_mut().filter(|followed| followed.due <= Instant::now()) else { return };
        for event in followed.look().unwrap_or_default() {
            self.written_elsewhere(event);
        }
    }

    fn written_elsewhere(&mut self, event: Event) {
        match &event.body {
            // Its process begins and ends; ours goes on.
            Body::SessionStarted { .. } | Body::SessionResumed { .. } | Body::SessionEnded => return,
            Body::TurnStarted { turn } => {
                self.turns = turn.0;
                self.rec.next = after_all_of(turn.0);
            }
            _ => {}
        }
        self.rec.history.apply(&event.body);
        self.rec.seq = Seq(self.rec.seq.0 + 1);
        self.rec.hub.publish(Event { seq: self.rec.seq, ..event });
    }
}

/// Where our own words about a session that another writes stand: after everything of its turn.
pub(super) fn after_all_of(turn: u32) -> Order {
    Order { turn, round: u32::MAX, slot: 0 }
}
