use std::io;
use std::time::Duration;

use tokio::signal::unix::{self, SignalKind};

/// What the system tells the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Resize,
    /// The process was stopped and goes on.
    Continue,
    Terminate,
    Interrupt,
    Hangup,
}

#[derive(Debug)]
pub struct Signals {
    resize: unix::Signal,
    resumed: unix::Signal,
    terminate: unix::Signal,
    interrupt: unix::Signal,
    hangup: unix::Signal,
}

/// How long stopping ourselves may take to happen.
const STOP_WITHIN: Duration = Duration::from_millis(200);

impl Signals {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            resize: unix::signal(SignalKind::window_change())?,
            resumed: unix::signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            terminate: unix::signal(SignalKind::terminate())?,
            interrupt: unix::signal(SignalKind::interrupt())?,
            hangup: unix::signal(SignalKind::hangup())?,
        })
    }

    /// Cancel safe.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.resize.recv() => Signal::Resize,
            _ = self.resumed.recv() => Signal::Continue,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.hangup.recv() => Signal::Hangup,
        }
    }

    /// Stops the whole job as the shell's own ctrl-z does, and returns once it goes on. Without job
    /// control nothing stops, and this returns after a moment.
    pub async fn stop(&mut self) {
        let stopped = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
        if stopped.is_ok() {
            let _ = tokio::time::timeout(STOP_WITHIN, self.resumed.recv()).await;
        }
    }
}
