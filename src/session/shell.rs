//! Runs one command for the person.
//!
//! Owns: the process group of the command, its output as it comes, what of it is kept.
//!
//! Does not own: who asked, or what the model is told of it (the actor).
//!
//! Invariant: memory is bounded whatever the command prints, and no process of its group outlives the
//! future that runs it.

mod kept;
#[cfg(test)]
mod tests;

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Signal;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Child;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::config::Mask;
use crate::mcp::group::{KillOnDrop, signal};
use crate::mcp::shell;
use crate::proto::ShellEnd;
use kept::Kept;

/// Between two looks at what came.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// How long a group that is told to end may take before it is ended.
const GRACE: Duration = Duration::from_millis(400);

/// What is still in the pipe is read so long after the end.
const DRAIN: Duration = Duration::from_millis(150);

pub struct Job {
    pub command: String,
    pub folder: PathBuf,
    /// Where the whole of a long output goes.
    pub spill: PathBuf,
    pub mask: Mask,
}

/// What a command says while it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Far {
    pub tail: String,
    pub bytes: u64,
}

/// What it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    pub end: ShellEnd,
    /// All of it, or its beginning and its end.
    pub output: String,
    pub bytes: u64,
    pub spill: Option<PathBuf>,
    pub elapsed: Duration,
}

struct Running {
    child: Child,
    group: KillOnDrop,
    pipe: Receiver,
    closed: bool,
    kept: Kept,
}

/// Runs it to its end, or until it is cancelled.
pub async fn run(job: Job, tell: impl Fn(Far), cancel: CancellationToken) -> Ran {
    let started = Instant::now();
    let mut kept = Kept::new(job.spill, job.mask);
    let (child, pipe) = match shell::spawn(&job.command, &job.folder) {
        Ok(spawned) => spawned,
        Err(error) => {
            let end = ShellEnd::Lost(format!("it could not be started: {error}"));
            return ran(end, &mut kept, started);
        }
    };
    let group = KillOnDrop(child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default());
    let mut running = Running { child, group, pipe, closed: false, kept };
    let end = running.until_end(&tell, &cancel).await;
    if end == ShellEnd::Stopped {
        running.end_group().await;
    }
    running.drain().await;
    ran(end, &mut running.kept, started)
}

fn ran(end: ShellEnd, kept: &mut Kept, started: Instant) -> Ran {
    let (mut output, bytes, spill) = kept.finish();
    if end != ShellEnd::Exited(0)
        && let Some(why) = crate::sandbox::explain(&output)
    {
        output.push_str(&format!("\n[{why}]"));
    }
    Ran { end, output, bytes, spill, elapsed: started.elapsed() }
}

impl Running {
    async fn until_end(&mut self, tell: &impl Fn(Far), cancel: &CancellationToken) -> ShellEnd {
        let mut buffer = vec![0u8; 32 * 1024];
        let (mut next, mut told) = (Instant::now() + TELL_EVERY, 0);
        loop {
            let news = self.kept.bytes() > told;
            tokio::select! {
                biased;
                () = cancel.cancelled() => return ShellEnd::Stopped,
                () = sleep_until(next), if news => {
                    told = self.kept.bytes();
                    next = Instant::now() + TELL_EVERY;
                    tell(Far { tail: self.kept.tail(), bytes: told });
                }
                status = self.child.wait() => return match status {
                    Ok(status) => ended(status),
                    Err(error) => ShellEnd::Lost(format!("its end could not be seen: {error}")),
                },
                read = self.pipe.read(&mut buffer), if !self.closed => match read {
                    Ok(0) | Err(_) => self.closed = true,
                    Ok(count) => self.kept.push(buffer.get(..count).unwrap_or_default()),
                },
            }
        }
    }

    /// Reads what is still in the pipe; a process that holds it open does not hold us.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let mut buffer = vec![0u8; 32 * 1024];
        while !self.closed && Instant::now() < deadline {
            match timeout_at(deadline, self.pipe.read(&mut buffer)).await {
                Ok(Ok(0) | Err(_)) | Err(_) => return,
                Ok(Ok(count)) => self.kept.push(buffer.get(..count).unwrap_or_default()),
            }
        }
    }

    /// Asks the whole group to end, then ends it.
    async fn end_group(&mut self) {
        signal(self.group.0, Signal::TERM);
        let _ = timeout(GRACE, self.child.wait()).await;
        signal(self.group.0, Signal::KILL);
        let _ = self.child.wait().await;
    }
}

fn ended(status: ExitStatus) -> ShellEnd {
    match (status.code(), status.signal()) {
        (Some(code), _) => ShellEnd::Exited(code),
        (None, signal) => ShellEnd::Signal(signal.unwrap_or_default()),
    }
}
