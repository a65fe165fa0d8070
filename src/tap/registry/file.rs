//! `taps.toml`: which taps are connected, the first with the highest priority.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

use super::{Name, RegistryFault};
use crate::config::{Problem, Source, lock_within, make_private_folder, read_ordinary, replace};
use crate::tap::git::Address;

/// One connected tap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: Name,
    pub from: From,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum From {
    /// A directory of the person's.
    Folder(PathBuf),
    /// Cloned; `None` = from the usual host.
    Address(Option<String>),
}

/// How long another process may hold the file; it only ever does so for a moment.
const PATIENCE: Duration = Duration::from_secs(10);

const HEAD: &str =
    "# The connected taps, the first with the highest priority. Written by `octomind tap`; may be edited.\n\n";

/// What the file says. A bad entry costs itself and is named; a file that is not there is empty.
pub(super) fn read(path: &Path) -> (Vec<Entry>, Vec<Problem>) {
    match Source::read(path) {
        Ok(Some(source)) => entries(&source),
        Ok(None) => (Vec::new(), Vec::new()),
        Err(problem) => (Vec::new(), vec![problem]),
    }
}

fn entries(source: &Source) -> (Vec<Entry>, Vec<Problem>) {
    let (document, errors) = DeTable::parse_recoverable(&source.text);
    let mut broken = Vec::new();
    let mut problems = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let line = source.line_of(span.start);
        if !broken.contains(&line) {
            broken.push(line);
            problems.push(Problem::at(source, span, format!("{}; the tap here was skipped", error.message())));
        }
    }
    let document = document.into_inner();
    let Some((_, taps)) = document.iter().find(|(key, _)| key.get_ref() == "taps") else {
        return (Vec::new(), problems);
    };
    let DeValue::Array(taps) = taps.get_ref() else {
        problems.push(Problem::at(source, taps.span(), "`taps` is no list; no tap was read").hint(EXAMPLE));
        return (Vec::new(), problems);
    };
    let mut entries: Vec<Entry> = Vec::new();
    for (number, spanned) in taps.iter().enumerate() {
        let lines = lines(source, taps, number);
        if broken.iter().any(|line| lines.contains(line)) {
            continue;
        }
        match entry(spanned).and_then(|entry| fits(entry, &entries)) {
            Ok(entry) => entries.push(entry),
            Err(reason) => problems
                .push(Problem::at(source, spanned.span(), format!("{reason}; this tap was skipped")).hint(EXAMPLE)),
        }
    }
    (entries, problems)
}

const EXAMPLE: &str = "[[taps]]\nname = \"user/repo\"";

/// The lines of an entry: to where the next one begins, for its own span is only its head.
fn lines(source: &Source, taps: &DeArray<'_>, number: usize) -> std::ops::Range<usize> {
    let end = taps.get(number + 1).map_or(source.text.len(), |next| next.span().start);
    let start = taps.get(number).map_or(end, |this| this.span().start);
    let first = source.line_of(start);
    first..source.line_of(end).max(first + 1)
}

fn entry(spanned: &Spanned<DeValue<'_>>) -> Result<Entry, String> {
    let DeValue::Table(table) = spanned.get_ref() else { return Err("this is no table".to_owned()) };
    let text = |key: &str| match table.get(key).map(Spanned::get_ref) {
        None => Ok(None),
        Some(DeValue::String(text)) => Ok(Some(text.as_ref())),
        Some(_) => Err(format!("`{key}` is not a string")),
    };
    let name = text("name")?.ok_or("`name` is missing")?;
    let name = Name::parse(name).map_err(|fault| fault.to_string())?;
    let from = match (text("local_path")?, text("url")?) {
        (Some(_), Some(_)) => return Err("it has both `local_path` and `url`".to_owned()),
        (Some(path), None) if Path::new(path).is_absolute() => From::Folder(PathBuf::from(path)),
        (Some(_), None) => return Err("`local_path` is not absolute".to_owned()),
        (None, Some(url)) => {
            Address::parse(url).map_err(|fault| fault.to_string())?;
            From::Address(Some(url.to_owned()))
        }
        (None, None) => From::Address(None),
    };
    Ok(Entry { name, from })
}

fn fits(entry: Entry, known: &[Entry]) -> Result<Entry, String> {
    let name = &entry.name;
    if name.is_built_in() || name.is_starter() {
        return Err(format!("{name} comes with the program and cannot be listed"));
    }
    match known.iter().any(|other| other.name.is(name)) {
        true => Err(format!("{name} is listed twice")),
        false => Ok(entry),
    }
}

