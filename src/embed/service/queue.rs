//! What the worker has to do: messages first, then one phrase of the index at a time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::super::encoder::EncodeError;
use super::super::vector::Vector;

/// Messages that may wait. One is enough for a conversation; `routing eval` and agents add some.
const MOST_WAITING: usize = 64;

pub type Answer = oneshot::Sender<Result<Vector, EncodeError>>;

/// What the worker does next.
pub enum Job {
    Message {
        text: String,
        answer: Answer,
    },
    /// Other phrases are wanted, for so many-th time.
    Want(Vec<String>, u64),
    /// Nothing is urgent: go on with the index.
    Background,
    Stop,
}

pub enum Push {
    Taken,
    Full,
    Closed,
}

/// Whether the worker has something of its own to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Background {
    Waiting,
    Nothing,
}

#[derive(Default)]
pub struct Queue {
    inner: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<(String, Answer)>,
    want: Option<Vec<String>>,
    /// How often phrases were wanted.
    wishes: u64,
    closed: bool,
}

impl Queue {
    pub fn push(&self, text: String, answer: Answer) -> Push {
        let mut waiting = self.lock();
        if waiting.closed {
            return Push::Closed;
        }
        if waiting.messages.len() >= MOST_WAITING {
            return Push::Full;
        }
        waiting.messages.push_back((text, answer));
        self.changed.notify_one();
        Push::Taken
    }

    /// Only the last wish counts.
    pub fn want(&self, phrases: Vec<String>) {
        let mut waiting = self.lock();
        waiting.want = Some(phrases);
        waiting.wishes += 1;
        drop(waiting);
        self.changed.notify_one();
    }

    pub fn is_wanted(&self) -> bool {
        self.lock().want.is_some()
    }

    /// How often phrases were wanted.
    pub fn wishes(&self) -> u64 {
        self.lock().wishes
    }

    /// Drops who waits.
    pub fn close(&self) {
        let mut waiting = self.lock();
        waiting.closed = true;
        waiting.messages.clear();
        self.changed.notify_one();
    }

    /// Blocks until there is something to do.
    pub fn next(&self, background: Background) -> Job {
        let mut waiting = self.lock();
        loop {
            if waiting.closed {
                return Job::Stop;
            }
            if let Some((text, answer)) = waiting.messages.pop_front() {
                return Job::Message { text, answer };
            }
            if let Some(phrases) = waiting.want.take() {
                return Job::Want(phrases, waiting.wishes);
            }
            if background == Background::Waiting {
                return Job::Background;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
