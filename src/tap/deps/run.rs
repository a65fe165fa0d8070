use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::find::Script;
use super::left::{Left, Marker};
use super::output::{Output, Told};
use crate::mcp::group::{apart, signal};

/// How long a script may take: installing a toolchain over a slow line is possible, hanging for ever
/// is not.
pub const LIMIT: Duration = Duration::from_secs(15 * 60);

/// Between asking a script to end and ending it.
const GRACE: Duration = Duration::from_millis(500);

/// After a script has ended, how long output of what it left behind is waited for.
const DRAIN: Duration = Duration::from_millis(150);

/// Under what circumstances a script runs.
#[derive(Debug, Clone, Copy)]
pub struct Running<'a> {
    pub workdir: &'a Path,
    /// On top of the process environment.
    pub env: &'a BTreeMap<String, String>,
    pub limit: Duration,
}

/// A script that did what it should.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    pub elapsed: Duration,
    /// What it started and left running in a group of its own, a daemon say.
    pub left: Vec<Left>,
}

/// Why a script did not. `said` are its last lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    #[error("bash is not installed, so deps/{script}.sh cannot run; install bash")]
    NoBash { script: String },
    #[error("deps/{script}.sh could not be started: {why}")]
    NotStarted { script: String, why: String },
    #[error("deps/{script}.sh of {tap} ended with {status} after {} s{}", .elapsed.as_secs(), last(.said))]
    Failed { script: String, tap: String, status: String, elapsed: Duration, said: Vec<String> },
    #[error("deps/{script}.sh of {tap} was ended after {} s, which is as long as a script may take{}", .limit.as_secs(), last(.said))]
    TimedOut { script: String, tap: String, limit: Duration, said: Vec<String> },
    #[error("deps/{script}.sh of {tap} was cancelled after {} s", .elapsed.as_secs())]
    Cancelled { script: String, tap: String, elapsed: Duration },
}

fn last(said: &[String]) -> String {
    if said.is_empty() { String::new() } else { format!(":\n{}", said.join("\n")) }
}

enum End {
    Exited(io::Result<ExitStatus>),
    TimedOut,
    Cancelled,
}

/// Everything that a script started. Unless that is let go it is killed when this is dropped.
struct Started {
    group: i32,
    marker: Option<Marker>,
}

impl Started {
    /// Names what runs on, and lets it.
    async fn let_go(&mut self) -> Vec<Left> {
        let (Some(marker), group) = (self.marker.take(), self.group) else { return Vec::new() };
        tokio::task::spawn_blocking(move || marker.left(group)).await.unwrap_or_default()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        signal(self.group, Signal::KILL);
        if let Some(marker) = &self.marker {
            marker.end();
        }
    }
}

/// Runs a script to its end with `bash`, nothing on its input. `tell` gets each line it writes, safe
/// to show but not masked. Of a script that does not do what it should nothing runs on.
///
/// # Errors
/// When it fails, takes too long or is cancelled.
pub async fn run(
    script: &Script,
    running: Running<'_>,
    tell: impl FnMut(String) + Send,
    cancel: &CancellationToken,
) -> Result<Done, ScriptError> {
    let started = Instant::now();
    let mut told = Told::new(tell);
    if cancel.is_cancelled() {
        return Err(failure(script, running, End::Cancelled, Vec::new(), Duration::ZERO));
    }
    let marker = Marker::new();
    let mut child = spawn(script, running, &marker).map_err(|error| not_started(script, &error))?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
    let mut whole = Started { group, marker: Some(marker) };
    let mut out = Output::new(child.stdout.take());
    let mut err = Output::new(child.stderr.take());
    let deadline = started + running.limit;
    let end = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            () = sleep_until(deadline) => break End::TimedOut,
            // Before reading: a flood from a process left behind must not hide the end.
            status = child.wait() => break End::Exited(status),
            lines = err.read(), if err.open() => told.lines(lines, Instant::now()),
            lines = out.read(), if out.open() => told.lines(lines, Instant::now()),
        }
    };
    if !matches!(end, End::Exited(_)) {
        signal(group, Signal::TERM);
        let _ = timeout(GRACE, child.wait()).await;
    }
    let drained = Instant::now() + DRAIN;
    while err.open()
        && let Ok(lines) = timeout_at(drained, err.read()).await
    {
        told.lines(lines, Instant::now());
    }
    while out.open()
        && let Ok(lines) = timeout_at(drained, out.read()).await
    {
        told.lines(lines, Instant::now());
    }
    told.rest();
    signal(group, Signal::KILL);
    let _ = child.wait().await;
    let elapsed = started.elapsed();
    match end {
        End::Exited(Ok(status)) if status.success() => Ok(Done { elapsed, left: whole.let_go().await }),
        end => {
            let mut said = if err.last().is_empty() { out.last() } else { err.last() };
            said.extend(crate::sandbox::explain(&said.join("\n")).map(|why| format!("({why})")));
            Err(failure(script, running, end, said, elapsed))
        }
    }
}

fn spawn(script: &Script, running: Running<'_>, marker: &Marker) -> io::Result<Child> {
    let mut command = Command::new("bash");
    command
        .arg(&script.file)
        .current_dir(running.workdir)
        .envs(running.env)
        .envs([marker.variable()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // What would be run before the script, whatever the script is.
    command.env_remove("BASH_ENV");
    apart(&mut command)?;
    crate::sandbox::spawn(&mut command)
}

fn not_started(script: &Script, error: &io::Error) -> ScriptError {
    let name = script.name.clone();
    match error.kind() {
        io::ErrorKind::NotFound => ScriptError::NoBash { script: name },
        _ => ScriptError::NotStarted { script: name, why: error.to_string() },
    }
}

fn failure(script: &Script, running: Running<'_>, end: End, said: Vec<String>, elapsed: Duration) -> ScriptError {
    let (name, tap) = (script.name.clone(), script.tap.clone());
    match end {
        End::Cancelled => ScriptError::Cancelled { script: name, tap, elapsed },
        End::TimedOut => ScriptError::TimedOut { script: name, tap, limit: running.limit, said },
        End::Exited(Ok(status)) => ScriptError::Failed { script: name, tap, status: words(status), elapsed, said },
        End::Exited(Err(error)) => ScriptError::NotStarted { script: name, why: error.to_string() },
    }
}

fn words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}
