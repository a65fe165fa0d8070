//! Where a repository is fetched from.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use reqwest::Url;

use super::fault::GitFault;

/// An address that can be fetched from: `https://…`, `file:///…`, and `http://…` on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Http(Url),
    File(PathBuf),
}

impl Address {
    /// Whether the text is meant as an address rather than a name or a path.
    pub fn looks_like(text: &str) -> bool {
        text.contains("://") || text.starts_with("git@")
    }

    /// # Errors
    /// When it is of another kind, holds a password, or is not encrypted and leads to another machine.
    pub fn parse(text: &str) -> Result<Self, GitFault> {
        // What stands before an `@` may be a password.
        let bare = text.rsplit_once('@').map_or(text, |(_, rest)| rest);
        let shown = || crate::text::sanitize_line(bare).into_owned();
        let refused = |address: String, reason: &str| GitFault::Address { address, reason: reason.to_owned() };
        let url = Url::parse(text).map_err(|_| refused(shown(), "write it as https://host/user/repository"))?;
        if !matches!(url.scheme(), "https" | "http" | "file") {
            return Err(refused(shown(), "only https and file addresses can be used"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let reason = "names and passwords are not kept in addresses; clone it with git and connect the folder";
            return Err(refused(shown(), reason));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(refused(shown(), "it has a `?` or `#` part; leave that out"));
        }
        match url.scheme() {
            "https" => Ok(Self::Http(url)),
            "http" if is_here(&url) => Ok(Self::Http(url)),
            "http" => Err(refused(shown(), "scripts that run here must not come unencrypted; use https")),
            _ => url.to_file_path().map(Self::File).map_err(|()| refused(shown(), "write it as file:///absolute/path")),
        }
    }

    /// The parts of the path, the last without `.git`.
    pub fn segments(&self) -> Vec<String> {
        let whole = match self {
            Self::Http(url) => url.path().to_owned(),
            Self::File(path) => path.to_string_lossy().into_owned(),
        };
        let path = whole.trim_end_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
        path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// Who is asked, for messages.
    pub fn host(&self) -> String {
        match self {
            Self::Http(url) => url.host_str().unwrap_or_default().to_owned(),
            Self::File(path) => path.display().to_string(),
        }
    }

    pub(super) fn as_git(&self) -> Result<String, GitFault> {
        match self {
            Self::Http(url) => Ok(url.to_string()),
            Self::File(path) => Url::from_file_path(path).map(|url| url.to_string()).map_err(|()| GitFault::Address {
                address: path.display().to_string(),
                reason: "the path is not absolute".to_owned(),
            }),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(url) => write!(formatter, "{}", url.as_str().trim_end_matches('/')),
            Self::File(path) => write!(formatter, "file://{}", path.display()),
        }
    }
}

/// Whether the address is of this very machine.
pub(super) fn is_here(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        host == "localhost"
            || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}
