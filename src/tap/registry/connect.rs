//! Adding and removing the person's taps.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::file::{self, Entry, From};
use super::refresh::{Got, fetch_into_place};
use super::stage::Stage;
use super::{Name, RegistryFault, Taps, stage};
use crate::tap::git::{Address, Changes, Work, changes};

/// What a tap may have; one without any of these is none.
pub(super) const FOLDERS: [&str; 6] = ["agents", "capabilities", "skills", "deps", "workflows", "plugins"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connected {
    pub name: String,
    /// Where its files are.
    pub root: PathBuf,
    pub how: How,
    /// Worth knowing, one sentence each.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Cloned,
    Linked,
    /// It was connected to just that before.
    Already,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disconnected {
    pub name: String,
    /// The clone, which stays on disk.
    pub left: Option<PathBuf>,
}

impl Taps {
    /// Connects `user/repo`, an https or file address, or a name to an address or a folder. A folder is
    /// linked, everything else is cloned. Blocks until done.
    ///
    /// # Errors
    /// See [`RegistryFault`]. Nothing is then connected, and what was there is as it was.
    pub fn connect(&self, what: &str, place: Option<&str>, work: Work<'_>) -> Result<Connected, RegistryFault> {
        let (name, from) = self.wanted(what, place)?;
        if name.is_built_in() || name.is_starter() {
            return Err(RegistryFault::BuiltIn { name: name.to_string() });
        }
        let (known, _) = file::read(&self.file);
        if let Some(known) = known.into_iter().find(|entry| entry.name.is(&name)) {
            return self.known(known, &from);
        }
        match from {
            From::Folder(path) => self.link(name, path),
            From::Address(url) => self.clone_from(name, url, work),
        }
    }

    fn wanted(&self, what: &str, place: Option<&str>) -> Result<(Name, From), RegistryFault> {
        let (name, address) = match place {
            None if Address::looks_like(what) => {
                let address = Address::parse(what)?;
                (name_of(&address)?, address)
            }
            None => return Ok((Name::parse(what)?, From::Address(None))),
            Some(place) if Address::looks_like(place) => (Name::parse(what)?, Address::parse(place)?),
            Some(place) => return Ok((Name::parse(what)?, From::Folder(self.folder_of_persons(Path::new(place))?))),
        };
        let usual = address.to_string().trim_end_matches(".git").eq_ignore_ascii_case(&name.address(&self.host));
        Ok((name, From::Address((!usual).then(|| address.to_string()))))
    }

    fn folder_of_persons(&self, place: &Path) -> Result<PathBuf, RegistryFault> {
        let refused = |reason: String| RegistryFault::NoFolder { path: place.display().to_string(), reason };
        let path = fs::canonicalize(place).map_err(|error| refused(error.to_string()))?;
        fs::read_dir(&path).map_err(|error| refused(error.to_string()))?;
        if path.to_str().is_none() {
            return Err(refused("its name is not UTF-8".to_owned()));
        }
        if fs::canonicalize(&self.folder).is_ok_and(|taps| path.starts_with(taps)) {
            return Err(refused("it is among the clones, which are replaced; move it elsewhere first".to_owned()));
        }
        Ok(path)
    }

    fn known(&self, known: Entry, wanted: &From) -> Result<Connected, RegistryFault> {
        let root = match &known.from {
            From::Folder(path) => path.clone(),
            From::Address(_) => known.name.folder(&self.folder),
        };
        if known.from == *wanted {
            let name = known.name.to_string();
            return Ok(Connected { name, root, how: How::Already, notes: Vec::new() });
        }
        let from = match known.from {
            From::Folder(path) => path.display().to_string(),
            From::Address(url) => url.unwrap_or_else(|| known.name.address(&self.host)),
        };
        Err(RegistryFault::Known { name: known.name.to_string(), from })
    }

    fn clone_from(&self, name: Name, url: Option<String>, work: Work<'_>) -> Result<Connected, RegistryFault> {
        let address = Address::parse(&url.clone().unwrap_or_else(|| name.address(&self.host)))?;
        let Got { submodules, .. } = fetch_into_place(&self.folder, &name, &address, SystemTime::now(), work)?;
        file::add(&self.file, &Entry { name: name.clone(), from: From::Address(url) })?;
        let root = name.folder(&self.folder);
        let notes = submodules.iter().map(|path| format!("{path} is another repository and was left out")).collect();
        Ok(Connected { name: name.to_string(), root, how: How::Cloned, notes })
    }

    /// The link below the folder of taps is for people and scripts; what is read is the folder itself.
    fn link(&self, name: Name, path: PathBuf) -> Result<Connected, RegistryFault> {
        let mut notes = Vec::new();
        if !holds_tap(&path) {
            notes.push(format!("there is none of {} in it yet", FOLDERS.join(", ")));
        }
        let _lock =
            stage::fetch_lock(&self.folder, &name)?.ok_or_else(|| RegistryFault::Busy { name: name.to_string() })?;
        let place = name.folder(&self.folder);
        let stage = Stage::open(&self.folder)?;
        if let Some(aside) = make_way(&place)? {
            notes.push(format!("the clone that was there is now {}", aside.display()));
        }
        let new = stage.new_folder();
        std::os::unix::fs::symlink(&path, &new).map_err(|error| RegistryFault::disk(&new, &error))?;
        stage.put(&name, &self.folder)?;
        if let Err(fault) = file::add(&self.file, &Entry { name: name.clone(), from: From::Folder(path.clone()) }) {
            // What is not in the list must not lie there either; the fault is what matters.
            let _ = fs::remove_file(&place);
            return Err(fault);
        }
        Ok(Connected { name: name.to_string(), root: path, how: How::Linked, notes })
    }

    /// Takes a tap off the list. A link is removed, a clone stays on disk.
    ///
    /// # Errors
    /// When it is not connected, comes with the program, or the list cannot be written.
    pub fn disconnect(&self, name: &str) -> Result<Disconnected, RegistryFault> {
        let name = match Address::looks_like(name) {
            true => name_of(&Address::parse(name)?)?,
            false => Name::parse(name)?,
        };
        if name.is_built_in() || name.is_starter() {
            return Err(RegistryFault::BuiltIn { name: name.to_string() });
        }
        if !file::remove(&self.file, &name)? {
            return Err(RegistryFault::Unknown { name: name.to_string() });
        }
        let place = name.folder(&self.folder);
        let left = match fs::symlink_metadata(&place) {
            Ok(there) if there.is_symlink() => {
                fs::remove_file(&place).map_err(|error| RegistryFault::disk(&place, &error))?;
                None
            }
            Ok(_) => Some(place),
            Err(_) => None,
        };
        Ok(Disconnected { name: name.to_string(), left })
    }
}

/// From the last two parts of the path.
fn name_of(address: &Address) -> Result<Name, RegistryFault> {
    match address.segments().as_slice() {
        [.., owner, repo] => Name::parse(&format!("{owner}/{repo}")),
        _ => Err(RegistryFault::Unnamed { address: address.to_string() }),
    }
}

pub(super) fn holds_tap(root: &Path) -> bool {
    FOLDERS.iter().any(|folder| root.join(folder).is_dir())
}

/// Whether what lies at a tap's place may be replaced: nothing, a link, or a clone without changes.
pub(super) fn may_replace(name: &Name, place: &Path) -> Result<(), RegistryFault> {
    let Ok(there) = fs::symlink_metadata(place) else { return Ok(()) };
    if there.is_symlink() {
        return Ok(());
    }
    let path = place.display().to_string();
    match changes(place, &FOLDERS) {
        Ok(Changes::None) => Ok(()),
        Ok(Changes::Some(changes)) => Err(RegistryFault::Changed { path, changes, name: name.to_string() }),
        Ok(Changes::NoClone) if is_empty(place) => Ok(()),
        Ok(Changes::NoClone) => Err(RegistryFault::InTheWay { path }),
        Err(fault) => Err(fault.into()),
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Moves a clone that was left behind out of a link's way. Where it is now, if there was one.
fn make_way(place: &Path) -> Result<Option<PathBuf>, RegistryFault> {
    if !fs::symlink_metadata(place).is_ok_and(|there| there.is_dir()) {
        return Ok(None);
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let free = (1..1000).map(|number| place.with_file_name(format!("{name}.left-{number}")));
    let aside = free.into_iter().find(|path| fs::symlink_metadata(path).is_err());
    let aside = aside.ok_or_else(|| RegistryFault::InTheWay { path: place.display().to_string() })?;
    fs::rename(place, &aside).map_err(|error| RegistryFault::disk(place, &error))?;
    Ok(Some(aside))
}
