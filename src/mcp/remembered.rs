//! What the tools of a server said of themselves when they were last used, from session to session: a
//! server that was harmless when it was chosen may be another one today.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::redescribed::{self, Change};
use super::tools::{Listed, MAX_TOOLS};
use crate::config::{Mask, make_private_folder, read_ordinary, replace};
use crate::proto::{Body, Level};

/// Characters kept of a description; the hash covers all of it.
const KEPT: usize = 300;

/// Bytes of a name; no provider takes a longer one.
const LONGEST_NAME: usize = 256;

/// Descriptions that make more bytes than this are left out: that something changed is then still seen.
const MOST_BYTES: usize = 900_000;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// Of everything the server said of the tool, in hex.
    hash: String,
    /// Its beginning, secrets masked.
    description: String,
}

/// The tools of one server by their own names; one file.
type Tools = BTreeMap<String, Kept>;

/// Which server is meant: another command under the same name is another server.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    pub server: &'a str,
    pub command: &'a str,
}

/// Compares with what is kept, keeps what is new, and says what differs. Blocking.
pub fn compare(folder: &Path, named: Named<'_>, listed: &[Listed], mask: &Mask) -> Vec<Body> {
    let file = place(folder, named);
    let (before, trouble) = match read(&file) {
        Ok(before) => (before, None),
        Err(error) => (Tools::new(), Some(error)),
    };
    let usual = listed.iter().filter(|tool| tool.name.len() <= LONGEST_NAME).take(MAX_TOOLS);
    let now: Vec<(&Listed, Kept)> = usual.map(|tool| (tool, kept(tool, mask))).collect();
    let differs = |tool: &Listed, kept: &Kept| before.get(&tool.name).filter(|old| old.hash != kept.hash).cloned();
    let changed: Vec<(&str, Kept, &Kept)> =
        now.iter().filter_map(|(tool, kept)| Some((tool.name.as_str(), differs(tool, kept)?, kept))).collect();
    let changes = changed.iter().map(|(name, old, new)| Change { name, old: &old.description, new: &new.description });
    let mut told = redescribed::told(named.server, "when it was last used here", changes.collect());
    // What a server left out this time may come back as something else.
    let mut after = before.clone();
    after.extend(now.iter().map(|(tool, kept)| (tool.name.clone(), kept.clone())));
    if after.len() > MAX_TOOLS {
        after = now.iter().map(|(tool, kept)| (tool.name.clone(), kept.clone())).collect();
    }
    let written = if after == before && trouble.is_none() { Ok(()) } else { write(folder, &file, &after) };
    told.extend(trouble.map(|error| unreadable(named.server, &file, &error)));
    told.extend(written.err().map(|error| unwritten(folder, &error)));
    told
}

fn kept(tool: &Listed, mask: &Mask) -> Kept {
    let hash = tool.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let description = mask.text(&tool.description).chars().take(KEPT).collect();
    Kept { hash, description }
}

fn place(folder: &Path, named: Named<'_>) -> PathBuf {
    let mut digest = Sha256::new();
    digest.update(named.server.as_bytes());
    digest.update([0]);
    digest.update(named.command.as_bytes());
    let name: String = digest.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    folder.join(format!("{name}.json"))
}

fn read(file: &Path) -> io::Result<Tools> {
    match read_ordinary(file) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Tools::new()),
        Err(error) => Err(error),
    }
}

fn write(folder: &Path, file: &Path, tools: &Tools) -> io::Result<()> {
    make_private_folder(folder)?;
    let mut text = serde_json::to_string(tools).map_err(io::Error::other)?;
    if text.len() > MOST_BYTES {
        let bare = |kept: &Kept| Kept { description: String::new(), ..kept.clone() };
        let bare: Tools = tools.iter().map(|(name, kept)| (name.clone(), bare(kept))).collect();
        text = serde_json::to_string(&bare).map_err(io::Error::other)?;
    }
    replace(file, &text)
}

fn unreadable(server: &str, file: &Path, error: &io::Error) -> Body {
    let text = format!(
        "What the tools of {server} said of themselves before cannot be read ({}: {error}), so a change of it is not \
         seen this time.",
        file.display()
    );
    notice(server, text, "It is written anew; look at the tools of this server once.")
}

/// Names no server: told once, it holds for all of them.
fn unwritten(folder: &Path, error: &io::Error) -> Body {
    let text = format!(
        "What tools say of themselves cannot be kept ({}: {error}), so a change of it will not be seen next time.",
        folder.display()
    );
    notice("tools", text, "Make the folder writable, or set OCTOMIND_DATA_DIR to one that is.")
}

fn notice(server: &str, text: String, hint: &str) -> Body {
    Body::Notice { level: Level::Warning, source: server.to_owned(), text, hint: Some(hint.to_owned()) }
}

#[cfg(test)]
mod tests;