/// Adds a tap at the end.
pub(super) fn add(path: &Path, entry: &Entry) -> Result<(), RegistryFault> {
    change(path, |document| {
        if named(document, &entry.name) {
            let from = "by another process".to_owned();
            return Err(RegistryFault::Known { name: entry.name.to_string(), from });
        }
        let head = only_comments(document);
        match document.entry("taps").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
            Item::ArrayOfTables(list) => {
                let mut table = Table::new();
                if let Some(head) = head {
                    table.decor_mut().set_prefix(head);
                }
                for (key, value) in fields(entry) {
                    table.insert(key, Item::Value(Value::from(value)));
                }
                list.push(table);
            }
            Item::Value(Value::Array(list)) => {
                let table: InlineTable = fields(entry).into_iter().collect();
                list.push(table);
            }
            _ => {
                let problem = "`taps` is no list of tables".to_owned();
                return Err(RegistryFault::Broken { path: path.display().to_string(), problem });
            }
        }
        Ok(())
    })
}

/// Comments of a file with nothing else in it; they belong before what is added.
fn only_comments(document: &mut DocumentMut) -> Option<String> {
    if !document.as_table().is_empty() {
        return None;
    }
    let head = document.trailing().as_str().map(str::to_owned);
    document.set_trailing("");
    head
}

fn fields(entry: &Entry) -> Vec<(&'static str, String)> {
    let mut fields = vec![("name", entry.name.to_string())];
    match &entry.from {
        From::Folder(path) => fields.push(("local_path", path.display().to_string())),
        From::Address(Some(url)) => fields.push(("url", url.clone())),
        From::Address(None) => {}
    }
    fields
}

/// Removes every entry of this name, also one that reading skips. False when there is none.
pub(super) fn remove(path: &Path, name: &Name) -> Result<bool, RegistryFault> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(false);
    }
    change(path, |document| {
        let found = named(document, name);
        match document.get_mut("taps") {
            Some(Item::ArrayOfTables(list)) => list.retain(|table| !is(table.get("name").and_then(Item::as_str), name)),
            Some(Item::Value(Value::Array(list))) => list.retain(|value| !is(inline_name(value), name)),
            _ => {}
        }
        Ok(found)
    })
}

fn named(document: &DocumentMut, name: &Name) -> bool {
    match document.get("taps") {
        Some(Item::ArrayOfTables(list)) => list.iter().any(|table| is(table.get("name").and_then(Item::as_str), name)),
        Some(Item::Value(Value::Array(list))) => list.iter().any(|value| is(inline_name(value), name)),
        _ => false,
    }
}

fn is(text: Option<&str>, name: &Name) -> bool {
    text.and_then(|text| Name::parse(text).ok()).is_some_and(|other| other.is(name))
}

fn inline_name(value: &Value) -> Option<&str> {
    value.as_inline_table()?.get("name")?.as_str()
}

/// Reads, changes and replaces the file while no other process does.
fn change<Value>(
    path: &Path,
    edit: impl FnOnce(&mut DocumentMut) -> Result<Value, RegistryFault>,
) -> Result<Value, RegistryFault> {
    let disk = |error: &std::io::Error| RegistryFault::disk(path, error);
    if let Some(folder) = path.parent() {
        make_private_folder(folder).map_err(|error| disk(&error))?;
    }
    let _lock = lock(path)?;
    // A link to a file kept elsewhere stays a link.
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let text = match read_ordinary(&real).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
    }) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(disk(&error)),
    };
    let broken = |problem: String| RegistryFault::Broken { path: path.display().to_string(), problem };
    let mut document: DocumentMut = text
        .trim_start_matches('\u{feff}')
        .parse()
        .map_err(|error: toml_edit::TomlError| broken(error.message().to_owned()))?;
    let value = edit(&mut document)?;
    replace(&real, &document.to_string()).map_err(|error| disk(&error))?;
    Ok(value)
}

/// The lock is a file beside it: the file itself is replaced at each change.
fn lock(path: &Path) -> Result<File, RegistryFault> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".lock");
    let beside = path.with_file_name(name);
    let disk = |error: std::io::Error| RegistryFault::disk(&beside, &error);
    lock_within(&beside, PATIENCE).map_err(disk)?.ok_or_else(|| {
        let reason = "another process holds it; try again".to_owned();
        RegistryFault::Disk { path: path.display().to_string(), reason }
    })
}
