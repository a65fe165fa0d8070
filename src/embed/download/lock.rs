//! One process downloads a model; another one waits for it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// How often a held lock is tried again.
const AGAIN: Duration = Duration::from_millis(100);

/// Held until the file is dropped; the operating system frees it when its holder dies.
pub async fn wait(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(AGAIN).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}
