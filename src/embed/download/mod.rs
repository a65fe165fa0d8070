//! Models from a hub, over HTTP.
//!
//! Owns: which files of a repository are needed, fetching them with resume, checking them, keeping them
//! under the cache folder. Does not own: reading the model, falling back to the embedded one.
//!
//! Invariant: a folder with `complete.json` holds every file whole and checked; only one process
//! writes a folder, and what it writes appears under its name only when it is whole.

mod error;
mod fetch;
mod listing;
mod lock;
mod store;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::config::Env;
use fetch::Fetcher;
use store::Store;

pub use error::DownloadError;

/// Where models are found when `HF_ENDPOINT` says nothing else.
const HUB: &str = "https://huggingface.co";

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(15);

/// Where from, where to, and how patiently.
#[derive(Debug, Clone)]
pub struct Hub {
    pub base: String,
    /// Folder of all models; each has one of its own in it.
    pub folder: PathBuf,
    /// Longest silence of the other side.
    pub silence: Duration,
    /// Wait before the second attempt; each further one doubles it.
    pub back_off: Duration,
}

/// Bytes there are, and bytes there will be.
pub type Progress<'a> = &'a (dyn Fn(u64, Option<u64>) + Send + Sync);

impl Hub {
    pub fn new(env: &Env, cache: &Path) -> Self {
        let base = env.get("HF_ENDPOINT").unwrap_or(HUB).trim_end_matches('/').to_owned();
        let (silence, back_off) = (Duration::from_secs(30), Duration::from_millis(500));
        Self { base, folder: cache.join("models"), silence, back_off }
    }

    /// The folder with the repository's model. Without the network when it is there already.
    pub async fn fetch(
        &self,
        repository: &str,
        progress: Progress<'_>,
        stop: &CancellationToken,
    ) -> Result<PathBuf, DownloadError> {
        let store = Store::new(&self.folder, repository);
        if store.is_complete() {
            return Ok(store.folder().to_path_buf());
        }
        tokio::select! {
            () = stop.cancelled() => Err(DownloadError::Stopped),
            fetched = self.fetch_into(&store, repository, progress) => fetched,
        }
    }

    async fn fetch_into(
        &self,
        store: &Store,
        repository: &str,
        progress: Progress<'_>,
    ) -> Result<PathBuf, DownloadError> {
        store.create()?;
        let _lock = lock::wait(&store.lock_file()).await?;
        // Whoever held the lock may have done it.
        if !store.is_complete() {
            let fetcher = Fetcher::new(self)?;
            let listing = fetcher.listing(repository).await?;
            let mut files = Vec::new();
            for name in listing.needed(repository)? {
                files.push(fetcher.describe(repository, &listing.revision, name).await?);
            }
            let done = fetcher.all(store, &files, progress).await?;
            store.complete(repository, &listing.revision, &done)?;
        }
        Ok(store.folder().to_path_buf())
    }
}

#[cfg(test)]
mod tests;
