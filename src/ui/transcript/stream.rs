//! A message that grows: what is complete is rendered once.

use std::ops::Range;

use super::cell::{Look, assistant};
use super::highlight::Colours;
use super::markdown::{self, Segmenter, code_rows, fence_language};
use super::{Row, Styled};
use crate::text;

/// The rendering of a message, kept while the message grows.
///
/// The total work is linear in the length of the message: complete segments are rendered once,
/// complete lines of an open code block too; only what may still change is rendered for each frame.
#[derive(Debug, Default)]
pub struct Stream {
    segmenter: Segmenter,
    rows: Vec<Row>,
    /// Rows that will not change.
    stable: usize,
    /// The last stable row without the caret that was put on it.
    covered: Option<Row>,
    /// Hash of the text the stable rows were made from, and its length.
    prefix: Prefix,
    code: Option<OpenCode>,
    /// Code that is drawn plain until its colours are there.
    waiting: Vec<(Range<usize>, Range<usize>)>,
    finished: u64,
    scripted: bool,
    begun: bool,
}

/// A fenced block without its end.
#[derive(Debug)]
struct OpenCode {
    language: String,
    /// Row of its first line.
    row: usize,
    /// Begin of its first line in the text.
    body: usize,
    /// End of the lines that have rows.
    done: usize,
    /// End of the lines whose colours were asked for.
    asked: usize,
    coming: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prefix {
    length: usize,
    hash: u64,
}

impl Default for Prefix {
    fn default() -> Self {
        Self { length: 0, hash: 0xcbf2_9ce4_8422_2325 }
    }
}

impl Prefix {
    fn extend(self, text: &str, end: usize) -> Self {
        let bytes = text.as_bytes().get(self.length..end).unwrap_or_default();
        let hash = bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Self { length: self.length + bytes.len(), hash }
    }
}

impl Stream {
    /// Rows of the message as it is now.
    pub fn update(&mut self, content: &str, state: assistant::State, look: &Look) -> &[Row] {
        if !self.goes_on(content, state) {
            *self = Self::default();
        }
        if !self.begun {
            self.begun = true;
            self.scripted = state.scripted;
            self.rows = assistant::before(state, look.width);
            self.stable = self.rows.len();
        }
        self.rows.truncate(self.stable);
        if let (Some(row), Some(last)) = (self.covered.take(), self.rows.last_mut()) {
            *last = row;
        }
        self.recolour(content, look);
        for segment in self.segmenter.advance(content) {
            self.complete(content, segment.range, segment.continues, look);
        }
        self.tail(content, state, look);
        if self.rows.len() == self.stable {
            self.covered = self.rows.last().cloned();
        }
        assistant::after(&mut self.rows, state, look.width);
        &self.rows
    }

    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether colours may arrive that change rows.
    pub fn waiting(&self) -> bool {
        !self.waiting.is_empty() || self.code.as_ref().is_some_and(|code| code.coming)
    }

    /// Whether `content` begins with what was rendered. While a message grows it is only appended to;
    /// the finished one may differ and is compared whole.
    fn goes_on(&self, content: &str, state: assistant::State) -> bool {
        if !self.begun {
            return true;
        }
        let long_enough = content.len() >= self.prefix.length && self.scripted == state.scripted;
        let growing = state.progress == assistant::Progress::Streaming;
        long_enough && (growing || Prefix::default().extend(content, self.prefix.length) == self.prefix)
    }

    fn complete(&mut self, content: &str, range: Range<usize>, continues: bool, look: &Look) {
        match self.code.take() {
            Some(code) => {
                self.stable = code.row;
                self.rows.truncate(code.row);
            }
            None => self.gap(continues),
        }
        let rendered = markdown::render(&content[range.clone()], look.width, look.highlighter);
        let start = self.rows.len();
        self.rows.extend(rendered.rows);
        if rendered.waiting {
            self.waiting.push((start..self.rows.len(), range.clone()));
        }
        self.stable = self.rows.len();
        self.prefix = self.prefix.extend(content, range.end);
    }

