//! Where paths of taps, plugins and skills may lead.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::tap::SkillSource;

/// Folders, resolved, that links may lead into.
#[derive(Debug, Clone, Default)]
pub struct Roots(Vec<PathBuf>);

/// Why a path is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("it is a link to nothing")]
    Dangling,
    #[error("it is a link that leads back to itself")]
    Loop,
    #[error("it is a link to {}, which is outside {}", .0.display(), .1.display())]
    Outside(PathBuf, PathBuf),
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl Roots {
    pub fn new(folder: &Path) -> Self {
        Self(folder.canonicalize().into_iter().collect())
    }

    /// The roots of a source, told from any path below it. A tap: its folder. A project: the working
    /// directory. The person's own folder: their home, so that kept elsewhere and linked is fine. A
    /// plugin: its folder.
    pub fn of(source: &SkillSource, within: &Path) -> Self {
        let named = |name: &str| within.ancestors().find(|folder| folder.file_name().is_some_and(|last| last == name));
        let root = match source {
            SkillSource::Tap(tap) => Some(tap.root.as_path()),
            SkillSource::Workdir => named(".agents").and_then(Path::parent),
            SkillSource::User => named(".config").and_then(Path::parent).or_else(|| named("agents")),
            SkillSource::Plugin(_) => within.ancestors().find(|folder| folder.join("plugin.json").is_file()),
            SkillSource::Generated => None,
        };
        Self::new(root.filter(|root| !root.as_os_str().is_empty()).unwrap_or(within))
    }

    /// The path without links, if it lies inside.
    ///
    /// # Errors
    /// Why it must not be followed.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Refusal> {
        let real = path.canonicalize().map_err(|error| match error.kind() {
            ErrorKind::NotFound => Refusal::Dangling,
            // ELOOP has no stable kind.
            _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Refusal::Loop,
            _ => Refusal::Unreadable(error.to_string()),
        })?;
        if self.0.iter().any(|root| real.starts_with(root)) {
            return Ok(real);
        }
        Err(Refusal::Outside(real, self.0.first().cloned().unwrap_or_default()))
    }
}
