//! Where a path leads: resolved against the root, and whether it may be written.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::Refusal;

/// The launch directory; reading is free, writing stays below it.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
}

/// Names offered when a path does not exist.
const NEAREST: usize = 3;

impl Root {
    pub fn new(path: &Path) -> io::Result<Self> {
        Ok(Self { path: fs::canonicalize(path)? })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An absolute path, not yet looked at. Accepts `~/` and `file://`.
    pub fn absolute(&self, given: &str) -> PathBuf {
        let given = given.trim();
        let given = given.strip_prefix("file://").unwrap_or(given);
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let path = match (given.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if given == "~" => PathBuf::from(std::env::var_os("HOME").unwrap_or_default()),
            _ => self.path.join(given),
        };
        lexical(&path)
    }

    /// The path as it is shown: relative to the root when it is below it.
    pub fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.path) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".into(),
            Ok(rest) => rest.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// The real file behind a path that must exist.
    pub fn existing(&self, given: &str) -> Result<PathBuf, Refusal> {
        let path = self.absolute(given);
        fs::canonicalize(&path).map_err(|error| self.unreachable(&path, &error))
    }

    /// The real file behind a path that will be written; it need not exist.
    pub fn writable(&self, given: &str) -> Result<PathBuf, Refusal> {
        let path = self.absolute(given);
        let real = match fs::canonicalize(&path) {
            Ok(real) => real,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                self.future(&path)?
            }
            Err(error) => return Err(self.unreachable(&path, &error)),
        };
        if real.starts_with(&self.path) {
            return Ok(real);
        }
        Err(Refusal::new(format!(
            "{} is outside {}, and these tools write only inside it. Choose a path below it.",
            real.display(),
            self.path.display()
        )))
    }

    /// The real place of a file that does not exist: its nearest existing folder, then the rest.
    fn future(&self, path: &Path) -> Result<PathBuf, Refusal> {
        if fs::symlink_metadata(path).is_ok() {
            return Err(Refusal::new(format!(
                "{} is a link to a file that does not exist. Write to the file it should lead to.",
                self.show(path)
            )));
        }
        if path.to_string_lossy().contains(char::is_control) {
            return Err(Refusal::new(format!(
                "The path {:?} has a line break or another control character in it. Choose a name without.",
                path.display().to_string()
            )));
        }
        let mut rest = Vec::new();
        let mut folder = path;
        loop {
            let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
                return Err(Refusal::new(format!("{} is not a path to a file.", path.display())));
            };
            rest.push(name);
            folder = parent;
            match fs::canonicalize(folder) {
                Ok(real) if real.is_dir() => return Ok(rest.iter().rev().fold(real, |path, name| path.join(name))),
                Ok(real) => {
                    return Err(Refusal::new(format!("{} is a file, not a folder.", self.show(&real))));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(folder).is_err() => {}
                Err(error) => return Err(self.unreachable(folder, &error)),
            }
        }
    }

    fn unreachable(&self, path: &Path, error: &io::Error) -> Refusal {
        let shown = self.show(path);
        match error.kind() {
            io::ErrorKind::NotFound => {
                let near = nearest(path);
                let hint = if near.is_empty() {
                    "Look with list or search.".to_owned()
                } else {
                    let near: Vec<_> = near.iter().map(|path| self.show(path)).collect();
                    format!("Did you mean {}?", near.join(" or "))
                };
                Refusal::new(format!("There is no {shown}. {hint}"))
            }
            io::ErrorKind::PermissionDenied => Refusal::new(format!("Not allowed to open {shown}.")),
            _ => Refusal::new(format!("Cannot open {shown}: {error}.")),
        }
    }
}

/// Removes `.` and `..` without looking at the disk.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// Entries with the most similar names, in the nearest folder that exists.
fn nearest(path: &Path) -> Vec<PathBuf> {
    let mut wanted = path;
    let folder = loop {
        match wanted.parent() {
            Some(parent) if parent.is_dir() => break parent,
            Some(parent) => wanted = parent,
            None => return Vec::new(),
        }
    };
    let Some(name) = wanted.file_name().map(|name| name.to_string_lossy().to_lowercase()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut scored: Vec<(f32, PathBuf)> = entries
        .take(2_000)
        .flatten()
        .map(|entry| {
            let other = entry.file_name().to_string_lossy().to_lowercase();
            (similar::TextDiff::from_chars(name.as_str(), other.as_str()).ratio(), entry.path())
        })
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(NEAREST).map(|(_, path)| path).collect()
}
