use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::Instant;

use crate::text;

/// Bytes kept of one line; the rest of it is dropped.
const LINE_BYTES: usize = 4 * 1024;

/// Characters shown of one line.
const LINE_CHARS: usize = 300;

/// Lines kept for the error.
pub const LAST_LINES: usize = 12;

/// One output of a script, line by line.
pub struct Output<R> {
    from: Option<R>,
    line: Vec<u8>,
    buffer: Vec<u8>,
    last: VecDeque<String>,
}

impl<R: AsyncRead + Unpin> Output<R> {
    pub fn new(from: Option<R>) -> Self {
        Self { from, line: Vec::new(), buffer: vec![0; 8 * 1024], last: VecDeque::new() }
    }

    pub fn open(&self) -> bool {
        self.from.is_some()
    }

    /// Waits for more and gives each line that is whole, safe to show. Cancel safe.
    pub async fn read(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(from) = &mut self.from else { return lines };
        match from.read(&mut self.buffer).await {
            Ok(0) | Err(_) => {
                self.from = None;
                self.end_line(&mut lines);
            }
            Ok(count) => {
                let bytes = std::mem::take(&mut self.buffer);
                for &byte in bytes.iter().take(count) {
                    match byte {
                        // A line that overwrites itself is told each time it begins anew.
                        b'\n' | b'\r' => self.end_line(&mut lines),
                        byte if self.line.len() < LINE_BYTES => self.line.push(byte),
                        _ => {}
                    }
                }
                self.buffer = bytes;
            }
        }
        lines
    }

    fn end_line(&mut self, lines: &mut Vec<String>) {
        let raw = String::from_utf8_lossy(&self.line);
        let line: String = text::sanitize_line(&raw).chars().take(LINE_CHARS).collect();
        self.line.clear();
        if line.is_empty() {
            return;
        }
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.clone());
        lines.push(line);
    }

    pub fn last(&self) -> Vec<String> {
        self.last.iter().cloned().collect()
    }
}

/// So many lines are told in one [`WINDOW`]; a script that floods is not shown line by line.
const LINES_IN_WINDOW: usize = 20;
const WINDOW: Duration = Duration::from_millis(100);

/// So many lines of one script are told at all; after them one in a second.
const MOST_LINES: usize = 2_000;
const LATE_WINDOW: Duration = Duration::from_secs(1);

/// Passes lines on as fast as somebody may want to see them: each is kept by whoever hears it, so
/// their number is bounded by time and not by what is written.
pub struct Told<Tell> {
    tell: Tell,
    window: Option<Instant>,
    in_window: usize,
    all: usize,
    left_out: u64,
}

impl<Tell: FnMut(String)> Told<Tell> {
    pub fn new(tell: Tell) -> Self {
        Self { tell, window: None, in_window: 0, all: 0, left_out: 0 }
    }

    pub fn lines(&mut self, lines: Vec<String>, now: Instant) {
        for line in lines {
            let (length, most) = if self.all < MOST_LINES { (WINDOW, LINES_IN_WINDOW) } else { (LATE_WINDOW, 1) };
            if self.window.is_none_or(|since| now - since >= length) {
                self.window = Some(now);
                self.in_window = 0;
            }
            if self.in_window == most {
                self.left_out += 1;
                continue;
            }
            self.rest();
            self.in_window += 1;
            self.all += 1;
            (self.tell)(line);
        }
    }

    /// Says how many lines were left out, if any.
    pub fn rest(&mut self) {
        match std::mem::take(&mut self.left_out) {
            0 => {}
            1 => (self.tell)("… 1 more line".to_owned()),
            count => (self.tell)(format!("… {count} more lines")),
        }
    }
}
