//! The session at any of its events, folded from its journal.
//!
//! Owns: where each record stands in the file, and snapshots kept at intervals, so that a step folds a
//! few records only.
//!
//! Does not own: the journal, or what events mean. Everything here blocks.
//!
//! Invariant: what is shown at an event is the fold of the records up to it, and of nothing else.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::journal::{Line, parse};
use crate::proto::{Body, Event, Moment, Snapshot, TurnId};

/// Events between kept snapshots at first; twice as many whenever there are too many of them.
const EVERY: usize = 128;

/// Snapshots kept at most. A copy shares its entries with the others.
const KEPT: usize = 64;

#[derive(Debug)]
pub struct TimeMachine {
    path: PathBuf,
    /// Where each readable record begins, and how long it is.
    records: Vec<(u64, u32)>,
    /// Up to here the file was read.
    upto: u64,
    turns: Arc<Vec<(TurnId, u64)>>,
    every: usize,
    /// After every so many events.
    kept: Vec<(usize, Arc<Snapshot>)>,
    /// After the last of the records read.
    end: Snapshot,
    /// What was shown last.
    last: Option<(usize, Arc<Snapshot>)>,
}

impl TimeMachine {
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            records: Vec::new(),
            upto: 0,
            turns: Arc::default(),
            every: EVERY,
            kept: Vec::new(),
            end: Snapshot::default(),
            last: None,
        }
    }

    /// Whether it is of this journal.
    pub fn is_of(&self, path: &Path) -> bool {
        self.path == path
    }

    /// The session right after an event; past the end after the last one. `None` when nothing is recorded.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn at(&mut self, index: u64) -> io::Result<Option<Moment>> {
        self.read_on()?;
        let Some(last) = self.records.len().checked_sub(1) else { return Ok(None) };
        let index = usize::try_from(index).unwrap_or(usize::MAX).min(last);
        let kept = self.kept[..self.kept.partition_point(|(at, _)| *at <= index)].last();
        let near = self.last.as_ref().filter(|(at, _)| *at <= index).into_iter().chain(kept).max_by_key(|(at, _)| *at);
        let (mut snapshot, from) = match near {
            Some((at, snapshot)) => ((**snapshot).clone(), at + 1),
            None => (Snapshot::default(), 0),
        };
        let mut file = File::open(&self.path)?;
        let mut shown = None;
        // The event itself is read even where its snapshot is kept: it has a name.
        for at in from.min(index)..=index {
            let event = self.event(&mut file, at)?;
            // One that was folded before changes nothing.
            snapshot.apply(&event);
            shown = Some(event);
        }
        let Some(event) = shown else { return Ok(None) };
        let snapshot = Arc::new(snapshot);
        self.last = Some((index, Arc::clone(&snapshot)));
        Ok(Some(Moment {
            index: index as u64,
            total: self.records.len() as u64,
            seq: event.seq,
            at: event.at,
            name: event.body.name(),
            turns: Arc::clone(&self.turns),
            snapshot,
        }))
    }

    fn event(&self, file: &mut File, at: usize) -> io::Result<Event> {
        let gone = || io::Error::other("the journal is another one now");
        let (offset, length) = *self.records.get(at).ok_or_else(gone)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut line = vec![0; length as usize];
        file.read_exact(&mut line)?;
        match parse(&line) {
            Line::Event(event) => Ok(*event),
            Line::Unreadable(_) => Err(gone()),
        }
    }

    /// Folds what was written since the last look.
    fn read_on(&mut self) -> io::Result<()> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.upto))?;
        let mut lines = BufReader::with_capacity(256 * 1024, file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            // What is being written at the moment is no record yet.
            let Some(record) = line.strip_suffix(b"\n") else { break };
            if let Line::Event(event) = parse(record) {
                self.take(&event, record.len());
            }
            self.upto += line.len() as u64;
            line.clear();
        }
        Ok(())
    }

    fn take(&mut self, event: &Event, length: usize) {
        let index = self.records.len();
        self.records.push((self.upto, u32::try_from(length).unwrap_or(u32::MAX)));
        self.end.apply(event);
        if let Body::TurnStarted { turn } = &event.body {
            Arc::make_mut(&mut self.turns).push((*turn, index as u64));
        }
        if index.is_multiple_of(self.every) {
            self.kept.push((index, Arc::new(self.end.clone())));
        }
        if self.kept.len() > KEPT {
            self.every *= 2;
            let every = self.every;
            self.kept.retain(|(at, _)| at.is_multiple_of(every));
        }
    }
}

#[cfg(test)]
mod tests;
