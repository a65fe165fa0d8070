//! Why a repository was not fetched.

use crate::text::human;

/// One plain sentence each, with what to do where something can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitFault {
    #[error("`{address}` cannot be fetched from: {reason}")]
    Address { address: String, reason: String },
    #[error("{host} cannot be reached ({reason}); check the network and the proxy settings")]
    Unreachable { host: String, reason: String },
    #[error(
        "{address} wants a password: it is private or does not exist; check the name, or clone it with git and \
         connect the folder"
    )]
    Password { address: String },
    #[error("{address} does not exist; check the name")]
    Missing { address: String },
    #[error("{address} holds no git repository ({reason})")]
    NoRepository { address: String, reason: String },
    #[error("{address} is empty; nothing was committed yet")]
    Empty { address: String },
    #[error("{host} answered {status}; try again later")]
    Server { host: String, status: u16 },
    #[error("{host} sent nothing for {} s, so the transfer was ended; try again later", .seconds)]
    Silent { host: String, seconds: u64 },
    #[error("the transfer took longer than {} s, so it was ended; try again later", .seconds)]
    Slow { seconds: u64 },
    #[error("{host} lists more branches and tags than {} hold, more than a tap may have", human::bytes(*.limit))]
    Listed { host: String, limit: u64 },
    #[error("the repository is larger than {}, more than a tap may have", human::bytes(*.limit))]
    Large { limit: u64 },
    #[error("the repository has more than {limit} files and folders, more than a tap may have")]
    Many { limit: usize },
    #[error("the repository was refused whole: `{path}` {reason}")]
    Unsafe { path: String, reason: &'static str },
    #[error("the transfer was stopped")]
    Stopped,
    #[error("{path} cannot be written: {reason}")]
    Disk { path: String, reason: String },
    #[error("git failed: {0}")]
    Git(String),
}

impl GitFault {
    pub(super) fn disk(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Disk { path: path.display().to_string(), reason: error.to_string() }
    }
}

impl From<git2::Error> for GitFault {
    fn from(error: git2::Error) -> Self {
        Self::Git(crate::text::sanitize_line(error.message()).into_owned())
    }
}
