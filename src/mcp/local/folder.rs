//! Finding the scripts of a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::header::{self, LocalTool};
use crate::mcp::{Listing, RawTool};

/// Bytes of a script that are read for its header: 80 lines of any sane length.
const HEADER_BYTES: u64 = 64 * 1024;

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 500;

/// The tools of a folder by name, and what is no tool, with the reason.
#[derive(Debug, Default)]
pub struct Scan {
    pub tools: Vec<(String, LocalTool)>,
    pub rejected: Vec<(String, String)>,
}

impl Scan {
    /// The tools as they are in a copy of the folder; what is no tool here is none there.
    pub fn taken_from(self, copy: Self) -> Self {
        let known = |name: &String| self.tools.iter().any(|(own, _)| own == name);
        let tools = copy.tools.into_iter().filter(|(name, _)| known(name)).collect();
        Self { tools, rejected: self.rejected }
    }

    pub fn listing(self) -> Listing {
        let mut rejected = self.rejected;
        let tools = self.tools.into_iter().map(|(name, tool)| {
            rejected.extend(tool.skipped.iter().map(|(line, why)| (format!("{name}, line {line}"), format!("{why}."))));
            RawTool {
                schema: tool.schema(),
                description: tool.description,
                name,
                // A script says nothing about its effects, so nothing is claimed.
                read_only: None,
                destructive: None,
            }
        });
        let tools = tools.collect();
        Listing { tools, rejected }
    }
}

/// A folder that does not exist has no tools.
pub fn scan(folder: &Path) -> Result<Scan, String> {
    let mut scan = Scan::default();
    let cannot = |error: io::Error| format!("Cannot read {}: {error}.", folder.display());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(scan),
        Err(error) => return Err(cannot(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(cannot)?.file_name());
    }
    names.sort();
    let more = names.len().saturating_sub(MOST_ENTRIES);
    for name in names.into_iter().take(MOST_ENTRIES) {
        let shown = name.to_string_lossy().into_owned();
        match look(folder, &shown) {
            Ok((_, tool)) => scan.tools.push((shown, tool)),
            Err(why) => scan.rejected.push((shown, why)),
        }
    }
    if more > 0 {
        scan.rejected.push(("…".into(), format!("{more} more entries; only {MOST_ENTRIES} are looked at.")));
    }
    Ok(scan)
}

/// The script behind a name, checked by the same rules as a listing.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf, String> {
    look(folder, name).map(|(script, _)| script).map_err(|why| format!("There is no local tool {name}: {why}"))
}

fn look(folder: &Path, name: &str) -> Result<(PathBuf, LocalTool), String> {
    check_name(name)?;
    let script = folder.join(name);
    let real = fs::canonicalize(&script).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if fs::symlink_metadata(&script).is_ok() => "its link leads nowhere.".to_owned(),
        io::ErrorKind::NotFound => "there is no such file.".to_owned(),
        _ => format!("{error}."),
    })?;
    let home = fs::canonicalize(folder).map_err(|error| format!("{error}."))?;
    if !real.starts_with(&home) {
        return Err(format!("its link leads out of the folder, to {}.", real.display()));
    }
    let meta = fs::metadata(&real).map_err(|error| format!("{error}."))?;
    if meta.is_dir() {
        return Err("it is a folder.".into());
    }
    if !meta.is_file() {
        return Err("it is not a regular file.".into());
    }
    if !executable(&meta) {
        return Err(format!("it is not executable; use chmod +x {name}."));
    }
    let mut head = Vec::new();
    let read = File::open(&real).and_then(|file| file.take(HEADER_BYTES).read_to_end(&mut head));
    read.map_err(|error| format!("it cannot be read: {error}."))?;
    let tool = header::parse(&String::from_utf8_lossy(&head)).map_err(|fault| format!("{fault}."))?;
    Ok((script, tool))
}

fn check_name(name: &str) -> Result<(), String> {
    if name.starts_with('.') {
        return Err("hidden files are no tools.".into());
    }
    if let Some((stem, _)) = name.split_once('.') {
        return Err(format!("a tool is called by its file's name, which has no dot in it: rename it to {stem}."));
    }
    if name.starts_with('-') {
        return Err("a tool's name does not begin with a dash.".into());
    }
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Err("a tool's name has only letters, digits, _ and -.".into());
    }
    Ok(())
}

#[cfg(unix)]
fn executable(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &fs::Metadata) -> bool {
    true
}
