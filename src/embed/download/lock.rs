//! One process downloads a model; another one waits for it.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::config::lock_within;

/// How often a held lock is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Held until the file is dropped; the operating system frees it when its holder dies.
pub async fn wait(path: &Path) -> io::Result<File> {
    loop {
        if let Some(lock) = lock_within(path, Duration::ZERO)? {
            return Ok(lock);
        }
        tokio::time::sleep(AGAIN).await;
    }
}
