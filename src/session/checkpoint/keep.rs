//! The bare repository that contents are kept in.

use std::path::Path;

use git2::{ObjectType, Oid, Repository, Signature, Time};
use sha2::{Digest, Sha256};

use crate::proto::{FileChange, FileState};

pub struct Keep {
    repository: Repository,
}

type Kept<T> = Result<T, git2::Error>;

impl Keep {
    pub fn open(folder: &Path) -> Kept<Self> {
        if let Ok(repository) = Repository::open_bare(folder) {
            return Ok(Self { repository });
        }
        let private = |error: std::io::Error| git2::Error::from_str(&error.to_string());
        crate::session::journal::create_private_folder(folder).map_err(private)?;
        let mut options = git2::RepositoryInitOptions::new();
        options.bare(true).external_template(false).initial_head("main");
        let repository = Repository::init_opts(folder, &options)?;
        // Most contents are looked at never again: speed counts, not size.
        git2::Config::open(&folder.join("config"))?.set_i32("core.looseCompression", 1)?;
        Ok(Self { repository })
    }

    /// Keeps a content and names it.
    pub fn put(&self, content: &[u8]) -> Kept<String> {
        Ok(self.repository.blob(content)?.to_string())
    }

    /// What [`Self::put`] would name it.
    pub fn name(content: &[u8]) -> Kept<String> {
        Ok(Oid::hash_object(ObjectType::Blob, content)?.to_string())
    }

    pub fn get(&self, name: &str) -> Kept<Vec<u8>> {
        Ok(self.repository.find_blob(Oid::from_str(name)?)?.content().to_vec())
    }

    /// Makes the contents of these changes reachable, so that no clean-up takes them.
    pub fn hold(&self, session: &str, changes: &[FileChange]) -> Kept<()> {
        let mut tree = self.repository.treebuilder(None)?;
        let states = changes.iter().flat_map(|change| [&change.before, &change.after]).flatten();
        for FileState { blob, .. } in states.filter(|state| !state.is_folder()) {
            tree.insert(blob.as_str(), Oid::from_str(blob)?, 0o100_644)?;
        }
        let tree = self.repository.find_tree(tree.write()?)?;
        let digest = Sha256::digest(session.as_bytes());
        let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let reference = format!("refs/sessions/{name}");
        let parent = self.repository.find_reference(&reference).and_then(|held| held.peel_to_commit()).ok();
        let who = Signature::new("octomind", "octomind@localhost", &Time::new(0, 0))?;
        let parents: Vec<_> = parent.iter().collect();
        self.repository.commit(Some(&reference), &who, &who, session, &tree, &parents)?;
        Ok(())
    }
}
