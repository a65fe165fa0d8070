use std::io;
use std::path::{Path, PathBuf};

use crate::tap::Tap;

/// A script that may be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// `org/tool`.
    pub name: String,
    /// Name of the tap.
    pub tap: String,
    /// Links resolved; inside the tap.
    pub file: PathBuf,
    /// Of the tap, links resolved.
    pub root: PathBuf,
}

/// Why a script cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    #[error("{0:?} names no script; write org/tool, as in deps/org/tool.sh")]
    Name(String),
    #[error("{tap} has no deps/{name}.sh; ask its author, or choose another provider in [capabilities]")]
    Missing { name: String, tap: String },
    #[error("deps/{name}.sh of {tap} leads out of the tap, so it is not run")]
    Outside { name: String, tap: String },
    #[error("deps/{name}.sh of {tap} cannot be read: {why}")]
    Unreadable { name: String, tap: String, why: String },
}

/// The script of this name in a tap.
///
/// # Errors
/// When the name is none, or the script is not an ordinary file inside the tap.
pub fn find(tap: &Tap, name: &str) -> Result<Script, FindError> {
    let Some((org, tool)) = name.split_once('/').filter(|(org, tool)| is_part(org) && is_part(tool)) else {
        return Err(FindError::Name(name.to_owned()));
    };
    let (name, owner) = (name.to_owned(), tap.name.clone());
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            FindError::Missing { name: name.clone(), tap: owner.clone() }
        }
        _ => FindError::Unreadable { name: name.clone(), tap: owner.clone(), why: error.to_string() },
    };
    let root = tap.root.canonicalize().map_err(unreadable)?;
    let file = root.join("deps").join(org).join(format!("{tool}.sh")).canonicalize().map_err(unreadable)?;
    if !file.starts_with(&root) {
        return Err(FindError::Outside { name, tap: owner });
    }
    if !Path::is_file(&file) {
        return Err(FindError::Missing { name, tap: owner });
    }
    Ok(Script { name, tap: owner, file, root })
}

fn is_part(part: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    !part.is_empty() && !part.starts_with('.') && part.chars().all(fits)
}
