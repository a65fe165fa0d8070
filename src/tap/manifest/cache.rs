//! Manifests kept aside: `<data>/agents/<domain>/<spec>.toml`.
//!
//! A clone can be half written while it is refreshed, or gone; then the manifest that was last read
//! from it still starts the agent. What a person edits is never kept from them: a linked tap is always
//! read itself, and so is a clone whose file is newer than what was kept.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::config::{self, Problem, Source};
use crate::tap::{Agent, Tag, TapKind};

/// Where manifests are kept and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// `Paths::agents`.
    pub folder: PathBuf,
    /// `[registry] cache_ttl_hours`.
    pub time_to_live: Duration,
}

/// A manifest that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cached {
    pub age: Duration,
    pub against_tap: AgainstTap,
}

/// How what is kept compares with the tap's own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgainstTap {
    UpToDate,
    /// The tap's file was written later.
    Older,
    /// The tap's file cannot be read at the moment.
    Unreadable,
}

/// What to do about a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheUse {
    /// Read the tap's file; nothing is kept of it.
    Tap,
    /// Read the tap's file and keep it.
    TapThenKeep,
    /// Use what is kept.
    Fresh,
    /// Use what is kept, and have the tap refreshed meanwhile.
    Stale,
}

/// A manifest's text and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub source: Source,
    pub used: CacheUse,
    /// Why the manifest could not be kept, if it should have been.
    pub not_kept: Option<String>,
}

impl Fetched {
    /// Whether the tap is due for a refresh in the background.
    pub fn wants_refresh(&self) -> bool {
        self.used == CacheUse::Stale
    }
}

/// What to do, by the age of what is kept, how long it counts as fresh, and the kind of tap. Only a
/// clone is ever served from what is kept.
pub fn decide(cached: Option<Cached>, time_to_live: Duration, kind: &TapKind) -> CacheUse {
    match (kind, cached) {
        (TapKind::Linked | TapKind::Starter, _) => CacheUse::Tap,
        (TapKind::Clone { .. } | TapKind::BuiltIn { .. }, None) => CacheUse::TapThenKeep,
        (_, Some(Cached { against_tap: AgainstTap::Older, .. })) => CacheUse::TapThenKeep,
        (_, Some(cached)) if cached.age < time_to_live => CacheUse::Fresh,
        (_, Some(_)) => CacheUse::Stale,
    }
}

/// Reads an agent's manifest, from what is kept or from its tap.
///
/// # Errors
/// When neither can be read: the problem with the tap's file.
pub fn fetch(agent: &Agent, cache: &Cache, now: SystemTime) -> Result<Fetched, Problem> {
    let kept = Kept::of(cache, agent);
    let used = decide(kept.state(agent, now), cache.time_to_live, &agent.tap.kind);
    if matches!(used, CacheUse::Fresh | CacheUse::Stale)
        && let Some(text) = kept.text()
    {
        // Messages name the file that its author knows.
        let source = Source::new(config::SourceKind::File, agent.file.display().to_string(), text);
        return Ok(Fetched { source, used, not_kept: None });
    }
    let source = Source::read(&agent.file)?.ok_or_else(|| {
        Problem::of_file(
            &agent.file.display().to_string(),
            format!("the manifest of {} is not there any more", agent.tag),
        )
        .hint("refresh or reconnect its tap")
    })?;
    let keep = used != CacheUse::Tap;
    let not_kept = if keep { kept.write(&source.text).err().map(|error| error.to_string()) } else { None };
    let used = if keep { CacheUse::TapThenKeep } else { CacheUse::Tap };
    Ok(Fetched { source, used, not_kept })
}

/// The kept manifest of an agent. Its first line names the tap, so that another tap's is never taken
/// for it.
struct Kept {
    file: PathBuf,
    mark: String,
}

impl Kept {
    fn of(cache: &Cache, agent: &Agent) -> Self {
        let Tag { domain, spec, .. } = &agent.tag;
        let file = cache.folder.join(domain).join(format!("{spec}.toml"));
        Self { file, mark: format!("# kept from {}\n", agent.tap.name) }
    }

    fn state(&self, agent: &Agent, now: SystemTime) -> Option<Cached> {
        let written = modified(&self.file)?;
        self.text()?;
        let against_tap = match modified(&agent.file) {
            None => AgainstTap::Unreadable,
            Some(tap) if tap > written => AgainstTap::Older,
            Some(_) => AgainstTap::UpToDate,
        };
        Some(Cached { age: now.duration_since(written).unwrap_or_default(), against_tap })
    }

    fn text(&self) -> Option<String> {
        let source = Source::read(&self.file).ok()??;
        source.text.strip_prefix(self.mark.as_str()).map(str::to_owned)
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        if let Some(folder) = self.file.parent() {
            config::make_private_folder(folder)?;
        }
        config::replace(&self.file, &format!("{}{text}", self.mark))
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}
