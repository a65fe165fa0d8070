//! The state of one transfer that its parts share: bounds, stop, and what went wrong. The library in
//! between carries only text, so the reason is kept here.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::bounds::Bounds;
use super::fault::GitFault;

#[derive(Debug, Clone)]
pub(super) struct Operation(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    host: String,
    bounds: Bounds,
    stop: CancellationToken,
    deadline: Instant,
    received: AtomicU64,
    fault: Mutex<Option<GitFault>>,
}

impl Operation {
    pub fn new(host: String, bounds: Bounds, stop: CancellationToken) -> Self {
        let deadline = Instant::now() + bounds.time;
        let (received, fault) = (AtomicU64::new(0), Mutex::new(None));
        Self(Arc::new(Shared { host, bounds, stop, deadline, received, fault }))
    }

    pub fn host(&self) -> &str {
        &self.0.host
    }

    pub fn bounds(&self) -> &Bounds {
        &self.0.bounds
    }

    pub fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub fn deadline(&self) -> Instant {
        self.0.deadline
    }

    /// Adds bytes that came over the network.
    pub fn add_received(&self, bytes: usize) -> Result<(), GitFault> {
        let before = self.0.received.fetch_add(bytes as u64, Ordering::Relaxed);
        self.check_received(before.saturating_add(bytes as u64))
    }

    pub fn check_received(&self, bytes: u64) -> Result<(), GitFault> {
        let limit = self.0.bounds.received;
        if bytes > limit { Err(GitFault::Large { limit }) } else { Ok(()) }
    }

    pub fn check_listed(&self, bytes: u64) -> Result<(), GitFault> {
        let limit = self.0.bounds.listed;
        if bytes > limit { Err(GitFault::Listed { host: self.0.host.clone(), limit }) } else { Ok(()) }
    }

    /// Nobody waits for it any more, so that it must do nothing from now on.
    pub fn abandon(&self) {
        self.0.stop.cancel();
    }

    /// Whether it may go on.
    pub fn check(&self) -> Result<(), GitFault> {
        if self.0.stop.is_cancelled() {
            return Err(GitFault::Stopped);
        }
        if Instant::now() >= self.0.deadline {
            return Err(self.slow());
        }
        Ok(())
    }

    pub fn slow(&self) -> GitFault {
        GitFault::Slow { seconds: seconds(self.0.bounds.time) }
    }

    pub fn silent(&self) -> GitFault {
        GitFault::Silent { host: self.0.host.clone(), seconds: seconds(self.0.bounds.silence) }
    }

    /// Keeps the first reason.
    pub fn fail(&self, fault: GitFault) {
        self.0.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    }

    /// The kept reason, else what the library says.
    pub fn reason(&self, error: git2::Error) -> GitFault {
        let kept = self.0.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.unwrap_or_else(|| error.into())
    }
}

fn seconds(time: Duration) -> u64 {
    time.as_secs_f64().ceil() as u64
}
