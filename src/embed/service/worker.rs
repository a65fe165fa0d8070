//! The thread that loads the model and then answers.

use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::super::digest::of_text;
use super::super::encoder::{EncodeError, Encoder};
use super::super::index::{Cache, Index};
use super::super::model::{EMBEDDED_VECTORS, ModelError};
use super::super::vector::Vector;
use super::load::{self, Watch};
use super::queue::{Background, Job};
use super::{Options, Shared};
use crate::proto::EncoderState;

/// How often progress is told.
const TELL: Duration = Duration::from_millis(100);
/// Vectors that are written to disk at once.
const AT_ONCE: usize = 32;
/// Messages whose vectors are remembered: rules, the gate and recall ask for the same one.
const REMEMBERED: usize = 16;

type Key = [u8; 16];

pub fn spawn(shared: Arc<Shared>, options: Options) {
    let begun = Instant::now();
    let thread = {
        let shared = Arc::clone(&shared);
        std::thread::Builder::new().name("encoder".to_owned()).spawn(move || work(&shared, options, begun))
    };
    if let Err(error) = thread {
        fail(&shared, format!("its thread cannot be started: {error}"), "Close other programs and start again.");
    }
}

fn work(shared: &Shared, options: Options, begun: Instant) {
    let teller = Teller::new(shared);
    let loaded = catch_unwind(AssertUnwindSafe(|| load::load(options.source, &teller, &shared.stop)));
    let loaded = match loaded {
        Ok(Ok(loaded)) => loaded,
        Ok(Err(error)) => return fail(shared, error.to_string(), advice(&error)),
        Err(_) => return fail(shared, "reading it ended in a fault of the program".to_owned(), ADVICE),
    };
    if let Some(note) = &loaded.note {
        shared.note(note.clone());
    }
    let cache = options.vectors.map(|folder| Cache::new(&folder, loaded.encoder.identity()));
    let load_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut worker = Worker {
        shared,
        encoder: loaded.encoder,
        cache,
        load_ms,
        note: loaded.note,
        remembered: VecDeque::new(),
        todo: VecDeque::new(),
        wanted: 0,
        growing: Index::default(),
        unsaved: Vec::new(),
        told: Instant::now(),
    };
    shared.encoder.send_replace(Some(Arc::clone(&worker.encoder)));
    // With phrases to come it is not ready yet, and must not look so for a moment.
    if !shared.queue.is_wanted() {
        worker.tell();
    }
    worker.run();
}

const ADVICE: &str = "Set `[encoder] model = \"embedded\"`; tools can still be enabled by name.";

fn advice(error: &ModelError) -> &'static str {
    match error {
        ModelError::NotInBuild => {
            "Build again with the files of `assets/encoder`, or set `[encoder] model` to a directory with a model."
        }
        _ => ADVICE,
    }
}

fn fail(shared: &Shared, why: String, advice: &str) {
    // Closed first: whoever sees the state must not find a queue that still takes messages.
    shared.queue.close();
    shared.state.send_replace(EncoderState::Failed { why, advice: advice.to_owned() });
}

impl Shared {
    pub fn note(&self, note: String) {
        tracing::warn!(target: "octomind::embed", "{note}");
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

/// Tells how far loading is, not too often.
struct Teller<'a> {
    shared: &'a Shared,
    told: std::sync::Mutex<Option<Instant>>,
}

impl<'a> Teller<'a> {
    fn new(shared: &'a Shared) -> Self {
        Self { shared, told: std::sync::Mutex::new(None) }
    }
}

impl Watch for Teller<'_> {
    fn loading(&self, model: &str) {
        let state = EncoderState::Loading { model: model.to_owned(), phrases_done: 0, phrases: 0 };
        self.shared.state.send_replace(state);
    }

    fn downloading(&self, model: &str, done: u64, total: Option<u64>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| told.elapsed() >= TELL) || total == Some(done) {
            *told = Some(Instant::now());
            self.shared.state.send_replace(EncoderState::Downloading { model: model.to_owned(), done, total });
        }
    }
}

struct Worker<'a> {
    shared: &'a Shared,
    encoder: Arc<dyn Encoder>,
    cache: Option<Cache>,
    load_ms: u64,
    note: Option<String>,
    remembered: VecDeque<(Key, Vector)>,
    /// Phrases without a vector yet.
    todo: VecDeque<String>,
    wanted: usize,
    /// The next snapshot of the index.
    growing: Index,
    unsaved: Vec<(Key, Vector)>,
    told: Instant,
}

