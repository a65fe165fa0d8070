//! `shell`: one command in its own process group, with a limit on time and on what is returned.
//!
//! Owns: running, ending and watching process groups; the output of a command.
//!
//! Does not own: permission to run (the session), what the command may touch (the sandbox).
//!
//! Invariant: every group started here is known until it is gone, and is ended with the server. A
//! process that leaves its group (`setsid`) is out of reach, here as in any shell.

mod groups;
mod output;
mod plain;
mod process;
#[cfg(test)]
mod tests;

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;

use super::args::Args;
use super::limits::{SHELL_SECONDS, SHELL_SECONDS_MOST};
use super::place::Root;
use super::{Answer, Refusal};

pub use groups::Shells;
pub use process::spawn;

/// What ends a command before it is done.
pub struct Stop {
    /// The client no longer wants the result.
    pub cancel: CancellationToken,
    /// The server ends.
    pub closing: CancellationToken,
}

/// Tells the client that a command is alive, and what it printed last.
pub struct Reporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
}

impl Reporter {
    pub fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self { peer, token }
    }

    /// Seconds so far serve as the ever-growing progress. A client that does not listen is no
    /// reason to stop.
    async fn tell(&self, elapsed: Duration, line: &str) {
        let note = ProgressNotificationParam::new(self.token.clone(), elapsed.as_secs_f64()).with_message(line);
        let _ = self.peer.notify_progress(note).await;
    }
}

pub async fn run(
    shells: &std::sync::Arc<Shells>,
    root: &Root,
    args: &mut Args,
    report: Option<Reporter>,
    stop: Stop,
) -> Result<Answer, Refusal> {
    let command = args.required(&["command", "cmd", "script"])?;
    let cwd = args.text(&["cwd", "workdir", "directory"])?;
    let seconds = args.number(&["timeout_seconds", "timeout"])?.unwrap_or(SHELL_SECONDS);
    if command.trim().is_empty() {
        return Err(Refusal::new("`command` is empty."));
    }
    if !(1..=SHELL_SECONDS_MOST).contains(&seconds) {
        return Err(Refusal::new(format!(
            "`timeout_seconds` must be from 1 to {SHELL_SECONDS_MOST}. For something that runs on, \
             start it with & and its output in a file."
        )));
    }
    let folder = root.existing(cwd.as_deref().unwrap_or("."))?;
    if !folder.is_dir() {
        return Err(Refusal::new(format!("`cwd` {} is not a folder.", root.show(&folder))));
    }
    let job = process::Job { command, folder, limit: Duration::from_secs(seconds) };
    process::run(shells, job, report, stop).await
}
