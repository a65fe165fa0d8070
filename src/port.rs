//! The one seam between a session and its front ends: commands in, events and a snapshot out.
//!
//! Owns the delivery rules. Durable and live events are never dropped; progress events waiting for
//! the same reader are merged into one. A reader that falls [`MAX_WAITING`] events behind is told to
//! take the snapshot again, and how many events it did not see one by one.
//!
//! Does not own what events mean ([`crate::proto`]) nor who writes them (`session`).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, mpsc, watch};

use crate::proto::{Body, Command, Event, Snapshot, Tier};

/// Events that may wait for one reader before it is resynchronised.
pub const MAX_WAITING: usize = 4096;

/// Commands that may wait for the session before a front end is told to slow down.
pub const MAX_COMMANDS: usize = 256;

/// What a front end holds.
#[derive(Debug)]
pub struct Port {
    pub commands: mpsc::Sender<Command>,
    pub events: EventStream,
    pub snapshot: watch::Receiver<Arc<Snapshot>>,
}

/// What a reader is handed next.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    Event(Arc<Event>),
    /// Take the snapshot afresh; `skipped` events were not delivered one by one.
    Resync {
        skipped: u64,
    },
    /// The port changed to this session. It holds what was before; what happens from now on is
    /// delivered as ever.
    Replaced(Arc<Snapshot>),
}

/// The session's side: publishes events and keeps the shared snapshot up to date.
#[derive(Debug)]
pub struct Hub {
    commands: mpsc::Sender<Command>,
    snapshot: watch::Sender<Arc<Snapshot>>,
    readers: Mutex<Vec<Arc<Waiting>>>,
}

#[derive(Debug, Default)]
struct Waiting {
    queue: Mutex<Queue>,
    ready: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    /// Comes before everything else that waits.
    replaced: Option<Arc<Snapshot>>,
    events: VecDeque<Arc<Event>>,
    resync: Option<u64>,
    closed: bool,
    /// The reader is gone.
    abandoned: bool,
}

impl Hub {
    /// A hub, and the receiving end of its commands.
    pub fn new(snapshot: Snapshot) -> (Self, mpsc::Receiver<Command>) {
        let (commands, receiver) = mpsc::channel(MAX_COMMANDS);
        let (snapshot, _) = watch::channel(Arc::new(snapshot));
        (Self { commands, snapshot, readers: Mutex::default() }, receiver)
    }

    /// A new port. Its events are those after the snapshot it can take now.
    pub fn connect(&self) -> Port {
        let waiting = Arc::new(Waiting::default());
        lock(&self.readers).push(Arc::clone(&waiting));
        Port { commands: self.commands.clone(), events: EventStream { waiting }, snapshot: self.snapshot.subscribe() }
    }

    /// Folds the event into the snapshot and hands it to every reader. Never waits.
    pub fn publish(&self, event: Event) {
        self.snapshot.send_modify(|snapshot| Arc::make_mut(snapshot).apply(&event));
        let event = Arc::new(event);
        lock(&self.readers).retain(|reader| reader.push(&event));
    }

    /// Changes to another session: every reader takes this snapshot.
    pub fn replace(&self, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        self.snapshot.send_replace(Arc::clone(&snapshot));
        lock(&self.readers).retain(|reader| reader.replace(&snapshot));
    }

    /// The snapshot as it stands.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.borrow())
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        for reader in lock(&self.readers).iter() {
            lock(&reader.queue).closed = true;
            reader.ready.notify_one();
        }
    }
}

impl Waiting {
    /// False when the reader is gone.
    fn push(&self, event: &Arc<Event>) -> bool {
        let mut queue = lock(&self.queue);
        if queue.abandoned {
            return false;
        }
        match &mut queue.resync {
            Some(skipped @ 1..) => *skipped += 1,
            // What comes after another session's snapshot is new to the reader.
            None | Some(0) => {
                if !queue.merge(event) {
                    queue.events.push_back(Arc::clone(event));
                }
                if queue.events.len() > MAX_WAITING {
                    queue.resync = Some(queue.events.len() as u64);
                    queue.events.clear();
                }
            }
        }
        drop(queue);
        self.ready.notify_one();
        true
    }

