//! Why a tap was not connected, disconnected or refreshed.

use crate::tap::git::GitFault;

/// One plain sentence each, with what to do. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryFault {
    #[error("`{name}` is no name of a tap; write it as user/repo, in letters, digits, `-`, `_` and `.`")]
    Name { name: String },
    #[error("{address} has no user and repository in it; name the tap too: octomind tap user/repo {address}")]
    Unnamed { address: String },
    #[error("{name} comes with the program: it can be neither added nor removed")]
    BuiltIn { name: String },
    #[error("{name} is connected already ({from}); to change that, remove it first: octomind untap {name}")]
    Known { name: String, from: String },
    #[error("{name} is not connected; `octomind tap` lists what is")]
    Unknown { name: String },
    #[error("{name} is no clone that could be refreshed; `octomind tap` lists what is connected")]
    NoClone { name: String },
    #[error("{path} is not a folder that can be read ({reason})")]
    NoFolder { path: String, reason: String },
    #[error("{address} holds no tap: there is none of {folders} in it")]
    NoTap { address: String, folders: String },
    #[error("{path} is in the way and is nothing that was fetched; move it elsewhere")]
    InTheWay { path: String },
    #[error(
        "{path} has changes of yours ({changes}), which fetching would lose; move the folder elsewhere and connect \
         it as your own: octomind tap {name} PATH"
    )]
    Changed { path: String, changes: String, name: String },
    #[error("another process is fetching {name} right now")]
    Busy { name: String },
    #[error("{path} cannot be changed: {reason}")]
    Disk { path: String, reason: String },
    #[error("{path} is not TOML, so nothing was changed; mend it first: {problem}")]
    Broken { path: String, problem: String },
    #[error("{0}")]
    Git(#[from] GitFault),
}

impl RegistryFault {
    pub(super) fn disk(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Disk { path: path.display().to_string(), reason: error.to_string() }
    }
}
