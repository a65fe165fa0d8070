//! `list`: a tree with sizes, ignore rules applied, capped per folder and in all.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::args::Args;
use super::limits::{LIST_DEPTH, LIST_LINES, LIST_LINES_PER_FOLDER};
use super::place::Root;
use super::{Answer, PATH, Refusal, Tools};
use crate::config;

pub fn run(tools: &Tools, args: &mut Args) -> Result<Answer, Refusal> {
    let given = args.text(PATH)?.unwrap_or_else(|| ".".into());
    let depth = args.number(&["depth", "max_depth"])?.unwrap_or(LIST_DEPTH).max(1);
    let path = tools.root.existing(&given)?;
    if !path.is_dir() {
        return Err(Refusal::new(format!("{} is a file. Use view to read it.", tools.root.show(&path))));
    }
    tree(&tools.root, &path, depth as usize).map(Answer::text)
}

/// The walk every tool makes: ignore files count with and without git, hidden files are seen, the
/// git folder is not.
pub fn walk(path: &Path) -> WalkBuilder {
    let mut walk = config::walk(path);
    walk.sort_by_file_name(|a, b| a.cmp(b));
    walk
}

pub fn tree(root: &Root, path: &Path, depth: usize) -> Result<String, Refusal> {
    let mut out = format!("{}/\n", root.show(path));
    let (mut lines, mut left_out) = (0usize, 0usize);
    let mut folders: Vec<(PathBuf, usize)> = Vec::new();
    let mut problems = Vec::new();
    for entry in walk(path).max_depth(Some(depth)).build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                problems.push(error.to_string());
                continue;
            }
        };
        if entry.depth() == 0 {
            continue;
        }
        let parent = entry.path().parent().unwrap_or(path);
        while folders.last().is_some_and(|(folder, _)| folder != parent) {
            close(&mut out, &mut folders);
        }
        if folders.is_empty() || folders.last().is_some_and(|(folder, _)| folder != parent) {
            folders.push((parent.to_owned(), 0));
        }
        let shown = folders.last_mut().map_or(0, |(_, count)| {
            *count += 1;
            *count
        });
        if lines >= LIST_LINES {
            left_out += 1;
        } else if shown <= LIST_LINES_PER_FOLDER {
            out.push_str(&line(&entry));
            lines += 1;
        }
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            folders.push((entry.path().to_owned(), 0));
        }
    }
    while !folders.is_empty() {
        close(&mut out, &mut folders);
    }
    if lines == 0 {
        out.push_str("(nothing here, or all of it is ignored)\n");
    }
    if left_out > 0 {
        out.push_str(&format!("[{left_out} more entries; list a folder below, or a smaller depth]\n"));
    }
    for problem in problems.iter().take(5) {
        out.push_str(&format!("[not read: {problem}]\n"));
    }
    Ok(out)
}

fn close(out: &mut String, folders: &mut Vec<(PathBuf, usize)>) {
    if let Some((folder, count)) = folders.pop()
        && count > LIST_LINES_PER_FOLDER
    {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        out.push_str(&format!("[{} more entries in {name}/]\n", count - LIST_LINES_PER_FOLDER));
    }
}

fn line(entry: &ignore::DirEntry) -> String {
    let indent = "  ".repeat(entry.depth() - 1);
    let name = entry.file_name().to_string_lossy().replace(char::is_control, "?");
    let kind = entry.file_type();
    if kind.is_some_and(|kind| kind.is_dir()) {
        return format!("{indent}{name}/\n");
    }
    if kind.is_some_and(|kind| kind.is_symlink()) {
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        return format!("{indent}{name} -> {}\n", target.display());
    }
    let size = entry.metadata().map_or_else(|_| "?".into(), |meta| size(meta.len()));
    format!("{indent}{name} {size}\n")
}

/// `812 B`, `3.4 kB`, `12 MB`.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if value < 9.95 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}
