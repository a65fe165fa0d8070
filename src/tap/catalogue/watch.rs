//! What of the disk has to be looked at so that no change of the catalogue is missed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::build::Places;
use super::jobs::PARTS;

/// The folders that parts are read from, there or not.
pub(super) fn targets(places: &Places) -> Vec<PathBuf> {
    let taps = places.taps.iter().flat_map(|tap| PARTS.iter().map(|part| tap.root.join(part)));
    let agents = [Some(places.workdir.join(".agents")), places.user.clone()];
    let folders = agents.into_iter().flatten().flat_map(|folder| [folder.join("skills"), folder.join("plugins")]);
    taps.chain(folders).chain(places.generated.clone()).collect()
}

/// What to watch: each target with everything in it, and the nearest folder above it that is there, so
/// that its coming and going is seen.
pub(super) fn watched(targets: &[PathBuf]) -> BTreeMap<PathBuf, RecursiveMode> {
    let mut watched = BTreeMap::new();
    for target in targets {
        let mut above = target.ancestors().skip(1).filter(|path| path.is_dir());
        // Two levels: a tap's folder may be put in place of another as a whole.
        for folder in above.by_ref().take(2) {
            watched.entry(folder.to_path_buf()).or_insert(RecursiveMode::NonRecursive);
        }
        if target.is_dir() {
            watched.insert(target.clone(), RecursiveMode::Recursive);
        }
    }
    watched
}

/// Whether an event can change what is read from the targets.
pub(super) fn concerns(event: &Event, targets: &[PathBuf]) -> bool {
    let writes = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    };
    let near = |path: &Path| targets.iter().any(|target| path.starts_with(target) || target.starts_with(path));
    writes && (event.need_rescan() || event.paths.iter().any(|path| near(path)))
}

/// Holds the watches; they end with it.
#[derive(Debug)]
pub(super) struct Watch {
    _watcher: Option<RecommendedWatcher>,
    /// What could not be watched, and why.
    pub failed: Option<String>,
}

/// Watches all of them, as far as the system lets it.
pub(super) fn watch(targets: Vec<PathBuf>, mut changed: impl FnMut() + Send + 'static) -> Watch {
    let folders = watched(&targets);
    let handler = move |event: notify::Result<Event>| {
        // An error may stand for changes that were not seen.
        if event.map_or(true, |event| concerns(&event, &targets)) {
            changed();
        }
    };
    let mut watcher = match notify::recommended_watcher(handler) {
        Ok(watcher) => watcher,
        Err(error) => return Watch { _watcher: None, failed: Some(error.to_string()) },
    };
    let mut failed = Vec::new();
    for (folder, mode) in folders {
        if let Err(error) = watcher.watch(&folder, mode) {
            failed.push(format!("{}: {error}", folder.display()));
        }
    }
    let failed = failed.first().map(|first| match failed.len() {
        1 => format!("a folder cannot be watched: {first}"),
        count => format!("{count} folders cannot be watched, the first is {first}"),
    });
    Watch { _watcher: Some(watcher), failed }
}
