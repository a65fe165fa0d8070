//! Running one script: arguments in, output out, the whole group gone afterwards.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::mcp::group::{KillOnDrop, apart, signal};
use crate::mcp::{CallResult, Progress};
use crate::proto::{Content, ToolOutcome};

/// How long a script may run.
pub const TIMEOUT: Duration = Duration::from_secs(300);

/// Bytes kept of each output.
pub const OUTPUT_BYTES: usize = 8 * 1024 * 1024;

/// Longest value that goes into an environment variable; Linux takes no string of 128 KiB or more.
const VARIABLE_BYTES: usize = 120 * 1024;

/// Between asking a group to end and ending it.
const GRACE: Duration = Duration::from_millis(400);

/// After the script has ended, how long output of what it left behind is waited for.
const DRAIN: Duration = Duration::from_millis(150);

/// Between two progress notes.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// How often a script that is just being written is tried again, 20 ms apart.
const BUSY_TRIES: u32 = 25;

pub struct Job<'a> {
    pub name: &'a str,
    pub script: &'a Path,
    pub workdir: &'a Path,
    pub arguments: &'a Map<String, Value>,
    pub limit: Duration,
}

enum End {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
    Lost(io::Error),
}

pub async fn run(job: Job<'_>, progress: &UnboundedSender<Progress>, cancel: &CancellationToken) -> CallResult {
    let started = Instant::now();
    let mut notes = Vec::new();
    let mut child = match spawn(&job, &mut notes).await {
        Ok(child) => child,
        Err(error) => return result(ToolOutcome::Error, unstarted(&job, &error)),
    };
    let group = KillOnDrop(child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default());
    let feed = tokio::spawn(feed(child.stdin.take(), Value::Object(job.arguments.clone()).to_string()));
    let mut out = Stream::new(child.stdout.take());
    let mut err = Stream::new(child.stderr.take());
    let deadline = started + job.limit;
    let mut tell_at = started + PROGRESS_EVERY;
    let end = loop {
        tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            () = sleep_until(deadline) => break End::TimedOut,
            () = sleep_until(tell_at) => {
                tell_at = Instant::now() + PROGRESS_EVERY;
                let note = err.last_line().or_else(|| out.last_line());
                // Nobody listening is no reason to stop.
                let _ = progress.send(Progress { note, fraction: None });
            }
            // Before reading: a flood from a process left behind must not hide the end.
            status = child.wait() => break status.map_or_else(End::Lost, End::Exited),
            () = out.read(), if out.open() => {}
            () = err.read(), if err.open() => {}
        }
    };
    if matches!(end, End::TimedOut | End::Cancelled) {
        signal(group.0, Signal::TERM);
        let _ = timeout(GRACE, child.wait()).await;
    }
    let drained = Instant::now() + DRAIN;
    out.drain(drained).await;
    err.drain(drained).await;
    signal(group.0, Signal::KILL);
    let _ = child.wait().await;
    feed.abort();
    report(&job, &end, &out.text(), &err.text(), &notes)
}

async fn spawn(job: &Job<'_>, notes: &mut Vec<String>) -> io::Result<Child> {
    let mut command = Command::new(job.script);
    command
        .current_dir(job.workdir)
        .env("OCTOMIND_TOOL_NAME", job.name)
        .env("OCTOMIND_WORKDIR", job.workdir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    apart(&mut command)?;
    for (name, value) in job.arguments {
        let value = natural(value);
        if value.len() > VARIABLE_BYTES {
            notes.push(format!("`{name}` is too long for an environment variable and came on standard input only"));
            continue;
        }
        for variable in variables(name) {
            command.env(variable, &value);
        }
    }
    for _ in 0..BUSY_TRIES {
        match crate::sandbox::spawn(&mut command) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => sleep(Duration::from_millis(20)).await,
            other => return other,
        }
    }
    crate::sandbox::spawn(&mut command)
}

/// `OCTOMIND_PARAM_<UPPER>`; a name no shell could read also gets one with underscores.
fn variables(name: &str) -> Vec<String> {
    let upper = name.to_uppercase();
    let plain: String = upper.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut all = Vec::new();
    if !upper.contains(['=', '\0']) {
        all.push(format!("OCTOMIND_PARAM_{upper}"));
    }
    if plain != upper {
        all.push(format!("OCTOMIND_PARAM_{plain}"));
    }
    all
}

