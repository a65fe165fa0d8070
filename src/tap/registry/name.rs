//! What a tap is called, and where that puts it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::RegistryFault;

/// `owner/repo`; the repository itself is called `octomind-repo`. Both parts are safe as folder names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    owner: String,
    repo: String,
}

/// What the repositories of taps are called by.
const PREFIX: &str = "octomind-";
const LONGEST: usize = 100;

impl Name {
    /// Also takes the name with its prefix, as the repository is called.
    ///
    /// # Errors
    /// When it is not two plain words with a slash between them.
    pub fn parse(text: &str) -> Result<Self, RegistryFault> {
        let refused = || RegistryFault::Name { name: crate::text::sanitize_line(text).into_owned() };
        let (owner, repo) = text.split_once('/').ok_or_else(refused)?;
        let repo = repo.strip_prefix(PREFIX).unwrap_or(repo);
        if !is_plain(owner) || !is_plain(repo) {
            return Err(refused());
        }
        Ok(Self { owner: owner.to_owned(), repo: repo.to_owned() })
    }

    pub fn built_in() -> Self {
        Self { owner: "muvon".to_owned(), repo: "tap".to_owned() }
    }

    /// Hosts do not tell names apart by case, so neither does this.
    pub fn is(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.repo.eq_ignore_ascii_case(&other.repo)
    }

    pub fn is_built_in(&self) -> bool {
        self.is(&Self::built_in())
    }

    /// The name of the tap that comes with the binary cannot be taken.
    pub fn is_starter(&self) -> bool {
        self.to_string().eq_ignore_ascii_case(crate::tap::starter::NAME)
    }

    /// Below the folder of all taps.
    pub fn folder(&self, taps: &Path) -> PathBuf {
        taps.join(&self.owner).join(format!("{PREFIX}{}", self.repo))
    }

    /// Below the folder of fetch records.
    pub(super) fn record(&self, records: &Path) -> PathBuf {
        records.join(&self.owner).join(format!("{}.json", self.repo))
    }

    pub fn address(&self, host: &str) -> String {
        format!("{}/{}/{PREFIX}{}", host.trim_end_matches('/'), self.owner, self.repo)
    }

    pub fn owner(&self) -> &str {
        &self.owner
    }

    pub fn repo(&self) -> &str {
        &self.repo
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.repo)
    }
}

/// Letters, digits, `-`, `_` and `.`, beginning with a letter or digit: no `..`, no hidden folder, no option.
fn is_plain(word: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    word.len() <= LONGEST
        && word.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && word.chars().all(fits)
        && !word.contains("..")
        && !word.ends_with('.')
        && !word.to_ascii_lowercase().ends_with(".git")
}