    fn replace(&self, snapshot: &Arc<Snapshot>) -> bool {
        let mut queue = lock(&self.queue);
        if queue.abandoned {
            return false;
        }
        queue.events.clear();
        queue.resync = None;
        queue.replaced = Some(Arc::clone(snapshot));
        drop(queue);
        self.ready.notify_one();
        true
    }
}

impl Queue {
    /// Merges a progress event into one of the same kind that still waits. Never crosses an event of
    /// another tier, so the order of what is durable is kept.
    fn merge(&mut self, event: &Arc<Event>) -> bool {
        if event.tier() != Tier::Progress {
            return false;
        }
        for waiting in self.events.iter_mut().rev() {
            if waiting.tier() != Tier::Progress {
                return false;
            }
            if let Some(merged) = merged(waiting, event) {
                *waiting = Arc::new(merged);
                return true;
            }
        }
        false
    }
}

/// A merged delta is not grown past this many bytes, so that merging stays linear.
const MAX_MERGED: usize = 16 * 1024;

/// One event that says what both say, if they are of one kind about one thing.
pub fn merged(first: &Event, second: &Event) -> Option<Event> {
    let body = match (&first.body, &second.body) {
        (Body::TextDelta { request, offset, text }, Body::TextDelta { request: same, offset: next, text: more })
            if request == same && offset + text.len() as u64 == *next && text.len() < MAX_MERGED =>
        {
            Body::TextDelta { request: *request, offset: *offset, text: format!("{text}{more}") }
        }
        (
            Body::ReasoningDelta { request, offset, text },
            Body::ReasoningDelta { request: same, offset: next, text: more },
        ) if request == same && offset + text.len() as u64 == *next && text.len() < MAX_MERGED => {
            Body::ReasoningDelta { request: *request, offset: *offset, text: format!("{text}{more}") }
        }
        (Body::CallForming { request, .. }, Body::CallForming { request: same, .. }) if request == same => {
            second.body.clone()
        }
        (Body::ToolProgress { call, .. }, Body::ToolProgress { call: same, .. }) if call == same => second.body.clone(),
        _ => return None,
    };
    Some(Event { seq: second.seq, at: second.at, order: second.order, body })
}

/// Events for one reader, in order.
#[derive(Debug)]
pub struct EventStream {
    waiting: Arc<Waiting>,
}

impl EventStream {
    /// The next delivery; `None` when the session is over. Cancel safe.
    pub async fn next(&mut self) -> Option<Delivery> {
        loop {
            if let Some(delivery) = self.try_next() {
                return Some(delivery);
            }
            if lock(&self.waiting.queue).closed {
                return None;
            }
            self.waiting.ready.notified().await;
        }
    }

    /// The next delivery if one waits.
    pub fn try_next(&mut self) -> Option<Delivery> {
        let mut queue = lock(&self.waiting.queue);
        if let Some(snapshot) = queue.replaced.take() {
            return Some(Delivery::Replaced(snapshot));
        }
        if let Some(skipped) = queue.resync.take() {
            return Some(Delivery::Resync { skipped });
        }
        queue.events.pop_front().map(Delivery::Event)
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let mut queue = lock(&self.waiting.queue);
        queue.abandoned = true;
        queue.events.clear();
    }
}

/// Nothing here can leave a queue half changed, so a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a front end's own snapshot: takes it afresh when told to, applies events otherwise.
///
/// Returns false when the delivery changed nothing.
pub fn follow(own: &mut Snapshot, delivery: &Delivery, shared: &watch::Receiver<Arc<Snapshot>>) -> bool {
    match delivery {
        Delivery::Event(event) => {
            let before = own.seq;
            own.apply(event);
            own.seq != before
        }
        Delivery::Resync { .. } => {
            *own = (**shared.borrow()).clone();
            true
        }
        Delivery::Replaced(snapshot) => {
            *own = (**snapshot).clone();
            true
        }
    }
}
