//! Scripts of the project as tools: every executable in `.agents/tools/` with a header that
//! describes it.
//!
//! Owns: the header grammar, finding the scripts, running one.
//!
//! Does not own: whether they are trusted; [`Allowed`] is asked before each listing and each call.
//!
//! Invariant: nothing runs unasked, and what runs is what was accepted; a file that is no tool is named with the
//! reason; no process outlives its call.

mod call;
mod folder;
pub mod header;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{Backend, CallResult, Listing, Moved, OpenLocal, Progress, Unlisted};
use crate::proto::{Content, ToolOutcome};

pub use call::TIMEOUT;
pub use header::{HeaderFault, Kind, LocalTool, Parameter};

/// The server name of local tools.
pub const SERVER: &str = "local";

/// Says whether the scripts may be offered and run as they are now, and from where: what was looked at is
/// what runs, whatever happens to the files meanwhile. Asked on a blocking thread.
pub type Allowed = Arc<dyn Fn() -> Result<Moved, Unlisted> + Send + Sync>;

/// How a session opens the folders of [`super::Transport::Local`].
pub fn opener(allowed: Allowed) -> OpenLocal {
    Arc::new(move |folder| Arc::new(LocalTools::new(folder, Arc::clone(&allowed))) as Arc<dyn Backend>)
}

/// The tools of one folder.
pub struct LocalTools {
    folder: PathBuf,
    workdir: PathBuf,
    allowed: Allowed,
}

impl std::fmt::Debug for LocalTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalTools").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl LocalTools {
    /// `folder` is `<workdir>/.agents/tools`.
    pub fn new(folder: &Path, allowed: Allowed) -> Self {
        let workdir = folder.ancestors().nth(2).unwrap_or(folder).to_owned();
        Self { folder: folder.to_owned(), workdir, allowed }
    }
}

#[async_trait]
impl Backend for LocalTools {
    async fn list(&self) -> Result<Listing, Unlisted> {
        let (folder, allowed) = (self.folder.clone(), Arc::clone(&self.allowed));
        let work = tokio::task::spawn_blocking(move || {
            let found = folder::scan(&folder)?;
            // A project without scripts has nothing to ask about.
            if found.tools.is_empty() {
                return Ok(found.listing());
            }
            let home = allowed()?.path(&folder);
            Ok(found.taken_from(folder::scan(&home)?).listing())
        });
        work.await.unwrap_or_else(|error| Err(format!("The local tools could not be listed: {error}.").into()))
    }

    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        progress: UnboundedSender<Progress>,
        cancel: CancellationToken,
    ) -> CallResult {
        let (folder, allowed, wanted) = (self.folder.clone(), Arc::clone(&self.allowed), name.to_owned());
        let check = tokio::task::spawn_blocking(move || {
            let moved = allowed().map_err(|why| why.reason().to_owned())?;
            folder::find(&folder, &wanted)?;
            folder::find(&moved.path(&folder), &wanted)
        });
        let script = match check.await {
            Ok(Ok(script)) => script,
            Ok(Err(why)) => return refused(why),
            Err(error) => return refused(format!("The local tool {name} could not be checked: {error}.")),
        };
        let job = call::Job { name, script: &script, workdir: &self.workdir, arguments: &arguments, limit: TIMEOUT };
        call::run(job, &progress, &cancel).await
    }
}

fn refused(why: String) -> CallResult {
    CallResult { outcome: ToolOutcome::Refused, content: Content::Text(why) }
}
