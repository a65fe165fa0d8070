//! Running one command: output read as it comes, ended by time or wish, left-overs watched.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ContentBlock;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::super::limits::{DRAIN, KILL_GRACE, PROGRESS_EVERY, PROGRESS_SILENT};
use super::super::{Answer, Refusal};
use super::groups::{Group, Shells};
use super::output::{Output, Spill};
use super::{Reporter, Stop};
use crate::mcp::group::apart;
use crate::sandbox::{self, planted::Planted};

/// Programs that would page, ask or draw are told that there is nobody to do it for.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("TERM", "dumb"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// Between two looks at a group that was left in the background.
const WATCH: Duration = Duration::from_secs(5);

pub struct Job {
    pub command: String,
    pub folder: PathBuf,
    pub limit: Duration,
}

/// How the shell itself ended.
enum End {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
    Lost(io::Error),
}

struct Running {
    child: Child,
    group: Group,
    pipe: Receiver,
    /// The pipe has no writer left.
    closed: bool,
    output: Output,
    shells: Arc<Shells>,
    started: Instant,
}

pub async fn run(shells: &Arc<Shells>, job: Job, report: Option<Reporter>, stop: Stop) -> Result<Answer, Refusal> {
    let started = Instant::now();
    let before = if sandbox::is_on() { look(&job.folder).await } else { None };
    let (child, pipe) = spawn(&job.command, &job.folder)
        .map_err(|error| Refusal::new(format!("The command could not be started: {error}.")))?;
    let id = child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
    let group = Group::new(id, shells);
    let output = Output::default();
    let mut running = Running { child, group, pipe, closed: false, output, shells: Arc::clone(shells), started };
    let end = running.until_end(job.limit, report, &stop).await;
    if !matches!(end, End::Exited(_)) {
        running.end_group().await;
    }
    running.drain().await;
    let planted = match before {
        Some(before) => look(&job.folder).await.and_then(|now| now.since(&before)),
        None => None,
    };
    Ok(running.answer(&end, job.limit, planted))
}

/// What others would run in the folder; it may take reading many folders.
async fn look(folder: &Path) -> Option<Planted> {
    let folder = folder.to_path_buf();
    tokio::task::spawn_blocking(move || Planted::look(&folder)).await.ok()
}

/// Starts a command in a group of its own; the pipe carries both of its outputs.
///
/// # Errors
/// As the system says.
pub fn spawn(command: &str, folder: &Path) -> io::Result<(Child, Receiver)> {
    let (reader, writer) = io::pipe()?;
    // The writing ends live in `shell` and go with it, so that the pipe closes with the child's.
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(command)
        .current_dir(folder)
        .envs(ENVIRONMENT)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .kill_on_drop(true);
    apart(&mut shell)?;
    let child = sandbox::spawn(&mut shell)?;
    Ok((child, Receiver::from_owned_fd(OwnedFd::from(reader))?))
}

impl Running {
    async fn until_end(&mut self, limit: Duration, report: Option<Reporter>, stop: &Stop) -> End {
        let deadline = self.started + limit;
        let mut buffer = vec![0u8; 32 * 1024];
        let (mut told, mut told_bytes) = (self.started, 0);
        loop {
            let wait = if self.output.bytes() > told_bytes { PROGRESS_EVERY } else { PROGRESS_SILENT };
            tokio::select! {
                biased;
                () = stop.cancel.cancelled() => return End::Cancelled,
                () = stop.closing.cancelled() => return End::Cancelled,
                () = sleep_until(deadline) => return End::TimedOut,
                () = sleep_until(told + wait), if report.is_some() => {
                    told = Instant::now();
                    told_bytes = self.output.bytes();
                    if let Some(report) = &report {
                        report.tell(told - self.started, &self.output.last_line()).await;
                    }
                }
                // Before reading: a flood from a process left behind must not hide the end.
                status = self.child.wait() => match status {
                    Ok(status) => return End::Exited(status),
                    Err(error) => return End::Lost(error),
                },
                read = self.pipe.read(&mut buffer), if !self.closed => self.took(read, &buffer),
            }
        }
    }

