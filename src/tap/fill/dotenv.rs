//! Adding a line to a `.env` file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::KeepError;
use super::inputs::make_private;
use crate::config::{read_ordinary, replace};

/// Appends `NAME=value`, keeping every line that is there, and gives back the line's number. A later
/// line wins over an earlier one of the same name, so an empty one above does no harm.
///
/// # Errors
/// When the file cannot be written, or is a link.
pub fn append(path: &Path, name: &str, value: &str) -> Result<usize, KeepError> {
    let label = path.display().to_string();
    let io = |error| KeepError::Io { path: label.clone(), error };
    let assignment = format!("{name}={}", quoted(value)?);
    let Some(target) = target(path).map_err(io)? else { return Err(KeepError::LinkedAway { path: label }) };
    let mut bytes = match read_ordinary(&target) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(io(error)),
    };
    // Not ours to repair; appending to it would lose nothing, but rewriting it as text would.
    let mut text = String::from_utf8(std::mem::take(&mut bytes))
        .map_err(|_| io(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8")))?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(line) = last_line_is(&text, &assignment) {
        return Ok(line);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(end);
    }
    let line = text.matches('\n').count() + 1;
    text.push_str(&assignment);
    text.push_str(end);
    make_private(&target).and_then(|()| replace(&target, &text)).map_err(io)?;
    Ok(line)
}

fn last_line_is(text: &str, assignment: &str) -> Option<usize> {
    (text.lines().last() == Some(assignment)).then(|| text.lines().count())
}

/// The file; `None` when it is a link: a project must not choose which file gets a secret, be it of the
/// person or one that goes with the next commit.
fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Ok(None),
        Ok(metadata) if !metadata.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not an ordinary file"))
        }
        Ok(_) => Ok(Some(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(path.to_owned())),
        Err(error) => Err(error),
    }
}

/// The value so that it is read back as it is.
fn quoted(value: &str) -> Result<String, KeepError> {
    if value.contains('\0') {
        return Err(KeepError::Unfit("variable"));
    }
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:@%+,=?&~^*!;|<>[]()".contains(letter);
    if value.chars().all(plain) {
        return Ok(value.to_owned());
    }
    let mut text = String::from("\"");
    for letter in value.chars() {
        match letter {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' | '\\' | '$' => text.extend(['\\', letter]),
            letter => text.push(letter),
        }
    }
    text.push('"');
    Ok(text)
}
