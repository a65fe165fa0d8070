//! The process groups that are alive, and the folder their long outputs go to.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::Signal;
use tokio::time::{Instant, sleep};

use super::super::limits::KILL_GRACE;
use crate::mcp::group::{alive, signal};

/// Between two looks at a group that is expected to end.
const LOOK: Duration = Duration::from_millis(10);

/// Process groups started by this server that may still have a process in them.
#[derive(Debug, Default)]
pub struct Shells {
    groups: Mutex<BTreeSet<i32>>,
    spill: Mutex<Spills>,
}

#[derive(Debug, Default)]
struct Spills {
    folder: Option<PathBuf>,
    count: u64,
}

impl Shells {
    /// A new file for a long output, readable by its owner only.
    pub fn spill(&self) -> io::Result<(PathBuf, File)> {
        let mut spills = self.spill.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &spills.folder {
            Some(folder) => folder.clone(),
            None => {
                let stamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                let folder = std::env::temp_dir().join(format!("octomind-files-{}-{stamp}", std::process::id()));
                DirBuilder::new().mode(0o700).create(&folder)?;
                spills.folder = Some(folder.clone());
                folder
            }
        };
        spills.count += 1;
        let path = folder.join(format!("output-{}.txt", spills.count));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok((path, file))
    }

    /// Ends every group and waits until all are gone, then removes the kept outputs.
    pub async fn end(&self) {
        let groups: Vec<i32> = self.lock().iter().copied().collect();
        for group in &groups {
            signal(*group, Signal::TERM);
        }
        let deadline = Instant::now() + KILL_GRACE;
        while groups.iter().any(|group| alive(*group)) && Instant::now() < deadline {
            sleep(LOOK).await;
        }
        self.kill();
    }

    fn kill(&self) {
        for group in std::mem::take(&mut *self.lock()) {
            signal(group, Signal::KILL);
        }
        if let Some(folder) = self.spill.lock().unwrap_or_else(PoisonError::into_inner).folder.take() {
            let _ = fs::remove_dir_all(folder);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shells {
    fn drop(&mut self) {
        self.kill();
    }
}

/// One group; dropping it kills what is left of it.
#[derive(Debug)]
pub struct Group {
    id: i32,
    shells: Arc<Shells>,
}

impl Group {
    pub fn new(id: i32, shells: &Arc<Shells>) -> Self {
        shells.lock().insert(id);
        Self { id, shells: Arc::clone(shells) }
    }

    pub fn id(&self) -> i32 {
        self.id
    }

    pub fn alive(&self) -> bool {
        alive(self.id)
    }

    pub fn ask_to_end(&self) {
        signal(self.id, Signal::TERM);
    }

    pub fn kill(&self) {
        signal(self.id, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Not in the list any more: the server has ended it already.
        if self.shells.lock().remove(&self.id) {
            signal(self.id, Signal::KILL);
        }
    }
}