impl Worker<'_> {
    fn run(&mut self) {
        loop {
            let background = if self.todo.is_empty() { Background::Nothing } else { Background::Waiting };
            match self.shared.queue.next(background) {
                Job::Message { text, answer } => {
                    let encoded = self.message(&text);
                    // Nobody waits any more when the caller gave up.
                    let _ = answer.send(encoded);
                }
                Job::Want(phrases, wish) => self.want(phrases, wish),
                Job::Background => self.one_phrase(),
                Job::Stop => break,
            }
        }
        self.save();
    }

    fn message(&mut self, text: &str) -> Result<Vector, EncodeError> {
        let key = of_text(text);
        if let Some((_, vector)) = self.remembered.iter().find(|(held, _)| *held == key) {
            return Ok(vector.clone());
        }
        let vector = self.encode(text)?;
        if self.remembered.len() == REMEMBERED {
            self.remembered.pop_front();
        }
        self.remembered.push_back((key, vector.clone()));
        Ok(vector)
    }

    /// A text that the model chokes on costs itself only.
    fn encode(&self, text: &str) -> Result<Vector, EncodeError> {
        catch_unwind(AssertUnwindSafe(|| self.encoder.encode(text)))
            .unwrap_or_else(|_| Err(EncodeError::Model("it ended in a fault of the program".to_owned())))
    }

    fn want(&mut self, phrases: Vec<String>, wish: u64) {
        self.save();
        let keys: HashSet<Key> = phrases.iter().map(|phrase| of_text(phrase)).collect();
        let wanted = |key: &Key| keys.contains(key);
        let mut index = Index::default();
        index.wish = wish;
        if let Some(cache) = &self.cache {
            if let Some(note) = cache.read(&wanted, &mut index) {
                self.shared.note(note);
            }
            if self.encoder.identity().name == "embedded" {
                cache.read_precomputed(EMBEDDED_VECTORS, &wanted, &mut index);
            }
        }
        // What is in memory only, because it could not be written.
        for key in &keys {
            if let Some(vector) = self.growing.by_key(key).filter(|_| !index.contains(key)) {
                index.insert(*key, vector.clone());
            }
        }
        let mut seen = HashSet::new();
        let missing = |phrase: &String| {
            let key = of_text(phrase);
            !index.contains(&key) && seen.insert(key)
        };
        self.todo = phrases.into_iter().filter(missing).collect();
        self.wanted = keys.len();
        self.growing = index;
        self.publish();
        self.tell();
    }

    fn one_phrase(&mut self) {
        let Some(phrase) = self.todo.pop_front() else { return };
        match self.encode(&phrase) {
            Ok(vector) => {
                let key = of_text(&phrase);
                self.growing.insert(key, vector.clone());
                self.unsaved.push((key, vector));
            }
            Err(error) => self.shared.note(format!("the phrase `{phrase}` is never matched: {error}")),
        }
        if self.unsaved.len() >= AT_ONCE || self.todo.is_empty() {
            self.save();
        }
        if self.todo.is_empty() || self.told.elapsed() >= TELL {
            self.publish();
            self.tell();
        }
    }

    fn save(&mut self) {
        let unsaved = std::mem::take(&mut self.unsaved);
        let Some(cache) = self.cache.as_ref().filter(|_| !unsaved.is_empty()) else { return };
        if let Err(note) = cache.append(&unsaved) {
            self.shared.note(note);
            // Once is enough: the next phrases would meet the same.
            self.cache = None;
        }
    }

    fn publish(&mut self) {
        self.growing.missing = self.todo.len();
        self.shared.index.store(Arc::new(self.growing.clone()));
    }

    fn tell(&mut self) {
        self.told = Instant::now();
        let identity = self.encoder.identity();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let state = if self.todo.is_empty() {
            EncoderState::Ready {
                model: identity.name.clone(),
                backend: identity.backend.clone(),
                load_ms: self.load_ms,
                note: self.note.clone(),
            }
        } else {
            EncoderState::Loading {
                model: identity.name.clone(),
                phrases_done: count(self.wanted - self.todo.len()),
                phrases: count(self.wanted),
            }
        };
        self.shared.state.send_replace(state);
    }
}
