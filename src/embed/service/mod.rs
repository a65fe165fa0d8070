//! The one place where sentences become vectors while the program runs.
//!
//! Owns: the worker thread, its bounded queue, the state that surfaces show, the phrases' index.
//!
//! Does not own: the model's files (`model`, `download`), the arithmetic (`onnx`), what is decided from
//! vectors (`gate`).
//!
//! Invariant: nothing is loaded before something asked for it, no caller is ever blocked, and a fresh
//! message waits for at most one phrase of the index.

mod load;
mod queue;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::download::Hub;
use super::encoder::{EncodeError, Encoder, Identity};
use super::index::Index;
use super::vector::{Vector, similarity};
use crate::config::{Env, Paths};
use crate::proto::EncoderState;
use queue::{Push, Queue};

pub use load::Source;

/// What a service is made of.
pub struct Options {
    pub source: Source,
    /// Folder of the index files; `None` keeps vectors in memory only.
    pub vectors: Option<PathBuf>,
}

impl Options {
    /// As `[encoder] model` says.
    pub fn new(model: &str, paths: &Paths, env: &Env) -> Self {
        let source = Source::Setting { model: model.to_owned(), hub: Hub::new(env, &paths.cache), env: env.clone() };
        Self { source, vectors: Some(paths.cache.join("vectors")) }
    }
}

/// What to do while the model is not loaded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Answer [`Unready::NotReady`] at once; loading begins all the same.
    Now,
    UpTo(Duration),
    Forever,
}

/// Why there is no vector.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unready {
    /// The state says how far it is, or why it will never be.
    #[error("{}", words(.0))]
    NotReady(EncoderState),
    #[error("too many messages wait for the sentence model")]
    Busy,
    #[error("{0}")]
    Failed(#[from] EncodeError),
}

fn words(state: &EncoderState) -> String {
    match state {
        EncoderState::Failed { why, .. } => format!("the sentence model cannot be used: {why}"),
        EncoderState::Downloading { model, .. } => format!("the sentence model {model} is being downloaded"),
        EncoderState::Idle | EncoderState::Loading { .. } | EncoderState::Ready { .. } => {
            "the sentence model is being loaded".to_owned()
        }
    }
}

/// A message and the phrases it can be compared with.
#[derive(Debug, Clone)]
pub struct Beside {
    pub message: Vector,
    pub index: Arc<Index>,
}

impl Beside {
    /// Cosine of the message with a phrase that was wanted; `None` when its vector is not there (yet).
    pub fn likeness(&self, phrase: &str) -> Option<f32> {
        self.index.get(phrase).map(|vector| similarity(&self.message, vector))
    }
}

/// A handle; clones speak to the same worker. The worker ends when the last one is dropped.
#[derive(Clone)]
pub struct Service {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    state: watch::Receiver<EncoderState>,
}

/// What the handle and the worker share.
struct Shared {
    queue: Queue,
    state: watch::Sender<EncoderState>,
    index: ArcSwap<Index>,
    encoder: watch::Sender<Option<Arc<dyn Encoder>>>,
    stop: CancellationToken,
    /// Taken by the first start.
    options: std::sync::Mutex<Option<Options>>,
    notes: std::sync::Mutex<Vec<String>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.stop.cancel();
        self.shared.queue.close();
    }
}

impl Service {
    /// Starts nothing.
    pub fn new(options: Options) -> Self {
        let (sender, state) = watch::channel(EncoderState::Idle);
        let shared = Shared {
            queue: Queue::default(),
            state: sender,
            index: ArcSwap::default(),
            encoder: watch::channel(None).0,
            stop: CancellationToken::new(),
            options: std::sync::Mutex::new(Some(options)),
            notes: std::sync::Mutex::default(),
        };
        Self { inner: Arc::new(Inner { shared: Arc::new(shared), state }) }
    }

    /// Begins to load in the background; later calls do nothing.
    pub fn start(&self) {
        let shared = &self.inner.shared;
        let options = shared.options.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(options) = options {
            worker::spawn(Arc::clone(shared), options);
        }
    }

    /// Every change of it; the present one at once.
    pub fn state(&self) -> watch::Receiver<EncoderState> {
        self.inner.state.clone()
    }

    /// Whether a message could be encoded now.
    pub fn is_loaded(&self) -> bool {
        self.inner.shared.encoder.borrow().is_some()
    }

    pub fn identity(&self) -> Option<Identity> {
        self.inner.shared.encoder.borrow().as_ref().map(|encoder| encoder.identity().clone())
    }

    /// The vector of a fresh message, before anything of the index.
    pub async fn encode(&self, text: &str, patience: Patience) -> Result<Vector, Unready> {
        self.start();
        self.wait_loaded(patience).await?;
        let (answer, vector) = oneshot::channel();
        match self.inner.shared.queue.push(text.to_owned(), answer) {
            Push::Taken => {}
            Push::Full => return Err(Unready::Busy),
            Push::Closed => return Err(self.not_ready()),
        }
        match vector.await {
            Ok(encoded) => Ok(encoded?),
            Err(_) => Err(self.not_ready()),
        }
    }

    /// Wants the vectors of exactly these phrases, in this order: put first what was used last. Known
    /// ones are there at once, the others come in the background; [`Service::index`] grows meanwhile.
    pub fn want(&self, phrases: Vec<String>) {
        self.inner.shared.queue.want(phrases);
        self.start();
    }

    /// What there is now.
    pub fn index(&self) -> Arc<Index> {
        self.inner.shared.index.load_full()
    }

    /// Whether nothing is left to read of what was wanted last: what has no vector then will get none.
    pub fn is_read(&self) -> bool {
        let wishes = self.inner.shared.queue.wishes();
        let index = self.index();
        self.is_loaded() && index.wish == wishes && index.is_complete()
    }

    /// What was fallen back from, and files that had to be made anew. Grows.
    pub fn notes(&self) -> Vec<String> {
        self.inner.shared.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Says something of a neighbour's, once however often it happens.
    pub fn note_once(&self, note: String) {
        if !self.notes().contains(&note) {
            self.inner.shared.note(note);
        }
    }

    /// A message beside the phrases of the index, for comparing without waiting.
    pub async fn beside(&self, message: &str, patience: Patience) -> Result<Beside, Unready> {
        let message = self.encode(message, patience).await?;
        Ok(Beside { message, index: self.index() })
    }

    async fn wait_loaded(&self, patience: Patience) -> Result<(), Unready> {
        let mut encoder = self.inner.shared.encoder.subscribe();
        let mut state = self.inner.state.clone();
        let loaded = async {
            tokio::select! {
                loaded = encoder.wait_for(Option::is_some) => loaded.is_ok(),
                _ = state.wait_for(|state| matches!(state, EncoderState::Failed { .. })) => false,
            }
        };
        let loaded = match patience {
            Patience::Now => self.is_loaded(),
            Patience::UpTo(limit) => tokio::time::timeout(limit, loaded).await.unwrap_or(false),
            Patience::Forever => loaded.await,
        };
        if loaded { Ok(()) } else { Err(self.not_ready()) }
    }

    fn not_ready(&self) -> Unready {
        Unready::NotReady(self.inner.state.borrow().clone())
    }
}

#[cfg(test)]
mod tests;
