//! Processes that a script started and that run on, in whatever group or session they are.
//!
//! Each inherits a variable that only this run of the script has. One that cleared its environment, or
//! that runs as another user, is not found; nor is any where there is no `/proc`.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::text;

/// What marks them.
const VARIABLE: &str = "OCTOMIND_SCRIPT";

/// Characters shown of a command.
const COMMAND_CHARS: usize = 80;

/// A process that is killed may have started another just before; so often it is looked again.
const ROUNDS: usize = 20;

/// One run of a script.
#[derive(Debug, Clone)]
pub struct Marker(String);

/// A process that was left running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    pub pid: i32,
    /// With its arguments, safe to show but not masked.
    pub command: String,
}

impl Marker {
    pub fn new() -> Self {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self(format!("{}-{}-{since}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed)))
    }

    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// Those that run now and are not of this group. Reads all of `/proc`: some milliseconds.
    pub fn left(&self, group: i32) -> Vec<Left> {
        let mut left: Vec<Left> =
            pids().filter(|pid| self.is_on(*pid) && runs_outside(*pid, group)).map(Left::of).collect();
        left.sort_by_key(|one| one.pid);
        left
    }

    /// Kills them, and what they start meanwhile.
    pub fn end(&self) {
        let mut killed = Vec::new();
        for _ in 0..ROUNDS {
            let fresh: Vec<i32> = pids().filter(|pid| !killed.contains(pid) && self.is_on(*pid)).collect();
            if fresh.is_empty() {
                return;
            }
            for pid in fresh {
                self.kill(pid);
                killed.push(pid);
            }
        }
    }

    fn is_on(&self, pid: i32) -> bool {
        let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|one| {
            let value = one.strip_prefix(VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value == Some(self.0.as_bytes())
        })
    }

    #[cfg(target_os = "linux")]
    fn kill(&self, pid: i32) {
        use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
        let Some(Ok(process)) = Pid::from_raw(pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else { return };
        // The number may be another's by now; what was opened cannot change any more.
        if self.is_on(pid) {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn kill(&self, _pid: i32) {}
}

impl Left {
    fn of(pid: i32) -> Self {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<_> = command.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
        let command = text::sanitize_line(words.join(" ").trim()).chars().take(COMMAND_CHARS).collect();
        Self { pid, command }
    }
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Neither dead nor in a group that is just being killed.
fn runs_outside(pid: i32, group: i32) -> bool {
    let Ok(about) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name before may hold anything, brackets too.
    let mut fields = about.rsplit_once(')').map(|(_, rest)| rest.split_whitespace()).into_iter().flatten();
    let (state, of) = (fields.next(), fields.nth(1).and_then(|of| of.parse::<i32>().ok()));
    !matches!(state, Some("Z" | "X")) && of.is_some_and(|of| of != group)
}
