//! The only writers of configuration files: the first run, and an explicit save of one value; and the
//! private, whole and locked writing that other state files use too.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toml_edit::{Document, Item, Key, Table, TableLike, Value};

use super::load::TEMPLATE;
use super::paths::Paths;

/// Why a value could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{path} cannot be written: {error}; check its permissions")]
    Io { path: String, error: io::Error },
    #[error("{path} is not TOML, so nothing was saved; mend it first (octomind config --validate)")]
    Broken { path: String },
    #[error("{key} cannot be saved in {path}: {reason}")]
    Key { path: String, key: String, reason: String },
}

/// Writes the template when there is no configuration file. True when it did.
///
/// # Errors
/// What the file system says.
pub fn write_template(paths: &Paths) -> io::Result<bool> {
    if fs::symlink_metadata(&paths.config_file).is_ok() {
        return Ok(false);
    }
    make_private_folder(&paths.config_folder)?;
    replace(&paths.config_file, TEMPLATE)?;
    Ok(true)
}

/// Sets one value in a file, keeping comments, order and everything else. `key` is a dotted path;
/// entries of arrays of tables go by name. The file is made when it is not there.
///
/// # Errors
/// When the file is not TOML, the path leads through something that is no table, or writing fails.
/// The file is then as it was.
pub fn set_in_file(path: &Path, key: &str, value: impl Into<Value>) -> Result<(), WriteError> {
    let label = path.display().to_string();
    let failed = |error| WriteError::Io { path: label.clone(), error };
    let refused =
        |reason: &str| WriteError::Key { path: label.clone(), key: key.to_owned(), reason: reason.to_owned() };
    // A link to a file kept elsewhere stays a link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    // Replacing it would need no leave of the file itself.
    if fs::metadata(&path).is_ok_and(|file| file.permissions().readonly()) {
        return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only")));
    }
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed(error)),
    };
    let changed = changed(&text, key, value.into()).map_err(|failure| match failure {
        Failure::Broken => WriteError::Broken { path: label.clone() },
        Failure::Key(reason) => refused(reason),
    })?;
    if let Some(folder) = path.parent() {
        make_private_folder(folder).map_err(failed)?;
    }
    replace(&path, &changed).map_err(failed)
}

#[derive(Debug, PartialEq)]
enum Failure {
    Broken,
    Key(&'static str),
}

fn changed(text: &str, key: &str, value: Value) -> Result<String, Failure> {
    let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let windows = text.contains("\r\n");
    let plain = &text[mark.len()..];
    let document = Document::parse(plain).map_err(|_| Failure::Broken)?;
    let keys = Key::parse(key).map_err(|_| Failure::Key("this is not a dotted key"))?;
    let segments: Vec<&str> = keys.iter().map(Key::get).collect();
    if let Some(known) = value_at(document.as_table(), &segments).and_then(Value::span) {
        let value = value.decorated("", "");
        return Ok(format!("{mark}{}{value}{}", &plain[..known.start], &plain[known.end..]));
    }
    let mut document = document.into_mut();
    set(document.as_table_mut(), &segments, value)?;
    let changed = format!("{mark}{document}");
    Ok(if windows { changed.replace("\r\n", "\n").replace('\n', "\r\n") } else { changed })
}

/// The value that stands there, to be replaced in place: nothing else of the file changes by a byte.
fn value_at<'document>(table: &'document dyn TableLike, segments: &[&str]) -> Option<&'document Value> {
    let (name, rest) = segments.split_first()?;
    let item = table.get(name)?;
    match (item, rest) {
        (Item::Value(value), []) => Some(value),
        (Item::ArrayOfTables(list), [wanted, rest @ ..]) => {
            let entry = list.iter().find(|entry| entry.get("name").and_then(Item::as_str) == Some(*wanted))?;
            value_at(entry, rest)
        }
        _ => value_at(item.as_table_like()?, rest),
    }
}

/// Adds a value that is not there yet.
fn set(table: &mut Table, segments: &[&str], value: Value) -> Result<(), Failure> {
    let Some((name, rest)) = segments.split_first() else { return Err(Failure::Key("the key is empty")) };
    if rest.is_empty() {
        match table.get_mut(name) {
            Some(Item::None) | None => {
                table.insert(name, Item::Value(value));
            }
            Some(_) => return Err(Failure::Key("a table stands there")),
        }
        return Ok(());
    }
    let item = table.entry(name).or_insert_with(|| Item::Table(Table::new()));
    match item {
        Item::Table(inner) => set(inner, rest, value),
        Item::ArrayOfTables(list) => {
            let Some((wanted, rest)) = rest.split_first() else { return Err(Failure::Key("name an entry")) };
            let entry = list.iter_mut().find(|entry| entry.get("name").and_then(Item::as_str) == Some(*wanted));
            set(entry.ok_or(Failure::Key("no entry has this name"))?, rest, value)
        }
        Item::Value(Value::InlineTable(inner)) => match rest {
            [last] => {
                inner.insert(*last, value);
                Ok(())
            }
            _ => Err(Failure::Key("the inline table there is not deep enough")),
        },
        _ => Err(Failure::Key("a value stands where a table is needed")),
    }
}

/// Makes the folder with mode 0700; one that is there keeps its own.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// For opening a file of ours: a new one has mode 0600, whatever the umask lets through.
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Replaces a file whole or not at all. A new file has mode 0600, a known one keeps its own.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let aside = aside(path);
    let outcome = write_aside(&aside, path, text).and_then(|()| fs::rename(&aside, path));
    if outcome.is_err() {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&aside);
    }
    outcome
}

fn write_aside(aside: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = private().write(true).create_new(true).open(aside)?;
    if let Ok(metadata) = fs::metadata(path) {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// How often a held lock is tried again.
const TRY_LOCK_AGAIN: Duration = Duration::from_millis(5);

/// Opens a private file and locks it, waiting at most so long for its holder; `None` when it is still
/// held then. The operating system frees the lock when the file is dropped or its holder dies.
pub fn lock_within(file: &Path, wait: Duration) -> io::Result<Option<File>> {
    // Opening a pipe would wait for its other end.
    if fs::metadata(file).is_ok_and(|found| !found.is_file()) {
        let why = format!("{} is not an ordinary file", file.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let lock = private().create(true).truncate(false).write(true).open(file)?;
    let end = Instant::now() + wait;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(TRY_LOCK_AGAIN),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn aside(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.{}", std::process::id(), now.as_nanos()))
}

#[cfg(test)]
mod tests;
