//! Writing one value to the file that says it. Blocking.

use std::path::{Path, PathBuf};

use super::{Loaded, Origin, Source, SourceKind, Sources, load, set_in_file};

/// Where a value was written, and where it stands now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub file: String,
    pub origin: Origin,
}

/// Writes the value to the file that says it now, or to the main one when none does. Nothing else of the
/// file changes.
///
/// # Errors
/// Why it is not written, one clause for the person.
pub fn save(loaded: &Loaded, main: &Path, key: &str, to: impl Into<toml_edit::Value>) -> Result<Saved, String> {
    let path = match read_again(loaded)?.origins.of(key) {
        Origin::Project { file, .. } => {
            return Err(format!("{file} of the project says so, which is not written from here"));
        }
        Origin::File { file, .. } => PathBuf::from(file),
        Origin::BuiltIn | Origin::Template | Origin::CommandLine { .. } | Origin::Session => main.to_owned(),
    };
    if !path.exists() {
        return Err(format!("{} is not there; octomind writes it when it starts", path.display()));
    }
    set_in_file(&path, key, to).map_err(|error| error.to_string())?;
    let file = path.display().to_string();
    match read_again(loaded)?.origins.of(key) {
        origin @ Origin::File { .. } => Ok(Saved { file, origin }),
        other => Err(format!("it was written to {file}, but {other} says otherwise")),
    }
}

/// What the files say now, without the command line. A person may have edited them meanwhile.
fn read_again(loaded: &Loaded) -> Result<Loaded, String> {
    let fresh = |known: &Source| {
        let read = Source::read(Path::new(&known.label)).map_err(|problem| problem.headline())?;
        Ok::<_, String>(read.map(|source| source.of_kind(known.kind)))
    };
    let mut files = Vec::new();
    for known in &loaded.sources.files {
        files.extend(fresh(known)?);
    }
    let project = match &loaded.sources.project {
        Some(known) => fresh(known)?.map(|source| source.of_kind(SourceKind::Project)),
        None => None,
    };
    Ok(load(&Sources { files, project, ..Sources::default() }))
}

#[cfg(test)]
mod tests;