    fn took(&mut self, read: io::Result<usize>, buffer: &[u8]) {
        match read {
            Ok(0) | Err(_) => self.closed = true,
            Ok(count) => {
                let shells = Arc::clone(&self.shells);
                self.output.push(buffer.get(..count).unwrap_or_default(), &|| shells.spill());
            }
        }
    }

    /// Reads what is still in the pipe; a process that holds it open does not hold us.
    async fn drain(&mut self) {
        let deadline = Instant::now() + DRAIN;
        let mut buffer = vec![0u8; 32 * 1024];
        while !self.closed && Instant::now() < deadline {
            match timeout_at(deadline, self.pipe.read(&mut buffer)).await {
                Ok(read) => self.took(read, &buffer),
                Err(_) => return,
            }
        }
    }

    /// Asks the whole group to end, then ends it.
    async fn end_group(&mut self) {
        self.group.ask_to_end();
        let _ = timeout(KILL_GRACE, self.child.wait()).await;
        self.group.kill();
        let _ = self.child.wait().await;
    }

    fn answer(mut self, end: &End, limit: Duration, planted: Option<String>) -> Answer {
        let shells = Arc::clone(&self.shells);
        let make = || -> io::Result<(PathBuf, File)> { shells.spill() };
        let left_behind = matches!(end, End::Exited(_)) && self.group.alive();
        if left_behind && !self.closed {
            self.output.keep(&make);
        }
        let text = self.output.finish(&make);
        let text = if text.is_empty() { "(no output)\n".into() } else { text };
        let text = if text.ends_with('\n') { text } else { format!("{text}\n") };
        let seconds = self.started.elapsed().as_secs_f32();
        let (status, failed) = state(end, limit, seconds);
        let behind = if left_behind { self.behind() } else { String::new() };
        let told = [sandbox::explain(&text).filter(|_| failed), planted];
        let told: String = told.into_iter().flatten().map(|line| format!("\n[{line}]")).collect();
        let answer = Answer { content: vec![ContentBlock::text(format!("{text}[{status}]{behind}{told}"))], failed };
        if left_behind {
            let spill = self.output.into_spill();
            tokio::spawn(watch(self.group, (!self.closed).then_some(self.pipe), spill));
        }
        answer
    }

    fn behind(&self) -> String {
        let id = self.group.id();
        let stop = format!("stop it with: kill -- -{id}");
        match self.output.spill_path() {
            Some(path) if !self.closed => {
                format!("\n[still running in the background, its output goes to {}; {stop}]", path.display())
            }
            _ => format!("\n[still running in the background; {stop}]"),
        }
    }
}

fn state(end: &End, limit: Duration, seconds: f32) -> (String, bool) {
    match end {
        End::Exited(status) => match (status.code(), status.signal()) {
            (Some(code), _) => (format!("exit {code}, {seconds:.1} s"), code != 0),
            (None, signal) => (format!("ended by signal {}, {seconds:.1} s", signal.unwrap_or_default()), true),
        },
        End::TimedOut => (
            format!(
                "timed out after {} s and was ended, so there is no exit code; set timeout_seconds higher, \
                 or start it with & and its output in a file",
                limit.as_secs()
            ),
            true,
        ),
        End::Lost(error) => (format!("lost after {seconds:.1} s: {error}"), true),
        End::Cancelled => (format!("cancelled after {seconds:.1} s, so there is no exit code"), true),
    }
}

/// Keeps a group known until it is gone, and its output flowing so that it is not stopped by it.
async fn watch(group: Group, mut pipe: Option<Receiver>, mut spill: Option<Spill>) {
    let mut buffer = vec![0u8; 16 * 1024];
    while group.alive() {
        let Some(open) = &mut pipe else {
            tokio::time::sleep(WATCH).await;
            continue;
        };
        match timeout(WATCH, open.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => pipe = None,
            Ok(Ok(count)) => {
                if let Some(spill) = &mut spill {
                    spill.write(buffer.get(..count).unwrap_or_default());
                }
            }
            Err(_) => {}
        }
    }
}
