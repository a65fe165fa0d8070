//! A text that configuration is read from, and places in it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use super::problem::Problem;

/// A configuration file larger than this many bytes is a mistake, and is not read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The bytes of an ordinary file of sane size. Opening a pipe or a device could wait for ever.
///
/// # Errors
/// As the system says, and when it is no such file.
pub fn read_ordinary(path: &Path) -> std::io::Result<Vec<u8>> {
    let refused = |why: &str| std::io::Error::new(ErrorKind::InvalidInput, why.to_owned());
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused("it is not an ordinary file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES { Err(refused("it is far too large")) } else { Ok(bytes) }
}

/// What a text is, which decides what it may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    Template,
    /// A file of the person's configuration folder.
    File,
    /// `.agents/octomind.toml` of the working directory.
    Project,
    /// One `-c key=value`.
    CommandLine,
    /// A switch flipped while the session runs.
    Session,
}

/// One text with a name for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub kind: SourceKind,
    /// The file's path, or how the text came to be.
    pub label: String,
    /// Not to be changed: places are counted once.
    pub text: String,
    lines: Lines,
}

/// Where the line ends of a text are, looked for when a place is first asked for.
#[derive(Debug, Clone, Default)]
struct Lines(OnceLock<Box<[usize]>>);

/// It follows from the text, so it says nothing about whether two sources are the same.
impl PartialEq for Lines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Lines {}

impl Source {
    pub fn new(kind: SourceKind, label: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Self { kind, label: label.into(), text, lines: Lines::default() }
    }

    /// The file's text; `None` when there is no such file.
    ///
    /// # Errors
    /// A problem that names the file when it is no ordinary UTF-8 text of sane size.
    pub fn read(path: &Path) -> Result<Option<Self>, Problem> {
        let label = path.display().to_string();
        let unreadable = |error: std::io::Error| {
            Problem::of_file(&label, format!("this file cannot be read: {error}"))
                .hint("mend its permissions or remove it")
        };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        // Opening a pipe or a device could wait for ever.
        if !metadata.is_file() {
            return Err(Problem::of_file(&label, "this is not an ordinary file; it was not read"));
        }
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_BYTES {
            let hint = format!("a configuration file has at most {} MiB", MAX_BYTES / (1024 * 1024));
            return Err(Problem::of_file(&label, "this file is far too large; it was not read").hint(hint));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Self::new(SourceKind::File, label, text))),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let good = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
                let source = Self::new(SourceKind::File, label, good);
                let end = source.text.len();
                Err(Problem::at(&source, end..end, "this file is not UTF-8 from here on; it was not read")
                    .hint("save it as UTF-8"))
            }
        }
    }

    pub fn of_kind(self, kind: SourceKind) -> Self {
        Self { kind, ..self }
    }

    /// Line ends before the offset, and where they all are.
    fn ends_before(&self, offset: usize) -> (usize, &[usize]) {
        let find = || self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect();
        let ends = self.lines.0.get_or_init(find);
        (ends.partition_point(|end| *end < offset), ends)
    }

    /// The line, from 1, that this byte offset is in.
    pub fn line_of(&self, offset: usize) -> usize {
        self.ends_before(offset).0 + 1
    }

    /// The line that holds the offset: its range without the line end.
    pub fn line_range(&self, offset: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let (before, ends) = self.ends_before(offset.min(bytes.len()));
        let start = before.checked_sub(1).and_then(|last| ends.get(last)).map_or(0, |end| end + 1);
        let end = ends.get(before).copied().unwrap_or(bytes.len());
        let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
        start..end
    }
}

#[cfg(test)]
mod tests;
