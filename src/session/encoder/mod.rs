//! The sentence encoder at a session's side.
//!
//! Owns: that a process has one of it, whose phrases are wanted and which are read first, what a message
//! is likened to, which agent a task suits and which capability is looked for.
//!
//! Does not own: vectors and the rule over them (`embed`), what is on offer (`tap`), when it is asked
//! and what is told of it (`actor`).
//!
//! Invariant: nothing is loaded before something is wanted, nobody waits longer than is said here, and
//! what cannot be told is said with its reason.

mod discover;
mod early;
mod likeness;
mod phrases;
mod recent;
mod specialist;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use tokio::sync::watch;

use crate::config::{Env, Paths};
use crate::embed::{Beside, Options, Service, Unready, Vector};
use crate::proto::EncoderState;
use likeness::Waits;
use recent::Usage;

pub use discover::{Capability, Discovered, discover};
pub(super) use likeness::{LATE, NOT_READY, Patience, compare, compare_when_read, liken};
pub use phrases::in_question;
pub(super) use phrases::phrases;
pub use specialist::{Choice, Ranked, Ranking, rank, reach};

pub(super) use early::want_early;
pub(super) use phrases::Phrases;
pub(super) use recent::Recent;

/// The encoder of the process, as one session uses it.
pub struct Sentences {
    process: Arc<Process>,
    session: u64,
    /// Where it is kept what was used; `None` = nowhere.
    recent: Option<Recent>,
}

/// What the sessions of a process share.
struct Process {
    service: Service,
    /// Somebody named a model; otherwise it is what comes with the program.
    named: bool,
    waits: Waits,
    wishes: Mutex<Wishes>,
    /// The message that was encoded last, so that all that compare it share its vector.
    last: Mutex<Option<(String, Vector, u64)>>,
}

#[derive(Default)]
struct Wishes {
    /// Of each session, the latest first.
    of: Vec<(u64, Vec<String>)>,
    /// What the service was told last.
    told: Vec<String>,
}

type Key = (String, PathBuf);

static PROCESS: Mutex<BTreeMap<Key, Weak<Process>>> = Mutex::new(BTreeMap::new());
static SESSIONS: AtomicU64 = AtomicU64::new(0);

const EMBEDDED: &str = "embedded";

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sentences {
    /// That of `[encoder] model`; sessions with the same setting share it. Loads nothing.
    pub fn of_process(model: &str, paths: &Paths, env: &Env) -> Self {
        let mut known = lock(&PROCESS);
        let key = (model.to_owned(), paths.cache.clone());
        if let Some(process) = known.get(&key).and_then(Weak::upgrade) {
            return Self::of(process).remembering(paths);
        }
        let named = !matches!(model.trim(), "" | EMBEDDED);
        let sentences = Self::over(Service::new(Options::new(model, paths, env)), named, Waits::default());
        known.retain(|_, process| process.strong_count() > 0);
        known.insert(key, Arc::downgrade(&sentences.process));
        sentences.remembering(paths)
    }

    /// One that is shared with nobody yet.
    fn over(service: Service, named: bool, waits: Waits) -> Self {
        Self::of(Arc::new(Process { service, named, waits, wishes: Mutex::default(), last: Mutex::default() }))
    }

    fn of(process: Arc<Process>) -> Self {
        Self { process, session: SESSIONS.fetch_add(1, Ordering::Relaxed), recent: None }
    }

    /// The same encoder for another session.
    pub(super) fn for_another(&self) -> Self {
        let mut other = Self::of(Arc::clone(&self.process));
        other.recent.clone_from(&self.recent);
        other
    }

    fn remembering(mut self, paths: &Paths) -> Self {
        self.recent = Some(Recent::at(paths));
        self
    }

    pub fn service(&self) -> &Service {
        &self.process.service
    }

    pub fn state(&self) -> watch::Receiver<EncoderState> {
        self.process.service.state()
    }

    /// Whether somebody named the model, so that its failure is news to them.
    pub fn is_named(&self) -> bool {
        self.process.named
    }

    /// A capability or a skill was activated: its phrases are read first from now on, in every session.
    /// Kept beside the caller, within a runtime.
    pub fn used(&self, name: &str) {
        let (usage, names) = (self.usage(), [name.to_owned()]);
        let keep = move || usage.keep(&names);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(keep)),
            Err(_) => keep(),
        }
    }

    fn usage(&self) -> Usage {
        Usage::new(self.recent.clone(), self.service().clone())
    }

    /// Wants the vectors of these phrases for this session, beside what other sessions want; what was
    /// used last comes first. Begins to load in the background; without a phrase nothing is begun.
    pub fn want(&self, phrases: impl Into<Phrases>) {
        let phrases = phrases.into();
        let used = if phrases.are_owned() { self.usage().latest() } else { Vec::new() };
        let phrases = phrases.in_order(&used);
        let mut wishes = lock(&self.process.wishes);
        wishes.of.retain(|(session, _)| *session != self.session);
        wishes.of.insert(0, (self.session, phrases));
        let mut seen = HashSet::new();
        let all = wishes.of.iter().flat_map(|(_, phrases)| phrases);
        let all: Vec<String> = all.filter(|phrase| seen.insert(phrase.as_str())).cloned().collect();
        // Another order alone is not worth looking everything up again.
        let told: HashSet<&str> = wishes.told.iter().map(String::as_str).collect();
        let same = all.len() == told.len() && all.iter().all(|phrase| told.contains(phrase.as_str()));
        if !all.is_empty() && !same {
            wishes.told.clone_from(&all);
            self.process.service.want(all);
        }
    }
}

