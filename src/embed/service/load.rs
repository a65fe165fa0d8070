//! From a setting to a loaded encoder, with the embedded model behind it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::super::backend;
use super::super::download::{DownloadError, Hub, Progress};
use super::super::encoder::Encoder;
use super::super::model::{Choice, Model, ModelError};
use super::super::onnx::OnnxEncoder;
use crate::config::Env;

/// Where the encoder comes from.
pub enum Source {
    /// `[encoder] model`.
    Setting { model: String, hub: Hub, env: Env },
    /// One that is made already, by the caller's own means.
    Made(Box<dyn FnOnce() -> Result<Arc<dyn Encoder>, ModelError> + Send>),
}

/// An encoder, and what had to be fallen back from.
pub struct Loaded {
    pub encoder: Arc<dyn Encoder>,
    pub note: Option<String>,
}

/// What is told while it takes.
pub trait Watch {
    fn loading(&self, model: &str);
    fn downloading(&self, model: &str, done: u64, total: Option<u64>);
}

/// Blocks; for the worker's thread.
pub fn load(
    source: Source,
    watch: &(impl Watch + Send + Sync),
    stop: &CancellationToken,
) -> Result<Loaded, ModelError> {
    let (setting, hub, env) = match source {
        Source::Made(make) => return make().map(|encoder| Loaded { encoder, note: None }),
        Source::Setting { model, hub, env } => (model, hub, env),
    };
    let home = env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from);
    let chosen = Choice::read(&setting, home.as_deref()).and_then(|choice| match choice {
        Choice::Embedded => Ok(None),
        choice => found(&choice, &hub, watch, stop).and_then(|model| open(model, &env, watch)).map(Some),
    });
    let note = match chosen {
        Ok(Some(encoder)) => return Ok(Loaded { encoder, note: None }),
        Err(ModelError::Download(DownloadError::Stopped)) => return Err(DownloadError::Stopped.into()),
        Ok(None) => None,
        Err(error) => Some(format!("`{setting}` cannot be used, the embedded model is: {error}")),
    };
    let encoder = Model::embedded().and_then(|model| open(model, &env, watch)).map_err(|error| match &note {
        // Without the embedded one behind it, the person's own choice is what has to be mended.
        Some(note) => ModelError::Both { first: note.clone(), second: error.to_string() },
        None => error,
    })?;
    Ok(Loaded { encoder, note })
}

fn open(model: Model, env: &Env, watch: &impl Watch) -> Result<Arc<dyn Encoder>, ModelError> {
    watch.loading(&model.name);
    let backend = backend::choose(env);
    // What a file makes the backend do costs this model only: the embedded one is behind it.
    let loaded = catch_unwind(AssertUnwindSafe(|| OnnxEncoder::load(model, backend))).unwrap_or_else(|_| {
        let reason = "reading it ended in a fault of the program".to_owned();
        Err(ModelError::Graph { backend: backend.name.clone(), reason })
    });
    Ok(Arc::new(loaded?))
}

fn found(
    choice: &Choice,
    hub: &Hub,
    watch: &(impl Watch + Send + Sync),
    stop: &CancellationToken,
) -> Result<Model, ModelError> {
    let folder = match choice {
        Choice::Hub(repository) => {
            let progress = |done: u64, total: Option<u64>| watch.downloading(repository, done, total);
            download(hub, repository, &progress, stop)?
        }
        Choice::Folder(folder) => folder.clone(),
        Choice::Embedded => PathBuf::new(),
    };
    Model::in_folder(Path::new(&folder), choice.name())
}

/// On a runtime of the worker's own, so that nobody else's is needed nor held up.
fn download(
    hub: &Hub,
    repository: &str,
    progress: Progress<'_>,
    stop: &CancellationToken,
) -> Result<PathBuf, DownloadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(hub.fetch(repository, progress, stop))
}