    fn gap(&mut self, continues: bool) {
        if !continues && self.prefix.length > 0 && self.rows.last().is_some_and(|row| !row.text.is_empty()) {
            self.rows.push(Row::blank());
        }
    }

    /// What may still change.
    fn tail(&mut self, content: &str, state: assistant::State, look: &Look) {
        let open = &content[self.segmenter.open().min(content.len())..];
        if open.trim().is_empty() {
            return;
        }
        let streaming = state.progress == assistant::Progress::Streaming;
        if streaming && self.segmenter.in_code() {
            self.open_code(content, look);
            return;
        }
        if let Some(code) = self.code.take() {
            self.stable = code.row;
            self.rows.truncate(code.row);
        }
        let tail = if streaming { markdown::mend(open) } else { open.into() };
        if tail.trim().is_empty() {
            return;
        }
        self.gap(self.segmenter.continues());
        let rendered = markdown::render(&tail, look.width, look.highlighter);
        let start = self.rows.len();
        self.rows.extend(rendered.rows);
        // The end of a finished message does not change any more.
        if !streaming && rendered.waiting {
            let open = self.segmenter.open();
            self.waiting.push((start..self.rows.len(), open..content.len()));
        }
    }

    fn open_code(&mut self, content: &str, look: &Look) {
        let open = self.segmenter.open();
        if self.code.is_none() {
            self.gap(false);
            let info = content[open..].lines().next().unwrap_or_default();
            let info = info.trim_start_matches(['`', '~']).trim();
            let body = content[open..].find('\n').map_or(content.len(), |at| open + at + 1);
            let language = fence_language(info).to_owned();
            self.stable = self.rows.len();
            self.code = Some(OpenCode { language, row: self.rows.len(), body, done: body, asked: body, coming: false });
        }
        let Some(code) = &mut self.code else { return };
        let none = Styled::default();
        let end = content.rfind('\n').map_or(code.done, |at| at + 1).max(code.done);
        for line in content[code.done..end].lines() {
            self.rows.extend(code_rows(&text::sanitize(line), None, look.width, &none, &none));
        }
        code.done = end;
        self.stable = self.rows.len();
        // Colours are asked for at doubling lengths, so that all asking together stays linear.
        if code.done - code.body >= 2 * (code.asked - code.body).max(64) {
            code.asked = code.done;
            code.coming = true;
            self.colour_open(content, look);
        }
        let last = &content[end..];
        if !last.is_empty() && !last.trim_start().starts_with(['`', '~']) {
            self.rows.extend(code_rows(&text::sanitize(last), None, look.width, &none, &none));
        }
    }

    /// Draws the lines of the open block whose colours are there.
    fn colour_open(&mut self, content: &str, look: &Look) {
        let Some(code) = &mut self.code else { return };
        let clean = text::sanitize(&content[code.body..code.asked]);
        let Colours::Ready(marks) = look.highlighter.colours(&code.language, &clean) else { return };
        code.coming = false;
        let none = Styled::default();
        let mut at = code.row;
        for (index, line) in clean.lines().enumerate() {
            for row in code_rows(line, marks.get(index), look.width, &none, &none) {
                if let Some(place) = self.rows.get_mut(at) {
                    *place = row;
                }
                at += 1;
            }
        }
    }

    /// Renders anew what waited for colours, when some arrived.
    fn recolour(&mut self, content: &str, look: &Look) {
        let finished = look.highlighter.finished();
        if finished == self.finished || !self.waiting() {
            self.finished = finished;
            return;
        }
        self.finished = finished;
        if self.code.as_ref().is_some_and(|code| code.coming) {
            self.colour_open(content, look);
        }
        let waiting = std::mem::take(&mut self.waiting);
        for (rows, range) in waiting {
            let Some(source) = content.get(range.clone()) else { continue };
            let rendered = markdown::render(source, look.width, look.highlighter);
            if rendered.rows.len() == rows.len() && rows.end <= self.rows.len() {
                self.rows[rows.clone()].clone_from_slice(&rendered.rows);
            }
            if rendered.waiting {
                self.waiting.push((rows, range));
            }
        }
    }
}
