mod connecting;
mod list;
mod refreshing;

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::tap::git::tests::Origin;
use crate::tap::git::{Bounds, Work};

/// A data root, and a folder that stands for the host.
struct World {
    data: TempDir,
    host: TempDir,
    stop: CancellationToken,
    told: Mutex<Vec<String>>,
}

impl World {
    fn new() -> Self {
        let (data, host) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        Self { data, host, stop: CancellationToken::new(), told: Mutex::default() }
    }

    fn taps(&self) -> Taps {
        let paths = Paths::new(self.data.path().to_owned(), None);
        Taps::open(&paths).hosted_at(Some(&format!("file://{}", self.host.path().display())))
    }

    /// A repository at the host, under the name it is looked for by.
    fn origin(&self, owner: &str, repo: &str) -> Origin {
        let folder = self.host.path().join(owner).join(format!("octomind-{repo}"));
        let origin = Origin::at(&folder);
        origin.commit(&[("agents/a/b.toml", "one"), ("skills/s/SKILL.md", owner)]);
        origin
    }

    fn with<Value>(&self, run: impl FnOnce(Work<'_>) -> Value) -> Value {
        let progress = |name: &str, _| self.told.lock().unwrap().push(name.to_owned());
        run(Work { bounds: Bounds::default(), stop: &self.stop, progress: &progress })
    }

    fn connect(&self, what: &str, place: Option<&str>) -> Result<Connected, RegistryFault> {
        self.with(|work| self.taps().connect(what, place, work))
    }

    fn refresh(&self, which: &Which) -> Vec<Refreshed> {
        self.with(|work| self.taps().refresh(which, work)).unwrap()
    }

    fn file(&self) -> String {
        fs::read_to_string(self.data.path().join("taps.toml")).unwrap_or_default()
    }

    fn write_file(&self, text: &str) {
        fs::write(self.data.path().join("taps.toml"), text).unwrap();
    }

    fn names(&self) -> Vec<String> {
        self.taps().effective().into_iter().map(|tap| tap.name).collect()
    }

    fn place(&self, below: &str) -> std::path::PathBuf {
        self.data.path().join("taps").join(below)
    }

    /// Whether any fetch left something behind.
    fn is_tidy(&self) -> bool {
        fs::read_dir(self.place(".staging")).map_or(0, Iterator::count) == 0
    }
}

fn text(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}
