mod fetching;
mod names;
mod over_http;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use git2::{ObjectType, Oid, Repository, Signature};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;

/// Something to fetch: a bare repository, filled object by object so that trees can be as bad as one likes.
pub(crate) struct Origin {
    /// When nobody else keeps the folder.
    folder: Option<TempDir>,
    repository: Repository,
}

impl Origin {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let origin = Self::at(&folder.path().join("o/octomind-r.git"));
        Self { folder: Some(folder), ..origin }
    }

    pub fn at(path: &Path) -> Self {
        register::prepare().unwrap();
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).initial_head("main").external_template(false);
        Self { folder: None, repository: Repository::init_opts(path, options.mkpath(true)).unwrap() }
    }

    /// One with an agent in it.
    pub fn with_agent() -> Self {
        let origin = Self::new();
        origin.commit(&[("agents/a/b.toml", "one")]);
        origin
    }

    pub fn root(&self) -> &Path {
        self.folder.as_ref().unwrap().path()
    }

    pub fn path(&self) -> PathBuf {
        self.repository.path().to_owned()
    }

    pub fn address(&self) -> Address {
        Address::File(self.path())
    }

    pub fn blob(&self, text: &str) -> Oid {
        self.repository.blob(text.as_bytes()).unwrap()
    }

    /// A tree of exactly these entries, in this order, unchecked.
    pub fn tree(&self, entries: &[(&str, &[u8], Oid)]) -> Oid {
        let mut raw = Vec::new();
        for (mode, name, id) in entries {
            raw.extend_from_slice(mode.as_bytes());
            raw.push(b' ');
            raw.extend_from_slice(name);
            raw.push(0);
            raw.extend_from_slice(id.as_bytes());
        }
        self.repository.odb().unwrap().write(ObjectType::Tree, &raw).unwrap()
    }

    pub fn commit_tree(&self, tree: Oid) -> String {
        let tree = self.repository.find_tree(tree).unwrap();
        let who = Signature::new("a", "a@example.org", &git2::Time::new(0, 0)).unwrap();
        let parent = self.repository.head().ok().map(|head| head.peel_to_commit().unwrap());
        let parents: Vec<_> = parent.iter().collect();
        self.repository.commit(Some("refs/heads/main"), &who, &who, "x", &tree, &parents).unwrap().to_string()
    }

    /// Files by path; text that begins with `->` makes a link, a path that ends in `.sh` a program.
    pub fn commit(&self, files: &[(&str, &str)]) -> String {
        let mut index = git2::Index::new().unwrap();
        for (path, text) in files {
            let (mode, text) = match text.strip_prefix("->") {
                Some(target) => (0o120_000, target),
                None if path.ends_with(".sh") => (0o100_755, *text),
                None => (0o100_644, *text),
            };
            let zero = git2::IndexTime::new(0, 0);
            let entry = git2::IndexEntry {
                ctime: zero,
                mtime: zero,
                dev: 0,
                ino: 0,
                mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: self.blob(text),
                flags: 0,
                flags_extended: 0,
                path: path.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        self.commit_tree(index.write_tree_to(&self.repository).unwrap())
    }
}

/// A fetch with bounds, into a fresh folder.
pub(super) struct Attempt {
    pub folder: TempDir,
    pub bounds: Bounds,
    pub stop: CancellationToken,
    pub told: Mutex<Vec<Progress>>,
}

impl Attempt {
    pub fn new() -> Self {
        let bounds = Bounds { time: Duration::from_secs(30), ..Bounds::default() };
        let (folder, stop) = (TempDir::new().unwrap(), CancellationToken::new());
        Self { folder, bounds, stop, told: Mutex::default() }
    }

    pub fn target(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    pub fn run(&self, address: &Address, known: Option<&str>) -> Result<Fetched, GitFault> {
        let into = self.target();
        let progress = |name: &str, progress| {
            assert_eq!(name, "o/r");
            self.told.lock().unwrap().push(progress);
        };
        let work = Work { bounds: self.bounds, stop: &self.stop, progress: &progress };
        fetch(Fetch { address, name: "o/r", into: &into, known }, work)
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.target().join(path)).unwrap()
    }
}

pub(super) fn new(commit: &str) -> Fetched {
    Fetched::New { commit: commit.to_owned(), submodules: Vec::new() }
}
