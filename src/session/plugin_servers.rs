//! Servers that Agent Plugins bring along: which there are, whether they may run, what they are called.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::journal::create_private_folder;
use super::server_specs::{is_reserved, of_plugin};
use super::start::lock;
use super::starting::{Offers, Parts};
use super::trust::Gate;
use crate::config::Env;
use crate::mcp::{Admit, Moved, ServerSpec, Unlisted};
use crate::proto::{Body, Level};
use crate::tap::plugin::{data_folder, servers};
use crate::tap::{Catalogue, Plugin};

/// Holds what was started of plugins for one role.
#[derive(Debug)]
pub(super) struct Plugins {
    offers: Arc<Offers>,
    gate: Arc<Gate>,
    /// The data root.
    data: PathBuf,
    workdir: PathBuf,
    /// Names that the role's own servers have.
    taken: BTreeSet<String>,
    /// By server; whoever asks whether one may run sees the same.
    places: Arc<Mutex<BTreeMap<String, Place>>>,
    /// Held over a whole look, so that one waits for the other.
    known: tokio::sync::Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    started: Vec<ServerSpec>,
    said: BTreeSet<String>,
}

/// Where a server's plugin is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    origin: Origin,
    /// Where it may keep files.
    data: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// The person put it there, or connected its tap.
    Person,
    /// It runs when the person accepted the project's content as it is.
    Project,
}

/// What has to be done about servers.
#[derive(Debug, Default)]
pub(super) struct Change {
    pub start: Vec<ServerSpec>,
    pub gone: Vec<String>,
    pub notices: Vec<Body>,
}

impl Plugins {
    pub fn new(parts: &Parts, gate: Arc<Gate>) -> Self {
        Self {
            offers: Arc::clone(&parts.offers),
            gate,
            data: parts.paths.data.clone(),
            workdir: parts.workdir.clone(),
            taken: BTreeSet::new(),
            places: Arc::default(),
            known: tokio::sync::Mutex::default(),
        }
    }

    /// Beside the servers of a role, whose names come first.
    pub fn beside(self, servers: &[ServerSpec]) -> Self {
        Self { taken: servers.iter().map(|server| server.name.clone()).collect(), ..self }
    }

    /// Asked before each start of a server, on a blocking thread.
    pub fn admit(&self) -> Admit {
        let (places, allowed) = (Arc::clone(&self.places), self.gate.allowed());
        Arc::new(move |name| {
            let Some(place) = lock(&places).get(name).cloned() else { return Ok(Moved::default()) };
            let moved = match place.origin {
                Origin::Project => allowed()?,
                Origin::Person => Moved::default(),
            };
            create_private_folder(&place.data).map_err(|error| {
                Unlisted::Failed(format!("The folder {} for its data cannot be made: {error}.", place.data.display()))
            })?;
            Ok(moved)
        })
    }

    /// Whether [`Self::look`] may find something: no look yet, or there are plugins.
    pub fn may_change(&self) -> bool {
        self.offers.at_hand().is_none_or(|catalogue| !catalogue.plugins.is_empty()) || !lock(&self.places).is_empty()
    }

    /// What is there now against what was started. `None` when it could not be looked at.
    pub async fn look(&self, env: Env) -> Option<Change> {
        let mut known = self.known.lock().await;
        let (offers, data) = (Arc::clone(&self.offers), self.data.clone());
        let (workdir, taken) = (self.workdir.clone(), self.taken.clone());
        let read = tokio::task::spawn_blocking(move || {
            let catalogue = offers.catalogue();
            found(&catalogue, &taken, &Places { data: &data, workdir: &workdir }, &env)
        });
        let Found { specs, places, clashes } = read.await.ok()?;
        let names: BTreeSet<&String> = places.keys().collect();
        let gone = known.started.iter().filter(|spec| !names.contains(&spec.name));
        let gone = gone.map(|spec| spec.name.clone()).collect();
        let start = specs.iter().filter(|spec| !known.started.contains(spec)).cloned().collect();
        let notices = clashes.into_iter().filter(|(text, _)| known.said.insert(text.clone()));
        let notices = notices.map(|(text, hint)| notice(text, hint)).collect();
        *lock(&self.places) = places;
        known.started = specs;
        Some(Change { start, gone, notices })
    }
}

struct Places<'a> {
    data: &'a Path,
    workdir: &'a Path,
}

#[derive(Debug, Default)]
struct Found {
    specs: Vec<ServerSpec>,
    places: BTreeMap<String, Place>,
    /// What cannot be started, and what to do.
    clashes: Vec<(String, String)>,
}

/// Every server of every plugin, the first of a name; a project takes no name from the person's own.
fn found(catalogue: &Catalogue, taken: &BTreeSet<String>, places: &Places, env: &Env) -> Found {
    let mut found = Found::default();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    let mut plugins: Vec<&Plugin> = catalogue.plugins.iter().map(Arc::as_ref).collect();
    plugins.sort_by_key(|plugin| origin(plugin, places.workdir));
    for plugin in plugins {
        let data = data_folder(places.data, &plugin.name);
        let origin = origin(plugin, places.workdir);
        for server in servers(plugin, &data) {
            let name = server.name.clone();
            let by = match owners.get(&name) {
                Some(owner) => Some(format!("the plugin {owner} has a server of that name, and comes first")),
                None if is_reserved(&name) => Some("a built-in server has that name".to_owned()),
                None => taken.contains(&name).then(|| "the role has a server of that name".to_owned()),
            };
            let spec = match by {
                Some(why) => Err(format!("The server {name} of the plugin {} is not started: {why}.", plugin.name)),
                None => of_plugin(server, &plugin.name, env),
            };
            match spec {
                Ok(spec) => {
                    owners.insert(name.clone(), plugin.name.clone());
                    found.places.insert(name, Place { origin, data: data.clone() });
                    found.specs.push(spec);
                }
                Err(why) => {
                    let file = plugin.folder.join("mcp.json");
                    found.clashes.push((why, format!("Give it another name in {}.", file.display())));
                }
            }
        }
    }
    found
}

fn origin(plugin: &Plugin, workdir: &Path) -> Origin {
    let inside = |folder: &Path| folder.starts_with(workdir.join(".agents"));
    if inside(&plugin.folder) { Origin::Project } else { Origin::Person }
}

fn notice(text: String, hint: String) -> Body {
    Body::Notice { level: Level::Warning, source: "plugin".to_owned(), text, hint: Some(hint) }
}

#[cfg(test)]
mod tests;
