//! A text that configuration is read from, and places in it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;

use super::problem::Problem;

/// A configuration file larger than this many bytes is a mistake, and is not read.
const MAX_BYTES: u64 = 1024 * 1024;

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
    pub text: String,
}

impl Source {
    pub fn new(kind: SourceKind, label: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Self { kind, label: label.into(), text }
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

    /// The line, from 1, that this byte offset is in.
    pub fn line_of(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    /// The line that holds the offset: its range without the line end.
    pub fn line_range(&self, offset: usize) -> Range<usize> {
        let bytes = self.text.as_bytes();
        let offset = offset.min(bytes.len());
        let start = bytes[..offset].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = bytes[offset..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| offset + at);
        let end = if end > start && bytes[end - 1] == b'\r' { end - 1 } else { end };
        start..end
    }
}
