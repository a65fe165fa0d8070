//! Reading a journal back: in blocks, the lines of a block parsed on every core, handed over in
//! order. Memory is a few blocks however long the file is.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread;

use super::line::{Line, Unreadable, parse};
use crate::proto::Event;

/// Bytes read at a time.
const BLOCK: usize = 2 * 1024 * 1024;

/// A record longer than this is left out; only damage makes one (large bodies are blobs).
const LINE_MAX: usize = 64 * 1024 * 1024;

/// Left-out lines that are named one by one; the rest are counted.
const NAMED_MAX: usize = 8;

/// A line that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// From 1.
    pub line: u64,
    pub why: Unreadable,
}

/// What reading found beside the events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    pub events: u64,
    pub skipped: u64,
    /// The first few of the skipped lines.
    pub named: Vec<Skipped>,
    /// Bytes up to the end of the last whole record.
    pub good_bytes: u64,
    /// Bytes after it: a record that was being written when the process died.
    pub torn_bytes: u64,
}

/// Hands every readable event to `sink`, in file order. Fails only when the file cannot be read.
pub fn read(path: &Path, mut sink: impl FnMut(Event)) -> io::Result<Reading> {
    let mut blocks = Blocks::new(File::open(path)?);
    let mut reading = Reading::default();
    let mut lines_before = 0;
    let workers = thread::available_parallelism().map_or(2, usize::from).clamp(1, 8);
    let mut parsed: Vec<Parsed> = Vec::new();
    loop {
        let mut batch = Vec::with_capacity(workers);
        while batch.len() < workers {
            let Some(block) = blocks.next()? else { break };
            batch.push(block);
        }
        let done = batch.is_empty();
        // While this batch is parsed, the one before it is folded.
        let next = thread::scope(|scope| {
            let running: Vec<_> = batch.iter().map(|block| scope.spawn(|| parse_block(block))).collect();
            for block in parsed.drain(..) {
                reading.take(block, &mut lines_before, &mut sink);
            }
            running.into_iter().map(|worker| worker.join().unwrap_or_default()).collect::<Vec<_>>()
        });
        parsed = next;
        if done {
            reading.good_bytes = blocks.good_bytes;
            reading.torn_bytes = blocks.torn_bytes;
            return Ok(reading);
        }
    }
}

#[derive(Debug, Default)]
struct Parsed {
    lines: u64,
    events: Vec<Event>,
    /// Line within the block, from 1.
    skipped: Vec<Skipped>,
}

fn parse_block(block: &Block) -> Parsed {
    let mut parsed = Parsed::default();
    let bytes = match block {
        Block::Lines(bytes) => bytes,
        Block::Overlong => {
            return Parsed {
                lines: 1,
                events: Vec::new(),
                skipped: vec![Skipped { line: 1, why: Unreadable::TooLong(LINE_MAX) }],
            };
        }
    };
    for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n') {
        parsed.lines += 1;
        match parse(line) {
            Line::Event(event) => parsed.events.push(*event),
            Line::Unreadable(why) => parsed.skipped.push(Skipped { line: parsed.lines, why }),
        }
    }
    parsed
}

impl Reading {
    fn take(&mut self, parsed: Parsed, lines_before: &mut u64, sink: &mut impl FnMut(Event)) {
        self.events += parsed.events.len() as u64;
        self.skipped += parsed.skipped.len() as u64;
        for skipped in parsed.skipped {
            if self.named.len() < NAMED_MAX {
                self.named.push(Skipped { line: skipped.line + *lines_before, ..skipped });
            }
        }
        *lines_before += parsed.lines;
        parsed.events.into_iter().for_each(sink);
    }
}

#[derive(Debug)]
enum Block {
    /// Whole lines.
    Lines(Vec<u8>),
    /// A line too long to be held; it was passed over.
    Overlong,
}

/// Cuts a file into blocks that end at a line end.
struct Blocks {
    file: File,
    /// Bytes after the last line end seen.
    rest: Vec<u8>,
    /// `rest` may hold whole lines.
    unscanned: bool,
    /// Within a line that is being passed over.
    passing: bool,
    read: u64,
    good_bytes: u64,
    torn_bytes: u64,
    ended: bool,
}

impl Blocks {
    fn new(file: File) -> Self {
        Self {
            file,
            rest: Vec::new(),
            unscanned: false,
            passing: false,
            read: 0,
            good_bytes: 0,
            torn_bytes: 0,
            ended: false,
        }
    }

    fn next(&mut self) -> io::Result<Option<Block>> {
        if std::mem::take(&mut self.unscanned)
            && let Some(end) = line_end(&self.rest)
        {
            let rest = self.rest.split_off(end);
            self.good_bytes = self.read - rest.len() as u64;
            return Ok(Some(Block::Lines(std::mem::replace(&mut self.rest, rest))));
        }
        while !self.ended {
            let before = self.rest.len();
            let mut buffer = std::mem::take(&mut self.rest);
            buffer.reserve_exact(BLOCK);
            let got = (&mut self.file).take(BLOCK as u64).read_to_end(&mut buffer)?;
            self.read += got as u64;
            if got == 0 {
                self.ended = true;
                self.torn_bytes = self.read - self.good_bytes;
                return Ok(None);
            }
            let Some(end) = line_end(&buffer[before..]).map(|at| before + at) else {
                if buffer.len() > LINE_MAX || self.passing {
                    self.passing = true;
                    buffer.clear();
                }
                self.rest = buffer;
                continue;
            };
            self.good_bytes = self.read - (buffer.len() - end) as u64;
            if self.passing {
                self.passing = false;
                let first = buffer.iter().position(|byte| *byte == b'\n').map_or(end, |at| at + 1);
                // What follows the overlong line is handed over with the next block.
                self.rest = buffer.split_off(first);
                self.unscanned = true;
                self.good_bytes = self.read - self.rest.len() as u64;
                return Ok(Some(Block::Overlong));
            }
            self.rest = buffer.split_off(end);
            return Ok(Some(Block::Lines(buffer)));
        }
        Ok(None)
    }
}

/// Just after the last line end.
fn line_end(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1)
}