/// Scalars as they read, lists and objects as JSON, `null` as nothing. A NUL cannot be passed on.
fn natural(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.replace('\0', ""),
        other => other.to_string(),
    }
}

async fn feed(stdin: Option<ChildStdin>, json: String) {
    if let Some(mut stdin) = stdin {
        // A script that does not read its input is free not to.
        let _ = stdin.write_all(json.as_bytes()).await;
        let _ = stdin.shutdown().await;
    }
}

/// One output of the script.
struct Stream<R> {
    from: Option<R>,
    bytes: Vec<u8>,
    dropped: u64,
    buffer: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Stream<R> {
    fn new(from: Option<R>) -> Self {
        Self { from, bytes: Vec::new(), dropped: 0, buffer: vec![0; 16 * 1024] }
    }

    fn open(&self) -> bool {
        self.from.is_some()
    }

    async fn read(&mut self) {
        let Some(from) = &mut self.from else { return };
        match from.read(&mut self.buffer).await {
            Ok(0) | Err(_) => self.from = None,
            Ok(count) => {
                let room = OUTPUT_BYTES - self.bytes.len();
                let kept = count.min(room);
                self.bytes.extend_from_slice(self.buffer.get(..kept).unwrap_or_default());
                self.dropped += (count - kept) as u64;
            }
        }
    }

    /// Reads what is still there, until then at most.
    async fn drain(&mut self, until: Instant) {
        while self.open() && Instant::now() < until && timeout_at(until, self.read()).await.is_ok() {}
    }

    fn last_line(&self) -> Option<String> {
        let end = self.bytes.len();
        let recent = self.bytes.get(end.saturating_sub(400)..).unwrap_or_default();
        let line = recent.split(|byte| matches!(byte, b'\n' | b'\r')).rfind(|line| !line.trim_ascii().is_empty())?;
        Some(String::from_utf8_lossy(line).trim().chars().filter(|c| !c.is_control()).take(200).collect())
    }

    fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.dropped > 0 {
            text.push_str(&format!("\n[{} more bytes were not kept]", self.dropped));
        }
        text
    }
}

fn unstarted(job: &Job<'_>, error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => " The interpreter named in its first line is not installed, or the folder is gone.",
        io::ErrorKind::PermissionDenied => " Check that it is executable.",
        _ => "",
    };
    format!("local tool '{}' could not be started: {error}.{hint}", job.name)
}

fn report(job: &Job<'_>, end: &End, out: &str, err: &str, notes: &[String]) -> CallResult {
    let name = job.name;
    let (outcome, head) = match end {
        End::Exited(status) if status.success() => (ToolOutcome::Ok, None),
        End::Exited(status) => (ToolOutcome::Error, Some(format!("exited with status {}", code(*status)))),
        End::TimedOut => (ToolOutcome::TimedOut, Some(format!("timed out after {} s", job.limit.as_secs()))),
        End::Cancelled => (ToolOutcome::Cancelled, Some("was cancelled".into())),
        End::Lost(error) => (ToolOutcome::Lost, Some(format!("was lost: {error}"))),
    };
    let mut text = match &head {
        None => out.to_owned(),
        Some(head) => format!("local tool '{name}' {head}"),
    };
    block(&mut text, "stderr", err);
    if head.is_some() {
        block(&mut text, "stdout", out);
    }
    for note in notes {
        block(&mut text, "note", note);
    }
    let denied = head.and_then(|_| crate::sandbox::explain(&text));
    if let Some(why) = denied {
        block(&mut text, "note", &why);
    }
    result(outcome, text)
}

/// Appends text under a heading unless it is blank.
fn block(text: &mut String, heading: &str, body: &str) {
    if body.trim().is_empty() {
        return;
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[{heading}]\n{body}"));
}

#[cfg(unix)]
fn code(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown".into(),
    }
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> String {
    status.code().map_or_else(|| "unknown".into(), |code| code.to_string())
}

fn result(outcome: ToolOutcome, text: String) -> CallResult {
    CallResult { outcome, content: Content::Text(text) }
}
