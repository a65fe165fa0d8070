//! What of an output is kept: its beginning and its end in memory, the whole in a file once it is long.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use crate::config::Mask;
use crate::session::journal::create_private_folder;

/// Bytes of the beginning and of the end that are kept, and of the end that is shown while it runs.
pub const HEAD: usize = 16 * 1024;
pub const END: usize = 32 * 1024;
const TAIL: usize = 4 * 1024;

/// Bytes that go to a file; what comes after is counted and let go.
const MOST: u64 = 256 * 1024 * 1024;

pub struct Kept {
    path: PathBuf,
    mask: Mask,
    /// Bytes that are no whole character yet.
    broken: Vec<u8>,
    /// Text that may be the beginning of a secret.
    held: String,
    head: String,
    end: String,
    file: Option<File>,
    spilled: Spilled,
    /// As the command wrote them.
    bytes: u64,
    written: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Spilled {
    /// All of it is still in memory.
    No,
    Yes,
    /// No file could be made, or it is full.
    Failed,
}

impl Kept {
    pub fn new(path: PathBuf, mask: Mask) -> Self {
        Self {
            path,
            mask,
            broken: Vec::new(),
            held: String::new(),
            head: String::new(),
            end: String::new(),
            file: None,
            spilled: Spilled::No,
            bytes: 0,
            written: 0,
        }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.broken.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.broken) {
            Ok(_) => self.broken.len(),
            // An end that lacks bytes waits for them; all else is shown as what it is not.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.broken.len(),
        };
        let rest = self.broken.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.broken, rest)).into_owned();
        self.held.push_str(&text);
        let shown = self.mask.drain(&mut self.held);
        self.keep(&shown);
    }

    fn keep(&mut self, text: &str) {
        if self.spilled == Spilled::No && self.head.len() + self.end.len() + text.len() > HEAD + END {
            self.spill();
        }
        self.write(text);
        let room = floor(text, HEAD.saturating_sub(self.head.len()));
        let (head, end) = if self.end.is_empty() { text.split_at(room) } else { ("", text) };
        self.head.push_str(head);
        self.end.push_str(end);
        // Cut seldom, so that a flood of short pieces does not move the end each time.
        if self.end.len() > 2 * END {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let from = ceil(&self.end, self.end.len().saturating_sub(END));
        self.end.drain(..from);
    }

    /// From here on everything also goes to a file, what came before first.
    fn spill(&mut self) {
        let made = self
            .path
            .parent()
            .map_or(Ok(()), create_private_folder)
            .and_then(|()| OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&self.path));
        match made {
            Ok(file) => {
                self.file = Some(file);
                self.spilled = Spilled::Yes;
                let before = format!("{}{}", self.head, self.end);
                self.write(&before);
            }
            Err(_) => self.spilled = Spilled::Failed,
        }
    }

    fn write(&mut self, text: &str) {
        let Some(file) = &mut self.file else { return };
        self.written += text.len() as u64;
        if self.written > MOST || file.write_all(text.as_bytes()).is_err() {
            self.file = None;
            self.spilled = Spilled::Failed;
        }
    }

    /// The last lines so far.
    pub fn tail(&self) -> String {
        let shown = if self.end.is_empty() { &self.head } else { &self.end };
        let from = ceil(shown, shown.len().saturating_sub(TAIL));
        let tail = &shown[from..];
        match tail.split_once('\n') {
            Some((_, whole)) if from > 0 => whole.to_owned(),
            _ => tail.to_owned(),
        }
    }

    /// The output, how long it was, and the file that holds all of it.
    pub fn finish(&mut self) -> (String, u64, Option<PathBuf>) {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.broken)).into_owned();
        self.held.push_str(&rest);
        let last = self.mask.owned(std::mem::take(&mut self.held));
        self.keep(&last);
        if self.spilled == Spilled::No {
            return (format!("{}{}", self.head, self.end), self.bytes, None);
        }
        self.cut();
        let left = self.bytes.saturating_sub((self.head.len() + self.end.len()) as u64);
        let whole = (self.spilled == Spilled::Yes).then(|| self.path.clone());
        let place = match &whole {
            Some(path) => format!("the whole is in {}", path.display()),
            None => "it could not be kept".to_owned(),
        };
        let gap = format!("\n[… {} left out here; {place} …]\n", crate::text::human::bytes(left));
        (format!("{}{gap}{}", self.head, self.end), self.bytes, whole)
    }
}

/// The nearest character boundary at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
