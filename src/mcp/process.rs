//! A child process in its own group: its error output drained, its end certain.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::flood::{Budget, Flood, cost};
use super::{Moved, group, visible};
use crate::config::Mask;

/// Lines kept of a server's error output.
pub const TAIL_LINES: usize = 64;

/// Characters kept of a line.
const LINE_CHARS: usize = 500;

/// A log file is not grown past this by one process.
const LOG_BYTES: u64 = 4 * 1024 * 1024;

/// The last lines a server wrote beside the protocol.
#[derive(Debug, Default)]
pub struct Tail {
    lines: Mutex<VecDeque<String>>,
    version: AtomicU64,
    mask: Mask,
    /// It wrote far too much beside the protocol.
    flood: Mutex<Option<Flood>>,
}

impl Tail {
    pub fn new(mask: Mask) -> Self {
        Self { mask, ..Self::default() }
    }

    /// Keeps a line, and gives it back as it may be shown.
    pub fn push(&self, line: &str) -> String {
        let line = visible::line(&self.mask.text(line), LINE_CHARS);
        if line.is_empty() {
            return line;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == TAIL_LINES {
            lines.pop_front();
        }
        lines.push_back(line.clone());
        self.version.fetch_add(1, Ordering::Relaxed);
        line
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    pub fn last(&self) -> Option<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).back().cloned()
    }

    /// Nothing more is read of it.
    pub fn flooded(&self, flood: Flood) {
        *self.flood.lock().unwrap_or_else(PoisonError::into_inner) = Some(flood);
    }

    pub fn flood(&self) -> Option<Flood> {
        self.flood.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Grows with every line.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    pub fn clear(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.flood.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// What to run, everything expanded.
#[derive(Debug, Clone)]
pub struct Launch {
    pub command: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub cwd: PathBuf,
    /// File that gets the whole error output.
    pub log: Option<PathBuf>,
}

impl Launch {
    /// The same from where its files are to be run.
    pub fn moved(&self, moved: &Moved) -> Self {
        Self {
            command: moved.path(&self.command),
            args: self.args.iter().map(|text| moved.text(text).into_owned()).collect(),
            env: self.env.iter().map(|(name, text)| (name.clone(), moved.text(text).into_owned())).collect(),
            cwd: moved.path(&self.cwd),
            log: self.log.clone(),
        }
    }
}

/// How long a child that is dropped may take to end what it started in turn.
const LAST_MOMENT: Duration = Duration::from_millis(150);

/// How often a program that is just being written is tried again, and how long after.
const BUSY_TRIES: u32 = 20;
const BUSY_WAIT: Duration = Duration::from_millis(5);

/// A running child. Dropped, it is asked to end, and killed with its whole group a moment later.
#[derive(Debug)]
pub struct Process {
    child: Child,
    group: Option<i32>,
    drain: JoinHandle<()>,
    ended: Option<ExitStatus>,
}

/// Starts a program in a process group of its own.
///
/// # Errors
/// As the system says.
pub fn spawn(launch: &Launch, tail: &Arc<Tail>) -> io::Result<(Process, ChildStdin, ChildStdout)> {
    let mut command = Command::new(&launch.command);
    command
        .args(&launch.args)
        .envs(&launch.env)
        .current_dir(&launch.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    group::apart(&mut command)?;
    let mut child = patiently(&mut command)?;
    let missing = || io::Error::other("a pipe to the process is missing");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    let drain = tokio::spawn(drain(stderr, Arc::clone(tail), launch.log.clone()));
    Ok((Process { child, group, drain, ended: None }, stdin, stdout))
}

/// A program that was just written may be held by a child that is being started at this moment.
fn patiently(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match crate::sandbox::spawn(command) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => std::thread::sleep(BUSY_WAIT),
            other => return other,
        }
    }
    crate::sandbox::spawn(command)
}

impl Process {
    /// Waits for the end of the child. Cancel safe. What is left of its group is killed.
    pub async fn wait(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            self.ended = self.child.wait().await.ok();
            self.signal(Signal::KILL);
            self.group = None;
        }
        self.ended
    }

    /// The end of the child, if it comes soon, with all it wrote on its error output.
    pub async fn ended_within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let status = timeout(patience, self.wait()).await.ok().flatten()?;
        if !self.drain.is_finished() {
            let _ = timeout(patience, &mut self.drain).await;
        }
        Some(status)
    }

    /// Ends the child: its input is closed already; half the grace later it is asked, after the
    /// whole grace it is killed.
    pub async fn stop(mut self, grace: Duration) -> Option<ExitStatus> {
        for signal in [Signal::TERM, Signal::KILL] {
            if let Ok(status) = timeout(grace / 2, self.wait()).await {
                return status;
            }
            self.signal(signal);
        }
        self.wait().await
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            group::signal(group, signal);
        }
    }
}

impl Drop for Process {
    /// Only what went wrong drops a child that runs, so a short wait here is cheaper than what a
    /// server that is killed outright leaves behind.
    fn drop(&mut self) {
        if self.group.is_some() {
            self.signal(Signal::TERM);
            let end = Instant::now() + LAST_MOMENT;
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        self.signal(Signal::KILL);
        self.drain.abort();
    }
}

/// Reads error output to its end, whatever it holds, so that the child does not block on it; one that
/// writes more than anybody could read is read slowly.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Tail>, log: Option<PathBuf>) {
    let mut log = match log {
        Some(path) => open_log(&path).await,
        None => None,
    };
    let mut written = 0;
    let mut line = Vec::new();
    let mut buffer = vec![0; 8 * 1024];
    let mut pace = Budget::of_errors(Instant::now());
    loop {
        let count = match stderr.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let mut lines = 0;
        for &byte in &buffer[..count] {
            if byte != b'\n' {
                // The rest of an endless line is dropped.
                if line.len() < 16 * 1024 {
                    line.push(byte);
                }
                continue;
            }
            lines += 1;
            let text = take_line(&mut line, &tail);
            if let Some(file) = log.as_mut().filter(|_| written < LOG_BYTES) {
                written += text.len() as u64 + 1;
                let _ = file.write_all(format!("{text}\n").as_bytes()).await;
            }
        }
        let wait = pace.spend(cost(count, lines), Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
    if !line.is_empty() {
        take_line(&mut line, &tail);
    }
}

fn take_line(line: &mut Vec<u8>, tail: &Tail) -> String {
    let text = String::from_utf8_lossy(line);
    // A progress line that overwrites itself: its last state counts.
    let shown = text.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    let shown = tail.push(shown);
    line.clear();
    shown
}

async fn open_log(path: &std::path::Path) -> Option<tokio::fs::File> {
    let mut options = tokio::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(path).await.ok()
}
