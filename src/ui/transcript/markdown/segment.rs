use std::ops::Range;

/// A paragraph that goes on without a blank line is cut after this many bytes.
const MAX_SEGMENT: usize = 16 * 1024;

/// A piece of a message that renders by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    pub range: Range<usize>,
    /// Goes on where the one before was cut for its length: no blank row between them.
    pub continues: bool,
}

/// Cuts a growing text into segments; each byte is looked at once.
#[derive(Debug, Clone, Default)]
pub struct Segmenter {
    /// Begin of the first line not looked at.
    at: usize,
    /// Begin of the open segment.
    start: usize,
    fence: Option<Fence>,
    blank: bool,
    continues: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    mark: u8,
    length: usize,
    /// Not inside a list or a quote.
    top: bool,
}

impl Segmenter {
    /// Begin of the segment that is still open.
    pub fn open(&self) -> usize {
        self.start
    }

    /// Whether the open segment is one fenced block of code.
    pub fn in_code(&self) -> bool {
        self.fence.is_some_and(|fence| fence.top)
    }

    /// Whether the open segment goes on where the last was cut.
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// Looks at the lines that were completed and returns the segments they completed.
    pub fn advance(&mut self, text: &str) -> Vec<Segment> {
        let mut done = Vec::new();
        while let Some(length) = text.get(self.at..).and_then(|rest| rest.find('\n')) {
            let line = self.at..self.at + length + 1;
            self.line(&text[line.clone()], &line, &mut done);
            self.at = line.end;
        }
        done
    }

    fn line(&mut self, line: &str, range: &Range<usize>, done: &mut Vec<Segment>) {
        if let Some(fence) = self.fence {
            if closes(line, fence) {
                self.fence = None;
                if fence.top {
                    self.cut(range.end, false, done);
                }
            }
            return;
        }
        if line.trim().is_empty() {
            self.blank = true;
            return;
        }
        let flush = !line.starts_with([' ', '\t']);
        if self.blank && flush {
            self.cut(range.start, false, done);
        }
        self.blank = false;
        if let Some((mark, length)) = opens(line) {
            if flush {
                self.cut(range.start, false, done);
            }
            self.fence = Some(Fence { mark, length, top: flush });
        } else if range.end - self.start > MAX_SEGMENT && !line.starts_with('|') {
            self.cut(range.end, true, done);
        }
    }

    fn cut(&mut self, end: usize, continues: bool, done: &mut Vec<Segment>) {
        if end > self.start {
            done.push(Segment { range: self.start..end, continues: self.continues });
            self.continues = continues;
        }
        self.start = end;
        self.blank = false;
    }
}

fn opens(line: &str) -> Option<(u8, usize)> {
    let line = line.trim_start();
    let mark = *line.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == mark).count();
    let valid = length >= 3 && (mark == b'~' || !line[length..].contains('`'));
    valid.then_some((mark, length))
}

fn closes(line: &str, fence: Fence) -> bool {
    let line = line.trim();
    let length = line.bytes().take_while(|byte| *byte == fence.mark).count();
    length >= fence.length && length == line.len()
}
