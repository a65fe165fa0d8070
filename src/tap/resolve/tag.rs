//! `domain:spec[-sub][@version]`.

use crate::tap::{Tag, Uses};

/// Longest part of a tag, in bytes: it is a file name.
const LONGEST_PART: usize = 64;

/// Why a text is no tag.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    #[error("it has no colon; a tag is domain:agent")]
    NoColon,
    #[error("it has more than one colon; a tag is domain:agent")]
    ManyColons,
    #[error("its {0} is empty; a tag is domain:agent")]
    Empty(&'static str),
    #[error("its {0} may have letters, digits, - and _ only, and begins with a letter or digit")]
    Letters(&'static str),
    #[error("its {0} is longer than {LONGEST_PART} characters")]
    Long(&'static str),
}

impl Tag {
    /// Reads `domain:spec[-sub][@version]`.
    ///
    /// # Errors
    /// What keeps it from being a tag.
    pub fn parse(text: &str) -> Result<Self, TagError> {
        let (name, version) = split_version(text.trim())?;
        let (domain, spec) = name.split_once(':').ok_or(TagError::NoColon)?;
        if spec.contains(':') {
            return Err(TagError::ManyColons);
        }
        check("domain", domain)?;
        check("agent name", spec)?;
        Ok(Self { domain: domain.to_owned(), spec: spec.to_owned(), version })
    }

    /// The chief of a domain.
    ///
    /// # Errors
    /// What keeps the name from being a domain.
    pub fn chief_of(domain: &str) -> Result<Self, TagError> {
        check("domain", domain)?;
        Ok(Self { domain: domain.to_owned(), spec: super::CHIEF.to_owned(), version: None })
    }

    pub fn is_chief(&self) -> bool {
        self.spec == super::CHIEF
    }
}

impl Uses {
    /// An entry of a `# Uses:` header.
    ///
    /// # Errors
    /// What keeps it from being one.
    pub fn parse(entry: &str) -> Result<Self, TagError> {
        match entry.trim() {
            "*" => Ok(Self::EveryChief),
            entry if entry.contains(':') => Tag::parse(entry).map(Self::Agent),
            entry => check("domain", entry).map(|()| Self::Domain(entry.to_owned())),
        }
    }
}

/// A name and the version after its `@`.
pub(super) fn split_version(text: &str) -> Result<(&str, Option<String>), TagError> {
    match text.split_once('@') {
        None => Ok((text, None)),
        Some((_, version)) if version.trim().is_empty() => Err(TagError::Empty("version")),
        Some((name, version)) => Ok((name, Some(version.trim().to_owned()))),
    }
}

/// Whether this can be a part of a tag, and so a file name.
pub(super) fn check(part: &'static str, text: &str) -> Result<(), TagError> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if text.is_empty() {
        Err(TagError::Empty(part))
    } else if text.len() > LONGEST_PART {
        Err(TagError::Long(part))
    } else if !text.chars().all(good) || text.starts_with(['-', '_']) {
        Err(TagError::Letters(part))
    } else {
        Ok(())
    }
}
