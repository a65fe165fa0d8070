//! The catalogue while a session runs.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};

use super::build::{Places, build};
use super::watch::{self, Watch};
use crate::tap::Catalogue;

/// A change is read when nothing more has happened for this long: editors and git write in bursts.
const QUIET: Duration = Duration::from_millis(150);
/// A burst that does not end is read after this.
const LONGEST_BURST: Duration = Duration::from_secs(2);
/// A tap that vanished is looked for again after this.
const RETRY: Duration = Duration::from_secs(5);

/// The catalogue of the moment. Reading never waits.
#[derive(Debug)]
pub struct Shelf {
    current: ArcSwap<Catalogue>,
    stale: ArcSwapOption<String>,
}

impl Shelf {
    pub fn new(catalogue: Catalogue) -> Self {
        Self { current: ArcSwap::from_pointee(catalogue), stale: ArcSwapOption::empty() }
    }

    pub fn current(&self) -> Arc<Catalogue> {
        self.current.load_full()
    }

    /// Why the last change could not be read, so that this is what was there before it.
    pub fn stale(&self) -> Option<Arc<String>> {
        self.stale.load_full()
    }
}

/// What the listener is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// There is a new catalogue.
    Rebuilt(Arc<Catalogue>),
    /// The last good one stays, and why.
    Stale(String),
    /// Changes on disk will not be seen, and why; [`Live::reload`] still reads them.
    Unwatched(String),
}

enum Order {
    Changed,
    Reload,
    /// And who hears that it was read.
    Replace(Places, Sender<()>),
    Stop,
}

/// Keeps a [`Shelf`] as the disk is. Ends when it is dropped.
#[derive(Debug)]
pub struct Live {
    shelf: Arc<Shelf>,
    orders: Sender<Order>,
}

impl Live {
    /// Reads everything, and watches it from before that on, so that no change falls between. Waits for
    /// the reading. The listener is called on a thread of its own, for what changes after.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn open(places: Places, listener: impl Fn(Change) + Send + 'static) -> std::io::Result<Self> {
        let (orders, inbox) = channel();
        let watch = watch_for(&places, &orders);
        let shelf = Arc::new(Shelf::new(build(&places)));
        let keeper = Keeper { places, shelf: shelf.clone(), orders: orders.clone(), listener, watch };
        std::thread::Builder::new().name("catalogue".to_owned()).spawn(move || keeper.run(&inbox))?;
        Ok(Self { shelf, orders })
    }

    pub fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    pub fn current(&self) -> Arc<Catalogue> {
        self.shelf.current()
    }

    /// Reads everything again now, whatever was seen to change.
    pub fn reload(&self) {
        // The thread ends with the last `Live` only.
        let _ = self.orders.send(Order::Reload);
    }

    /// Reads from other places from now on: a tap was connected or removed.
    /// Hears when that was read for the first time.
    pub fn replace(&self, places: Places) -> Receiver<()> {
        let (done, read) = channel();
        let _ = self.orders.send(Order::Replace(places, done));
        read
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.orders.send(Order::Stop);
    }
}

struct Keeper<Listener> {
    places: Places,
    shelf: Arc<Shelf>,
    orders: Sender<Order>,
    listener: Listener,
    watch: Watch,
}

/// A burst of changes.
struct Burst {
    began: Instant,
    read_at: Instant,
}

impl<Listener: Fn(Change)> Keeper<Listener> {
    fn run(mut self, inbox: &Receiver<Order>) {
        if let Some(why) = self.watch.failed.clone() {
            (self.listener)(Change::Unwatched(why));
        }
        let mut burst: Option<Burst> = None;
        loop {
            let order = match &burst {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(burst) => inbox.recv_timeout(burst.read_at.saturating_duration_since(Instant::now())),
            };
            let now = Instant::now();
            match order {
                Ok(Order::Changed) => burst = Some(Burst::grow(burst, now)),
                Ok(Order::Reload) => burst = self.read(now),
                Ok(Order::Replace(places, done)) => {
                    self.places = places;
                    burst = self.read(now);
                    // Nobody need wait for it.
                    let _ = done.send(());
                }
                Err(RecvTimeoutError::Timeout) => burst = self.read(now),
                Ok(Order::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Reads everything; when a tap is gone that was there, keeps what there was and says when to look
    /// again.
    fn read(&mut self, now: Instant) -> Option<Burst> {
        let fresh = build(&self.places);
        let before = self.shelf.current();
        let lost = lost_taps(&before, &fresh);
        self.watch_again();
        if lost.is_empty() {
            let was_stale = self.shelf.stale.swap(None).is_some();
            if fresh != *before || was_stale {
                let fresh = Arc::new(fresh);
                self.shelf.current.store(fresh.clone());
                (self.listener)(Change::Rebuilt(fresh));
            }
            return None;
        }
        let why = lost.join("; ");
        if self.shelf.stale().is_none_or(|known| *known != why) {
            self.shelf.stale.store(Some(Arc::new(why.clone())));
            (self.listener)(Change::Stale(why));
        }
        Some(Burst { began: now, read_at: now + RETRY })
    }

    /// Folders come and go, so the watches are made anew; the old ones go last, so that nothing is
    /// missed between.
    fn watch_again(&mut self) {
        let fresh = watch_for(&self.places, &self.orders);
        let known = std::mem::replace(&mut self.watch, fresh).failed;
        if let Some(why) = self.watch.failed.clone().filter(|why| known.as_ref() != Some(why)) {
            (self.listener)(Change::Unwatched(why));
        }
    }
}

fn watch_for(places: &Places, orders: &Sender<Order>) -> Watch {
    let orders = orders.clone();
    watch::watch(watch::targets(places), move || {
        // The keeper is gone: nobody wants to know.
        let _ = orders.send(Order::Changed);
    })
}

impl Burst {
    fn grow(burst: Option<Self>, now: Instant) -> Self {
        let began = burst.map_or(now, |burst| burst.began);
        Self { began, read_at: (now + QUIET).min(began + LONGEST_BURST) }
    }
}

/// Taps that could be read and now cannot, with the reason. One that is no longer connected is not lost.
fn lost_taps(before: &Catalogue, fresh: &Catalogue) -> Vec<String> {
    let was_there = |name: &str| before.tap(name).is_some_and(|tap| tap.unavailable.is_none());
    let lost = fresh.taps.iter().filter(|tap| was_there(&tap.name));
    lost.filter_map(|tap| Some(format!("{}: {}", tap.name, tap.unavailable.as_ref()?))).collect()
}
