//! The output of one command: progress lines resolved, head and tail kept, the whole in a file.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::super::limits::{SHELL_BYTES, SHELL_SPILL_BYTES};
use super::plain::readable;

/// The part of [`SHELL_BYTES`] that goes to the head; errors tend to stand at the end.
const HEAD: usize = SHELL_BYTES / 3;
const TAIL: usize = SHELL_BYTES - HEAD;

/// A line longer than this is passed on in pieces.
const LINE: usize = 64 * 1024;

/// Of a thousand characters, how many may be undecodable before output counts as binary.
const BAD_PER_MILLE: usize = 100;

/// Resolves carriage returns: a line rewritten in place is passed on as it stood last.
#[derive(Debug, Default)]
struct Lines {
    line: Vec<u8>,
    returned: bool,
}

impl Lines {
    fn push(&mut self, bytes: &[u8], done: &mut Vec<u8>) {
        for byte in bytes {
            match byte {
                b'\r' => {
                    self.returned = true;
                    continue;
                }
                b'\n' => {
                    done.append(&mut self.line);
                    done.push(b'\n');
                }
                byte => {
                    if self.returned {
                        self.line.clear();
                    }
                    self.line.push(*byte);
                    if self.line.len() >= LINE {
                        done.append(&mut self.line);
                    }
                }
            }
            self.returned = false;
        }
    }
}

/// A file that takes the output as it came.
#[derive(Debug)]
pub struct Spill {
    pub path: PathBuf,
    file: File,
    written: u64,
    /// Why nothing more is written, if so.
    stopped: Option<String>,
}

impl Spill {
    pub fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, written: 0, stopped: None }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        if self.stopped.is_some() {
            return;
        }
        let room = usize::try_from(SHELL_SPILL_BYTES - self.written).unwrap_or(usize::MAX);
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or_default();
        match self.file.write_all(taken) {
            Ok(()) => self.written += taken.len() as u64,
            Err(error) => self.stopped = Some(format!("stopped after {} bytes: {error}", self.written)),
        }
        if self.written >= SHELL_SPILL_BYTES {
            self.stopped = Some(format!("its first {SHELL_SPILL_BYTES} bytes"));
        }
    }
}

/// What a command has printed so far.
#[derive(Debug, Default)]
pub struct Output {
    lines: Lines,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Resolved bytes that are in neither head nor tail.
    dropped: u64,
    /// Bytes as they came, until they go to the spill.
    raw: Vec<u8>,
    raw_bytes: u64,
    spill: Option<Result<Spill, String>>,
    last_line: Vec<u8>,
}

impl Output {
    /// Takes bytes as they came; `make` opens the file for the whole once there is need.
    pub fn push(&mut self, bytes: &[u8], make: &dyn Fn() -> io::Result<(PathBuf, File)>) {
        self.raw_bytes += bytes.len() as u64;
        match &mut self.spill {
            Some(Ok(spill)) => spill.write(bytes),
            Some(Err(_)) => {}
            None => {
                self.raw.extend_from_slice(bytes);
                if self.raw.len() > SHELL_BYTES {
                    self.keep(make);
                }
            }
        }
        let mut done = Vec::new();
        self.lines.push(bytes, &mut done);
        self.take(&done);
    }

    /// Opens the file for the whole output if there is none, and fills it with what there is.
    pub fn keep(&mut self, make: &dyn Fn() -> io::Result<(PathBuf, File)>) {
        if self.spill.is_some() {
            return;
        }
        let raw = std::mem::take(&mut self.raw);
        self.spill = Some(make().map_err(|error| error.to_string()).map(|(path, file)| {
            let mut spill = Spill::new(path, file);
            spill.write(&raw);
            spill
        }));
    }

    fn take(&mut self, done: &[u8]) {
        if let Some(line) = done.split(|byte| *byte == b'\n').rfind(|line| !line.trim_ascii().is_empty()) {
            self.last_line = line.get(line.len().saturating_sub(400)..).unwrap_or_default().to_vec();
        }
        let room = HEAD - self.head.len();
        let (head, rest) = done.split_at(room.min(done.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
        self.dropped += over as u64;
    }

    /// The last line that says something, short enough for a status line.
    pub fn last_line(&self) -> String {
        let current = self.lines.line.trim_ascii();
        let line = if current.is_empty() { self.last_line.as_slice() } else { current };
        String::from_utf8_lossy(line).chars().filter(|c| !c.is_control()).take(200).collect()
    }

    pub fn bytes(&self) -> u64 {
        self.raw_bytes
    }

    /// Ends the last line and gives the text for the model. Binary output becomes a note with its
    /// size.
    pub fn finish(&mut self, make: &dyn Fn() -> io::Result<(PathBuf, File)>) -> String {
        let rest = std::mem::take(&mut self.lines.line);
        self.take(&rest);
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let whole = [self.head.as_slice(), &tail].concat();
        if is_binary(&whole) {
            self.keep(make);
            return format!("[binary output, {} bytes{}]\n", self.raw_bytes, self.whereabouts());
        }
        if self.dropped == 0 {
            return readable(&whole);
        }
        let head = before_cut(&self.head);
        let tail = after_cut(&tail);
        let hidden = self.dropped + (self.head.len() - head.len() + self.tail.len() - tail.len()) as u64;
        format!("{}\n[{hidden} bytes not shown{}]\n{}", readable(head).trim_end(), self.whereabouts(), readable(tail))
    }

    fn whereabouts(&self) -> String {
        match &self.spill {
            None => String::new(),
            Some(Err(error)) => format!("; no file could be made for them: {error}"),
            Some(Ok(Spill { path, stopped: None, .. })) => {
                format!("; all {} bytes are in {}", self.raw_bytes, path.display())
            }
            Some(Ok(Spill { path, stopped: Some(why), .. })) => {
                format!("; of {} bytes, {} has {why}", self.raw_bytes, path.display())
            }
        }
    }

    pub fn spill_path(&self) -> Option<&Path> {
        self.spill.as_ref().and_then(|spill| spill.as_ref().ok()).map(|spill| spill.path.as_path())
    }

    pub fn into_spill(self) -> Option<Spill> {
        self.spill.and_then(Result::ok)
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    if bytes.contains(&0) {
        return true;
    }
    let text = String::from_utf8_lossy(bytes);
    let bad = text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    bad * 1000 > text.chars().count() * BAD_PER_MILLE && bad > 8
}

/// Up to the last whole line, or the last whole character of a very long line.
fn before_cut(bytes: &[u8]) -> &[u8] {
    let end = match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(at) if at * 2 > bytes.len() => at + 1,
        _ => (0..bytes.len()).rev().take(4).find(|at| starts_char(bytes, *at)).unwrap_or(bytes.len()),
    };
    bytes.get(..end).unwrap_or_default()
}

fn after_cut(bytes: &[u8]) -> &[u8] {
    let start = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(at) if at * 2 < bytes.len() => at + 1,
        _ => (0..bytes.len()).take(4).find(|at| starts_char(bytes, *at)).unwrap_or(0),
    };
    bytes.get(start..).unwrap_or_default()
}

fn starts_char(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_some_and(|byte| byte & 0xc0 != 0x80)
}