impl Sentences {
    /// Wants these too, if this session does not yet.
    pub(super) fn want_also(&self, phrases: &[String]) {
        let all = {
            let wishes = lock(&self.process.wishes);
            let own = wishes.of.iter().find(|(session, _)| *session == self.session);
            let known = own.map(|(_, known)| known.as_slice()).unwrap_or_default();
            let seen: HashSet<&str> = known.iter().map(String::as_str).collect();
            let more: Vec<String> = phrases.iter().filter(|one| !seen.contains(one.as_str())).cloned().collect();
            if more.is_empty() {
                return;
            }
            more.into_iter().chain(known.iter().cloned()).collect::<Vec<String>>()
        };
        self.want(all);
    }

    /// Whether nothing more is to be waited for before a message is compared with these: they are read,
    /// or never will be, or not soon.
    pub(super) fn are_read(&self, phrases: &[String]) -> bool {
        let service = self.service();
        match *self.state().borrow() {
            EncoderState::Failed { .. } | EncoderState::Downloading { .. } => return true,
            EncoderState::Idle | EncoderState::Loading { .. } | EncoderState::Ready { .. } => {}
        }
        let index = service.index();
        service.is_read() || (service.is_loaded() && phrases.iter().all(|phrase| index.get(phrase).is_some()))
    }

    /// Waits until they are.
    pub(super) async fn read(&self, mut phrases: Vec<String>) {
        let mut state = self.state();
        loop {
            state.borrow_and_update();
            if self.are_read(&phrases) {
                return;
            }
            let index = self.service().index();
            phrases.retain(|phrase| index.get(phrase).is_none());
            // What there is at the end of the program is what there is.
            if state.changed().await.is_err() {
                return;
            }
        }
    }

    /// The same, unless this session wants all of them already.
    pub(super) fn want_at_least(&self, phrases: Vec<String>) {
        let known = {
            let wishes = lock(&self.process.wishes);
            let own = wishes.of.iter().find(|(session, _)| *session == self.session);
            own.is_some_and(|(_, known)| {
                let known: HashSet<&str> = known.iter().map(String::as_str).collect();
                phrases.iter().all(|phrase| known.contains(phrase.as_str()))
            })
        };
        if !known {
            self.want(phrases);
        }
    }

    /// A message beside the phrases of the index, and how many microseconds its vector took. The same
    /// message is encoded once, whoever asks.
    ///
    /// # Errors
    /// Why it has no vector.
    pub(super) async fn beside(&self, message: &str) -> Result<(Beside, u64), Unready> {
        let known = lock(&self.process.last).clone().filter(|(known, ..)| known == message);
        let (vector, micros) = match known {
            Some((_, vector, micros)) => (vector, micros),
            None => {
                let begun = Instant::now();
                let vector = self.service().encode(message, crate::embed::Patience::Now).await?;
                let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
                *lock(&self.process.last) = Some((message.to_owned(), vector.clone(), micros));
                (vector, micros)
            }
        };
        Ok((Beside { message: vector, index: self.service().index() }, micros))
    }
}

impl Drop for Sentences {
    fn drop(&mut self) {
        lock(&self.process.wishes).of.retain(|(session, _)| *session != self.session);
    }
}

impl std::fmt::Debug for Sentences {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.process.service.state().borrow().clone();
        formatter.debug_struct("Sentences").field("state", &state).finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(in crate::session) mod tests;
